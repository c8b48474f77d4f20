// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a file in our own format that is too large to be loaded, in memory
// that grows with its keys and not with its length: checker/stream/STREAM.md.
#ifndef CHECKER_STREAM_STREAM_H
#define CHECKER_STREAM_STREAM_H

#include "checker/stream/guess.h"
#include "checker/verdict/verdict.h"

struct stream_options {
  struct check_options check;
  uint32_t most_block; // transactions that are put in order at once; 0: usual
  struct guess_options guess; // `remembered` 0: usual, all of them
};

struct stream_result {
  struct verdict verdict;
  struct history part; // of a violation, which is about it
  uint64_t nkeys;
  uint64_t blocks, in_blocks, largest; // what was put in order, and how many
};

// PASS: the guessed order was executed, and each block of it put in order and
// proved as `check` does; the verdict has no order then.  VIOLATION: the
// verdict that `check` gives on the part, which is proved, with the counts of
// the whole.  UNDECIDED: with a reason.  -1 with a sentence: the file cannot be
// read, or a verdict failed its own proof.
int stream_check(struct flow *flow, const struct stream_options *options,
                 struct stream_result *result, struct error *error);
void stream_result_free(struct stream_result *result);

#endif
