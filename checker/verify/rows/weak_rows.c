// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the axioms of RC, RA and CC on statements
// (checker/verify/rows/weak_rows.h).  Where an event reads a key from t1, and
// t2 writes it, too, and is visible to the event, t2 must not come after t1 in
// the commit order.  At RC visible are those that the transaction read from in
// earlier events (and, if that is asked for, all before it in its session), at
// RA all that it read from and all before it in its session,
// at CC these and all that is visible to them, over any number.
//
// A transaction at PC or above may have read whatever was current at its
// snapshot: to those at CC after it all that had committed then is visible,
// which asks for no less than the axiom.
#include "config.h"

#include "checker/verify/rows/weak_rows.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/verify/levels.h"
#include "checker/verify/rows/condition.h"
#include "checker/verify/rows/execute_rows.h"
#include "checker/verify/rows/latest_reads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX
enum { CAUSAL_TXNS = 1 << 14 }; // whose pasts take 32 MB

struct weak_rows_check {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  const struct weak_rows_proof *proof;
  const struct found_unseen *found;
  uint32_t nfound, next_found; // all, and the first of the statement at hand
  bool sees_session; // does the transaction at hand see what is in `session`?
  struct error *error;
  struct patience patience;
  uint32_t *place;  // per transaction: in the order, from 1
  uint32_t *txn_of; // per operation
  uint8_t *final;   // per operation: the transaction's last write of it
  // Per key, the last version that is visible or NOTHING: to the transaction
  // by its reads, and to its session before it.  Beside each, the list of the
  // keys that have a version.
  uint32_t *sight, *touched, ntouched;
  uint32_t *session, *left, nleft;
  uint32_t *keys, *table_first, *table_nlive; // list_keys
  uint32_t *own, *op_on;                      // per key, as in an execution
  // At CC, per transaction: a set of places in the order; and the words of one.
  uint64_t *past;
  uint32_t past_words;
};

static int refuse_weak(const struct weak_rows_check *c, const char *what,
                       uint32_t id) {
  return error_set(c->error, "the order that was found is wrong: %s %u", what,
                   id);
}

// The place of the version's writer; 0 for what was there at first.
static uint32_t place_of_version(const struct weak_rows_check *c,
                                 uint32_t version) {
  return version < c->h->nops ? c->place[c->txn_of[version]] : 0;
}

// The writer becomes visible: in c->sight, or in c->session.
static void show_in(struct weak_rows_check *c, uint32_t t, uint32_t *sight,
                    uint32_t *touched, uint32_t *ntouched) {
  const struct history *h = c->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op];
    if (!c->final[op] || (sight[key] != NOTHING &&
                          place_of_version(c, sight[key]) >= c->place[t]))
      continue;
    if (sight[key] == NOTHING) {
      assert(*ntouched < h->nkeys); // each key is touched once
      touched[(*ntouched)++] = key;
    }
    sight[key] = op;
  }
}

static void show_writer(struct weak_rows_check *c, uint32_t t) {
  show_in(c, t, c->sight, c->touched, &c->ntouched);
}

// The last version of the key that is visible; what was there at first, if no
// other is.
static uint32_t visible_version(const struct weak_rows_check *c, uint32_t key) {
  assert(key < c->h->nkeys);
  const uint32_t a = c->sight[key];
  const uint32_t b = c->sees_session ? c->session[key] : NOTHING;
  if (a == NOTHING && b == NOTHING)
    return c->h->nops + key;
  return b == NOTHING || (a != NOTHING &&
                          place_of_version(c, a) > place_of_version(c, b))
             ? a
             : b;
}

static void show_version(struct weak_rows_check *c, uint32_t version) {
  if (version < c->h->nops)
    show_writer(c, c->txn_of[version]);
}

static uint32_t version_found(const struct history *h, uint32_t op) {
  return h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
}

// May transaction t read this version, by the axiom?
static bool may_read(const struct weak_rows_check *c, uint32_t t, uint32_t key,
                     uint32_t version) {
  if (version >= c->h->nops + c->h->nkeys ||
      (version < c->h->nops && (!c->final[version] || c->txn_of[version] == t ||
                                place_of_version(c, version) >= c->place[t])))
    return false;
  return place_of_version(c, visible_version(c, key)) <=
         place_of_version(c, version);
}

// Where what the statement is taken to have found begins.
static uint32_t first_found(const struct weak_rows_check *c, uint32_t s) {
  uint32_t low = 0, high = c->nfound;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (c->found[middle].statement < s)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The version of a row that the statement did not return or, if it inserted it,
// found absent.
static uint32_t unseen_version(const struct weak_rows_check *c, uint32_t s,
                               uint32_t key) {
  for (uint32_t i = c->next_found; i < c->nfound && c->found[i].statement == s;
       i++)
    if (c->found[i].key == key)
      return c->found[i].version;
  return visible_version(c, key);
}

static int check_weak_unseen(const struct weak_rows_check *c, uint32_t t,
                             uint32_t s, uint32_t key, bool found) {
  const struct recorded_statement *statement = &c->h->rows->statements[s];
  const uint32_t version =
      c->own[key] != NOTHING ? c->own[key] : unseen_version(c, s, key);
  if (c->own[key] == NOTHING && !may_read(c, t, key, version))
    return refuse_weak(c, "a row cannot be as it is taken to be by statement",
                       s);
  return condition_finds(c->h, statement, key, version) == found
             ? 0
             : refuse_weak(c, "another row comes back from statement", s);
}

// One that was read, in a row or a register.
static int check_weak_read(const struct weak_rows_check *c, uint32_t t,
                           const struct recorded_statement *s, uint32_t op) {
  const struct history *h = c->h;
  const uint32_t key = h->key[op], version = version_found(h, op);
  const bool right = c->own[key] != NOTHING ? version == c->own[key]
                                            : may_read(c, t, key, version);
  if (!right)
    return refuse_weak(c, "a version that cannot be read by operation", op);
  return !s || (condition_met(h, s, op, version) &&
                condition_shows(h, op, version))
             ? 0
             : refuse_weak(c, "a row that cannot come back in operation", op);
}

static int check_weak_op(const struct weak_rows_check *c, uint32_t t,
                         uint32_t s, uint32_t op) {
  const struct recorded_statement *statement =
      s == NOTHING ? NULL : &c->h->rows->statements[s];
  if (op_reads(c->h->kind[op]))
    return check_weak_read(c, t, statement, op);
  return c->h->kind[op] == OP_ROW_INSERT
             ? check_weak_unseen(c, t, s, c->h->key[op], true)
             : 0;
}

// Those of the keys that are of the statement's table and did not come back.
static int check_keys(const struct weak_rows_check *c, uint32_t t, uint32_t s,
                      const uint32_t *keys, uint32_t n) {
  const struct rows *rows = c->h->rows;
  for (uint32_t i = 0; i < n; i++)
    if (rows->key_table[keys[i]] == rows->statements[s].table &&
        c->op_on[keys[i]] == NOTHING &&
        check_weak_unseen(c, t, s, keys[i], false))
      return -1;
  return 0;
}

// The rows of the table that did not come back: those that were there at first,
// those of which something else is visible, and the transaction's own; others
// are not there.  Only an INSERT of named keys looks for these, too.
static int check_weak_table(struct weak_rows_check *c, uint32_t t, uint32_t s) {
  const struct history *h = c->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  const uint32_t first = c->table_first[statement->table];
  const uint32_t own = h->txn_first[t];
  const uint32_t n = statement->sort == STATEMENT_INSERT_NEW
                         ? c->table_first[statement->table + 1] - first
                         : c->table_nlive[statement->table];
  const uint32_t nleft = c->sees_session ? c->nleft : 0;
  if (patience_ends(&c->patience, n + c->ntouched + nleft))
    return -1;
  return check_keys(c, t, s, c->keys + first, n) ||
                 check_keys(c, t, s, c->touched, c->ntouched) ||
                 check_keys(c, t, s, c->left, nleft) ||
                 check_keys(c, t, s, h->key + own, statement->first - own)
             ? -1
             : 0;
}

// The keys of each table, first those of rows that were there at first.
static void list_keys(struct weak_rows_check *c) {
  const struct history *h = c->h;
  const uint32_t *table_of = h->rows->key_table, ntables = h->rows->ntables;
  uint32_t *end = xcalloc((size_t)ntables + 1, sizeof *end);
  c->table_first = xcalloc((size_t)ntables + 1, sizeof *c->table_first);
  c->table_nlive = xcalloc(ntables, sizeof *c->table_nlive);
  for (uint32_t key = 0; key < h->nkeys; key++)
    if (table_of[key] != ROWS_NONE)
      c->table_first[table_of[key] + 1]++;
  for (uint32_t i = 0; i < ntables; i++)
    end[i] = c->table_first[i + 1] += c->table_first[i];
  for (uint32_t key = 0; key < h->nkeys; key++) {
    const uint32_t table = table_of[key];
    if (table == ROWS_NONE)
      continue;
    const bool live = condition_columns(h, h->nops + key) != NULL;
    c->keys[live ? c->table_first[table] + c->table_nlive[table]++
                 : --end[table]] = key;
  }
  free(end);
}

static int check_event(struct weak_rows_check *c, uint32_t t, uint32_t s,
                       uint32_t first, uint32_t end) {
  const struct history *h = c->h;
  int result = 0;
  c->next_found = first_found(c, s);
  for (uint32_t op = first; op < end && !result; op++) {
    if (c->op_on[h->key[op]] != NOTHING)
      result = refuse_weak(c, "a row comes twice in statement", s);
    c->op_on[h->key[op]] = op;
    result = result ? result : check_weak_op(c, t, s, op);
  }
  const bool all_came = s != NOTHING && first < end &&
                        condition_names_row(h, &h->rows->statements[s]);
  if (!result && !all_came && !c->options->question.by_items && s != NOTHING &&
      h->rows->statements[s].condition != ROWS_NONE)
    result = check_weak_table(c, t, s);
  for (uint32_t op = first; op < end; op++)
    c->op_on[h->key[op]] = NOTHING;
  return result;
}

// Makes the versions that the event read visible.
static void show_event(struct weak_rows_check *c, uint32_t t, uint32_t s,
                       uint32_t first, uint32_t end) {
  const struct history *h = c->h;
  for (uint32_t op = first; op < end; op++)
    if (op_reads(h->kind[op]) && h->saw[op] < h->nops &&
        c->txn_of[h->saw[op]] != t)
      show_version(c, h->saw[op]);
  for (uint32_t i = first_found(c, s);
       s != NOTHING && i < c->nfound && c->found[i].statement == s; i++)
    show_version(c, c->found[i].version);
}

static void note_own_versions(struct weak_rows_check *c, uint32_t first,
                              uint32_t end) {
  for (uint32_t op = first; op < end; op++)
    if (op_writes(c->h->kind[op]))
      c->own[c->h->key[op]] = op;
}

// Goes through the events of the transaction; checks them, or only has visible
// what they read.
static int walk_weak_statements(struct weak_rows_check *c, uint32_t t,
                                bool checks, bool shows) {
  const struct history *h = c->h;
  const struct rows *rows = h->rows;
  uint32_t s = rows->txn_statement[t];
  int result = 0;
  for (uint32_t op = h->txn_first[t], end;
       !result && (op < h->txn_first[t + 1] || s < rows->txn_statement[t + 1]);
       op = end) {
    const bool comes =
        s < rows->txn_statement[t + 1] && rows->statements[s].first == op;
    const uint32_t statement = comes ? s++ : NOTHING;
    end = comes ? rows->statements[statement].end : op + 1;
    const bool latest =
        comes && reads_latest(c->options, &rows->statements[statement]);
    if (checks && !latest)
      result = check_event(c, t, statement, op, end);
    if (shows && !latest)
      show_event(c, t, statement, op, end);
    if (checks)
      note_own_versions(c, op, end);
  }
  return result;
}

// --- Pasts, at CC.

static uint64_t *past_of(const struct weak_rows_check *c, uint32_t t) {
  return c->past + (size_t)t * c->past_words;
}

// The transaction at the place of the order, and its past, are in that of t.
static void add_past(struct weak_rows_check *c, uint32_t t, uint32_t place) {
  const uint64_t *more = past_of(c, c->proof->order[place - 1]);
  uint64_t *past = past_of(c, t);
  for (uint32_t w = 0; w < c->past_words; w++)
    past[w] |= more[w];
  past[place / 64] |= UINT64_C(1) << place % 64;
}

static void add_visible_version(struct weak_rows_check *c, uint32_t t,
                                uint32_t version) {
  if (version < c->h->nops && c->txn_of[version] != t &&
      place_of_version(c, version) != 0 &&
      place_of_version(c, version) < c->place[t])
    add_past(c, t, place_of_version(c, version));
}

// Is the operation of a statement that read what was committed last?
static bool found_latest(const struct weak_rows_check *c, uint32_t t,
                         uint32_t op) {
  const struct rows *rows = c->h->rows;
  for (uint32_t s = rows->txn_statement[t];
       c->options->question.plain_reads && s < rows->txn_statement[t + 1]; s++)
    if (op >= rows->statements[s].first && op < rows->statements[s].end)
      return reads_latest(c->options, &rows->statements[s]);
  return false;
}

// All that the transaction read, and may have read at its snapshot.
static void add_weak_sources(struct weak_rows_check *c, uint32_t t) {
  const struct history *h = c->h;
  const struct rows *rows = h->rows;
  const enum isolation level = binding_level(c->h, c->options, t);
  const uint32_t at = c->place[t] - 1;
  uint32_t prefix = 0;
  if (must_see_prefix(level))
    prefix = may_read_before_commit(level) ? c->proof->snapshot[at] : at;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (op_reads(h->kind[op]) && !proves_nothing(level) &&
        !found_latest(c, t, op))
      add_visible_version(c, t, h->saw[op]);
  for (uint32_t i = first_found(c, rows->txn_statement[t]);
       i < c->nfound && c->found[i].statement < rows->txn_statement[t + 1]; i++)
    add_visible_version(c, t, c->found[i].version);
  for (uint32_t place = 1; place <= prefix && place <= at; place++)
    past_of(c, t)[place / 64] |= UINT64_C(1) << place % 64;
}

// In the order, so that what a transaction read from has its past already.
static int find_weak_pasts(struct weak_rows_check *c) {
  const uint32_t n = c->proof->norder;
  if (n > CAUSAL_TXNS)
    return refuse_weak(c, "too many transactions for causal pasts,", n);
  uint32_t *before = session_leaders(c->h, c->counted, c->options);
  c->past_words = n / 64 + 1;
  c->past = xcalloc((size_t)c->h->ntxns * c->past_words, sizeof *c->past);
  for (uint32_t i = 0; i < n && !patience_ends(&c->patience, n); i++) {
    const uint32_t t = c->proof->order[i];
    if (before[t] != NOTHING)
      add_past(c, t, c->place[before[t]]);
    add_weak_sources(c, t);
  }
  free(before);
  return 0;
}

static void show_past(struct weak_rows_check *c, uint32_t t) {
  for (uint32_t place = 1; place < c->place[t]; place++)
    if (past_of(c, t)[place / 64] >> place % 64 & 1)
      show_writer(c, c->proof->order[place - 1]);
}

static bool has_causes(const struct weak_rows_check *c) {
  bool has = false;
  for (uint32_t t = 0; t < c->h->ntxns; t++)
    has |= c->counted[t] && must_see_causes(binding_level(c->h, c->options, t));
  return has;
}

// --- Transactions.

static int judge_weak_txn(struct weak_rows_check *c, uint32_t t) {
  const enum isolation level = binding_level(c->h, c->options, t);
  const bool at_once = !must_see_earlier_reads(level);
  c->sees_session =
      must_see_reads_and_session(level) ||
      (must_see_earlier_reads(level) && c->options->question.rc_sees_session);
  if (must_see_causes(level)) {
    if (patience_ends(&c->patience, c->place[t]))
      return -1;
    show_past(c, t);
  } else if (at_once)
    walk_weak_statements(c, t, false, true);
  return walk_weak_statements(c, t, true, !at_once);
}

static int check_weak_txn(struct weak_rows_check *c, uint32_t t) {
  const struct history *h = c->h;
  const enum isolation level = binding_level(c->h, c->options, t);
  const bool judges = !proves_nothing(level) && !must_see_prefix(level);
  const int result = judges ? judge_weak_txn(c, t) : 0;
  while (c->ntouched)
    c->sight[c->touched[--c->ntouched]] = NOTHING;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    c->own[h->key[op]] = NOTHING;
  if (c->options->question.session_order && h->outcome[t] == OUTCOME_OK)
    show_in(c, t, c->session, c->left, &c->nleft);
  return result;
}

// All transactions, session by session.
static int check_txns(struct weak_rows_check *c) {
  const struct history *h = c->h;
  int result = 0;
  for (uint32_t t = 0; t < h->ntxns && !result; t++) {
    if (t && history_session(h, t) != history_session(h, t - 1))
      while (c->nleft)
        c->session[c->left[--c->nleft]] = NOTHING;
    if (c->counted[t])
      result = check_weak_txn(c, t);
  }
  return result;
}

// Every transaction that counts is in the order once, after those before it in
// its session.
static int check_order(struct weak_rows_check *c, const uint32_t *order,
                       uint32_t norder) {
  const struct history *h = c->h;
  uint32_t ncounted = 0, before = 0;
  for (uint32_t i = 0; i < norder; i++) {
    if (order[i] >= h->ntxns || !c->counted[order[i]] || c->place[order[i]])
      return refuse_weak(c, "transaction", order[i]);
    c->place[order[i]] = i + 1;
  }
  for (uint32_t t = 0; t < h->ntxns; t++) {
    if (!t || history_session(h, t) != history_session(h, t - 1))
      before = 0;
    ncounted += c->counted[t];
    if (!c->counted[t] || !c->options->question.session_order)
      continue;
    if (c->place[t] < before)
      return refuse_weak(c, "the session of transaction", t);
    before = h->outcome[t] == OUTCOME_OK ? c->place[t] : before;
  }
  return ncounted == norder ? 0 : refuse_weak(c, "its length", norder);
}

static void find_final_versions(struct weak_rows_check *c) {
  const struct history *h = c->h;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      c->txn_of[op] = t;
      if (!op_writes(h->kind[op]) || !c->counted[t])
        continue;
      if (c->own[h->key[op]] != NOTHING)
        c->final[c->own[h->key[op]]] = 0;
      c->final[op] = 1;
      c->own[h->key[op]] = op;
    }
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      c->own[h->key[op]] = NOTHING;
  }
}

enum verified verify_weak_rows(const struct history *h, const uint8_t *counted,
                               const struct check_options *options,
                               const struct weak_rows_proof *proof,
                               struct error *error) {
  struct weak_rows_check c = {.h = h,
                              .counted = counted,
                              .options = options,
                              .proof = proof,
                              .found = proof->found,
                              .nfound = proof->nfound,
                              .error = error,
                              .patience = {.stop = options->stop},
                              .place = xcalloc(h->ntxns, sizeof(uint32_t)),
                              .txn_of = xmalloc(h->nops * sizeof(uint32_t)),
                              .final = xcalloc(h->nops, 1),
                              .sight = ids_none(h->nkeys),
                              .touched = xmalloc(h->nkeys * sizeof(uint32_t)),
                              .session = ids_none(h->nkeys),
                              .left = xmalloc(h->nkeys * sizeof(uint32_t)),
                              .keys = xmalloc(h->nkeys * sizeof(uint32_t)),
                              .own = ids_none(h->nkeys),
                              .op_on = ids_none(h->nkeys)};
  find_final_versions(&c);
  list_keys(&c);
  int result = check_order(&c, proof->order, proof->norder);
  if (!result && has_causes(&c))
    result = find_weak_pasts(&c);
  if (!result && verify_latest_reads(h, counted, options, proof->order,
                                     proof->norder, error) != VERIFIED)
    result = -1;
  result = result ? result : check_txns(&c);
  FREE_EACH(c.place, c.txn_of, c.final, c.sight, c.touched, c.session, c.left,
            c.own, c.op_on, c.keys, c.past, c.table_first, c.table_nlive);
  return verified(result, &c.patience);
}

// The levels, without those that the axioms above are held against.
static uint8_t *levels_of_snapshots(const struct history *h) {
  uint8_t *levels = xmalloc(h->ntxns);
  for (uint32_t t = 0; t < h->ntxns; t++)
    levels[t] = must_see_prefix((enum isolation)h->level[t])
                    ? h->level[t]
                    : (uint8_t)ISOLATION_NONE;
  return levels;
}

enum verified verify_rows_by_level(const struct history *h,
                                   const struct history *registers,
                                   const uint8_t *counted,
                                   const struct check_options *options,
                                   const struct weak_rows_proof *proof,
                                   struct error *error) {
  struct history of_snapshots = *registers;
  const struct verdict order = {
      .kind = VERDICT_PASS,
      .question = {.level = options->question.level, .recorded = true},
      .norder = proof->norder,
      .order = ids_copy(proof->order, proof->norder),
      .snapshot = ids_copy(proof->snapshot, proof->norder)};
  of_snapshots.level = levels_of_snapshots(h);
  enum verified result =
      verify_rows(h, &of_snapshots, counted, options, &order, error);
  if (result == VERIFIED)
    result = verify_weak_rows(h, counted, options, proof, error);
  FREE_EACH(of_snapshots.level, order.order, order.snapshot);
  return result;
}
