// SPDX-License-Identifier: GPL-3.0-or-later
// The search for a way to take all ambiguous reads
// (checker/duplicates/nogoods.h).
#include "config.h"

#include "checker/duplicates/nogoods.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

void nogoods_open(struct nogoods *n, const struct ambiguity *a) {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < a->nplaces; i++)
    if (ambiguity_size(a, i) > largest)
      largest = ambiguity_size(a, i);
  *n = (struct nogoods){.a = a, .empty = NONE};
  n->value = ids_none(a->nplaces);
  n->newest = ids_none(a->nplaces);
  n->depth = ids_none(a->nplaces);
  n->order = xmalloc(a->nplaces * sizeof *n->order);
  n->excluded = ids_none(largest);
  for (uint32_t i = 0; i < a->nplaces; i++) {
    n->value[i] = ambiguity_choose(a, i, n->excluded);
    if (n->value[i] == NONE) // all are ruled out: let that be seen
      n->value[i] = a->likely[i];
  }
}

void nogoods_close(struct nogoods *n) {
  void *const owned[] = {n->clauses, n->literals, n->reasons, n->value,
                         n->newest,  n->depth,    n->order,   n->excluded};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  *n = (struct nogoods){0};
}

// --- Clauses.

static uint32_t begin_clause(struct nogoods *n) {
  ARRAY_RESERVE(n->clauses, n->nclauses, n->clauses_room);
  n->clauses[n->nclauses] = (struct clause){.first = n->nliterals,
                                            .end = n->nliterals,
                                            .reason_first = n->nreasons,
                                            .reason_end = n->nreasons};
  return n->nclauses++;
}

static void add_literal(struct nogoods *n, uint32_t clause, uint32_t i,
                        uint32_t c) {
  ARRAY_RESERVE(n->literals, n->nliterals, n->literals_room);
  n->literals[n->nliterals] = (struct literal){i, c, clause, n->newest[i]};
  n->newest[i] = n->nliterals++;
  n->clauses[clause].end = n->nliterals;
  if (n->depth[i] == NONE) {
    n->depth[i] = n->norder;
    n->order[n->norder++] = i;
  }
}

static void end_clause(struct nogoods *n, uint32_t clause) {
  if (n->clauses[clause].first == n->clauses[clause].end && n->empty == NONE)
    n->empty = clause;
}

void nogoods_add(struct nogoods *n, const struct literal *literals,
                 uint32_t count) {
  const uint32_t clause = begin_clause(n);
  n->clauses[clause].number = n->ncases++;
  for (uint32_t l = 0; l < count; l++)
    add_literal(n, clause, literals[l].i, literals[l].c);
  end_clause(n, clause);
}

// --- The search.

// Are all literals of the clause but those of place i true?
static bool others_hold(struct nogoods *n, const struct clause *clause,
                        uint32_t i) {
  bool hold = true;
  for (uint32_t l = clause->first; l < clause->end && hold; l++, n->effort++) {
    const struct literal *literal = &n->literals[l];
    hold = literal->i == i || n->value[literal->i] == literal->c;
  }
  return hold;
}

// Which members of its group place i can not have seen, and by which clause.
static void exclude(struct nogoods *n, uint32_t i) {
  const uint32_t size = ambiguity_size(n->a, i);
  memset(n->excluded, 0xff, size * sizeof *n->excluded);
  for (uint32_t l = n->newest[i]; l != NONE; l = n->literals[l].next) {
    const struct literal *literal = &n->literals[l];
    n->effort++;
    if (n->excluded[literal->c] == NONE &&
        others_hold(n, &n->clauses[literal->clause], i))
      n->excluded[literal->c] = literal->clause;
  }
}

static bool names(const struct nogoods *n, const struct clause *clause,
                  uint32_t i) {
  for (uint32_t l = clause->first; l < n->nliterals; l++)
    if (n->literals[l].i == i)
      return true;
  return false;
}

// All members of place i's group are excluded: what the clauses have besides
// can not all be true.  Returns the place of that which was taken last, or
// NONE.
static uint32_t learn(struct nogoods *n, uint32_t i) {
  const uint32_t size = ambiguity_size(n->a, i);
  const uint32_t clause = begin_clause(n);
  uint32_t last = NONE;
  n->clauses[clause].learnt = true;
  n->clauses[clause].place = i;
  for (uint32_t c = 0; c < size; c++) {
    const uint32_t reason = n->excluded[c];
    if (reason == NONE) // it is ruled out
      continue;
    ARRAY_RESERVE(n->reasons, n->nreasons, n->reasons_room);
    n->reasons[n->nreasons++] = reason;
    for (uint32_t l = n->clauses[reason].first; l < n->clauses[reason].end;
         l++) {
      const struct literal literal = n->literals[l];
      n->effort++;
      if (literal.i == i || names(n, &n->clauses[clause], literal.i))
        continue;
      add_literal(n, clause, literal.i, literal.c);
      if (last == NONE || n->depth[literal.i] > n->depth[last])
        last = literal.i;
    }
  }
  n->clauses[clause].reason_end = n->nreasons;
  end_clause(n, clause);
  return last;
}

enum nogoods_answer nogoods_solve(struct nogoods *n, uint64_t effort,
                                  const volatile bool *stop) {
  const uint64_t limit = n->effort + effort;
  for (uint32_t d = 0; d < n->norder; d++)
    n->value[n->order[d]] = NONE;
  for (uint32_t d = 0; d < n->norder && n->empty == NONE;) {
    const uint32_t i = n->order[d];
    exclude(n, i);
    n->value[i] = ambiguity_choose(n->a, i, n->excluded);
    if (n->value[i] != NONE) {
      d++;
      continue;
    }
    const uint32_t last = learn(n, i);
    if (last != NONE) {
      for (uint32_t back = n->depth[last]; back < d; back++)
        n->value[n->order[back]] = NONE;
      d = n->depth[last];
    }
    if (n->effort > limit || stop_is_set(stop))
      return NOGOODS_STOPPED;
  }
  return n->empty == NONE ? NOGOODS_FOUND : NOGOODS_NONE_LEFT;
}

// --- The explanation.

static bool is_case(const struct clause *clause) { return !clause->learnt; }

// Some case is told even if what is ruled out is enough.
static uint32_t first_case(const struct nogoods *n) {
  uint32_t k = 0;
  while (!is_case(&n->clauses[k]))
    k++;
  return k;
}

// Marks what the empty clause rests on.
static uint8_t *mark_needed(const struct nogoods *n) {
  uint8_t *needed = xcalloc(n->nclauses, 1);
  bool any = false;
  needed[n->empty] = 1;
  for (uint32_t k = n->empty + 1; k-- > 0;)
    for (uint32_t r = n->clauses[k].reason_first;
         needed[k] && r < n->clauses[k].reason_end; r++)
      needed[n->reasons[r]] = 1;
  for (uint32_t k = 0; k < n->nclauses; k++)
    any |= needed[k] && is_case(&n->clauses[k]);
  if (!any)
    needed[first_case(n)] = 1;
  return needed;
}

static void add_step(const struct nogoods *n, struct cover *cover,
                     const struct clause *clause, const uint32_t *number) {
  struct cover_step *step = &cover->steps[cover->nsteps++];
  step->place = n->a->place[clause->place];
  step->first = cover->nclauses;
  for (uint32_t r = clause->reason_first; r < clause->reason_end; r++)
    cover->clauses[cover->nclauses++] = number[n->reasons[r]];
  step->end = cover->nclauses;
}

void nogoods_explain(const struct nogoods *n, struct cover *cover,
                     uint8_t *needed) {
  assert(n->empty != NONE);
  uint8_t *needed_clause = mark_needed(n);
  uint32_t *number = xmalloc(n->nclauses * sizeof *number), next = 0;
  *cover = (struct cover){0};
  for (uint32_t k = 0; k < n->nclauses; k++)
    if (is_case(&n->clauses[k])) {
      needed[n->clauses[k].number] = needed_clause[k];
      number[k] = next;
      next += needed_clause[k];
    }
  cover->steps = xmalloc(n->nclauses * sizeof *cover->steps);
  cover->clauses = xmalloc(n->nreasons * sizeof *cover->clauses);
  for (uint32_t k = 0; k < n->nclauses; k++)
    if (!is_case(&n->clauses[k]) && needed_clause[k]) {
      add_step(n, cover, &n->clauses[k], number);
      number[k] = next++;
    }
  free(needed_clause);
  free(number);
}
