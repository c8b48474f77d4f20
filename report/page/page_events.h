// SPDX-License-Identifier: GPL-3.0-or-later
// Faults on the plots of a page, and as a list below them.
#ifndef REPORT_PAGE_PAGE_EVENTS_H
#define REPORT_PAGE_PAGE_EVENTS_H

#include "base/json_read.h"
#include "base/memory.h"
#include "report/picture/plot.h"

// A band for each fault of the run that took place, from its begin until it was
// taken back, at most until `elapsed` seconds after the start; their number.
uint32_t page_bands(const struct json_value *run, double elapsed,
                    struct arena *arena, const struct plot_band **bands);

// The list; nothing of a run without faults.
void page_put_events(FILE *out, const struct json_value *run);

#endif
