// SPDX-License-Identifier: GPL-3.0-or-later
// The answer of a test of Jepsen on the page of a run (report/page/sections.h),
// from the stored report.
#include "config.h"

#include "report/page/sections.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <string.h>

static void put_model_operation_row(FILE *out, const struct json_value *op) {
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
    put_model_operation_row(out, op);
  page_end_table(out);
}

static void put_model_violation(FILE *out, const struct json_value *model) {
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

static bool model_is_broken(const struct json_value *model) {
  return !strcmp(json_text(model, KEY(verdict), ""), "violation");
}

void page_put_model_words(FILE *out, const struct json_value *model) {
  if (model_is_broken(model))
    fprintf(out, ", and the model %s was broken by %s",
            json_text(model, KEY(name), "?"),
            json_text(model, KEY(anomaly), "?"));
}

void page_put_model(FILE *out, const struct stored *stored, bool at_top) {
  const struct json_value *model =
      json_member(json_member(stored->document, KEY(run)), KEY(model));
  if (!model)
    return;
  const bool broken = model_is_broken(model);
  if (at_top && broken)
    put_model_violation(out, model);
  else if (!at_top && !broken)
    put_other(out, model);
}
