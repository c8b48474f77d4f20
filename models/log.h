// SPDX-License-Identifier: GPL-3.0-or-later
// A log of operations whose values may be anything: Jepsen's tests write one,
// an event for each time that a process invokes or completes an operation, as
// EDN or JSON.
#ifndef MODELS_LOG_H
#define MODELS_LOG_H

#include "base/error.h"
#include "base/outcome.h"
#include "recorder/builder/number_map.h"
#include "recorder/builder/text_map.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum log_kind {
  LOG_NIL,
  LOG_INTEGER,
  LOG_TEXT, // of any other scalar, as it stands in the file, without quotes
  LOG_LIST, // or a set
  LOG_MAP   // keys and values by turns
};

// The number of a value in the log; LOG_NOTHING: nil, or none was given.
typedef uint32_t log_id;
#define LOG_NOTHING ((log_id)0)

struct log_value {
  enum log_kind kind;
  uint32_t count; // of elements; a map has two for each of its keys
  log_id first;   // element, if there is one
  log_id next;    // element of the same collection, or LOG_NOTHING
  union {
    int64_t integer;
    uint32_t text; // in log.texts
  };
};

// An instant that no event of the log has.
#define LOG_NEVER UINT64_MAX

// An operation.  Instants are numbers of events in the order of the file.
struct log_op {
  uint32_t f;         // its function's name, in log.texts
  uint64_t process;   // UINT64_MAX: the file names none
  uint64_t invoked;   // 0: before the first event
  uint64_t completed; // LOG_NEVER: nobody knows when, or whether
  enum outcome outcome;
  log_id asked, answered; // the values of its two events
  uint64_t line;          // of its last event in the file, from 1
};

// Zero-initialised is empty.
struct log {
  struct log_value *values; // the first is LOG_NOTHING
  struct log_op *ops;       // in the order of their first events
  uint32_t nvalues, nops;
  uint32_t values_room, ops_room;
  struct text_map texts;
};

// Reads a file.  -1 with a sentence that names file, line and column.  The
// caller frees the log in either case.
int log_read(struct log *log, const char *path, const volatile bool *stop,
             struct error *error);
void log_free(struct log *log);

// Is the operation's function called so?
bool log_op_is(const struct log *log, const struct log_op *op,
               const char *name);

// The value that an operation is known by: the answer, or else the question.
static inline log_id log_op_value(const struct log_op *op) {
  return op->answered ? op->answered : op->asked;
}

// In a log without invocations an operation begins when it ends.
static inline uint64_t log_op_began(const struct log_op *op) {
  return op->invoked ? op->invoked : op->completed;
}

static inline const struct log_value *log_value(const struct log *log,
                                                log_id id) {
  return &log->values[id];
}

// Writes the value as EDN, with at most so many elements of each collection.
void log_print(const struct log *log, log_id id, uint32_t elements, FILE *out);

// Numbers of values, so that equal values have one number.  Zero-initialised is
// empty.
struct value_numbers {
  struct number_map integers;
  struct text_map others; // as EDN
};

// Below value_numbers_end.
uint32_t value_number(struct value_numbers *numbers, const struct log *log,
                      log_id id);
uint32_t value_numbers_end(const struct value_numbers *numbers);
void value_numbers_free(struct value_numbers *numbers);

#endif
