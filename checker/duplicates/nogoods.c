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
  for (uint32_t i = 0; i < a->nreads; i++)
    if (ambiguity_size(a, i) > largest)
      largest = ambiguity_size(a, i);
  *n = (struct nogoods){.a = a, .empty = NONE};
  n->value = ids_none(a->nreads);
  n->newest = ids_none(a->nreads);
  n->depth = ids_none(a->nreads);
  n->order = xmalloc(a->nreads * sizeof *n->order);
  n->excluded = ids_none(largest);
  for (uint32_t i = 0; i < a->nreads; i++) {
    n->value[i] = ambiguity_choose(a, i, n->excluded);
    if (n->value[i] == NONE) // all are ruled out: let that be seen
      n->value[i] = a->reads[i].guess;
  }
}

void nogoods_close(struct nogoods *n) {
  FREE_EACH(n->nogoods, n->literals, n->reasons, n->value, n->newest, n->depth,
            n->order, n->excluded);
  *n = (struct nogoods){0};
}

// --- Clauses.

static uint32_t begin_nogood(struct nogoods *n) {
  ARRAY_RESERVE(n->nogoods, n->nnogoods, n->nogoods_room);
  n->nogoods[n->nnogoods] = (struct nogood){.first = n->nliterals,
                                            .end = n->nliterals,
                                            .reason_first = n->nreasons,
                                            .reason_end = n->nreasons};
  return n->nnogoods++;
}

static void add_literal(struct nogoods *n, uint32_t nogood, uint32_t i,
                        uint32_t c) {
  assert(nogood < n->nnogoods && i < n->a->nreads);
  ARRAY_RESERVE(n->literals, n->nliterals, n->literals_room);
  n->literals[n->nliterals] = (struct literal){i, c, nogood, n->newest[i]};
  n->newest[i] = n->nliterals++;
  n->nogoods[nogood].end = n->nliterals;
  if (n->depth[i] == NONE) {
    n->depth[i] = n->norder;
    n->order[n->norder++] = i;
  }
}

static void end_nogood(struct nogoods *n, uint32_t nogood) {
  if (n->nogoods[nogood].first == n->nogoods[nogood].end && n->empty == NONE)
    n->empty = nogood;
}

void nogoods_add(struct nogoods *n, const struct literal *literals,
                 uint32_t count) {
  const uint32_t nogood = begin_nogood(n);
  n->nogoods[nogood].number = n->ncases++;
  for (uint32_t l = 0; l < count; l++)
    add_literal(n, nogood, literals[l].i, literals[l].c);
  end_nogood(n, nogood);
}

// --- The search.

// Are all literals of the nogood but those of place i true?
static bool others_hold(struct nogoods *n, const struct nogood *nogood,
                        uint32_t i) {
  bool hold = true;
  for (uint32_t l = nogood->first; l < nogood->end && hold; l++, n->effort++) {
    const struct literal *literal = &n->literals[l];
    hold = literal->i == i || n->value[literal->i] == literal->c;
  }
  return hold;
}

// Which members of its group place i cannot have seen, and by which nogood.
static void exclude(struct nogoods *n, uint32_t i) {
  const uint32_t size = ambiguity_size(n->a, i);
  memset(n->excluded, 0xff, size * sizeof *n->excluded);
  for (uint32_t l = n->newest[i]; l != NONE; l = n->literals[l].next) {
    const struct literal *literal = &n->literals[l];
    n->effort++;
    if (n->excluded[literal->c] == NONE &&
        others_hold(n, &n->nogoods[literal->nogood], i))
      n->excluded[literal->c] = literal->nogood;
  }
}

static bool names(const struct nogoods *n, const struct nogood *nogood,
                  uint32_t i) {
  for (uint32_t l = nogood->first; l < n->nliterals; l++)
    if (n->literals[l].i == i)
      return true;
  return false;
}

// All members of place i's group are excluded: what the nogoods have besides
// cannot all be true.  Returns the place of that which was taken last, or
// NONE.
static uint32_t learn(struct nogoods *n, uint32_t i) {
  const uint32_t size = ambiguity_size(n->a, i);
  const uint32_t nogood = begin_nogood(n);
  uint32_t last = NONE;
  n->nogoods[nogood].learnt = true;
  n->nogoods[nogood].place = i;
  for (uint32_t c = 0; c < size; c++) {
    const uint32_t reason = n->excluded[c];
    if (reason == NONE) // it is ruled out
      continue;
    ARRAY_RESERVE(n->reasons, n->nreasons, n->reasons_room);
    n->reasons[n->nreasons++] = reason;
    for (uint32_t l = n->nogoods[reason].first; l < n->nogoods[reason].end;
         l++) {
      const struct literal literal = n->literals[l];
      n->effort++;
      if (literal.i == i || names(n, &n->nogoods[nogood], literal.i))
        continue;
      add_literal(n, nogood, literal.i, literal.c);
      if (last == NONE || n->depth[literal.i] > n->depth[last])
        last = literal.i;
    }
  }
  n->nogoods[nogood].reason_end = n->nreasons;
  end_nogood(n, nogood);
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

static bool is_case(const struct nogood *nogood) { return !nogood->learnt; }

// Some case is told even if what is ruled out is enough.
static uint32_t first_case(const struct nogoods *n) {
  uint32_t k = 0;
  while (!is_case(&n->nogoods[k]))
    k++;
  return k;
}

// Marks what the empty nogood rests on.
static uint8_t *mark_needed(const struct nogoods *n) {
  uint8_t *needed = xcalloc(n->nnogoods, 1);
  bool any = false;
  needed[n->empty] = 1;
  for (uint32_t k = n->empty + 1; k-- > 0;)
    for (uint32_t r = n->nogoods[k].reason_first;
         needed[k] && r < n->nogoods[k].reason_end; r++)
      needed[n->reasons[r]] = 1;
  for (uint32_t k = 0; k < n->nnogoods; k++)
    any |= needed[k] && is_case(&n->nogoods[k]);
  if (!any)
    needed[first_case(n)] = 1;
  return needed;
}

static void add_step(const struct nogoods *n, struct cover *cover,
                     const struct nogood *nogood, const uint32_t *number) {
  struct cover_step *step = &cover->steps[cover->nsteps++];
  step->place = n->a->reads[nogood->place].place;
  step->first = cover->npremises;
  for (uint32_t r = nogood->reason_first; r < nogood->reason_end; r++)
    cover->premises[cover->npremises++] = number[n->reasons[r]];
  step->end = cover->npremises;
}

void nogoods_explain(const struct nogoods *n, struct cover *cover,
                     uint8_t *needed) {
  assert(n->empty != NONE);
  uint8_t *needed_nogood = mark_needed(n);
  uint32_t *number = xmalloc(n->nnogoods * sizeof *number), next = 0;
  *cover = (struct cover){0};
  for (uint32_t k = 0; k < n->nnogoods; k++)
    if (is_case(&n->nogoods[k])) {
      needed[n->nogoods[k].number] = needed_nogood[k];
      number[k] = next;
      next += needed_nogood[k];
    }
  cover->steps = xmalloc(n->nnogoods * sizeof *cover->steps);
  cover->premises = xmalloc(n->nreasons * sizeof *cover->premises);
  for (uint32_t k = 0; k < n->nnogoods; k++)
    if (!is_case(&n->nogoods[k]) && needed_nogood[k]) {
      add_step(n, cover, &n->nogoods[k], number);
      number[k] = next++;
    }
  free(needed_nogood);
  free(number);
}
