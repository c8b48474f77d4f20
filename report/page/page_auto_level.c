// SPDX-License-Identifier: GPL-3.0-or-later
// All levels of a history in a page (report/page/sections.h): what became of
// each level.
#include "config.h"

#include "report/page/sections.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/keys.h"

#include <string.h>

static void put_reason(FILE *out, const struct json_value *level) {
  const char *by = json_text(level, KEY(by), "");
  const char *verdict = json_text(level, KEY(verdict), "");
  const bool itself = !strcmp(by, json_text(level, KEY(level), ""));
  put_markup(out, json_text(level, KEY(anomaly), ""));
  put_markup(out, json_text(level, KEY(why), ""));
  if (itself || !strcmp(verdict, "undecided"))
    return;
  fputs(!strcmp(verdict, "pass") ? "since " : ", which breaks ", out);
  put_markup(out, by);
  fputs(!strcmp(verdict, "pass") ? " is" : " already", out);
}

static void put_checked_level(FILE *out, const struct json_value *level,
                              const char *claimed) {
  static const struct {
    const char *verdict, *word;
  } words[] = {{"pass", "kept"}, {"violation", "broken"}};
  const char *name = json_text(level, KEY(level), "");
  const char *verdict = json_text(level, KEY(verdict), "");
  const char *word = "undecided";
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(verdict, words[i].verdict))
      word = words[i].word;
  fputs("<tr><th scope=\"row\">", out);
  put_markup(out, json_text(level, KEY(title), name));
  fprintf(out, "%s</th><td class=\"",
          strcmp(name, claimed) ? "" : " (what was claimed)");
  put_markup(out, verdict);
  fprintf(out, "\">%s</td><td>", word);
  put_reason(out, level);
  fputs("</td></tr>\n", out);
}

bool page_is_open(const struct json_value *document) {
  const struct json_value *run = json_member(document, KEY(run));
  return json_member(document, KEY(all_levels)) &&
         !strcmp(json_text(run, KEY(claimed), ""), "none");
}

void page_put_auto_level(FILE *out, const struct json_value *document) {
  const struct json_value *card = json_member(document, KEY(all_levels));
  if (!json_first(card, KEY(levels)))
    return;
  page_table(out, "All levels: what became of each", "level|verdict|why");
  for (const struct json_value *l = json_first(card, KEY(levels)); l;
       l = l->next)
    put_checked_level(out, l, json_text(card, KEY(claimed), ""));
  page_end_table(out);
}
