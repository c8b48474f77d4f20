// SPDX-License-Identifier: GPL-3.0-or-later
// The order of commits: who may commit next, which snapshots a transaction may
// start from, what each commit causally depends on, and how far back the store
// has to remember.
//
// The sequence number of a commit is its place in the commit order of all
// levels; read-only transactions that see a snapshot stand right behind the
// last commit that it holds, all others where they ended.
#ifndef DRIVERS_MEMORY_COMMITS_H
#define DRIVERS_MEMORY_COMMITS_H

#include "drivers/memory/store.h"

#include <gsl/gsl_rng.h>

enum { COMMITS_MAX_LAG = 10000 };

struct commits;

// `lag` is how many commits a snapshot may be behind at most, up to
// COMMITS_MAX_LAG.
struct commits *commits_open(struct store *store, uint32_t nsessions,
                             uint32_t lag);
void commits_close(struct commits *commits);

// While the lock is held nothing commits and no snapshot is taken.
void commits_lock(struct commits *commits);
void commits_unlock(struct commits *commits);

// --- With the lock held.

// The oldest bound that is not more than `lag` commits behind.
uint64_t commits_oldest(const struct commits *commits, uint32_t lag);

// A random bound from there on, but not below `at_least`.  With a lag of 0, the
// newest one, and nothing is drawn.
uint64_t commits_snapshot(const struct commits *commits, gsl_rng *random,
                          uint32_t lag, uint64_t at_least);

// How a causal snapshot is chosen.
struct causal_choice {
  uint32_t lag; // everything older is held
  double stale; // probability per site that its newest commits are left out
  bool fork;    // hold one site's newest commits, and of the others only what
                // those depend on
};

// Extends `bound` (a session's causal past) to a snapshot that holds, with each
// commit, all that it causally depends on.
void commits_causal_snapshot(struct commits *commits, gsl_rng *random,
                             const struct causal_choice *choice,
                             uint64_t *bound);

// Adds a commit and what it depends on to the causal past `bound`.
void commits_depend(struct commits *commits, const struct version *version,
                    uint64_t *bound);

// Until commits_leave, the store remembers all that a snapshot with bounds from
// `floor` on may look at.
void commits_enter(struct commits *commits, uint32_t session, uint64_t floor);

// The next sequence number, and the horizon for store_put and store_append.
uint64_t commits_next(struct commits *commits, uint64_t *horizon);

// The commit with that number has all its versions: publishes it.  `past` is
// what it depends on and becomes the causal past of the session after it.
void commits_publish(struct commits *commits, uint32_t session, uint64_t *past);

// --- With or without.
void commits_leave(struct commits *commits, uint32_t session);

#endif
