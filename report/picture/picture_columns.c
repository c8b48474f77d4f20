// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes and columns of a picture (report/picture/picture_laying.h): which boxes
// are drawn, and in which order their sessions stand side by side.
#include "config.h"

#include "report/picture/picture_laying.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PERMUTED = 6 }; // sessions whose best order is looked for

static bool is_core_box(const struct example *e, uint32_t txn) {
  bool core = !e->ncycle && e->read == EXAMPLE_NONE;
  for (uint32_t i = 0; i < e->ncycle; i++)
    core |= e->edges[i].from == txn;
  const struct example_txn *t = &e->txns[txn];
  core |=
      e->read != EXAMPLE_NONE && e->read >= t->first_op && e->read < t->end_op;
  core |= e->other != EXAMPLE_NONE && e->other >= t->first_op &&
          e->other < t->end_op;
  return core;
}

void laying_choose_boxes(struct laying *l) {
  uint32_t ncore = 0;
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    ncore += l->p->boxes[t].core = is_core_box(l->e, t);
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    l->p->boxes[t].drawn =
        l->e->ntxns <= PICTURE_WHOLE || l->p->boxes[t].core || !ncore;
}

static uint32_t place_of_session(const struct laying *l, uint32_t session) {
  uint32_t i = 0;
  while (i < l->nsessions && l->sessions[i] != session)
    i++;
  return i;
}

static void list_sessions(struct laying *l, bool core) {
  for (uint32_t t = 0; t < l->e->ntxns; t++) {
    const uint32_t session = l->e->txns[t].session;
    if (l->p->boxes[t].drawn && l->p->boxes[t].core == core &&
        place_of_session(l, session) == l->nsessions)
      l->sessions[l->nsessions++] = session;
  }
}

// The columns that the arrows of the cycle pass over.
static uint32_t cost_of(const struct laying *l) {
  uint32_t cost = 0;
  for (uint32_t i = 0; i < l->e->nedges; i++) {
    const struct example_edge *edge = &l->e->edges[i];
    if (!edge->number || !l->p->boxes[edge->from].core ||
        !l->p->boxes[edge->to].core)
      continue;
    const uint32_t a = place_of_session(l, l->e->txns[edge->from].session);
    const uint32_t b = place_of_session(l, l->e->txns[edge->to].session);
    cost += a > b ? a - b : b - a;
  }
  return cost;
}

static void swap_columns(uint32_t *a, uint32_t *b) {
  const uint32_t kept = *a;
  *a = *b;
  *b = kept;
}

// Tries every order of the sessions from `first` on.
static void permute(struct laying *l, uint32_t first, uint32_t *best,
                    uint32_t *least) {
  const uint32_t n = l->nsessions;
  const uint32_t cost = first == n ? cost_of(l) : 0;
  if (first == n && cost < *least) {
    *least = cost;
    memcpy(best, l->sessions, n * sizeof *best);
  }
  for (uint32_t i = first; i < n; i++) {
    swap_columns(&l->sessions[first], &l->sessions[i]);
    permute(l, first + 1, best, least);
    swap_columns(&l->sessions[first], &l->sessions[i]);
  }
}

static void order_sessions(struct laying *l) {
  uint32_t best[MOST_PERMUTED], least = UINT32_MAX;
  if (l->nsessions > MOST_PERMUTED || l->nsessions < 3)
    return;
  permute(l, 0, best, &least);
  memcpy(l->sessions, best, l->nsessions * sizeof *best);
}

// The times from the begin of a session's first box to the end of its last.
static void column_span_of(const struct laying *l, uint32_t session,
                           uint64_t *first, uint64_t *last) {
  *first = TIME_UNKNOWN;
  *last = 0;
  for (uint32_t t = 0; t < l->e->ntxns; t++) {
    const struct example_txn *txn = &l->e->txns[t];
    if (txn->session != session || !l->p->boxes[t].drawn)
      continue;
    *first = txn->begin < *first ? txn->begin : *first;
    *last = txn->end > *last ? txn->end : *last;
  }
}

static bool is_free_column(const struct laying *l, uint32_t column,
                           uint64_t first, uint64_t last,
                           const uint32_t *column_of) {
  for (uint32_t t = 0; t < l->e->ntxns; t++) {
    const struct example_txn *txn = &l->e->txns[t];
    if (l->p->boxes[t].drawn &&
        column_of[place_of_session(l, txn->session)] == column &&
        txn->begin <= last && first <= txn->end)
      return false;
  }
  return true;
}

// A session that only gives reasons goes where there is room for it.
static void place_columns(struct laying *l, uint32_t ncore) {
  uint32_t *column_of = xcalloc(l->nsessions, sizeof *column_of);
  for (uint32_t s = 0; s < l->nsessions; s++) {
    uint64_t first, last;
    uint32_t column = 0;
    column_span_of(l, l->sessions[s], &first, &last);
    for (uint32_t k = s; k < l->nsessions; k++)
      column_of[k] = UINT32_MAX;
    if (s < ncore || l->nsessions <= 2 || !l->e->timed)
      column = l->p->ncolumns;
    while (column < l->p->ncolumns &&
           !is_free_column(l, column, first, last, column_of))
      column++;
    column_of[s] = column;
    l->p->ncolumns += column == l->p->ncolumns;
  }
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    if (l->p->boxes[t].drawn)
      l->p->boxes[t].column =
          column_of[place_of_session(l, l->e->txns[t].session)];
  free(column_of);
}

void laying_place_columns(struct laying *l) {
  list_sessions(l, true);
  order_sessions(l);
  const uint32_t ncore = l->nsessions;
  list_sessions(l, false);
  place_columns(l, ncore);
}
