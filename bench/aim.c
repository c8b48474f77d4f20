// SPDX-License-Identifier: GPL-3.0-or-later
// How much sooner --aim finds the anomalies that the driver memory shows now
// and then: committed transactions until the first violation, median of some
// seeds, with the workload mt as it is and with the aim; at the driver's
// default level, on one thread, so that the seed decides all.
//
//   bench/aim [SEEDS [ANOMALY...]]
//
// Or, on a database, whether the aims bring more chances a second than their
// shapes alone; runs of so many seconds, medians of so many runs:
//
//   bench/aim URI SECONDS RUNS [ANOMALY...]
#include "config.h"

#include "base/memory.h"
#include "bench/aim_chances.h"
#include "checker/verdict/verdict.h"
#include "drivers/drivers.h"
#include "recorder/files/reader.h"
#include "runner/runner.h"
#include "workload/aim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { SESSIONS = 8, SEEDS_MOST = 100, TRANSACTIONS_MOST = 1 << 17 };

// How often each bug strikes: seldom enough that it takes the workload as it is
// thousands of transactions.
static const char *const bugs[] = {
    "ThinAirRead:0.0001",       "AbortedRead:0.0003",
    "FutureRead:0.0001",        "NotMyLastWrite:0.01",
    "NotMyOwnWrite:0.01",       "IntermediateRead:0.001",
    "NonRepeatableReads:0.01",  "SessionGuaranteeViolation:0.001",
    "NonMonotonicRead:0.1",     "FracturedRead:0.01",
    "CausalityViolation:0.001", "LongFork:0.01",
    "LostUpdate:0.001",         "WriteSkew:0.01"};

struct keyspace_of_bench {
  const char *name;
  uint64_t nkeys;
  enum distribution distribution;
};

static void fail(const struct error *error) {
  fprintf(stderr, "bench/aim: %s\n", error->text);
  exit(1);
}

// A run of so many transactions per session, as a history.
static void record(const char *bug, const struct aim *aim,
                   const struct keyspace_of_bench *keys, uint64_t seed,
                   uint64_t transactions, struct history *history) {
  char path[] = "/tmp/isostress-bench.XXXXXX";
  char *text = xasprintf("memory:?bug=%s", bug);
  struct run_figures figures = {0};
  struct error error = {0};
  if (!mkdtemp(path))
    abort();
  char *file = xasprintf("%s/history", path);
  struct run_options options = {.workload = workload_find("mt", &error),
                                .transactions = transactions,
                                .max_tries = 1,
                                .threads = 1,
                                .history = file};
  workload_defaults(&options.workload_options);
  options.workload_options.seed = seed;
  options.workload_options.nsessions = SESSIONS;
  options.workload_options.nkeys = keys->nkeys;
  options.workload_options.distribution = keys->distribution;
  options.workload_options.aim = aim;
  if (target_open(text, NULL, NULL, SESSIONS, seed, &options.target, &error))
    fail(&error);
  options.level = driver_level(options.target->driver, NULL, &error);
  if (run(&options, &figures, &error) ||
      history_read(file, NULL, history, &error))
    fail(&error);
  run_figures_free(&figures);
  target_close(options.target);
  unlink(file);
  rmdir(path);
  free(file);
  free(text);
}

static bool is_broken(const struct history *history) {
  const struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true}};
  struct verdict verdict;
  struct error error;
  if (check(history, &options, &verdict, &error))
    fail(&error);
  const bool broken = verdict.kind == VERDICT_VIOLATION;
  verdict_free(&verdict);
  return broken;
}

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// The fewest committed transactions, in the order of their ends, that break the
// level.  What is later has an unknown outcome, and counts only if it was seen.
static uint64_t first_break(struct history *h) {
  uint64_t *ends = xmalloc(h->ntxns * sizeof *ends);
  uint8_t *outcome = xmalloc(h->ntxns);
  uint64_t n = 0;
  memcpy(outcome, h->outcome, h->ntxns);
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (outcome[t] == OUTCOME_OK)
      ends[n++] = h->end[t];
  qsort(ends, n, sizeof *ends, by_number);
  uint64_t low = 0, high = n; // `high` break it, `low` do not
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    for (uint32_t t = 0; t < h->ntxns; t++)
      h->outcome[t] = outcome[t] == OUTCOME_OK && h->end[t] > ends[middle - 1]
                          ? OUTCOME_UNKNOWN
                          : outcome[t];
    *(is_broken(h) ? &high : &low) = middle;
  }
  free(ends);
  free(outcome);
  return high;
}

// TRANSACTIONS_MOST per session if there was none in these.
static uint64_t until_found(const char *bug, const struct aim *aim,
                            const struct keyspace_of_bench *keys,
                            uint64_t seed) {
  for (uint64_t n = 64; n <= TRANSACTIONS_MOST / SESSIONS; n *= 4) {
    struct history history;
    record(bug, aim, keys, seed, n, &history);
    const uint64_t first = is_broken(&history) ? first_break(&history) : 0;
    history_free(&history);
    if (first)
      return first;
  }
  return TRANSACTIONS_MOST;
}

static uint64_t median(const char *bug, const struct aim *aim,
                       const struct keyspace_of_bench *keys, uint32_t nseeds) {
  uint64_t found[SEEDS_MOST];
  for (uint32_t seed = 0; seed < nseeds; seed++)
    found[seed] = until_found(bug, aim, keys, seed + 1);
  qsort(found, nseeds, sizeof *found, by_number);
  return found[nseeds / 2];
}

static void compare(const char *bug, const struct keyspace_of_bench *keys,
                    uint32_t nseeds) {
  struct error error;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(bug, ":"), bug);
  const struct aim *aim = aim_find(name, false, &error);
  if (!aim)
    fail(&error);
  const uint64_t baseline = median(bug, NULL, keys, nseeds);
  const uint64_t aided = median(bug, aim, keys, nseeds);
  printf("%-32s %-20s %s%7llu %7llu %7.1f\n", bug, keys->name,
         baseline == TRANSACTIONS_MOST ? ">" : " ",
         (unsigned long long)baseline, (unsigned long long)aided,
         (double)baseline / (double)aided);
  fflush(stdout);
}

static bool is_asked_for(const char *bug, char **names) {
  bool found = !*names;
  for (; *names; names++)
    found |= strncasecmp(bug, *names, strlen(*names)) == 0;
  return found;
}

int main(int argc, char **argv) {
  static const struct keyspace_of_bench keyspaces[] = {
      {"1000 zipfian:0.99", 1000, DISTRIBUTION_ZIPFIAN},
      {"100000 uniform", 100000, DISTRIBUTION_UNIFORM},
  };
  if (argc > 3 && strchr(argv[1], ':')) {
    aim_chances(argv[1], (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]),
                argv + 4);
    return 0;
  }
  const int asked = argc > 1 ? atoi(argv[1]) : 20;
  const uint32_t nseeds = asked < 1            ? 1
                          : asked > SEEDS_MOST ? SEEDS_MOST
                                               : (uint32_t)asked;
  printf("%-32s %-20s %8s %7s %7s\n", "bug", "keys", "baseline", "aimed",
         "sooner");
  for (size_t k = 0; k < sizeof keyspaces / sizeof *keyspaces; k++)
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
      if (is_asked_for(bugs[i], argc > 2 ? argv + 2 : argv + argc))
        compare(bugs[i], &keyspaces[k], nseeds);
  return 0;
}
