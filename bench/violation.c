// SPDX-License-Identifier: GPL-3.0-or-later
// What a violation in a history of a million transactions costs, found,
// minimised and proved, against the same load that keeps the level: whole
// processes on one core.  It may take twice as long.
#include "config.h"

#include "base/memory.h"
#include "bench/process.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *level, *bug;
} tasks[] = {{"rc", "AbortedRead:0.000001"},
             {"cc", "CausalityViolation:1"},
             {"si", "LostUpdate:0.0005"},
             {"ser", "WriteSkew:0.05"}};

static struct cost cost_once(const char *level, const char *bug) {
  char *directory = scratch_make();
  char *options = xasprintf("-w general -i %s -c 20 -t 50000 -k 1000000 "
                            "--distribution zipfian:0.99 --ops 15 "
                            "--read-ratio 0.5 --max-tries 20 %s%s",
                            level, bug ? "--bug=" : "", bug ? bug : "");
  char *path = record(directory, "million", options, false);
  const struct cost cost = cost_of_check(level, path, 3);
  free(path);
  free(options);
  scratch_remove(directory);
  return cost;
}

// Threads run as they like, so that a rare bug may break nothing.
static struct cost cost_with(const char *level, const char *bug) {
  enum { TRIES = 5 };
  struct cost cost = {0};
  for (int i = 0; i < TRIES && cost.status != 1; i++)
    cost = cost_once(level, bug);
  return cost;
}

int main(void) {
  int missed = 0;
  printf("%-5s %-22s %8s %8s %8s %7s\n", "level", "bug", "kept s", "broken s",
         "times", "MB");
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    const struct cost kept = cost_once(tasks[i].level, NULL);
    const struct cost broken = cost_with(tasks[i].level, tasks[i].bug);
    const double times = broken.cpu / kept.cpu;
    const bool met = kept.status == 0 && broken.status == 1 && times < 2;
    printf("%-5s %-22s %8.2f %8.2f %8.2f %7.0f  %s\n", tasks[i].level,
           tasks[i].bug, kept.cpu, broken.cpu, times, broken.megabytes,
           met ? "met" : "MISSED");
    fflush(stdout);
    missed += !met;
  }
  printf("%d missed\n", missed);
  return 0;
}
