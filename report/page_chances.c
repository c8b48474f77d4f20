// SPDX-License-Identifier: GPL-3.0-or-later
// How much a run that passed could have shown, in a page (report/page.h).
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/keys.h"
#include "report/prospect.h"

#include <inttypes.h>
#include <math.h>

// A bar as long as the number has digits, up to a million million: it grows
// with the logarithm.
static void put_bar(FILE *out, uint64_t number) {
  enum { LONGEST = 120, DIGITS = 12 };
  const double share = log10((double)number) / DIGITS;
  fprintf(out,
          "<svg viewBox=\"0 0 %d 8\" width=\"%d\" height=\"8\" "
          "aria-hidden=\"true\"><rect width=\"%.1f\" height=\"8\" "
          "fill=\"currentColor\" opacity=\".45\"/></svg>",
          LONGEST, LONGEST, fmin(share, 1) * LONGEST);
}

static void put_count(FILE *out, const struct json_value *row) {
  const uint64_t count = json_whole(row, KEY(count), 0);
  const uint64_t low = json_whole(row, KEY(low), count);
  const uint64_t high = json_whole(row, KEY(high), 0); // 0: none is known
  if (low > high && count)
    fputs("at least ", out);
  page_grouped(out, count);
  fputc(' ', out);
  put_markup(out, prospect_counted(json_text(row, KEY(of), ""), count));
  if (low >= high)
    return;
  fputs("<br>(", out);
  page_grouped(out, low);
  fputs(" to ", out);
  page_grouped(out, high);
  fputc(')', out);
}

static void put_row(FILE *out, const struct json_value *row, bool all) {
  const uint64_t one_in = json_whole(row, KEY(seen_if_one_in), 0);
  const uint64_t count = json_whole(row, KEY(count), 0);
  fputs("<tr><th scope=\"row\">", out);
  put_markup(out, json_text(row, KEY(anomaly), "?"));
  fputs("</th><td>", out);
  put_markup(out, json_text(row, KEY(chance), ""));
  fputs("</td><td class=\"n\" data-l=\"chances\">", out);
  put_count(out, row);
  fputs("</td><td class=\"n\" data-l=\"seen\"><b class=\"good\">0</b></td><td "
        "class=\"n\" data-l=\"would have been seen, if it strikes in\">",
        out);
  if (one_in) {
    fputs("1 in ", out);
    page_grouped(out, one_in);
    fputs(" chances<br>", out);
    put_bar(out, one_in);
  } else {
    fputs(prospect_want(count, all), out);
  }
  fputs("</td></tr>\n", out);
}

void page_put_chances(FILE *out, const struct json_value *document) {
  const struct json_value *chances = json_member(document, KEY(chances));
  const bool all = json_is_true(chances, KEY(all));
  if (chances && chances->type == JSON_NULL)
    fputs("<p>How much this history could have shown was not counted: the "
          "time was over.</p>\n",
          out);
  if (!json_first(chances, KEY(anomalies)))
    return;
  page_table(
      out,
      "A chance is one read, one row, one transaction, a pair that overlaps in "
      "time, or a triple of which two overlap with the third",
      "anomaly|a chance|#chances|#seen|#would have been seen, if it "
      "strikes in");
  for (const struct json_value *r = json_first(chances, KEY(anomalies)); r;
       r = r->next)
    put_row(out, r, all);
  page_end_table(out);
  fputs("<p>Seen with 95&nbsp;% certainty (no case in <i>n</i> chances: below "
        "3/<i>n</i>), if the anomaly strikes at random under such a load. "
        "Attempts that the database refused count as chances: to refuse is how "
        "it keeps the level. Bars grow with the logarithm.</p>\n",
        out);
  if (!json_is_true(chances, KEY(timed)))
    fputs("<p>The history has no times, so that nobody knows which "
          "transactions overlapped: chances that take two or three "
          "transactions were not counted.</p>\n",
          out);
  else if (!all)
    fprintf(out,
            "<p>Pairs and triples are estimates, from a sample of "
            "%" PRIu64 " transactions, with two standard errors in "
            "brackets; where &ldquo;at least&rdquo; stands, there "
            "were too few for an estimate, and these were seen in the "
            "sample.</p>\n",
            json_whole(chances, KEY(sampled), 0));
}
