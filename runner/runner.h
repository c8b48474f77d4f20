// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a target under the transactions of a workload from many sessions, and
// records what they saw.
#ifndef RUNNER_RUNNER_H
#define RUNNER_RUNNER_H

#include "base/error.h"
#include "base/histogram.h"
#include "drivers/driver.h"
#include "drivers/endpoints.h"
#include "own/run.h"
#include "recorder/events.h"
#include "recorder/record/backpressure.h"
#include "runner/series.h"
#include "workload/invariant.h"
#include "workload/workload.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct fleet; // runner/fleet.h

// Cumulative, for the progress line.
struct run_progress {
  uint64_t elapsed; // ns since the start
  uint64_t committed, aborted, unknown;
  uint64_t refused; // of those that aborted
};

// Levels of the driver, of which each transaction draws one.
enum { LEVEL_MIX_MOST = 16 };
struct level_mix {
  uint32_t count;
  const struct driver_level *level[LEVEL_MIX_MOST];
  double share[LEVEL_MIX_MOST]; // above 0; of their sum
  // per shape of transactions, where the shape decides; else NULL
  const struct driver_level *of_shape[WORKLOAD_MAX_SHAPES];
};

// How long a session waits before it tries an aborted transaction again; each
// pause is drawn between half of it and one and a half times as much.
enum backoff_kind {
  BACKOFF_NONE,
  BACKOFF_FIXED,
  BACKOFF_EXPONENTIAL, // twice as long after each attempt, up to 1024 times
};
struct backoff {
  enum backoff_kind kind;
  uint64_t pause; // ns, the first one
};

// How often the invariant was asked for in a transaction that committed, and
// was another number; the first of these, and its time since the start in ns.
struct invariant_figures {
  uint64_t checked, broken, first_at;
  struct invariant_answer first;
};

// Checked by the caller: the workload's options by workload_check.
struct run_options {
  struct target *target;
  const struct endpoints *endpoints; // all hosts, `target` first; NULL: alone
  enum routing routing;              // which of them sessions speak to
  bool resolve_unknown; // ask the database afterwards what became of a
                        // transaction whose answer was lost, as far as it can
                        // be known for certain (runner/doubt.h)
  const struct driver_level *level;
  const struct level_mix *mix; // NULL: all transactions at `level`
  const struct workload *workload;
  const struct invariant *invariant; // of its tables; NULL: none is checked
  struct workload_options workload_options; // its seed and nsessions count
  uint32_t threads;       // 0: one per session; 1: one thread that interleaves
                          // all sessions operation by operation, in an order
                          // that the seed decides and with a clock of its own
                          // that counts 1 us per step (all times of the options
                          // and figures are then of that clock): equal seeds,
                          // equal histories; else the sessions are dealt out to
                          // so many threads.  Less than one per session needs a
                          // driver that never waits
  uint64_t duration;      // ns; 0: no limit
  uint64_t transactions;  // per session, retries not counted; 0: no limit
  double rate;            // transactions begun per second, all sessions
                          // together; 0: as fast as possible.  Every session
                          // draws exponential gaps between the intended starts
                          // of its transactions, which do not wait for the
                          // database: late ones follow without a pause
  uint32_t max_tries;     // attempts at one transaction, at least 1
  struct backoff backoff; // between them
  uint64_t think_time;    // ns between the transactions of a session; not
                          // together with a rate
  uint64_t op_delay;      // ns before each operation but the first, and before
                          // commit, to widen races
  double warmup;          // share of duration or count, whichever is over
                          // first, that is left out of the figures
  const char *history;    // file to record to; NULL: nothing is recorded
  struct raw_run *own;    // of a workload of texts, which records here in
                          // place of the history; else NULL
  bool op_times;          // record begin and end of every operation, which of
                          // statements always are recorded
  const char *about;      // stored in the history
  struct event_log *events;   // that may happen, which the history keeps, too;
                              // NULL: none do
  uint64_t progress_interval; // ns; 0: never
  void (*progress)(void *context, const struct run_progress *progress);
  void *progress_context;
  // Called when all sessions are connected and the history has been opened,
  // before any transaction; NULL: nobody asks.
  void (*opened)(void *context);
  void *opened_context;
  // Called with the same context when no session begins anything any more,
  // before the closing plans; NULL: nobody asks.
  void (*stopped)(void *context);
  bool endures; // sessions wait for a connection as long as the run lasts, and
                // those that have none then get one for the closing plans
  // Set by a signal handler: start nothing new, drain, record, return.  May be
  // NULL.  The signals INT, TERM and HUP are not taken by the runner's threads.
  const volatile sig_atomic_t *stop;
  // Set by another thread: likewise.  May be NULL.
  const volatile sig_atomic_t *enough;
  struct fleet *fleet; // of a run of several ranks, whose sessions the
                       // options count all together; NULL: one process
  // The pace of a reader of the history while it is recorded; NULL: no reader.
  struct backpressure *backpressure;
};

// Above so many keys, loading them all beforehand would take longer than what
// it makes visible is worth; absent keys read as VALUE_INITIAL all the same.
#define RUN_MAX_PRELOAD UINT64_C(2000000)

enum run_end { // why a run ended
  RUN_DONE,
  RUN_STOPPED,          // *stop or *enough was set
  RUN_RECORDING_FAILED, // disk full
  RUN_DATABASE_LOST,    // no session could reconnect
  RUN_DRIVER_BROKEN,    // its answers mean nothing: there is nothing to check
};

struct code_count { // one of the database's own codes
  enum cause cause;
  char code[32];
  char text[232]; // as it was worded the first time
  uint64_t count;
};

struct place_count {   // attempts that failed at one place of a user's script
  char place[96];      // "book.pgbench:6"
  char statement[104]; // its first words, or empty
  enum cause cause;
  char code[32];  // the database's own, or why the script rolled back
  char text[232]; // as the database worded it the first time, or empty
  uint64_t count;
};

struct shape_figures {
  const char *name;
  uint64_t begun, committed, aborted, unknown; // attempts
  struct histogram latency; // of committed transactions: from the intended
                            // start under a rate, else from the first attempt's
                            // start, to the end of the last attempt
};

// The counts of one session, or of all sessions, at one host.
struct session_share {
  uint32_t session;
  uint64_t begun; // attempts
};
struct endpoint_figures {
  char *name;
  uint64_t begun, committed, aborted, unknown; // attempts
  struct session_share *sessions;              // those that began any
  uint32_t nsessions;
};

struct run_second { // one second of the run, warm-up included
  uint32_t committed, aborted, unknown;
};

// One session after the warm-up.
struct session_figures {
  uint64_t committed, aborted, unknown; // attempts
  uint64_t p50, p99, longest;           // ns, latency as of a shape
};

// The figures of the time after the warm-up.  Only `seconds`, `series` and the
// `all_` counts are about the whole recording, the closing reads included.
// begun = committed + aborted + unknown; aborted = sum of by_cause;
// transactions = committed + unknown + given_up.  A transaction belongs to the
// warm-up if its (intended) start does.
struct run_figures {
  enum run_end end;
  uint64_t started_wall; // ns since 1970
  uint64_t started;      // the same moment by clock_now
  uint64_t planned;      // ns, the time that was asked for; 0: none was
  uint64_t elapsed;      // ns, the whole run
  uint64_t measured;     // ns, without the warm-up; mean of the sessions
  uint64_t setup_time;   // ns of real time, also where the run has a clock of
                         // its own: tables and connections
  uint64_t load_time;    // likewise: from there until the last session ended
  uint64_t transactions; // asked for by the workload, retries not counted
  uint64_t begun, committed, aborted, unknown; // attempts
  uint64_t given_up; // transactions whose last attempt aborted, within
                     // max_tries or because the run was over
  uint64_t retries;  // attempts at committed transactions before the one that
                     // committed
  uint64_t attempt_time; // ns, of all attempts together
  uint64_t wasted_time;  // ns, of those that aborted
  uint64_t not_begun;    // under a rate: estimate of the transactions that
                         // were due but never begun, the database being late
  uint64_t operations;   // of committed attempts
  uint64_t by_cause[CAUSE_COUNT];
  struct code_count *codes; // of aborted and unknown ones, most frequent first
  uint32_t ncodes;
  struct place_count *places; // of these where a script says which statement
                              // failed, most frequent first
  uint32_t nplaces, places_room;
  struct shape_figures *shapes; // in the order of the workload's table
  uint32_t nshapes;
  // Transactions whose answer to commit was lost and whose outcome the database
  // told later.  They are not part of `unknown`.
  uint64_t resolved_committed, resolved_aborted;
  struct endpoint_figures *endpoints; // in the order of the target; NULL: one
  uint32_t nendpoints;
  struct run_second *seconds;
  uint32_t nseconds;
  struct series series;
  struct session_figures *sessions; // in their order
  uint32_t nsessions;
  uint64_t all_begun, all_committed, all_aborted, all_unknown; // whole run
  // If the database says that a transaction was at another level than was asked
  // for: both, in its words; else empty.
  struct invariant_figures invariant;
  char level_asked[32], level_in_effect[96];
  char server[256]; // what the driver says of the database, or empty
  // The promise of the settings about acknowledged commits, and which they are.
  enum keeps_commits keeps;
  char keeps_words[240];
};

// Sets the database up, runs, and lets the sessions share the workload's
// closing plans unless the run was stopped.  Registers are preloaded, if the
// workload asks for it, up to RUN_MAX_PRELOAD keys. 0 when the run took place,
// however it ended; `error` then holds a sentence if it did not end as RUN_DONE
// or RUN_STOPPED.  -1 with a sentence when it could not start.  Free the
// figures in both cases.
int run(const struct run_options *options, struct run_figures *figures,
        struct error *error);
void run_figures_free(struct run_figures *figures);
// How many attempts aborted because the database refused them.
uint64_t run_refused(const struct run_figures *figures);

// Does the driver have the slots that the workload needs?  -1 with a sentence.
int run_check(const struct driver *driver, const struct workload *workload,
              struct error *error);

#endif
