// SPDX-License-Identifier: GPL-3.0-or-later
// The terms of a question as members of report.json, written and read by the
// table of checker/verdict/question.h.
#ifndef REPORT_QUESTION_MEMBERS_H
#define REPORT_QUESTION_MEMBERS_H

#include "base/json.h"
#include "base/json_read.h"
#include "checker/verdict/question.h"

// The terms of rows are left out where they have their usual values.
void question_put_members(struct json *json, const struct question *question);

// The terms of a verdict in report.json; not its level.
struct question question_of_members(const struct json_value *verdict);

#endif
