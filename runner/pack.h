// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps sessions together that would drift apart, for workloads in which they
// meet only then (struct workload, slot `lead`), and lets twins begin together.
// A session that is too far ahead of the slowest waits for it, but never for
// long: one whose database does not answer must not stop the others.
#ifndef RUNNER_PACK_H
#define RUNNER_PACK_H

#include "base/clock.h"
#include "runner/fleet.h"
#include "workload/workload.h"

// After so long a session goes on, whoever is behind.
#define PACK_PATIENCE (NS_PER_SECOND / 200)

struct pack_mark; // how far a session is

struct pack {
  const struct workload_options *options;
  bool twins;    // there are some
  uint64_t lead; // plans that a session may be ahead; 0: any number
  uint32_t nsessions;
  struct pack_mark *marks;
  struct fleet *fleet; // of which the sessions of others are, too; or NULL
};

// A session's view of the other sessions.
struct pack_view {
  uint64_t slowest; // plans that all others had taken when it last looked
  uint64_t since;   // it has waited since then; 0: it does not wait
  uint64_t waits;   // likewise for its twin
};

// The sessions that are not this rank's are nowhere until pack_here.
void pack_init(struct pack *pack, const struct workload *workload,
               const struct workload_options *options, struct fleet *fleet);
// The session is one of this process.
void pack_here(const struct pack *pack, uint32_t session);
// How many plans the slowest session here took; UINT64_MAX: none is at work.
uint64_t pack_slowest(const struct pack *pack);
void pack_fini(struct pack *pack);

// When a session that took `nplans` so far should ask again before it begins
// the next one, in terms of `now`; 0: it begins, and if it is to begin with its
// twin, that is there or does not come.
uint64_t pack_wait_for_twin(const struct pack *pack, struct pack_view *view,
                            uint32_t session, uint64_t nplans, uint64_t now);

// A session took its plan number `nplans`, or will take none any more.
void pack_note(const struct pack *pack, uint32_t session, uint64_t nplans);
void pack_leave(const struct pack *pack, uint32_t session);

// When a session that took `nplans` so far should ask again before it takes
// another, in terms of `now`; 0: it may go on.
uint64_t pack_wait(const struct pack *pack, struct pack_view *view,
                   uint64_t nplans, uint64_t now);

#endif
