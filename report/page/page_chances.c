// SPDX-License-Identifier: GPL-3.0-or-later
// How much a run that passed could have shown, in a page
// (report/page/sections.h).
#include "config.h"

#include "report/page/sections.h"

#include "base/anomaly_names.h"
#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/prospect.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A bar as long as the number has digits, up to a million million: it grows
// with the logarithm.
static void put_chances_bar(FILE *out, uint64_t number) {
  enum { LONGEST = 120, DIGITS = 12 };
  const double share = log10((double)number) / DIGITS;
  fprintf(out,
          "<svg viewBox=\"0 0 %d 8\" width=\"%d\" height=\"8\" "
          "aria-hidden=\"true\"><rect width=\"%.1f\" height=\"8\" "
          "fill=\"currentColor\" opacity=\".45\"/></svg>",
          LONGEST, LONGEST, fmin(share, 1) * LONGEST);
}

// The interval of a row; `high` of null is not known.
static uint64_t low_of(const struct json_value *row) {
  return json_whole(row, KEY(low), json_whole(row, KEY(count), 0));
}

static uint64_t high_of(const struct json_value *row) {
  return json_whole(row, KEY(high), UINT64_MAX);
}

// A chance in words; the keys of a database of SQL are rows.
static void put_chance(FILE *out, const char *words, bool rows) {
  for (const char *c = words; *c;) {
    const size_t length = strcspn(c, " ,;");
    char *word = xasprintf("%.*s", (int)length, c);
    put_markup(out, rows && !strcmp(word, "key")    ? "row"
                    : rows && !strcmp(word, "keys") ? "rows"
                                                    : word);
    free(word);
    for (c += length; *c && strchr(" ,;", *c); c++)
      fputc(*c, out);
  }
}

static void put_chances_row(FILE *out, const struct json_value *row,
                            bool rows) {
  const uint64_t one_in = json_whole(row, KEY(seen_if_one_in), 0);
  fputs("<tr><th scope=\"row\">", out);
  put_markup(out, anomaly_plain(json_text(row, KEY(anomaly), "?")));
  fputs("</th><td>", out);
  put_chance(out, json_text(row, KEY(chance), ""), rows);
  fputs("</td><td class=\"n\" data-l=\"chances\">", out);
  prospect_put_count(out, low_of(row), high_of(row),
                     json_text(row, KEY(of), ""));
  fputs("</td><td class=\"n\" data-l=\"seen\"><b class=\"good\">0</b></td><td "
        "class=\"n\" data-l=\"would have been seen, if it strikes in\">",
        out);
  if (one_in) {
    fputs("1 in ", out);
    quantity_put_grouped(out, one_in);
    fputs(" chances<br>", out);
    put_chances_bar(out, one_in);
  } else {
    fputs(prospect_want(low_of(row), high_of(row)), out);
  }
  fputs("</td></tr>\n", out);
}

// Puts those rows that are among the first ones, or the others; returns how
// many they are.
static uint32_t put_chances_rows(FILE *out, const struct json_value *chances,
                                 bool first, bool rows) {
  uint32_t n = 0, shown = 0;
  for (uint32_t place = 0; place <= PROSPECTS_FIRST; place++)
    for (const struct json_value *r = json_first(chances, KEY(anomalies)); r;
         r = r->next) {
      if (prospect_place(json_text(r, KEY(anomaly), "")) != place)
        continue;
      const bool is_first = shown < PROSPECTS_SHOWN && place < PROSPECTS_FIRST;
      shown += is_first;
      if (is_first != first)
        continue;
      n++;
      if (out)
        put_chances_row(out, r, rows);
    }
  return n;
}

static void put_chances_table(FILE *out, const struct json_value *chances,
                              bool first, bool rows) {
  page_table(
      out,
      "A chance is one read, one row, one transaction, a pair that overlaps in "
      "time, or a triple of which two overlap with the third",
      "anomaly|a chance|#chances|#seen|#would have been seen, if it "
      "strikes in");
  put_chances_rows(out, chances, first, rows);
  page_end_table(out);
}

static void put_fold(FILE *out, const struct json_value *chances,
                     uint32_t first, bool rows) {
  const uint32_t others = put_chances_rows(NULL, chances, false, rows);
  if (!others)
    return;
  fprintf(out,
          "<details%s><summary>%" PRIu32 " %sanomal%s, none "
          "seen</summary>\n",
          first ? "" : " open", others, first ? "more " : "",
          others == 1 ? "y" : "ies");
  put_chances_table(out, chances, false, rows);
  fputs("</details>\n", out);
}

// Was any kind counted in a sample?
static bool has_interval(const struct json_value *chances) {
  bool found = false;
  for (const struct json_value *r = json_first(chances, KEY(anomalies)); r;
       r = r->next)
    found |= json_whole(r, KEY(high), 0) > json_whole(r, KEY(low), 0);
  return found;
}

static void put_chances_note(FILE *out, const struct json_value *chances) {
  if (!json_is_true(chances, KEY(timed)))
    fputs("<p>The history has no times, so that nobody knows which "
          "transactions overlapped: chances that take two or three "
          "transactions were not counted.</p>\n",
          out);
  else if (json_is_true(chances, KEY(keys_left_out)))
    fputs("<p>Some transactions that overlapped have more than 64 keys in "
          "common: chances of the others were not counted.</p>\n",
          out);
  else if (!json_is_true(chances, KEY(all)) &&
           (has_interval(chances) ||
            !json_is_true(chances, KEY(triples_left_out))))
    fprintf(out,
            "<p>There are too many pairs and triples to look at all: these "
            "were counted in a sample of %" PRIu64 " transactions, and the "
            "interval holds the number of all with 95&nbsp;%% certainty.</p>\n",
            json_whole(chances, KEY(sampled), 0));
  if (json_is_true(chances, KEY(triples_left_out)))
    fputs("<p>Some transactions overlapped with more than 256 others: chances "
          "that take three of them were counted in part.</p>\n",
          out);
}

void page_put_chances(FILE *out, const struct json_value *document) {
  const struct json_value *chances = json_member(document, KEY(chances));
  if (chances && chances->type == JSON_NULL)
    fputs("<p>How much this history could have shown was not counted: the "
          "time was over.</p>\n",
          out);
  if (!json_first(chances, KEY(anomalies)))
    return;
  const struct driver_words *database = driver_words_of_target(
      json_text(json_member(document, KEY(run)), KEY(target), ""));
  const bool rows = database && !database->has_keys;
  const uint32_t first = put_chances_rows(NULL, chances, true, rows);
  if (first)
    put_chances_table(out, chances, true, rows);
  put_fold(out, chances, first, rows);
  fputs("<p>Seen with 95&nbsp;% certainty (no case in <i>n</i> chances: below "
        "3/<i>n</i>), if the anomaly strikes at random under such a load. "
        "Attempts that the database refused count as chances: to refuse is how "
        "it keeps the level. Bars grow with the logarithm.</p>\n",
        out);
  put_chances_note(out, chances);
}
