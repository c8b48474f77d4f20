// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of tests in reports (report/model.h).
#include "config.h"

#include "report/model.h"

#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <assert.h>
#include <inttypes.h>

static const char *const outcome_words[OUTCOME_COUNT] = {
    [OUTCOME_OK] = "committed",
    [OUTCOME_ABORTED] = "aborted",
    [OUTCOME_UNKNOWN] = "nobody knows whether it committed"};

static void put_model_operation(FILE *out, const struct test_op *op) {
  if (op->at_first)
    fprintf(out, "    at first: %s.\n", op->value);
  else
    fprintf(out,
            "    %.6f s: session %" PRIu32 ", transaction %" PRIu32
            ": %s %s; %s.\n",
            quantity_seconds(op->begun), op->session, op->number, op->function,
            op->value, outcome_words[op->outcome]);
}

// Names it, and where.
static void put_model_name(FILE *out, const struct test_answer *answer) {
  fputs(answer->is.name, out);
  if (answer->part)
    fprintf(out, ", in %s %" PRId64, answer->part, answer->number);
}

static void put_shown(FILE *out, const struct test_answer *answer) {
  const struct model_answer *is = &answer->is;
  assert(is->nshown <= MODEL_SHOWN);
  for (uint32_t i = 0; i < is->nshown; i++)
    put_model_operation(out, &answer->shown[i]);
  if (is->broken > 1)
    fprintf(out, "  Broken %" PRIu64 " times in all; this is the first.\n",
            is->broken);
}

static void put_broken_model(FILE *out, const struct test_answer *answer) {
  fprintf(out, "\nVIOLATION of the model %s: ", answer->model->name);
  put_model_name(out, answer);
  fprintf(out, ". %s\n", answer->is.sentence);
  put_shown(out, answer);
}

void model_put_details(FILE *out, const struct test_answer *answer) {
  fputs("  This is ", out);
  put_model_name(out, answer);
  fprintf(out, ", which the test %s looks for:\n", answer->model->name);
  put_shown(out, answer);
}

void model_put_text(FILE *out, const struct test_answer *answer) {
  const struct model_answer *is = &answer->is;
  if (is->kind == VERDICT_VIOLATION)
    put_broken_model(out, answer);
  else if (is->kind == VERDICT_PASS)
    fprintf(out, "model       %s: kept, by %" PRIu64 " reads: %s\n",
            answer->model->name, is->checked, answer->model->summary);
  else
    fprintf(out, "model       %s: undecided: %s\n", answer->model->name,
            is->sentence);
}

static void put_json_operation(struct json *json, const struct test_op *op) {
  json_put_object(json, NULL);
  if (!op->at_first) {
    json_put_unsigned(json, KEY(session), op->session);
    json_put_unsigned(json, KEY(transaction), op->number);
    json_put_unsigned(json, KEY(time_ns), op->begun);
    json_put_string(json, KEY(outcome), outcome_name(op->outcome));
  }
  json_put_string(json, KEY(function), op->function);
  json_put_string(json, KEY(value), op->value);
  json_close(json, '}');
}

void model_put_json(struct json *json, const struct test_answer *answer) {
  const struct model_answer *is = &answer->is;
  const struct verdict verdict = {.kind = is->kind};
  const bool broken = is->kind == VERDICT_VIOLATION;
  assert(is->nshown <= MODEL_SHOWN && (!broken || is->name));
  json_put_object(json, KEY(model));
  json_put_string(json, KEY(name), answer->model->name);
  json_put_string(json, KEY(promise), answer->model->summary);
  json_put_string(json, KEY(verdict), report_verdict_word(&verdict));
  json_put_unsigned(json, KEY(checked), is->checked);
  json_put_unsigned(json, KEY(operations), answer->operations);
  if (broken) {
    json_put_string(json, KEY(anomaly), is->name);
    json_put_unsigned(json, KEY(broken), is->broken);
  }
  if (broken && answer->part) {
    json_put_string(json, KEY(part), answer->part);
    json_put_signed(json, KEY(number), answer->number);
  }
  if (is->sentence)
    json_put_string(json, KEY(meaning), is->sentence);
  json_put_array(json, KEY(shown));
  for (uint32_t i = 0; broken && i < is->nshown; i++)
    put_json_operation(json, &answer->shown[i]);
  json_close(json, ']');
  json_close(json, '}');
}
