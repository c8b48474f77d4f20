// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the runner in single sessions: the requests that it sends to a
// database, the entries that it writes to the session log, and its counts.
#include "config.h"

#include "tests/tap.h"
#include "tests/unit/runner/taped.h"
// after what it uses
#include "tests/unit/runner/proposed.h"

// Runs one session of the workload and compares its session log.
static void check_tape(const struct driver *driver,
                       const struct workload *workload, scenario *script,
                       uint64_t transactions, uint32_t max_tries,
                       const char *wanted) {
  struct scripted_target target;
  scripted_init(&target, driver, script);
  struct run_options options = options_for(&target, workload, transactions);
  options.max_tries = max_tries;
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK_STR(taped_text(0), wanted);
  CHECK_INT(figures.end, RUN_DONE);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static void reads_and_writes_are_noted(void) {
  const char *wanted =
      "[ r0=- w0=0.0 ]+ [ r0=0.0 w0=0.1 ]+ [ r0=0.1 w0=0.2 ]+ ";
  check_tape(&scripted_driver, &rmw_workload, NULL, 3, 1, wanted);
  check_tape(&one_shot_driver, &rmw_workload, NULL, 3, 1, wanted);
}

// The second call of each kind fails.
static enum outcome second_fails(struct connection *c, enum call which,
                                 enum call call, uint64_t n,
                                 enum outcome outcome) {
  return call == which && n == 1
             ? fails(c, outcome, CAUSE_SERIALIZATION, "40001")
             : OUTCOME_OK;
}

#define SECOND_FAILS(name, which, becomes)                                     \
  static enum outcome name(struct connection *c, uint32_t session,             \
                           enum call call, uint64_t n) {                       \
    (void)session;                                                             \
    return second_fails(c, which, call, n, becomes);                           \
  }
SECOND_FAILS(put_fails, CALL_PUT, OUTCOME_ABORTED)
SECOND_FAILS(put_is_apart, CALL_PUT, OUTCOME_UNKNOWN)
SECOND_FAILS(get_fails, CALL_GET, OUTCOME_ABORTED)
SECOND_FAILS(begin_fails, CALL_BEGIN, OUTCOME_ABORTED)
SECOND_FAILS(commit_fails, CALL_COMMIT, OUTCOME_ABORTED)
SECOND_FAILS(commit_is_lost, CALL_COMMIT, OUTCOME_UNKNOWN)
SECOND_FAILS(transact_fails, CALL_TRANSACT, OUTCOME_ABORTED)
SECOND_FAILS(transact_is_lost, CALL_TRANSACT, OUTCOME_UNKNOWN)

// A write that failed may have been stored, so it is noted and its value used
// up; the memory of the scripted database shows that it was not.
static void retries_get_new_values(void) {
  check_tape(&scripted_driver, &rmw_workload, put_fails, 2, 3,
             "[ r0=- w0=0.0 ]+ [ r0=0.0 w0=0.1 ]- [ r0=0.0 w0=0.2 ]+ ");
  check_tape(&scripted_driver, &rmw_workload, commit_fails, 2, 3,
             "[ r0=- w0=0.0 ]+ [ r0=0.0 w0=0.1 ]- [ r0=0.1 w0=0.2 ]+ ");
  check_tape(&one_shot_driver, &rmw_workload, transact_fails, 2, 3,
             "[ r0=- w0=0.0 ]+ [ w0=0.1 ]- [ r0=0.0 w0=0.2 ]+ ");
}

static void without_tries_left_the_next_transaction_follows(void) {
  check_tape(&scripted_driver, &rmw_workload, put_fails, 3, 1,
             "[ r0=- w0=0.0 ]+ [ r0=0.0 w0=0.1 ]- [ r0=0.0 w0=0.2 ]+ ");
}

static void what_failed_to_read_is_not_noted(void) {
  check_tape(&scripted_driver, &rmw_workload, get_fails, 2, 2,
             "[ r0=- w0=0.0 ]+ [ ]- [ r0=0.0 w0=0.1 ]+ ");
  check_tape(&scripted_driver, &rmw_workload, begin_fails, 2, 2,
             "[ r0=- w0=0.0 ]+ [ ]- [ r0=0.0 w0=0.1 ]+ ");
}

static void what_is_unknown_is_not_tried_again(void) {
  check_tape(&scripted_driver, &rmw_workload, commit_is_lost, 2, 9,
             "[ r0=- w0=0.0 ]+ [ r0=0.0 w0=0.1 ]? ");
  check_tape(&one_shot_driver, &rmw_workload, transact_is_lost, 2, 9,
             "[ r0=- w0=0.0 ]+ [ w0=0.1 ]? ");
}

// Rolled back after a failed begin or operation, not after a failed commit.
// A write behind the end of its transaction is a transaction of its own.
static void what_is_outside_of_its_transaction_stays_outside(void) {
  check_tape(&scripted_driver, &rmw_workload, put_is_apart, 3, 9,
             "[ r0=- w0=0.0 ]+ [ r0=0.0 ]- [ w0=0.1 ]? "
             "[ r0=0.0 w0=0.2 ]+ ");
}

static void rollback_follows_what_failed_before_commit(void) {
  static const struct {
    scenario *script;
    uint64_t rollbacks;
  } cases[] = {{put_fails, 1},    {get_fails, 1},      {begin_fails, 1},
               {commit_fails, 0}, {commit_is_lost, 0}, {NULL, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct scripted_target target;
    scripted_init(&target, &scripted_driver, cases[i].script);
    struct run_options options = options_for(&target, &rmw_workload, 4);
    struct run_figures figures;
    run_well(&options, &figures);
    CHECK_INT(target.calls[0][CALL_ROLLBACK], cases[i].rollbacks);
    CHECK_INT(target.calls[0][CALL_BEGIN], 4);
    run_figures_free(&figures);
    scripted_fini(&target);
  }
}

// A read and a compare-and-set of what it saw, then an insert; each alone.
static void cas_next(void *state, struct plan *plan) {
  struct proposed *proposed = state;
  const bool insert = proposed->n % 2;
  propose(state, plan);
  plan->one_by_one = true;
  if (!insert)
    propose_op(plan, OP_READ, 0);
  propose_cas(plan, insert, insert ? EXPECT_ABSENT : 0);
}

static const struct workload cas_workload = {
    PROPOSED_COMMON, .name = "cas", .shapes = one_shape, .next = cas_next};

static void operations_one_by_one_are_transactions(void) {
  const char *wanted = "[ r0=- ]+ [ c0:-=0.0 ]+ [ c1:-=0.1 ]+ "
                       "[ r0=0.0 ]+ [ c0:0.0=0.2 ]+ [ r1=0.1 ]+ "
                       "[ r0=0.2 ]+ ";
  check_tape(&scripted_driver, &cas_workload, NULL, 7, 1, wanted);
  check_tape(&one_shot_driver, &cas_workload, NULL, 7, 1, wanted);
}

// Somebody else writes between the first read and the first comparison.
static enum outcome interferes(struct connection *c, uint32_t session,
                               enum call call, uint64_t n) {
  (void)session;
  if ((call == CALL_CAS && n == 0) || (call == CALL_TRANSACT && n == 1))
    scripted(c->target)->registers[0] = value_of_write(5, 7);
  return OUTCOME_OK;
}

static void a_comparison_that_failed_is_a_read(void) {
  const char *wanted = "[ r0=- ]+ [ r0=5.7 ]+ [ c1:-=0.0 ]+ "
                       "[ r0=5.7 ]+ [ c0:5.7=0.1 ]+ ";
  check_tape(&scripted_driver, &cas_workload, interferes, 5, 1, wanted);
  check_tape(&one_shot_driver, &cas_workload, interferes, 5, 1, wanted);
}

static enum outcome cas_aborts(struct connection *c, uint32_t session,
                               enum call call, uint64_t n) {
  (void)session;
  return call == CALL_CAS && n == 0
             ? fails(c, OUTCOME_ABORTED, CAUSE_LOCK_TIMEOUT, "busy")
             : OUTCOME_OK;
}

// It may have been stored, but nobody knows what it saw.
static void a_comparison_without_an_answer_is_a_write(void) {
  check_tape(&scripted_driver, &cas_workload, cas_aborts, 3, 1,
             "[ r0=- ]+ [ w0=0.0 ]- [ c1:-=0.1 ]+ ");
  check_tape(&scripted_driver, &cas_workload, cas_aborts, 3, 2,
             "[ r0=- ]+ [ w0=0.0 ]- [ c0:-=0.1 ]+ [ c1:-=0.2 ]+ ");
}

// If it took place, it saw what an earlier transaction read.
static void a_lost_comparison_is_one(void) {
  check_tape(&one_shot_driver, &cas_workload, transact_is_lost, 3, 1,
             "[ r0=- ]+ [ c0:-=0.0 ]? [ c1:-=0.1 ]+ ");
}

// The comparison would expect a value that was never read.
static void what_follows_a_failed_one_by_one_is_left_out(void) {
  check_tape(&scripted_driver, &cas_workload, get_fails, 5, 1,
             "[ r0=- ]+ [ c0:-=0.0 ]+ [ c1:-=0.1 ]+ [ ]- [ r1=0.1 ]+ ");
}

static void list_next(void *state, struct plan *plan) {
  propose(state, plan);
  propose_op(plan, OP_APPEND, 3);
  propose_op(plan, OP_READ_LIST, 3);
  propose_op(plan, OP_READ_LIST, 4);
}

static const struct workload list_workload = {
    PROPOSED_COMMON, .name = "list", .lists = true, .shapes = one_shape,
    .next = list_next};

static void lists_are_noted(void) {
  const char *wanted = "[ a3=0.0 l3=0.0 l4= ]+ [ a3=0.1 l3=0.0,0.1 l4= ]+ ";
  check_tape(&scripted_driver, &list_workload, NULL, 2, 1, wanted);
  check_tape(&one_shot_driver, &list_workload, NULL, 2, 1, wanted);
}

static bool closing(void *state, const uint64_t *transactions,
                    struct plan *plan) {
  struct proposed *proposed = state;
  propose(state, plan);
  propose_op(plan, OP_READ, transactions[0]);
  return proposed->closed++ < 2;
}

static const struct workload closing_workload = {
    PROPOSED_COMMON, .name = "closing", .shapes = one_shape, .next = rmw_next,
    .closing = closing};

static void closing_plans_come_last(void) {
  const char *wanted =
      "[ r0=- w0=0.0 ]+ [ r0=0.0 w0=0.1 ]+ [ r2=- ]+ [ r2=- ]+ ";
  check_tape(&scripted_driver, &closing_workload, NULL, 2, 1, wanted);
  check_tape(&one_shot_driver, &closing_workload, NULL, 2, 1, wanted);
}

// Fails in all ways: gets with a deadlock, every third commit with one of two
// codes, every seventh unknown, puts without saying why.
static enum outcome fails_often(struct connection *c, uint32_t session,
                                enum call call, uint64_t n) {
  (void)session;
  if (call == CALL_GET && n % 5 == 4)
    return fails(c, OUTCOME_ABORTED, CAUSE_DEADLOCK, "40P01");
  if (call == CALL_PUT && n % 4 == 3)
    return fails(c, OUTCOME_ABORTED, CAUSE_NONE, "");
  if (call == CALL_COMMIT && n % 3 == 2)
    return fails(c, OUTCOME_ABORTED, CAUSE_SERIALIZATION,
                 n % 2 ? "40001" : "SNAPSHOT");
  if (call == CALL_COMMIT && n % 7 == 6)
    return fails(c, OUTCOME_UNKNOWN, CAUSE_CONNECTION, "08006");
  return OUTCOME_OK;
}

static const struct code_count *code(const struct run_figures *figures,
                                     const char *name) {
  for (uint32_t i = 0; i < figures->ncodes; i++)
    if (!strcmp(figures->codes[i].code, name))
      return &figures->codes[i];
  return NULL;
}

static void check_codes(const struct run_figures *figures) {
  static const char *const names[] = {"40P01", "", "40001", "SNAPSHOT",
                                      "08006"};
  uint64_t coded = 0;
  CHECK_INT(figures->ncodes, 5);
  for (size_t i = 0; i < 5; i++) {
    const struct code_count *row = code(figures, names[i]);
    char text[64];
    snprintf(text, sizeof text, "text of %s", names[i]);
    if (CHECK(row != NULL)) {
      CHECK_STR(row->text, text);
      coded += row->count;
    }
  }
  CHECK_INT(coded, figures->aborted + figures->unknown);
  for (uint32_t i = 1; i < figures->ncodes; i++)
    CHECK(figures->codes[i - 1].count >= figures->codes[i].count);
  CHECK_INT(code(figures, "08006")->count, figures->unknown);
  CHECK_INT(code(figures, "40001")->count + code(figures, "SNAPSHOT")->count,
            figures->by_cause[CAUSE_SERIALIZATION]);
}

// Counted here once more, from the calls that the database got.
static void failures_are_counted_by_cause_and_code(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, fails_often);
  struct run_options options = options_for(&target, &rmw_workload, 1000);
  options.max_tries = 2;
  struct run_figures figures;
  run_well(&options, &figures);
  const uint64_t *calls = target.calls[0];
  CHECK_INT(figures.begun, calls[CALL_BEGIN]);
  CHECK_INT(figures.by_cause[CAUSE_DEADLOCK], calls[CALL_GET] / 5);
  CHECK_INT(figures.by_cause[CAUSE_OTHER], calls[CALL_PUT] / 4);
  CHECK_INT(figures.by_cause[CAUSE_SERIALIZATION], calls[CALL_COMMIT] / 3);
  CHECK_INT(figures.aborted,
            calls[CALL_GET] / 5 + calls[CALL_PUT] / 4 + calls[CALL_COMMIT] / 3);
  CHECK(figures.unknown > 10 && figures.given_up > 10);
  CHECK_INT(figures.committed,
            calls[CALL_COMMIT] - calls[CALL_COMMIT] / 3 - figures.unknown);
  CHECK_INT(figures.transactions, 1000);
  CHECK_INT(figures.transactions,
            figures.committed + figures.unknown + figures.given_up);
  CHECK_INT(figures.operations, 2 * figures.committed);
  CHECK_INT(figures.shapes[0].latency.count, figures.committed);
  CHECK_STR(figures.server, "scripted 1.0");
  check_codes(&figures);
  run_figures_free(&figures);
  scripted_fini(&target);
}

// Every failure has a code of its own.
static enum outcome many_codes(struct connection *c, uint32_t session,
                               enum call call, uint64_t n) {
  (void)session;
  char name[24];
  snprintf(name, sizeof name, "C%u", (unsigned)n);
  return call == CALL_COMMIT ? fails(c, OUTCOME_ABORTED, CAUSE_DEADLOCK, name)
                             : OUTCOME_OK;
}

static void codes_beyond_the_table_are_counted_together(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, many_codes);
  struct run_options options = options_for(&target, &rmw_workload, 500);
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK_INT(figures.by_cause[CAUSE_DEADLOCK], 500);
  CHECK_STR(figures.codes[0].code, "(more codes)");
  CHECK_INT(figures.codes[0].count + figures.ncodes - 1, 500);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static void shapes_next(void *state, struct plan *plan) {
  struct proposed *proposed = state;
  const uint64_t n = proposed->n;
  propose(state, plan);
  plan->shape = n % 3 == 0;
  propose_op(plan, OP_READ, 1);
}

static const struct shape two_shapes[] = {
    {"two thirds", 1, ""}, {"third", 1, ""}, {NULL, 0, NULL}};
static const struct workload shapes_workload = {
    PROPOSED_COMMON, .name = "shapes", .shapes = two_shapes,
    .next = shapes_next};

static void shapes_are_counted_apart(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = options_for(&target, &shapes_workload, 300);
  struct run_figures figures;
  run_well(&options, &figures);
  CHECK_INT(figures.nshapes, 2);
  CHECK_STR(figures.shapes[0].name, "two thirds");
  CHECK_INT(figures.shapes[0].latency.count, 200);
  CHECK_INT(figures.shapes[1].committed, 100);
  run_figures_free(&figures);
  scripted_fini(&target);
}

static void the_keyspace_is_the_workloads(void) {
  static const struct {
    bool lists, preload;
    uint64_t nkeys;
    bool preloaded;
  } cases[] = {{false, true, 100, true},
               {false, false, 100, false},
               {true, true, 100, false},
               {false, true, RUN_MAX_PRELOAD, true},
               {false, true, RUN_MAX_PRELOAD + 1, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct scripted_target target;
    scripted_init(&target, &scripted_driver, NULL);
    struct workload workload = rmw_workload;
    workload.lists = cases[i].lists;
    workload.preload = cases[i].preload;
    struct run_options options = options_for(&target, &workload, 1);
    options.workload_options.nkeys = cases[i].nkeys;
    struct run_figures figures;
    run_well(&options, &figures);
    CHECK_INT(target.setups, 1);
    CHECK_INT(target.keys.nkeys, cases[i].nkeys);
    CHECK_INT(target.keys.lists, cases[i].lists);
    CHECK_INT(target.keys.preload, cases[i].preloaded);
    run_figures_free(&figures);
    scripted_fini(&target);
  }
}

static void operation_times_lie_within_the_transaction(void) {
  struct scripted_target target;
  scripted_init(&target, &scripted_driver, NULL);
  struct run_options options = options_for(&target, &list_workload, 100);
  options.op_times = true;
  struct run_figures figures;
  run_well(&options, &figures); // checks the order of all times
  CHECK(taped.session_logs[0].op_end > taped.session_logs[0].last_begin);
  run_figures_free(&figures);
  scripted_fini(&target);
}

int main(void) {
  const int failed = TAP_RUN(
      {"reads and writes are noted", reads_and_writes_are_noted},
      {"retries get new values", retries_get_new_values},
      {"without tries left the next transaction follows",
       without_tries_left_the_next_transaction_follows},
      {"what failed to read is not noted", what_failed_to_read_is_not_noted},
      {"what is unknown is not tried again",
       what_is_unknown_is_not_tried_again},
      {"what is outside of its transaction stays outside",
       what_is_outside_of_its_transaction_stays_outside},
      {"rollback follows what failed before commit",
       rollback_follows_what_failed_before_commit},
      {"operations one by one are transactions",
       operations_one_by_one_are_transactions},
      {"a comparison that failed is a read",
       a_comparison_that_failed_is_a_read},
      {"a comparison without an answer is a write",
       a_comparison_without_an_answer_is_a_write},
      {"a lost comparison is one", a_lost_comparison_is_one},
      {"what follows a failed one-by-one is left out",
       what_follows_a_failed_one_by_one_is_left_out},
      {"lists are noted", lists_are_noted},
      {"closing plans come last", closing_plans_come_last},
      {"failures are counted by cause and code",
       failures_are_counted_by_cause_and_code},
      {"codes beyond the table are counted together",
       codes_beyond_the_table_are_counted_together},
      {"shapes are counted apart", shapes_are_counted_apart},
      {"the keyspace is the workload's", the_keyspace_is_the_workloads},
      {"operation times lie within the transaction",
       operation_times_lie_within_the_transaction});
  taped_forget();
  return failed;
}
