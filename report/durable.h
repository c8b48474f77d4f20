// SPDX-License-Identifier: GPL-3.0-or-later
// The fate of acknowledged writes, in a report of a run.
#ifndef REPORT_DURABLE_H
#define REPORT_DURABLE_H

#include "base/json.h"
#include "report/report.h"

#include <stddef.h>
#include <stdio.h>

// "12 of 1,234 acknowledged writes are lost, ...", without a full stop.  False,
// and nothing: none is lost against a promise.
bool durable_broken(const struct report *report, char *text, size_t bytes);

// One line, and of lost writes a paragraph with the first of them.  Nothing
// where no acknowledged write was looked for.
void durable_put_text(FILE *out, const struct report *report);

// As a paragraph after a headline that has the sentence of the violation.
void durable_put_details(FILE *out, const struct report *report);

// A member of the open object; nothing where no acknowledged write was looked
// for.
void durable_put_json(struct json *json, const struct report *report);

#endif
