// SPDX-License-Identifier: GPL-3.0-or-later
// Breadth first: what costs one more waits for one more turn
// (checker/graph/search.h).
#include "config.h"

#include "checker/graph/search.h"

#include "base/memory.h"
#include "checker/graph/edges.h"

#include <stdlib.h>

// The RW edges of a way, the closing edge included.  States that the mode does
// not tell apart are represented by the first of them.
enum rw_state {
  RW_NONE,
  RW_ONE,
  RW_ONE_NOW, // just now
  RW_SEVERAL,
  RW_SEVERAL_NOW,
  RW_IN_A_ROW, // some of them are
  NRW_STATES,
  // In MODE_DIRECT: the last step left the versions of the key.
  RW_NONE_BESIDE = RW_SEVERAL,
  RW_ONE_BESIDE = RW_SEVERAL_NOW
};

static bool in_real_time(const struct search *s) {
  return s->mode == MODE_REAL_TIME || s->mode == MODE_REAL_TIME_APART;
}

bool search_closes_inside(const struct search *s) {
  return !in_real_time(s) && s->closing.from == s->closing.to;
}

static bool is_rw_now(const struct step *step) {
  return step->rw == RW_ONE_NOW || step->rw == RW_SEVERAL_NOW;
}

static bool has_rw(const struct step *step) {
  return step->rw == RW_ONE || step->rw == RW_ONE_BESIDE;
}

static bool is_beside(const struct step *step) {
  return step->rw == RW_NONE_BESIDE || step->rw == RW_ONE_BESIDE;
}

static bool overwrites(const struct model *m, uint32_t t, uint32_t version) {
  const uint32_t end = m->h->txn_first[t + 1];
  uint32_t op = m->h->txn_first[t];
  while (op < end && m->over[op] != version)
    op++;
  return op < end;
}

// In MODE_DIRECT: does the edge lead to the next version of the key that the
// way is about?
static bool leads_along(const struct search *s, const struct step *before,
                        const struct edge *edge) {
  const struct model *m = s->m;
  const uint32_t version = edge->from_op;
  if (s->mode != MODE_DIRECT || edge->kind == EDGE_SO || edge->kind == EDGE_RW)
    return false;
  if (before->before != NO_ID &&
      m->h->key[before->edge.to_op] != m->h->key[version])
    return false;
  return edge->kind == EDGE_WW || overwrites(m, edge->to, version);
}

static bool may_take(const struct search *s, const struct step *step,
                     bool is_rw) {
  if (is_rw && step->before == NO_ID && search_closes_inside(s))
    return false;
  switch (s->mode) {
  case MODE_NO_RW:
    return !is_rw;
  case MODE_DIRECT:
    return is_rw ? !has_rw(step) : !is_beside(step);
  case MODE_ONE_RW:
    return !is_rw || step->rw == RW_NONE;
  case MODE_APART:
  case MODE_REAL_TIME_APART:
    return !is_rw || !is_rw_now(step);
  case MODE_IN_A_ROW:
  case MODE_ANY:
  case MODE_REAL_TIME:
    break;
  }
  return true;
}

// After another edge.
static enum rw_state next_state(const struct search *s, const struct step *step,
                                const struct edge *edge) {
  const enum rw_state now = step->rw;
  const bool is_rw = edge->kind == EDGE_RW;
  switch (s->mode) {
  case MODE_DIRECT:
    if (is_rw)
      return RW_ONE;
    if (leads_along(s, step, edge))
      return now;
    return now == RW_NONE ? RW_NONE_BESIDE : RW_ONE_BESIDE;
  case MODE_ONE_RW:
    return is_rw ? RW_ONE : now;
  case MODE_REAL_TIME_APART:
    return is_rw ? RW_ONE_NOW : RW_NONE;
  case MODE_APART:
    if (is_rw)
      return now == RW_NONE ? RW_ONE_NOW : RW_SEVERAL_NOW;
    return now == RW_ONE_NOW       ? RW_ONE
           : now == RW_SEVERAL_NOW ? RW_SEVERAL
                                   : now;
  case MODE_IN_A_ROW:
    if (now == RW_IN_A_ROW || (is_rw && now == RW_ONE_NOW))
      return RW_IN_A_ROW;
    return is_rw ? RW_ONE_NOW : RW_NONE;
  case MODE_NO_RW:
  case MODE_ANY:
  case MODE_REAL_TIME:
    break;
  }
  return RW_NONE;
}

// Is the cycle of the kind that is looked for, if it is closed after this step?
static bool is_of_mode(const struct search *s, const struct step *step) {
  const bool is_rw = step->edge.kind == EDGE_RW;
  switch (s->mode) {
  case MODE_APART:
    return (step->rw == RW_SEVERAL || step->rw == RW_SEVERAL_NOW) &&
           !(is_rw && s->closing.rw);
  case MODE_IN_A_ROW:
    return step->rw == RW_IN_A_ROW || (is_rw && s->closing.rw);
  default:
    return true;
  }
}

static bool is_goal(const struct search *s, const struct step *step) {
  const struct history *h = s->m->h;
  const struct edge *edge = &step->edge;
  if (in_real_time(s))
    return edge->to != s->closing.to &&
           history_ended(h, edge->to) < history_began(h, s->closing.to);
  return edge->to == s->closing.from && is_of_mode(s, step) &&
         !(edge->kind == EDGE_RW && search_closes_inside(s));
}

// Without further RW edges a way leads on in time: what has begun when the goal
// had ended does not lead there, if the clocks were right.
static bool is_out_of_time(const struct search *s, const struct step *step) {
  const bool forward =
      s->mode == MODE_NO_RW ||
      ((s->mode == MODE_ONE_RW || s->mode == MODE_DIRECT) && has_rw(step));
  return forward && s->in_time &&
         history_began(s->m->h, step->edge.to) >
             history_ended(s->m->h, s->closing.from);
}

static uint32_t *met_by(const struct search *s, const struct step *step) {
  return &s->met[NRW_STATES * (size_t)step->edge.to + step->rw];
}

static void add_step(struct steps *steps, const struct step *step) {
  ARRAY_RESERVE(steps->items, steps->count, steps->room);
  steps->items[steps->count++] = *step;
}

// False if that was the goal.
static bool take_step(struct search *s, const struct step *step) {
  const bool goal = is_goal(s, step);
  if (is_out_of_time(s, step) && !goal)
    return true;
  if (*met_by(s, step) == s->nsearches && !goal)
    return true;
  *met_by(s, step) = s->nsearches;
  add_step(&s->steps, step);
  if (goal)
    s->found = s->steps.count - 1;
  return !goal;
}

// Does the edge need the writer of what was read to tell it, which the way does
// not come from?
static bool needs_another(const struct search *s, const struct step *before,
                          const struct edge *edge) {
  if (edge->kind != EDGE_RW)
    return false;
  const uint32_t seen = s->m->sees[edge->from_op];
  return !is_initial(s->m, seen) &&
         !(before->before != NO_ID && before->edge.kind == EDGE_WR &&
           before->edge.from == writer_of(s->m, seen));
}

static bool take_edge(void *context, const struct edge *edge) {
  struct search *s = context;
  const struct step *before = &s->steps.items[s->at];
  const bool is_rw = edge->kind == EDGE_RW;
  if (s->looks == 0)
    return false;
  s->looks--;
  if (edge->kind == EDGE_SO || !may_take(s, before, is_rw))
    return true;
  const struct step step = {*edge, s->at, (uint8_t)next_state(s, before, edge)};
  if (!needs_another(s, before, edge))
    return take_step(s, &step);
  add_step(&s->late, &step);
  return true;
}

// A way to the goal may lead over what ended later, but hardly in its sessions.
static bool is_too_late(const struct search *s, uint32_t t) {
  const struct history *h = s->m->h;
  return !in_real_time(s) && h->end && h->end[s->closing.from] < h->end[t];
}

// A session is one step, however many transactions it skips.
static void take_session(struct search *s) {
  const struct step before = s->steps.items[s->at];
  const uint32_t *next = s->m->next;
  const struct edge session = {.kind = EDGE_SO};
  if ((before.before != NO_ID && before.edge.kind == EDGE_SO) ||
      !leads_session(s->m, before.edge.to) || !may_take(s, &before, false))
    return;
  const uint8_t rw = (uint8_t)next_state(s, &before, &session);
  for (uint32_t t = next[before.edge.to]; t != NO_ID && s->looks; t = next[t]) {
    uint32_t *passed = &s->passed[NRW_STATES * (size_t)t + rw];
    const struct step step = {
        {EDGE_SO, before.edge.to, t, NO_ID, NO_ID}, s->at, rw};
    s->looks--;
    if (*passed == s->nsearches || !take_step(s, &step) || is_too_late(s, t))
      return;
    *passed = s->nsearches;
  }
}

static void take_late_steps(struct search *s) {
  for (uint32_t i = 0; i < s->late.count && s->found == NO_ID; i++)
    take_step(s, &s->late.items[i]);
  s->late.count = 0;
}

// --- Public.

void search_open(struct search *s, const struct model *m, uint64_t budget) {
  const size_t n = NRW_STATES * (size_t)m->h->ntxns;
  *s = (struct search){.m = m, .budget = budget};
  s->met = xcalloc(n, sizeof *s->met);
  s->passed = xcalloc(n, sizeof *s->passed);
}

void search_close(struct search *s) {
  free(s->met);
  free(s->passed);
  free(s->steps.items);
  free(s->late.items);
}

void search_spend(struct search *s, uint64_t looks) {
  s->budget -= looks < s->budget ? looks : s->budget;
}

void search_start_at(struct search *s, const struct edge *edge) {
  const bool counts = s->mode == MODE_APART || s->mode == MODE_IN_A_ROW;
  const struct step step = {*edge, NO_ID,
                            counts && s->closing.rw ? RW_ONE_NOW : RW_NONE};
  *met_by(s, &step) = s->nsearches;
  add_step(&s->steps, &step);
}

void search_start(struct search *s) {
  s->nsearches++;
  s->found = NO_ID;
  s->steps.count = s->late.count = 0;
}

bool search_run(struct search *s, uint64_t limit) {
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

bool search(struct search *s, uint64_t limit) {
  const struct edge start = {.to = s->closing.to};
  search_start(s);
  search_start_at(s, &start);
  return search_run(s, limit);
}

struct edge *search_way(const struct search *s, uint32_t *n) {
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
