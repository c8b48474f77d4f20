// SPDX-License-Identifier: GPL-3.0-or-later
// The search for a refutation (checker/argue/argue.h): what follows from what
// stands, then a supposition, until the contradictions leave nothing to
// suppose.
#include "config.h"

#include "checker/argue/refutation.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define EFFORT (UINT64_C(1) << 29) // clauses, of one with claims: some seconds
#define EFFORT_OF_ROWS (UINT64_C(1) << 26) // of one about rows: a moment

static uint64_t *followers_of_event(const struct refutation *r,
                                    uint32_t event) {
  return r->after + (size_t)event * r->words;
}

// Every event before `from` comes before every event after `to`.
static void add_to_rows(struct refutation *r, uint32_t from, uint32_t to) {
  assert(from < r->nevents && to < r->nevents);
  const uint64_t *after = followers_of_event(r, to);
  for (uint32_t event = 0; event < r->nevents; event++) {
    if (!is_before(r, event, from))
      continue;
    uint64_t *row = followers_of_event(r, event);
    for (uint32_t w = 0; w < r->words; w++)
      row[w] |= after[w];
  }
}

static uint32_t push_link(struct refutation *r, const struct link *link) {
  ARRAY_RESERVE(r->links, r->nlinks, r->links_room);
  struct link *new = &r->links[r->nlinks];
  *new = *link;
  new->told = NONE;
  if (new->limit > r->nlinks)
    new->limit = r->nlinks;
  new->next_out = r->first_out[link->step.from];
  r->first_out[link->step.from] = r->nlinks;
  return r->nlinks++;
}

bool refutation_link(struct refutation *r, const struct link *link) {
  const uint32_t from = link->step.from, to = link->step.to;
  assert(from != to);
  if (patience_ends(&r->patience, r->nevents))
    return true;
  const bool contradicts = is_before(r, to, from);
  const uint32_t limit = r->nlinks;
  const uint32_t last = push_link(r, link);
  if (!contradicts) {
    if (!is_before(r, from, to))
      add_to_rows(r, from, to);
    return true;
  }
  r->cycle.count = 0;
  ids_add(&r->cycle, last);
  refutation_path(r, to, from, limit, &r->cycle);
  return false;
}

void refutation_clause(struct refutation *r, const struct clause *clause,
                       const struct atom *atoms, uint32_t natoms) {
  assert(natoms > 0);
  ARRAY_RESERVE(r->clauses, r->nclauses, r->clauses_room);
  struct clause *new = &r->clauses[r->nclauses++];
  *new = *clause;
  new->first = r->natoms;
  new->end = r->natoms + natoms;
  new->width += new->width == 0;
  for (uint32_t i = 0; i < natoms; i++) {
    ARRAY_RESERVE(r->atoms, r->natoms, r->atoms_room);
    r->atoms[r->natoms++] = atoms[i];
  }
}

uint64_t *refutation_rows(const struct refutation *r) {
  const size_t bytes = (size_t)r->nevents * r->words * sizeof *r->after;
  return memcpy(xmalloc(bytes), r->after, bytes);
}

// --- What follows.

static struct link link_of_atom(const struct refutation *r, uint32_t c,
                                uint32_t a) {
  assert(r->clauses[c].first <= a && a < r->clauses[c].end);
  const struct clause *clause = &r->clauses[c];
  const struct atom *atom = &r->atoms[a];
  return (struct link){.step = {.why = clause->why,
                                .kind = atom->kind,
                                .from = atom->from,
                                .to = atom->to,
                                .from_op = atom->from_op,
                                .to_op = atom->to_op,
                                .read = clause->read,
                                .lemma = clause->lemma},
                       .clause = c,
                       .limit = NONE,
                       .sight = {NONE, NONE, NONE}};
}

// False: there is a contradiction.
static bool draw_consequences(struct refutation *r) {
  uint32_t quiet = 0;
  for (uint32_t c = 0; quiet < r->nclauses && !patience_ends(&r->patience, 1);
       c = (c + 1) % r->nclauses) {
    const uint32_t only = clause_only_atom(r, &r->clauses[c]);
    r->effort++;
    if (only == r->clauses[c].end) {
      quiet++;
      continue;
    }
    const struct link link = link_of_atom(r, c, only);
    if (!refutation_link(r, &link))
      return false;
    quiet = 0;
  }
  return true;
}

// --- What is supposed.

// The newest open clause, lemmas before what they were learnt from; NONE if
// none is open.
static uint32_t newest_open(const struct refutation *r) {
  for (uint32_t c = r->nclauses; c-- > 0;)
    if (!clause_holds(r, &r->clauses[c]))
      return c;
  return NONE;
}

static void suppose(struct refutation *r, uint32_t c) {
  struct link link =
      link_of_atom(r, c, clause_first_possible(r, &r->clauses[c]));
  link.clause = NONE;
  link.step.why = REASON_SUPPOSED;
  ARRAY_RESERVE(r->suppositions, r->nsuppositions, r->suppositions_room);
  struct supposition *supposition = &r->suppositions[r->nsuppositions++];
  supposition->nlinks = r->nlinks;
  supposition->after = refutation_rows(r);
  const bool possible = refutation_link(r, &link);
  assert(possible);
  (void)possible;
}

static void take_back_suppositions(struct refutation *r,
                                   uint32_t nsuppositions) {
  assert(nsuppositions <= r->nsuppositions);
  while (r->nsuppositions > nsuppositions) {
    const struct supposition *supposition =
        &r->suppositions[--r->nsuppositions];
    while (r->nlinks > supposition->nlinks) {
      const struct link *link = &r->links[--r->nlinks];
      r->first_out[link->step.from] = link->next_out;
    }
    free(r->after);
    r->after = supposition->after;
  }
}

static bool refutation_is_stopped(struct refutation *r) {
  r->patience.ended |= (r->argument->nclaims && r->effort > EFFORT) ||
                       (r->rows && r->effort > EFFORT_OF_ROWS);
  return patience_ends(&r->patience, PATIENCE_EFFORT);
}

static enum argue_answer search_contradiction(struct refutation *r) {
  if (!refutation_state(r)) {
    refutation_tell(r);
    return ARGUE_FOUND;
  }
  while (!refutation_is_stopped(r)) {
    while (!draw_consequences(r)) {
      const bool last = r->nsuppositions == 0;
      const uint32_t kept = refutation_tell(r);
      if (last)
        return ARGUE_FOUND;
      if (refutation_is_stopped(r))
        return ARGUE_STOPPED;
      take_back_suppositions(r, kept);
    }
    const uint32_t open = newest_open(r);
    if (r->patience.ended)
      break;
    if (open == NONE)
      return ARGUE_NOT_BROKEN;
    suppose(r, open);
  }
  return ARGUE_STOPPED;
}

static void start_refutation(struct refutation *r) {
  const struct history *h = r->h;
  r->txn_of = xmalloc(h->nops * sizeof *r->txn_of);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      r->txn_of[op] = t;
  r->nevents = event_of_claim(r, r->argument->nclaims);
  r->words = (r->nevents + 63) / 64;
  r->after = xcalloc((size_t)r->nevents * r->words, sizeof *r->after);
  r->came_by = xmalloc(r->nevents * sizeof *r->came_by);
  r->queue = xmalloc(r->nevents * sizeof *r->queue);
  r->first_out = ids_none(r->nevents);
  for (uint32_t e = 0; e < r->nevents; e++) {
    followers_of_event(r, e)[e / 64] |= UINT64_C(1) << e % 64;
    if (is_snapshot(r, e))
      followers_of_event(r, e)[e / 64] |= UINT64_C(1) << (e + 1) % 64;
  }
}

// Takes `counted` and `took` over.
static enum argue_answer refute_counted(struct argument *argument,
                                        const struct history *history,
                                        const struct history *rows,
                                        const struct check_options *options,
                                        uint8_t *counted, uint32_t *took) {
  struct refutation r = {.h = history,
                         .rows = rows,
                         .options = options,
                         .argument = argument,
                         .counted = counted,
                         .took = took};
  r.patience.stop = options->stop;
  start_refutation(&r);
  const enum argue_answer answer = search_contradiction(&r);
  if (answer != ARGUE_FOUND)
    argument_free(argument);
  take_back_suppositions(&r, 0);
  FREE_EACH(r.counted, r.took, r.txn_of, r.clauses, r.atoms, r.links,
            r.first_out, r.after, r.suppositions, r.cycle.items, r.came_by,
            r.queue, r.marked, r.path.items);
  return answer;
}

enum argue_answer argue(struct argument *argument,
                        const struct history *history,
                        const struct check_options *options) {
  uint32_t nlost;
  *argument = (struct argument){0};
  return refute_counted(argument, history, NULL, options,
                        history_counted(history, &nlost),
                        ids_none(history->ntxns));
}

enum argue_answer argue_of_rows(struct argument *argument,
                                const struct history *registers,
                                const struct history *rows,
                                const struct check_options *options) {
  uint32_t nlost;
  *argument = (struct argument){0};
  if (!unreturned_are_arguable(registers, rows, options))
    return ARGUE_STOPPED;
  return refute_counted(argument, registers, rows, options,
                        history_counted(registers, &nlost),
                        ids_none(registers->ntxns));
}

enum argue_answer argue_openly(struct argument *argument,
                               const struct history *h, const uint8_t *certain,
                               const struct check_options *options) {
  uint8_t *counted = xcalloc(h->ntxns, 1);
  uint32_t *took = ids_none(h->ntxns);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    counted[t] = h->outcome[t] != OUTCOME_ABORTED;
    if (certain[t] || !counted[t])
      continue;
    took[t] = argument->nclaims++;
    argument->claims =
        xrealloc(argument->claims, argument->nclaims, sizeof *argument->claims);
    argument->claims[took[t]] =
        (struct assumed_read){h->txn_first[t], CLAIM_TOOK_EFFECT};
  }
  return refute_counted(argument, h, NULL, options, counted, took);
}
