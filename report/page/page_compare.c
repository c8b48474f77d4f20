// SPDX-License-Identifier: GPL-3.0-or-later
// Several runs side by side as a page (report/page/page.h): their verdicts
// first, then what changed from the first run to the second, with intervals.
#include "config.h"

#include "report/page/page.h"

#include "base/anomaly_names.h"
#include "base/interval.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/badge.h"
#include "report/page/blocks.h"
#include "report/page/page_compare.h"
#include "report/page/sections.h"
#include "report/picture/plot.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct comparison_page {
  FILE *out;
  const struct stored *runs;
  const char *const *names, *const *links;
  uint32_t n;
};

static const struct json_value *run_of(const struct stored *s) {
  return json_member(s->document, KEY(run));
}

// ---- Figures

static double abort_rate(const struct stored *s) {
  const struct json_value *run = run_of(s);
  return quantity_percent(json_whole(run, KEY(aborted), 0),
                          json_whole(run, KEY(begun), 0));
}

static double anomalies(const struct stored *s) {
  const struct json_value *found = json_member(stored_broken(s), KEY(found));
  double n = 0;
  for (const struct json_value *f = found ? found->first : NULL; f; f = f->next)
    n += json_real(found, f->name, 0);
  return n;
}

static double wasted(const struct stored *s) {
  const struct json_value *run = run_of(s);
  return quantity_percent(json_whole(run, KEY(wasted_ns), 0),
                          json_whole(run, KEY(attempt_ns), 0));
}

static double comparison_throughput(const struct stored *s) {
  const struct json_value *run = run_of(s);
  return quantity_per_second(json_whole(run, KEY(committed), 0),
                             json_whole(run, KEY(measured_ns), 0));
}

// The greatest of all kinds of transactions, in ns.
static double slowest(const struct stored *s, const char *member) {
  double most = 0;
  for (const struct json_value *v = json_first(run_of(s), KEY(shapes)); v;
       v = v->next)
    most = fmax(most, json_real(json_member(v, KEY(latency)), member, 0));
  return most;
}

static double p50(const struct stored *s) { return slowest(s, KEY(p50_ns)); }
static double p99(const struct stored *s) { return slowest(s, KEY(p99_ns)); }

static const struct figure {
  const char *heading;
  double (*of)(const struct stored *s);
  enum plot_unit unit;
} figures[] = {
    {"anomalies found", anomalies, PLOT_NUMBER},
    {"aborted attempts", abort_rate, PLOT_PERCENT},
    {"time spent on aborted attempts", wasted, PLOT_PERCENT},
    {"committed per second", comparison_throughput, PLOT_NUMBER},
    {"p50 of the slowest kind", p50, PLOT_DURATION},
    {"p99 of the slowest kind", p99, PLOT_DURATION},
};
enum { NFIGURES = sizeof figures / sizeof *figures };

// A value of each whole second that counts, to be freed.
static double *comparison_seconds_of(const struct stored *s, compare_value *of,
                                     uint32_t *n) {
  const struct json_value *run = run_of(s);
  const double elapsed = json_real(run, KEY(elapsed_ns), 0);
  const double measured = json_real(run, KEY(measured_ns), 0);
  const double warmup = ceil(fmax(0, elapsed - measured) / 1e9);
  const double whole = floor(elapsed / 1e9);
  double *all = xcalloc(json_count(run, KEY(seconds)) + 1, sizeof *all);
  double at = 0;
  *n = 0;
  for (const struct json_value *v = json_first(run, KEY(seconds)); v;
       v = v->next, at++)
    if (at >= warmup && at < whole)
      all[(*n)++] = of(v, 1);
  return all;
}

// From the first run to the second; mean NAN if there are no seconds to
// compare.  `*first` is the mean of the first run.
static struct interval change_of(const struct comparison_page *c,
                                 compare_value *of, double *first) {
  uint32_t na, nb;
  double *a = comparison_seconds_of(&c->runs[0], of, &na);
  double *b = comparison_seconds_of(&c->runs[1], of, &nb);
  struct interval change = {NAN, NAN};
  *first = 0;
  for (uint32_t i = 0; i < na; i++)
    *first += a[i] / na;
  if (na && nb)
    change = interval_between(a, na, b, nb);
  free(a);
  free(b);
  return change;
}

// The change of commits, as a share of the first run's, in the figures of the
// whole runs; how sure it is, by their seconds.
static struct interval throughput_change(const struct comparison_page *c) {
  double first;
  struct interval change = change_of(c, compare_commits, &first);
  if (!(first > 0))
    return (struct interval){NAN, NAN};
  const double a = comparison_throughput(&c->runs[0]),
               b = comparison_throughput(&c->runs[1]);
  change.mean = a > 0 ? (b - a) / a : NAN;
  change.half /= first;
  return change;
}

// In points of a percentage, likewise.
static struct interval abort_change(const struct comparison_page *c) {
  double first;
  struct interval change = change_of(c, compare_aborts, &first);
  change.mean = abort_rate(&c->runs[1]) - abort_rate(&c->runs[0]);
  return change;
}

// ---- The top

static void put_comparison_change(FILE *out, double share) {
  fprintf(out, "%s%.0f&nbsp;%%", share < 0 ? "\xe2\x88\x92" : "+",
          fabs(100 * share));
}

static bool is_violation(const struct stored *s) {
  return badge_of(s) < BADGE_BESIDE;
}

static void put_names_of(FILE *out, const struct stored *s) {
  const struct json_value *found =
      json_member(json_member(s->document, KEY(verdict)), KEY(found));
  const char *separator = "";
  for (const struct json_value *f = found ? found->first : NULL; f;
       f = f->next) {
    fputs(separator, out);
    put_markup(out, anomaly_plain(f->name));
    separator = ", ";
  }
}

// Two runs of which one shows a violation; or all alike.
static void put_verdicts(const struct comparison_page *c) {
  uint32_t nbroken = 0, nkept = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    nbroken += is_violation(&c->runs[i]);
    nkept += badge_of(&c->runs[i]) >= BADGE_UNMET;
  }
  if (c->n == 2 && nbroken == 1) {
    const uint32_t broken = is_violation(&c->runs[1]);
    char a[COMPARE_LETTER], b[COMPARE_LETTER];
    fprintf(c->out, "Run %s showed ", compare_letter(broken, a));
    put_names_of(c->out, &c->runs[broken]);
    fprintf(c->out, "; run %s did not.", compare_letter(1 - broken, b));
  } else if (nkept == c->n) {
    fprintf(c->out, "%s runs kept what was asked.", c->n == 2 ? "Both" : "All");
  } else {
    fprintf(c->out,
            "%" PRIu32 " of %" PRIu32 " runs showed a violation, %" PRIu32
            " kept what was asked.",
            nbroken, c->n, nkept);
  }
}

static bool is_apart(const struct interval *change) {
  return fabs(change->mean) > change->half;
}

static void put_comparison_headline(const struct comparison_page *c) {
  fputs("<h1>", c->out);
  put_verdicts(c);
  if (c->n == 2) {
    const struct interval change = throughput_change(c);
    const struct interval aborts = abort_change(c);
    const double a = abort_rate(&c->runs[0]), b = abort_rate(&c->runs[1]);
    if (fabs(b - a) >= 1 && is_apart(&aborts))
      fprintf(c->out, " B aborted %.0f of 100 attempts, A %.0f.", b, a);
    else if (is_apart(&change))
      fprintf(c->out, " B committed %.0f&nbsp;%% %s per second.",
              fabs(100 * change.mean), change.mean < 0 ? "fewer" : "more");
  }
  fputs("</h1>\n", c->out);
}

static void put_comparison_lede(const struct comparison_page *c) {
  const struct interval change = throughput_change(c);
  fputs("<p class=\"lede\">Committed per second: ", c->out);
  quantity_put_grouped(c->out,
                       (uint64_t)(comparison_throughput(&c->runs[1]) + 0.5));
  fputs(" by B, ", c->out);
  quantity_put_grouped(c->out,
                       (uint64_t)(comparison_throughput(&c->runs[0]) + 0.5));
  fputs(" by A", c->out);
  if (!isnan(change.half)) {
    fputs(", a difference of ", c->out);
    put_comparison_change(c->out, change.mean);
    fputs(" (95&nbsp;% interval ", c->out);
    put_comparison_change(c->out, change.mean - change.half);
    fputs(" to ", c->out);
    put_comparison_change(c->out, change.mean + change.half);
    fputs(is_apart(&change) ? "). The interval leaves chance out."
                            : "): that can be chance.",
          c->out);
  } else {
    fputs("; one of the runs is too short for an interval.", c->out);
  }
  fputs("</p>\n", c->out);
}

static const char *level_checked(const struct stored *s) {
  return json_text(json_member(s->document, KEY(verdict)), KEY(title),
                   "no level");
}

// A run that kept a weaker level is not the better one.
static void put_comparison_levels(const struct comparison_page *c) {
  uint32_t other = 1;
  while (other < c->n &&
         !strcmp(level_checked(&c->runs[0]), level_checked(&c->runs[other])))
    other++;
  if (other >= c->n)
    return;
  fputs("<p class=\"note\"><strong>The runs were checked at different "
        "levels:</strong> ",
        c->out);
  for (uint32_t i = 0; i < c->n; i++) {
    char letter[COMPARE_LETTER];
    fprintf(c->out, "%s%s at ", i ? ", " : "", compare_letter(i, letter));
    put_markup(c->out, level_checked(&c->runs[i]));
  }
  fputs(". Their verdicts do not compare.</p>\n", c->out);
}

static void put_comparison_run(const struct comparison_page *c, uint32_t i) {
  const struct stored *s = &c->runs[i];
  const struct json_value *run = run_of(s);
  const enum badge badge = badge_of(s);
  char letter[COMPARE_LETTER], *tag;
  char *server;
  size_t bytes;
  FILE *text = text_stream(&server, &bytes);
  page_put_server(text, run);
  fclose(text);
  fprintf(c->out, "<div class=\"%s\">", badge_words[badge].colour);
  tag = xasprintf("%s: %s", compare_letter(i, letter), badge_words[badge].tag);
  page_tag(c->out, badge_words[badge].colour, tag);
  fputs("<p><b>", c->out);
  put_markup(c->out, server);
  fputs("</b>, level ", c->out);
  put_markup(c->out, json_text(run, KEY(level), "?"));
  fputs(". ", c->out);
  if (anomalies(s) > 0) {
    quantity_put_grouped(c->out, (uint64_t)anomalies(s));
    fputs(" anomalies", c->out);
  } else {
    fputs("No anomaly", c->out);
  }
  fputs(" among ", c->out);
  quantity_put_grouped(c->out, json_whole(run, KEY(committed), 0));
  fputs(" committed.</p><p>", c->out);
  if (c->links[i]) {
    fputs("<a href=\"", c->out);
    page_href(c->out, c->links[i]);
    fputs("\">", c->out);
  }
  fputs("<code>", c->out);
  put_markup(c->out, c->names[i]);
  fprintf(c->out, "</code>%s</p></div>\n", c->links[i] ? "</a>" : "");
  free(tag);
  free(server);
}

// ---- In numbers

static void put_comparison_value(FILE *out, double value, enum plot_unit unit) {
  if (unit == PLOT_DURATION) {
    page_duration(out, value);
    return;
  }
  fputs("<td class=\"n\">", out);
  if (unit == PLOT_PERCENT)
    fprintf(out, "%.2f&nbsp;%%", value);
  else
    quantity_put_grouped(out, (uint64_t)(value + 0.5));
  fputs("</td>", out);
}

// Half of the interval of a change, where one is known.
static void put_half(const struct comparison_page *c,
                     const struct figure *figure) {
  struct interval change = {NAN, NAN};
  if (figure->of == comparison_throughput)
    change = throughput_change(c);
  else if (figure->of == abort_rate)
    change = abort_change(c);
  if (!isnan(change.half))
    fprintf(
        c->out, " \xc2\xb1 %.*f", figure->of == comparison_throughput ? 0 : 1,
        figure->of == comparison_throughput ? 100 * change.half : change.half);
}

static void put_comparison_difference(const struct comparison_page *c,
                                      const struct figure *figure) {
  const double a = figure->of(&c->runs[0]), b = figure->of(&c->runs[1]);
  const char *sign = b < a ? "\xe2\x88\x92" : "+";
  fputs("<td class=\"n\"><b>", c->out);
  if (figure->unit == PLOT_PERCENT) {
    fprintf(c->out, "%s%.1f points", sign, fabs(b - a));
  } else if (figure->of == anomalies) {
    fputs(sign, c->out);
    quantity_put_grouped(c->out, (uint64_t)(fabs(b - a) + 0.5));
  } else if (a > 0) {
    put_comparison_change(c->out, (b - a) / a);
  }
  fputs("</b>", c->out);
  put_half(c, figure);
  fputs("</td>", c->out);
}

static void put_numbers(const struct comparison_page *c) {
  page_section(c->out, "numbers", "In numbers");
  page_start_table(c->out, c->n == 2 ? "Of each run, and the change from A to B"
                                     : "Of each run");
  fputs("<thead><tr><td></td>", c->out);
  for (uint32_t i = 0; i < c->n; i++) {
    char letter[COMPARE_LETTER];
    fprintf(c->out, "<th scope=\"col\" class=\"n\">%s</th>",
            compare_letter(i, letter));
  }
  if (c->n == 2)
    fputs("<th scope=\"col\" class=\"n\">change</th>", c->out);
  fputs(PAGE_END_HEAD, c->out);
  for (size_t f = 0; f < NFIGURES; f++) {
    page_start_row(c->out, figures[f].heading);
    for (uint32_t i = 0; i < c->n; i++)
      put_comparison_value(c->out, figures[f].of(&c->runs[i]), figures[f].unit);
    if (c->n == 2)
      put_comparison_difference(c, &figures[f]);
    fputs("</tr>\n", c->out);
  }
  page_end_table(c->out);
  if (c->n == 2)
    fputs(
        "<p class=\"soft\">\xc2\xb1 is half of the 95&nbsp;% interval over the "
        "whole seconds of the runs.</p>\n",
        c->out);
  fputs("<p class=\"soft\">Several runs of each tell a difference from chance: "
        "<code>isostress sweep</code>.</p>\n</section>\n",
        c->out);
}

static void put_comparison_command(const struct comparison_page *c) {
  fputs("<p>Made by</p>\n", c->out);
  page_start_command(c->out);
  fputs("isostress report --compare=compare.html", c->out);
  for (uint32_t i = 0; i < c->n; i++) {
    putc(' ', c->out);
    page_shell_word(c->out, c->names[i]);
  }
  page_end_command(c->out);
}

void compare_put_page(FILE *out, const struct stored *runs,
                      const char *const *names, const char *const *links,
                      uint32_t nruns, const char *all_results) {
  const struct comparison_page c = {out, runs, names, links, nruns};
  char tag[64];
  page_open(out, COMPARE_TITLE);
  page_bar(out, all_results, COMPARE_TITLE, "");
  fputs("<main>\n<section class=\"verdict\">\n", out);
  snprintf(tag, sizeof tag, "Comparison of %" PRIu32 " run%s", nruns,
           nruns == 1 ? "" : "s");
  page_tag(out, "many", tag);
  put_comparison_headline(&c);
  if (nruns == 2)
    put_comparison_lede(&c);
  put_comparison_levels(&c);
  fputs("<div class=\"facts\">\n", out);
  for (uint32_t i = 0; i < nruns; i++)
    put_comparison_run(&c, i);
  fputs("</div>\n</section>\n", out);
  compare_put_courses(out, runs, nruns);
  put_numbers(&c);
  compare_put_figures(out, runs, names, nruns);
  put_comparison_command(&c);
  page_close(out, json_text(runs[0].document, KEY(program), "isostress"));
}
