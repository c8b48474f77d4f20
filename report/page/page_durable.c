// SPDX-License-Identifier: GPL-3.0-or-later
// The fate of acknowledged writes, on the page of a run
// (report/page/sections.h), from the stored report.
#include "config.h"

#include "report/page/sections.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <string.h>

static void put_loss_row(FILE *out, const struct json_value *loss) {
  fprintf(out,
          "<tr><th scope=\"row\">%.6f s</th><td>session %" PRIu64
          ", transaction %" PRIu64 "</td>",
          quantity_seconds(json_whole(loss, KEY(end_ns), 0)),
          json_whole(loss, KEY(session), 0),
          json_whole(loss, KEY(transaction), 0));
  page_cell(out, "", json_text(loss, KEY(kind), ""));
  page_cell(out, "", json_text(loss, KEY(key), ""));
  page_cell(out, "", json_text(loss, KEY(value), ""));
  fputs("</tr>\n", out);
}

static void put_losses(FILE *out, const struct json_value *durability) {
  if (!json_member(durability, KEY(shown)))
    return;
  page_table(out, "The first of the lost writes",
             "acknowledged after|transaction|operation|key|value");
  for (const struct json_value *l = json_first(durability, KEY(shown)); l;
       l = l->next)
    put_loss_row(out, l);
  page_end_table(out);
}

static void put_durable_counts(FILE *out, const struct json_value *durability) {
  static const struct {
    const char *key, *words;
  } counts[] = {{KEY(acknowledged), "acknowledged writes"},
                {KEY(surviving), "of these are there at the end"},
                {KEY(overwritten), "may have been overwritten"},
                {KEY(lost), "are lost"},
                {KEY(unread), "were not looked for"},
                {KEY(unknown), "writes whose outcome is unknown"},
                {KEY(took_effect), "of these took effect"}};
  page_table(out, "Writes at the end of the run", NULL);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    page_start_row(out, counts[i].words);
    page_number(out, json_whole(durability, counts[i].key, 0));
    fputs("</tr>\n", out);
  }
  page_end_table(out);
}

static void put_promised(FILE *out, const struct json_value *durability) {
  const char *promised = json_text(durability, KEY(promised), "unknown");
  const char *why = json_text(durability, KEY(why), "");
  fputs("<p>", out);
  fputs(!strcmp(promised, "yes")  ? "The settings of the database promise that "
                                    "no acknowledged write is lost"
        : !strcmp(promised, "no") ? "The settings of the database allow that "
                                    "acknowledged writes are lost"
                                  : "Nothing is known of settings that allow "
                                    "acknowledged writes to be lost",
        out);
  if (*why) {
    fputs(": ", out);
    put_markup(out, why);
  }
  fputs(".</p>\n", out);
}

static void put_broken_durability(FILE *out,
                                  const struct json_value *durability) {
  fputs("<section class=\"verdict\" id=\"durability\">\n", out);
  page_tag(out, "bad", "Lost writes");
  fputs("<h1>", out);
  put_markup(out, json_text(durability, KEY(sentence), ""));
  fputs(".</h1>\n<p class=\"lede\">This is <b>LostWrites</b>: the database "
        "acknowledged them, and no read at the end shows them or anything that "
        "may have replaced them. Whether the level is kept all the same is "
        "told below.</p>\n",
        out);
  put_promised(out, durability);
  put_durable_counts(out, durability);
  put_losses(out, durability);
  fputs("</section>\n", out);
}

static void put_other_durability(FILE *out,
                                 const struct json_value *durability) {
  const char *sentence = json_text(durability, KEY(sentence), NULL);
  page_section(out, "durability", "What became of acknowledged writes");
  fputs("<p>", out);
  if (sentence)
    put_markup(out, sentence);
  else
    fputs("No acknowledged write is lost", out);
  fputs(".</p>\n", out);
  if (!strcmp(json_text(durability, KEY(verdict), ""), "undecided"))
    fputs("<p>The host that was read at the end may have been late: "
          "<code>--settle</code> waits for it.</p>\n",
          out);
  put_promised(out, durability);
  put_durable_counts(out, durability);
  put_losses(out, durability);
  fputs("</section>\n", out);
}

static bool durability_is_broken(const struct json_value *durability) {
  return !strcmp(json_text(durability, KEY(verdict), ""), "violation");
}

void page_put_durable_words(FILE *out, const struct json_value *durability) {
  if (durability_is_broken(durability))
    fputs(", and acknowledged writes are lost", out);
}

void page_put_durable(FILE *out, const struct stored *stored, bool at_top) {
  const struct json_value *durability =
      json_member(json_member(stored->document, KEY(run)), KEY(durability));
  if (!durability)
    return;
  const bool broken = durability_is_broken(durability);
  if (at_top && broken)
    put_broken_durability(out, durability);
  else if (!at_top && !broken)
    put_other_durability(out, durability);
}
