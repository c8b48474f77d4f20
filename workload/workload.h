// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of a workload: it proposes plans, and knows nothing of databases
// or histories.  A workload is one short file, a name in planner.h and one row
// of the table in workloads.c.
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include "base/error.h"
#include "base/operation.h"
#include "workload/program.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stdint.h>

enum distribution {
  DISTRIBUTION_UNIFORM,
  DISTRIBUTION_ZIPFIAN,
  DISTRIBUTION_HOTSPOT,
  DISTRIBUTION_EXPONENTIAL,
  DISTRIBUTION_COUNT
};

struct script_workload;
struct raw_scripts;

enum { WORKLOAD_MAX_SHAPES = 13 };
#define WORKLOAD_MAX_KEYS UINT64_C(4000000000)

// The options that a user may set; see workload_defaults.  The table in
// workloads.c has their ranges.
struct workload_options {
  uint64_t seed;
  uint32_t nsessions;
  uint64_t nkeys; // append: lists in use at one time; older ones are left
                  // alone and new ones come, with numbers beyond nkeys
  enum distribution distribution;
  double theta;      // zipfian: exponent, above 0
  double hot_ops;    // hotspot: this share of the operations...
  double hot_keys;   // ...goes to this share of the keys
  double decay;      // exponential: this share of the operations goes to the
                     // first tenth of the keys
  uint32_t ops;      // general, append: operations per transaction
  double read_ratio; // general, append: share of reads; 0: the workload's own.
                     // It rules the shape `mixed`; general makes all its
                     // transactions mixed when it is set and no share is
  double long_share; // general: share of long transactions...
  uint32_t long_ops; // ...of so many operations
  uint32_t max_length;  // append: elements, on average, after which a list is
                        // left alone
  uint32_t statements;  // predicate: of a transaction, at most
  uint64_t scale;       // tpcc, tpcc-pc: warehouses; twitter: 500 users each
  double twins;         // share of the transactions that two sessions begin
                        // together, with the same choices (workload/twins.h)
  double predicates[3]; // predicate: shares of conditions by equality, range
                        // and remainder
  bool reuse_keys;      // predicate: inserted keys may have been deleted
  const struct script_workload *scripts; // of scripts alone (scripts.h)
  const struct raw_scripts *own;         // of texts alone (own/play.h)
  const struct aim
      *aim; // mt, predicate: what to look for, instead of all that follows
            // and the distribution; NULL: all (workload/aim.h)
  // Shares of the workload's shapes in the order of its table; they are scaled
  // to sum to one.  All zero: the workload's own defaults.
  double shape_share[WORKLOAD_MAX_SHAPES];
};

// Everything at its default; seed 0.
void workload_defaults(struct workload_options *options);

struct shape {
  const char *name; // "read-modify-write of two keys" is "rmw2"
  double share;     // the default
  const char *help;
};

struct workload {
  const char *name;
  const char *summary;        // one line for `isostress list`
  const struct shape *shapes; // ends with a NULL name
  unsigned needs;             // set of 1 << kind it uses, for the driver check
  uint64_t min_keys;          // nkeys is at least this; 0 means 1
  bool lists;                 // its keyspace, see struct keyspace
  bool preload;

  // Required.  Called once per session and run, before the first plan; the
  // result is passed to every other call of that session and freed by close.
  // Options have been checked by workload_check.
  void *(*open)(const struct workload_options *options, uint32_t session);
  void (*close)(void *state);

  // Transactions are statements on tables of rows, in place of plans, and
  // all that follows but `lead` is missing.  Else NULL.
  const struct row_programs *programs;

  // Transactions are the user's own SQL (own/play.h), in place of plans, and
  // all that follows is missing.
  bool texts;

  // Required.  The session's next transaction, which depends on the options,
  // the session and how often next was called before, on nothing else.  The
  // plan's operations are the workload's and stay until the next call.
  void (*next)(void *state, struct plan *plan);

  // Not required.  The number of plans, at least 1, by which a session may be
  // ahead of the slowest one, so that sessions meet.  Without it: any number.
  uint64_t (*lead)(const struct workload_options *options);

  // Not required.  After the last `next` of all sessions, they execute closing
  // plans, each by one of them, until this returns false for the state of
  // session 0: reads that make the end of the run visible.  One call at a time,
  // from any thread; the plan stays until the next one.  `transactions[s]` says
  // how often next was called in session s.
  bool (*closing)(void *state, const uint64_t *transactions, struct plan *plan);
};

// All workloads, ending with NULL; the default first.
extern const struct workload *const workloads[];

// By name; NULL with a sentence that names the nearest.
const struct workload *workload_find(const char *name, struct error *error);

// 0, or -1 with a sentence that names the option and its range.
int workload_check(const struct workload *workload,
                   const struct workload_options *options, struct error *error);

// The number of shapes in the workload's table.
uint32_t workload_shapes(const struct workload *workload);

// "uniform"...; distribution_parse returns -1 with a sentence.
const char *distribution_name(enum distribution distribution);
// One line for `isostress list`.
const char *distribution_summary(enum distribution distribution);
int distribution_parse(const char *name, enum distribution *distribution,
                       struct error *error);

#endif
