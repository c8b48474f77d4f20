// SPDX-License-Identifier: GPL-3.0-or-later
// What a violation in a history of a million transactions costs, found,
// minimised and proved, against the same load that keeps the level: whole
// processes on one core.  It may take twice as long; where the broken history
// is more than twice as large as the kept one, as a file, twice as long for as
// much of it.
//
//   bench/violation [general|append]
#include "config.h"

#include "base/memory.h"
#include "bench/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const workloads[] = {
    "-w general -k 1000000 --distribution zipfian:0.99 --ops 15 "
    "--read-ratio 0.5",
    "-w append -k 100000 --ops 4",
};
enum workload { GENERAL, APPEND };
static const char *const names[] = {"general", "append"};

// Of a workload and level one after the other.  Where a bug comes at two rates,
// few violations are to be found in the first history and many in the second.
static const struct task {
  enum workload workload;
  const char *level, *bug;
} tasks[] = {{GENERAL, "rc", "AbortedRead:0.000001"},
             {GENERAL, "rc", "AbortedRead:0.01"},
             {GENERAL, "ra", "FracturedRead:0.7"},
             {GENERAL, "ra", "SessionGuaranteeViolation:0.001"},
             {GENERAL, "cc", "AbortedRead:0.000001"},
             {GENERAL, "cc", "CausalityViolation:1"},
             {GENERAL, "pc", "CausalityViolation:1"},
             {GENERAL, "si", "AbortedRead:0.000001"},
             {GENERAL, "si", "LostUpdate:0.0005"},
             {GENERAL, "si", "LostUpdate:1"},
             {GENERAL, "ser", "WriteSkew:0.05"},
             {GENERAL, "ser", "WriteSkew:1"},
             {GENERAL, "sser", "SessionGuaranteeViolation:0.001"},
             {APPEND, "rc", "AbortedRead:0.0001"},
             {APPEND, "ra", "FracturedRead:1"},
             {APPEND, "cc", "CausalityViolation:1"},
             {APPEND, "pc", "LongFork:1"},
             {APPEND, "si", "LostUpdate:0.1"},
             {APPEND, "si", "LostUpdate:1"},
             {APPEND, "ser", "WriteSkew:0.1"},
             {APPEND, "ser", "WriteSkew:1"},
             {APPEND, "sser", "SessionGuaranteeViolation:0.01"}};

// Some bugs make the store abort more, so that its histories are larger.
struct checked {
  struct cost cost;
  double megabytes; // of the file
};

static double size_of(const char *path) {
  struct stat status;
  return stat(path, &status) ? 0 : (double)status.st_size / (1 << 20);
}

static struct checked check_once(enum workload workload, const char *level,
                                 const char *bug) {
  char *directory = scratch_make();
  char *options = xasprintf("%s -i %s -c 20 -t 50000 --max-tries 20 %s%s",
                            workloads[workload], level, bug ? "--bug=" : "",
                            bug ? bug : "");
  char *path = record(directory, "million", options, false);
  const struct checked checked = {cost_of_check(level, path, 2), size_of(path)};
  free(path);
  free(options);
  scratch_remove(directory);
  return checked;
}

// Threads run as they like, so that a rare bug may break nothing.
static struct checked check_with(const struct task *task) {
  enum { TRIES = 5 };
  struct checked checked = {0};
  for (int i = 0; i < TRIES && checked.cost.status != 1; i++)
    checked = check_once(task->workload, task->level, task->bug);
  return checked;
}

static bool is_like_before(const struct task *task) {
  return task > tasks && task[-1].workload == task->workload &&
         !strcmp(task[-1].level, task->level);
}

static bool compare(const struct task *task, const struct checked *kept) {
  const struct checked broken = check_with(task);
  const double times = broken.cost.cpu / kept->cost.cpu;
  const double larger = broken.megabytes / kept->megabytes;
  const bool met = kept->cost.status == 0 && broken.cost.status == 1 &&
                   times < (larger > 2 ? 2 * larger : 2);
  printf("%-8s %-5s %-31s %8.2f %8.2f %8.2f %7.2f %7.0f  %s\n",
         names[task->workload], task->level, task->bug, kept->cost.cpu,
         broken.cost.cpu, times, larger, broken.cost.megabytes,
         met ? "met" : "MISSED");
  fflush(stdout);
  return met;
}

int main(int argc, char **argv) {
  struct checked kept = {0};
  int missed = 0;
  printf("%-8s %-5s %-31s %8s %8s %8s %7s %7s\n", "workload", "level", "bug",
         "kept s", "broken s", "times", "larger", "MB");
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    const struct task *task = &tasks[i];
    if (argc > 1 && strcmp(argv[1], names[task->workload]))
      continue;
    if (!is_like_before(task))
      kept = check_once(task->workload, task->level, NULL);
    missed += !compare(task, &kept);
  }
  printf("%d missed\n", missed);
  return 0;
}
