// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a refutation down (checker/argue/refutation.h): each contradiction
// with what it rests on, as far as that was not said before.
#include "config.h"

#include "checker/argue/refutation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// --- Ways through the order.

enum { BY_ITSELF = UINT32_MAX - 1 }; // from a snapshot to its commit

static bool reach_event(struct refutation *r, uint32_t event, uint32_t by,
                        uint32_t *tail) {
  if (r->came_by[event] != NONE)
    return false;
  r->came_by[event] = by;
  r->queue[(*tail)++] = event;
  return true;
}

// Appends the links of the way to the path; false: there is none.
static bool find_path(struct refutation *r, uint32_t from, uint32_t to,
                      uint32_t limit, struct ids *path) {
  assert(from < r->nevents && to < r->nevents);
  uint32_t head = 0, tail = 0;
  memset(r->came_by, 0xff, r->nevents * sizeof *r->came_by);
  reach_event(r, from, BY_ITSELF, &tail);
  while (r->came_by[to] == NONE) {
    if (head == tail)
      return false;
    const uint32_t event = r->queue[head++];
    if (is_snapshot(r, event))
      reach_event(r, event + 1, BY_ITSELF, &tail);
    for (uint32_t l = r->first_out[event]; l != NONE; l = r->links[l].next_out)
      if (l < limit)
        reach_event(r, r->links[l].step.to, l, &tail);
  }
  const uint32_t first = path->count;
  for (uint32_t event = to; event != from;) {
    const uint32_t by = r->came_by[event];
    if (by == BY_ITSELF) {
      event--;
      continue;
    }
    ids_add(path, by);
    event = r->links[by].step.from;
  }
  for (uint32_t i = first, j = path->count; i + 1 < j; i++) {
    const uint32_t was = path->items[--j];
    path->items[j] = path->items[i];
    path->items[i] = was;
  }
  return true;
}

void refutation_path(struct refutation *r, uint32_t from, uint32_t to,
                     uint32_t limit, struct ids *path) {
  const bool found = find_path(r, from, to, limit, path);
  assert(found);
  (void)found;
}

// Why the link's transaction had the other one in sight.
static void find_sight(struct refutation *r, const struct sight *sight,
                       uint32_t other) {
  if (sight->premise != NONE)
    ids_add(&r->path, sight->premise);
  else if (sight->observer != NONE)
    refutation_path(r, other, sight->observer, sight->limit, &r->path);
}

static bool link_says(const struct link *link, const struct atom *atom) {
  return atom->from == link->step.from && atom->to == link->step.to;
}

// Why one of the atoms of a side does not hold.
static void refute_side(struct refutation *r, uint32_t limit, uint32_t first,
                        uint32_t end) {
  bool refuted = false;
  for (uint32_t a = first; a < end && !refuted; a++)
    refuted = find_path(r, r->atoms[a].to, r->atoms[a].from, limit, &r->path);
  assert(refuted);
}

// Why no side of its clause holds but that of the link.
static void refute_other_sides(struct refutation *r, const struct link *link) {
  const struct clause *clause = &r->clauses[link->clause];
  for (uint32_t a = clause->first, end; a < clause->end; a = end) {
    const bool single = a < clause->first + clause->nsingle;
    end = a + (single ? 1 : clause->width);
    bool says = false;
    for (uint32_t b = a; b < end; b++)
      says |= link_says(link, &r->atoms[b]);
    if (single && clause->why == REASON_IN_SIGHT)
      find_sight(r, &clause->sight, r->atoms[a].to);
    else if (!says)
      refute_side(r, link->limit, a, end);
  }
}

// The links that a link follows from, in the order in which its step has them.
static void find_premises(struct refutation *r, uint32_t l) {
  const struct link *link = &r->links[l];
  const struct inference *step = &link->step;
  r->path.count = 0;
  if (link->clause != NONE)
    refute_other_sides(r, link);
  else
    find_sight(r, &link->sight, step->kind == EDGE_WW ? step->from : step->to);
}

// --- Steps.

static uint32_t add_argument_step(struct refutation *r,
                                  const struct inference *step,
                                  const struct ids *links) {
  struct argument *a = r->argument;
  ARRAY_RESERVE(a->steps, a->nsteps, r->steps_room);
  struct inference *new = &a->steps[a->nsteps];
  *new = *step;
  new->first = a->npath;
  for (uint32_t i = 0; i < links->count; i++) {
    assert(r->links[links->items[i]].told != NONE);
    ARRAY_RESERVE(a->path, a->npath, r->path_room);
    a->path[a->npath++] = r->links[links->items[i]].told;
  }
  new->end = a->npath;
  return a->nsteps++;
}

static void tell_link(struct refutation *r, uint32_t l) {
  find_premises(r, l);
  const uint32_t told = add_argument_step(r, &r->links[l].step, &r->path);
  r->links[l].told = told;
}

static uint32_t tell_contradiction(struct refutation *r) {
  const struct inference step = {.why = REASON_CONTRADICTION,
                                 .from = NONE,
                                 .to = NONE,
                                 .from_op = NONE,
                                 .to_op = NONE,
                                 .read = NONE,
                                 .lemma = NONE};
  return add_argument_step(r, &step, &r->cycle);
}

// Marks the links of the cycle and all that they follow from, as far as it was
// not told yet.
static void mark_cycle_premises(struct refutation *r) {
  assert(r->cycle.count > 0);
  if (r->marked_room < r->nlinks) {
    r->marked_room = r->links_room;
    r->marked = xrealloc(r->marked, r->marked_room, 1);
  }
  memset(r->marked, 0, r->nlinks);
  for (uint32_t i = 0; i < r->cycle.count; i++)
    r->marked[r->cycle.items[i]] = 1;
  for (uint32_t l = r->nlinks; l-- > 0;) {
    if (!r->marked[l] || r->links[l].told != NONE)
      continue;
    find_premises(r, l);
    for (uint32_t i = 0; i < r->path.count; i++)
      r->marked[r->path.items[i]] = 1;
  }
}

static void tell_marked(struct refutation *r, uint32_t first, uint32_t end) {
  for (uint32_t l = first; l < end; l++)
    if (r->marked[l] && r->links[l].told == NONE)
      tell_link(r, l);
}

// The contradiction of the suppositions that it rests on becomes a clause: one
// of them, turned around, holds.  Returns how many suppositions come before the
// last of these, as far as they are needed for the clause to say something.
static uint32_t tell_lemma(struct refutation *r) {
  const uint32_t ncertain = r->suppositions[0].nlinks;
  struct atom *atoms = xmalloc(r->nsuppositions * sizeof *atoms);
  uint32_t natoms = 0, depth = 0, last = 0;
  for (uint32_t i = 0; i < r->nsuppositions; i++) {
    const uint32_t supposed = r->suppositions[i].nlinks;
    const struct inference *step = &r->links[supposed].step;
    assert(step->why == REASON_SUPPOSED);
    if (!r->marked[supposed])
      continue;
    depth = last;
    last = i + 1;
    atoms[natoms++] = (struct atom){step->to, step->from, EDGE_WW, NONE, NONE};
  }
  assert(last == r->nsuppositions);
  tell_marked(r, ncertain, r->nlinks);
  const struct clause clause = {
      .why = REASON_LEMMA, .read = NONE, .lemma = tell_contradiction(r)};
  refutation_clause(r, &clause, atoms, natoms);
  free(atoms);
  for (uint32_t l = ncertain; l < r->nlinks; l++)
    r->links[l].told = NONE;
  return depth;
}

uint32_t refutation_tell(struct refutation *r) {
  mark_cycle_premises(r);
  tell_marked(r, 0, r->nsuppositions ? r->suppositions[0].nlinks : r->nlinks);
  if (r->nsuppositions)
    return tell_lemma(r);
  tell_contradiction(r);
  return 0;
}
