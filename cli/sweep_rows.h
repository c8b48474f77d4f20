// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a sweep's runs: a row for each, with its settings and everything
// that was measured.
#ifndef CLI_SWEEP_ROWS_H
#define CLI_SWEEP_ROWS_H

#include "report/report.h"
#include "sweep/axes.h"

#include <stdio.h>

void sweep_put_header(FILE *out, const struct axes *axes);

// One row, on the disk when this returns.  `figures` NULL: the run did not take
// place; `verdict` and `trouble` may be NULL.  Targets are written without
// their passwords.
void sweep_put_row(FILE *out, const struct axes *axes, uint32_t cell,
                   uint32_t repetition, const struct run_figures *figures,
                   const struct verdict *verdict, const char *trouble);

#endif
