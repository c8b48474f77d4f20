// SPDX-License-Identifier: GPL-3.0-or-later
// The second pass: executes the guessed order with one value a key, and decides
// its blocks.  Believes nothing of what the first pass made of reads: a read
// outside the blocks finds what it saw, or there is no PASS.
#ifndef CHECKER_STREAM_REPLAY_H
#define CHECKER_STREAM_REPLAY_H

#include "checker/stream/copies.h"
#include "checker/stream/guess.h"
#include "checker/verdict/verdict.h"

struct replay_options {
  const struct check_options *check; // the level that blocks have to keep
  uint32_t most;                     // transactions of a block
};

struct order_replay {
  bool kept;            // every read found what it saw, and every block keeps
                        // the level: a proof that the history does
  struct copies copies; // where not: transactions that may show why
  uint64_t blocks, in_blocks, largest; // blocks, and transactions in them
  char why[sizeof((struct verdict *)NULL)->why]; // why not, or ""
};

// -1 with a sentence: the file cannot be read, or the guess failed its own
// proof.
int replay_make(struct order_replay *replay, struct flow *flow,
                const struct guess *guess, const struct replay_options *options,
                struct error *error);
void replay_free(struct order_replay *replay);

#endif
