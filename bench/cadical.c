// SPDX-License-Identifier: GPL-3.0-or-later
// Compares our own solver of the order of versions (checker/solver/cdcl.c) with
// a general SAT solver: both are given the very same problem, the events, known
// edges and version chains of a history, and processor time is compared without
// what they share, reading the history and building the problem.
//
//   bench/cadical [-t SECONDS] [HISTORY...]   names of bench/histories.c; at
//                                             most so long with CaDiCaL (60)
//   ISOSTRESS_HISTORIES=DIRECTORY             with those that are given
#include "config.h"

#include "base/memory.h"
#include "bench/histories.h"
#include "bench/lazy.h"
#include "bench/process.h"
#include "checker/solver/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
  const char *history;
  enum isolation level;
} tasks[] = {
    {"general-rw.bincode", ISOLATION_SI}, {"general-rw.bincode", ISOLATION_SER},
    {"general-rw-sibling", ISOLATION_SI}, {"general-rw-sibling", ISOLATION_SER},
    {"zipf.bincode", ISOLATION_SI},       {"zipf-sibling", ISOLATION_SI},
    {"zipf-sibling", ISOLATION_SER},      {"write-heavy", ISOLATION_SER},
    {"long-transactions", ISOLATION_SI},  {"long-transactions", ISOLATION_SER},
    {"hard-uniform", ISOLATION_SI},       {"hard-zipfian", ISOLATION_SI},
};

static const char *const answers[] = {"ordered", "impossible", "gave up"};

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// Both solve it, and agree unless CaDiCaL gave up.
static void compare(const char *name, enum isolation level,
                    const struct problem *p, double limit) {
  struct check_progress progress = {0};
  struct choice_result ours;
  const struct choice_problem choices = {.graph = &p->graph,
                                         .guess = p->guess,
                                         .nkeys = p->m->h->nkeys,
                                         .key_first = p->key_first,
                                         .chains = p->chains,
                                         .readers = p->readers,
                                         .progress = &progress};
  const double start = processor_seconds();
  const enum choice_answer answer = choices_solve(&choices, &ours);
  const double middle = processor_seconds();
  choice_result_free(&ours);
  const double again = processor_seconds();
  const struct lazy_result lazy = lazy_solve(&choices, limit);
  const double end = processor_seconds();
  printf("%-19s %-4s %-10s %8.3f %7" PRIu64 " %9" PRIu64
         "  %-10s %8.3f %7" PRIu32 " %7" PRIu32 " %6" PRIu32 " %7.0f\n",
         name, isolation_name(level), answers[answer], middle - start,
         progress.pairs, progress.conflicts, answers[lazy.answer], end - again,
         lazy.pairs, lazy.clauses, lazy.rounds,
         (end - again) / (middle - start));
  fflush(stdout);
  if (lazy.answer != CHOICES_STOPPED && lazy.answer != answer) {
    fprintf(stderr, "%s: they differ\n", name);
    exit(1);
  }
}

static void measure(const char *name, enum isolation level, const char *path,
                    double limit) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  struct history history;
  struct model m;
  struct problem p;
  struct error error;
  uint32_t on_cycle;
  bench_history_read(path, &history);
  if (model_build(&m, &history, &options, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(255);
  }
  model_reach(&m, MODEL_WALKABLE);
  if (problem_build(&p, &m, level, NULL, NULL, &on_cycle))
    compare(name, level, &p, limit);
  else
    printf("%-19s %-4s the known edges alone make a cycle\n", name,
           isolation_name(level));
  problem_free(&p);
  model_free(&m);
  history_free(&history);
}

static bool is_wanted(const char *name, char **names) {
  bool wanted = !*names;
  for (; *names; names++)
    wanted |= strcmp(*names, name) == 0;
  return wanted;
}

int main(int argc, char **argv) {
  const bool limited = argc > 2 && strcmp(argv[1], "-t") == 0;
  const double limit = limited ? atof(argv[2]) : 60;
  printf("%-19s %-4s %-10s %8s %7s %9s  %-10s %8s %7s %7s %6s %7s\n", "history",
         "", "ours", "s", "pairs", "conflicts", "CaDiCaL", "s", "pairs",
         "clauses", "rounds", "times");
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    if (!is_wanted(tasks[i].history, argv + 1 + 2 * limited))
      continue;
    char *directory = scratch_make();
    char *path = bench_history_path(bench_history(tasks[i].history), directory);
    if (path)
      measure(tasks[i].history, tasks[i].level, path, limit);
    free(path);
    scratch_remove(directory);
  }
  return 0;
}
