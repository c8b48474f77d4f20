// SPDX-License-Identifier: GPL-3.0-or-later
// A read at a level below PC leaves no choice (checker/argue/axioms.h): it is
// certain what the reader had in sight, and the axiom follows.
#include "config.h"

#include "checker/argue/axioms.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

// --- Links of the history.

static void note_link(struct axiom_links *a, uint32_t l) {
  const struct inference *step = &a->r->links[l].step;
  if (step->why != REASON_HISTORY)
    return;
  a->link_before[l] = a->newest_to[step->to];
  a->newest_to[step->to] = l;
  if (step->to == a->sighted)
    a->newest_from[step->from] = l;
}

static void note_new_links(struct axiom_links *a) {
  if (!a->newest_to) {
    a->newest_to = ids_none(a->r->nevents);
    a->newest_from = ids_none(a->r->nevents);
  }
  for (; a->nnoted < a->r->nlinks; a->nnoted++) {
    ARRAY_RESERVE(a->link_before, a->nnoted, a->noted_room);
    note_link(a, a->nnoted);
  }
}

static void turn_to(struct axiom_links *a, uint32_t event) {
  const struct link *links = a->r->links;
  if (a->sighted == event)
    return;
  if (a->sighted != NONE)
    for (uint32_t l = a->newest_to[a->sighted]; l != NONE;
         l = a->link_before[l])
      a->newest_from[links[l].step.from] = NONE;
  a->sighted = event;
  for (uint32_t l = a->newest_to[event]; l != NONE; l = a->link_before[l])
    if (a->newest_from[links[l].step.from] == NONE)
      a->newest_from[links[l].step.from] = l;
}

void sight_free(struct axiom_links *a) {
  free(a->newest_to);
  free(a->link_before);
  free(a->newest_from);
}

// The link from the other writer to the reader that shows at RC that a read
// before the operation had observed it, at RA that any did or that it is in its
// session; NONE if it had not been observed.
static uint32_t direct_premise(struct axiom_links *a, uint32_t reader,
                               uint32_t before, uint32_t other) {
  note_new_links(a);
  turn_to(a, snapshot_of(reader));
  for (uint32_t l = a->newest_from[commit_of(other)]; l != NONE;
       l = a->link_before[l]) {
    const struct inference *step = &a->r->links[l].step;
    if (step->from != commit_of(other))
      continue;
    if (level_counts_session(level_of_axioms(a, reader)) ||
        (step->kind == EDGE_WR && step->to_op < before))
      return l;
  }
  return NONE;
}

// --- What was observed.

// Had the reader observed the other, over any number of transactions?
static bool reader_had_observed(const struct axiom_links *a, uint32_t other,
                                uint32_t reader) {
  const uint32_t to = snapshot_of(reader);
  return a->certain[(size_t)commit_of(other) * a->r->words + to / 64] >>
             (to % 64) &
         1;
}

static bool is_session_mate(const struct axiom_links *a, uint32_t other,
                            uint32_t reader) {
  return a->r->options->question.session_order && other < reader &&
         a->r->h->outcome[other] == OUTCOME_OK &&
         history_session(a->r->h, other) == history_session(a->r->h, reader);
}

// Says of one that is earlier in the session, or in real time, that it is.
static void link_directly(struct axiom_links *a, uint32_t other,
                          uint32_t reader) {
  const bool in_time =
      a->r->options->question.real_time &&
      axioms_had_ended(a, other, history_began(a->r->h, reader));
  const bool in_session = is_session_mate(a, other, reader);
  if (in_session || in_time)
    axioms_add(a, axioms_link(REASON_HISTORY, in_session ? EDGE_SO : EDGE_RT,
                              commit_of(other), snapshot_of(reader), NONE, NONE,
                              NONE));
}

bool sight_find(struct axiom_links *a, uint32_t reader, uint32_t before,
                uint32_t other, struct sight *sight) {
  const enum isolation level = level_of_axioms(a, reader);
  assert(level_saturates(level));
  *sight = (struct sight){NONE, NONE, NONE};
  if (level_is_causal(level)) {
    if (!reader_had_observed(a, other, reader))
      return false;
    sight->observer = snapshot_of(reader);
    sight->limit = a->ncertain;
    return true;
  }
  if (level_counts_session(level) &&
      direct_premise(a, reader, before, other) == NONE)
    link_directly(a, other, reader);
  sight->premise = direct_premise(a, reader, before, other);
  return sight->premise != NONE;
}

void sight_bind(struct axiom_links *a, const struct external *read,
                uint32_t write) {
  const uint32_t other = a->r->txn_of[write];
  struct link link =
      read->seen == NONE
          ? axioms_link(REASON_READ, EDGE_RW, commit_of(read->reader),
                        commit_of(other), read->op, write, read->op)
          : axioms_link(REASON_READ, EDGE_WW, commit_of(other),
                        commit_of(read->writer), write, read->seen, read->op);
  if (sight_find(a, read->reader, history_event(a->r->h, read->op), other,
                 &link.sight))
    axioms_add(a, link);
}
