// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of the runner itself per transaction: a database that does nothing,
// transactions of four operations that are always the same, one session.
// Usage: bench/runner [TRANSACTIONS].  Prints nanoseconds of processor time per
// transaction, without a recording and with one, for one session on a thread of
// its own and for eight that are interleaved on one thread.
#include "config.h"

#include "base/memory.h"
#include "runner/runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 3, OPS = 4 };

static int null_setup(struct target *target, const struct keyspace *keys,
                      struct error *error) {
  (void)target, (void)keys, (void)error;
  return 0;
}

static int null_connect(struct target *target, uint32_t session,
                        struct connection **connection, struct error *error) {
  (void)error;
  *connection = xcalloc(1, sizeof **connection);
  (*connection)->target = target;
  (*connection)->session = session;
  return 0;
}

static void null_disconnect(struct connection *connection) { free(connection); }

static enum outcome null_begin(struct connection *connection,
                               const struct driver_level *level) {
  (void)connection, (void)level;
  return OUTCOME_OK;
}

static enum outcome null_end(struct connection *connection) {
  (void)connection;
  return OUTCOME_OK;
}

static enum outcome null_get(struct connection *connection, uint64_t key,
                             uint64_t *value) {
  (void)connection, (void)key;
  *value = VALUE_INITIAL;
  return OUTCOME_OK;
}

static enum outcome null_put(struct connection *connection, uint64_t key,
                             uint64_t value) {
  (void)connection, (void)key, (void)value;
  return OUTCOME_OK;
}

static const struct driver_level levels[] = {{"none", ISOLATION_NONE},
                                             {NULL, ISOLATION_NONE}};
static const struct driver null_driver = {
    .abi = DRIVER_ABI,
    .name = "null",
    .levels = levels,
    .never_waits = true,
    .setup = null_setup,
    .connect = null_connect,
    .disconnect = null_disconnect,
    .begin = null_begin,
    .commit = null_end,
    .rollback = null_end,
    .get = null_get,
    .put = null_put,
};

static void *fixed_open(const struct workload_options *options,
                        uint32_t session) {
  (void)options, (void)session;
  struct operation *ops = xcalloc(OPS, sizeof *ops);
  for (uint32_t i = 0; i < OPS; i++)
    ops[i] =
        (struct operation){.kind = i % 2 ? OP_WRITE : OP_READ, .key = i / 2};
  return ops;
}

static void fixed_next(void *state, struct plan *plan) {
  *plan = (struct plan){.ops = state, .nops = OPS};
}

static const struct shape shapes[] = {{"rmw2", 1, ""}, {NULL, 0, NULL}};
static const struct workload fixed_workload = {.name = "fixed",
                                               .shapes = shapes,
                                               .open = fixed_open,
                                               .close = free,
                                               .next = fixed_next};

// Processor time of all threads, for the machine may have more to do than this.
static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// Nanoseconds per transaction, the best of some repeats.
static double cost(uint32_t nsessions, uint64_t transactions,
                   const char *history) {
  struct target target = {.driver = &null_driver};
  const struct run_options options = {
      .target = &target,
      .level = levels,
      .workload = &fixed_workload,
      .workload_options = {.nsessions = nsessions, .nkeys = OPS},
      .threads = nsessions > 1,
      .transactions = transactions / nsessions,
      .max_tries = 1,
      .history = history,
      .about = "",
  };
  double best = 1e9;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    struct run_figures figures;
    struct error error;
    const double start = cpu_seconds();
    if (run(&options, &figures, &error)) {
      fprintf(stderr, "%s\n", error.text);
      exit(255);
    }
    const double each =
        (cpu_seconds() - start) * 1e9 / (double)figures.all_begun;
    best = each < best ? each : best;
    run_figures_free(&figures);
    if (history)
      unlink(history);
  }
  return best;
}

int main(int argc, char **argv) {
  const uint64_t transactions =
      argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;
  char directory[] = "/tmp/isostress-bench.XXXXXX";
  if (!mkdtemp(directory)) {
    perror(directory);
    return 255;
  }
  char *history = xasprintf("%s/history", directory);
  printf("ns of processor time per transaction of %d operations\n", OPS);
  printf("%-22s %12s %12s\n", "", "unrecorded", "recorded");
  for (uint32_t nsessions = 1; nsessions <= 8; nsessions += 7)
    printf("%u session%s on a thread%s %12.1f %12.1f\n", nsessions,
           nsessions > 1 ? "s" : " ", nsessions > 1 ? "" : " ",
           cost(nsessions, transactions, NULL),
           cost(nsessions, transactions, history));
  rmdir(directory);
  free(history);
  return 0;
}
