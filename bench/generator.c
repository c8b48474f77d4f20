// SPDX-License-Identifier: GPL-3.0-or-later
// How fast plans are made: every workload with every distribution of keys, on
// one core.  Usage: bench/generator [KEYS [OPERATIONS]].  Prints, for each
// pair, nanoseconds of processor time per operation and million operations a
// second.
#include "config.h"

#include "workload/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 3 };

// Processor time, for the machine may have more to do than this.
static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// Seconds per operation, the best of some repeats.
static double cost(const struct workload *workload,
                   const struct workload_options *options, uint64_t wanted) {
  double best = 1;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    void *state = workload->open(options, 0);
    struct plan plan;
    uint64_t nops = 0;
    double start = cpu_seconds();
    while (nops < wanted) {
      workload->next(state, &plan);
      nops += plan.nops;
    }
    double each = (cpu_seconds() - start) / (double)nops;
    workload->close(state);
    best = each < best ? each : best;
  }
  return best;
}

int main(int argc, char **argv) {
  struct workload_options options;
  workload_defaults(&options);
  options.nkeys = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
  uint64_t wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : 2000000;
  struct error error;
  double slowest = 0;
  printf("%-10s %-12s %8s %12s\n", "workload", "keys", "ns/op", "Mops/s");
  for (int w = 0; workloads[w]; w++) {
    if (workload_check(workloads[w], &options, &error)) {
      fprintf(stderr, "%s\n", error.text);
      return 254;
    }
    for (int d = 0; d < DISTRIBUTION_COUNT; d++) {
      options.distribution = d;
      double each = cost(workloads[w], &options, wanted);
      slowest = each > slowest ? each : slowest;
      printf("%-10s %-12s %8.1f %12.1f\n", workloads[w]->name,
             distribution_name(d), each * 1e9, 1e-6 / each);
    }
  }
  printf("slowest: %.1f million operations a second of %" PRIu64 " keys\n",
         1e-6 / slowest, options.nkeys);
  return 0;
}
