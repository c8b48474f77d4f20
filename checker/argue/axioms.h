// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of refutation_state: what axioms.c (the links and the choices),
// sight.c (levels at which what a transaction has in sight says all) and
// unreturned.c (rows that statements did not return) share.
#ifndef CHECKER_ARGUE_AXIOMS_H
#define CHECKER_ARGUE_AXIOMS_H

#include "base/buckets.h"
#include "checker/argue/refutation.h"
#include "checker/verdict/level_rules.h"

// A read of what others wrote.
struct external {
  uint32_t op, reader;
  uint32_t seen, writer; // the write and its transaction; NONE: initial
  uint32_t claim;        // that this is what it saw; NONE: it is
};

struct axiom_links {
  struct refutation *r;
  struct external *reads;
  uint32_t nreads, reads_room;
  struct buckets writes; // per key each writer's last one
  uint64_t *certain;     // the rows of what may have been observed, alone...
  uint32_t ncertain;     // ...which so many links say
  bool consistent;       // no links contradict each other so far
  // The links of the history: the newest to each event, and of each link the
  // one before it to the same event.
  uint32_t *newest_to, *link_before;
  uint32_t nnoted, noted_room; // so many links have been looked at
  uint32_t sighted;            // an event; NONE: none yet
  uint32_t *newest_from;       // from each event, the newest one to `sighted`
};

static inline enum isolation level_of_axioms(const struct axiom_links *a,
                                             uint32_t t) {
  const struct check_options *options = a->r->options;
  return options->question.recorded ? (enum isolation)a->r->h->level[t]
                                    : options->question.level;
}

static inline bool axioms_had_ended(const struct axiom_links *a, uint32_t t,
                                    uint64_t time) {
  return a->r->counted[t] && history_ended(a->r->h, t) < time;
}

// --- axioms.c

void axioms_add(struct axiom_links *a, struct link link);
struct link axioms_link(enum reason why, enum edge_kind kind, uint32_t from,
                        uint32_t to, uint32_t from_op, uint32_t to_op,
                        uint32_t read);

// --- sight.c

// Frees what sight_find and sight_bind keep.
void sight_free(struct axiom_links *a);

// Had the reader, at RC, RA or CC, another transaction in sight before its
// operation `before`?  If so fills *sight.
bool sight_find(struct axiom_links *a, uint32_t reader, uint32_t before,
                uint32_t other, struct sight *sight);

// Binds a read at RC, RA or CC by one write of its key.
void sight_bind(struct axiom_links *a, const struct external *read,
                uint32_t write);

// --- unreturned.c

// Adds the clauses about rows that statements did not return.
void unreturned_bind(struct axiom_links *a);

#endif
