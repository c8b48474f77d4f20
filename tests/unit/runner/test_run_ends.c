// SPDX-License-Identifier: GPL-3.0-or-later
// How runs end, and what breaks under way.  Where waiting is involved, the
// sessions share one thread and its clock of steps, so nobody really waits.
#include "config.h"

#include "base/clock.h"
#include "tests/tap.h"
#include "tests/unit/runner/taped.h"
// after what it uses
#include "tests/unit/runner/proposed.h"

static bool closing(void *state, const uint64_t *transactions,
                    struct plan *plan) {
  struct proposed *proposed = state;
  (void)transactions;
  propose(state, plan);
  propose_op(plan, OP_READ, 9);
  return proposed->closed++ < 1;
}

static const struct workload closing_workload = {
    PROPOSED_COMMON, .name = "closing", .shapes = one_shape, .next = rmw_next,
    .closing = closing};

enum { SESSIONS = 4 }; // at most

// How often one of the sessions read this key as "r9=".
static unsigned count_reads(const char *read, unsigned *sessions) {
  unsigned count = 0;
  *sessions = 0;
  for (uint32_t s = 0; s < SESSIONS; s++) {
    const char *at = taped_text(s);
    *sessions += strstr(at, read) != NULL;
    while ((at = strstr(at, read))) {
      count++;
      at++;
    }
  }
  return count;
}

static bool has_closed(void) {
  unsigned sessions;
  return count_reads("r9=", &sessions) > 0;
}

// Sessions on the clock of steps.
static struct run_options interleaved(struct scripted_target *target,
                                      uint32_t nsessions,
                                      uint64_t transactions) {
  struct run_options options =
      options_for(target, &closing_workload, transactions);
  options.workload_options.nsessions = nsessions;
  options.threads = 1;
  return options;
}

static enum outcome breaks(struct connection *c, enum outcome outcome) {
  c->broken = true;
  return fails(c, outcome, CAUSE_CONNECTION, "lost");
}

// Every way to lose a connection; rollback loses it silently.
static enum outcome breaks_often(struct connection *c, uint32_t session,
                                 enum call call, uint64_t n) {
  (void)session;
  if (call == CALL_CONNECT)
    return n % 3 == 2 ? OUTCOME_ABORTED : OUTCOME_OK;
  if (call == CALL_COMMIT && n % 5 == 4)
    return breaks(c, n % 2 ? OUTCOME_UNKNOWN : OUTCOME_ABORTED);
  if (call == CALL_BEGIN && n % 7 == 6)
    return breaks(c, OUTCOME_ABORTED);
  if (call == CALL_GET && n % 6 == 5)
    return fails(c, OUTCOME_ABORTED, CAUSE_DEADLOCK, "deadlock");
  if (call == CALL_ROLLBACK)
    c->broken = true;
  return OUTCOME_OK;
}

static void check_breaking(const struct scripted_target *target,
                           uint32_t nsessions,
                           const struct run_figures *figures) {
  uint64_t rollbacks = 0, connects = 0;
  for (uint32_t s = 0; s < nsessions; s++) {
    rollbacks += target->calls[s][CALL_ROLLBACK];
    connects += target->calls[s][CALL_CONNECT];
  }
  const uint64_t lost =
      figures->by_cause[CAUSE_CONNECTION] + figures->unknown + rollbacks;
  CHECK_INT(figures->by_cause[CAUSE_DEADLOCK], rollbacks);
  CHECK(figures->unknown > 0 && figures->by_cause[CAUSE_CONNECTION] > 0);
  CHECK(connects > lost && figures->end == RUN_DONE);
  CHECK_INT(figures->transactions, 100 * nsessions);
}

static void broken_connections_are_replaced(void) {
  for (uint32_t nsessions = 1; nsessions <= 4; nsessions += 3) {
    struct scripted_target target;
    scripted_init(&target, &scripted_driver, breaks_often);
    struct run_options options = interleaved(&target, nsessions, 100);
    options.max_tries = 2;
    struct run_figures figures;
    run_well(&options, &figures);
    check_breaking(&target, nsessions, &figures);
    CHECK(has_closed());
    run_figures_free(&figures);
    scripted_fini(&target);
  }
}

// With threads, too, connections are replaced; a refused one costs a
// millisecond.
static void threads_replace_their_connections(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, breaks_often);
  struct run_options options = interleaved(&target, 4, 100);
  options.threads = 0;
  struct run_figures figures;
  run_well(&options, &figures);
  check_breaking(&target, 4, &figures);
  run_figures_free(&figures);
  scripted_fini(&target);
}

// The last transaction breaks the connection that the closing reads need.
static enum outcome last_breaks(struct connection *c, uint32_t session,
                                enum call call, uint64_t n) {
  (void)session;
  return call == CALL_COMMIT && n == 4 ? breaks(c, OUTCOME_UNKNOWN)
                                       : OUTCOME_OK;
}

static bool closing_often(void *state, const uint64_t *transactions,
                          struct plan *plan) {
  struct proposed *proposed = state;
  (void)transactions;
  propose(state, plan);
  propose_op(plan, OP_READ, 9);
  propose_op(plan, OP_READ, 10 + proposed->closed);
  return proposed->closed++ < 40;
}

// On one thread and on several: each plan by one session, by several in all.
static void sessions_share_the_closing_plans(void) {
  struct workload workload = closing_workload;
  workload.closing = closing_often;
  for (uint32_t threads = 0; threads <= 1; threads++) {
    struct scripted_target target;
    struct run_figures figures;
    unsigned sessions;
    scripted_init(&target, &scripted_driver, NULL);
    struct run_options options = interleaved(&target, SESSIONS, 5);
    options.workload = &workload;
    options.threads = threads;
    run_well(&options, &figures);
    CHECK_INT(count_reads("r9=", &sessions), 40);
    CHECK(!threads || sessions == SESSIONS);
    for (int plan = 0; plan < 40; plan++) {
      char read[16];
      snprintf(read, sizeof read, "r%d=", 10 + plan);
      CHECK_INT(count_reads(read, &sessions), 1);
    }
    CHECK_INT(figures.all_begun, SESSIONS * 5 + 40);
    run_figures_free(&figures);
    scripted_fini(&target);
  }
}

static void closing_gets_a_new_connection(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, last_breaks);
  struct run_options options = interleaved(&target, 1, 5);
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK(has_closed());
  CHECK_INT(target.calls[0][CALL_CONNECT], 2);
  CHECK_INT(figures.begun, 5);
  CHECK_INT(figures.all_begun, 6);
  run_figures_free(&figures);
  scripted_fini(&target);
}

// Goes down for good after the tenth commit of a session; session 3 stays.
static enum outcome goes_down(struct connection *c, uint32_t session,
                              enum call call, uint64_t n) {
  if (call == CALL_CONNECT && n > 0)
    return OUTCOME_ABORTED;
  return call == CALL_COMMIT && n == 9 && session != 3
             ? breaks(c, OUTCOME_ABORTED)
             : OUTCOME_OK;
}

static void a_database_that_stays_away_is_lost(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, goes_down);
  struct run_options options = interleaved(&target, 3, 100);
  options.max_tries = 5;
  struct run_figures figures;
  struct error error;
  CHECK_INT(run(&options, &figures, &error), 0);
  CHECK_INT(figures.end, RUN_DATABASE_LOST);
  CHECK_STR(error.text, "no session could reconnect to the database: "
                        "the script refuses");
  CHECK_INT(figures.committed, 27);
  CHECK_INT(figures.given_up, 3);
  CHECK(!has_closed());
  // 1, 2, 4 ... 512 ms, then every second for two minutes
  CHECK(target.calls[0][CALL_CONNECT] >= 120);
  CHECK(target.calls[0][CALL_CONNECT] <= 135);
  CHECK_INT(target.open, 0);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static void one_session_is_enough_to_go_on(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, goes_down);
  struct run_options options = interleaved(&target, 4, 100);
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK_INT(figures.end, RUN_DONE);
  CHECK_INT(figures.committed, 3 * 9 + 100);
  run_figures_free(&figures);
  scripted_fini(&target);
}

// Time is over before reconnecting is given up.
static void a_database_that_is_away_at_the_end_is_lost(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, goes_down);
  struct run_options options = interleaved(&target, 2, 0);
  options.duration = NS_PER_SECOND;
  struct run_figures figures;
  struct error error;
  CHECK_INT(run(&options, &figures, &error), 0);
  CHECK_INT(figures.end, RUN_DATABASE_LOST);
  CHECK(target.calls[0][CALL_CONNECT] < 15);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static volatile sig_atomic_t stop;

static void set_stop(int value) {
  __atomic_store_n(&stop, value, __ATOMIC_RELAXED);
}

// Stops in the middle of the sixth transaction.
static enum outcome stops_in_put(struct connection *c, uint32_t session,
                                 enum call call, uint64_t n) {
  (void)c, (void)session;
  if (call == CALL_PUT && n == 5)
    set_stop(1);
  return OUTCOME_OK;
}

static enum outcome stops_and_aborts(struct connection *c, uint32_t session,
                                     enum call call, uint64_t n) {
  stops_in_put(c, session, call, n);
  return call == CALL_COMMIT && n == 5
             ? fails(c, OUTCOME_ABORTED, CAUSE_DEADLOCK, "deadlock")
             : OUTCOME_OK;
}

// The transaction that is going on is finished, but not tried again.
static void a_stop_finishes_what_was_begun(void) {
  scenario *const cases[] = {stops_in_put, stops_and_aborts};
  for (int i = 0; i < 2; i++) {
    struct scripted_target target;
    scripted_init(&target, &scripted_driver, cases[i]);
    struct run_options options = interleaved(&target, 1, 100);
    options.threads = 0;
    options.max_tries = 3;
    options.stop = &stop;
    struct run_figures figures;
    set_stop(0);
    run_well(&options, &figures);
    CHECK_INT(figures.end, RUN_STOPPED);
    CHECK_INT(figures.begun, 6);
    CHECK_INT(figures.committed, i == 0 ? 6 : 5);
    CHECK_INT(figures.given_up, i == 0 ? 0 : 1);
    CHECK(!has_closed());
    run_figures_free(&figures);
    scripted_fini(&target);
  }
}

static void stop_at_progress(void *context, const struct run_progress *now) {
  (void)context, (void)now;
  set_stop(1);
}

// With pauses of an hour, a run that could not be stopped would not return.
static void a_stop_wakes_sleepers(void) {
  for (int i = 0; i < 3; i++) {
    struct scripted_target target;
    scripted_init(&target, &scripted_driver, i == 2 ? goes_down : NULL);
    struct run_options options = interleaved(&target, 3, 0);
    const uint64_t hour = 3600 * NS_PER_SECOND;
    options.threads = 0;
    options.think_time = i == 0 ? hour : 0;
    options.rate = i == 1 ? 3.0 / 3600 : 0;
    options.stop = &stop;
    options.progress_interval = NS_PER_SECOND / 100;
    options.progress = stop_at_progress;
    struct run_figures figures;
    set_stop(0);
    run_well(&options, &figures);
    CHECK_INT(figures.end, RUN_STOPPED);
    run_figures_free(&figures);
    scripted_fini(&target);
  }
}

static void a_full_disk_ends_the_run(void) {
  for (uint32_t threads = 0; threads < 2; threads++) {
    struct scripted_target target;
    scripted_init(&target, &scripted_driver, NULL);
    struct run_options options = interleaved(&target, 4, 0);
    options.threads = threads;
    struct run_figures figures;
    struct error error;
    taped.fail_after = 50;
    CHECK_INT(run(&options, &figures, &error), 0);
    taped.fail_after = 0;
    CHECK_INT(figures.end, RUN_RECORDING_FAILED);
    CHECK_STR(error.text, "the disk is full");
    CHECK(figures.committed >= 50);
    CHECK(!taped.open && !has_closed());
    CHECK_INT(target.open, 0);
    run_figures_free(&figures);
    scripted_fini(&target);
  }
}

static enum outcome third_refused(struct connection *c, uint32_t session,
                                  enum call call, uint64_t n) {
  (void)c, (void)n;
  return call == CALL_CONNECT && session == 2 ? OUTCOME_ABORTED : OUTCOME_OK;
}

static int refuses_setup(struct target *target, const struct keyspace *keys,
                         struct error *error) {
  (void)target, (void)keys;
  return error_set(error, "no room");
}

static void check_refusal(struct run_options *options, const char *sentence) {
  struct run_figures figures;
  struct error error;
  CHECK_INT(run(options, &figures, &error), -1);
  CHECK_STR(error.text, sentence);
  CHECK_INT(scripted(options->target)->open, 0);
  CHECK_INT(scripted(options->target)->calls[0][CALL_BEGIN], 0);
  run_figures_free(&figures);
}

static void what_can_not_start_says_why(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 4, 10);
  options.history = "refuse";
  check_refusal(&options, "refused");
  options.history = NULL;
  options.rate = options.think_time = 1;
  check_refusal(&options, "rate says when transactions begin, so that a think "
                          "time cannot be given, too");
  options.rate = options.think_time = 0;
  struct driver waiting = scripted_driver;
  waiting.never_waits = false;
  target.target.driver = &waiting;
  check_refusal(&options, "4 sessions cannot share 1 thread with the scripted "
                          "driver, where one session may have to wait for "
                          "another: ask for one thread per session");
  target.target.driver = &scripted_driver;
  target.script = third_refused;
  check_refusal(&options, "session 2 could not connect: the script refuses");
  struct driver full = scripted_driver;
  full.setup = refuses_setup;
  target.target.driver = &full;
  check_refusal(&options, "no room");
  full.put = NULL;
  struct workload writing = rmw_workload;
  writing.needs = 1 << OP_READ | 1 << OP_WRITE;
  options.workload = &writing;
  check_refusal(&options, "the scripted driver cannot write registers, which "
                          "the workload rmw needs");
  scripted_fini(&target);
}

static void missing_slots_are_named(void) {
  const struct workload lists = {.name = "append", .needs = 1 << OP_READ_LIST};
  const struct workload cas = {.name = "cas",
                               .needs = 1 << OP_READ | 1 << OP_CAS};
  struct driver driver = {.name = "poor", .get = scripted_get};
  struct error error;
  CHECK_INT(run_check(&driver, &lists, &error), -1);
  CHECK_STR(error.text, "the poor driver cannot read lists, which the "
                        "workload append needs");
  CHECK_INT(run_check(&driver, &cas, &error), -1);
  driver.cas = scripted_cas;
  CHECK_INT(run_check(&driver, &cas, &error), 0);
  driver.transact = scripted_transact;
  driver.transacts = OP_ALL_KINDS & ~(1u << OP_CAS);
  CHECK_INT(run_check(&driver, &lists, &error), 0);
  CHECK_INT(run_check(&driver, &cas, &error), -1);
  CHECK_STR(error.text, "the poor driver cannot compare and set, which the "
                        "workload cas needs");
}

int main(void) {
  const int failed = TAP_RUN(
      {"broken connections are replaced", broken_connections_are_replaced},
      {"threads replace their connections", threads_replace_their_connections},
      {"closing gets a new connection", closing_gets_a_new_connection},
      {"sessions share the closing plans", sessions_share_the_closing_plans},
      {"a database that stays away is lost",
       a_database_that_stays_away_is_lost},
      {"one session is enough to go on", one_session_is_enough_to_go_on},
      {"a database that is away at the end is lost",
       a_database_that_is_away_at_the_end_is_lost},
      {"a stop finishes what was begun", a_stop_finishes_what_was_begun},
      {"a stop wakes sleepers", a_stop_wakes_sleepers},
      {"a full disk ends the run", a_full_disk_ends_the_run},
      {"what cannot start says why", what_can_not_start_says_why},
      {"missing slots are named", missing_slots_are_named});
  taped_forget();
  return failed;
}
