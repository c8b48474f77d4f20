// SPDX-License-Identifier: GPL-3.0-or-later
// The answer of a test of Jepsen in a report of a run: whether its model was
// kept, and the operations that show that it was not.
#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include "base/json.h"
#include "report/report.h"
#include "report/stored.h"

#include <stdio.h>

// One line if it was kept; else a paragraph with the operations.
void model_put_text(FILE *out, const struct test_answer *answer);

// As a paragraph after a headline that has the sentence of the violation.
void model_put_details(FILE *out, const struct test_answer *answer);

// A member of the open object.
void model_put_json(struct json *json, const struct test_answer *answer);

// ", and the model bank was broken by WrongTotal", of the member of a stored
// report; nothing if it was kept or is not there.
void model_put_words(FILE *out, const struct json_value *model);

// A section of the page of a run that has a model: at its top, if the model was
// broken.
void model_put_page(FILE *out, const struct stored *stored, bool at_top);

#endif
