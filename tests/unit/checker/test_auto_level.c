// SPDX-License-Identifier: GPL-3.0-or-later
// The memory store at each of its levels and with each of its bugs, and with
// levels mixed: scorecards show that what a level claims is kept, and that a
// bug breaks exactly the levels that forbid its anomaly.
#include "config.h"

#include "base/memory.h"
#include "checker/auto_level.h"
#include "drivers/drivers.h"
#include "drivers/memory/bugs.h"
#include "drivers/memory/internal.h"
#include "recorder/files/reader.h"
#include "runner/runner.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SESSIONS = 6, TRANSACTIONS = 80, KEYS = 8, SEEDS = 40 };

static const char *const workloads_used[] = {"mt", "general", "append"};
enum { WORKLOADS = sizeof workloads_used / sizeof *workloads_used };

struct load {
  const char *workload;
  enum isolation level; // ISOLATION_NONE: each transaction draws any
  enum bug bug;
  uint64_t seed;
};

static const struct driver_level *level_that_claims(enum isolation level) {
  const struct driver_level *l = memory_driver.levels;
  while (l->claimed != level)
    l++;
  return l;
}

static struct level_mix all_levels(void) {
  struct level_mix mix = {0};
  for (enum isolation l = ISOLATION_RC; l <= ISOLATION_SSER; l++) {
    mix.level[mix.count] = level_that_claims(l);
    mix.share[mix.count++] = 1;
  }
  return mix;
}

// On one thread, so that the seed decides the history.
static int run_load(const struct load *load, const char *path,
                    struct history *history, struct error *error) {
  char *bug = xasprintf("bug=%s:%s", bug_info(load->bug)->name,
                        bug_info(load->bug)->per_transaction ? "0.2" : "1");
  const char *const extra[] = {load->bug ? bug : NULL, NULL};
  struct target *target;
  const int opened =
      target_open("memory:", NULL, extra, SESSIONS, load->seed, &target, error);
  free(bug);
  if (opened)
    return -1;
  const struct level_mix mix = all_levels();
  struct run_options options = {
      .target = target,
      .level = level_that_claims(load->level ? load->level : ISOLATION_SSER),
      .mix = load->level ? NULL : &mix,
      .workload = workload_find(load->workload, error),
      .threads = 1,
      .transactions = TRANSACTIONS,
      .max_tries = 1,
      .history = path,
      .about = ""};
  workload_defaults(&options.workload_options);
  options.workload_options.seed = load->seed;
  options.workload_options.nsessions = SESSIONS;
  options.workload_options.nkeys = KEYS;
  options.workload_options.ops = 5;
  struct run_figures figures = {0};
  int result = -1;
  if (options.workload && run(&options, &figures, error) == 0)
    result = history_read(path, NULL, history, error);
  run_figures_free(&figures);
  target_close(target);
  unlink(path);
  return result;
}

static char directory[256], history_path[300];

static void make_directory(void) {
  const char *tmp = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/isostress-test.XXXXXX",
           tmp ? tmp : "/tmp");
  if (!mkdtemp(directory))
    abort();
  snprintf(history_path, sizeof history_path, "%s/history", directory);
}

// The strongest level that a run kept; ISOLATION_COUNT after a failed check.
static enum isolation strongest_kept(const struct load *load) {
  struct history history = {0};
  struct auto_level card;
  struct error error = {0};
  const struct check_options options = {.question = {.session_order = true}};
  enum isolation strongest = ISOLATION_COUNT;
  if (!CHECK(run_load(load, history_path, &history, &error) == 0)) {
    printf("# %s\n", error.text);
  } else {
    if (CHECK(auto_level_fill(&card, &history, &options, &error) == 0))
      strongest = card.strongest;
    else
      printf("# %s\n", error.text);
    auto_level_free(&card);
  }
  history_free(&history);
  return strongest;
}

static enum isolation weaker(enum isolation a, enum isolation b) {
  return a < b ? a : b;
}

// No run may keep less than `expected`, and some run keeps no more: with as
// many seeds as that takes.
static bool keeps_exactly(struct load load, enum isolation expected) {
  bool exact = false;
  for (load.seed = 1; load.seed <= SEEDS && !exact; load.seed++) {
    const enum isolation kept = strongest_kept(&load);
    if (!CHECK(kept >= expected && kept < ISOLATION_COUNT)) {
      printf("# %s at %s with %s, seed %d keeps only %s\n", load.workload,
             isolation_name(load.level),
             load.bug ? bug_info(load.bug)->name : "no bug", (int)load.seed,
             kept < ISOLATION_COUNT ? isolation_name(kept) : "no proof");
      return true; // said already
    }
    exact = kept == expected;
  }
  return exact;
}

static void every_level(void) {
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
    for (unsigned w = 0; w < WORKLOADS; w++) {
      const struct load load = {.workload = workloads_used[w], .level = level};
      if (!CHECK(keeps_exactly(load, level)))
        printf("# %s at %s always keeps more\n", load.workload,
               isolation_name(level));
    }
}

static void every_bug(void) {
  for (enum bug bug = BUG_NONE + 1; bug < BUG_FIRST_OF_ROWS; bug++)
    for (unsigned w = 0; w < WORKLOADS; w++)
      for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER;
           level++) {
        const struct load load = {
            .workload = workloads_used[w], .level = level, .bug = bug};
        if (!CHECK(keeps_exactly(load, weaker(level, bug_info(bug)->keeps))))
          printf("# %s at %s: %s is never seen\n", load.workload,
                 isolation_name(level), bug_info(bug)->name);
      }
}

static void mixed_levels(void) {
  for (unsigned w = 0; w < WORKLOADS; w++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      const struct load load = {.workload = workloads_used[w], .seed = seed};
      const struct check_options options = {
          .question = {.session_order = true, .recorded = true}};
      struct history history = {0};
      struct verdict verdict;
      struct error error;
      if (CHECK(run_load(&load, history_path, &history, &error) == 0) &&
          CHECK(check(&history, &options, &verdict, &error) == 0)) {
        CHECK(verdict.question.recorded);
        CHECK(verdict.kind == VERDICT_PASS);
        verdict_free(&verdict);
      }
      history_free(&history);
    }
}

int main(void) {
  make_directory();
  const int result =
      TAP_RUN({"every level keeps what it claims, and no more", every_level},
              {"every bug breaks the levels that forbid it", every_bug},
              {"mixed levels are kept", mixed_levels});
  rmdir(directory);
  return result;
}
