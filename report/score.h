// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a report about a scorecard.
#ifndef REPORT_SCORE_H
#define REPORT_SCORE_H

#include "base/json.h"
#include "report/report.h"

#include <stdio.h>

// report->scorecard as a table, a line per level.
void scorecard_put_text(FILE *out, const struct report *report);

// Writes the scorecard as the member `scorecard`.
void scorecard_put_json(struct json *json, const struct report *report);

#endif
