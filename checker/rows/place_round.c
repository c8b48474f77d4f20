// SPDX-License-Identifier: GPL-3.0-or-later
// One round of a search with places (checker/rows/place_round.h).
//
// Statements that find no place in the order get events, and the rows that keep
// them from one become open reads of these: the next order has a place for
// them, as far as these rows go.  That a statement stands at one place is more
// than RC and RA ask for.  So where it cannot, the transaction is held to the
// axioms alone, version by version; and only what rests on none that stands at
// a place is a proof that the level is broken.
#include "config.h"

#include "checker/rows/place_round.h"

#include "base/buckets.h"
#include "base/memory.h"
#include "checker/rows/statement_events.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

enum { DEMOTIONS = 8 };

static bool is_weak_read(const struct engine_of_rows *e, uint32_t r) {
  return !level_has_prefix(problem_level(&e->p, e->unseen[r].txn));
}

// --- Demoting.

// The events may have other nodes than before.
static void renew_nodes(struct engine_of_rows *e) {
  for (uint32_t r = 0; r < e->nreads; r++)
    if (is_weak_read(e, r)) {
      const uint32_t s = e->unseen[r].row.statement;
      e->reads[r].event = open_rows_event(e, s, e->unseen[r].txn);
    }
}

// The open reads and events change.  Now and then all that stands at places is
// left out, until it is known whether the marked transactions break their
// levels: a refutation by those alone is a proof.
static void hold_to_axioms(struct engine_of_rows *e, const uint8_t *marked) {
  const bool all = ++e->ndemoted % DEMOTIONS == 0;
  uint8_t *dropped = xcalloc(e->h->ntxns, 1);
  for (uint32_t t = 0; t < e->h->ntxns; t++)
    dropped[t] = !level_has_prefix(problem_level(&e->p, t)) &&
                 !e->is_explicit[t] && (all || marked[t]);
  open_rows_drop(e, dropped);
  statement_events_remove(e, dropped);
  for (uint32_t t = 0; t < e->h->ntxns; t++)
    e->is_explicit[t] |= marked[t];
  free(dropped);
}

bool place_round_demote(struct engine_of_rows *e, const uint32_t *reads,
                        uint32_t nreads) {
  uint8_t *marked = xcalloc(e->h->ntxns, 1);
  bool any = false;
  for (uint32_t i = 0; i < nreads; i++) {
    const uint32_t t = e->unseen[reads[i]].txn;
    if (is_weak_read(e, reads[i]) && !e->is_explicit[t]) {
      marked[t] = 1;
      any = true;
    }
  }
  if (any) {
    hold_to_axioms(e, marked);
    renew_nodes(e);
  }
  free(marked);
  return any;
}

// --- The order as a question.

struct round_order {
  uint32_t *txns, n;
  struct ids fixed_place;
  struct found_unseen *choices;
  uint32_t nchoices;
};

static void order_commits(const struct engine_of_rows *e,
                          const uint32_t *node_at, struct round_order *order) {
  const struct problem *p = &e->p;
  const uint32_t nnodes = p->nnodes + e->events.count;
  order->txns = xmalloc(e->h->ntxns * sizeof *order->txns);
  order->fixed_place.items = xmalloc(e->events.count * sizeof(uint32_t));
  order->fixed_place.count = e->events.count;
  for (uint32_t i = 0; i < nnodes; i++) {
    const uint32_t t = problem_txn(p, node_at[i]);
    if (node_at[i] >= p->nnodes)
      order->fixed_place.items[node_at[i] - p->nnodes] = order->n;
    else if (t != NO_ID && e->m.counted[t] &&
             node_at[i] == problem_commit(p, t))
      order->txns[order->n++] = t;
  }
}

static int by_row_found(const void *a, const void *b) {
  const struct found_unseen *x = a, *y = b;
  if (x->statement != y->statement)
    return x->statement < y->statement ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static void list_choices(const struct engine_of_rows *e, const uint32_t *seen,
                         struct round_order *order) {
  order->choices = xmalloc(e->nreads * sizeof *order->choices);
  for (uint32_t r = 0; r < e->nreads; r++) {
    const struct unseen u = e->unseen[r].row;
    if (is_weak_read(e, r) && e->is_explicit[e->unseen[r].txn])
      order->choices[order->nchoices++] = (struct found_unseen){
          u.statement, u.key, open_rows_version(e, seen[r])};
  }
  if (order->nchoices)
    qsort(order->choices, order->nchoices, sizeof *order->choices,
          by_row_found);
}

// --- What is stuck.

// (statement, key) as one number.
static uint64_t name_of_row(struct unseen u) {
  return (uint64_t)u.statement << 32 | u.key;
}

static int by_name_of_row(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t *open_names(const struct engine_of_rows *e) {
  uint64_t *names = xmalloc(e->nreads * sizeof *names);
  for (uint32_t r = 0; r < e->nreads; r++)
    names[r] = name_of_row(e->unseen[r].row);
  if (e->nreads)
    qsort(names, e->nreads, sizeof *names, by_name_of_row);
  return names;
}

// Makes the blocked rows open reads, those of transactions that are explicit or
// of the others.  Marks the transactions that gain some, and those of which one
// is blocked though it is an open read.
static bool open_blocked(struct engine_of_rows *e, const struct places *places,
                         bool of_explicit, uint8_t *gains, uint8_t *marked) {
  const uint32_t nopen = e->nreads;
  uint64_t *open = open_names(e);
  for (uint32_t i = 0; i < places->nblocked; i++) {
    const struct blocked_row *row = &places->blocked[i];
    const uint64_t name = name_of_row(row->row);
    const uint32_t t = row->txn;
    if (of_explicit != e->is_explicit[t])
      continue;
    if (nopen && bsearch(&name, open, nopen, sizeof name, by_name_of_row)) {
      marked[t] = !of_explicit;
      continue;
    }
    gains[t] = 1;
    if (of_explicit)
      open_rows_add_explicit(e, row->row, t);
    else
      open_rows_add(e, *row);
  }
  free(open);
  return e->nreads > nopen;
}

// Transactions whose open reads have no version that could have been found, or
// are blocked although they are open, cannot stand at a place.
static bool demote_impossible(struct engine_of_rows *e, uint8_t *marked) {
  bool any = false;
  for (uint32_t r = 0; r < e->nreads; r++) {
    const uint32_t t = e->unseen[r].txn;
    if (e->reads[r].first == e->reads[r].end && is_weak_read(e, r) &&
        !e->is_explicit[t])
      marked[t] = 1;
  }
  for (uint32_t t = 0; t < e->h->ntxns; t++)
    any |= marked[t] != 0;
  if (any)
    hold_to_axioms(e, marked);
  e->impossible = false;
  for (uint32_t r = 0; r < e->nreads; r++)
    e->impossible |= e->reads[r].first == e->reads[r].end;
  return any;
}

// --- Two choices of a transaction.

// The writer of what one open read sees is visible to the other one's
// statement, and writes its key: it comes before the writer seen there.
static bool bind_two(struct engine_of_rows *e, const uint32_t *rank,
                     const uint32_t *seen, uint32_t r, uint32_t other) {
  const struct history *h = e->h;
  const struct unseen u = e->unseen[r].row, v = e->unseen[other].row;
  const uint32_t t = e->unseen[r].txn;
  const bool at_once = level_counts_session(problem_level(&e->p, t));
  const uint32_t shown = open_rows_version(e, seen[r]);
  const uint32_t found = open_rows_version(e, seen[other]);
  if ((!at_once && u.statement >= v.statement) || is_initial(&e->m, shown))
    return false;
  const uint32_t w = writer_of(&e->m, shown);
  bool writes = false;
  for (uint32_t op = h->txn_first[w]; op < h->txn_first[w + 1]; op++)
    writes |= h->key[op] == v.key && is_final(&e->m, op);
  const bool none = is_initial(&e->m, found);
  if (!writes || (!none && rank[w] <= rank[writer_of(&e->m, found)]))
    return false;
  // Nothing comes before a first version: the edge closes a cycle.
  const struct node_edge edge = {
      none ? problem_commit(&e->p, t) : problem_commit(&e->p, w),
      none ? problem_commit(&e->p, w)
           : problem_commit(&e->p, writer_of(&e->m, found))};
  ARRAY_RESERVE(e->both, e->nboth, e->both_room);
  e->both[e->nboth++] = (struct edge_of_two){seen[r], seen[other], edge};
  e->reads[r].decides = e->reads[other].decides = true;
  return true;
}

static uint32_t txn_of_read(const void *engine, uint32_t r) {
  const struct engine_of_rows *e = engine;
  return e->unseen[r].txn;
}

// The open reads of transactions that are stuck, those of one together.
static struct ids reads_of_stuck(const struct engine_of_rows *e,
                                 const uint8_t *is_stuck) {
  struct ids reads = {0};
  struct buckets by_txn = buckets_make(e->h->ntxns, e->nreads, txn_of_read, e);
  for (uint32_t t = 0; t < e->h->ntxns; t++)
    for (uint32_t i = by_txn.first[t]; i < by_txn.first[t + 1]; i++)
      if (is_stuck[t] && e->is_explicit[t])
        ids_add(&reads, by_txn.items[i]);
  buckets_free(&by_txn);
  return reads;
}

static bool bind_choices(struct engine_of_rows *e, const uint32_t *rank,
                         const uint32_t *seen, const struct places *places) {
  uint8_t *is_stuck = xcalloc(e->h->ntxns, 1);
  bool more = false;
  for (uint32_t i = 0; i < places->stuck.count; i++)
    is_stuck[places->stuck.items[i]] = 1;
  struct ids reads = reads_of_stuck(e, is_stuck);
  for (uint32_t first = 0, end; first < reads.count; first = end) {
    const uint32_t t = e->unseen[reads.items[first]].txn;
    for (end = first; end < reads.count && e->unseen[reads.items[end]].txn == t;
         end++)
      ;
    for (uint32_t i = first; i < end; i++)
      for (uint32_t k = first; k < end; k++)
        more |=
            i != k && bind_two(e, rank, seen, reads.items[i], reads.items[k]);
  }
  FREE_EACH(is_stuck, reads.items);
  return more;
}

// --- A round.

// Versions that statements found, without a place and with one.
static void take_found(struct places *places, struct round_order *order,
                       struct rows_decision *d) {
  const uint32_t n = order->nchoices + places->nfound;
  d->found = xrealloc(order->choices, n, sizeof *d->found);
  for (uint32_t i = 0; i < places->nfound; i++)
    d->found[order->nchoices + i] = places->found[i];
  if (n)
    qsort(d->found, n, sizeof *d->found, by_row_found);
  d->nfound = n;
  order->choices = NULL;
}

static void take_places(const struct engine_of_rows *e, struct places *places,
                        struct round_order *order, struct rows_decision *d) {
  for (uint32_t i = 0; i < order->n; i++)
    if (!level_has_prefix(problem_level(&e->p, order->txns[i])))
      d->snapshot[i] = places->snapshot[order->txns[i]];
  d->place = places->place;
  places->place = NULL;
  take_found(places, order, d);
}

// Opens the rows of transactions that may stand at places.  Marks those that
// gain none.
static bool open_at_places(struct engine_of_rows *e,
                           const struct places *places, uint8_t *gains,
                           uint8_t *marked) {
  for (uint32_t i = 0; i < places->nblocked; i++)
    if (!e->is_explicit[places->blocked[i].txn])
      statement_events_add(e, places->blocked[i].txn);
  const bool more = open_blocked(e, places, false, gains, marked);
  for (uint32_t i = 0; i < places->stuck.count; i++) {
    const uint32_t t = places->stuck.items[i];
    marked[t] |= !gains[t] && !e->is_explicit[t];
  }
  return more;
}

static enum round_answer open_more(struct engine_of_rows *e,
                                   const struct places *places,
                                   const struct round_order *order,
                                   const uint32_t *seen) {
  uint8_t *gains = xcalloc(e->h->ntxns, 1), *marked = xcalloc(e->h->ntxns, 1);
  uint32_t *rank = xcalloc(e->h->ntxns, sizeof *rank);
  for (uint32_t i = 0; i < order->n; i++)
    rank[order->txns[i]] = i + 1;
  bool more = bind_choices(e, rank, seen, places);
  more |= open_blocked(e, places, true, gains, marked);
  if (!more)
    more = open_at_places(e, places, gains, marked);
  more |= demote_impossible(e, marked);
  FREE_EACH(gains, marked, rank);
  return more ? ROUND_MORE : ROUND_STUCK;
}

enum round_answer place_round(struct engine_of_rows *e,
                              const struct check_options *options,
                              const struct choice_result *result,
                              struct rows_decision *d) {
  struct round_order order = {0};
  struct places places;
  order_commits(e, result->node_at, &order);
  list_choices(e, result->seen, &order);
  const struct place_question question = {.h = e->h,
                                          .m = &e->m,
                                          .options = options,
                                          .order = order.txns,
                                          .norder = order.n,
                                          .fixed = e->events.items,
                                          .fixed_place =
                                              order.fixed_place.items,
                                          .nfixed = e->events.count,
                                          .is_explicit = e->is_explicit,
                                          .choices = order.choices,
                                          .nchoices = order.nchoices};
  places_find(&question, &places);
  enum round_answer answer = ROUND_RIGHT;
  d->nleft = places.stuck.count;
  if (places.stuck.count)
    answer = open_more(e, &places, &order, result->seen);
  else if (d->order)
    take_places(e, &places, &order, d);
  renew_nodes(e);
  places_free(&places);
  FREE_EACH(order.txns, order.fixed_place.items, order.choices);
  return answer;
}
