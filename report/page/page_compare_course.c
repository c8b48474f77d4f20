// SPDX-License-Identifier: GPL-3.0-or-later
// Runs over time, drawn over each other (report/page/page_compare.h).
#include "config.h"

#include "report/page/page_compare.h"

#include "base/memory.h"
#include "report/page/blocks.h"
#include "report/picture/plot.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { LINES_MAX = 6 }; // runs that are drawn

const char *compare_letter(uint32_t i, char text[COMPARE_LETTER]) {
  if (i < 26)
    snprintf(text, COMPARE_LETTER, "%c", 'A' + (int)i);
  else
    snprintf(text, COMPARE_LETTER, "%" PRIu32, i + 1);
  return text;
}

double compare_commits(const struct json_value *v, double seconds) {
  return json_real(v, KEY(committed), 0) / seconds;
}

double compare_aborts(const struct json_value *v, double seconds) {
  const uint64_t aborted = json_whole(v, KEY(aborted), 0);
  (void)seconds;
  return quantity_percent(aborted, aborted + json_whole(v, KEY(committed), 0) +
                                       json_whole(v, KEY(unknown), 0));
}

static const struct json_value *course_run(const struct stored *s) {
  return json_member(s->document, KEY(run));
}

static const char *const colours[] = {"var(--b)", "var(--a)", "var(--c)"};

static double p99_of_interval(const struct json_value *v, double seconds) {
  (void)seconds;
  return json_real(v, KEY(p99_ns), 0);
}

static const struct compared_course {
  const char *id, *caption;
  compare_value *of;
  enum plot_unit unit;
} courses[] = {
    {"plot-throughput", "Committed: transactions per second", compare_commits,
     PLOT_NUMBER},
    {"plot-aborts", "Aborted: share of all attempts", compare_aborts,
     PLOT_PERCENT},
    {"plot-latency", "Time of the slowest hundredth (p99), logarithmic",
     p99_of_interval, PLOT_DURATION},
};

static double comparison_step_of(const struct stored *s) {
  return json_real(json_member(course_run(s), KEY(series)), KEY(interval_ns),
                   0) /
         1e9;
}

// Whole intervals that a run has.
static uint32_t whole_intervals(const struct stored *s) {
  const double elapsed = json_real(course_run(s), KEY(elapsed_ns), 0) / 1e9;
  const uint32_t n =
      json_count(json_member(course_run(s), KEY(series)), KEY(intervals));
  const double step = comparison_step_of(s);
  return step > 0 && elapsed / step < n ? (uint32_t)(elapsed / step) : n;
}

// The mean of the values of each `together` intervals, `npoints` times.
static void read_values(const struct stored *s, compare_value *of,
                        uint32_t together, uint32_t npoints, double *values) {
  const struct json_value *v =
      json_first(json_member(course_run(s), KEY(series)), KEY(intervals));
  for (uint32_t i = 0; i < npoints; i++) {
    values[i] = 0;
    for (uint32_t j = 0; j < together && v; j++, v = v->next)
      values[i] += of(v, comparison_step_of(s)) / together;
  }
}

static void put_comparison_course(FILE *out, const struct stored *runs,
                                  uint32_t nruns,
                                  const struct compared_course *course,
                                  double step, uint32_t npoints) {
  const uint32_t n = nruns < LINES_MAX ? nruns : LINES_MAX;
  double *values = xcalloc((size_t)n * npoints, sizeof *values);
  struct plot_line lines[LINES_MAX];
  char letters[LINES_MAX][COMPARE_LETTER];
  for (uint32_t i = 0; i < n; i++) {
    double *of = values + (size_t)i * npoints;
    read_values(&runs[i], course->of,
                (uint32_t)lround(step / comparison_step_of(&runs[i])), npoints,
                of);
    lines[i] =
        (struct plot_line){compare_letter(i, letters[i]), of, colours[i % 3]};
  }
  const struct plot plot = {.id = course->id,
                            .title = course->caption,
                            .lines = lines,
                            .nlines = n,
                            .npoints = npoints,
                            .step = step,
                            .unit = course->unit,
                            .logarithmic = course->unit == PLOT_DURATION};
  fputs("<figure>\n", out);
  plot_put_lines(out, &plot);
  fprintf(out, "<figcaption>%s</figcaption>\n</figure>\n", course->caption);
  free(values);
}

// Over the time that all of them lasted, in the longest of their intervals.
void compare_put_courses(FILE *out, const struct stored *runs, uint32_t n) {
  double step = 0;
  uint32_t npoints = UINT32_MAX;
  for (uint32_t i = 0; i < n; i++)
    step = fmax(step, comparison_step_of(&runs[i]));
  for (uint32_t i = 0; i < n; i++) {
    const double own = comparison_step_of(&runs[i]);
    const uint32_t points =
        own > 0 ? (uint32_t)(whole_intervals(&runs[i]) / lround(step / own))
                : 0;
    npoints = points < npoints ? points : npoints;
  }
  if (npoints < 2)
    return;
  page_section(out, "course", "Over time");
  fputs("<div class=\"plots\">\n", out);
  for (size_t i = 0; i < sizeof courses / sizeof *courses; i++)
    put_comparison_course(out, runs, n, &courses[i], step, npoints);
  fputs("</div>\n", out);
  if (n > LINES_MAX)
    fprintf(out, "<p>The first %d runs are drawn.</p>\n", LINES_MAX);
  fputs("</section>\n", out);
}
