// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a refutation down (checker/argue/refutation.h): each contradiction
// with what it rests on, as far as that was not said before, and in the end
// without what turned out not to matter.
#include "config.h"

#include "checker/argue/refutation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// --- Ways through the order.

enum { BY_ITSELF = UINT32_MAX - 1 }; // from a snapshot to its commit

static bool reach(struct refutation *r, uint32_t event, uint32_t by,
                  uint32_t *tail) {
  if (r->came_by[event] != NONE)
    return false;
  r->came_by[event] = by;
  r->queue[(*tail)++] = event;
  return true;
}

void refutation_path(struct refutation *r, uint32_t from, uint32_t to,
                     uint32_t limit, struct ids *path) {
  uint32_t head = 0, tail = 0;
  memset(r->came_by, 0xff, r->nevents * sizeof *r->came_by);
  reach(r, from, BY_ITSELF, &tail);
  while (r->came_by[to] == NONE) {
    assert(head < tail);
    const uint32_t event = r->queue[head++];
    if (event % 2 == 0)
      reach(r, event + 1, BY_ITSELF, &tail);
    for (uint32_t l = r->first_out[event]; l != NONE; l = r->links[l].next_out)
      if (l < limit)
        reach(r, r->links[l].step.to, l, &tail);
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
}

// The links that a link follows from, in the order in which its step has them.
static void find_premises(struct refutation *r, uint32_t l) {
  const struct link *link = &r->links[l];
  const struct inference *step = &link->step;
  r->path.count = 0;
  if (link->premise != NONE) {
    ids_add(&r->path, link->premise);
  } else if (link->observer != NONE) {
    refutation_path(r, step->kind == EDGE_WW ? step->from : step->to,
                    link->observer, link->limit, &r->path);
  } else if (link->clause != NONE) {
    const struct clause *clause = &r->clauses[link->clause];
    for (uint32_t a = clause->first; a < clause->end; a++) {
      const struct atom *atom = &r->atoms[a];
      if (atom->from != step->from || atom->to != step->to)
        refutation_path(r, atom->to, atom->from, link->limit, &r->path);
    }
  }
}

// --- Steps.

static uint32_t add_step(struct refutation *r, const struct inference *step,
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
  const uint32_t told = add_step(r, &r->links[l].step, &r->path);
  r->links[l].told = told;
}

static void tell_supposition(struct refutation *r, uint32_t l) {
  struct inference step = r->links[l].step;
  const struct ids none = {0};
  step.why = REASON_SUPPOSED;
  r->links[l].told = add_step(r, &step, &none);
}

static uint32_t tell_contradiction(struct refutation *r) {
  const struct inference step = {.why = REASON_CONTRADICTION,
                                 .from = NONE,
                                 .to = NONE,
                                 .from_op = NONE,
                                 .to_op = NONE,
                                 .read = NONE,
                                 .lemma = NONE};
  return add_step(r, &step, &r->cycle);
}

static bool mark(struct refutation *r, uint32_t l) {
  if (r->marked[l])
    return false;
  r->marked[l] = 1;
  if (r->links[l].clause != NONE)
    r->clauses[r->links[l].clause].weight++;
  return true;
}

// Tells the marked links that rest on no supposition and were not told yet,
// with the links that they follow from.
static void tell_certain(struct refutation *r) {
  const uint32_t n = r->nlevels ? r->levels[0].nlinks : r->nlinks;
  for (uint32_t l = n; l-- > 0;) {
    if (!r->marked[l] || r->links[l].told != NONE)
      continue;
    find_premises(r, l);
    for (uint32_t i = 0; i < r->path.count; i++)
      mark(r, r->path.items[i]);
  }
  for (uint32_t l = 0; l < n; l++)
    if (r->marked[l] && r->links[l].told == NONE)
      tell_link(r, l);
}

static uint32_t last_marked(const struct refutation *r, uint32_t before) {
  uint32_t l = before;
  do {
    assert(l > 0);
    l--;
  } while (!r->marked[l]);
  assert(r->links[l].level == r->nlevels);
  return l;
}

// Walks back from the contradiction over the links of the last level until one
// is left that all others follow from, with links of earlier levels; `resolved`
// gets these others, last first.
static uint32_t first_implication_point(struct refutation *r,
                                        struct ids *resolved) {
  uint32_t open = 0, l = last_marked(r, r->nlinks);
  for (uint32_t i = 0; i < r->cycle.count; i++)
    open += r->links[r->cycle.items[i]].level == r->nlevels;
  // The link that contradicts the others is not that one, even if it is alone.
  while (open > 1 || l + 1 == r->nlinks) {
    ids_add(resolved, l);
    open--;
    find_premises(r, l);
    for (uint32_t i = 0; i < r->path.count; i++)
      if (mark(r, r->path.items[i]))
        open += r->links[r->path.items[i]].level == r->nlevels;
    l = last_marked(r, l);
  }
  return l;
}

static struct atom turned_around(const struct inference *step) {
  return (struct atom){.from = step->to,
                       .to = step->from,
                       .kind = EDGE_WW,
                       .from_op = NONE,
                       .to_op = NONE};
}

// Under the suppositions, then, the contradiction; its clause.
static void tell_lemma(struct refutation *r, const struct ids *supposed,
                       const struct ids *resolved) {
  struct atom *atoms = xmalloc(supposed->count * sizeof *atoms);
  for (uint32_t i = 0; i < supposed->count; i++) {
    tell_supposition(r, supposed->items[i]);
    atoms[i] = turned_around(&r->links[supposed->items[i]].step);
  }
  for (uint32_t i = resolved->count; i-- > 0;)
    tell_link(r, resolved->items[i]);
  const struct clause clause = {.why = REASON_LEMMA,
                                .read = NONE,
                                .lemma = tell_contradiction(r),
                                .weight = 1};
  refutation_clause(r, &clause, atoms, supposed->count);
  free(atoms);
  for (uint32_t i = 0; i < supposed->count; i++)
    r->links[supposed->items[i]].told = NONE;
  for (uint32_t i = 0; i < resolved->count; i++)
    r->links[resolved->items[i]].told = NONE;
}

// --- What does not matter.

// The first step of the lemma that ends with this contradiction.
static uint32_t first_of_lemma(const struct argument *a, uint32_t last) {
  uint32_t first = last;
  for (uint32_t s = last; s-- > 0 && a->steps[s].why != REASON_CONTRADICTION;)
    if (a->steps[s].why == REASON_SUPPOSED)
      first = s;
  return first;
}

static void mark_used(const struct argument *a, uint8_t *used) {
  used[a->nsteps - 1] = 1;
  for (uint32_t s = a->nsteps; s-- > 0;) {
    const struct inference *step = &a->steps[s];
    if (!used[s])
      continue;
    for (uint32_t i = step->first; i < step->end; i++)
      used[a->path[i]] = 1;
    if (step->why == REASON_LEMMA)
      used[step->lemma] = 1;
    if (step->why == REASON_CONTRADICTION)
      for (uint32_t i = first_of_lemma(a, s); i < s; i++)
        used[i] |= a->steps[i].why == REASON_SUPPOSED;
  }
}

static void leave_out_unused(struct argument *a) {
  uint8_t *used = xcalloc(a->nsteps, 1);
  uint32_t *place = xmalloc(a->nsteps * sizeof *place);
  uint32_t nsteps = 0, npath = 0;
  mark_used(a, used);
  for (uint32_t s = 0; s < a->nsteps; s++) {
    struct inference step = a->steps[s];
    if (!used[s])
      continue;
    const uint32_t first = npath;
    for (uint32_t i = step.first; i < step.end; i++)
      a->path[npath++] = place[a->path[i]];
    step.first = first;
    step.end = npath;
    if (step.why == REASON_LEMMA)
      step.lemma = place[step.lemma];
    place[s] = nsteps;
    a->steps[nsteps++] = step;
  }
  a->nsteps = nsteps;
  a->npath = npath;
  free(used);
  free(place);
}

// --- Telling.

static void prepare_marks(struct refutation *r) {
  if (r->marked_room < r->nlinks) {
    r->marked_room = r->links_room;
    r->marked = xrealloc(r->marked, r->marked_room, 1);
  }
  memset(r->marked, 0, r->nlinks);
  for (uint32_t i = 0; i < r->cycle.count; i++)
    mark(r, r->cycle.items[i]);
}

static uint32_t tell_and_learn(struct refutation *r) {
  struct ids supposed = {0}, resolved = {0};
  const uint32_t last = first_implication_point(r, &resolved);
  uint32_t level = 0;
  for (uint32_t l = r->levels[0].nlinks; l < last; l++) {
    if (!r->marked[l])
      continue;
    assert(r->links[l].level < r->nlevels);
    level = r->links[l].level;
    ids_add(&supposed, l);
  }
  ids_add(&supposed, last);
  tell_certain(r);
  tell_lemma(r, &supposed, &resolved);
  free(supposed.items);
  free(resolved.items);
  return level;
}

uint32_t refutation_tell(struct refutation *r) {
  prepare_marks(r);
  if (r->nlevels)
    return tell_and_learn(r);
  tell_certain(r);
  tell_contradiction(r);
  leave_out_unused(r->argument);
  return 0;
}
