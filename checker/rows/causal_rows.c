// SPDX-License-Identifier: GPL-3.0-or-later
// The least pasts at CC (checker/rows/causal_rows.h).
//
// The past of a transaction has those before it in its session, those that it
// read from, and their pasts.  Of a row that a statement did not return it is
// taken to have found the last version in the past.  If that satisfies the
// condition, it found a later one that does not, and the next such version is
// the least choice: as versions of a row follow each other, each has all that
// come before it in its past.  The writer of that version joins the past, which
// then is closed again, and all statements whose past has grown are judged
// again, until nothing changes.  The level is broken where a transaction comes
// into its own past, where no version is left, or where a row came back that
// the past has replaced.
//
// Pasts are kept as numbers of transactions, one for each session; one in
// doubt, which those after it in its session need not see, counts as a session
// of its own.
#include "config.h"

#include "checker/rows/causal_rows.h"

#include "base/memory.h"
#include "base/stop.h"
#include "checker/part/row_versions.h"
#include "checker/rows/current_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX
enum { PAST_BYTES = 1 << 28 };

// A version that a statement is taken to have found instead of the one that was
// the last in its past.
struct least_choice {
  uint32_t txn, statement, key;
  uint32_t instead, version; // operations; from nops on: what was there first
  uint32_t next;             // of the transaction, or NOTHING
  bool told;                 // among what it rests on
};

struct causal_search {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  struct causal_rows *answer;
  struct patience patience;
  struct row_versions versions;
  uint32_t *version_of; // per operation: its place in `versions`, or NOTHING
  uint32_t *txn_of;     // per operation
  uint32_t *previous;   // per transaction: before it in its session
  // Lines: sessions, and transactions in doubt.
  uint32_t nlines;
  uint32_t *line, *rank;        // per transaction; ranks from 1
  uint32_t *line_first;         // per line: where it begins in...
  uint32_t *on_line;            // ...transactions
  uint32_t *past;               // per transaction and line: a rank
  struct least_choice *choices; // in the order in which they were made
  uint32_t nchoices, room;
  uint32_t *last_choice; // per transaction, or NOTHING
  struct ids told;       // choices that it rests on
  // The rows as the past of the transaction at hand has left them.
  struct current_rows view;
  uint32_t *viewed;        // per line
  uint32_t *own, *came_in; // per key: transaction, statement, + 1
  bool grown;              // some past has, by a choice
};

static uint32_t *past_of_txn(const struct causal_search *c, uint32_t t) {
  return c->past + (size_t)t * c->nlines;
}

static bool is_in_past(const struct causal_search *c, uint32_t u, uint32_t t) {
  return past_of_txn(c, t)[c->line[u]] >= c->rank[u];
}

// The transaction u, and its past, join that of t.
static void join_past(const struct causal_search *c, uint32_t t, uint32_t u) {
  const uint32_t *more = past_of_txn(c, u);
  uint32_t *past = past_of_txn(c, t);
  for (uint32_t i = 0; i < c->nlines; i++)
    past[i] = more[i] > past[i] ? more[i] : past[i];
  if (past[c->line[u]] < c->rank[u])
    past[c->line[u]] = c->rank[u];
}

// --- Lines and edges.

static void add_line(struct causal_search *c, uint32_t *n) {
  c->line_first[c->nlines++] = *n;
}

static bool leads_session(const struct causal_search *c, uint32_t t) {
  return c->counted[t] && c->h->outcome[t] == OUTCOME_OK &&
         c->options->question.session_order;
}

static void put_on_line(struct causal_search *c, uint32_t t, uint32_t *n) {
  c->line[t] = c->nlines - 1;
  c->on_line[(*n)++] = t;
  c->rank[t] = *n - c->line_first[c->line[t]];
}

static void list_session(struct causal_search *c, uint32_t s, uint32_t *n) {
  const struct history *h = c->h;
  uint32_t last = NOTHING;
  add_line(c, n);
  for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
    c->previous[t] = last;
    if (!leads_session(c, t))
      continue;
    put_on_line(c, t, n);
    last = t;
  }
}

static void list_lines(struct causal_search *c) {
  const struct history *h = c->h;
  const size_t most = (size_t)h->nsessions + h->ntxns + 1;
  uint32_t n = 0;
  c->line_first = xmalloc(most * sizeof *c->line_first);
  c->on_line = xmalloc(h->ntxns * sizeof *c->on_line);
  c->line = xcalloc(h->ntxns, sizeof *c->line);
  c->rank = xcalloc(h->ntxns, sizeof *c->rank);
  c->previous = xmalloc(h->ntxns * sizeof *c->previous);
  for (uint32_t s = 0; s < h->nsessions; s++)
    list_session(c, s, &n);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    if (!c->counted[t] || leads_session(c, t))
      continue;
    add_line(c, &n);
    put_on_line(c, t, &n);
  }
  c->line_first[c->nlines] = n;
}

// The writer of the version, or NOTHING if that is t or none that counts.
static uint32_t other_writer(const struct causal_search *c, uint32_t version,
                             uint32_t t) {
  const uint32_t writer = version < c->h->nops ? c->txn_of[version] : t;
  return writer != t && c->counted[writer] ? writer : NOTHING;
}

// Goes through those that are known to come before a transaction: the one of
// its session, the writers of what it read, and those of its choices.
struct cause_cursor {
  uint32_t txn, op, choice;
  bool asked_session;
  uint32_t by_choice; // the last one came by it, or NOTHING
};

static struct cause_cursor cause_cursor_open(const struct causal_search *c,
                                             uint32_t t) {
  return (struct cause_cursor){.txn = t,
                               .op = c->h->txn_first[t],
                               .choice = c->last_choice[t],
                               .by_choice = NOTHING};
}

// NOTHING: there are no more.
static uint32_t next_cause(const struct causal_search *c,
                           struct cause_cursor *at) {
  const struct history *h = c->h;
  if (!at->asked_session) {
    at->asked_session = true;
    if (c->previous[at->txn] != NOTHING)
      return c->previous[at->txn];
  }
  while (at->op < h->txn_first[at->txn + 1]) {
    const uint32_t op = at->op++;
    if (op_reads(h->kind[op]) &&
        other_writer(c, h->saw[op], at->txn) != NOTHING)
      return other_writer(c, h->saw[op], at->txn);
  }
  at->by_choice = at->choice;
  if (at->choice == NOTHING)
    return NOTHING;
  at->choice = c->choices[at->by_choice].next;
  return c->txn_of[c->choices[at->by_choice].version];
}

// --- What it rests on.

static void rest_on_choice(struct causal_search *c, uint32_t i) {
  struct least_choice *choice = &c->choices[i];
  struct rows_decision *d = &c->answer->d;
  if (choice->told)
    return;
  choice->told = true;
  d->unseen[d->nunseen++] =
      (struct unseen){choice->statement, choice->key, false};
  ids_add(&d->txns, c->txn_of[choice->version]);
  ids_add(&c->told, i);
}

// By these transactions u is in the past of t.
static void rest_on_past(struct causal_search *c, uint32_t u, uint32_t t) {
  ids_add(&c->answer->d.txns, u);
  for (uint32_t at = t, steps = 0; at != u && steps < c->h->ntxns; steps++) {
    struct cause_cursor cursor = cause_cursor_open(c, at);
    uint32_t cause = next_cause(c, &cursor);
    while (cause != NOTHING && cause != u && !is_in_past(c, u, cause))
      cause = next_cause(c, &cursor);
    if (cause == NOTHING)
      return;
    ids_add(&c->answer->d.txns, at);
    if (cursor.by_choice != NOTHING)
      rest_on_choice(c, cursor.by_choice);
    at = cause;
  }
}

// Why the versions that these choices passed over are in the pasts; which may
// rest on further choices.
static void rest_on_told(struct causal_search *c) {
  for (uint32_t i = 0; i < c->told.count; i++) {
    const struct least_choice *choice = &c->choices[c->told.items[i]];
    if (other_writer(c, choice->instead, choice->txn) != NOTHING)
      rest_on_past(c, c->txn_of[choice->instead], choice->txn);
  }
}

// The row that t found, or did not return, goes against its past, in which the
// writer of the version is.
static void break_by_past(struct causal_search *c, uint32_t t, uint32_t s,
                          uint32_t key, uint32_t version) {
  struct rows_decision *d = &c->answer->d;
  if (d->answer == ROWS_BROKEN)
    return;
  d->answer = ROWS_BROKEN;
  d->unseen = xmalloc(((size_t)c->nchoices + 1) * sizeof *d->unseen);
  ids_add(&d->txns, t);
  if (s != NOTHING)
    d->unseen[d->nunseen++] = (struct unseen){s, key, false};
  if (other_writer(c, version, t) != NOTHING)
    rest_on_past(c, c->txn_of[version], t);
}

// --- Judging.

static void view_txn(struct causal_search *c, uint32_t t) {
  const struct history *h = c->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t is = c->view.version[h->key[op]];
    if (c->version_of[op] != NOTHING &&
        (is >= h->nops || c->version_of[is] < c->version_of[op]))
      current_rows_put(&c->view, h->key[op], op);
  }
}

static void view_past(struct causal_search *c, uint32_t t) {
  const uint32_t *past = past_of_txn(c, t);
  for (uint32_t line = 0; line < c->nlines; line++)
    for (; c->viewed[line] < past[line]; c->viewed[line]++)
      view_txn(c, c->on_line[c->line_first[line] + c->viewed[line]]);
}

// The next version that the statement may have found instead; NOTHING: none.
static uint32_t next_that_fails(const struct causal_search *c, uint32_t t,
                                uint32_t s, uint32_t key, uint32_t version) {
  const uint32_t end = c->versions.first[key + 1];
  uint32_t i = version < c->h->nops ? c->version_of[version] + 1
                                    : c->versions.first[key];
  for (; i < end && c->versions.versions[i].txn != t; i++) {
    const uint32_t op = c->versions.versions[i].last;
    if (!rows_satisfies(c->h, s, key, rows_version(c->h, op)))
      return op;
  }
  return NOTHING;
}

static void choose_least(struct causal_search *c, uint32_t t, uint32_t s,
                         uint32_t key) {
  const uint32_t instead = c->view.version[key];
  const uint32_t version = next_that_fails(c, t, s, key, instead);
  if (version == NOTHING || is_in_past(c, t, c->txn_of[version])) {
    if (version != NOTHING)
      ids_add(&c->answer->d.txns, c->txn_of[version]);
    break_by_past(c, t, s, key, instead);
    if (version != NOTHING)
      rest_on_past(c, t, c->txn_of[version]);
    return;
  }
  ARRAY_RESERVE(c->choices, c->nchoices, c->room);
  c->choices[c->nchoices] = (struct least_choice){.txn = t,
                                                  .statement = s,
                                                  .key = key,
                                                  .instead = instead,
                                                  .version = version,
                                                  .next = c->last_choice[t]};
  c->last_choice[t] = c->nchoices++;
  join_past(c, t, c->txn_of[version]);
  c->grown = true;
}

static void judge_unreturned(struct causal_search *c, uint32_t t, uint32_t s) {
  const struct recorded_statement *statement = &c->h->rows->statements[s];
  for (uint32_t op = statement->first; op < statement->end; op++)
    c->came_in[c->h->key[op]] = s + 1;
  if (statement->condition != NO_CONDITION && !c->options->question.by_items) {
    struct row_cursor cursor = row_cursor_open(&c->view, s);
    for (uint32_t key; row_cursor_next(&cursor, &key);)
      if (c->came_in[key] != s + 1 && c->own[key] != t + 1 &&
          c->answer->d.answer != ROWS_BROKEN)
        choose_least(c, t, s, key);
  }
  for (uint32_t op = statement->first; op < statement->end; op++)
    if (op_writes(c->h->kind[op]))
      c->own[c->h->key[op]] = t + 1;
}

// Is a row that came back replaced in the past?
static void judge_returned(struct causal_search *c, uint32_t t) {
  const struct history *h = c->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op], saw = h->saw[op];
    if (!op_reads(h->kind[op]) ||
        (saw != SAW_INITIAL && other_writer(c, saw, t) == NOTHING))
      continue;
    const uint32_t next =
        saw < h->nops ? c->version_of[saw] + 1 : c->versions.first[key];
    if (next < c->versions.first[key + 1] &&
        c->versions.versions[next].txn != t &&
        is_in_past(c, c->versions.versions[next].txn, t))
      break_by_past(c, t, NOTHING, key, c->versions.versions[next].last);
  }
}

static void judge_causal_txn(struct causal_search *c, uint32_t t) {
  const struct rows *rows = c->h->rows;
  uint32_t before;
  if (c->previous[t] != NOTHING)
    join_past(c, t, c->previous[t]);
  do {
    before = c->nchoices;
    view_past(c, t);
    for (uint32_t s = rows->txn_statement[t];
         s < rows->txn_statement[t + 1] && c->answer->d.answer != ROWS_BROKEN;
         s++)
      judge_unreturned(c, t, s);
    for (uint32_t op = c->h->txn_first[t]; op < c->h->txn_first[t + 1]; op++)
      c->own[c->h->key[op]] = c->came_in[c->h->key[op]] = 0;
  } while (before < c->nchoices && c->answer->d.answer != ROWS_BROKEN);
  if (c->answer->d.answer != ROWS_BROKEN)
    judge_returned(c, t);
}

static void judge_line(struct causal_search *c, uint32_t line) {
  const uint32_t *txns = c->on_line + c->line_first[line];
  const uint32_t n = c->line_first[line + 1] - c->line_first[line];
  current_rows_open(&c->view, c->h, NULL);
  memset(c->viewed, 0, c->nlines * sizeof *c->viewed);
  for (uint32_t i = 0; i < n && c->answer->d.answer != ROWS_BROKEN; i++) {
    const uint32_t *first = c->h->txn_first + txns[i];
    if (patience_ends(&c->patience, 1 + c->nlines + first[1] - first[0]))
      break;
    judge_causal_txn(c, txns[i]);
  }
  current_rows_close(&c->view);
}

// --- Orders.

struct causal_walk {
  struct causal_search *c;
  uint8_t *state; // 0 new, 1 open, 2 placed
  struct cause_cursor *stack;
  uint32_t depth;
  struct ids order;
};

static void break_by_cycle(struct causal_walk *w, uint32_t t) {
  struct causal_search *c = w->c;
  uint32_t i = w->depth;
  break_by_past(c, t, NOTHING, 0, NOTHING);
  while (i > 0) {
    const struct cause_cursor *at = &w->stack[--i];
    ids_add(&c->answer->d.txns, at->txn);
    if (at->by_choice != NOTHING)
      rest_on_choice(c, at->by_choice);
    if (at->txn == t)
      return;
  }
}

static void meet_cause(struct causal_walk *w, uint32_t t) {
  w->state[t] = 1;
  w->stack[w->depth++] = cause_cursor_open(w->c, t);
}

static void place_after_causes(struct causal_walk *w, uint32_t root) {
  meet_cause(w, root);
  while (w->depth && w->c->answer->d.answer != ROWS_BROKEN) {
    const uint32_t t = w->stack[w->depth - 1].txn;
    const uint32_t cause = next_cause(w->c, &w->stack[w->depth - 1]);
    if (cause == NOTHING) {
      w->state[t] = 2;
      w->depth--;
      ids_add(&w->order, t);
    } else if (w->state[cause] == 1) {
      break_by_cycle(w, cause);
    } else if (w->state[cause] == 0) {
      meet_cause(w, cause);
    }
  }
}

// All that count, each behind its causes; broken if there is a cycle.
static struct ids order_by_causes(struct causal_search *c) {
  const struct history *h = c->h;
  struct causal_walk w = {.c = c,
                          .state = xcalloc(h->ntxns, 1),
                          .stack = xmalloc(h->ntxns * sizeof *w.stack)};
  for (uint32_t t = 0; t < h->ntxns && c->answer->d.answer != ROWS_BROKEN; t++)
    if (c->counted[t] && !w.state[t])
      place_after_causes(&w, t);
  FREE_EACH(w.state, w.stack);
  return w.order;
}

static void close_pasts(struct causal_search *c, const struct ids *order) {
  for (uint32_t i = 0; i < order->count; i++) {
    struct cause_cursor cursor = cause_cursor_open(c, order->items[i]);
    for (uint32_t u; (u = next_cause(c, &cursor)) != NOTHING;)
      join_past(c, order->items[i], u);
    if (patience_ends(&c->patience, c->nlines))
      return;
  }
}

// --- Deciding.

static int by_statement_then_key(const void *a, const void *b) {
  const struct found_unseen *x = a, *y = b;
  if (x->statement != y->statement)
    return x->statement < y->statement ? -1 : 1;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->version > y->version) - (x->version < y->version);
}

// The last version that is in the past by now; it follows the one chosen.
static uint32_t last_in_past(const struct causal_search *c,
                             const struct least_choice *choice) {
  const struct row_version *versions = c->versions.versions;
  uint32_t i = c->version_of[choice->version];
  while (i + 1 < c->versions.first[choice->key + 1] &&
         versions[i + 1].txn != choice->txn &&
         is_in_past(c, versions[i + 1].txn, choice->txn))
    i++;
  return versions[i].last;
}

static void keep_by_pasts(struct causal_search *c, struct ids *order) {
  struct causal_rows *a = c->answer;
  a->d.answer = ROWS_KEPT;
  a->d.order = order->items;
  a->d.norder = order->count;
  *order = (struct ids){0};
  a->found = xmalloc(((size_t)c->nchoices + 1) * sizeof *a->found);
  for (uint32_t i = 0; i < c->nchoices; i++)
    a->found[i] =
        (struct found_unseen){.statement = c->choices[i].statement,
                              .key = c->choices[i].key,
                              .version = last_in_past(c, &c->choices[i])};
  qsort(a->found, c->nchoices, sizeof *a->found, by_statement_then_key);
  for (uint32_t i = 0; i < c->nchoices; i++)
    if (!a->nfound ||
        by_statement_then_key(&a->found[a->nfound - 1], &a->found[i]))
      a->found[a->nfound++] = a->found[i];
}

static void grow_pasts(struct causal_search *c) {
  struct ids order = {0};
  do {
    c->grown = false;
    free(order.items);
    order = order_by_causes(c);
    if (c->answer->d.answer == ROWS_STOPPED)
      close_pasts(c, &order);
    for (uint32_t line = 0;
         line < c->nlines && c->answer->d.answer == ROWS_STOPPED; line++)
      judge_line(c, line);
  } while (c->grown && c->answer->d.answer == ROWS_STOPPED &&
           !c->patience.ended);
  if (c->answer->d.answer == ROWS_STOPPED && !c->patience.ended)
    keep_by_pasts(c, &order);
  rest_on_told(c);
  free(order.items);
}

static bool are_chains_of_rows(const struct causal_search *c) {
  const struct history *h = c->h;
  bool all = true;
  for (uint32_t op = 0; op < h->nops; op++)
    all &= op_is_row(h->kind[op]) && c->versions.is_chain[h->key[op]];
  return all;
}

static void index_versions(struct causal_search *c) {
  const struct history *h = c->h;
  c->version_of = ids_none(h->nops);
  c->txn_of = xmalloc(h->nops * sizeof *c->txn_of);
  for (uint32_t i = 0; i < c->versions.nversions; i++)
    c->version_of[c->versions.versions[i].last] = i;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      c->txn_of[op] = t;
}

void causal_rows_decide(struct causal_rows *answer, const struct history *h,
                        const uint8_t *counted,
                        const struct check_options *options) {
  struct causal_search c = {.h = h,
                            .counted = counted,
                            .options = options,
                            .answer = answer,
                            .patience = {.stop = options->stop},
                            .versions = row_versions_of(h, counted, options)};
  *answer = (struct causal_rows){.d.answer = ROWS_STOPPED};
  list_lines(&c);
  const size_t pasts = (size_t)h->ntxns * c.nlines * sizeof *c.past;
  if (are_chains_of_rows(&c) && pasts <= PAST_BYTES) {
    index_versions(&c);
    c.past = xcalloc(pasts, 1);
    c.last_choice = ids_none(h->ntxns);
    c.viewed = xcalloc(c.nlines, sizeof *c.viewed);
    c.own = xcalloc(h->nkeys, sizeof *c.own);
    c.came_in = xcalloc(h->nkeys, sizeof *c.came_in);
    grow_pasts(&c);
  }
  row_versions_free(&c.versions);
  FREE_EACH(c.version_of, c.txn_of, c.previous, c.line, c.rank, c.line_first,
            c.on_line, c.past, c.choices, c.last_choice, c.viewed, c.own,
            c.came_in, c.told.items);
}

void causal_rows_free(struct causal_rows *answer) {
  rows_decision_free(&answer->d);
  free(answer->found);
  *answer = (struct causal_rows){0};
}
