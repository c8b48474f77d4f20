// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a violation in a history of a million transactions, found,
// minimised and proved, against the same load that keeps the level: whole
// processes on one core, in turns.
//
//   bench/violation [WORKLOAD [LEVEL [BUG]]]
//
// does all rows, or those that the words name.  With ISOSTRESS_BEFORE=PROGRAM
// another isostress checks the broken history by turns with this one, and the
// last column says how many times as long this one takes.
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

// The tasks of a workload and level stand together.  Where a bug has two rates,
// the first history has few violations and the second one many.
static const struct task {
  enum workload workload;
  const char *level, *bug;
} tasks[] = {{GENERAL, "rc", "AbortedRead:0.000001"},
             {GENERAL, "rc", "AbortedRead:0.01"},
             {GENERAL, "ra", "FracturedRead:0.7"},
             {GENERAL, "ra", "SessionGuaranteeViolation:0.01"},
             {GENERAL, "cc", "AbortedRead:0.000001"},
             {GENERAL, "cc", "CausalityViolation:1"},
             {GENERAL, "pc", "CausalityViolation:1"},
             {GENERAL, "si", "AbortedRead:0.000001"},
             {GENERAL, "si", "LostUpdate:0.0005"},
             {GENERAL, "si", "LostUpdate:1"},
             {GENERAL, "ser", "WriteSkew:0.05"},
             {GENERAL, "ser", "WriteSkew:1"},
             {GENERAL, "sser", "SessionGuaranteeViolation:0.01"},
             {APPEND, "rc", "AbortedRead:0.0001"},
             {APPEND, "ra", "FracturedRead:1"},
             {APPEND, "cc", "CausalityViolation:1"},
             {APPEND, "pc", "LongFork:1"},
             {APPEND, "si", "LostUpdate:0.1"},
             {APPEND, "si", "LostUpdate:1"},
             {APPEND, "ser", "WriteSkew:0.1"},
             {APPEND, "ser", "WriteSkew:1"},
             {APPEND, "sser", "SessionGuaranteeViolation:0.01"}};

enum { ROUNDS = 2, TRIES = 5 };

// Some bugs make the store abort more, so that its histories are larger.
static double size_of(const char *path) {
  struct stat status;
  return stat(path, &status) ? 0 : (double)status.st_size;
}

static char *record_with(const struct task *task, bool broken,
                         const char *directory, const char *name) {
  char *options = xasprintf("%s -i %s -c 20 -t 50000 --max-tries 20 %s%s",
                            workloads[task->workload], task->level,
                            broken ? "--bug=" : "", broken ? task->bug : "");
  char *path = record(directory, name, options, false);
  free(options);
  return path;
}

// Threads run as they like, so that a rare bug may break nothing: then once
// more.
static bool compare(const struct task *task, const char *kept, int tries) {
  char *directory = scratch_make();
  char *path = record_with(task, true, directory, "broken");
  const bool missing = cost_of_check(task->level, path, 1).status == 0;
  if (missing && tries > 1) {
    free(path);
    scratch_remove(directory);
    return compare(task, kept, tries - 1);
  }
  const char *const paths[] = {kept, path};
  struct cost costs[2];
  costs_of_checks(task->level, paths, 2, ROUNDS, costs);
  const double times = costs[1].cpu / costs[0].cpu;
  const double larger = size_of(path) / size_of(kept);
  struct cost turns[2];
  const char *before = getenv("ISOSTRESS_BEFORE");
  if (before)
    costs_by_turns(task->level, path, before, ROUNDS, turns);
  free(path);
  scratch_remove(directory);
  const bool told = costs[0].status == 0 && costs[1].status == 1;
  printf("%-8s %-5s %-31s %8.2f %8.2f %8.2f %7.2f %7.0f  %s",
         names[task->workload], task->level, task->bug, costs[0].cpu,
         costs[1].cpu, times, larger, costs[1].megabytes,
         told ? "told" : "NOT TOLD");
  if (before)
    printf(" %8.2f", turns[0].cpu / turns[1].cpu);
  putchar('\n');
  fflush(stdout);
  return told;
}

static bool is_alike(const struct task *a, const struct task *b) {
  return a->workload == b->workload && !strcmp(a->level, b->level);
}

// Do the words, as far as there are some, name the task?
static bool is_wanted(const struct task *task, char **words) {
  const char *const of_task[] = {names[task->workload], task->level, task->bug};
  for (int i = 0; i < 3 && words[i]; i++)
    if (strcmp(words[i], of_task[i]))
      return false;
  return true;
}

int main(int argc, char **argv) {
  const struct task *before = NULL;
  char *directory = scratch_make(), *kept = NULL;
  int untold = 0;
  (void)argc;
  printf("%-8s %-5s %-31s %8s %8s %8s %7s %7s\n", "workload", "level", "bug",
         "kept s", "broken s", "times", "larger", "MB");
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    const struct task *task = &tasks[i];
    if (!is_wanted(task, argv + 1))
      continue;
    if (!before || !is_alike(before, task)) {
      free(kept);
      kept = record_with(task, false, directory, task->level);
    }
    before = task;
    untold += !compare(task, kept, TRIES);
  }
  free(kept);
  scratch_remove(directory);
  printf("%d not told\n", untold);
  return 0;
}
