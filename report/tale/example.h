// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample with all that is told and drawn of it: the transactions
// concerned, their operations, the dependencies between them, and the story in
// the order of real time.  It is made from a verdict and its history, or from a
// report that was stored, and knows neither afterwards.
#ifndef REPORT_TALE_EXAMPLE_H
#define REPORT_TALE_EXAMPLE_H

#include "base/json.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "checker/verdict/verdict.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define EXAMPLE_NONE UINT32_MAX

struct example_op {
  uint32_t position;     // in its transaction, from 0
  uint64_t begin, end;   // ns since the start of the run, or TIME_UNKNOWN
  const char *kind;      // "read", as op_kind_name; "add" or "read set"
  const char *key;       // its name outside
  const char *label;     // "read x1", for pictures
  const char *sentence;  // "read x1"
  const char *raw;       // "read key 5 = 71"
  bool matters;          // the contradiction rests on it
  const char *place;     // in the user's own script: "pay.sql:6", or NULL
  const char *condition; // of a statement that searched for rows, or NULL
  const char *fault;     // what is wrong with it, in a few words, or NULL
};

struct example_txn {
  const char *name; // "T1"
  const char *id;   // "3:17"
  uint32_t session;
  uint64_t number; // in the session
  const char *outcome;
  const char *endpoint;      // host that it went to; NULL: there was only one
  const char *level;         // that it was held to; NULL: all were to the same
  uint64_t begin, end;       // ns since the start of the run, or TIME_UNKNOWN
  uint32_t first_op, end_op; // in ops
  uint32_t nleft_out;        // operations that are not shown
};

// Why `from` comes before `to`, or what `to` read from.
struct example_edge {
  const char *kind;        // "SO", "RT", "WR", "WW", "RW"
  uint32_t from, to;       // in txns
  uint32_t from_op, to_op; // in ops, or EXAMPLE_NONE
  const char *key;         // or NULL
  bool inferred;   // from the order of versions, not seen by a client itself
  bool on_cycle;   // one of those that contradict each other
  uint32_t number; // of the sentence that says why, from 1; 0: none does
  const char *sentence;
};

// A step of what the dependencies rest on.
struct example_reason {
  uint32_t number; // counted on from those of the cycle
  const char *sentence;
};

struct example_line {
  uint64_t time; // ns since the start of the run, or TIME_UNKNOWN
  const char *sentence;
};

struct example {
  struct arena arena; // holds all texts and arrays
  const char *anomaly, *also, *meaning;
  enum isolation weakest;   // the weakest level that it breaks
  enum isolation minimal;   // kept without any one of the operations;
                            // ISOLATION_NONE: another anomaly needs less
  enum isolation level;     // the one that was checked; ISOLATION_NONE: each
                            // transaction was held to its own
  struct example_txn *txns; // in the order in which they began
  uint32_t ntxns;
  struct example_op *ops;
  uint32_t nops;
  struct example_edge *edges; // those on the cycle first, in its order
  uint32_t nedges, ncycle;
  struct example_line *story;
  uint32_t nstory;
  struct example_reason *reasons;
  uint32_t nreasons;
  const char **statements; // of SQL: "3:17 SELECT * FROM t WHERE..."
  uint32_t nstatements;
  const char *contradiction; // one sentence
  uint32_t read, other; // in ops: the read that is wrong in itself and what
                        // shows that, or EXAMPLE_NONE
  bool timed;           // begin and end are known
};

// Makes the example of a verdict that is a violation, with short names
// (report/tale/names.h) unless they are to be raw.
void example_of_verdict(struct example *example, const struct history *history,
                        const struct verdict *verdict, bool raw);
// Makes the example of the "counterexample" of a stored report.  -1 with a
// sentence if the value is none.
int example_of_document(struct example *example,
                        const struct json_value *counterexample,
                        struct error *error);
void example_free(struct example *example);

// Makes the story from transactions and operations: a part of the above.
void example_tell(struct example *example);

// "1" or "a": argue_mark of a sentence.
const char *example_mark(const struct example *example, uint32_t number,
                         char *buffer);

// Writes it as an object of a report, by report/SCHEMA.md.
void example_put_json(struct json *json, const char *name,
                      const struct example *example);

// Is it known of each operation when it was answered?
bool example_times_statements(const struct example *example);

// Does it show rows of tables?
bool example_has_rows(const struct example *example);

// Are values named after the transactions that wrote them: x1?
bool example_has_short_values(const struct example *example);

// Does an operation that is shown name a value that ends in the character?
bool example_names_value(const struct example *example, char end);

// The level that holds without any one of the operations that are told; NULL:
// none is said to.  Its name or, for several levels, "the level of each
// transaction".
const char *example_kept_without_one(const struct example *example);

// Are operations shown that are in no step, for the sake of the reader?  No
// claim is made of those.
bool example_shows_more(const struct example *example);

// "0.004021 s", with as many digits as tell the instants of the example apart;
// `buffer` has 32 bytes.
const char *example_time(const struct example *example, uint64_t ns,
                         char *buffer);

#endif
