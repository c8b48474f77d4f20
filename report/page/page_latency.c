// SPDX-License-Identifier: GPL-3.0-or-later
// The time per kind of transaction on a page (report/page/sections.h):
// percentiles as numbers and, on one scale for all kinds, as dots.
#include "config.h"

#include "report/page/sections.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 260, EDGE = 6 };

// All times of the run, in ns.
struct latency_scale {
  double low, high;
};

static double place_on_scale(const struct latency_scale *s, double ns) {
  const double share = log(fmax(ns, s->low) / s->low) / log(s->high / s->low);
  return EDGE + share * (WIDTH - 2 * EDGE);
}

// From a power of ten to a power of ten.
static struct latency_scale scale_of(const struct json_value *run) {
  struct latency_scale s = {.low = INFINITY, .high = 1};
  for (const struct json_value *v = json_first(run, KEY(shapes)); v;
       v = v->next) {
    const struct json_value *latency = json_member(v, KEY(latency));
    if (!json_whole(latency, KEY(count), 0))
      continue;
    s.low = fmin(s.low, json_real(latency, KEY(p50_ns), 1));
    s.high = fmax(s.high, json_real(latency, KEY(max_ns), 1));
  }
  s.low = pow(10, floor(log10(fmax(1, fmin(s.low, s.high)))));
  s.high = fmax(10 * s.low, pow(10, ceil(log10(s.high))));
  return s;
}

static void put_power(FILE *out, double ns) {
  static const char *const units[] = {"ns", "\xc2\xb5s", "ms", "s"};
  int u = 0;
  for (; u < 3 && ns >= 1000; u++)
    ns /= 1000;
  fprintf(out, "%g&nbsp;%s", ns, units[u]);
}

static void put_dots(FILE *out, const struct json_value *latency,
                     const struct latency_scale *s) {
  const double p50 = place_on_scale(s, json_real(latency, KEY(p50_ns), 1));
  const double p99 = place_on_scale(s, json_real(latency, KEY(p99_ns), 1));
  const double max = place_on_scale(s, json_real(latency, KEY(max_ns), 1));
  fprintf(out,
          "<td><svg viewBox=\"0 0 %d 18\" width=\"%d\" height=\"18\" "
          "aria-hidden=\"true\"><path d=\"M%.1f 9H%.1f\" "
          "stroke=\"var(--sup)\"/><path d=\"M%.1f 9H%.1f\" "
          "stroke=\"currentColor\" stroke-width=\"3.5\"/><circle cx=\"%.1f\" "
          "cy=\"9\" r=\"4.2\" fill=\"currentColor\"/><path d=\"M%.1f 4v10\" "
          "stroke=\"currentColor\" stroke-width=\"1.8\"/></svg></td>",
          WIDTH, WIDTH, p99, max, p50, p99, p50, max);
}

static void put_shape(FILE *out, const struct json_value *shape,
                      const struct latency_scale *scale) {
  static const char *const members[] = {KEY(p50_ns), KEY(p95_ns), KEY(p99_ns),
                                        KEY(p999_ns), KEY(max_ns)};
  const struct json_value *latency = json_member(shape, KEY(latency));
  page_start_row(out, json_text(shape, KEY(name), ""));
  page_number(out, json_whole(shape, KEY(committed), 0));
  page_number(out, json_whole(shape, KEY(aborted), 0));
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    page_duration(out, json_real(latency, members[i], 0));
  if (json_whole(latency, KEY(count), 0))
    put_dots(out, latency, scale);
  else
    fputs("<td></td>", out);
  fputs("</tr>\n", out);
}

void page_put_latency(FILE *out, const struct json_value *run) {
  const struct latency_scale scale = scale_of(run);
  page_section(out, "latency", "Time per transaction");
  page_start_cards(out, "Time of committed transactions, by kind",
                   "kind|committed|aborted|p50|p95|p99|p99.9|slowest");
  fputs("<thead><tr><th scope=\"col\">kind</th>", out);
  static const char *const columns[] = {"committed", "aborted", "p50",    "p95",
                                        "p99",       "p99.9",   "slowest"};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    fprintf(out, "<th scope=\"col\" class=\"n\">%s</th>", columns[i]);
  fputs("<th scope=\"col\">", out);
  put_power(out, scale.low);
  fputs(" to ", out);
  put_power(out, scale.high);
  fputs(", logarithmic: \xe2\x97\x8f p50 \xe2\x80\x94 p99 \xe2\x94\x83 "
        "slowest</th>" PAGE_END_HEAD,
        out);
  for (const struct json_value *s = json_first(run, KEY(shapes)); s;
       s = s->next)
    if (json_whole(s, KEY(begun), 0))
      put_shape(out, s, &scale);
  page_end_table(out);
  fputs("<p class=\"soft\">From the ", out);
  put_markup(out, json_text(run, KEY(latency_from), "actual"));
  fputs(" start of a transaction to the end of its last attempt, retries and "
        "pauses between them included. p50: half of the transactions took "
        "less.</p>\n</section>\n",
        out);
}
