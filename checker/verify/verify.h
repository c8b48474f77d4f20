// SPDX-License-Identifier: GPL-3.0-or-later
// Believes nothing: executes the witness of a PASS and derives the evidence of
// a VIOLATION again from the history alone.  Shares no code with the engine;
// all of it is meant to be read in one go by whoever doubts a verdict.
#ifndef CHECKER_VERIFY_VERIFY_H
#define CHECKER_VERIFY_VERIFY_H

#include "checker/verdict/verdict.h"

#include <assert.h>

// The answer of a verifier.  Only VERIFIED is a proof.
enum verified {
  VERIFIED = 0,
  VERIFY_REFUSED = -1, // with a sentence about what is wrong with the verdict
  VERIFY_STOPPED = 1,  // options->stop was set before it had come to an end
};

// The answer of a verifier that came to `result`, 0 or -1 with a sentence, and
// polled with this patience.
static inline enum verified verified(int result,
                                     const struct patience *patience) {
  if (patience->ended)
    return VERIFY_STOPPED;
  return result ? VERIFY_REFUSED : VERIFIED;
}

// Is the work to be left, now that it looks at all operations of a transaction?
static inline bool stops_at(const struct history *history, uint32_t t,
                            struct patience *patience) {
  assert(t < history->ntxns);
  const uint32_t *first = &history->txn_first[t];
  return patience_ends(patience, 1 + first[1] - first[0]);
}

// Per transaction: the last one before it in its session that counts and leads
// it; UINT32_MAX for none, or without session order.  To be freed.
uint32_t *session_leaders(const struct history *history, const uint8_t *counted,
                          const struct check_options *options);

// `counted`: history_counted's answer.  VERIFIED if the order (and the
// snapshots, for verdict->snapshot not NULL) is a proof that the history keeps
// the level, or a stronger one.
enum verified verify_pass(const struct history *history, const uint8_t *counted,
                          const struct check_options *options,
                          const struct verdict *verdict, struct error *error);

// Checks the commit order of transactions at levels below PC, without
// snapshots; all that count are known to be in it once, in session order, and
// at RC and from PC up in real time, where these count.
enum verified verify_weak(const struct history *history, const uint8_t *counted,
                          const struct check_options *options,
                          const struct verdict *verdict, struct error *error);

// VERIFIED if the part of the history, taken by itself, breaks the level, and
// the read or the cycle that is named is in it.  The referee tries all commit
// orders of the part if it has few enough transactions, and the argument,
// without which only a wrong read may come, is checked in any case.
enum verified verify_violation(const struct history *history,
                               const struct check_options *options,
                               const struct verdict *verdict,
                               struct error *error);

// Checks a verdict on a history with `again`, with its reads as the verdict
// assumes them (struct verdict, assumed reads).
enum verified verify_ambiguous(const struct history *history,
                               const struct check_options *options,
                               const struct verdict *verdict,
                               struct error *error);

// The steps of verify_violation, with everything about the ids of the part.

// VERIFIED if the read or the cycle, if there is one, is in the history and
// breaks the level.
enum verified verify_evidence(const struct history *history,
                              const uint8_t *counted,
                              const struct check_options *options,
                              const struct verdict *verdict,
                              struct error *error);

// VERIFIED if every step of the argument follows from the history and the steps
// before it, and the last one is a contradiction.
enum verified verify_argument(const struct history *history,
                              const uint8_t *counted,
                              const struct check_options *options,
                              const struct argument *argument,
                              struct error *error);

// VERIFIED if an argument about a history with `again` is one whatever its
// reads of such values saw; from PC up, and without lists.  `certain`: those
// that took effect without a word of these reads.
enum verified verify_ways(const struct history *history, const uint8_t *certain,
                          const struct check_options *options,
                          const struct argument *ways, struct error *error);

#endif
