// SPDX-License-Identifier: GPL-3.0-or-later
// Events of a report as JSON.
#ifndef REPORT_EVENTS_JSON_H
#define REPORT_EVENTS_JSON_H

#include "base/json.h"
#include "report/report.h"

// The member `events` (report/SCHEMA.md).
void events_put_json(struct json *json, const struct report *report);

#endif
