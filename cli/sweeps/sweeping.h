// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep that is being made: what belongs to it, what is left of it to do, and
// its runs.
#ifndef CLI_SWEEPS_SWEEPING_H
#define CLI_SWEEPS_SWEEPING_H

#include "cli/settings/settings.h"
#include "cli/status.h"
#include "sweep/axes.h"
#include "sweep/table.h"

#include <stdio.h>

#define SWEEP_RUNS "runs.csv" // in its directory, and so that it can go on:
#define SWEEP_PLAN "sweep.txt"
#define SWEEP_PAGE "sweep.html"

// The first part is the caller's.  A cell is one combination of all settings.
struct sweep {
  const struct settings *settings; // of the command
  struct axes *axes;
  uint32_t repetitions;
  uint64_t seed;               // of the first repetition
  char *directory, *runs_path; // of the results
  char *command;               // as it was typed, without passwords
  // From here on zero.
  bool *impossible; // by cell
  bool *done;       // by repetition and cell
  FILE *runs;       // the table
  // The run that takes place.
  uint32_t cell, repetition;
  uint64_t begun;       // clock_now()
  struct error trouble; // of the table; empty: none
  bool unreachable;     // the database, so that no other run can take place
  enum status status;   // the worst so far
};

// The settings of a run in this cell.
struct settings sweep_settings(const struct sweep *sweep, uint32_t cell);

// " clients=4 keys=10": what sets a cell apart from the others, without
// passwords.
void sweep_put_cell(FILE *out, const struct sweep *sweep, uint32_t cell);

// Notes the cells that cannot be, and names each on stderr; how many.
uint32_t sweep_find_impossible(struct sweep *sweep);

// Makes the directory, or takes up what an interrupted sweep has left there:
// notes what is done, and opens the table.  -1 with a sentence; a mistake of
// usage if the directory holds a sweep with other settings.
int sweep_open(struct sweep *sweep, struct error *error);

// Is this row of its table a run of this cell?
bool sweep_row_is_of(const struct sweep *sweep, const struct table *table,
                     uint32_t row, uint32_t cell);

// Makes the runs that are left, until a signal comes.  Repetition by
// repetition, each in an order of its own, so that what changes while the sweep
// lasts does not look like an effect of a setting.
void sweep_run(struct sweep *sweep);

// Makes the tables and the page of a sweep again from the runs that are kept in
// its directory, and prints the summary.  -1 with a sentence.
int sweep_report(const char *directory, struct error *error);

#endif
