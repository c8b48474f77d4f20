// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a sweep's runs: a row for each, with its settings and everything
// that was measured.
#ifndef CLI_SWEEPS_ROWS_H
#define CLI_SWEEPS_ROWS_H

#include "report/report.h"
#include "sweep/axes.h"

#include <stdio.h>

// The names of the columns.
void sweep_put_header(FILE *out, const struct axes *axes);

struct sweep_row {
  const struct axes *axes;
  uint32_t cell, repetition;
  const struct report *report; // figures NULL: the run did not take place
  uint64_t took; // ns of the whole run: with setting up, checking, reporting
};

// Writes it; it is on the disk when this returns 0, else errno says why not.
// Targets are written without their passwords.
int sweep_put_row(FILE *out, const struct sweep_row *row);

#endif
