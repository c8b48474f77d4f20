// SPDX-License-Identifier: GPL-3.0-or-later
// The web page of a sweep: a sentence that the figures make, small
// panels on one scale, all numbers, and the runs behind each of them.
#ifndef SWEEP_PAGE_H
#define SWEEP_PAGE_H

#include "sweep/summary.h"

// `name` is the sweep's, `program` has its version; `command` made the sweep;
// `all_results` as for page_bar (report/page/blocks.h).
void sweep_put_page(FILE *out, const struct summary *summary, const char *name,
                    const char *command, const char *program,
                    const char *all_results);

#endif
