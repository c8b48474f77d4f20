// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a report about all levels at once.
#ifndef REPORT_AUTO_LEVEL_H
#define REPORT_AUTO_LEVEL_H

#include "base/json.h"
#include "report/report.h"

#include <stdio.h>

// report->auto_level as a table, a line per level.
void auto_level_put_text(FILE *out, const struct report *report);

// Writes the member `all_levels`.
void auto_level_put_json(struct json *json, const struct report *report);

#endif
