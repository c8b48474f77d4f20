// SPDX-License-Identifier: GPL-3.0-or-later
// Some milliseconds from the middle of a run: which sessions were busy with
// what, for the page to draw.
#ifndef REPORT_EXCERPT_H
#define REPORT_EXCERPT_H

#include "base/json.h"
#include "report/report.h"

enum {
  EXCERPT_MAX_TXNS = 600, // a shorter time is taken where there are more
  EXCERPT_MAX_SESSIONS = 24
};

// Nothing of a history without times, or of a check.
void excerpt_put_json(struct json *json, const struct report *report);

#endif
