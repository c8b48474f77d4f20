// SPDX-License-Identifier: GPL-3.0-or-later
// Lazy refinement: CaDiCaL chooses the orders of the pairs of chains so far,
// and is asked again, incrementally, with what that was found to contradict.
// As in checker/solver/version_order.c a pair is a choice only once an order of
// the events contradicts it, and the nearer side is tried first; a cycle of
// events becomes a clause, as many as one walk over the graph closes at once.
#include "config.h"

#include "bench/lazy.h"

#include "base/memory.h"
#include "recorder/builder/number_map.h"

#include <ccadical.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// An edge of the order that was chosen for a pair; its literal, or 0 of a known
// edge.
struct before {
  uint32_t node;
  int literal;
};

struct lazy {
  const struct choice_problem *problem;
  CCaDiCaL *sat;
  double deadline; // of the process's own clock, seconds
  struct lazy_result result;

  // Pairs are variables, from 1; true stands for the first before the other.
  struct number_map pair_ids;
  struct pair {
    uint32_t first, other;
    bool is_used; // by a clause: the solver has heard of it
  } * pairs;
  uint32_t pairs_room;

  // The chosen edges by where they lead to, made anew every round.
  uint32_t *chosen_first;
  struct before *chosen;

  // The walk: the events in order, and those that are open below one another.
  uint32_t *position, *order, norder;
  uint8_t *state; // 0 new, 1 open, 2 placed
  struct step {
    uint32_t node, next; // the next of its edges to look at
    int literal;         // of the edge to the step before
  } * stack;
};

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int is_over(void *context) {
  const struct lazy *z = context;
  return processor_seconds() > z->deadline;
}

// --- The chosen edges.

static int chosen_literal(const struct lazy *z, uint32_t pair) {
  const int variable = (int)pair + 1;
  return !z->pairs[pair].is_used || ccadical_val(z->sat, variable) > 0
             ? variable
             : -variable;
}

// Counts the edge, or stores it once there is room for it.
static void put(const struct lazy *z, uint32_t from, uint32_t to, int literal) {
  if (from == to)
    return;
  if (z->chosen)
    z->chosen[z->chosen_first[to + 1]++] = (struct before){from, literal};
  else
    z->chosen_first[to + 2]++;
}

static void put_all(const struct lazy *z) {
  const struct choice_problem *problem = z->problem;
  for (uint32_t i = 0; i < z->result.pairs; i++) {
    const int literal = chosen_literal(z, i);
    const struct pair *pair = &z->pairs[i];
    const struct version_chain *first =
        &problem->chains[literal > 0 ? pair->first : pair->other];
    const struct version_chain *other =
        &problem->chains[literal > 0 ? pair->other : pair->first];
    put(z, first->ww_from, other->ww_to, literal);
    for (uint32_t r = first->first_reader; r < first->end_reader; r++)
      put(z, problem->readers[r], other->rw_to, literal);
  }
}

static void choose_edges(struct lazy *z) {
  const uint32_t nnodes = z->problem->graph->nnodes;
  memset(z->chosen_first, 0, ((size_t)nnodes + 2) * sizeof *z->chosen_first);
  free(z->chosen);
  z->chosen = NULL;
  put_all(z);
  for (uint32_t n = 0; n <= nnodes; n++)
    z->chosen_first[n + 1] += z->chosen_first[n];
  z->chosen = xmalloc(z->chosen_first[nnodes + 1] * sizeof *z->chosen);
  put_all(z);
}

// The i-th of what comes before a node; false: there are no more.
static bool get_before(const struct lazy *z, uint32_t node, uint32_t i,
                       struct before *before) {
  const struct static_graph *g = z->problem->graph;
  const uint32_t known = g->in_first[node + 1] - g->in_first[node];
  if (i < known) {
    *before = (struct before){g->in[g->in_first[node] + i], 0};
    return true;
  }
  const uint32_t at = z->chosen_first[node] + i - known;
  if (at >= z->chosen_first[node + 1])
    return false;
  *before = z->chosen[at];
  return true;
}

// --- An order of the events, or cycles.

static void forbid(struct lazy *z, int literal) {
  if (literal)
    z->pairs[abs(literal) - 1].is_used = true;
  ccadical_add(z->sat, -literal);
}

// The open steps down to the one that is met again, by the closing edge.
static void forbid_cycle(struct lazy *z, uint32_t depth,
                         struct before closing) {
  if (closing.literal)
    forbid(z, closing.literal);
  for (uint32_t i = depth; z->stack[--i].node != closing.node;)
    if (z->stack[i].literal)
      forbid(z, z->stack[i].literal);
  forbid(z, 0);
  z->result.clauses++;
}

// Places a node after all that comes before it; an edge that closes a cycle is
// passed over.
static bool place(struct lazy *z, uint32_t root) {
  uint32_t depth = 0;
  bool acyclic = true;
  z->stack[depth++] = (struct step){.node = root};
  z->state[root] = 1;
  while (depth) {
    struct before before;
    struct step *top = &z->stack[depth - 1];
    if (!get_before(z, top->node, top->next++, &before)) {
      z->state[top->node] = 2;
      z->position[top->node] = z->norder;
      z->order[z->norder++] = top->node;
      depth--;
    } else if (z->state[before.node] == 1) {
      forbid_cycle(z, depth, before);
      acyclic = false;
    } else if (z->state[before.node] == 0) {
      z->state[before.node] = 1;
      z->stack[depth++] =
          (struct step){.node = before.node, .literal = before.literal};
    }
  }
  return acyclic;
}

// Near to the guess.
static bool order_events(struct lazy *z) {
  const uint32_t nnodes = z->problem->graph->nnodes;
  bool acyclic = true;
  memset(z->state, 0, nnodes);
  z->norder = 0;
  for (uint32_t i = 0; i < nnodes; i++)
    if (!z->state[z->problem->guess[i]])
      acyclic &= place(z, z->problem->guess[i]);
  return acyclic;
}

// --- What the order contradicts.

static uint32_t excess(uint32_t position, uint32_t limit) {
  return position < limit ? 0 : position - limit + 1;
}

// As in checker/solver/version_order.c.
static uint32_t distance_to(const struct lazy *z, uint32_t a, uint32_t b) {
  const struct version_chain *first = &z->problem->chains[a];
  const struct version_chain *other = &z->problem->chains[b];
  uint32_t far = excess(z->position[first->ww_from], z->position[other->ww_to]);
  for (uint32_t r = first->first_reader; r < first->end_reader; r++) {
    const uint32_t reader = z->problem->readers[r];
    const uint32_t way =
        reader == other->rw_to
            ? 0
            : excess(z->position[reader], z->position[other->rw_to]);
    far = way > far ? way : far;
  }
  return far;
}

static void add_pair(struct lazy *z, uint32_t a, uint32_t b) {
  const bool nearer = distance_to(z, a, b) <= distance_to(z, b, a);
  const uint32_t known = z->result.pairs;
  const uint32_t low = a < b ? a : b, high = a < b ? b : a;
  if (number_map_id(&z->pair_ids, (uint64_t)low << 32 | high) < known)
    return;
  ARRAY_RESERVE(z->pairs, z->result.pairs, z->pairs_room);
  z->pairs[z->result.pairs++] =
      (struct pair){nearer ? a : b, nearer ? b : a, false};
}

static int by_head(const void *x, const void *y, void *context) {
  const struct lazy *z = context;
  const uint32_t a =
      z->position[z->problem->chains[*(const uint32_t *)x].rw_to];
  const uint32_t b =
      z->position[z->problem->chains[*(const uint32_t *)y].rw_to];
  return (a > b) - (a < b);
}

// Makes neighbours that the order contradicts pairs; false: there are none.
static bool find_pairs(struct lazy *z) {
  const struct choice_problem *problem = z->problem;
  const uint32_t before = z->result.pairs;
  const uint32_t nchains = problem->key_first[problem->nkeys];
  uint32_t *lineup = xmalloc(nchains * sizeof *lineup);
  for (uint32_t c = 0; c < nchains; c++)
    lineup[c] = c;
  for (uint32_t k = 0; k < problem->nkeys; k++) {
    const uint32_t first = problem->key_first[k];
    const uint32_t end = problem->key_first[k + 1];
    if (end - first > 1)
      qsort_r(lineup + first, end - first, sizeof *lineup, by_head, z);
    for (uint32_t i = first + 1; i < end; i++)
      if (distance_to(z, lineup[i - 1], lineup[i]))
        add_pair(z, lineup[i - 1], lineup[i]);
  }
  free(lineup);
  return z->result.pairs > before;
}

// --- All of it.

static enum choice_answer refine(struct lazy *z) {
  enum { SATISFIABLE = 10, UNSATISFIABLE = 20 };
  for (;;) {
    z->result.rounds++;
    switch (ccadical_solve(z->sat)) {
    case SATISFIABLE:
      break;
    case UNSATISFIABLE:
      return CHOICES_IMPOSSIBLE;
    default:
      return CHOICES_STOPPED;
    }
    if (is_over(z))
      return CHOICES_STOPPED;
    choose_edges(z);
    if (order_events(z) && !find_pairs(z))
      return CHOICES_ORDERED;
  }
}

struct lazy_result lazy_solve(const struct choice_problem *problem,
                              double seconds) {
  const size_t n = problem->graph->nnodes;
  struct lazy z = {.problem = problem,
                   .sat = ccadical_init(),
                   .deadline = processor_seconds() + seconds};
  z.chosen_first = xmalloc((n + 2) * sizeof *z.chosen_first);
  z.position = xmalloc(n * sizeof *z.position);
  z.order = xmalloc(n * sizeof *z.order);
  z.state = xmalloc(n);
  z.stack = xmalloc(n * sizeof *z.stack);
  ccadical_set_terminate(z.sat, &z, is_over);
  z.result.answer = refine(&z);
  ccadical_release(z.sat);
  number_map_free(&z.pair_ids);
  FREE_EACH(z.pairs, z.chosen_first, z.chosen, z.position, z.order, z.state,
            z.stack);
  return z.result;
}
