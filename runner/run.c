// SPDX-License-Identifier: GPL-3.0-or-later
// A run from start to end (runner/runner.h): sets the database up, opens the
// sessions by the threads that move them, reports progress, lets them close,
// and merges what all sessions counted.
#include "config.h"

#include "runner/runner.h"

#include "base/memory.h"
#include "runner/crew.h"
#include "runner/fleet.h"
#include "runner/program.h"
#include "runner/setup.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct run_at_work {
  struct run_context context;
  struct outage outage;
  struct session *sessions;
  struct crew *crews;
  uint32_t nsessions, ncrews;
  struct gate gate;
};

// ---- Sessions

// Sessions and crews of different threads must not share a cache line.
static void *aligned_zeros(size_t count, size_t size) {
  void *memory = aligned_alloc(CACHE_LINE, count * size);
  if (!memory)
    out_of_memory(count * size);
  return memset(memory, 0, count * size);
}

static bool counts_steps(const struct run_options *options) {
  return options->threads == 1;
}

static void make_crews(struct run_at_work *run) {
  const struct run_options *options = run->context.options;
  run->nsessions = setup_sessions(options);
  run->ncrews = options->threads && options->threads < run->nsessions
                    ? options->threads
                    : run->nsessions;
  const uint32_t room = (run->nsessions + run->ncrews - 1) / run->ncrews;
  run->crews = aligned_zeros(run->ncrews, sizeof *run->crews);
  for (uint32_t i = 0; i < run->ncrews; i++)
    crew_init(&run->crews[i], &run->context, &run->gate, i, room,
              counts_steps(options));
}

static void make_sessions(struct run_at_work *run) {
  const struct run_options *options = run->context.options;
  const uint32_t first = options->fleet ? options->fleet->first_session : 0;
  pack_init(&run->context.pack, options->workload, &options->workload_options,
            options->fleet);
  run->sessions = aligned_zeros(run->nsessions, sizeof *run->sessions);
  for (uint32_t i = 0; i < run->nsessions; i++) {
    struct crew *crew = &run->crews[i % run->ncrews];
    pack_here(&run->context.pack, first + i);
    session_init(&run->sessions[i], &run->context, first + i, &crew->clock,
                 run->ncrews == run->nsessions);
    crew->live[crew->nlive++] = &run->sessions[i];
  }
}

static uint64_t time_now(const struct run_at_work *run) {
  return counts_steps(run->context.options) ? run->crews[0].clock.now
                                            : clock_now();
}

static int open_recording(struct run_at_work *run, struct error *error) {
  const struct run_options *options = run->context.options;
  if (!options->history)
    return 0;
  struct recording **recording = &run->context.recording;
  uint64_t now = time_now(run);
  if (fleet_set_clock(options->fleet, &now, error) ||
      recording_open(options->history, options->workload_options.nsessions,
                     options->op_times, now, options->about,
                     run->context.tables, recording, error))
    return -1;
  fleet_note_part(options->fleet, *recording);
  if (options->backpressure)
    recording_follow(run->context.recording, options->backpressure);
  if (options->events)
    event_log_follow(options->events, now, recording_event,
                     run->context.recording);
  return 0;
}

static uint64_t later(uint64_t time, double ns) {
  return ns < (double)(UINT64_MAX - time) ? time + (uint64_t)ns : UINT64_MAX;
}

static void set_run_times(struct run_at_work *run) {
  struct run_context *context = &run->context;
  const struct run_options *options = context->options;
  const uint64_t start = context->start = time_now(run);
  const double duration = (double)options->duration;
  const double all = (double)options->workload_options.nsessions;
  context->deadline = options->duration ? later(start, duration) : UINT64_MAX;
  context->warmup_end = context->warmup_count = UINT64_MAX;
  if (options->duration || options->warmup <= 0)
    context->warmup_end = later(start, options->warmup * duration);
  if (options->transactions)
    context->warmup_count =
        (uint64_t)(options->warmup * (double)options->transactions);
  context->gap =
      options->rate > 0 ? (double)NS_PER_SECOND * all / options->rate : 0;
}

static void start_sessions(struct run_at_work *run) {
  set_run_times(run);
  struct recording *recording = run->context.recording;
  for (uint32_t i = 0; i < run->nsessions; i++) {
    struct session_log *log =
        recording ? recording_session_log(recording, run->sessions[i].number)
                  : NULL;
    session_start(&run->sessions[i], log);
  }
}

static void join_crews(struct run_at_work *run, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    pthread_join(run->crews[i].thread, NULL);
}

// The caller's handlers are for the caller's thread: a driver's call that is
// interrupted by a signal would look like a failing database.
static void block_signals(sigset_t *old) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &blocked, old);
}

static int start_crews(struct run_at_work *run, struct error *error) {
  sigset_t old;
  block_signals(&old);
  uint32_t started = 0;
  int failure = 0;
  while (started < run->ncrews && !(failure = crew_start(&run->crews[started])))
    started++;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (!failure)
    return 0;
  gate_set(&run->gate, GATE_CANCELLED);
  join_crews(run, started);
  return error_set(error,
                   "thread %u of %u could not be started (%s): use fewer "
                   "sessions, or raise the limit of processes (ulimit -u)",
                   started + 1, run->ncrews, strerror(failure));
}

// Until all sessions are open; says why if one cannot be.
static int await_sessions(struct run_at_work *run, struct error *error) {
  if (!gate_await_sessions(&run->gate))
    return 0;
  join_crews(run, run->ncrews);
  uint32_t i = 0;
  while (run->sessions[i].end != SESSION_LOST)
    i++;
  *error = run->sessions[i].error;
  return error_prefix(error, "session %u could not connect", i);
}

static uint64_t look_at_counter(const _Atomic uint64_t *counter) {
  return atomic_load_explicit(counter, memory_order_relaxed);
}

static struct run_progress progress_here(const struct run_at_work *run) {
  struct run_progress progress = {0};
  for (uint32_t i = 0; i < run->nsessions; i++) {
    const struct tally *tally = &run->sessions[i].tally;
    progress.committed += look_at_counter(&tally->ended[OUTCOME_OK]);
    progress.aborted += look_at_counter(&tally->ended[OUTCOME_ABORTED]);
    progress.unknown += look_at_counter(&tally->ended[OUTCOME_UNKNOWN]);
    progress.refused += look_at_counter(&tally->refused);
  }
  return progress;
}

static void report_progress(const struct run_at_work *run, uint64_t elapsed) {
  const struct run_options *options = run->context.options;
  struct run_progress progress = progress_here(run);
  progress.elapsed = elapsed;
  fleet_add_progress(options->fleet, &progress);
  options->progress(options->progress_context, &progress);
}

// Waits at the gate until a crew leaves it, or until `when`.
static void wait_for_change(struct gate *gate, uint64_t when) {
  const struct timespec t = clock_timespec(when);
  if (when)
    pthread_cond_timedwait(&gate->changed, &gate->mutex, &t);
  else
    pthread_cond_wait(&gate->changed, &gate->mutex);
}

// Until all crews have finished.
static void watch_crews(struct run_at_work *run) {
  const struct run_options *options = run->context.options;
  const uint64_t interval = options->progress ? options->progress_interval : 0;
  const uint64_t start = clock_now();
  uint64_t next = interval ? start + interval : 0;
  pthread_mutex_lock(&run->gate.mutex);
  while (run->gate.working) {
    wait_for_change(&run->gate, next);
    const uint64_t now = next ? clock_now() : 0;
    if (!run->gate.working || !next || now < next)
      continue;
    pthread_mutex_unlock(&run->gate.mutex);
    report_progress(run, now - start);
    next += (1 + (now - next) / interval) * interval;
    pthread_mutex_lock(&run->gate.mutex);
  }
  pthread_mutex_unlock(&run->gate.mutex);
}

// All sessions that can execute the workload's closing plans, by their crews.
// In a fleet those of rank 0.
static void close_workload(struct run_at_work *run) {
  const struct run_options *options = run->context.options;
  uint64_t *nplans =
      xcalloc(options->workload_options.nsessions, sizeof *nplans);
  for (uint32_t i = 0; i < run->nsessions; i++)
    nplans[i] = run->sessions[i].nplans;
  fleet_gather(options->fleet, nplans, nplans);
  if (!fleet_leads(options->fleet)) {
    free(nplans);
    return;
  }
  struct closing closing = {.workload_state = run->sessions[0].workload_state,
                            .nplans = nplans};
  pthread_mutex_init(&closing.mutex, NULL);
  for (uint32_t i = 0; i < run->nsessions; i++) {
    struct session *session = &run->sessions[i];
    struct crew *crew = &run->crews[i % run->ncrews];
    session_close(session, &closing);
    if (session->state != SESSION_ENDED)
      crew->live[crew->nlive++] = session;
  }
  sigset_t old;
  block_signals(&old);
  for (uint32_t i = 0; i < run->ncrews; i++)
    if (run->crews[i].nlive)
      crew_resume(&run->crews[i]);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  for (uint32_t i = 0; i < run->ncrews; i++)
    crew_await(&run->crews[i]);
  pthread_mutex_destroy(&closing.mutex);
  free(nplans);
}

static uint64_t measured_by(const struct run_at_work *run,
                            const struct session *session, uint64_t ended) {
  if (run->context.options->warmup <= 0)
    return ended - run->context.start;
  return session->measured_from && session->measured_from < ended
             ? ended - session->measured_from
             : 0;
}

static void merge_tallies(const struct run_at_work *run, uint64_t ended,
                          struct run_figures *figures, struct error *error) {
  struct fleet_share share = {.end = figures->end,
                              .nsessions = run->nsessions,
                              .elapsed = ended - run->context.start};
  route_figures_init(figures, run->context.options);
  for (uint32_t i = 0; i < run->nsessions; i++) {
    const struct session *session = &run->sessions[i];
    tally_merge(figures, &session->tally);
    route_merge(figures, &session->route);
    share.measured += (double)measured_by(run, session, ended);
  }
  if (share.end > RUN_STOPPED) // there is a sentence
    snprintf(share.sentence, sizeof share.sentence, "%.*s",
             (int)sizeof share.sentence - 1, error->text);
  fleet_merge(run->context.options->fleet, &share, run->sessions, figures);
  if (share.end != figures->end && share.sentence[0])
    error_set(error, "%s", share.sentence);
  figures->end = share.end;
  figures->planned = run->context.options->duration;
  figures->elapsed = share.elapsed;
  figures->measured = (uint64_t)(share.measured / share.nsessions);
  figures_finish(figures);
}

static uint64_t last_end(const struct run_at_work *run) {
  uint64_t ended = run->context.start;
  for (uint32_t i = 0; i < run->ncrews; i++)
    if (run->crews[i].ended > ended)
      ended = run->crews[i].ended;
  return ended;
}

static uint32_t sessions_that(const struct run_at_work *run,
                              enum session_end end) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < run->nsessions; i++)
    count += run->sessions[i].end == end;
  return count;
}

// Closes the recording; -1 with a sentence if it is not complete.
static int close_recording(struct run_at_work *run, struct error *error) {
  struct recording *recording = run->context.recording;
  run->context.recording = NULL;
  if (run->context.options->events)
    event_log_leave(run->context.options->events);
  return recording ? recording_close(recording, error) : 0;
}

// Answers that mean nothing may be the last ones of a run.
static bool is_discredited(struct target *target, struct error *error) {
  struct error why;
  if (!target->driver->over ||
      target->driver->over(target, &why) != OVER_ANSWERS)
    return false;
  *error = why;
  return true;
}

static enum run_end end_of_run(const struct run_at_work *run,
                               struct error *error) {
  if (is_discredited(run->context.options->target, error))
    return RUN_DRIVER_BROKEN;
  if (sessions_that(run, SESSION_LOST) == run->nsessions &&
      !run->context.options->endures) {
    error_set(error, "%s", run->sessions[0].error.text);
    error_prefix(error, "no session could reconnect to the database");
    return RUN_DATABASE_LOST;
  }
  return sessions_that(run, SESSION_STOPPED) ? RUN_STOPPED : RUN_DONE;
}

static void make_question(struct run_context *context) {
  const struct invariant *invariant = context->options->invariant;
  if (invariant && context->options->own)
    context->question = xstrdup(invariant_text(invariant));
  else if (invariant && invariant_is_own_sql(invariant))
    context->question = context->driver->question(context->options->target,
                                                  invariant_text(invariant));
}

// The sessions wait at the gate.
static int try_question(struct run_at_work *run, struct error *error) {
  return run->context.question
             ? program_try_question(&run->sessions[0],
                                    run->context.options->level, error)
             : 0;
}

static void choose_tables(struct run_at_work *run) {
  const struct run_options *options = run->context.options;
  if (options->invariant)
    run->context.tables = invariant_tables(options->invariant);
  else if (options->workload->programs)
    run->context.tables =
        options->workload->programs->tables(&options->workload_options);
}

// All sessions of this process, which wait at the gate then.
static int open_sessions(struct run_at_work *run, struct run_figures *figures,
                         struct error *error) {
  if (setup_database(&run->context, figures, error))
    return -1;
  make_question(&run->context);
  make_crews(run);
  make_sessions(run);
  return start_crews(run, error) || await_sessions(run, error) ? -1 : 0;
}

static int open_run(struct run_at_work *run, struct run_figures *figures,
                    struct error *error) {
  const uint64_t start = clock_now();
  const struct run_options *options = run->context.options;
  choose_tables(run);
  int failed = open_sessions(run, figures, error);
  const bool wait = !failed;
  failed = fleet_agree(options->fleet,
                       failed || try_question(run, error) ? -1 : 0, error);
  if (!failed)
    failed = fleet_agree(options->fleet, open_recording(run, error), error);
  if (failed && wait) {
    gate_set(&run->gate, GATE_CANCELLED);
    join_crews(run, run->ncrews);
  }
  if (failed)
    return -1;
  figures->setup_time = clock_now() - start;
  if (options->opened)
    options->opened(options->opened_context);
  return 0;
}

// ---- With other ranks

static void count_for_others(void *context, struct beat_counts *counts) {
  const struct run_at_work *run = context;
  const struct run_progress here = progress_here(run);
  *counts = (struct beat_counts){.committed = here.committed,
                                 .aborted = here.aborted,
                                 .unknown = here.unknown,
                                 .refused = here.refused,
                                 .slowest = pack_slowest(&run->context.pack)};
}

static bool stops_here(void *context) {
  const struct run_at_work *run = context;
  return run_is_told_to_stop(&run->context);
}

static void join_others(struct run_at_work *run) {
  struct fleet *fleet = run->context.options->fleet;
  fleet_await_start(fleet);
  if (!fleet)
    return;
  fleet_begin(fleet, count_for_others, stops_here, run);
  run->context.others = fleet_flag(fleet);
}

static void leave_others(struct run_at_work *run) {
  fleet_end(run->context.options->fleet);
  run->context.others = NULL;
}

static void conduct(struct run_at_work *run, struct run_figures *figures,
                    struct error *error) {
  join_others(run);
  const uint64_t start = clock_now();
  figures->started_wall = clock_wall();
  figures->started = start;
  start_sessions(run);
  gate_set(&run->gate, GATE_OPEN);
  watch_crews(run);
  join_crews(run, run->ncrews);
  figures->load_time = clock_now() - start;
  const uint64_t ended = last_end(run);
  if (run->context.options->stopped)
    run->context.options->stopped(run->context.options->opened_context);
  leave_others(run);
  close_workload(run);
  figures->end = end_of_run(run, error);
  if (close_recording(run, error))
    figures->end = RUN_RECORDING_FAILED;
  merge_tallies(run, ended, figures, error);
}

static void free_run(struct run_at_work *run) {
  for (uint32_t i = 0; run->sessions && i < run->nsessions; i++)
    session_fini(&run->sessions[i]);
  for (uint32_t i = 0; run->crews && i < run->ncrews; i++)
    crew_fini(&run->crews[i]);
  free(run->sessions);
  free(run->crews);
  pack_fini(&run->context.pack);
  FREE_EACH(run->context.tables, run->context.question);
  gate_fini(&run->gate);
  outage_fini(&run->outage);
}

int run(const struct run_options *options, struct run_figures *figures,
        struct error *error) {
  figures_init(figures, options->workload);
  error->text[0] = '\0';
  if (setup_check(options, error))
    return -1;
  struct run_at_work this = {
      .context = {.options = options, .driver = options->target->driver}};
  this.context.outage = &this.outage;
  outage_init(&this.outage);
  gate_init(&this.gate);
  const int result = open_run(&this, figures, error);
  if (result == 0)
    conduct(&this, figures, error);
  free_run(&this);
  return result;
}
