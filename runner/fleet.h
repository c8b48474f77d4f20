// SPDX-License-Identifier: GPL-3.0-or-later
// A run of several ranks (ranks/ranks.h), each with some of its sessions: what
// they do together.  Of a run of one process the fleet is NULL.
#ifndef RUNNER_FLEET_H
#define RUNNER_FLEET_H

#include "ranks/beat.h"
#include "ranks/ranks.h"
#include "runner/runner.h"

struct session;
struct recording;

struct fleet {
  struct ranks *ranks;
  uint64_t run; // a number that no other run has
  const char *host;
  uint32_t first_session, nsessions; // of this rank
  bool goes_on;                      // after a rank is gone
  struct error lost;                 // the first rank that is gone; or empty

  // The runner's.
  struct clock_bound bound;
  uint64_t zero;  // of the run, by rank 0's clock
  uint64_t began; // the zero of this rank's record, by its own clock
  uint64_t start; // of the sessions, likewise
  struct recording *recording;
  struct beat *beat;
};

static inline bool fleet_leads(const struct fleet *fleet) {
  return !fleet || !ranks_number(fleet->ranks);
}

// As ranks_agree.
int fleet_agree(struct fleet *fleet, int failed, struct error *error);

// Can such a run be one of several ranks?  -1 with a sentence.
int fleet_check(const struct run_options *options, struct error *error);

// All ranks, before they record: asks for rank 0's clock, and says when the
// record begins, by this rank's.
int fleet_set_clock(struct fleet *fleet, uint64_t *begin, struct error *error);
// The record is open: notes which part it is.
void fleet_note_part(struct fleet *fleet, struct recording *recording);
// All ranks, once they are ready: until the moment when all begin.
void fleet_await_start(struct fleet *fleet);

// While sessions are at work.  `count` and `stops` as in struct beat_options.
void fleet_begin(struct fleet *fleet,
                 void (*count)(void *context, struct beat_counts *counts),
                 bool (*stops)(void *context), void *context);
const volatile sig_atomic_t *fleet_flag(const struct fleet *fleet);
void fleet_add_progress(const struct fleet *fleet,
                        struct run_progress *progress);
uint64_t fleet_slowest(const struct fleet *fleet);
// The sessions of this rank have ended: waits for the others.
void fleet_end(struct fleet *fleet);

// Gives rank 0 a number for each session of this rank, which it puts in their
// places among those of all.
void fleet_gather(struct fleet *fleet, const uint64_t *mine, uint64_t *all);

// The sum of the sessions of a rank.
struct fleet_share {
  enum run_end end;
  uint64_t elapsed;
  double measured; // sum over its sessions, ns
  uint32_t nsessions;
  char sentence[1024]; // why it ended; or empty
};
// Gives rank 0 the share of this rank and the tallies of its sessions, which it
// adds to the figures, and to its own share.  A rank that is gone adds nothing.
void fleet_merge(struct fleet *fleet, struct fleet_share *share,
                 const struct session *sessions, struct run_figures *figures);

#endif
