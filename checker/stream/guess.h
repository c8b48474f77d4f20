// SPDX-License-Identifier: GPL-3.0-or-later
// The first pass: where may the guessed order be wrong?  For each key it holds
// the version that was written last.  A read of another one, or of one that is
// still to come, is a dependency against the order, and gives a span.
// checker/stream/STREAM.md says why nothing else can be wrong.
#ifndef CHECKER_STREAM_GUESS_H
#define CHECKER_STREAM_GUESS_H

#include "checker/stream/placing.h"
#include "checker/stream/spans.h"

// A read whose dependency could not be placed: of a version that was
// overwritten too long ago, or of what nobody who counts left.
struct suspect {
  uint64_t position, key, saw;
};

// For tests alone, which look for the refusal of a wrong order: rules that are
// broken.
enum broken_rule {
  RULES_KEPT = 0,
  RULE_OVERWRITTEN = 1, // no span from a read back to who overwrote it
  RULE_EARLY = 2,       // no span from a read on to who wrote it
};

struct guess_options {
  uint32_t remembered; // versions that were overwritten, a power of two: 40
                       // bytes each
  uint32_t suspects;   // stop at so many
  unsigned broken;     // of enum broken_rule
  const volatile bool *stop;
};

struct guess {
  struct spans blocks;
  struct suspect *suspects; // by position
  uint32_t nsuspects, suspect_room;
  uint64_t last; // position that was reached
  uint64_t nkeys;
  bool stopped;
  struct placing_facts facts;
};

// Goes through the flow.  -1 with a sentence.  It ends early at the first
// operation on a list, at `suspects`, or when it is stopped.
int guess_places(struct guess *guess, struct flow *flow,
                 const struct guess_options *options, struct error *error);
void guess_leave(struct guess *guess);

#endif
