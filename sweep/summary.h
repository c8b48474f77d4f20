// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a sweep put together cell by cell: means with their intervals, as
// a table, as JSON, as pictures, and compared with those of another sweep.
#ifndef SWEEP_SUMMARY_H
#define SWEEP_SUMMARY_H

#include "sweep/interval.h"
#include "sweep/table.h"

#include <stdbool.h>

// What is measured: columns of the table of runs.
enum measure {
  MEASURE_ABORT_RATE, // aborted attempts of all attempts
  MEASURE_GIVEN_UP,   // transactions that never committed, of all transactions
  MEASURE_WASTED,     // time in attempts that aborted, of the time in attempts
  MEASURE_THROUGHPUT, // committed transactions a second
  MEASURE_RETRIES,    // further attempts per committed transaction
  MEASURE_P50,        // latency of committed transactions, ms
  MEASURE_P95,
  MEASURE_P99,
  MEASURE_P999,
  MEASURES
};
extern const char *const measure_names[MEASURES + 1]; // ends with NULL

struct cell {
  const char *const *values; // of the axes
  uint32_t nruns;            // that took place
  uint32_t ntroubled;        // that did not, or not to the end
  double *samples[MEASURES]; // nruns each
  struct interval measures[MEASURES];
  double sums[4];      // attempts, committed, aborted, unknown
  const char *verdict; // the worst; "" if nothing was checked
  const char *anomaly;
};

struct summary {
  const struct table *runs;
  uint32_t naxes; // columns before "repetition"
  struct cell *cells;
  uint32_t ncells, room;
};

// The table must outlive the summary.  -1 with a sentence if it is no table of
// runs.  Free in both cases.
int summary_make(const struct table *runs, struct summary *summary,
                 struct error *error);
void summary_free(struct summary *summary);

void summary_put_text(FILE *out, const struct summary *summary);
void summary_put_csv(FILE *out, const struct summary *summary);
void summary_put_json(FILE *out, const struct summary *summary,
                      const char *command);

// Writes, for each axis of numbers and for abort rate, throughput and latency,
// data and a script for gnuplot, and lets it draw SVG and PNG in the directory;
// `*drawn` says whether gnuplot was there.  -1 with a sentence.
int summary_plot(const struct summary *summary, const char *directory,
                 const char *command, bool *drawn, struct error *error);

// Do the cells that both have differ in abort rate or throughput by more than
// noise?  Welch's test at 5 % for all of them together (Holm's correction).
// Prints a line for each cell; returns how many differ, or -1 with a sentence
// if they have nothing in common.
int summary_compare(FILE *out, const struct summary *a, const struct summary *b,
                    struct error *error);

#endif
