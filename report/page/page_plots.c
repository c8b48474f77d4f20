// SPDX-License-Identifier: GPL-3.0-or-later
// The plots of a run (report/page/sections.h), from the series of its report.
#include "config.h"

#include "report/page/sections.h"

#include "report/page/page_events.h"
#include "report/picture/plot.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <math.h>
#include <stdlib.h>

// Per interval of the run.
struct plot_course {
  uint32_t n;
  double step;                       // seconds
  double *throughput, *unknown_rate; // per second
  double *abort_rate;                // percent of attempts
  double *p50, *p95, *p99;           // ns
};

// The last interval is as long as the run lasted in it.
static double length_of_plot(const struct plot_course *c, uint32_t i,
                             double elapsed) {
  const double rest = elapsed - i * c->step;
  return rest > 0 && rest < c->step ? rest : c->step;
}

static void read_course(struct plot_course *c, struct arena *arena,
                        const struct json_value *run) {
  const struct json_value *series = json_member(run, KEY(series));
  const double elapsed = json_real(run, KEY(elapsed_ns), 0) / 1e9;
  double **const arrays[] = {&c->throughput, &c->unknown_rate, &c->abort_rate,
                             &c->p50,        &c->p95,          &c->p99};
  *c = (struct plot_course){.n = json_count(series, KEY(intervals)),
                            .step =
                                json_real(series, KEY(interval_ns), 0) / 1e9};
  if (c->step <= 0)
    c->n = 0;
  // Transactions of the last moments only make no rate.
  if (c->n > 2 && elapsed - (c->n - 1) * c->step < c->step / 2)
    c->n--;
  for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
    *arrays[a] = arena_take(arena, (c->n + 1) * sizeof(double));
  const struct json_value *v = json_first(series, KEY(intervals));
  for (uint32_t i = 0; i < c->n; i++, v = v->next) {
    const uint64_t committed = json_whole(v, KEY(committed), 0);
    const uint64_t aborted = json_whole(v, KEY(aborted), 0);
    const uint64_t unknown = json_whole(v, KEY(unknown), 0);
    const double seconds = length_of_plot(c, i, elapsed);
    c->throughput[i] = (double)committed / seconds;
    c->unknown_rate[i] = (double)unknown / seconds;
    c->abort_rate[i] = quantity_percent(aborted, committed + aborted + unknown);
    c->p50[i] = json_real(v, KEY(p50_ns), 0);
    c->p95[i] = json_real(v, KEY(p95_ns), 0);
    c->p99[i] = json_real(v, KEY(p99_ns), 0);
  }
}

static void put_figure(FILE *out, const struct plot *plot,
                       const char *caption) {
  fputs("<figure>\n", out);
  plot_put_lines(out, plot);
  fprintf(out, "<figcaption>%s</figcaption>\n</figure>\n", caption);
}

static bool any(const double *values, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (values[i] > 0)
      return true;
  return false;
}

void page_put_plots(FILE *out, const struct json_value *run) {
  struct arena arena = {0};
  struct plot_course c;
  read_course(&c, &arena, run);
  if (c.n < 2) {
    fputs("<p>The run was too short to show how it went over time.</p>\n", out);
    arena_free(&arena);
    return;
  }
  const struct plot_line throughput[] = {{"commits", c.throughput, NULL},
                                         {"unknown", c.unknown_rate, NULL}};
  const struct plot_line aborts[] = {{"aborts", c.abort_rate, NULL}};
  const struct plot_line latency[] = {
      {"p50", c.p50, NULL}, {"p95", c.p95, NULL}, {"p99", c.p99, NULL}};
  struct plot plot = {.id = "plot-throughput",
                      .title = "Committed transactions per second over time",
                      .lines = throughput,
                      .nlines = any(c.unknown_rate, c.n) ? 2 : 1,
                      .npoints = c.n,
                      .step = c.step,
                      .unit = PLOT_NUMBER};
  plot.nbands = page_bands(run, c.n * c.step, &arena, &plot.bands);
  fputs("<div class=\"plots\">\n", out);
  put_figure(out, &plot, "Committed: transactions per second");
  plot.id = "plot-aborts";
  plot.title = "Share of the attempts that aborted, over time";
  plot.lines = aborts;
  plot.nlines = 1;
  plot.unit = PLOT_PERCENT;
  put_figure(out, &plot, "Refused or rolled back: share of all attempts");
  plot.id = "plot-latency";
  plot.title = "Latency of committed transactions over time: the median, 95 % "
               "and 99 %";
  plot.lines = latency;
  plot.nlines = 3;
  plot.unit = PLOT_DURATION;
  plot.logarithmic = true;
  put_figure(out, &plot, "Time per transaction, logarithmic");
  fputs("</div>\n", out);
  page_put_events(out, run);
  arena_free(&arena);
}
