// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a sweep put together cell by cell: means with their intervals,
// who aborted what and why, where the time has gone; as a table, as JSON, and
// compared with those of another sweep.
#ifndef SWEEP_SUMMARY_H
#define SWEEP_SUMMARY_H

#include "base/interval.h"
#include "sweep/table.h"

#include <stdbool.h>

// Measures: columns of the table of runs.
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
  MEASURE_GENERATION, // seconds of load, warm-up included
  // The next two are for runs that were checked; NAN for others.
  MEASURE_ANOMALIES, // found in 1000 committed transactions
  MEASURE_FOUND,     // runs that broke the level, in an hour of load and check
  MEASURE_VERIFICATION, // seconds
  MEASURES
};
extern const char *const measure_names[MEASURES + 1]; // ends with NULL

// Who ended an attempt that aborted.
enum aborter {
  ABORTER_DATABASE,
  ABORTER_CLIENT,     // the workload chose to
  ABORTER_CONNECTION, // nobody: it was lost before commit was sent
  ABORTERS
};
extern const char *const aborter_names[ABORTERS];

extern const char *const sum_names[4]; // of what is summed up in a cell

// A requirement that runs did not meet, and what was measured in these.
struct unmet {
  const char *required; // "p99<10ms"
  const char *least, *most;
  uint32_t nruns;
};

struct cell {
  const char *const *values; // of the axes
  uint32_t nruns;            // that took place
  uint32_t ntroubled;        // that did not, or not to the end, not made since
  uint32_t ninterrupted;     // of these, those that a signal ended
  double *samples[MEASURES]; // nruns each
  struct interval measures[MEASURES];
  double sums[4]; // by sum_names
  double aborts_by[ABORTERS];
  double *aborts;      // by cause, in the order of the table's columns
  const char *codes;   // "40001=12;40P01=3", most frequent first
  const char *server;  // what the database said of itself
  const char *verdict; // the worst; "" if nothing was checked
  const char *anomaly;
  struct unmet *unmet;
  uint32_t nunmet, unmet_room;
  uint32_t nunmet_runs; // that did not meet one or more
};

// Where the time of a sweep has gone, in seconds.
struct sweep_times {
  double took;    // all runs, with everything around them
  double setup;   // tables and connections
  double warmup;  // load that was left out of the figures
  double load;    // that counts
  double checked; // the checks that were asked for
  double own; // the rest: starting, ending, reports, the tables of the sweep
};

struct summary {
  struct arena arena; // of texts that were put together
  const struct table *runs;
  uint32_t naxes;                // columns before "repetition"
  uint32_t first_cause, ncauses; // columns of the table
  struct cell *cells;
  uint32_t ncells, room;
  struct sweep_times times;
};

// The table must outlive the summary.  -1 with a sentence if it is no table of
// runs.  Free in both cases.
int summary_make(const struct table *runs, struct summary *summary,
                 struct error *error);
void summary_free(struct summary *summary);

// Do the cells differ in this axis?
bool summary_varies(const struct summary *summary, uint32_t axis);
// Has any cell a measure above zero?
bool summary_has(const struct summary *summary, enum measure measure);
// From which start of a transaction latencies count (runner/runner.h):
// "intended" where all runs had a rate, "actual" where none had, else "actual
// or, under a rate, intended".
const char *summary_latency_from(const struct summary *summary);
// The sweep's own share of its time apart from warm-ups.
double summary_overhead(const struct summary *summary);

// Takes a run's column "unmet" into its cell.
void unmet_take(struct arena *arena, struct cell *cell, const char *text);
// Runs that did not meet a requirement, and all runs that count.
uint32_t unmet_runs(const struct summary *summary);
uint32_t unmet_of_runs(const struct summary *summary);
// "was required, and in 2 of 3 runs it is 12.1 ms to 14.5 ms"; `nruns` are
// those of the cell.
void unmet_put(FILE *out, const struct unmet *unmet, uint32_t nruns);

void summary_put_text(FILE *out, const struct summary *summary);
void summary_put_csv(FILE *out, const struct summary *summary);
void summary_put_json(FILE *out, const struct summary *summary,
                      const char *command);

// Do the cells that both have differ in abort rate or throughput by more than
// noise?  Welch's test at 5 % for all of them together (Holm's correction).
// Prints a line for each cell; returns how many differ, or -1 with a sentence
// if they have nothing in common.
int summary_compare(FILE *out, const struct summary *a, const struct summary *b,
                    struct error *error);

#endif
