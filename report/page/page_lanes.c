// SPDX-License-Identifier: GPL-3.0-or-later
// Some milliseconds of a run on a page (report/page/sections.h): a row for each
// session, a bar for each transaction.
#include "config.h"

#include "report/page/sections.h"

#include "report/excerpt.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 1000, ROW = 16, BAR = 12 };

static const struct lane_kind {
  const char *class, *legend;
} kinds[] = {{"ok", "writes, committed"},
             {"ro", "only reads, committed"},
             {"no", "refused, rolled back, or an error"},
             {"un", "outcome unknown"}};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static size_t lanes_kind_of(const struct json_value *txn) {
  const char *outcome = json_text(txn, KEY(outcome), "");
  if (!strcmp(outcome, "committed"))
    return json_is_true(txn, KEY(writes)) ? 0 : 1;
  return !strcmp(outcome, "unknown") ? 3 : 2;
}

static void put_lanes_bar(FILE *out, const struct json_value *txn, double begin,
                          double scale) {
  const double from =
      fmax(0, (json_real(txn, KEY(begin_ns), 0) - begin)) * scale;
  const double to =
      fmin(WIDTH, (json_real(txn, KEY(end_ns), 0) - begin) * scale);
  const double width = fmax(to - from, 0.8);
  fprintf(out, "M%.1f %" PRIu64 "h%.1fv%dh-%.1fz", from,
          ROW * json_whole(txn, KEY(session), 0), width, BAR, width);
}

static bool put_bars(FILE *out, const struct json_value *excerpt, size_t kind) {
  const double begin = json_real(excerpt, KEY(begin_ns), 0);
  const double end = json_real(excerpt, KEY(end_ns), 0);
  bool any = false;
  for (const struct json_value *t = json_first(excerpt, KEY(transactions)); t;
       t = t->next) {
    if (lanes_kind_of(t) != kind)
      continue;
    if (!any)
      fprintf(out, "<path class=\"%s\" d=\"", kinds[kind].class);
    put_lanes_bar(out, t, begin, WIDTH / fmax(1, end - begin));
    any = true;
  }
  if (any)
    fputs("\"/>\n", out);
  return any;
}

void page_put_lanes(FILE *out, const struct json_value *run) {
  const struct json_value *excerpt = json_member(run, KEY(excerpt));
  const uint64_t sessions = json_whole(excerpt, KEY(clients), 0);
  bool there[NKINDS];
  if (!json_first(excerpt, KEY(transactions)) ||
      sessions > EXCERPT_MAX_SESSIONS)
    return;
  const struct quantity length =
      quantity_duration(json_real(excerpt, KEY(end_ns), 0) -
                        json_real(excerpt, KEY(begin_ns), 0));
  const char *unit = strcmp(length.unit, "us") ? length.unit : "\xc2\xb5s";
  fprintf(out,
          "<figure class=\"lanes\">\n<figcaption>%s&nbsp;%s from the middle of "
          "the run. <small>Each line is a session, each bar a transaction, and "
          "a gap between bars is the client's own time."
          "</small></figcaption>\n<svg viewBox=\"0 0 %d %" PRIu64
          "\" preserveAspectRatio=\"none\" style=\"height:%" PRIu64
          "px\" role=\"img\" aria-label=\"Transactions of %" PRIu64
          " sessions over %s %s\">\n",
          length.number, unit, WIDTH, ROW * sessions, ROW * sessions, sessions,
          length.number, unit);
  for (size_t k = 0; k < NKINDS; k++)
    there[k] = put_bars(out, excerpt, k);
  fputs("</svg>\n<p class=\"legend\">", out);
  for (size_t k = 0; k < NKINDS; k++)
    if (there[k])
      fprintf(out, "<span><i class=\"%s\">&nbsp;</i>%s</span>", kinds[k].class,
              kinds[k].legend);
  fprintf(out,
          "<span class=\"r\">%s&nbsp;%s \xe2\x86\x92</span></p>\n</figure>\n",
          length.number, unit);
}
