// SPDX-License-Identifier: GPL-3.0-or-later
// Decides tiny histories from the axioms of Biswas and Enea (section 2, figure
// 2), by trying commit orders.  Clear before fast; the checker is measured
// against it, so it shares nothing with the checker but the history.
//
// All axioms have one shape: where t3 reads x from t1, every other writer t2 of
// x that is visible to the read comes before t1 in the commit order.  The
// levels differ in what is visible:
//   RC       what the transaction read from before this read
//   RA       what t3 reads from, and what precedes it in its session (and in
//            real time, where that counts as a session does)
//   CC       all that leads to t3 over such steps
//   PC       the transactions of RA and all that commits before one of them
//   SI       as PC, and the earlier committed writers of the keys that t3
//            writes, with all that commits before one of them
//   SER      all that commits before t3
#include "config.h"

#include "checker/verify/referee.h"

#include "checker/verify/referee_problem.h"

#include <assert.h>
#include <string.h>

enum { MAX_STEPS = 1 << 20 }; // of the search; about a second

// --- The axioms.  `before` holds what is before each member in the commit
// order, all of it or as far as it is known.

// The visible transactions; for PC and above without those that commit before
// them.
static set front_of(const struct referee_problem *p, const set before[],
                    const struct referee_read *read) {
  const unsigned t3 = read->reader;
  switch ((enum isolation)p->level[t3]) {
  case ISOLATION_RC:
    return read->earlier;
  case ISOLATION_RA:
  case ISOLATION_PC:
    return p->observed[t3];
  case ISOLATION_CC:
    return p->causes[t3];
  case ISOLATION_SI:
    return p->observed[t3] | (p->conflicts[t3] & before[t3]);
  case ISOLATION_SER:
  case ISOLATION_SSER:
    return only(t3);
  case ISOLATION_NONE:
  case ISOLATION_COUNT:
    break;
  }
  assert(!"a read at a level that has axioms");
  return 0;
}

static bool sees_prefix(const struct referee_problem *p,
                        const struct referee_read *read) {
  return p->level[read->reader] >= ISOLATION_PC;
}

static set with_all_before(const struct referee_problem *p, const set before[],
                           set front) {
  set all = front;
  for (unsigned m = 0; m < p->nmembers; m++)
    if (has(front, m))
      all |= before[m];
  return all;
}

// The other writers of the key that the read can see.
static set visible_others(const struct referee_problem *p, const set before[],
                          const struct referee_read *read) {
  const set front = front_of(p, before, read);
  return read->others &
         (sees_prefix(p, read) ? with_all_before(p, before, front) : front);
}

// The axioms, of a whole commit order.
static bool order_keeps(const struct referee_problem *p, const set before[]) {
  for (unsigned m = 0; m < p->nmembers; m++)
    if (p->before[m] & ~before[m])
      return false;
  for (unsigned i = 0; i < p->nreads; i++)
    if (visible_others(p, before, &p->reads[i]) & ~before[p->reads[i].writer])
      return false;
  return true;
}

// --- The search.

// Adds the demands of one axiom on a partly known commit order.  A larger
// commit order never makes less visible, so visible transactions stay visible.
static void apply(const struct referee_problem *p, set before[],
                  const struct referee_read *read) {
  before[read->writer] |= visible_others(p, before, read);
  if (!sees_prefix(p, read))
    return;
  // A writer after the one that was read must not be visible.
  const set front = front_of(p, before, read);
  for (unsigned t2 = 1; t2 < p->nmembers; t2++)
    if (has(read->others, t2) && has(before[t2], read->writer))
      before[t2] |= front;
}

// Adds all that follows from what is known; false if that is a contradiction.
static bool propagate(const struct referee_problem *p, set before[]) {
  set old[MAX_MEMBERS];
  do {
    if (patience_ends(p->patience, 1 + p->nreads))
      return false;
    memcpy(old, before, sizeof old);
    for (unsigned i = 0; i < p->nreads; i++)
      apply(p, before, &p->reads[i]);
    relation_close(p->nmembers, before);
    for (unsigned m = 0; m < p->nmembers; m++)
      if (has(before[m], m))
        return false;
  } while (memcmp(old, before, sizeof old) != 0);
  return true;
}

// Puts each of the members that can come next behind those placed, and so on,
// until all are; then `before` is a commit order.
static enum referee_answer extend_order(const struct referee_problem *p,
                                        set before[], set placed,
                                        unsigned *steps) {
  if (placed == all_of(p)) {
    assert(order_keeps(p, before));
    return REFEREE_KEPT;
  }
  for (unsigned next = 1; next < p->nmembers; next++) {
    if (has(placed, next) || before[next] & ~placed)
      continue;
    if (++*steps > MAX_STEPS)
      return REFEREE_TOO_LARGE;
    set longer[MAX_MEMBERS];
    memcpy(longer, before, sizeof longer);
    for (unsigned m = 1; m < p->nmembers; m++)
      if (!has(placed, m) && m != next)
        longer[m] |= only(next);
    if (!propagate(p, longer))
      continue;
    const enum referee_answer answer =
        extend_order(p, longer, placed | only(next), steps);
    if (answer == REFEREE_BROKEN)
      continue;
    memcpy(before, longer, sizeof longer);
    return answer;
  }
  return REFEREE_BROKEN;
}

// The commit order that was found.
static void write_referee_order(const struct referee_problem *p,
                                const set before[], uint32_t *order,
                                uint32_t *norder) {
  for (unsigned m = 1; m < p->nmembers; m++)
    order[size_of(before[m]) - 1] = p->id[m];
  *norder = p->nmembers - 1;
}

// Decides one choice of the unknown transactions: the members are in `p`.
static enum referee_answer decide_choice(struct referee_problem *p,
                                         const struct referee_options *options,
                                         unsigned *steps, uint32_t *order,
                                         uint32_t *norder) {
  if (!problem_state(p, options))
    return REFEREE_BROKEN;
  set before[MAX_MEMBERS] = {0};
  memcpy(before, p->before, sizeof before);
  if (!propagate(p, before))
    return REFEREE_BROKEN;
  const enum referee_answer answer =
      extend_order(p, before, only(INITIAL), steps);
  if (answer == REFEREE_KEPT && order)
    write_referee_order(p, before, order, norder);
  return answer;
}

// --- Public.

enum referee_answer referee_decide(const struct history *history,
                                   const struct referee_options *options,
                                   uint32_t *order, uint32_t *norder) {
  uint32_t candidates[REFEREE_MAX_TXNS + 1];
  const unsigned count = problem_candidates(history, candidates);
  if (count > REFEREE_MAX_TXNS)
    return REFEREE_TOO_LARGE;
  set unknown = 0;
  for (unsigned i = 0; i < count; i++)
    if (history->outcome[candidates[i]] == OUTCOME_UNKNOWN)
      unknown |= only(i);
  unsigned steps = 0;
  struct patience patience = {.stop = options->stop};
  enum referee_answer answer = REFEREE_BROKEN;
  set out = unknown; // the unknown transactions that did not commit
  for (bool more = true; more && answer == REFEREE_BROKEN;) {
    struct referee_problem p;
    if (patience_ends(&patience, history->nops))
      break;
    problem_open(&p, history, &patience);
    for (unsigned i = 0; i < count; i++)
      if (!has(out, i))
        problem_add_member(&p, candidates[i], options);
    answer = decide_choice(&p, options, &steps, order, norder);
    problem_close(&p);
    more = out != 0;
    out = (set)((out - 1) & unknown); // the next smaller subset
  }
  return patience.ended ? REFEREE_STOPPED : answer;
}

bool referee_order_keeps(const struct history *history,
                         const struct referee_options *options,
                         const uint32_t *order, uint32_t norder) {
  uint32_t candidates[REFEREE_MAX_TXNS + 1];
  const unsigned count = problem_candidates(history, candidates);
  if (count > REFEREE_MAX_TXNS || norder > count)
    return false;
  struct referee_problem p;
  struct patience patience = {0}; // one order takes but a moment
  problem_open(&p, history, &patience);
  set ordered = 0;
  set before[MAX_MEMBERS] = {0};
  for (unsigned i = 0; i < norder; i++) {
    problem_add_member(&p, order[i], options);
    before[i + 1] = all_of(&p) & ~only(i + 1);
    for (unsigned c = 0; c < count; c++)
      if (candidates[c] == order[i])
        ordered |= only(c);
  }
  bool keeps =
      size_of(ordered) == norder; // nothing twice, nothing that may not
  for (unsigned c = 0; c < count; c++)
    if (history->outcome[candidates[c]] == OUTCOME_OK && !has(ordered, c))
      keeps = false;
  keeps = keeps && problem_state(&p, options) && order_keeps(&p, before);
  problem_close(&p);
  return keeps;
}
