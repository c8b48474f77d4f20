// SPDX-License-Identifier: GPL-3.0-or-later
// The answer of a test of Jepsen in a report of a run: whether its model was
// kept, and the operations that show that it was not.
#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include "base/json.h"
#include "report/report.h"

#include <stdio.h>

// One line if it was kept; else a paragraph with the operations.
void model_put_text(FILE *out, const struct test_answer *answer);

// As a paragraph after a headline that has the sentence of the violation.
void model_put_details(FILE *out, const struct test_answer *answer);

// A member of the open object.
void model_put_json(struct json *json, const struct test_answer *answer);

#endif
