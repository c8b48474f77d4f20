// SPDX-License-Identifier: GPL-3.0-or-later
// A read at a level below PC leaves no choice (checker/argue/axioms.h): it is
// certain what the reader had in sight, and the axiom follows.
#include "config.h"

#include "checker/argue/axioms.h"

#include <assert.h>

// The link from the other writer to the reader that shows at RC that a read
// before the operation had observed it, at RA that any did or that it is in its
// session; NONE if it had not been observed.
static uint32_t direct_premise(const struct axiom_links *a, uint32_t reader,
                               uint32_t before, uint32_t other) {
  struct refutation *r = a->r;
  for (uint32_t l = r->first_out[commit_of(other)]; l != NONE;
       l = r->links[l].next_out) {
    const struct inference *step = &r->links[l].step;
    if (step->to != snapshot_of(reader) || step->why != REASON_HISTORY)
      continue;
    if (level_counts_session(level_of_axioms(a, reader)) ||
        (step->kind == EDGE_WR && step->to_op < before))
      return l;
  }
  return NONE;
}

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
