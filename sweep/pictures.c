// SPDX-License-Identifier: GPL-3.0-or-later
// Which pictures a sweep gets (sweep/summary.h): what was measured against each
// axis of numbers, a line for each combination of the others; and what each
// isolation level costs.
#include "config.h"

#include "sweep/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TICS_MAX = 12 };

static const struct picture {
  const char *name;
  const char *label; // NULL: the latency's
  int if_any;        // measure without which there is no picture; -1: always
  struct lines_of what;
} pictures[] = {
    {"abort-rate",
     "aborted attempts (%)",
     -1,
     {100, 100, 1, {MEASURE_ABORT_RATE}, {""}}},
    {"given-up",
     "transactions given up (%)",
     MEASURE_RETRIES,
     {100, 100, 1, {MEASURE_GIVEN_UP}, {""}}},
    {"throughput",
     "committed transactions a second",
     -1,
     {1, 0, 1, {MEASURE_THROUGHPUT}, {""}}},
    {"latency", NULL, -1, {1, 0, 1, {MEASURE_P99}, {""}}},
    {"anomalies",
     "anomalies in 1000 committed transactions",
     MEASURE_ANOMALIES,
     {1, 0, 1, {MEASURE_ANOMALIES}, {""}}},
    {"found",
     "runs that showed a violation, an hour",
     MEASURE_FOUND,
     {1, 0, 1, {MEASURE_FOUND}, {""}}},
    {"time",
     "seconds",
     MEASURE_VERIFICATION,
     {1,
      0,
      2,
      {MEASURE_GENERATION, MEASURE_VERIFICATION},
      {": generation", ": verification"}}},
};
enum { NPICTURES = sizeof pictures / sizeof *pictures };

// Settings in a reader's words.
static const char *label_of_axis(const char *name) {
  static const char *const labels[][2] = {
      {"clients", "sessions"},
      {"rate", "offered transactions a second"},
      {"ops", "operations of a transaction"},
      {"transactions", "transactions of each session"},
      {"max-tries", "attempts at a transaction"},
  };
  for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
    if (!strcmp(labels[i][0], name))
      return labels[i][1];
  return name;
}

// ---- A measure against an axis

static bool spans_decades(const struct summary *s, uint32_t axis) {
  double low = INFINITY, high = 0;
  for (uint32_t c = 0; c < s->ncells; c++) {
    low = fmin(low, lines_number_of(s->cells[c].values[axis]));
    high = fmax(high, lines_number_of(s->cells[c].values[axis]));
  }
  return low > 0 && high / low >= 8;
}

// A tic at each value, unless there are too many of them: returns 0 then.
static uint32_t tics_of(const struct summary *s, uint32_t axis,
                        struct plot_tic tics[TICS_MAX]) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < s->ncells; c++) {
    const char *value = s->cells[c].values[axis];
    uint32_t i = 0;
    while (i < n && tics[i].x != lines_number_of(value))
      i++;
    if (i < n)
      continue;
    if (n == TICS_MAX)
      return 0;
    tics[n++] =
        (struct plot_tic){lines_number_of(value), lines_number_in(value)};
  }
  return n;
}

// To be freed.
static char *latency_label(const struct summary *s) {
  return xasprintf("latency from the %s start, 99 %% (ms)",
                   summary_latency_from(s));
}

static int draw_by_axis(const struct summary *s, uint32_t axis,
                        const struct picture *picture, const char *caption,
                        const char *directory, bool *drawn,
                        struct error *error) {
  struct plot_tic tics[TICS_MAX];
  const char *axis_name = s->runs->names[axis];
  struct lines lines = lines_by_axis(s, axis, &picture->what);
  const uint32_t ntics = tics_of(s, axis, tics);
  const bool offered = !strcmp(axis_name, "rate") &&
                       picture->what.measures[0] == MEASURE_THROUGHPUT;
  char *name = xasprintf("%s-by-%s", picture->name, axis_name);
  const char *value = s->cells[0].values[axis];
  char *x_label = xasprintf("%s%s%.*s", label_of_axis(axis_name),
                            lines_number_in(value) > value ? ", " : "",
                            (int)(lines_number_in(value) - value), value);
  char *latency = latency_label(s);
  const struct plot plot = {
      .name = name,
      .caption = caption,
      .panels = {{.x_label = x_label,
                  .y_label = picture->label ? picture->label : latency,
                  .series = lines.all,
                  .nseries = lines.n,
                  .tics = ntics ? tics : NULL,
                  .ntics = ntics,
                  .logarithmic = spans_decades(s, axis),
                  .decades = picture->what.nmeasures > 1,
                  .diagonal = offered ? "all that was offered" : NULL}},
      .npanels = 1};
  const int failed = plot_draw(&plot, directory, drawn, error);
  free(latency);
  free(x_label);
  free(name);
  lines_free(&lines);
  return failed;
}

// ---- What levels cost

static bool was_checked(const struct summary *s) {
  bool checked = false;
  for (uint32_t c = 0; c < s->ncells; c++)
    checked |= s->cells[c].nruns &&
               !isnan(s->cells[c].measures[MEASURE_ANOMALIES].mean);
  return checked;
}

static int draw_levels(const struct summary *s, const char *caption,
                       const char *directory, bool *drawn,
                       struct error *error) {
  struct lines latency = lines_by_abort_rate(s, MEASURE_P99);
  struct lines anomalies = lines_by_abort_rate(s, MEASURE_ANOMALIES);
  char *label = latency_label(s);
  const struct plot plot = {
      .name = "frontier",
      .caption = caption,
      .panels = {{.x_label = "aborted attempts (%)",
                  .y_label = label,
                  .series = latency.all,
                  .nseries = latency.n},
                 {.x_label = "aborted attempts (%)",
                  .y_label = "anomalies in 1000 committed transactions",
                  .series = anomalies.all,
                  .nseries = anomalies.n}},
      .npanels = was_checked(s) ? 2 : 1};
  const int failed = plot_draw(&plot, directory, drawn, error);
  free(label);
  lines_free(&latency);
  lines_free(&anomalies);
  return failed;
}

// ---- All of them

static uint32_t most_runs(const struct summary *s) {
  uint32_t most = 0;
  for (uint32_t c = 0; c < s->ncells; c++)
    most = s->cells[c].nruns > most ? s->cells[c].nruns : most;
  return most;
}

// The command, what is the same in all runs, the database if there is one.
static char *caption_of(const struct summary *s, const char *command) {
  char *text;
  size_t bytes;
  bool same = true;
  FILE *out = text_stream(&text, &bytes);
  fprintf(out, "%s\n", command);
  for (uint32_t c = 1; c < s->ncells; c++)
    same &= !strcmp(s->cells[c].server, s->cells[0].server);
  const char *server = s->cells[0].server;
  size_t name = strcspn(server, ",(");
  while (name && server[name - 1] == ' ')
    name--;
  if (same && name)
    fprintf(out, "%.*s; ", (int)name, server);
  for (uint32_t i = 0; i < s->naxes; i++)
    if (!summary_varies(s, i) && strcmp(s->runs->names[i], "target"))
      fprintf(out, "%s = %s; ", s->runs->names[i], s->cells[0].values[i]);
  fprintf(out, "means of %u runs, 95 %% intervals", most_runs(s));
  fclose(out);
  return text;
}

static bool has_levels(const struct summary *s) {
  bool has = false;
  for (uint32_t i = 0; i < s->naxes; i++)
    has |= summary_varies(s, i) && (!strcmp(s->runs->names[i], "isolation") ||
                                    !strcmp(s->runs->names[i], "mix"));
  return has;
}

// How long the load took says something where it is a number of transactions.
static bool says_something(const struct summary *s,
                           const struct picture *picture) {
  const uint32_t axis = table_column(s->runs, "transactions");
  return (picture->if_any < 0 ||
          summary_has(s, (enum measure)picture->if_any)) &&
         (picture->what.measures[0] != MEASURE_GENERATION ||
          (axis < s->naxes && lines_number_of(s->cells[0].values[axis]) > 0));
}

int summary_plot(const struct summary *s, const char *directory,
                 const char *command, bool *drawn, struct error *error) {
  *drawn = true;
  if (!most_runs(s))
    return 0;
  char *caption = caption_of(s, command);
  int failed =
      has_levels(s) ? draw_levels(s, caption, directory, drawn, error) : 0;
  for (uint32_t axis = 0; axis < s->naxes; axis++)
    for (int p = 0; p < NPICTURES && lines_is_numeric(s, axis) && !failed; p++)
      if (says_something(s, &pictures[p]))
        failed = draw_by_axis(s, axis, &pictures[p], caption, directory, drawn,
                              error);
  free(caption);
  return failed;
}
