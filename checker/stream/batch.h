// SPDX-License-Identifier: GPL-3.0-or-later
// Decides blocks by the engine, many at once.  Each block has keys of its own
// there, which hold at first what they held before the block: blocks tell each
// other nothing, and an order of all is an order of each.
#ifndef CHECKER_STREAM_BATCH_H
#define CHECKER_STREAM_BATCH_H

#include "checker/stream/copies.h"
#include "checker/stream/store.h"
#include "checker/verdict/verdict.h"

struct block_batch;

enum batch_answer {
  BATCH_LATER,  // it will be decided with others
  BATCH_KEPT,   // it keeps the level, and so do those before
  BATCH_BROKEN, // it, or one before, was not found to keep the level
  BATCH_WRONG,  // a read saw neither what the block wrote nor what it began
                // with
  BATCH_OPEN,   // it keeps the level, but may end otherwise than was guessed
};

// The options must outlive it.
struct block_batch *batch_open(const struct check_options *options);
void batch_close(struct block_batch *batch);

// Adds a block, its transactions in the guessed order, and takes them over.
// The store holds what the block begins with, and then what it ends with.  -1
// with a sentence where a verdict failed its own proof, else an answer.
int batch_add(struct block_batch *batch, struct copies *block,
              struct value_store *store, struct error *error);

// Decides what is left: BATCH_KEPT or BATCH_BROKEN, or -1 with a sentence.
int batch_decide(struct block_batch *batch, struct error *error);

// Did a block that was added leave several versions of a key that nobody in it
// overwrote?  What such a block ends with is a guess: a later read of another
// of these versions shows only that this guess was another one.
bool batch_had_open_ends(const struct block_batch *batch);

// After BATCH_BROKEN, BATCH_WRONG and BATCH_OPEN: the transactions, which the
// caller takes over with copies_move, and why they were not decided, or "".
struct copies *batch_copies(struct block_batch *batch);
const char *batch_why(const struct block_batch *batch);

#endif
