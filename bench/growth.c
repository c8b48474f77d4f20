// SPDX-License-Identifier: GPL-3.0-or-later
// How the cost of a verdict grows along the axes of PolySI's figure 5:
// sessions, transactions per session, operations per transaction, share of
// reads, keys. Each point is a history of the memory driver at SI, written
// without times, and checked at SI as a whole process on one core; the others
// of a row keep the values of the base.  Prints comma-separated values.
//
//   bench/growth
#include "config.h"

#include "base/memory.h"
#include "bench/process.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 3, AXES = 5, POINTS = 6 };

struct axis {
  const char *name, *option;
  double base, points[POINTS];
};

static const struct axis axes[AXES] = {
    {"sessions", "-c", 20, {5, 10, 20, 40, 80, 160}},
    {"transactions per session", "-t", 500, {125, 250, 500, 1000, 2000, 4000}},
    {"operations per transaction", "--ops", 15, {2, 5, 10, 15, 30, 60}},
    {"share of reads", "--read-ratio", 0.5, {0.05, 0.2, 0.35, 0.5, 0.75, 0.95}},
    {"keys", "-k", 10000, {500, 1000, 5000, 10000, 50000, 100000}},
};

// The base, but for one axis.
static char *options_with(int varied, double value) {
  char *options = xstrdup("--threads 1 -w general -i si --max-tries 1000 "
                          "--distribution uniform");
  for (int i = 0; i < AXES; i++) {
    char *more = xasprintf("%s %s %g", options, axes[i].option,
                           i == varied ? value : axes[i].base);
    free(options);
    options = more;
  }
  return options;
}

static void measure(int varied, double value) {
  char *directory = scratch_make();
  char *options = options_with(varied, value);
  char *path = record(directory, "growth", options, true);
  const struct cost cost = cost_of_check("si", path, ROUNDS);
  printf("%s,%g,%s,%.3f,%.0f\n", axes[varied].name, value,
         cost.status ? "not kept" : "kept", cost.cpu, cost.megabytes);
  fflush(stdout);
  free(options);
  free(path);
  scratch_remove(directory);
}

int main(void) {
  puts("axis,value,verdict,cpu seconds,MB");
  for (int axis = 0; axis < AXES; axis++)
    for (int i = 0; i < POINTS; i++)
      measure(axis, axes[axis].points[i]);
  return 0;
}
