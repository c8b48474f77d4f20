// SPDX-License-Identifier: GPL-3.0-or-later
// When transactions begin, on which thread, in which order, and which of them
// the figures are about.
#include "config.h"

#include "base/clock.h"
#include "tests/tap.h"
#include "tests/unit/runner/taped.h"
// after what it uses
#include "tests/unit/runner/proposed.h"

#define MS (NS_PER_SECOND / 1000)

// Sessions on the clock of steps.
static struct run_options interleaved(struct scripted_target *target,
                                      uint32_t nsessions,
                                      uint64_t transactions) {
  struct run_options options = options_for(target, &rmw_workload, transactions);
  options.workload_options.nsessions = nsessions;
  options.threads = 1;
  return options;
}

static pthread_t thread_of[SCRIPTED_SESSIONS]; // by session

static enum outcome notes_thread(struct connection *c, uint32_t session,
                                 enum call call, uint64_t n) {
  (void)c, (void)n;
  if (call == CALL_BEGIN)
    thread_of[session] = pthread_self();
  return OUTCOME_OK;
}

static uint32_t distinct_threads(uint32_t nsessions) {
  uint32_t distinct = 0;
  for (uint32_t s = 0; s < nsessions; s++) {
    bool seen = false;
    for (uint32_t other = 0; other < s; other++)
      seen |= pthread_equal(thread_of[s], thread_of[other]) != 0;
    distinct += !seen;
  }
  return distinct;
}

static void sessions_are_dealt_out_to_threads(void) {
  static const struct {
    uint32_t threads, distinct;
  } cases[] = {{0, 7}, {1, 1}, {2, 2}, {3, 3}, {7, 7}, {50, 7}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct scripted_target target;
    scripted_init(&target, &scripted_driver, notes_thread);
    struct run_options options = interleaved(&target, 7, 100);
    options.threads = cases[i].threads;
    struct run_figures figures;
    run_well(&options, &figures);
    CHECK_INT(figures.committed, 700);
    for (int s = 0; s < 7; s++)
      CHECK_INT(taped.session_logs[s].ntxns, 100);
    CHECK_INT(distinct_threads(7), cases[i].distinct);
    run_figures_free(&figures);
    scripted_fini(&target);
  }
}

// All session logs and the times of the last transactions; free it.
static char *whole_tape(uint64_t seed, bool rate) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 3, 50);
  options.workload_options.seed = seed;
  options.rate = rate ? 1e5 : 0;
  struct run_figures figures;
  run_well(&options, &figures);
  char *text = xstrdup("");
  for (uint32_t s = 0; s < 3; s++) {
    const struct session_log *log = &taped.session_logs[s];
    char *longer = xasprintf("%s%" PRIu64 " %" PRIu64 " %s\n", text,
                             log->last_begin, log->last_end, taped_text(s));
    free(text);
    text = longer;
  }
  run_figures_free(&figures);
  scripted_fini(&target);
  return text;
}

static void equal_seeds_interleave_equally(void) {
  for (int rate = 0; rate < 2; rate++) {
    char *one = whole_tape(1, rate), *again = whole_tape(1, rate);
    char *two = whole_tape(2, rate);
    CHECK_STR(one, again);
    CHECK(strcmp(one, two) != 0);
    free(one);
    free(again);
    free(two);
  }
}

// A lost update needs two sessions within each other's transactions.
static void interleaving_happens_inside_transactions(void) {
  char *text = whole_tape(1, false);
  // Session 0 read a value of another session, and its last write was not what
  // it read next.
  CHECK(strstr(text, "r0=1.") || strstr(text, "r0=2."));
  free(text);
  uint64_t reads_of_own = 0;
  for (const char *t = taped_text(0); (t = strstr(t, "r0=0.")); t++)
    reads_of_own++;
  CHECK(reads_of_own < 40);
}

// 10 s at 1000 a second: within five standard deviations of a Poisson process,
// whatever the number of sessions.
static void a_rate_is_for_all_sessions_together(void) {
  for (uint32_t nsessions = 1; nsessions <= 16; nsessions *= 4) {
    struct scripted_target target;
    scripted_init(&target, &scripted_driver, NULL);
    struct run_options options = interleaved(&target, nsessions, 0);
    options.rate = 1000;
    options.duration = 10 * NS_PER_SECOND;
    struct run_figures figures;
    run_well(&options, &figures);
    CHECK(figures.transactions > 9500 && figures.transactions < 10500);
    CHECK(figures.elapsed >= options.duration);
    CHECK(figures.elapsed < options.duration + MS);
    CHECK_INT(figures.nseconds, 10);
    CHECK(figures.not_begun <= nsessions);
    run_figures_free(&figures);
    scripted_fini(&target);
  }
}

// The database stands still for 300 ms.
static enum outcome stalls(struct connection *c, uint32_t session,
                           enum call call, uint64_t n) {
  (void)c, (void)session;
  if (call == CALL_COMMIT && n == 20)
    clock_sleep_until(clock_now() + 300 * MS);
  return OUTCOME_OK;
}

// About 300 of the 600 transactions ought to have begun during the stall, the
// first of them 300 ms before it ended.  Had their latency been measured from
// their begin, one in 600 would be long.
static void a_stall_is_seen_by_all_that_were_due(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, stalls);
  struct run_options options = options_for(&target, &rmw_workload, 600);
  options.rate = 1000;
  struct run_figures figures;
  run_well(&options, &figures);
  const struct histogram *latency = &figures.shapes[0].latency;
  CHECK_INT(latency->count, 600);
  CHECK(latency->max >= 300 * MS);
  CHECK(histogram_percentile(latency, 0.99) >= 250 * MS);
  CHECK(histogram_percentile(latency, 0.9) >= 100 * MS);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static void without_a_rate_a_stall_is_one_latency(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, stalls);
  struct run_options options = options_for(&target, &rmw_workload, 600);
  struct run_figures figures;
  run_well(&options, &figures);
  const struct histogram *latency = &figures.shapes[0].latency;
  CHECK(latency->max >= 300 * MS);
  CHECK(histogram_percentile(latency, 0.9) < 100 * MS);
  run_figures_free(&figures);
  scripted_fini(&target);
}

// 200 transactions are due in 200 ms; those after the 20th fall into the stall,
// which lasts longer than the run.
static void what_was_due_but_never_begun_is_counted(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, stalls);
  struct run_options options = options_for(&target, &rmw_workload, 0);
  options.rate = 1000;
  options.duration = 200 * MS;
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK(figures.transactions <= 21 && figures.not_begun > 100);
  CHECK(figures.transactions + figures.not_begun > 130);
  CHECK(figures.transactions + figures.not_begun < 270);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static void the_warmup_is_recorded_but_not_counted(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 2, 100);
  options.warmup = 0.25;
  struct run_figures figures;
  run_well(&options, &figures); // compares all_... with the session log
  CHECK_INT(figures.transactions, 150);
  CHECK_INT(figures.begun, 150);
  CHECK_INT(figures.shapes[0].latency.count, 150);
  CHECK_INT(figures.all_begun, 200);
  CHECK_INT(figures.seconds[0].committed, 200);
  CHECK(figures.measured > figures.elapsed / 2 &&
        figures.measured < figures.elapsed);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static void a_warmup_in_time_is_a_share_of_the_duration(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 2, 0);
  options.duration = 100 * MS;
  options.warmup = 0.25;
  struct run_figures figures;
  run_well(&options, &figures);
  const double share = (double)figures.begun / (double)figures.all_begun;
  CHECK(share > 0.74 && share < 0.76);
  CHECK(figures.measured > 74 * MS && figures.measured <= 76 * MS);
  run_figures_free(&figures);
  scripted_fini(&target);
}

// With both limits, the count is over long before a quarter of the time is.
static void the_shorter_warmup_counts(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 2, 100);
  options.duration = 3600 * NS_PER_SECOND;
  options.warmup = 0.25;
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK_INT(figures.transactions, 150);
  run_figures_free(&figures);
  scripted_fini(&target);
}

// Two operations and a commit: two delays.
static void delays_widen_transactions(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 1, 10);
  options.op_delay = MS;
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK(figures.shapes[0].latency.min >= 2 * MS);
  CHECK(figures.shapes[0].latency.max < 2 * MS + MS / 10);
  run_figures_free(&figures);
  scripted_fini(&target);
}

// A pause of an hour ends with the run's second, and the transactions with it.
static void delays_end_with_the_run(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 2, 10);
  options.duration = NS_PER_SECOND;
  options.op_delay = 3600 * NS_PER_SECOND;
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK_INT(figures.committed, 2);
  CHECK(figures.elapsed < 2 * NS_PER_SECOND);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static enum outcome say_level(struct connection *c, const char *statement,
                              char *rows, size_t room) {
  const uint64_t n = scripted(c->target)->calls[c->session][CALL_BEGIN];
  CHECK_STR(statement, "WHICH");
  snprintf(rows, room, n <= 1 ? "name,ANYTHING-GOES" : "name,NOTHING-GOES");
  return OUTCOME_OK;
}

// Asked before the first transaction and after a thousand.
static void the_level_in_effect_is_asked_for(void) {
  struct driver driver = scripted_driver;
  driver.sql = say_level;
  driver.level_query = "WHICH";
  struct scripted_target target;
  scripted_init(&target, &driver, NULL);
  struct run_options options = interleaved(&target, 1, 1000);
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK_STR(figures.level_in_effect, "");
  CHECK_INT(figures.begun, 1000);
  CHECK_INT(target.calls[0][CALL_BEGIN], 1001);
  run_figures_free(&figures);
  scripted_fini(&target);
  scripted_init(&target, &driver, NULL);
  options.transactions = 1001;
  run_well(&options, &figures);
  CHECK_STR(figures.level_in_effect, "nothing goes");
  CHECK_STR(figures.level_asked, "anything goes");
  CHECK_INT(figures.begun, 1001);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static void think_time_comes_between_transactions(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 1, 10);
  options.think_time = 100 * MS;
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK(figures.shapes[0].latency.max < MS);
  CHECK(figures.elapsed >= 900 * MS);
  CHECK(figures.elapsed < 901 * MS);
  run_figures_free(&figures);
  scripted_fini(&target);
}

// Five minutes without a limit in time, of which every second counts.
static void seconds_cover_long_runs(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 2, 60);
  options.think_time = 5 * NS_PER_SECOND;
  struct run_figures figures;
  run_well(&options, &figures);
  uint64_t committed = 0;
  for (uint32_t i = 0; i < figures.nseconds; i++)
    committed += figures.seconds[i].committed;
  CHECK_INT(committed, 120);
  CHECK_INT(figures.nseconds, 59 * 5 + 1);
  CHECK_INT(figures.seconds[0].committed, 2);
  CHECK_INT(figures.seconds[59 * 5].committed, 2);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static enum outcome first_half_fails(struct connection *c, uint32_t session,
                                     enum call call, uint64_t n) {
  (void)session;
  return call == CALL_COMMIT && n < 60
             ? fails(c, OUTCOME_ABORTED, CAUSE_DEADLOCK, "deadlock")
             : OUTCOME_OK;
}

static void failures_of_the_warmup_are_not_counted(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, first_half_fails);
  struct run_options options = interleaved(&target, 1, 100);
  options.warmup = 0.5;
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK_INT(figures.all_aborted, 60);
  CHECK_INT(figures.aborted, 10);
  CHECK_INT(figures.given_up, 10);
  CHECK_INT(figures.by_cause[CAUSE_DEADLOCK], 10);
  CHECK_INT(figures.ncodes, 1);
  CHECK_INT(figures.codes[0].count, 10);
  run_figures_free(&figures);
  scripted_fini(&target);
}

struct seen {
  volatile sig_atomic_t stop; // after the third report
  int reports;
  struct run_progress last;
  bool grows;
};

static void see(void *context, const struct run_progress *progress) {
  struct seen *seen = context;
  seen->reports++;
  seen->grows &= progress->elapsed > seen->last.elapsed &&
                 progress->committed >= seen->last.committed;
  seen->last = *progress;
  if (seen->reports == 3)
    __atomic_store_n(&seen->stop, 1, __ATOMIC_RELAXED);
}

static void progress_is_reported(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = interleaved(&target, 3, 0);
  struct seen seen = {.grows = true};
  options.threads = 0;
  options.history = NULL;
  options.stop = &seen.stop;
  options.progress_interval = 10 * MS;
  options.progress = see;
  options.progress_context = &seen;
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK_INT(figures.end, RUN_STOPPED);
  CHECK(seen.reports >= 3);
  CHECK((uint64_t)seen.reports <=
        seen.last.elapsed / options.progress_interval);
  CHECK(seen.grows && seen.last.committed > 0);
  CHECK(seen.last.committed <= figures.all_committed);
  run_figures_free(&figures);
  scripted_fini(&target);
}

int main(void) {
  const int failed = TAP_RUN(
      {"sessions are dealt out to threads", sessions_are_dealt_out_to_threads},
      {"equal seeds interleave equally", equal_seeds_interleave_equally},
      {"interleaving happens inside transactions",
       interleaving_happens_inside_transactions},
      {"a rate is for all sessions together",
       a_rate_is_for_all_sessions_together},
      {"a stall is seen by all that were due",
       a_stall_is_seen_by_all_that_were_due},
      {"without a rate a stall is one latency",
       without_a_rate_a_stall_is_one_latency},
      {"what was due but never begun is counted",
       what_was_due_but_never_begun_is_counted},
      {"the warm-up is recorded but not counted",
       the_warmup_is_recorded_but_not_counted},
      {"a warm-up in time is a share of the duration",
       a_warmup_in_time_is_a_share_of_the_duration},
      {"the shorter warm-up counts", the_shorter_warmup_counts},
      {"delays widen transactions", delays_widen_transactions},
      {"a pause ends when the run does", delays_end_with_the_run},
      {"the level in effect is asked for", the_level_in_effect_is_asked_for},
      {"think time comes between transactions",
       think_time_comes_between_transactions},
      {"failures of the warm-up are not counted",
       failures_of_the_warmup_are_not_counted},
      {"seconds cover long runs", seconds_cover_long_runs},
      {"progress is reported", progress_is_reported});
  taped_forget();
  return failed;
}
