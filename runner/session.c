// SPDX-License-Identifier: GPL-3.0-or-later
// A session as an automaton (runner/session.h).
//
//   START -> (BEGIN) -> OPERATION ... -> COMMIT -> START ... -> ENDED
//
// An attempt that aborted goes to RETRY instead of START; a connection that
// broke goes to RECONNECT first.  Sessions never wait in here: a step that is
// not due yet leaves its time in `wake`.
#include "config.h"

#include "runner/session.h"

#include "base/memory.h"
#include "base/random.h"
#include "runner/execute.h"

#include <assert.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>

#define MS_IN_NS (NS_PER_SECOND / 1000)
#define FIRST_BACKOFF MS_IN_NS
#define LONGEST_BACKOFF NS_PER_SECOND
#define GIVE_UP_RECONNECTING (30 * NS_PER_SECOND)
#define LONGEST_GAP 1e17 // three years, which can be added to any time

bool run_is_told_to_stop(const struct run_context *run) {
  const volatile sig_atomic_t *stop = run->options->stop;
  return (stop && __atomic_load_n(stop, __ATOMIC_RELAXED)) ||
         (run->recording && recording_failed(run->recording));
}

// Closing plans come after the deadline.
static bool is_past_deadline(const struct session *s, uint64_t now) {
  return !s->closing && now >= s->run->deadline;
}

static bool is_over(const struct session *s, uint64_t now) {
  return run_is_told_to_stop(s->run) || is_past_deadline(s, now);
}

// The transactions that the database's slowness kept from beginning: the one
// that is due, and as many as are to be expected from then on.
static void count_not_begun(struct session *s, uint64_t now) {
  const uint64_t end = now < s->run->deadline ? now : s->run->deadline;
  if (s->run->gap > 0 && !s->closing && s->intended < end)
    s->tally.sum.not_begun +=
        1 + (uint64_t)((double)(end - s->intended) / s->run->gap);
}

static void end_session(struct session *s, enum session_end end) {
  s->state = SESSION_ENDED;
  s->wake = 0;
  if (s->end == SESSION_DONE)
    s->end = end;
}

// A Poisson process in every session makes one of all sessions together.
static uint64_t next_gap(struct session *s) {
  const double gap = gsl_ran_exponential(s->pace, s->run->gap);
  return (uint64_t)(gap < LONGEST_GAP ? gap : LONGEST_GAP);
}

// Decides when the next transaction begins.
static void plan_next_start(struct session *s, uint64_t now) {
  const struct run_options *options = s->run->options;
  s->state = SESSION_START;
  s->wake = 0;
  if (s->closing)
    return;
  if (options->transactions && s->ntransactions >= options->transactions) {
    end_session(s, SESSION_DONE);
    return;
  }
  if (s->run->gap > 0) {
    s->intended += next_gap(s);
    s->wake = s->intended > now ? s->intended : 0;
  } else if (options->think_time && s->ntransactions) {
    s->wake = now + options->think_time;
  }
  if (s->wake > s->run->deadline)
    s->wake = s->run->deadline;
}

// The next operation of a plan whose operations are transactions, or the next
// plan; false if closing is over.
static bool take_transaction(struct session *s) {
  const struct workload *workload = s->run->options->workload;
  if (s->last < s->plan.nops) {
    s->first = s->last++;
    return true;
  }
  if (!s->closing) {
    workload->next(s->workload_state, &s->plan);
    s->nplans++;
  } else if (!workload->closing(s->workload_state, s->closing, &s->plan)) {
    return false;
  }
  assert(s->plan.nops <= PLAN_MAX_OPS && (s->plan.nops || !s->plan.one_by_one));
  s->first = 0;
  s->last = s->plan.one_by_one ? 1 : s->plan.nops;
  return true;
}

static bool is_measured(const struct session *s) {
  return !s->closing && (s->started >= s->run->warmup_end ||
                         s->ntransactions >= s->run->warmup_count);
}

static void finish_transaction(struct session *s, enum outcome outcome,
                               uint64_t now) {
  if (outcome == OUTCOME_OK)
    tally_latency(&s->tally, s->plan.shape, now - s->started,
                  s->last - s->first);
  else
    s->last = s->plan.nops; // what follows one by one may depend on it
  if (outcome == OUTCOME_ABORTED)
    tally_given_up(&s->tally);
  plan_next_start(s, now);
}

static void reconnect_before(struct session *s, uint64_t now) {
  s->driver->disconnect(s->connection);
  s->connection = NULL;
  s->lost_at = now;
  s->backoff = 0;
  s->resume = s->state;
  s->resume_wake = s->wake;
  s->state = SESSION_RECONNECT;
  s->wake = 0;
}

static void end_attempt(struct session *s, enum outcome outcome,
                        enum cause cause) {
  const uint64_t now = clock_read(s->clock);
  const uint64_t start = s->run->start;
  if (s->tape)
    tape_end(s->tape, outcome, cause, now);
  tally_end(&s->tally, s->plan.shape, outcome, cause, now - start);
  s->now = s->solo ? now : 0;
  s->wake = 0;
  if (outcome == OUTCOME_ABORTED && s->tries < s->run->options->max_tries)
    s->state = SESSION_RETRY;
  else
    finish_transaction(s, outcome, now);
  if (s->connection->broken && s->state != SESSION_ENDED)
    reconnect_before(s, now);
}

// A driver that does not say why still has its transaction counted.
static enum cause note_failure(struct session *s) {
  const struct connection *c = s->connection;
  const enum cause cause = c->cause == CAUSE_NONE ? CAUSE_OTHER : c->cause;
  tally_failure(&s->tally, cause, c->code, c->text);
  return cause;
}

static void abort_attempt(struct session *s) {
  const enum cause cause = note_failure(s);
  if (!s->connection->broken)
    s->driver->rollback(s->connection);
  end_attempt(s, OUTCOME_ABORTED, cause);
}

static void delay_next_step(struct session *s) {
  const uint64_t delay = s->run->options->op_delay;
  s->wake = delay ? clock_read(s->clock) + delay : 0;
}

static void begin_attempt(struct session *s, uint64_t now) {
  const struct driver_level *level = s->run->options->level;
  s->tries++;
  s->next = s->first;
  s->wake = 0;
  tally_begin(&s->tally, s->plan.shape);
  if (s->tape)
    tape_begin(s->tape, level->claimed, now);
  if (s->driver->transact) {
    const enum outcome outcome = execute_transaction(s);
    end_attempt(s, outcome,
                outcome == OUTCOME_OK ? CAUSE_NONE : note_failure(s));
  } else if (s->driver->begin(s->connection, level) != OUTCOME_OK) {
    abort_attempt(s);
  } else {
    s->state = s->next < s->last ? SESSION_OPERATION : SESSION_COMMIT;
  }
}

static uint64_t begin_time(struct session *s) {
  return s->now ? s->now : clock_read(s->clock);
}

static void step_start(struct session *s) {
  const uint64_t now = s->wake ? clock_read(s->clock) : begin_time(s);
  const bool stopped = run_is_told_to_stop(s->run);
  if (stopped || is_past_deadline(s, now)) {
    count_not_begun(s, now);
    end_session(s, stopped ? SESSION_STOPPED : SESSION_DONE);
    return;
  }
  if (!take_transaction(s)) {
    end_session(s, SESSION_DONE);
    return;
  }
  s->started = s->run->gap > 0 && !s->closing ? s->intended : now;
  s->tries = 0;
  s->tally.measuring = is_measured(s);
  if (s->tally.measuring && !s->measured_from)
    s->measured_from = s->started;
  tally_transaction(&s->tally);
  s->ntransactions++;
  begin_attempt(s, now);
}

static void step_retry(struct session *s) {
  const uint64_t now = begin_time(s);
  if (is_over(s, now))
    finish_transaction(s, OUTCOME_ABORTED, now);
  else
    begin_attempt(s, now);
}

static void step_operation(struct session *s) {
  if (execute_operation(s) != OUTCOME_OK) {
    abort_attempt(s);
    return;
  }
  if (s->next == s->last)
    s->state = SESSION_COMMIT;
  delay_next_step(s);
}

static void step_commit(struct session *s) {
  const enum outcome outcome = s->driver->commit(s->connection);
  end_attempt(s, outcome, outcome == OUTCOME_OK ? CAUSE_NONE : note_failure(s));
}

static void stop_reconnecting(struct session *s, enum session_end end,
                              uint64_t now) {
  if (s->resume == SESSION_RETRY)
    tally_given_up(&s->tally);
  count_not_begun(s, now);
  end_session(s, end);
}

static void step_reconnect(struct session *s) {
  s->now = 0;
  if (run_is_told_to_stop(s->run)) {
    stop_reconnecting(s, SESSION_STOPPED, clock_read(s->clock));
    return;
  }
  if (s->driver->connect(s->run->options->target, s->number, &s->connection,
                         &s->error) == 0) {
    s->state = s->resume;
    s->wake = s->resume_wake;
    return;
  }
  s->connection = NULL;
  const uint64_t now = clock_read(s->clock);
  s->backoff = s->backoff ? 2 * s->backoff : FIRST_BACKOFF;
  if (s->backoff > LONGEST_BACKOFF)
    s->backoff = LONGEST_BACKOFF;
  s->wake = now + s->backoff;
  if (now - s->lost_at >= GIVE_UP_RECONNECTING || is_past_deadline(s, now))
    stop_reconnecting(s, SESSION_LOST, now);
}

int session_init(struct session *s, const struct run_context *run,
                 uint32_t number, struct step_clock *clock, bool solo,
                 struct error *error) {
  const struct run_options *options = run->options;
  s->run = run;
  s->driver = run->driver;
  s->clock = clock;
  s->number = number;
  s->solo = solo && !clock->counts_steps;
  s->state = SESSION_ENDED;
  s->workload_state =
      options->workload->open(&options->workload_options, number);
  s->pace = random_stream(options->workload_options.seed, number, RANDOM_PACE);
  tally_init(&s->tally, options->workload, options->duration);
  if (s->driver->transact) {
    s->ops = xcalloc(PLAN_MAX_OPS, sizeof *s->ops);
    s->lists = xcalloc(PLAN_MAX_OPS, sizeof *s->lists);
  }
  if (s->driver->connect(options->target, number, &s->connection, error) == 0)
    return 0;
  s->connection = NULL;
  return -1;
}

void session_fini(struct session *s) {
  if (!s->run)
    return;
  if (s->connection)
    s->driver->disconnect(s->connection);
  s->run->options->workload->close(s->workload_state);
  gsl_rng_free(s->pace);
  tally_fini(&s->tally);
  value_list_free(&s->list);
  for (int i = 0; s->lists && i < PLAN_MAX_OPS; i++)
    value_list_free(&s->lists[i]);
  free(s->lists);
  free(s->ops);
}

void session_start(struct session *s, struct tape *tape) {
  s->tape = tape;
  s->op_times = tape && s->run->options->op_times;
  s->intended = s->run->start;
  plan_next_start(s, s->run->start);
}

// Indexed by state.
static void (*const steps[])(struct session *) = {
    [SESSION_START] = step_start,         [SESSION_RETRY] = step_retry,
    [SESSION_OPERATION] = step_operation, [SESSION_COMMIT] = step_commit,
    [SESSION_RECONNECT] = step_reconnect,
};

void session_step(struct session *s) {
  assert(s->state != SESSION_ENDED);
  steps[s->state](s);
}

void session_close(struct session *s, const uint64_t *nplans) {
  assert(s->state == SESSION_ENDED);
  if (!s->run->options->workload->closing || s->end != SESSION_DONE)
    return;
  s->closing = nplans;
  s->plan.nops = s->last = 0;
  s->now = 0;
  plan_next_start(s, 0);
  if (s->connection->broken)
    reconnect_before(s, clock_read(s->clock));
}
