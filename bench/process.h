// SPDX-License-Identifier: GPL-3.0-or-later
// The common parts of the benchmarks of whole processes: histories that the
// memory driver makes, with or without times, and what a check of one costs on
// one core.
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdbool.h>

struct cost {
  double wall, cpu; // seconds
  double megabytes; // peak
  int status;       // as the program left it
};

// Runs a shell command on one core and frees it.
struct cost cost_of(char *command);

// A directory for this process, to be given to scratch_remove at the end.
char *scratch_make(void);
void scratch_remove(char *directory);

// Converts a history, whose path it frees, into DIRECTORY/NAME.FORMAT, which
// has been written out to the disk; returns that path, to be freed.
char *converted(char *from, const char *directory, const char *name,
                const char *format);

// Records what `isostress run OPTIONS` does into DIRECTORY/NAME and returns the
// path of the history, to be freed; it has been written out to the disk.
// `timeless`: as PolySI's bincode, which has no times.  Ends the program if it
// fails.
char *record(const char *directory, const char *name, const char *options,
             bool timeless);

// Checks the histories by turns in several rounds, so that all meet the same
// state of the machine.  `costs` has the cheapest round of each history, and
// the status of its last round.
void costs_of_checks(const char *level, const char *const *paths, int npaths,
                     int rounds, struct cost *costs);

// Checks one history in several rounds.
struct cost cost_of_check(const char *level, const char *path, int rounds);

// Checks it by turns with the program at `before`, which comes second.
void costs_by_turns(const char *level, const char *path, const char *before,
                    int rounds, struct cost costs[2]);

#endif
