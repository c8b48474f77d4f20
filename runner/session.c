// SPDX-License-Identifier: GPL-3.0-or-later
// A session as an automaton (runner/session.h).
//
//   START -> (BEGIN) -> OPERATION ... -> COMMIT -> START ... -> ENDED
//
// An attempt that aborted goes to RETRY instead of START, one whose answer was
// lost to RESOLVE first, if that was asked for; a connection that broke, or
// that the chosen host never had, goes to RECONNECT first.  Sessions never wait
// in here: a step that is not due yet leaves its time in `wake`.
#include "config.h"

#include "runner/session.h"

#include "base/memory.h"
#include "base/random.h"
#include "drivers/drivers.h"
#include "runner/connections.h"
#include "runner/execute.h"
#include "runner/level.h"
#include "runner/program.h"
#include "runner/text.h"

#include <assert.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_GAP 1e17 // three years, which can be added to any time

static bool is_flag_set(const volatile sig_atomic_t *flag) {
  return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}

bool run_is_told_to_stop(const struct run_context *run) {
  return is_flag_set(run->options->stop) || is_flag_set(run->options->enough) ||
         is_flag_set(run->others) ||
         (run->recording && recording_failed(run->recording)) ||
         (run->options->own && atomic_load(&run->options->own->is_bypassed));
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
  pack_leave(&s->run->pack, s->number);
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

// The next closing plan that no other session has taken, copied, since its
// operations are the workload's until then; false if there is none.
static bool take_closing_plan(struct session *s) {
  const struct workload *workload = s->run->options->workload;
  struct closing *closing = s->closing;
  pthread_mutex_lock(&closing->mutex);
  if (!closing->over)
    closing->over =
        !workload->closing(closing->workload_state, closing->nplans, &s->plan);
  const bool taken = !closing->over;
  if (taken) {
    const struct operation *ops = s->plan.ops;
    s->closing_ops = xrealloc(s->closing_ops, s->plan.nops, sizeof *ops);
    memcpy(s->closing_ops, ops, s->plan.nops * sizeof *ops);
    s->plan.ops = s->closing_ops;
  }
  pthread_mutex_unlock(&closing->mutex);
  return taken;
}

// The next operation of a plan whose operations are transactions, or the next
// plan; false if closing is over.
static bool take_transaction(struct session *s) {
  const struct workload *workload = s->run->options->workload;
  if (s->programs)
    return program_take(s);
  if (s->texts)
    return text_take(s);
  if (s->last < s->plan.nops) {
    s->first = s->last++;
    return true;
  }
  if (!s->closing) {
    workload->next(s->workload_state, &s->plan);
    pack_note(&s->run->pack, s->number, ++s->nplans);
  } else if (!take_closing_plan(s)) {
    return false;
  }
  assert(s->plan.nops <= PLAN_MAX_OPS && (s->plan.nops || !s->plan.one_by_one));
  s->first = 0;
  s->last = s->plan.one_by_one ? 1 : s->plan.nops;
  return true;
}

static const struct driver_level *draw_level(struct session *s) {
  const struct level_mix *mix = s->run->options->mix;
  if (!mix)
    return s->run->options->level;
  if (mix->of_shape[0]) // of the last reads of a run, too: their shape is 0
    return mix->of_shape[s->plan.shape];
  double sum = 0, draw;
  for (uint32_t i = 0; i < mix->count; i++)
    sum += mix->share[i];
  draw = gsl_rng_uniform(s->levels) * sum;
  uint32_t i = 0;
  for (; i + 1 < mix->count && draw >= mix->share[i]; i++)
    draw -= mix->share[i];
  return mix->level[i];
}

static bool is_attempt_measured(const struct session *s) {
  return !s->closing && !s->asks &&
         (s->started >= s->run->warmup_end ||
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

// To the host where the route is, then goes on with the state as it is.
static void reconnect_before(struct session *s, uint64_t now) {
  outage_begin(s->run->outage, s->number,
               s->connection ? s->connection->text : s->error.text);
  connections_lose(s, now);
  s->resume = s->state;
  s->resume_wake = s->wake;
  s->state = SESSION_RECONNECT;
  s->wake = 0;
}

// ---- Attempts

static void count_at_host(struct session *s, enum outcome outcome) {
  struct endpoint_count *count = &s->route.count[s->host];
  count->begun += s->tally.measuring;
  count->ended[outcome] += s->tally.measuring;
}

static void reconnect_if_broken(struct session *s, uint64_t now) {
  if (s->connection && s->connection->broken && s->state != SESSION_ENDED)
    reconnect_before(s, now);
}

// Chance keeps sessions that were aborted together from colliding again.
static uint64_t pause_before_retry(struct session *s) {
  const struct backoff *backoff = &s->run->options->backoff;
  if (backoff->kind == BACKOFF_NONE)
    return 0;
  const unsigned doublings = backoff->kind == BACKOFF_FIXED ? 0
                             : s->tries < 11                ? s->tries - 1
                                                            : 10;
  return (uint64_t)((double)(backoff->pause << doublings) *
                    (0.5 + gsl_rng_uniform(s->pace)));
}

static const bool *refused_writes(const struct session *s,
                                  enum outcome outcome) {
  return outcome == OUTCOME_OK && s->connection ? s->connection->refused : NULL;
}

static void end_in_log(struct session *s, enum outcome outcome,
                       enum cause cause, uint64_t now) {
  const bool *refused = refused_writes(s, outcome);
  if (refused)
    session_log_end_in_parts(s->log, refused, s->connection->cause, now);
  else
    session_log_end(s->log, outcome, cause, now);
}

static void end_attempt(struct session *s, enum outcome outcome,
                        enum cause cause) {
  const uint64_t now = clock_read(s->clock);
  if (s->log)
    end_in_log(s, outcome, cause, now);
  if (s->texts)
    text_note_end(s, outcome, cause, now);
  tally_end(&s->tally, s->plan.shape, outcome, cause, now - s->run->start,
            now - s->started);
  tally_spent(&s->tally, outcome, s->tries, now - s->attempt_start);
  count_at_host(s, outcome);
  if (s->asks && outcome == OUTCOME_OK)
    program_judge(s, now);
  const bool waited = s->log && session_log_keep_pace(s->log);
  s->now = s->solo && !waited ? now : 0;
  s->wake = 0;
  if (outcome == OUTCOME_ABORTED && cause != CAUSE_CLIENT &&
      s->tries < s->run->options->max_tries &&
      (!s->texts || text_tries_again(s))) {
    const uint64_t pause = pause_before_retry(s);
    s->state = SESSION_RETRY;
    s->wake = pause ? now + pause : 0;
    s->now = pause ? 0 : s->now;
  } else {
    finish_transaction(s, outcome, now);
  }
  reconnect_if_broken(s, now);
}

// The step of the user's script at which the session is, if it is at one.
static bool step_of_attempt(const struct session *s, struct place_count *row) {
  const char *why, *place = program_place(s, &why);
  if (s->texts)
    return text_place(s, row);
  *row = (struct place_count){0};
  if (place)
    snprintf(row->place, sizeof row->place, "%s", place);
  return place != NULL;
}

// A driver that does not say why still has its transaction counted.
static enum cause note_attempt_failure(struct session *s) {
  const struct connection *c = s->connection;
  const enum cause cause = c->cause == CAUSE_NONE ? CAUSE_OTHER : c->cause;
  const bool performs =
      s->state == SESSION_STATEMENT || s->state == SESSION_COMMIT;
  struct place_count row;
  tally_failure(&s->tally, cause, c->code, c->text);
  if (performs && step_of_attempt(s, &row))
    tally_place(&s->tally, row, cause, c->code, c->text);
  return cause;
}

static void note_begin(struct session *s, uint64_t now) {
  tally_begin(&s->tally, s->plan.shape);
  if (s->texts)
    text_note_begin(s, now);
  if (!s->log)
    return;
  session_log_begin(s->log, target_claim(s->connection->target, s->level), now);
  if (s->route.nhosts > 1)
    session_log_endpoint(s->log, s->host);
}

void session_part(struct session *s) {
  const uint64_t now = clock_read(s->clock);
  const enum cause cause = note_attempt_failure(s);
  if (s->log)
    session_log_end(s->log, OUTCOME_ABORTED, cause, now);
  tally_end(&s->tally, s->plan.shape, OUTCOME_ABORTED, cause,
            now - s->run->start, 0);
  count_at_host(s, OUTCOME_ABORTED);
  note_begin(s, now);
}

// After a failure; the outcome is unknown if a statement may have been executed
// outside of the transaction.
static void give_attempt_up(struct session *s, enum outcome outcome) {
  const enum cause cause = note_attempt_failure(s);
  assert(outcome != OUTCOME_OK);
  if (!s->connection->broken)
    s->driver->rollback(s->connection);
  end_attempt(s, outcome, cause);
}

// After commit, or a transaction as a whole.
static void end_commit(struct session *s, enum outcome outcome) {
  if (outcome == OUTCOME_UNKNOWN && s->run->options->resolve_unknown &&
      doubt_begin(&s->doubt, s)) {
    s->state = SESSION_RESOLVE;
    s->wake = s->now = 0;
    reconnect_if_broken(s, clock_read(s->clock));
  } else {
    if (refused_writes(s, outcome))
      note_attempt_failure(s);
    end_attempt(s, outcome,
                outcome == OUTCOME_OK ? CAUSE_NONE : note_attempt_failure(s));
  }
}

static void end_doubt(struct session *s, enum outcome outcome) {
  const struct doubt *doubt = &s->doubt;
  if (outcome != OUTCOME_OK)
    tally_failure(&s->tally, doubt->cause, doubt->code, doubt->text);
  tally_resolved(&s->tally, outcome);
  end_attempt(s, outcome, outcome == OUTCOME_OK ? CAUSE_NONE : doubt->cause);
}

// Once the time of the run is over, nobody is there to race with.
static inline void delay_next_step(struct session *s) {
  const uint64_t delay = s->run->options->op_delay;
  s->wake = 0;
  if (!delay || s->closing)
    return;
  const uint64_t now = clock_read(s->clock);
  if (now < s->run->deadline)
    s->wake = delay < s->run->deadline - now ? now + delay : s->run->deadline;
}

// A transaction without further statements.
static void end_program(struct session *s) {
  s->state = SESSION_COMMIT;
  if (s->texts ? !text_rolls_back(s) : !program_rolls_back(s))
    return;
  s->driver->rollback(s->connection);
  const char *why, *place = program_place(s, &why);
  struct place_count row;
  tally_failure(&s->tally, CAUSE_CLIENT, "rollback",
                "the transaction chose to roll back");
  if (place && step_of_attempt(s, &row))
    tally_place(&s->tally, row, CAUSE_CLIENT, why, "");
  end_attempt(s, OUTCOME_ABORTED, CAUSE_CLIENT);
}

static void start_operations(struct session *s) {
  if (!s->programs && !s->texts)
    s->state = s->next < s->last ? SESSION_OPERATION : SESSION_COMMIT;
  else if (s->texts ? text_start(s) : program_start(s))
    s->state = SESSION_STATEMENT;
  else
    end_program(s);
}

static void begin_attempt(struct session *s, uint64_t now) {
  const struct driver_level *level = s->level;
  s->tries++;
  s->attempt_start = now;
  s->next = s->first;
  s->wake = 0;
  s->first_write = s->nwrites;
  s->host = s->route.host;
  note_begin(s, now);
  if (s->driver->transact && !s->programs) {
    end_commit(s, execute_transaction(s));
  } else if (s->driver->begin(s->connection, level) != OUTCOME_OK) {
    give_attempt_up(s, OUTCOME_ABORTED);
  } else {
    start_operations(s);
  }
}

static bool plan_reads_only(const struct session *s) {
  if (s->programs)
    return s->program.reads_only;
  if (s->texts)
    return text_reads_only(s);
  for (uint32_t i = s->first; i < s->last; i++)
    if (op_writes(s->plan.ops[i].kind))
      return false;
  return true;
}

// At the host whose turn it is.
static void start_attempt(struct session *s, uint64_t now) {
  if (s->route.nhosts > 1) {
    route_next(&s->route, plan_reads_only(s), s->closing);
    connections_turn(s);
  }
  if (s->connection) {
    begin_attempt(s, now);
  } else {
    s->state = SESSION_BEGIN;
    reconnect_before(s, now);
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
  if (level_is_due(s)) { // in its own time
    level_ask(s);
    s->now = 0;
    reconnect_if_broken(s, clock_read(s->clock));
    return;
  }
  if (!s->closing) {
    s->wake = pack_wait(&s->run->pack, &s->others, s->nplans, now);
    if (!s->wake)
      s->wake = pack_wait_for_twin(&s->run->pack, &s->others, s->number,
                                   s->nplans, now);
    if (s->wake)
      return;
  }
  if (!take_transaction(s)) {
    end_session(s, SESSION_DONE);
    return;
  }
  s->started = s->run->gap > 0 && !s->closing ? s->intended : now;
  s->tries = 0;
  s->level = draw_level(s);
  s->tally.in_series = !s->closing && !s->asks;
  s->tally.measuring = is_attempt_measured(s);
  if (s->tally.measuring && !s->measured_from)
    s->measured_from = s->started;
  tally_transaction(&s->tally);
  s->ntransactions += !s->asks;
  start_attempt(s, now);
}

static void step_retry(struct session *s) {
  const uint64_t now = begin_time(s);
  if (is_over(s, now))
    finish_transaction(s, OUTCOME_ABORTED, now);
  else
    start_attempt(s, now);
}

static void step_begin(struct session *s) {
  const uint64_t now = begin_time(s);
  if (is_over(s, now))
    finish_transaction(s, OUTCOME_ABORTED, now);
  else
    begin_attempt(s, now);
}

static void step_operation(struct session *s) {
  const enum outcome outcome = execute_operation(s);
  if (outcome != OUTCOME_OK) {
    give_attempt_up(s, outcome);
    return;
  }
  if (s->next == s->last)
    s->state = SESSION_COMMIT;
  delay_next_step(s);
}

static void step_statement(struct session *s) {
  bool goes_on;
  const enum outcome outcome =
      s->texts ? text_step(s, &goes_on) : program_step(s, &goes_on);
  if (outcome != OUTCOME_OK) {
    give_attempt_up(s, outcome);
    return;
  }
  s->last = s->next;
  if (!goes_on)
    end_program(s);
  if (goes_on || s->state == SESSION_COMMIT)
    delay_next_step(s);
}

static void step_commit(struct session *s) {
  if (s->texts)
    text_note_commit(s);
  end_commit(s, s->driver->commit(s->connection));
}

static void step_resolve(struct session *s) {
  const enum outcome outcome = doubt_ask(&s->doubt, s);
  const uint64_t now = clock_read(s->clock);
  if (outcome != OUTCOME_UNKNOWN || run_is_told_to_stop(s->run) ||
      now - s->doubt.since >= DOUBT_PATIENCE) {
    end_doubt(s, outcome);
  } else {
    s->wake = now + DOUBT_PAUSE;
    reconnect_if_broken(s, now);
  }
}

static void stop_reconnecting(struct session *s, enum session_end end,
                              uint64_t now) {
  if (s->resume == SESSION_RETRY || s->resume == SESSION_BEGIN)
    tally_given_up(&s->tally);
  else if (s->resume == SESSION_RESOLVE)
    end_doubt(s, OUTCOME_UNKNOWN);
  count_not_begun(s, now);
  outage_end(s->run->outage, false);
  end_session(s, end);
}

static void step_reconnect(struct session *s) {
  s->now = 0;
  if (run_is_told_to_stop(s->run)) {
    stop_reconnecting(s, SESSION_STOPPED, clock_read(s->clock));
    return;
  }
  if (connections_are_over(s)) {
    stop_reconnecting(s, SESSION_LOST, clock_read(s->clock));
    return;
  }
  if (connections_regain(s)) {
    outage_end(s->run->outage, true);
    s->state = s->resume;
    s->wake = s->resume_wake;
    return;
  }
  if (s->connection) // at the next step
    return;
  const uint64_t now = clock_read(s->clock);
  s->wake = now + connections_next_pause(s);
  if (connections_are_lost(s, now) || is_past_deadline(s, now))
    stop_reconnecting(s, SESSION_LOST, now);
}

void session_init(struct session *s, const struct run_context *run,
                  uint32_t number, struct step_clock *clock, bool solo) {
  const struct run_options *options = run->options;
  s->run = run;
  s->driver = run->driver;
  s->programs = options->workload->programs;
  s->texts = options->workload->texts;
  s->clock = clock;
  s->number = number;
  s->solo = solo && !clock->counts_steps;
  s->state = SESSION_ENDED;
  s->workload_state =
      options->workload->open(&options->workload_options, number);
  s->pace = random_stream(options->workload_options.seed, number, RANDOM_PACE);
  s->level = options->level;
  s->next_level_ask = s->driver->level_query ? 0 : UINT64_MAX;
  if (options->mix)
    s->levels =
        random_stream(options->workload_options.seed, number, RANDOM_LEVEL);
  tally_init(&s->tally, options->workload, options->duration);
  if (s->driver->transact) {
    s->ops = xcalloc(PLAN_MAX_OPS, sizeof *s->ops);
    s->lists = xcalloc(PLAN_MAX_OPS, sizeof *s->lists);
  }
  route_init(&s->route, options, number);
}

int session_open(struct session *s) {
  if (!connections_open(s))
    return 0;
  s->end = SESSION_LOST;
  return -1;
}

void session_fini(struct session *s) {
  if (!s->run)
    return;
  connections_close(s);
  route_fini(&s->route);
  s->run->options->workload->close(s->workload_state);
  gsl_rng_free(s->pace);
  gsl_rng_free(s->levels);
  tally_fini(&s->tally);
  value_list_free(&s->list);
  sql_tokens_free(&s->tokens);
  instrument_answer_free(&s->raw_answer);
  row_list_free(&s->rows);
  for (int i = 0; s->lists && i < PLAN_MAX_OPS; i++)
    value_list_free(&s->lists[i]);
  free(s->lists);
  free(s->ops);
  free(s->closing_ops);
}

void session_start(struct session *s, struct session_log *log) {
  s->log = log;
  s->op_times = log && (s->run->options->op_times || s->programs);
  s->intended = s->run->start;
  plan_next_start(s, s->run->start);
}

// Indexed by state.
static void (*const steps[])(struct session *) = {
    [SESSION_START] = step_start,         [SESSION_RETRY] = step_retry,
    [SESSION_BEGIN] = step_begin,         [SESSION_RESOLVE] = step_resolve,
    [SESSION_OPERATION] = step_operation, [SESSION_STATEMENT] = step_statement,
    [SESSION_COMMIT] = step_commit,       [SESSION_RECONNECT] = step_reconnect,
};

void session_step(struct session *s) {
  assert(s->state != SESSION_ENDED);
  steps[s->state](s);
}

void session_close(struct session *s, struct closing *closing) {
  assert(s->state == SESSION_ENDED);
  const bool asks = s->texts && s->run->options->invariant;
  const bool ready = s->end == SESSION_DONE ||
                     (s->end == SESSION_LOST && s->run->options->endures);
  if ((!s->run->options->workload->closing && !s->programs && !asks) ||
      !ready || !route_closes(&s->route))
    return;
  s->closing = closing;
  s->plan.nops = s->last = 0;
  s->now = 0;
  plan_next_start(s, 0);
  if (!s->connection || s->connection->broken)
    reconnect_before(s, clock_read(s->clock));
}
