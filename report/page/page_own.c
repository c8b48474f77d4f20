// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own scripts on the page of a run (report/page/sections.h): what
// prevents that which was found, and how each statement was judged.
#include "config.h"

#include "report/page/sections.h"

#include "base/anomaly_names.h"
#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <string.h>

// ---- Findings of a statement

static void put_finding(FILE *out, const struct json_value *finding) {
  const uint64_t found = json_whole(finding, KEY(found), 0);
  put_markup(out, anomaly_plain(json_text(finding, KEY(anomaly), "?")));
  if (!found)
    return;
  fputs(": ", out);
  quantity_put_grouped(out, found);
}

static void put_findings(FILE *out, const struct json_value *statement) {
  const struct json_value *first = json_first(statement, KEY(findings));
  fputs("<td>", out);
  for (const struct json_value *f = first; f; f = f->next) {
    fputs(f == first ? "" : "<br>", out);
    put_finding(out, f);
  }
  fputs(first ? "</td>" : "none</td>", out);
}

static void put_own_levels(FILE *out, const struct json_value *statement) {
  const struct json_value *first = json_first(statement, KEY(findings));
  fputs("<td>", out);
  for (const struct json_value *f = first; f; f = f->next) {
    const char *level = json_text(f, KEY(ruled_out_from), NULL);
    fputs(f == first ? "" : "<br>", out);
    if (level)
      page_level(out, level);
    else
      fputs("no level", out);
  }
  fputs(first ? "</td>" : "\xe2\x80\x93</td>", out);
}

// ---- How each statement was judged

static void put_own_statement(FILE *out, const struct json_value *statement) {
  page_start_row(out, json_text(statement, KEY(place), "?"));
  fputs("<td><code>", out);
  put_markup(out, json_text(statement, KEY(text), ""));
  fputs("</code></td>", out);
  page_cell(out, "", json_text(statement, KEY(tier), "in full"));
  page_cell(out, "", json_text(statement, KEY(judged), ""));
  page_number(out, json_whole(statement, KEY(executed), 0));
  put_findings(out, statement);
  put_own_levels(out, statement);
  fputs("</tr>\n", out);
}

void page_put_judged(FILE *out, const struct json_value *document) {
  const struct json_value *own = json_member(document, KEY(own_scripts));
  const struct json_value *first = json_first(own, KEY(statements));
  if (!first)
    return;
  page_section(out, "judged", "What was judged");
  page_table(out, "Statements of the scripts",
             "statement|text|judged|because|#executed|found|ruled out from");
  for (const struct json_value *s = first; s; s = s->next)
    put_own_statement(out, s);
  page_end_table(out);
  fputs("<p>Executed: in transactions that count. A statement is named for an "
        "anomaly if its read is the one that missed a change, or if it wrote "
        "over one.</p>\n</section>\n",
        out);
}

// ---- What prevents it

// Writes of each anomaly once.
static bool own_is_told(const struct json_value *own,
                        const struct json_value *of,
                        const struct json_value *finding) {
  const char *anomaly = json_text(finding, KEY(anomaly), "");
  for (const struct json_value *s = json_first(own, KEY(statements)); s;
       s = s->next)
    for (const struct json_value *f = json_first(s, KEY(findings)); f;
         f = f->next)
      if (s == of && f == finding)
        return false;
      else if (!strcmp(json_text(f, KEY(anomaly), ""), anomaly))
        return true;
  return false;
}

static void put_own_level(FILE *out, const struct json_value *finding) {
  const char *level = json_text(finding, KEY(ruled_out_from), NULL);
  fputs("<li>", out);
  if (level)
    page_level(out, level);
  fprintf(out,
          level ? " rules out the %s.</li>\n"
                : "No level of this database rules out the %s.</li>\n",
          anomaly_plain(json_text(finding, KEY(anomaly), "?")));
}

static void put_own_change(FILE *out, const struct json_value *change) {
  fputs("<p>Without another level, in place of <code>", out);
  put_markup(out, json_text(change, KEY(place), "?"));
  fputs("</code>:</p>\n", out);
  page_start_command(out);
  put_markup(out, json_text(change, KEY(text), ""));
  page_end_command(out);
}

void page_put_prevents(FILE *out, const struct json_value *document) {
  const struct json_value *own = json_member(document, KEY(own_scripts));
  const struct json_value *change = json_first(own, KEY(changes));
  if (!change && !json_text(own, KEY(headline), NULL))
    return;
  page_section(out, "prevents", "What prevents it");
  fputs("<ul>\n", out);
  for (const struct json_value *s = json_first(own, KEY(statements)); s;
       s = s->next)
    for (const struct json_value *f = json_first(s, KEY(findings)); f;
         f = f->next)
      if (!own_is_told(own, s, f))
        put_own_level(out, f);
  fputs("</ul>\n", out);
  for (const struct json_value *c = change; c; c = c->next)
    put_own_change(out, c);
  if (change)
    fputs("<p>The database then calculates with the row as it is when it is "
          "changed. The SELECT before is not needed any more, unless the "
          "script decides by what it returned. Nothing of this was tried in "
          "this run.</p>\n",
          out);
  fputs("</section>\n", out);
}
