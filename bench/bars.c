// SPDX-License-Identifier: GPL-3.0-or-later
// What a verdict costs at each level on histories of all kinds, as a whole
// process on one core, against the processor time and memory that we allow it;
// where nothing else runs the time on the clock is the same.  The histories are
// made by the memory driver at the level that they are checked at (or another
// where the verdict shall be a violation); those "without times" are siblings
// of PolySI's published benchmarks in the same format.
//
//   bench/bars [-n] [CASE...]       -n: leave out those with a million
//   ISOSTRESS_HISTORIES=DIRECTORY   with general-rw.bincode and zipf.bincode,
//                                   which are then measured as well
#include "config.h"

#include "base/memory.h"
#include "bench/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 5, MAX_QUESTIONS = 5 };

struct question {
  const char *level;
  double seconds, megabytes; // allowed; 0: nothing is said
  int status;                // expected
};

struct task {
  const char *name;
  const char *options; // of `isostress run`; NULL: the file is given
  bool timeless, large;
  struct question questions[MAX_QUESTIONS];
};

static const struct task tasks[] = {
    {"general-rw.bincode", .questions = {{"rc", 0.01, 40, 0},
                                         {"ra", 0.01, 40, 0},
                                         {"cc", 0.02, 40, 0},
                                         {"si", 0.12, 40, 0},
                                         {"ser", 0.12, 40, 0}}},
    {"zipf.bincode", .questions = {{"si", 0.05, 0, 0}, {"ser", 0.03, 0, 1}}},
    {"general-rw-sibling",
     "--threads 1 -w general -i ser -c 25 -t 400 -k 10000 --distribution "
     "uniform --ops 8 "
     "--read-ratio 0.5 --max-tries 50",
     .timeless = true,
     .questions = {{"rc", 0.01, 40, 0},
                   {"ra", 0.01, 40, 0},
                   {"cc", 0.02, 40, 0},
                   {"si", 0.12, 40, 0},
                   {"ser", 0.12, 40, 0}}},
    {"zipf-sibling",
     "--threads 1 -w general -i si -c 20 -t 100 -k 10000 --distribution "
     "zipfian:0.99 "
     "--ops 15 --read-ratio 0.5 --max-tries 50",
     .timeless = true, .questions = {{"si", 0.05, 0, 0}, {"ser", 0.03, 0, 1}}},
    {"write-heavy",
     "--threads 1 -w general -i ser -c 25 -t 400 -k 10000 --distribution "
     "uniform --ops 8 "
     "--read-ratio 0.3 --max-tries 50",
     .timeless = true, .questions = {{"si", 0.15, 0, 0}, {"ser", 0.15, 0, 0}}},
    {"read-heavy",
     "--threads 1 -w general -i ser -c 25 -t 400 -k 10000 --distribution "
     "uniform --ops 8 "
     "--read-ratio 0.95 --max-tries 50",
     .timeless = true, .questions = {{"si", 0.02, 0, 0}, {"ser", 0.02, 0, 0}}},
    {"long-transactions",
     "--threads 1 -w general -i ser -c 20 -t 100 -k 1000 --distribution "
     "uniform --ops 15 "
     "--read-ratio 0.5 --max-tries 50",
     .timeless = true, .questions = {{"si", 0.12, 0, 0}, {"ser", 0.12, 0, 0}}},
    {"hard-zipfian", // two of three attempts abort
     "--threads 1 -w general -i si -c 20 -t 16000 -k 100000 --distribution "
     "zipfian:0.99 "
     "--ops 15 --read-ratio 0.5 --max-tries 1",
     .timeless = true, .questions = {{"si", 20, 0, 0}}},
    {"hard-uniform",
     "--threads 1 -w general -i si -c 20 -t 5000 -k 1000 --distribution "
     "uniform --ops 8 "
     "--read-ratio 0.5 --max-tries 100",
     .timeless = true, .questions = {{"si", 10, 0, 0}}},
    {"compare-and-set", "-w cas -i sser -c 10 -t 10000 -k 1",
     .questions = {{"sser", 0.1, 0, 0}}},
    {"million-si",
     "-w general -i si -c 20 -t 50000 -k 1000000 --distribution zipfian:0.99 "
     "--ops 15 --read-ratio 0.5 --max-tries 20",
     .large = true,
     .questions = {{"rc", 2, 3000, 0},
                   {"ra", 2, 3000, 0},
                   {"cc", 4, 3000, 0},
                   {"si", 12, 3000, 0}}},
    {"million-ser",
     "-w general -i ser -c 20 -t 50000 -k 1000000 --distribution zipfian:0.99 "
     "--ops 15 --read-ratio 0.5 --max-tries 20",
     .large = true, .questions = {{"ser", 12, 3000, 0}}},
};

static const char *const verdicts[] = {"kept", "broken", "undecided"};

// How many questions took more than they may, or were answered otherwise.
static int measure(const struct task *task, const char *path) {
  int missed = 0;
  for (int i = 0; i < MAX_QUESTIONS && task->questions[i].level; i++) {
    const struct question *q = &task->questions[i];
    const struct cost cost =
        cost_of_check(q->level, path, task->large ? 1 : ROUNDS);
    const bool met = cost.status == q->status && cost.cpu <= q->seconds &&
                     (!q->megabytes || cost.megabytes <= q->megabytes);
    char allowed[16] = "-";
    if (q->megabytes)
      snprintf(allowed, sizeof allowed, "%.0f", q->megabytes);
    printf("%-20s %-5s %-9s %8.3f %8.3f %8.2f %7.0f %8s  %s\n", task->name,
           q->level, verdicts[cost.status], cost.wall, cost.cpu, q->seconds,
           cost.megabytes, allowed, met ? "met" : "MISSED");
    fflush(stdout);
    missed += !met;
  }
  return missed;
}

// The file that is given or made; NULL if it is not given.
static char *path_of(const struct task *task, const char *directory) {
  const char *given = getenv("ISOSTRESS_HISTORIES");
  if (task->options)
    return record(directory, task->name, task->options, task->timeless);
  return given ? xasprintf("%s/%s", given, task->name) : NULL;
}

static bool is_wanted(const struct task *task, char **names, bool no_large) {
  bool named = !*names;
  for (; *names; names++)
    named |= strcmp(*names, task->name) == 0;
  return named && !(no_large && task->large);
}

int main(int argc, char **argv) {
  const bool no_large = argc > 1 && strcmp(argv[1], "-n") == 0;
  char **names = argv + 1 + no_large;
  int missed = 0;
  printf("%-20s %-5s %-9s %8s %8s %8s %7s %8s\n", "history", "level", "verdict",
         "wall s", "cpu s", "allowed", "MB", "allowed");
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    if (!is_wanted(&tasks[i], names, no_large))
      continue;
    char *directory = scratch_make();
    char *path = path_of(&tasks[i], directory);
    if (path)
      missed += measure(&tasks[i], path);
    free(path);
    scratch_remove(directory);
  }
  printf("%d missed\n", missed);
  return 0;
}
