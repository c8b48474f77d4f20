// SPDX-License-Identifier: GPL-3.0-or-later
// How much a run that passed could have shown, in a page (report/page.h).
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/keys.h"
#include "report/prospect.h"

#include <inttypes.h>

static void put_count(FILE *out, const struct json_value *row) {
  const uint64_t count = json_whole(row, KEY(count), 0);
  const uint64_t low = json_whole(row, KEY(low), count);
  const uint64_t high = json_whole(row, KEY(high), 0); // 0: none is known
  if (low > high && count)
    fputs("at least ", out);
  fprintf(out, "%" PRIu64 " ", count);
  put_markup(out, json_text(row, KEY(of), ""));
  if (low < high)
    fprintf(out, "<br>(%" PRIu64 " to %" PRIu64 ")", low, high);
}

static void put_row(FILE *out, const struct json_value *row, bool all) {
  const uint64_t one_in = json_whole(row, KEY(seen_if_one_in), 0);
  const uint64_t count = json_whole(row, KEY(count), 0);
  fputs("<tr><th scope=\"row\">", out);
  put_markup(out, json_text(row, KEY(anomaly), "?"));
  fputs("</th><td>", out);
  put_markup(out, json_text(row, KEY(chance), ""));
  fputs("</td><td class=\"n\">", out);
  put_count(out, row);
  fputs("</td><td class=\"n\">0</td><td class=\"n\">", out);
  if (one_in)
    fprintf(out, "1 in %" PRIu64 " chances", one_in);
  else
    fputs(prospect_want(count, all), out);
  fputs("</td></tr>\n", out);
}

void page_put_chances(FILE *out, const struct json_value *document) {
  const struct json_value *chances = json_member(document, KEY(chances));
  const bool all = json_is_true(chances, KEY(all));
  if (!json_first(chances, KEY(anomalies)))
    return;
  page_table(out,
             "How much this history could have shown: a chance is one "
             "transaction, a pair that overlaps in time, or a triple of "
             "which two overlap with the third",
             "anomaly|a chance|#chances|#seen|#would have been seen "
             "(95&nbsp;%), if it strikes in");
  for (const struct json_value *r = json_first(chances, KEY(anomalies)); r;
       r = r->next)
    put_row(out, r, all);
  page_end_table(out);
  if (!json_is_true(chances, KEY(timed)))
    fputs("<p>The history has no times, so that nobody knows which "
          "transactions overlapped: chances that take two or three "
          "transactions were not counted.</p>\n",
          out);
  else if (!all)
    fprintf(out,
            "<p>Pairs and triples are estimates, from a sample of "
            "%" PRIu64 " transactions, and in brackets is where they are with "
            "95&nbsp;%% certainty; where &ldquo;at least&rdquo; stands, there "
            "were too few for an estimate, and these were seen in the "
            "sample.</p>\n",
            json_whole(chances, KEY(sampled), 0));
}
