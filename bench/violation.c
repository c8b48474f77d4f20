// SPDX-License-Identifier: GPL-3.0-or-later
// What a violation in a history of a million transactions costs, found,
// minimised and proved, against the same load that keeps the level: whole
// processes on one core.  It may take twice as long.
//
//   bench/violation [general|append]
#include "config.h"

#include "base/memory.h"
#include "bench/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const workloads[] = {
    "-w general -k 1000000 --distribution zipfian:0.99 --ops 15 "
    "--read-ratio 0.5",
    "-w append -k 100000 --ops 4",
};
enum workload { GENERAL, APPEND };
static const char *const names[] = {"general", "append"};

static const struct {
  enum workload workload;
  const char *level, *bug;
} tasks[] = {{GENERAL, "rc", "AbortedRead:0.000001"},
             {GENERAL, "ra", "FracturedRead:0.7"},
             {GENERAL, "cc", "AbortedRead:0.000001"},
             {GENERAL, "cc", "CausalityViolation:1"},
             {GENERAL, "pc", "CausalityViolation:1"},
             {GENERAL, "si", "AbortedRead:0.000001"},
             {GENERAL, "si", "LostUpdate:0.0005"},
             {GENERAL, "ser", "WriteSkew:0.05"},
             {GENERAL, "sser", "SessionGuaranteeViolation:0.001"},
             {APPEND, "rc", "AbortedRead:0.0001"},
             {APPEND, "ra", "FracturedRead:1"},
             {APPEND, "cc", "CausalityViolation:1"},
             {APPEND, "pc", "LongFork:1"},
             {APPEND, "si", "LostUpdate:0.1"},
             {APPEND, "ser", "WriteSkew:0.1"},
             {APPEND, "sser", "SessionGuaranteeViolation:0.01"}};

static struct cost cost_once(enum workload workload, const char *level,
                             const char *bug) {
  char *directory = scratch_make();
  char *options = xasprintf("%s -i %s -c 20 -t 50000 --max-tries 20 %s%s",
                            workloads[workload], level, bug ? "--bug=" : "",
                            bug ? bug : "");
  char *path = record(directory, "million", options, false);
  const struct cost cost = cost_of_check(level, path, 3);
  free(path);
  free(options);
  scratch_remove(directory);
  return cost;
}

// Threads run as they like, so that a rare bug may break nothing.
static struct cost cost_with(enum workload workload, const char *level,
                             const char *bug) {
  enum { TRIES = 5 };
  struct cost cost = {0};
  for (int i = 0; i < TRIES && cost.status != 1; i++)
    cost = cost_once(workload, level, bug);
  return cost;
}

int main(int argc, char **argv) {
  int missed = 0;
  printf("%-8s %-5s %-31s %8s %8s %8s %7s\n", "workload", "level", "bug",
         "kept s", "broken s", "times", "MB");
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    const enum workload workload = tasks[i].workload;
    if (argc > 1 && strcmp(argv[1], names[workload]))
      continue;
    const struct cost kept = cost_once(workload, tasks[i].level, NULL);
    const struct cost broken =
        cost_with(workload, tasks[i].level, tasks[i].bug);
    const double times = broken.cpu / kept.cpu;
    const bool met = kept.status == 0 && broken.status == 1 && times < 2;
    printf("%-8s %-5s %-31s %8.2f %8.2f %8.2f %7.0f  %s\n", names[workload],
           tasks[i].level, tasks[i].bug, kept.cpu, broken.cpu, times,
           broken.megabytes, met ? "met" : "MISSED");
    fflush(stdout);
    missed += !met;
  }
  printf("%d missed\n", missed);
  return 0;
}
