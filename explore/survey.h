// SPDX-License-Identifier: GPL-3.0-or-later
// The sum of all histories of a program at a level: how many there are, how
// many outcomes, how many no serial order explains, and which break an
// assertion; and of those a smallest program that still does.
#ifndef EXPLORE_SURVEY_H
#define EXPLORE_SURVEY_H

#include "explore/explore.h"
#include "explore/outcomes.h"
#include "explore/serial.h"

enum { SURVEY_FAILURES_MAX = 64 };

struct survey_failure {
  struct failure failure;
  uint32_t line;
  uint64_t histories;
};

struct survey_options {
  struct explore_options explore; // without a leaf
  bool assert_only;               // count neither outcomes nor serial ones
  bool verify;                    // have the checker judge each history
  bool first;                     // stop at the first broken assertion
  uint32_t threads;               // 0: one
  uint32_t part, nparts;          // only this one of so many; 0, 0: all
  uint32_t rank, nranks;          // of a process that has a share; 0, 0: all
  uint64_t *counted;              // histories so far, for others; or NULL
  uint64_t most;                  // enough once `counted` has so many; 0: never
  size_t memory;                  // bytes of the process at most; 0: no limit
};

// Zero-initialised is ready to use.  Free it.
struct survey {
  struct explore_result result; // but for `stopped` and `cut`
  struct tasks open;            // what is still to be explored
  bool goes_on;                 // `open` says where; else from the beginning
  bool is_too_large;            // it stopped at the limit of memory
  struct outcomes outcomes;
  uint64_t not_serializable, failing;
  uint64_t refuted; // that the checker does not find to keep their level
  uint32_t most_operations;
  uint32_t nfailures; // by line
  struct survey_failure failures[SURVEY_FAILURES_MAX];
};

// Adds what is still open to the survey.  -1 with a sentence if the program
// does too much.
int survey_run(const struct program *program,
               const struct survey_options *options, struct survey *survey,
               struct error *error);
void survey_free(struct survey *survey);
// Adds what `from` counted and what it left open, and frees it.
void survey_add(struct survey *survey, struct survey *from);
void survey_add_failure(struct survey *survey, struct failure failure,
                        uint32_t line, uint64_t histories);

// The first failure of the history in the order of transactions; its kind is
// FAILURE_NONE if there is none.
struct failure history_failure(const struct partial *history);
bool failure_equals(struct failure a, struct failure b);
// The line of the assertion or of the fault.
uint32_t failure_line(const struct program *program, struct failure failure);

// Leaves transactions out of the program as long as some history of the level
// still fails as said, and calls `show` with such a history of what is left. If
// a history fails that no serial order explains, only such ones count: an
// assertion about all transactions fails anyhow when some are left out.
// False if that was stopped before one was found.
bool survey_smallest(struct program *program,
                     const struct explore_options *options,
                     struct failure failure,
                     void (*show)(void *context, const struct partial *history),
                     void *context);

#endif
