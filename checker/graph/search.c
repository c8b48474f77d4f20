// SPDX-License-Identifier: GPL-3.0-or-later
// Breadth first: what costs one more waits for one more turn
// (checker/graph/search.h).
#include "config.h"

#include "checker/graph/search.h"

#include "base/memory.h"
#include "checker/graph/edges.h"

#include <assert.h>
#include <stdlib.h>

// A way is in one of a few states, each mode in its own: how many RW edges it
// has, and whether the last edge is one.
enum { NSTATES = 5, REFUSED = NSTATES };
enum { NONE, ONE, ONE_LAST, SEVERAL, SEVERAL_LAST };

// MODE_DIRECT: BESIDE, the last edge left the versions of the key.
enum { DIRECT_NONE, DIRECT_NONE_BESIDE, DIRECT_ONE, DIRECT_ONE_BESIDE };

// MODE_IN_A_ROW: BOTH, there were two RW edges in a row.
enum { ROW_NONE, ROW_LAST, ROW_BOTH };

// A step takes a way from one state to the next.
enum step_kind {
  STEP_RW,
  STEP_ALONG, // to the next version of the key that the way is about
  STEP_OTHER,
  NSTEP_KINDS
};

#define STATE(s) (1u << (s))

// The two entries of `start` and `closes`: the closing edge is no RW edge, or
// is one.
static const struct mode_rules {
  uint8_t start[2];
  uint8_t after[NSTATES][NSTEP_KINDS];
  uint32_t closes[2];  // set of states in which the cycle is of the mode's kind
  uint32_t rw_is_over; // set of states after which no RW edge can follow
} mode_rules[] = {
    [MODE_NO_RW] = {{NONE, NONE},
                    {[NONE] = {REFUSED, NONE, NONE}},
                    {UINT32_MAX, UINT32_MAX},
                    STATE(NONE)},
    [MODE_DIRECT] = {{DIRECT_NONE, DIRECT_NONE},
                     {[DIRECT_NONE] = {DIRECT_ONE, DIRECT_NONE,
                                       DIRECT_NONE_BESIDE},
                      [DIRECT_ONE] = {REFUSED, DIRECT_ONE, DIRECT_ONE_BESIDE},
                      [DIRECT_NONE_BESIDE] = {DIRECT_ONE, REFUSED, REFUSED},
                      [DIRECT_ONE_BESIDE] = {REFUSED, REFUSED, REFUSED}},
                     {UINT32_MAX, UINT32_MAX},
                     STATE(DIRECT_ONE) | STATE(DIRECT_ONE_BESIDE)},
    [MODE_ONE_RW] = {{NONE, NONE},
                     {[NONE] = {ONE, NONE, NONE}, [ONE] = {REFUSED, ONE, ONE}},
                     {UINT32_MAX, UINT32_MAX},
                     STATE(ONE)},
    [MODE_APART] = {{NONE, ONE_LAST},
                    {[NONE] = {ONE_LAST, NONE, NONE},
                     [ONE] = {SEVERAL_LAST, ONE, ONE},
                     [ONE_LAST] = {REFUSED, ONE, ONE},
                     [SEVERAL] = {SEVERAL_LAST, SEVERAL, SEVERAL},
                     [SEVERAL_LAST] = {REFUSED, SEVERAL, SEVERAL}},
                    {STATE(SEVERAL) | STATE(SEVERAL_LAST), STATE(SEVERAL)},
                    0},
    [MODE_IN_A_ROW] = {{ROW_NONE, ROW_LAST},
                       {[ROW_NONE] = {ROW_LAST, ROW_NONE, ROW_NONE},
                        [ROW_LAST] = {ROW_BOTH, ROW_NONE, ROW_NONE},
                        [ROW_BOTH] = {ROW_BOTH, ROW_BOTH, ROW_BOTH}},
                       {STATE(ROW_BOTH), STATE(ROW_BOTH) | STATE(ROW_LAST)},
                       0},
    [MODE_ANY] = {{NONE, NONE},
                  {[NONE] = {NONE, NONE, NONE}},
                  {UINT32_MAX, UINT32_MAX},
                  0},
    [MODE_REAL_TIME] = {{NONE, NONE},
                        {[NONE] = {NONE, NONE, NONE}},
                        {UINT32_MAX, UINT32_MAX},
                        0},
    [MODE_REAL_TIME_APART] =
        {{NONE, NONE},
         {[NONE] = {ONE_LAST, NONE, NONE}, [ONE_LAST] = {REFUSED, NONE, NONE}},
         {UINT32_MAX, UINT32_MAX},
         0},
};

static bool in_real_time(const struct cycle_search *s) {
  return s->mode == MODE_REAL_TIME || s->mode == MODE_REAL_TIME_APART;
}

bool search_closes_inside(const struct cycle_search *s) {
  return !in_real_time(s) && s->closing.from == s->closing.to;
}

// In MODE_DIRECT: does the edge lead to the next version of the key that the
// way is about?  A session leaves all versions.
static bool leads_along(const struct cycle_search *s,
                        const struct search_step *before,
                        const struct edge *edge) {
  const struct model *m = s->m;
  const uint32_t version = edge->from_op;
  if (s->mode != MODE_DIRECT || edge->kind == EDGE_SO || edge->kind == EDGE_RW)
    return false;
  if (before->before != NO_ID &&
      (before->edge.kind == EDGE_SO ||
       m->h->key[before->edge.to_op] != m->h->key[version]))
    return false;
  return edge->kind == EDGE_WW || overwriter_in(m, version, edge->to) != NO_ID;
}

static uint8_t next_state(const struct cycle_search *s,
                          const struct search_step *step,
                          const struct edge *edge) {
  if (edge->kind == EDGE_RW && step->before == NO_ID && search_closes_inside(s))
    return REFUSED;
  const enum step_kind kind = edge->kind == EDGE_RW        ? STEP_RW
                              : leads_along(s, step, edge) ? STEP_ALONG
                                                           : STEP_OTHER;
  return mode_rules[s->mode].after[step->state][kind];
}

static bool is_in(uint32_t states, uint8_t state) {
  return states & STATE(state);
}

static bool is_goal(const struct cycle_search *s,
                    const struct search_step *step) {
  const struct history *h = s->m->h;
  const struct edge *edge = &step->edge;
  if (in_real_time(s))
    return edge->to != s->closing.to &&
           history_ended(h, edge->to) < history_began(h, s->closing.to);
  return edge->to == s->closing.from &&
         is_in(mode_rules[s->mode].closes[s->closing.rw], step->state) &&
         !(edge->kind == EDGE_RW && search_closes_inside(s));
}

// Without further RW edges a way leads on in time: what has begun when the goal
// had ended does not lead there, if the clocks were right.
static bool is_step_out_of_time(const struct cycle_search *s,
                                const struct search_step *step) {
  return s->in_time && is_in(mode_rules[s->mode].rw_is_over, step->state) &&
         history_began(s->m->h, step->edge.to) >
             history_ended(s->m->h, s->closing.from);
}

static uint32_t *met_by(const struct cycle_search *s,
                        const struct search_step *step) {
  assert(step->state < NSTATES);
  return &s->met[NSTATES * (size_t)step->edge.to + step->state];
}

static void add_search_step(struct steps *steps,
                            const struct search_step *step) {
  ARRAY_RESERVE(steps->items, steps->count, steps->room);
  steps->items[steps->count++] = *step;
}

// False if that was the goal.
static bool take_search_step(struct cycle_search *s,
                             const struct search_step *step) {
  const bool goal = is_goal(s, step);
  if (is_step_out_of_time(s, step) && !goal)
    return true;
  if (*met_by(s, step) == s->nsearches && !goal)
    return true;
  *met_by(s, step) = s->nsearches;
  add_search_step(&s->steps, step);
  if (goal)
    s->found = s->steps.count - 1;
  return !goal;
}

// Does the edge need the writer of what was read to tell it, which the way does
// not come from?
static bool needs_another(const struct cycle_search *s,
                          const struct search_step *before,
                          const struct edge *edge) {
  if (edge->kind != EDGE_RW)
    return false;
  const uint32_t seen = s->m->sees[edge->from_op];
  return !is_initial(s->m, seen) &&
         !(before->before != NO_ID && before->edge.kind == EDGE_WR &&
           before->edge.from == writer_of(s->m, seen));
}

static bool take_edge(void *context, const struct edge *edge) {
  struct cycle_search *s = context;
  const struct search_step *before = &s->steps.items[s->at];
  assert(s->at < s->steps.count);
  if (s->looks == 0)
    return false;
  s->looks--;
  if (edge->kind == EDGE_SO)
    return true;
  const struct search_step step = {*edge, s->at, next_state(s, before, edge)};
  if (step.state == REFUSED)
    return true;
  if (!needs_another(s, before, edge))
    return take_search_step(s, &step);
  add_search_step(&s->late, &step);
  return true;
}

// A way to the goal may lead over what ended later, but hardly in its sessions.
static bool is_too_late(const struct cycle_search *s, uint32_t t) {
  const struct history *h = s->m->h;
  return !in_real_time(s) && h->end && h->end[s->closing.from] < h->end[t];
}

// A session is one step, however many transactions it skips.
static void take_session(struct cycle_search *s) {
  const struct search_step before = s->steps.items[s->at];
  const uint32_t *next = s->m->next;
  const struct edge session = {.kind = EDGE_SO};
  if ((before.before != NO_ID && before.edge.kind == EDGE_SO) ||
      !leads_session(s->m, before.edge.to))
    return;
  const uint8_t state = next_state(s, &before, &session);
  if (state == REFUSED)
    return;
  for (uint32_t t = next[before.edge.to]; t != NO_ID && s->looks; t = next[t]) {
    uint32_t *passed = &s->passed[NSTATES * (size_t)t + state];
    const struct search_step step = {
        {EDGE_SO, before.edge.to, t, NO_ID, NO_ID}, s->at, state};
    s->looks--;
    if (*passed == s->nsearches || !take_search_step(s, &step) ||
        is_too_late(s, t))
      return;
    *passed = s->nsearches;
  }
}

static void take_late_steps(struct cycle_search *s) {
  for (uint32_t i = 0; i < s->late.count && s->found == NO_ID; i++)
    take_search_step(s, &s->late.items[i]);
  s->late.count = 0;
}

// --- Public.

void search_open(struct cycle_search *s, const struct model *m,
                 uint64_t budget) {
  assert(m->stage >= MODEL_WALKABLE);
  const size_t n = NSTATES * (size_t)m->h->ntxns;
  *s = (struct cycle_search){.m = m, .budget = budget};
  s->met = xcalloc(n, sizeof *s->met);
  s->passed = xcalloc(n, sizeof *s->passed);
}

void search_close(struct cycle_search *s) {
  FREE_EACH(s->met, s->passed, s->steps.items, s->late.items);
}

void search_spend(struct cycle_search *s, uint64_t looks) {
  s->budget -= looks < s->budget ? looks : s->budget;
}

void search_start_at(struct cycle_search *s, const struct edge *edge) {
  assert(edge->to < s->m->h->ntxns);
  const struct search_step step = {*edge, NO_ID,
                                   mode_rules[s->mode].start[s->closing.rw]};
  *met_by(s, &step) = s->nsearches;
  add_search_step(&s->steps, &step);
}

void search_start(struct cycle_search *s) {
  s->nsearches++;
  s->found = NO_ID;
  s->steps.count = s->late.count = 0;
}

bool search_run(struct cycle_search *s, uint64_t limit) {
  const bool limited = limit != SEARCH_NO_LIMIT;
  const uint64_t looks = limited && s->budget < limit ? s->budget : limit;
  uint32_t end = s->steps.count; // of those that cost as much
  s->looks = looks;
  for (s->at = 0; s->looks && s->found == NO_ID; s->at++) {
    if (s->at == end) {
      const uint32_t first_late = s->steps.count;
      take_late_steps(s);
      end = first_late;
      if (s->at == s->steps.count || s->found != NO_ID)
        break;
      if (s->at == end)
        end = s->steps.count;
    }
    for_each_edge(s->m, s->steps.items[s->at].edge.to, take_edge, s);
    if (s->found == NO_ID)
      take_session(s);
  }
  search_spend(s, looks - s->looks);
  return s->found != NO_ID;
}

bool search_cycle(struct cycle_search *s, uint64_t limit) {
  assert(s->closing.to < s->m->h->ntxns);
  const struct edge start = {.to = s->closing.to};
  search_start(s);
  search_start_at(s, &start);
  return search_run(s, limit);
}

struct edge *search_way(const struct cycle_search *s, uint32_t *n) {
  assert(s->found < s->steps.count);
  *n = 0;
  for (uint32_t i = s->found; s->steps.items[i].before != NO_ID;
       i = s->steps.items[i].before)
    ++*n;
  struct edge *edges = xmalloc((*n + 1) * sizeof *edges);
  uint32_t at = *n;
  for (uint32_t i = s->found; s->steps.items[i].before != NO_ID;
       i = s->steps.items[i].before)
    edges[--at] = s->steps.items[i].edge;
  return edges;
}
