// SPDX-License-Identifier: GPL-3.0-or-later
// Claims that hold for every workload: shares, ranges, names, and that plans
// depend on nothing but options, session and how many there were.
#include "config.h"

#include "tests/tap.h"
#include "workload/daily.h"
#include "workload/planner.h"

#include <math.h>
#include <pthread.h>

enum { SESSIONS = 6, PLANS = 500 };

static struct workload_options defaults(void) {
  struct workload_options options;
  workload_defaults(&options);
  options.seed = 7;
  return options;
}

// Counts shapes over many plans; each share within 4 standard deviations.
static void check_shares(const struct workload *workload,
                         const struct workload_options *options,
                         const double *shares) {
  enum { MANY = 40000 };
  uint32_t count[WORKLOAD_MAX_SHAPES] = {0};
  void *state = workload->open(options, 1);
  for (int i = 0; i < MANY; i++) {
    struct plan plan;
    workload->next(state, &plan);
    count[plan.shape]++;
  }
  workload->close(state);
  for (uint32_t i = 0; i < workload_shapes(workload); i++) {
    double deviation = sqrt(MANY * shares[i] * (1 - shares[i]));
    if (!CHECK(fabs(count[i] - MANY * shares[i]) <= 4 * deviation))
      printf("#   %s %s: %u of %d\n", workload->name, workload->shapes[i].name,
             count[i], MANY);
  }
}

static void shares_are_kept(void) {
  for (int w = 0; workloads[w]; w++) {
    if (workloads[w]->programs) // test_predicate.c
      continue;
    struct workload_options o = defaults();
    double shares[WORKLOAD_MAX_SHAPES] = {0}, sum = 0;
    for (uint32_t i = 0; i < workload_shapes(workloads[w]); i++)
      sum += shares[i] = workloads[w]->shapes[i].share;
    CHECK(fabs(sum - 1) < 1e-12);
    check_shares(workloads[w], &o, shares);
    o.shape_share[0] = 0.2; // scaled to 1/4 and 3/4
    o.shape_share[1] = 0.6;
    check_shares(workloads[w], &o, (double[WORKLOAD_MAX_SHAPES]){0.25, 0.75});
  }
}

static void general_default_is_cobras(void) {
  const struct workload *general = &workload_general;
  struct workload_options o = defaults();
  check_shares(general, &o, (double[WORKLOAD_MAX_SHAPES]){0.2, 0.4, 0.4});
}

// FNV-1a over everything that a plan says.
static uint64_t digest(uint64_t hash, const struct plan *plan) {
  for (uint32_t i = 0; i < plan->nops; i++) {
    const struct operation *op = &plan->ops[i];
    uint64_t words[] = {op->kind, (uint64_t)op->expect, op->key, plan->shape};
    for (int w = 0; w < 4; w++)
      hash = (hash ^ words[w]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

struct session_run {
  const struct workload *workload;
  struct workload_options options;
  uint32_t session;
  uint64_t digest;
};

static void *run_session(void *argument) {
  struct session_run *run = argument;
  void *state = run->workload->open(&run->options, run->session);
  for (int i = 0; i < PLANS; i++) {
    struct plan plan;
    run->workload->next(state, &plan);
    run->digest = digest(run->digest, &plan);
  }
  run->workload->close(state);
  return NULL;
}

static void prepare_runs(struct session_run *runs, int w) {
  for (uint32_t s = 0; s < SESSIONS; s++) {
    runs[s] = (struct session_run){workloads[w], defaults(), s, 1};
    runs[s].options.nsessions = SESSIONS;
  }
}

// One after the other, each in a thread of its own, and all in one thread in
// turns: the plans are the same.
static void plans_depend_on_the_session_alone(void) {
  for (int w = 0; workloads[w]; w++) {
    if (workloads[w]->programs) // test_predicate.c
      continue;
    struct session_run alone[SESSIONS], threaded[SESSIONS];
    pthread_t threads[SESSIONS];
    void *states[SESSIONS];
    uint64_t turns[SESSIONS];
    prepare_runs(alone, w);
    prepare_runs(threaded, w);
    for (int s = 0; s < SESSIONS; s++)
      pthread_create(&threads[s], NULL, run_session, &threaded[s]);
    for (int s = 0; s < SESSIONS; s++) {
      run_session(&alone[s]);
      pthread_join(threads[s], NULL);
      states[s] = workloads[w]->open(&alone[s].options, (uint32_t)s);
      turns[s] = 1;
    }
    for (int i = 0; i < PLANS * SESSIONS; i++) {
      struct plan plan;
      int s = i % SESSIONS;
      workloads[w]->next(states[s], &plan);
      turns[s] = digest(turns[s], &plan);
    }
    for (int s = 0; s < SESSIONS; s++) {
      CHECK(alone[s].digest == threaded[s].digest);
      CHECK(alone[s].digest == turns[s]);
      CHECK(s == 0 || alone[s].digest != alone[s - 1].digest);
      workloads[w]->close(states[s]);
    }
  }
}

static void another_seed_gives_other_plans(void) {
  for (int w = 0; workloads[w]; w++) {
    if (workloads[w]->programs) // test_predicate.c
      continue;
    struct session_run runs[SESSIONS];
    prepare_runs(runs, w);
    runs[1].session = 0;
    runs[1].options.seed++;
    run_session(&runs[0]);
    run_session(&runs[1]);
    CHECK(runs[0].digest != runs[1].digest);
  }
}

// The plans of a seed must not change by accident: a recorded run could not be
// repeated any more.
static void a_seed_keeps_its_plans(void) {
  static const struct {
    const struct workload *workload;
    const char *plans[3];
    uint64_t digest; // of the first 500 plans
  } golden[] = {
      {&workload_mt,
       {"read 3, write 3", "read 826, write 826",
        "read 448, write 448, read 0, write 0"},
       UINT64_C(0xa41613979b000896)},
      {&workload_general,
       {"write 3, write 90, write 826", "read 448, write 448, read 0",
        "write 6, write 124, write 10"},
       UINT64_C(0xe12c2f75f625755c)},
      {&workload_append,
       {"append 0, read list 90, append 0",
        "read list 930, append 47, read list 4",
        "read list 23, append 16, read list 501"},
       UINT64_C(0x4e41faa71de742fe)},
      {&workload_cas,
       {"read 0, cas 0", "read 90, cas 90", "read 0"},
       UINT64_C(0x4d824bdb36bae3f4)},
  };
  for (size_t g = 0; g < sizeof golden / sizeof golden[0]; g++) {
    struct session_run run = {golden[g].workload, defaults(), 2, 1};
    run.options.ops = 3;
    void *state = run.workload->open(&run.options, run.session);
    for (int i = 0; i < 3; i++) {
      struct plan plan;
      char text[100], *end = text;
      run.workload->next(state, &plan);
      for (uint32_t j = 0; j < plan.nops; j++)
        end += sprintf(end, "%s%s %" PRIu64, j ? ", " : "",
                       op_kind_name(plan.ops[j].kind), plan.ops[j].key);
      CHECK_STR(text, golden[g].plans[i]);
    }
    run.workload->close(state);
    run_session(&run);
    if (!CHECK(run.digest == golden[g].digest))
      printf("#   %s: got %#" PRIx64 "\n", run.workload->name, run.digest);
  }
}

static void plans_never_exceed_the_maximum(void) {
  for (int w = 0; workloads[w]; w++) {
    if (workloads[w]->programs) // test_predicate.c
      continue;
    struct workload_options o = defaults();
    struct error error;
    o.ops = PLAN_MAX_OPS;
    o.long_ops = PLAN_MAX_OPS;
    o.long_share = 0.5;
    CHECK_INT(workload_check(workloads[w], &o, &error), 0);
    void *state = workloads[w]->open(&o, 0);
    for (int i = 0; i < 100; i++) {
      struct plan plan;
      workloads[w]->next(state, &plan);
      CHECK(plan.nops >= 1 && plan.nops <= PLAN_MAX_OPS);
    }
    workloads[w]->close(state);
  }
}

// A kind that is used but not named in `needs` would reach a driver that does
// not have it.
static void needs_name_every_kind(void) {
  for (int w = 0; workloads[w]; w++) {
    if (workloads[w]->programs) // test_predicate.c
      continue;
    struct workload_options o = defaults();
    unsigned used = 0;
    for (uint32_t i = 0; i < workload_shapes(workloads[w]); i++)
      o.shape_share[i] = 1;
    void *state = workloads[w]->open(&o, 0);
    for (int i = 0; i < 1000; i++) {
      struct plan plan;
      workloads[w]->next(state, &plan);
      for (uint32_t j = 0; j < plan.nops; j++) {
        used |= 1u << plan.ops[j].kind;
        CHECK(op_is_list(plan.ops[j].kind) == workloads[w]->lists);
      }
    }
    CHECK_INT(used, workloads[w]->needs);
    workloads[w]->close(state);
  }
}

static void defaults_are_in_range(void) {
  for (int w = 0; workloads[w]; w++) {
    struct workload_options o = defaults();
    struct error error;
    CHECK_INT(workload_check(workloads[w], &o, &error), 0);
    CHECK(strlen(workloads[w]->summary) > 10);
  }
}

#define REFUSED(workload, field, number, sentence)                             \
  do {                                                                         \
    struct workload_options o_ = defaults();                                   \
    struct error error_ = {0};                                                 \
    o_.field = (number);                                                       \
    CHECK_INT(workload_check((workload), &o_, &error_), -1);                   \
    CHECK_STR(error_.text, sentence);                                          \
  } while (0)

static void what_is_out_of_range_is_named(void) {
  REFUSED(&workload_general, ops, 0, "ops must be between 1 and 1024, not 0");
  REFUSED(&workload_general, long_ops, 1025,
          "long-ops must be between 1 and 1024, not 1025");
  REFUSED(&workload_mt, nkeys, 1,
          "keys must be between 2 and 4000000000, not 1");
  REFUSED(&workload_cas, nkeys, 5000000000,
          "keys must be between 1 and 4000000000, not 5000000000");
  REFUSED(&workload_mt, nsessions, 0,
          "clients must be between 1 and 4194304, not 0");
  REFUSED(&workload_mt, theta, 0, "theta must be between 0.01 and 10, not 0");
  REFUSED(&workload_mt, theta, NAN,
          "theta must be between 0.01 and 10, not nan");
  REFUSED(&workload_mt, hot_ops, 1.5,
          "hot-ops must be between 0 and 1, not 1.5");
  REFUSED(&workload_mt, hot_keys, -0.5,
          "hot-keys must be between 0 and 1, not -0.5");
  REFUSED(&workload_mt, decay, 0.1,
          "decay must be between 0.11 and 0.9999, not 0.1");
  REFUSED(&workload_mt, read_ratio, 2,
          "read-ratio must be between 0 and 1, not 2");
  REFUSED(&workload_mt, long_share, 2,
          "long-share must be between 0 and 1, not 2");
  REFUSED(&workload_append, max_length, 0,
          "max-length must be between 1 and 1000000, not 0");
  REFUSED(&workload_mt, shape_share[1], 40,
          "shares: rmw1 must be between 0 and 1, not 40");
}

static void names_are_found(void) {
  struct error error = {0};
  enum distribution d;
  CHECK(workload_find("mt", &error) == workloads[0]);
  CHECK(workload_find("General", &error) == workloads[1]);
  CHECK(!workload_find("apend", &error));
  CHECK_STR(error.text, "unknown workload \"apend\", did you mean \"append\"?");
  CHECK(!workload_find("elsewhere", &error));
  CHECK_STR(error.text,
            "unknown workload \"elsewhere\", there are: mt, "
            "general, append, cas, predicate, tpcc, tpcc-pc, twitter, "
            "c-twitter, rubis, bank, comments, counter, "
            "dirty-reads, long-fork, monotonic, sequential, set, order, "
            "queue, outbox, get-or-create, transfer, booking, hits, retire, "
            "report, upsert");
  CHECK(!workload_find("oder", &error));
  CHECK_STR(error.text, "unknown workload \"oder\", did you mean \"order\"?");
  CHECK_INT(distribution_parse("zipfian", &d, &error), 0);
  CHECK_INT(d, DISTRIBUTION_ZIPFIAN);
  CHECK_INT(distribution_parse("zipf", &d, &error), -1);
  CHECK_STR(error.text,
            "unknown distribution \"zipf\", did you mean \"zipfian\"?");
  for (int i = 0; i < DISTRIBUTION_COUNT; i++) {
    CHECK_INT(distribution_parse(distribution_name(i), &d, &error), 0);
    CHECK_INT(d, i);
    CHECK(strlen(distribution_summary(i)) > 10);
  }
}

static void daily_transactions_have_two_names(void) {
  bool racy = true;
  const struct daily *found = daily_find("get-or-create", &racy);
  CHECK(found && !racy);
  CHECK(daily_find("Get-or-create-racy", &racy) == found && racy);
  CHECK(!daily_find("get-or-create-", &racy));
  CHECK(!daily_find("get", &racy));
}

int main(void) {
  return TAP_RUN(
      {"shares are kept", shares_are_kept},
      {"general's default is Cobra's", general_default_is_cobras},
      {"plans depend on the session alone", plans_depend_on_the_session_alone},
      {"another seed gives other plans", another_seed_gives_other_plans},
      {"a seed keeps its plans", a_seed_keeps_its_plans},
      {"plans never exceed the maximum", plans_never_exceed_the_maximum},
      {"needs name every kind", needs_name_every_kind},
      {"defaults are in range", defaults_are_in_range},
      {"what is out of range is named", what_is_out_of_range_is_named},
      {"names are found", names_are_found},
      {"daily transactions have two names", daily_transactions_have_two_names});
}
