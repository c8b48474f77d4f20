// SPDX-License-Identifier: GPL-3.0-or-later
// Explores all histories of a program at a level: explore-ce of the paper
// (explore/partial.h), section 5, and explore-ce*, section 6, each history
// once, in memory that does not grow with their number.
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "explore/partial.h"
#include "explore/schedule.h"
#include "explore/share.h"

enum algorithm {
  ALGORITHM_CE,  // each history once
  ALGORITHM_DFS, // the baseline of section 7.3: orders of transactions, so that
                 // a history comes as often as it has some
};

struct explore_options {
  enum level level; // of all transactions that name none
  bool has_base;    // explore `base` instead of what the level implies
  enum level base;
  enum algorithm algorithm;
  bool no_core;          // leave core pruning out
  const uint8_t *oracle; // transactions in oracle order, or NULL: as numbered
  bool robust;           // for surveys: what is not serializable fails
  volatile const bool *stop; // may be NULL
  struct explore_share
      *share;           // tasks to take, and to give; NULL: all there are
  struct tasks *cut;    // what is below `cut_depth` choices comes in here;
  uint32_t cut_depth;   // NULL: it is explored
  bool counts_above;    // histories above the cut do not come in there
  uint64_t walks, seed; // so many walks at random; 0: all histories
  // Called with each history, which has all transactions; may be NULL.  False:
  // enough.
  bool (*leaf)(void *context, const struct partial *history);
  void *context;
};

struct explore_result {
  uint64_t histories; // of the level
  uint64_t leaves;    // that the base has and core pruning left
  uint64_t blocked;   // calls that no history came of, of the base: always 0
  uint64_t cut;       // tasks in options.cut that are no single histories
  bool stopped;       // by `stop` or `leaf`
};

// -1 with a sentence if a transaction does too much.
int explore(const struct program *program,
            const struct explore_options *options,
            struct explore_result *result, struct error *error);

// Cuts the exploration into `wanted` tasks or more, if it has so many, the same
// ones in each process.  -1 as explore does.
int explore_cut(const struct program *program,
                const struct explore_options *options, uint32_t wanted,
                struct tasks *tasks, struct error *error);

bool explore_is_stopped(const struct explore_options *options);

// The level of each transaction, by its number; of the initial one: cc.
void explore_levels(const struct program *program, enum level level,
                    uint8_t levels[PROGRAM_MAX_TXNS + 1]);

#endif
