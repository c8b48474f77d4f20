// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a verdict at each level on histories of all kinds, as a whole
// process on one core, against the processor time and memory that we allow it;
// where nothing else runs the time on the clock is the same.  The histories
// (bench/histories.h) are made at the level that they are checked at, or
// another where the verdict shall be a violation.
//
//   bench/bars [-n] [CASE...]       -n: leave out those with a million
//   ISOSTRESS_HISTORIES=DIRECTORY   with general-rw.bincode and zipf.bincode,
//                                   which are then measured as well
//   ISOSTRESS_BEFORE=PROGRAM        another isostress checks the same
//                                   histories by turns; the last column is
//                                   processor time as a multiple of its
#include "config.h"

#include "bench/histories.h"
#include "bench/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 5, MAX_QUESTIONS = 5 };

struct bar_question {
  const char *level;
  double seconds, megabytes; // allowed; 0: nothing is said
  int status;                // expected
};

struct task {
  const char *name;
  struct bar_question questions[MAX_QUESTIONS];
};

static const struct task tasks[] = {
    {"general-rw.bincode",
     {{"rc", 0.01, 40, 0},
      {"ra", 0.01, 40, 0},
      {"cc", 0.02, 40, 0},
      {"si", 0.12, 40, 0},
      {"ser", 0.12, 40, 0}}},
    {"zipf.bincode", {{"si", 0.05, 0, 0}, {"ser", 0.03, 0, 1}}},
    {"general-rw-sibling",
     {{"rc", 0.01, 40, 0},
      {"ra", 0.01, 40, 0},
      {"cc", 0.02, 40, 0},
      {"si", 0.12, 40, 0},
      {"ser", 0.12, 40, 0}}},
    {"zipf-sibling", {{"si", 0.05, 0, 0}, {"ser", 0.03, 0, 1}}},
    {"write-heavy", {{"si", 0.15, 0, 0}, {"ser", 0.15, 0, 0}}},
    {"read-heavy", {{"si", 0.02, 0, 0}, {"ser", 0.02, 0, 0}}},
    {"long-transactions", {{"si", 0.12, 0, 0}, {"ser", 0.12, 0, 0}}},
    {"hard-zipfian", {{"si", 20, 0, 0}}},
    {"hard-uniform", {{"si", 10, 0, 0}}},
    {"compare-and-set", {{"sser", 0.1, 0, 0}}},
    {"million-si",
     {{"rc", 2, 3000, 0},
      {"ra", 2, 3000, 0},
      {"cc", 4, 3000, 0},
      {"si", 12, 3000, 0}}},
    {"million-ser", {{"ser", 12, 3000, 0}}},
    {"rows", {{"ser", 1.2, 400, 0}}},
    {"rows-si", {{"si", 1.2, 400, 0}, {"ser", 3, 400, 1}}},
    {"rows-skew", {{"ser", 3, 400, 1}}},
    {"rows-mixed", {{"ser", 1.2, 400, 0}}},
    {"tpcc-3x18", {{"recorded", 0.01, 0, 0}}},
    {"twitter-5x10", {{"recorded", 0.01, 0, 0}}},
    {"tpcc-10k", {{"recorded", 0.4, 150, 0}}},
    {"rows-million", {{"ser", 15, 4000, 0}}},
    {"inserts-million", {{"ser", 2.5, 0, 0}}},
};

static const char *const verdicts[] = {"kept", "broken", "undecided"};

// How many questions took more than they may, or were answered otherwise.
static int measure(const struct task *task, bool large, const char *path) {
  int missed = 0;
  for (int i = 0; i < MAX_QUESTIONS && task->questions[i].level; i++) {
    const struct bar_question *q = &task->questions[i];
    const char *before = getenv("ISOSTRESS_BEFORE");
    struct cost costs[2];
    if (before)
      costs_by_turns(q->level, path, before, large ? 3 : ROUNDS, costs);
    else
      costs[0] = cost_of_check(q->level, path, large ? 1 : ROUNDS);
    const struct cost cost = costs[0];
    const bool met = cost.status == q->status && cost.cpu <= q->seconds &&
                     (!q->megabytes || cost.megabytes <= q->megabytes);
    char allowed[16] = "-";
    if (q->megabytes)
      snprintf(allowed, sizeof allowed, "%.0f", q->megabytes);
    printf("%-20s %-5s %-9s %8.3f %8.3f %8.2f %7.0f %8s  %s", task->name,
           q->level, verdicts[cost.status], cost.wall, cost.cpu, q->seconds,
           cost.megabytes, allowed, met ? "met" : "MISSED");
    if (before)
      printf(" %8.2f", cost.cpu / costs[1].cpu);
    putchar('\n');
    fflush(stdout);
    missed += !met;
  }
  return missed;
}

static bool is_wanted(const struct bench_history *history, char **names,
                      bool no_large) {
  bool named = !*names;
  for (; *names; names++)
    named |= strcmp(*names, history->name) == 0;
  return named && !(no_large && history->large);
}

int main(int argc, char **argv) {
  const bool no_large = argc > 1 && strcmp(argv[1], "-n") == 0;
  char **names = argv + 1 + no_large;
  int missed = 0;
  printf("%-20s %-5s %-9s %8s %8s %8s %7s %8s\n", "history", "level", "verdict",
         "wall s", "cpu s", "allowed", "MB", "allowed");
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    const struct bench_history *history = bench_history(tasks[i].name);
    if (!is_wanted(history, names, no_large))
      continue;
    char *directory = scratch_make();
    char *path = bench_history_path(history, directory);
    if (path)
      missed += measure(&tasks[i], history->large, path);
    free(path);
    scratch_remove(directory);
  }
  printf("%d missed\n", missed);
  return 0;
}
