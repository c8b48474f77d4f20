// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest choices at RC and RA (checker/rows/weak_search.h).
//
// A statement is taken to have found, of each row that it did not return, the
// last version that is visible to it: this choice makes nothing more visible.
// If that version satisfies the condition, the statement found a later one,
// whose writer then is visible as well.  The next one that does not satisfy it
// is tried; others might be right where it is not, so that a contradiction that
// rests on such a choice leaves the answer open.
//
// The versions of a row may fork: at RC two transactions may replace the same
// one.  Then all that are visible come before the one that was read.  Of a row
// that did not return, the latest of them by the time does not satisfy the
// condition, or else the next one by the time was found that does not.
#include "config.h"

#include "checker/rows/weak_search.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/rows/current_rows.h"
#include "checker/rows/likely_order.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

#define NO_OP UINT32_MAX
enum { ATTEMPTS = 32 };

// A version, and when its transaction ended.
struct birth {
  uint32_t key, op;
  uint64_t time;
};

struct weak_search {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  struct weak_rows *d;
  uint64_t *place;  // likely_order
  uint32_t *txn_of; // per operation
  uint8_t *final;   // per operation
  // Per version: the next one of the key, if all are one chain.
  uint32_t *next;
  uint32_t *depth;     // per version: how many come before it; 0: at first
  uint8_t *is_chain;   // per key: all versions follow each other...
  uint8_t *is_guessed; // ...as it seems by the time
  // The final versions of keys that are no chain, by key and time.
  struct birth *forked;
  uint32_t nforked, forked_room;

  uint32_t *sight; // per key: the last version that is visible, or NO_OP
  struct ids touched;
  struct ids beside;       // further visible versions of keys that are no chain
  struct ids fork;         // list_fork
  uint32_t *own, *came_in; // per key
  // The rows as they were at first or, where reads must see their session, as
  // it has left them.
  struct current_rows base;
  struct ids changed; // keys of `base` that are not as they were at first
  uint32_t nchosen;   // of the transaction
  bool guesses;       // the order of some key's versions
  bool again;         // an earlier choice was wrong
  bool broken, open;
};

static enum isolation level_to_keep(const struct weak_search *w, uint32_t t) {
  return w->options->question.recorded ? (enum isolation)w->h->level[t]
                                       : w->options->question.level;
}

static void add_edge(struct weak_search *w, uint32_t from, uint32_t to) {
  assert(from < w->h->ntxns && to < w->h->ntxns);
  if (from == to)
    return;
  ids_add(&w->d->from, from);
  ids_add(&w->d->to, to);
}

// --- Chains.

static void find_final_choices(struct weak_search *w) {
  const struct history *h = w->h;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      w->txn_of[op] = t;
      if (!op_writes(h->kind[op]) || !w->counted[t])
        continue;
      if (w->own[h->key[op]] != NO_OP)
        w->final[w->own[h->key[op]]] = 0;
      w->final[op] = 1;
      w->own[h->key[op]] = op;
    }
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      w->own[h->key[op]] = NO_OP;
  }
}

static uint32_t version_chosen(const struct history *h, uint32_t op) {
  return h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
}

// The transaction's first write of the key that a final one is of.
static uint32_t first_write(const struct weak_search *w, uint32_t op) {
  const struct history *h = w->h;
  assert(w->final[op] && op_writes(h->kind[op]));
  uint32_t write = h->txn_first[w->txn_of[op]];
  while (h->key[write] != h->key[op] || !op_writes(h->kind[write]))
    write++;
  return write;
}

static uint32_t last_of(const struct weak_search *w, uint32_t version) {
  while (w->next[version] != NO_OP)
    version = w->next[version];
  return version;
}

static uint64_t commit_time_of(const struct weak_search *w, uint32_t op) {
  return w->place ? w->place[w->txn_of[op]] : op;
}

static int by_key_then_time(const void *a, const void *b) {
  const struct birth *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->time > y->time) - (x->time < y->time);
}

// Links what was inserted under one key, which follows no version or a
// deletion, in the order of the ends of transactions: each INSERT follows the
// deletion before it.  With several INSERTs this is a guess.
static void link_births(struct weak_search *w, const struct birth *births,
                        uint32_t n) {
  assert(n > 0 && births->key < w->h->nkeys);
  uint32_t last = last_of(w, w->h->nops + births->key);
  for (uint32_t i = 0; i < n && !rows_version(w->h, last); i++) {
    w->next[last] = births[i].op;
    if (last < w->h->nops)
      add_edge(w, w->txn_of[last], w->txn_of[births[i].op]);
    last = last_of(w, births[i].op);
  }
  w->is_guessed[births->key] = n > 1;
  w->guesses |= n > 1;
}

static void link_all_births(struct weak_search *w, struct birth *births,
                            uint32_t n) {
  if (n)
    qsort(births, n, sizeof *births, by_key_then_time);
  for (uint32_t i = 0, end; i < n; i = end) {
    for (end = i; end < n && births[end].key == births[i].key; end++)
      ;
    link_births(w, births + i, end - i);
  }
}

// Where the versions of a key are no chain, an INSERT may follow another
// deletion than the one that it was linked to.
static void guess_births(struct weak_search *w, const struct birth *births,
                         uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!w->is_chain[births[i].key])
      w->is_guessed[births[i].key] = w->guesses = true;
}

static void list_forked(struct weak_search *w) {
  const struct history *h = w->h;
  for (uint32_t op = 0; op < h->nops; op++) {
    if (!w->final[op] || w->is_chain[h->key[op]])
      continue;
    ARRAY_RESERVE(w->forked, w->nforked, w->forked_room);
    w->forked[w->nforked++] =
        (struct birth){h->key[op], op, commit_time_of(w, op)};
  }
  if (w->nforked)
    qsort(w->forked, w->nforked, sizeof *w->forked, by_key_then_time);
}

static void link_chains(struct weak_search *w) {
  const struct history *h = w->h;
  uint32_t *left = xcalloc(h->nkeys, sizeof *left), n = 0, room = 0;
  struct birth *births = NULL;
  for (uint32_t op = 0; op < h->nops; op++) {
    if (!w->final[op])
      continue;
    const uint32_t write = first_write(w, op), key = h->key[op];
    left[key]++;
    if (h->kind[write] == OP_ROW_INSERT) {
      ARRAY_RESERVE(births, n, room);
      births[n++] = (struct birth){key, op, commit_time_of(w, op)};
    } else if (op_is_row(h->kind[write])) {
      const uint32_t before = version_chosen(h, write);
      if (before < h->nops + h->nkeys && w->next[before] == NO_OP)
        w->next[before] = op;
    }
  }
  link_all_births(w, births, n);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    uint32_t version = h->nops + key, depth = 0;
    for (; version != NO_OP; version = w->next[version], depth++)
      w->depth[version] = depth;
    w->is_chain[key] = depth == left[key] + 1;
  }
  guess_births(w, births, n);
  list_forked(w);
  FREE_EACH(left, births);
}

// --- What is visible.

static bool ids_has(const struct ids *ids, uint32_t id) {
  uint32_t i = 0;
  while (i < ids->count && ids->items[i] != id)
    i++;
  return i < ids->count;
}

static bool show_txn(struct weak_search *w, uint32_t t) {
  const struct history *h = w->h;
  bool more = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op], before = w->sight[key];
    if (!w->final[op] || before == op)
      continue;
    if (before == NO_OP)
      ids_add(&w->touched, key);
    else if (!w->is_chain[key]) {
      const bool is_new = !ids_has(&w->beside, op);
      if (is_new)
        ids_add(&w->beside, op);
      more |= is_new;
      continue;
    }
    if (before != NO_OP && w->is_chain[key] && w->depth[before] > w->depth[op])
      continue;
    w->sight[key] = op;
    more = true;
  }
  return more;
}

// The versions of a key that are visible, but for the one it had at first.
static void list_fork(struct weak_search *w, uint32_t key) {
  const uint32_t base = w->base.version[key];
  w->fork.count = 0;
  if (w->sight[key] != NO_OP)
    ids_add(&w->fork, w->sight[key]);
  for (uint32_t i = 0; i < w->beside.count; i++)
    if (w->h->key[w->beside.items[i]] == key)
      ids_add(&w->fork, w->beside.items[i]);
  if (base < w->h->nops && !ids_has(&w->fork, base))
    ids_add(&w->fork, base);
}

// The last version that is visible; of a key that is a chain, or of which one
// at most is visible.
static uint32_t visible_choice(struct weak_search *w, uint32_t key) {
  const uint32_t sight = w->sight[key], base = w->base.version[key];
  if (sight == NO_OP || sight == base)
    return base;
  if (base >= w->h->nops)
    return sight;
  assert(w->is_chain[key]);
  return w->depth[sight] > w->depth[base] ? sight : base;
}

// Shows the transaction that the operation read from, if it is another one.
static void show_read(struct weak_search *w, uint32_t t, uint32_t op) {
  const uint32_t saw = w->h->saw[op];
  if (op_reads(w->h->kind[op]) && saw < w->h->nops && w->txn_of[saw] != t)
    show_txn(w, w->txn_of[saw]);
}

// --- Events.

// May the row, as the version has it, be one that the statement did not return
// or, if it inserted it, found?
static bool fits(const struct weak_search *w, uint32_t s, uint32_t version,
                 uint32_t key, bool inserted) {
  const int64_t *row = rows_version(w->h, version);
  return inserted ? row == NULL : !rows_satisfies(w->h, s, key, row);
}

static void choose_version(struct weak_search *w, uint32_t t, uint32_t s,
                           uint32_t key, uint32_t version) {
  add_edge(w, w->txn_of[version], t);
  for (uint32_t i = w->d->nfound - w->nchosen; i < w->d->nfound; i++)
    if (w->d->found[i].statement == s && w->d->found[i].key == key) {
      w->d->found[i].version = version;
      w->again = true;
      return;
    }
  ARRAY_RESERVE(w->d->found, w->d->nfound, w->d->found_room);
  w->d->found[w->d->nfound++] = (struct found_unseen){s, key, version};
  w->nchosen++;
}

// The row shows it, unless another order of its versions might be right.
static void break_by_key(struct weak_search *w, uint32_t key) {
  w->broken = true;
  w->open |= w->is_guessed[key] != 0;
}

// The first one by the time that fits and comes after all that are visible.
static uint32_t later_version(const struct weak_search *w, uint32_t t,
                              uint32_t s, uint32_t key, bool inserted) {
  uint64_t time = 0;
  for (uint32_t i = 0; i < w->fork.count; i++)
    if (commit_time_of(w, w->fork.items[i]) > time)
      time = commit_time_of(w, w->fork.items[i]);
  uint32_t low = 0, high = w->nforked;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const struct birth *at = &w->forked[middle];
    if (at->key < key || (at->key == key && w->fork.count && at->time <= time))
      low = middle + 1;
    else
      high = middle;
  }
  while (low < w->nforked && w->forked[low].key == key &&
         (w->txn_of[w->forked[low].op] == t ||
          !fits(w, s, w->forked[low].op, key, inserted)))
    low++;
  return low < w->nforked && w->forked[low].key == key ? w->forked[low].op
                                                       : NO_OP;
}

// The last one by the time of the versions that are visible or, if `fitting` is
// set, of those that fit; NO_OP: there is none.
static uint32_t last_of_fork(const struct weak_search *w, uint32_t s,
                             uint32_t key, bool inserted, bool fitting) {
  uint32_t last = NO_OP;
  for (uint32_t i = 0; i < w->fork.count; i++) {
    const uint32_t version = w->fork.items[i];
    if ((!fitting || fits(w, s, version, key, inserted)) &&
        (last == NO_OP || commit_time_of(w, version) > commit_time_of(w, last)))
      last = version;
  }
  return last;
}

static bool all_fit(const struct weak_search *w, uint32_t s, uint32_t key,
                    bool inserted) {
  uint32_t i = 0;
  while (i < w->fork.count && fits(w, s, w->fork.items[i], key, inserted))
    i++;
  return i == w->fork.count;
}

// The last one by the time that fits; NO_OP: there is none.
static uint32_t last_fitting(const struct weak_search *w, uint32_t t,
                             uint32_t s, uint32_t key, bool inserted) {
  uint32_t low = 0, high = w->nforked;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (w->forked[middle].key <= key)
      low = middle + 1;
    else
      high = middle;
  }
  while (low > 0 && w->forked[low - 1].key == key &&
         (w->txn_of[w->forked[low - 1].op] == t ||
          !fits(w, s, w->forked[low - 1].op, key, inserted)))
    low--;
  return low > 0 && w->forked[low - 1].key == key ? w->forked[low - 1].op
                                                  : NO_OP;
}

// Not every version that is visible fits, or the key had another one at first:
// the last one has to fit, or a later one was found.
static void judge_fork(struct weak_search *w, uint32_t t, uint32_t s,
                       uint32_t key, bool inserted) {
  const uint32_t fitting = last_of_fork(w, s, key, inserted, true);
  uint32_t last = fitting;
  if (last == NO_OP || last != last_of_fork(w, s, key, inserted, false)) {
    const uint32_t later = later_version(w, t, s, key, inserted);
    last = later == NO_OP ? fitting : later;
  }
  if (last == NO_OP) // the times may be wrong
    last = last_fitting(w, t, s, key, inserted);
  if (last == NO_OP) {
    w->open = true;
    return;
  }
  for (uint32_t i = 0; i < w->fork.count; i++)
    add_edge(w, w->txn_of[w->fork.items[i]], w->txn_of[last]);
  w->guesses = true;
  if (last != fitting)
    choose_version(w, t, s, key, last);
}

// A row that the statement did not return or, if it inserted it, found absent.
static void judge_unseen(struct weak_search *w, uint32_t t, uint32_t s,
                         uint32_t key, bool inserted) {
  assert(s < w->h->rows->nstatements && w->own[key] == NO_OP);
  if (!w->is_chain[key]) {
    list_fork(w, key);
    if (!w->fork.count ? !fits(w, s, w->base.version[key], key, inserted)
                       : !all_fit(w, s, key, inserted))
      judge_fork(w, t, s, key, inserted);
    return;
  }
  uint32_t version = visible_choice(w, key);
  if (fits(w, s, version, key, inserted))
    return;
  do
    version = w->next[version];
  while (version != NO_OP &&
         (w->txn_of[version] == t || !fits(w, s, version, key, inserted)));
  if (version == NO_OP) {
    break_by_key(w, key);
    w->d->statement = s;
    w->d->key = key;
  } else
    choose_version(w, t, s, key, version);
}

static void judge_read_of_fork(struct weak_search *w, uint32_t key,
                               uint32_t version) {
  list_fork(w, key);
  if (version >= w->h->nops)
    w->broken |= w->fork.count > 0;
  for (uint32_t i = 0; version < w->h->nops && i < w->fork.count; i++)
    add_edge(w, w->txn_of[w->fork.items[i]], w->txn_of[version]);
}

static void judge_returned_read(struct weak_search *w, uint32_t t,
                                uint32_t op) {
  const struct history *h = w->h;
  const uint32_t key = h->key[op], version = version_chosen(h, op);
  if (w->own[key] != NO_OP) {
    w->broken |= version != w->own[key];
    return;
  }
  if (version >= h->nops + h->nkeys ||
      (version < h->nops && (!w->final[version] || w->txn_of[version] == t))) {
    w->broken = true;
    return;
  }
  if (version < h->nops)
    add_edge(w, w->txn_of[version], t);
  if (!w->is_chain[key]) {
    judge_read_of_fork(w, key, version);
    return;
  }
  const uint32_t sight = visible_choice(w, key);
  if (sight < h->nops && w->depth[sight] > w->depth[version])
    break_by_key(w, key);
}

static bool may_stay_unseen(const struct weak_search *w, uint32_t s,
                            uint32_t key) {
  return w->came_in[key] != s && w->own[key] == NO_OP;
}

// The rows that the statement would find as they are in `base`, and those of
// which something else is visible.
static void judge_table(struct weak_search *w, uint32_t t, uint32_t s) {
  struct row_cursor cursor = row_cursor_open(&w->base, s);
  for (uint32_t key; row_cursor_next(&cursor, &key);)
    if (w->sight[key] == NO_OP && may_stay_unseen(w, s, key))
      judge_unseen(w, t, s, key, false);
  for (uint32_t i = 0; i < w->touched.count; i++)
    if (w->h->rows->key_table[w->touched.items[i]] ==
            w->h->rows->statements[s].table &&
        may_stay_unseen(w, s, w->touched.items[i]))
      judge_unseen(w, t, s, w->touched.items[i], false);
}

static void judge_event(struct weak_search *w, uint32_t t, uint32_t s,
                        uint32_t first, uint32_t end) {
  const struct history *h = w->h;
  for (uint32_t op = first; op < end; op++) {
    const uint32_t key = h->key[op];
    if (s != NO_OP)
      w->came_in[key] = s;
    if (op_reads(h->kind[op]))
      judge_returned_read(w, t, op);
    else if (h->kind[op] == OP_ROW_INSERT && w->own[key] == NO_OP)
      judge_unseen(w, t, s, key, true);
  }
  if (s != NO_OP && !w->options->question.by_items &&
      h->rows->statements[s].condition != ROWS_NONE)
    judge_table(w, t, s);
}

// --- Transactions.

static void walk_statements(struct weak_search *w, uint32_t t, bool judges,
                            bool shows) {
  const struct history *h = w->h;
  const struct rows *rows = h->rows;
  uint32_t s = rows->txn_statement[t];
  for (uint32_t op = h->txn_first[t], end;
       op < h->txn_first[t + 1] || s < rows->txn_statement[t + 1]; op = end) {
    const bool comes =
        s < rows->txn_statement[t + 1] && rows->statements[s].first == op;
    const uint32_t statement = comes ? s++ : NO_OP;
    const uint32_t before = w->d->nfound;
    end = comes ? rows->statements[statement].end : op + 1;
    if (judges)
      judge_event(w, t, statement, op, end);
    for (uint32_t i = op; shows && i < end; i++)
      show_read(w, t, i);
    for (uint32_t i = before; shows && i < w->d->nfound; i++)
      show_txn(w, w->txn_of[w->d->found[i].version]);
    for (uint32_t i = op; judges && i < end; i++)
      if (op_writes(h->kind[i]))
        w->own[h->key[i]] = i;
  }
}

static void forget_own(struct weak_search *w, uint32_t t) {
  const struct history *h = w->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    w->own[h->key[op]] = w->came_in[h->key[op]] = NO_OP;
}

// Shows the writes of the transaction to the rest of its session.
static void leave_in_base(struct weak_search *w, uint32_t t) {
  const struct history *h = w->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op], before = w->base.version[key];
    if (!w->final[op] || (before < h->nops && w->is_chain[key] &&
                          w->depth[before] > w->depth[op]))
      continue;
    if (before >= h->nops)
      ids_add(&w->changed, key);
    current_rows_put(&w->base, key, op);
  }
}

static void begin_session(struct weak_search *w) {
  while (w->changed.count) {
    const uint32_t key = w->changed.items[--w->changed.count];
    current_rows_put(&w->base, key, w->h->nops + key);
  }
}

static void forget_sight(struct weak_search *w) {
  while (w->touched.count)
    w->sight[w->touched.items[--w->touched.count]] = NO_OP;
  w->beside.count = 0;
}

// Is a later version visible than the one that was found?  All that is visible
// of a key that is no chain comes before the latter.
static bool is_choice_overtaken(struct weak_search *w,
                                const struct found_unseen *found) {
  if (w->is_chain[found->key])
    return w->depth[visible_choice(w, found->key)] > w->depth[found->version];
  list_fork(w, found->key);
  for (uint32_t i = 0; i < w->fork.count; i++)
    add_edge(w, w->txn_of[w->fork.items[i]], w->txn_of[found->version]);
  return last_of_fork(w, found->statement, found->key, false, false) !=
         found->version;
}

static void drop_overtaken(struct weak_search *w) {
  struct found_unseen *found = w->d->found;
  const uint32_t first = w->d->nfound - w->nchosen;
  uint32_t kept = first;
  for (uint32_t i = first; i < w->d->nfound; i++)
    if (!is_choice_overtaken(w, &found[i]))
      found[kept++] = found[i];
  w->again |= kept < w->d->nfound;
  w->d->nfound = kept;
  w->nchosen = kept - first;
}

// The choices that were made, and all that becomes visible by them and by
// further ones.
static void judge_with_choices(struct weak_search *w, uint32_t t) {
  walk_statements(w, t, false, true);
  uint32_t shown = w->d->nfound - w->nchosen;
  for (uint32_t i = shown; i < w->d->nfound; i++)
    add_edge(w, w->txn_of[w->d->found[i].version], t);
  for (bool more = true; more && !w->broken && !w->open && !w->again;) {
    for (; shown < w->d->nfound; shown++)
      show_txn(w, w->txn_of[w->d->found[shown].version]);
    walk_statements(w, t, true, false);
    forget_own(w, t);
    more = shown < w->d->nfound;
  }
}

// At RA what is found late is visible from the start: again until nothing more
// becomes visible.  Then a choice may have overtaken an earlier one, without
// which less is visible: this is dropped, and all begins once more.
static void judge_at_once(struct weak_search *w, uint32_t t) {
  const uint32_t nedges = w->d->from.count;
  w->again = true;
  for (int attempt = 0; w->again && !w->broken && !w->open; attempt++) {
    w->open |= attempt == ATTEMPTS;
    w->again = false;
    w->d->from.count = w->d->to.count = nedges;
    forget_sight(w);
    judge_with_choices(w, t);
    if (!w->broken && !w->open)
      drop_overtaken(w);
  }
}

static int by_statement_then_key(const void *a, const void *b) {
  const struct found_unseen *x = a, *y = b;
  if (x->statement != y->statement)
    return x->statement < y->statement ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static void judge_txn_choices(struct weak_search *w, uint32_t t) {
  assert(w->counted[t] && !w->touched.count);
  w->nchosen = 0;
  if (level_counts_session(level_to_keep(w, t)))
    judge_at_once(w, t);
  else
    walk_statements(w, t, true, true);
  forget_own(w, t);
  forget_sight(w);
  if (!w->broken)
    return;
  w->open |= w->nchosen > 0; // another choice might be right
  w->d->txn = t;
}

// --- The order.

static void order_by_sessions(struct weak_search *w) {
  const struct history *h = w->h;
  uint32_t before = NO_OP;
  for (uint32_t t = 0; t < h->ntxns && w->options->question.session_order;
       t++) {
    if (!t || history_session(h, t) != history_session(h, t - 1))
      before = NO_OP;
    if (!w->counted[t])
      continue;
    if (before != NO_OP)
      add_edge(w, before, t);
    before = h->outcome[t] == OUTCOME_OK ? t : before;
  }
}

// The transactions that count after those that must come before them, if there
// is such an order.
static bool sort_txns_by_order(struct weak_search *w) {
  assert(w->d->from.count == w->d->to.count && !w->d->order);
  const uint32_t n = w->h->ntxns;
  uint32_t *first = xcalloc((size_t)n + 2, sizeof *first);
  uint32_t *to = xmalloc(w->d->to.count * sizeof *to);
  uint32_t *waits = xcalloc(n, sizeof *waits), ncounted = 0, at = 0;
  for (uint32_t i = 0; i < w->d->from.count; i++) {
    first[w->d->from.items[i] + 2]++;
    waits[w->d->to.items[i]]++;
  }
  for (uint32_t t = 0; t < n; t++)
    first[t + 2] += first[t + 1];
  for (uint32_t i = 0; i < w->d->from.count; i++)
    to[first[w->d->from.items[i] + 1]++] = w->d->to.items[i];
  w->d->order = xmalloc(n * sizeof *w->d->order);
  for (uint32_t t = 0; t < n; t++) {
    ncounted += w->counted[t];
    if (w->counted[t] && !waits[t])
      w->d->order[w->d->norder++] = t;
  }
  for (; at < w->d->norder; at++)
    for (uint32_t i = first[w->d->order[at]]; i < first[w->d->order[at] + 1];
         i++)
      if (!--waits[to[i]])
        w->d->order[w->d->norder++] = to[i];
  free(first);
  free(to);
  free(waits);
  return w->d->norder == ncounted;
}

static void settle_choices(struct weak_search *w) {
  struct weak_rows *d = w->d;
  assert(!w->broken || d->txn != UINT32_MAX);
  if (w->broken || w->open) {
    d->answer = w->open ? WEAK_OPEN : WEAK_BROKEN;
    return;
  }
  if (d->nfound)
    qsort(d->found, d->nfound, sizeof *d->found, by_statement_then_key);
  if (w->options->question.recorded) {
    d->answer = WEAK_KEPT;
    return;
  }
  order_by_sessions(w);
  d->answer = sort_txns_by_order(w)     ? WEAK_KEPT
              : d->nfound || w->guesses ? WEAK_OPEN
                                        : WEAK_BROKEN;
}

// Is it held to RC or RA?
static bool is_weak(const struct weak_search *w, uint32_t t) {
  const enum isolation level = level_to_keep(w, t);
  return w->counted[t] && level_binds_reads(level) &&
         level_observes_directly(level);
}

// Must its reads see what its session wrote before?
static bool sees_session(const struct weak_search *w, uint32_t t) {
  return w->options->question.session_order &&
         (w->options->question.rc_sees_session ||
          level_counts_session(level_to_keep(w, t)));
}

static bool any_sees_session(const struct weak_search *w) {
  bool any = false;
  for (uint32_t t = 0; t < w->h->ntxns && !any; t++)
    any = is_weak(w, t) && sees_session(w, t);
  return any;
}

static void judge_those(struct weak_search *w, bool that_see_session) {
  const struct history *h = w->h;
  for (uint32_t t = 0; t < h->ntxns && !w->broken && !w->open; t++) {
    if (t && history_session(h, t) != history_session(h, t - 1))
      begin_session(w);
    if (is_weak(w, t) && sees_session(w, t) == that_see_session)
      judge_txn_choices(w, t);
    if (that_see_session && w->counted[t] && h->outcome[t] == OUTCOME_OK)
      leave_in_base(w, t);
  }
}

void weak_rows_decide(struct weak_rows *d, const struct history *h,
                      const uint8_t *counted,
                      const struct check_options *options) {
  const uint32_t nversions = h->nops + h->nkeys;
  struct weak_search w = {.h = h,
                          .counted = counted,
                          .options = options,
                          .d = d,
                          .txn_of = xmalloc(h->nops * sizeof(uint32_t)),
                          .final = xcalloc(h->nops, 1),
                          .next = ids_none(nversions),
                          .depth = xcalloc(nversions, sizeof(uint32_t)),
                          .is_chain = xcalloc(h->nkeys, 1),
                          .is_guessed = xcalloc(h->nkeys, 1),
                          .sight = ids_none(h->nkeys),
                          .own = ids_none(h->nkeys),
                          .came_in = ids_none(h->nkeys)};
  *d = (struct weak_rows){.txn = UINT32_MAX, .statement = UINT32_MAX};
  current_rows_open(&w.base, h);
  find_final_choices(&w);
  w.place = likely_order(h, counted, w.txn_of, options->question.session_order);
  link_chains(&w);
  judge_those(&w, false);
  if (any_sees_session(&w))
    judge_those(&w, true);
  settle_choices(&w);
  current_rows_close(&w.base);
  FREE_EACH(w.txn_of, w.final, w.next, w.depth, w.is_chain, w.is_guessed,
            w.sight, w.own, w.came_in);
  FREE_EACH(w.touched.items, w.beside.items, w.fork.items, w.forked);
  FREE_EACH(w.changed.items, w.place);
}

void weak_rows_free(struct weak_rows *d) {
  FREE_EACH(d->from.items, d->to.items);
  free(d->order);
  free(d->found);
  *d = (struct weak_rows){0};
}
