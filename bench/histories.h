// SPDX-License-Identifier: GPL-3.0-or-later
// The histories that the benchmarks of the checker are about: published ones,
// siblings of these, and hard ones.
#ifndef BENCH_HISTORIES_H
#define BENCH_HISTORIES_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stdio.h>

struct bench_history {
  const char *name;
  const char *options;   // of `isostress run`; NULL: the file is given
  bool timeless;         // without times, in PolySI's format
  bool large;            // a million transactions
  bool rows;             // statements with conditions
  void (*write)(FILE *); // made up as text, in place of options; or NULL
};

// Ends with one that has no name.
extern const struct bench_history bench_histories[];

// The one of that name, which there is.
const struct bench_history *bench_history(const char *name);

// The path of its file, to be freed: made in the directory, or looked for in
// that which ISOSTRESS_HISTORIES names.  NULL if it is not given.
char *bench_history_path(const struct bench_history *history,
                         const char *directory);

// Reads such a file, or ends the program; free with history_free.
void bench_history_read(const char *path, struct history *history);

#endif
