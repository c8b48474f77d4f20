// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep that finds places (checker/rows/places.h).
//
// A statement has a window: it stands behind all that its transaction is known
// to have observed before, and before the first transaction that overwrites a
// row that it returned.  The sweep goes through the order backwards, with the
// rows as they are at each place, and tries each statement at the end of its
// window.  A row that it would have to return there, but did not, forbids all
// places back to where that version of the row came; so it is tried again
// before that.  Of a transaction at RC the last statement comes first, and none
// may stand behind the next one.  The latest place is the best for those before
// it, so that nothing is missed.
#include "config.h"

#include "checker/rows/places.h"

#include "base/memory.h"
#include "checker/rows/explicit_place.h"
#include "checker/rows/place_sweep.h"

#include <assert.h>
#include <stdlib.h>

// How many places before one of what a statement observed are tried.
enum { PLACES_BEYOND = 16 };

// Is it a transaction that is to have places?
static bool has_places(const struct place_sweep *w, uint32_t t) {
  const enum isolation level = (enum isolation)w->m->levels[t];
  const uint32_t *first = &w->h->rows->txn_statement[t];
  return w->m->counted[t] && level_binds_reads(level) &&
         level_observes_directly(level) && first[0] < first[1];
}

// --- Versions by the order.

// The rows are those behind the whole order then.
static void rank_versions(struct place_sweep *w) {
  const struct place_question *q = w->q;
  const struct history *h = w->h;
  uint32_t *last = xmalloc(h->nkeys * sizeof *last);
  for (uint32_t key = 0; key < h->nkeys; key++)
    last[key] = h->nops + key;
  for (uint32_t i = 0; i < q->norder; i++) {
    const uint32_t t = q->order[i];
    w->rank[t] = i + 1;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      const uint32_t key = h->key[op];
      if (!is_final(w->m, op))
        continue;
      w->before[version_number(&w->numbers, op)] = last[key];
      w->after[version_number(&w->numbers, last[key])] = op;
      last[key] = op;
    }
  }
  current_rows_open(&w->current, h, last);
  free(last);
}

static void take_back(struct place_sweep *w, uint32_t t) {
  const struct history *h = w->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (is_final(w->m, op))
      current_rows_put(&w->current, h->key[op],
                       w->before[version_number(&w->numbers, op)]);
}

// The rank of who overwrote the version, behind all ranks if nobody did.
static uint32_t rank_of_over(const struct place_sweep *w, uint32_t version) {
  const uint32_t after = place_version_after(w, version);
  return after == NO_ID ? w->q->norder + 1 : sight_rank(&w->sight, after);
}

// --- Windows.

// The last rank that the operations read from.
static uint32_t last_observed(const struct place_sweep *w, uint32_t t,
                              uint32_t first, uint32_t end) {
  uint32_t last = 0;
  for (uint32_t op = first; op < end; op++) {
    const uint32_t version = place_read(w, t, op);
    if (version != NO_ID && sight_rank(&w->sight, version) > last)
      last = sight_rank(&w->sight, version);
  }
  return last;
}

// The last place at which nothing is overwritten that the operations read, up
// to a limit.
static uint32_t end_of_window(const struct place_sweep *w, uint32_t t,
                              uint32_t first, uint32_t end, uint32_t limit) {
  for (uint32_t op = first; op < end; op++) {
    const uint32_t version = place_read(w, t, op);
    if (version != NO_ID && rank_of_over(w, version) <= limit)
      limit = rank_of_over(w, version) - 1;
  }
  return limit;
}

// Rows of the statement that were overwritten at the place, or before.
static void block_overwritten(struct place_sweep *w,
                              const struct place_trial *trial) {
  const struct recorded_statement *statement =
      &w->h->rows->statements[trial->statement];
  for (uint32_t op = statement->first; op < statement->end; op++) {
    const uint32_t version = place_read(w, trial->txn, op);
    if (version != NO_ID && rank_of_over(w, version) <= trial->place)
      place_block(w, trial, w->h->key[op], false, true);
  }
}

static void leave_without_place(struct place_sweep *w, uint32_t t,
                                uint32_t end) {
  ids_add(&w->late, t);
  ids_add(&w->late_at, end);
}

static void try_at(struct place_sweep *w, uint32_t t, uint32_t place) {
  w->next[t] = w->head[place];
  w->head[place] = t;
}

static uint32_t session_rank(const struct place_sweep *w, uint32_t t) {
  const bool sees =
      !place_is_own(w, t) || w->q->options->question.rc_sees_session;
  return sees && w->m->previous[t] != NO_ID ? w->rank[w->m->previous[t]] : 0;
}

// Statements [first, end) of the transaction stand at one place.
static void open_window(struct place_sweep *w, uint32_t t, uint32_t first,
                        uint32_t end, uint32_t limit) {
  const struct history *h = w->h;
  const struct rows *rows = h->rows;
  const uint32_t begin =
      place_is_own(w, t) ? rows->statements[first].first : h->txn_first[t];
  const uint32_t stop = end < rows->txn_statement[t + 1]
                            ? rows->statements[end].first
                            : h->txn_first[t + 1];
  const uint32_t seen =
      last_observed(w, t, h->txn_first[t], place_is_own(w, t) ? begin : stop);
  const uint32_t session = session_rank(w, t);
  const uint32_t place = end_of_window(w, t, begin, stop, limit);
  const uint32_t behind = seen > session ? seen : session;
  w->at[t] = first;
  w->latest[t] = limit;
  w->seen[t] = seen;
  w->least[t] = place_is_own(w, t) ? session : behind;
  w->is_first[t] = 1;
  w->ntries[t] = 0;
  for (uint32_t s = first; s < end && place < behind; s++)
    block_overwritten(w, &(struct place_trial){t, s, behind, true, 0});
  if (place >= w->least[t])
    try_at(w, t, place);
  else
    leave_without_place(w, t, end);
}

// --- One place.

static bool is_fixed(const struct place_sweep *w, uint32_t s, uint32_t *at) {
  *at = ids_below(w->q->fixed, w->q->nfixed, s);
  return *at < w->q->nfixed && w->q->fixed[*at] == s;
}

// At a place that is fixed for it: notes what is wrong there.
static void judge_fixed(struct place_sweep *w, uint32_t t, uint32_t s,
                        uint32_t place) {
  const uint32_t before = w->out->nblocked;
  struct place_trial trial = {t, s, place, true, place + 1};
  place_judge(w, &trial);
  block_overwritten(w, &trial);
  w->is_stuck[t] |= w->out->nblocked > before;
}

static void try_fixed(struct place_sweep *w, uint32_t t, uint32_t place) {
  const struct rows *rows = w->h->rows;
  const uint32_t first = rows->txn_statement[t];
  uint32_t i;
  if (!place_is_own(w, t)) {
    for (uint32_t s = first; s < rows->txn_statement[t + 1]; s++)
      judge_fixed(w, t, s, place);
    w->out->snapshot[t] = place;
    return;
  }
  const uint32_t s = w->at[t]--;
  judge_fixed(w, t, s, place);
  w->out->place[s] = w->latest[t] = place;
  if (s > first && is_fixed(w, s - 1, &i))
    try_at(w, t, w->q->fixed_place[i]);
}

// Tries statements again before `limit`, if they may stand there.
static void try_earlier(struct place_sweep *w, uint32_t t, uint32_t end,
                        uint32_t limit) {
  if (limit > w->least[t] && (limit > w->seen[t] || !place_is_own(w, t) ||
                              w->ntries[t]++ < PLACES_BEYOND))
    try_at(w, t, limit - 1);
  else
    leave_without_place(w, t, end);
}

static void try_statements(struct place_sweep *w, uint32_t t, uint32_t place) {
  const struct rows *rows = w->h->rows;
  const bool single = place_is_own(w, t);
  const uint32_t first = w->at[t], nfound = w->out->nfound;
  const uint32_t end = single ? first + 1 : rows->txn_statement[t + 1];
  struct place_trial trial = {t, first, place, w->is_first[t], place + 1};
  w->is_first[t] = 0;
  for (; trial.statement < end; trial.statement++)
    place_judge(w, &trial);
  if (trial.limit <= place) {
    w->out->nfound = nfound;
    try_earlier(w, t, end, trial.limit);
    return;
  }
  if (!single)
    w->out->snapshot[t] = place;
  else
    w->out->place[first] = place;
  if (single && first > rows->txn_statement[t])
    open_window(w, t, first - 1, first, place);
}

static void try_all_at(struct place_sweep *w, uint32_t place) {
  while (w->head[place] != NO_ID) {
    const uint32_t t = w->head[place];
    uint32_t i;
    w->head[place] = w->next[t];
    if (is_fixed(w, w->at[t], &i))
      try_fixed(w, t, place);
    else
      try_statements(w, t, place);
  }
}

// --- All of them.

static void open_txn(struct place_sweep *w, uint32_t t) {
  const struct rows *rows = w->h->rows;
  const uint32_t first = rows->txn_statement[t],
                 end = rows->txn_statement[t + 1];
  const uint32_t last = place_is_own(w, t) ? end - 1 : first;
  uint32_t i;
  if (w->q->is_explicit && w->q->is_explicit[t]) {
    leave_without_place(w, t, end);
  } else if (is_fixed(w, last, &i)) {
    w->at[t] = last;
    w->latest[t] = w->rank[t] - 1;
    try_at(w, t, w->q->fixed_place[i]);
  } else {
    open_window(w, t, last, end, w->rank[t] - 1);
  }
}

// Those that have no place stand at place 0, if they are right there.
static void try_at_zero(struct place_sweep *w) {
  const struct rows *rows = w->h->rows;
  struct explicit_place zero;
  explicit_place_open(&zero, w->q, &w->current, w->rank);
  for (uint32_t i = 0; i < w->late.count; i++) {
    const uint32_t t = w->late.items[i], end = w->late_at.items[i];
    const bool notes = w->q->is_explicit && w->q->is_explicit[t];
    const uint32_t before = w->out->nblocked;
    w->is_stuck[t] |= !explicit_place_fits(&zero, t, end, w->out);
    if (!notes)
      w->out->nblocked = before;
    for (uint32_t s = rows->txn_statement[t]; s < end; s++)
      w->out->place[s] = 0;
    w->out->snapshot[t] = 0;
  }
  explicit_place_close(&zero);
}

// Forgets what blocked statements that found another place.
static void keep_those_stuck(struct place_sweep *w) {
  struct places *out = w->out;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < out->nblocked; i++)
    if (w->is_stuck[out->blocked[i].txn])
      out->blocked[kept++] = out->blocked[i];
  out->nblocked = kept;
  for (uint32_t t = 0; t < w->h->ntxns; t++)
    if (w->is_stuck[t])
      ids_add(&out->stuck, t);
}

void places_find(const struct place_question *q, struct places *out) {
  const struct history *h = q->h;
  struct place_sweep w = {.q = q,
                          .h = h,
                          .m = q->m,
                          .out = out,
                          .rank = xcalloc(h->ntxns, sizeof(uint32_t)),
                          .came_in = ids_none(h->nkeys),
                          .head = ids_none((size_t)q->norder + 1),
                          .next = xmalloc(h->ntxns * sizeof(uint32_t)),
                          .at = xmalloc(h->ntxns * sizeof(uint32_t)),
                          .least = xmalloc(h->ntxns * sizeof(uint32_t)),
                          .seen = xcalloc(h->ntxns, sizeof(uint32_t)),
                          .latest = xmalloc(h->ntxns * sizeof(uint32_t)),
                          .ntries = xcalloc(h->ntxns, 1),
                          .is_first = xcalloc(h->ntxns, 1),
                          .is_stuck = xcalloc(h->ntxns, 1)};
  assert(q->m->levels);
  *out = (struct places){.place =
                             xcalloc(h->rows->nstatements, sizeof *out->place),
                         .snapshot = xcalloc(h->ntxns, sizeof *out->snapshot)};
  version_numbers_open(&w.numbers, q->m);
  w.before = xmalloc(w.numbers.nfinals * sizeof *w.before);
  w.after = ids_none((size_t)w.numbers.nfinals + h->nkeys);
  sight_open(&w.sight, h, q->m, w.rank);
  rank_versions(&w);
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (has_places(&w, t))
      open_txn(&w, t);
  for (uint32_t place = q->norder + 1; place-- > 0;) {
    try_all_at(&w, place);
    if (place > 0)
      take_back(&w, q->order[place - 1]);
  }
  try_at_zero(&w);
  keep_those_stuck(&w);
  current_rows_close(&w.current);
  sight_close(&w.sight);
  version_numbers_close(&w.numbers);
  FREE_EACH(w.rank, w.before, w.after, w.came_in, w.head, w.next, w.at, w.least,
            w.seen, w.latest, w.ntries, w.is_first, w.is_stuck);
  FREE_EACH(w.late.items, w.late_at.items);
}

void places_free(struct places *places) {
  FREE_EACH(places->place, places->snapshot, places->found, places->stuck.items,
            places->blocked);
  *places = (struct places){0};
}
