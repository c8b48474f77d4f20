// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of tests in reports (report/model.h).
#include "config.h"

#include "report/model.h"

#include "base/utf8.h"
#include "report/keys.h"
#include "report/page.h"
#include "report/quantity.h"

#include <inttypes.h>
#include <string.h>

static const char *const outcome_words[OUTCOME_COUNT] = {
    [OUTCOME_OK] = "committed",
    [OUTCOME_ABORTED] = "aborted",
    [OUTCOME_UNKNOWN] = "nobody knows whether it committed"};

static void put_operation(FILE *out, const struct test_op *op) {
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
static void put_name(FILE *out, const struct test_answer *answer) {
  fputs(answer->is.name, out);
  if (answer->part)
    fprintf(out, ", in %s %" PRId64, answer->part, answer->number);
}

static void put_shown(FILE *out, const struct test_answer *answer) {
  const struct model_answer *is = &answer->is;
  for (uint32_t i = 0; i < is->nshown; i++)
    put_operation(out, &answer->shown[i]);
  if (is->broken > 1)
    fprintf(out, "  Broken %" PRIu64 " times in all; this is the first.\n",
            is->broken);
}

static void put_broken(FILE *out, const struct test_answer *answer) {
  fprintf(out, "\nVIOLATION of the model %s: ", answer->model->name);
  put_name(out, answer);
  fprintf(out, ". %s\n", answer->is.sentence);
  put_shown(out, answer);
}

void model_put_details(FILE *out, const struct test_answer *answer) {
  fputs("  This is ", out);
  put_name(out, answer);
  fprintf(out, ", which the test %s looks for:\n", answer->model->name);
  put_shown(out, answer);
}

void model_put_text(FILE *out, const struct test_answer *answer) {
  const struct model_answer *is = &answer->is;
  if (is->kind == VERDICT_VIOLATION)
    put_broken(out, answer);
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

// ---- On the page, from the stored report

static void put_row(FILE *out, const struct json_value *op) {
  const bool at_first = !json_member(op, KEY(session));
  fputs("<tr>", out);
  if (at_first)
    fputs("<th scope=\"row\">at first</th><td></td>", out);
  else
    fprintf(out,
            "<th scope=\"row\">%.6f s</th><td>session %" PRIu64
            ", transaction %" PRIu64 "</td>",
            quantity_seconds(json_whole(op, KEY(time_ns), 0)),
            json_whole(op, KEY(session), 0),
            json_whole(op, KEY(transaction), 0));
  page_cell(out, "", json_text(op, KEY(function), ""));
  page_cell(out, "", json_text(op, KEY(value), ""));
  page_cell(out, "", json_text(op, KEY(outcome), ""));
  fputs("</tr>\n", out);
}

static void put_operations(FILE *out, const struct json_value *model) {
  page_table(out, "The operations that show it",
             "began|transaction|operation|value|outcome");
  for (const struct json_value *op = json_first(model, KEY(shown)); op;
       op = op->next)
    put_row(out, op);
  page_end_table(out);
}

static void put_violation(FILE *out, const struct json_value *model) {
  const uint64_t broken = json_whole(model, KEY(broken), 0);
  char number[QUANTITY_GROUPED];
  fputs("<section class=\"verdict\" id=\"model\">\n", out);
  page_tag(out, "bad", "Broken promise of the test");
  fputs("<h1>", out);
  put_markup(out, json_text(model, KEY(meaning), ""));
  fputs("</h1>\n<p class=\"lede\">This is <b>", out);
  put_markup(out, json_text(model, KEY(anomaly), "?"));
  fputs("</b>, which the test <b>", out);
  put_markup(out, json_text(model, KEY(name), "?"));
  fputs("</b> looks for", out);
  if (json_text(model, KEY(part), NULL))
    fprintf(out, ", in %s %" PRIu64, json_text(model, KEY(part), ""),
            json_whole(model, KEY(number), 0));
  fputs(". Whether the level is kept all the same is told below.</p>\n", out);
  put_operations(out, model);
  if (broken > 1)
    fprintf(out, "<p>It was broken %s times in all; this is the first.</p>\n",
            quantity_grouped(broken, number));
  fputs("</section>\n", out);
}

static void put_other(FILE *out, const struct json_value *model) {
  const bool kept = !strcmp(json_text(model, KEY(verdict), ""), "pass");
  page_section(out, "model", "The promise of the test");
  fputs("<p>The model <b>", out);
  put_markup(out, json_text(model, KEY(name), "?"));
  if (kept) {
    fprintf(out, "</b> was kept, by %" PRIu64 " reads: ",
            json_whole(model, KEY(checked), 0));
    put_markup(out, json_text(model, KEY(promise), ""));
    fputs(".</p>\n", out);
  } else {
    fputs("</b> is undecided. ", out);
    put_markup(out, json_text(model, KEY(meaning), ""));
    fputs("</p>\n", out);
  }
  fputs("</section>\n", out);
}

static bool is_broken(const struct json_value *model) {
  return !strcmp(json_text(model, KEY(verdict), ""), "violation");
}

void model_put_words(FILE *out, const struct json_value *model) {
  if (is_broken(model))
    fprintf(out, ", and the model %s was broken by %s",
            json_text(model, KEY(name), "?"),
            json_text(model, KEY(anomaly), "?"));
}

void model_put_page(FILE *out, const struct stored *stored, bool at_top) {
  const struct json_value *model =
      json_member(json_member(stored->document, KEY(run)), KEY(model));
  if (!model)
    return;
  const bool broken = is_broken(model);
  if (at_top && broken)
    put_violation(out, model);
  else if (!at_top && !broken)
    put_other(out, model);
}
