// SPDX-License-Identifier: GPL-3.0-or-later
// One session: a connection, the workload's plans for it, and its session log,
// as an automaton that moves by one step (one call of the driver) at a time.
// Whether a thread moves one session or interleaves many is the crew's
// business.
#ifndef RUNNER_SESSION_H
#define RUNNER_SESSION_H

#include "base/clock.h"
#include "own/play.h"
#include "recorder/record/recording.h"
#include "runner/doubt.h"
#include "runner/outage.h"
#include "runner/pack.h"
#include "runner/route.h"
#include "runner/runner.h"
#include "runner/tally.h"

#include <pthread.h>
#include <stdalign.h>

enum { CACHE_LINE = 64 };

// The parts of a run that all sessions read.
struct run_context {
  const struct run_options *options;
  const struct driver *driver;
  struct recording *recording; // NULL: nothing is recorded
  uint64_t start;              // all times are of clock_read
  uint64_t deadline;           // UINT64_MAX: none
  uint64_t warmup_end;         // by time; start: no warm-up; UINT64_MAX: not by
                               // time
  uint64_t warmup_count;       // transactions of a session; likewise
  struct tables *tables;       // of statements; NULL: plans
  char *question;   // the invariant as the database's own SQL; NULL: there is
                    // none, or it is a statement
  double gap;       // mean ns between intended starts in a session;
                    // 0: no rate
  struct pack pack; // how far each is: all else stays what it is
  // Set once another rank stops; NULL: there is none.
  const volatile sig_atomic_t *others;
  struct outage *outage; // but for this, which is for people only
};

// True once nothing new is to be started: the caller said so, or the history
// cannot be recorded any more.
bool run_is_told_to_stop(const struct run_context *run);

// The machine's clock, or one that counts steps: 1 us each, and 1 ns for every
// look at it, so that no two times are equal.
struct step_clock {
  bool counts_steps;
  uint64_t now;
};

static inline uint64_t clock_read(struct step_clock *clock) {
  return clock->counts_steps ? ++clock->now : clock_now();
}

enum session_state { // what the next step will do
  SESSION_START,     // begin the next transaction, or end the session
  SESSION_RETRY,     // begin another attempt, or give the transaction up
  SESSION_BEGIN,     // begin the attempt at the host that was chosen for it
  SESSION_OPERATION, // execute the operation at `next`
  SESSION_STATEMENT, // execute the statement
  SESSION_COMMIT,
  SESSION_RESOLVE,   // ask what became of the transaction
  SESSION_RECONNECT, // the connection broke: open another one, then resume
  SESSION_ENDED
};

enum session_end { // why it ended
  SESSION_DONE,    // all transactions done, or time over
  SESSION_STOPPED, // told to stop
  SESSION_LOST     // could not connect, or not again
};

// The workload's closing plans, which all sessions that can execute: each takes
// the next one.
struct closing {
  pthread_mutex_t mutex;
  void *workload_state;   // of session 0, which makes the plans
  const uint64_t *nplans; // of every session
  bool over;
  uint32_t table; // of statements: the next one to be read
};

struct session {
  alignas(CACHE_LINE) const struct run_context *run;
  const struct driver *driver;
  struct connection *connection; // to the host where `route` is; NULL: none
  struct connection *connections[ENDPOINTS_MOST]; // NULL: not needed, or broken
                                                  // and not replaced yet
  struct route route;
  struct session_log *log;  // NULL: nothing is recorded
  struct step_clock *clock; // its thread's
  uint32_t number;
  bool solo;     // alone on its thread: the end of one attempt may serve as the
                 // beginning of the next, and the clock is read once for both
  bool op_times; // record the times of operations or statements
  enum session_state state;
  enum session_end end;
  uint64_t wake; // the next step is not due before; 0: at once
  uint64_t now;  // end of the last attempt, if that can be the next beginning

  // The transaction: operations from `first` up to `last` of the plan.
  struct plan plan;
  uint32_t first, last, next;
  const struct driver_level *level;
  uint32_t tries;
  uint64_t started; // intended start, or the first attempt's begin
  uint64_t attempt_start;
  uint64_t nwrites;     // sequence number of the next write
  uint64_t first_write; // of the attempt
  uint32_t host;        // where it was made
  struct doubt doubt;   // about it
  struct value_list list;

  // Sessions of statements (runner/program.h).
  const struct row_programs *programs; // NULL: plans
  struct row_program program;
  struct statement statement; // the next one
  struct row_list rows;       // of the last one
  uint32_t closing_table;     // that a closing transaction reads
  bool asks; // the transaction is the question of the invariant, told `answer`
  struct invariant_answer answer;

  // Sessions of texts (runner/text.h).
  bool texts;
  enum raw_turn turn; // what the next step is
  const struct raw_step *raw_step;
  uint32_t raw_place; // of the statement, or RAW_NO_PLACE
  const char *raw_text;
  struct sql_tokens tokens; // of the text
  struct instrument_answer raw_answer;

  void *workload_state;
  uint64_t nplans, ntransactions;
  uint64_t next_level_ask; // transactions after which to ask for the level;
                           // UINT64_MAX: the driver cannot tell it
  struct pack_view others;
  struct closing *closing;       // once the run is to be closed; else NULL
  struct operation *closing_ops; // of its closing plan

  gsl_rng *pace;
  gsl_rng *levels;        // NULL: all transactions are at one
  uint64_t intended;      // under a rate: start of the next transaction
  uint64_t measured_from; // start of the first one after the warm-up; or 0

  uint64_t lost_at;         // while reconnecting: since when
  uint64_t reconnect_pause; // likewise: the last one, in ns
  enum session_state resume;
  uint64_t resume_wake;
  struct error error; // why it could not connect, or not again

  // Only for drivers that execute whole plans.
  struct operation *ops;
  struct value_list *lists;

  struct tally tally;
};

// Opens the workload; `session` was zeroed.
void session_init(struct session *session, const struct run_context *run,
                  uint32_t number, struct step_clock *clock, bool solo);
void session_fini(struct session *session);

// Opens the connections, on the thread that will move the session.  Where that
// fails it returns -1, and the session has ended as SESSION_LOST.
int session_open(struct session *session);

// The run begins now: run->start and what depends on it are set.
void session_start(struct session *session, struct session_log *log);

// One step.  It is due (`wake` is over, or the run was told to stop), and the
// session has not ended.
void session_step(struct session *session);

// Makes an ended session take part in the workload's closing plans, if it has
// any and the session is able to: the session is stepped again until it has
// ended.  `closing` stays until then.
void session_close(struct session *session, struct closing *closing);

// The server had left the transaction, and may have executed the operation or
// statement at hand, which is noted next, outside of it: that is a transaction
// of its own from here on, behind one that was aborted.
void session_part(struct session *session);

#endif
