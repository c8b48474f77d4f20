// SPDX-License-Identifier: GPL-3.0-or-later
// Histories of workloads that are tests of Jepsen, held against their models:
// each transaction is an operation of the log that Jepsen would have written.
// Workloads whose rows come in batches, or are counters, have a log for each,
// as Jepsen's tests of independent keys have.
//
// A history says which version of a row was read, and what was written to that
// version: that is what the read is taken to have seen.
#ifndef MODELS_TESTS_H
#define MODELS_TESTS_H

#include "models/models.h"
#include "recorder/history.h"

// An operation that proves a broken promise.
struct test_op {
  bool at_first;        // what was there before all transactions
  uint32_t session;     // of the transaction...
  uint32_t number;      // ...which is the so manieth of it, from 0
  uint64_t begun;       // ns since the start of the run
  const char *function; // such as "read"; a constant string
  char *value;          // as EDN, shortened
  enum outcome outcome;
};

struct test_answer {
  const struct log_model *model;
  struct model_answer is; // its `shown` are of no log that is still there
  const char *part;       // "counter" or "batch": where; NULL: there is one log
  int64_t number;         // of the part, if a promise was broken
  struct test_op shown[MODEL_SHOWN];
  uint64_t operations;
};

// The model of the workload of that name, or NULL.
const struct log_model *test_model(const char *workload);

// Holds a history of the workload, which has a model, against it.  -1 with a
// sentence if it is no such history.  Free the answer in both cases.
int test_check(const char *workload, const struct history *history,
               struct test_answer *answer, struct error *error);

// Holds a history that says of which workload it is against the model of
// that workload with options (models/models.h).
int test_check_model(const struct log_model *model, const int64_t *options,
                     const struct history *history, struct test_answer *answer,
                     struct error *error);
void test_answer_free(struct test_answer *answer);

#endif
