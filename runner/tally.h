// SPDX-License-Identifier: GPL-3.0-or-later
// Each session counts while it runs, in figures of its own that are merged
// when all sessions have ended.
#ifndef RUNNER_TALLY_H
#define RUNNER_TALLY_H

#include "runner/runner.h"

#include <stdatomic.h>

struct tally {
  bool measuring; // false: what happens now counts for the whole run only
  bool in_series; // false: it is none of the load, but a closing read or the
                  // like

  // Whole run: begun = the sum of ended, but for the attempt that is going on.
  // Written by the session alone; the progress line reads them.
  _Atomic uint64_t begun, ended[OUTCOME_COUNT], refused;

  // After the warm-up.  The room for codes and shapes is fixed; that for
  // seconds covers the run's duration and rarely has to grow.
  struct run_figures sum;
  uint32_t seconds_room;
};

// `duration` in ns, 0 if it has no limit.
void tally_init(struct tally *tally, const struct workload *workload,
                uint64_t duration);
void tally_fini(struct tally *tally);

// An attempt, the `tries`-th at its transaction, took `ns`.
void tally_spent(struct tally *tally, enum outcome outcome, uint32_t tries,
                 uint64_t ns);

// A transaction that the workload asked for begins; ends after its last attempt
// either with its latency or, if no attempt committed, given up or unknown.
void tally_transaction(struct tally *tally);
void tally_latency(struct tally *tally, uint32_t shape, uint64_t ns,
                   uint32_t nops);
void tally_given_up(struct tally *tally);

// One attempt, as series_add.
void tally_begin(struct tally *tally, uint32_t shape);
void tally_end(struct tally *tally, uint32_t shape, enum outcome outcome,
               enum cause cause, uint64_t since_start, uint64_t latency);

// Why an attempt did not commit, in the database's own words.
void tally_failure(struct tally *tally, enum cause cause, const char *code,
                   const char *text);

// The place of the user's script where an attempt did not commit: `place` and
// `statement` of the row, which is copied; cause, code and text as above.
void tally_place(struct tally *tally, struct place_count row, enum cause cause,
                 const char *code, const char *text);

// The level in effect was not the one that was asked for.
void tally_level(struct tally *tally, const char *asked, const char *in_effect);

// Counts the outcome that the database told of a transaction whose answer was
// lost.
void tally_resolved(struct tally *tally, enum outcome outcome);

// Adds the session's figures to those of the run.  It has ended; the equations
// of the figures are asserted.
void tally_merge(struct run_figures *into, const struct tally *tally);

// Makes figures of this workload with nothing in them.
void figures_init(struct run_figures *figures, const struct workload *workload);

// Sorts the codes and asserts the equations of the whole run.
void figures_finish(struct run_figures *figures);

#endif
