// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a run as tables for other programs: series.csv, how the run
// went over time, and latency.csv, every bucket of the latencies.
#ifndef CLI_JOBS_CSV_H
#define CLI_JOBS_CSV_H

#include "base/error.h"
#include "runner/runner.h"

int csv_write(const char *directory, const struct run_figures *figures,
              struct error *error);

#endif
