// SPDX-License-Identifier: GPL-3.0-or-later
// Reads requirements and compares them with the figures of a run
// (cli/jobs/requirement.h).
#include "config.h"

#include "cli/jobs/requirement.h"

#include "base/histogram.h"
#include "base/memory.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum unit { UNIT_TIME, UNIT_SHARE, UNIT_COUNT, UNIT_RATE };

struct measure {
  const char *name;
  enum unit unit;
  double percentile;                               // of latency; 0: `of`
  double (*of)(const struct run_figures *figures); // or NULL
};

// ---- Measures

static double share_of_whole(uint64_t part, uint64_t whole) {
  return whole ? (double)part / (double)whole : 0;
}

static double aborts(const struct run_figures *f) {
  return share_of_whole(f->aborted, f->begun);
}

static double refused(const struct run_figures *f) {
  return share_of_whole(run_refused(f), f->begun);
}

static double unknown(const struct run_figures *f) {
  return share_of_whole(f->unknown, f->begun);
}

static double given_up(const struct run_figures *f) {
  return share_of_whole(f->given_up, f->transactions);
}

static double committed(const struct run_figures *f) {
  return (double)f->committed;
}

static double throughput_of_run(const struct run_figures *f) {
  return f->measured ? (double)f->committed * 1e9 / (double)f->measured : 0;
}

// The latency of committed transactions of all shapes.
static struct histogram *latency(const struct run_figures *f) {
  struct histogram *all = xcalloc(1, sizeof *all);
  for (uint32_t i = 0; i < f->nshapes; i++)
    histogram_merge(all, &f->shapes[i].latency);
  return all;
}

static double mean(const struct run_figures *f) {
  struct histogram *all = latency(f);
  const double ns = histogram_mean(all);
  free(all);
  return ns;
}

static const struct measure measures[] = {
    {"p50", UNIT_TIME, 0.5, NULL},
    {"p90", UNIT_TIME, 0.9, NULL},
    {"p95", UNIT_TIME, 0.95, NULL},
    {"p99", UNIT_TIME, 0.99, NULL},
    {"p999", UNIT_TIME, 0.999, NULL},
    {"max", UNIT_TIME, 1, NULL},
    {"mean", UNIT_TIME, 0, mean},
    {"aborts", UNIT_SHARE, 0, aborts},
    {"refused", UNIT_SHARE, 0, refused},
    {"unknown", UNIT_SHARE, 0, unknown},
    {"given-up", UNIT_SHARE, 0, given_up},
    {"committed", UNIT_COUNT, 0, committed},
    {"throughput", UNIT_RATE, 0, throughput_of_run},
};
enum { MEASURES = sizeof measures / sizeof *measures };

static double measure_of(const struct measure *m,
                         const struct run_figures *figures) {
  if (m->of)
    return m->of(figures);
  struct histogram *all = latency(figures);
  const double ns = (double)histogram_percentile(all, m->percentile);
  free(all);
  return ns;
}

// Latency of which there is none is not small.
static bool is_measure_known(const struct measure *m,
                             const struct run_figures *figures) {
  return m->unit != UNIT_TIME || figures->committed;
}

// ---- Reading

static int refuse_requirement(const char *text, const char *why,
                              struct error *error) {
  return error_set(
      error,
      "\"%.60s\": %s; write such as p99<10ms, refused<5%%, "
      "committed>10000, with p50 p90 p95 p99 p999 max mean, refused aborts "
      "unknown given-up, committed throughput",
      text, why);
}

static bool read_required_share(const char *text, double *share) {
  char *end;
  *share = strtod(text, &end);
  const bool percent = *end == '%';
  *share /= percent ? 100 : 1;
  return end > text && !end[percent] && *share >= 0 && *share <= 1;
}

static bool read_limit(enum unit unit, const char *text, double *limit) {
  return unit == UNIT_TIME    ? units_read_time(text, limit)
         : unit == UNIT_SHARE ? read_required_share(text, limit)
                              : units_read_number(text, limit);
}

static int read_one(const char *text, struct requirement *r,
                    struct error *error) {
  const size_t n = strcspn(text, "<>");
  snprintf(r->text, sizeof r->text, "%s", text);
  r->measure = NULL;
  for (size_t i = 0; i < MEASURES; i++)
    if (strlen(measures[i].name) == n && !strncmp(measures[i].name, text, n))
      r->measure = &measures[i];
  if (!r->measure)
    return refuse_requirement(text, "there is no such measure", error);
  if (!text[n])
    return refuse_requirement(text, "< or > must follow the measure", error);
  r->above = text[n] == '>';
  r->or_equal = text[n + 1] == '=';
  return read_limit(r->measure->unit, text + n + 1 + r->or_equal, &r->limit)
             ? 0
             : refuse_requirement(text, "this limit cannot be read", error);
}

int requirements_read(const char *text, struct requirements *requirements,
                      struct error *error) {
  requirements->n = 0;
  while (text && *text) {
    char one[REQUIREMENT_TEXT];
    const size_t n = strcspn(text, ",");
    if (n >= sizeof one || requirements->n == REQUIREMENTS_MAX)
      return refuse_requirement(text, "this is too long", error);
    memcpy(one, text, n);
    one[n] = '\0';
    if (read_one(one, &requirements->all[requirements->n++], error))
      return -1;
    text += n + (text[n] == ',');
    text += strspn(text, " ");
  }
  return 0;
}

// ---- Comparing

static void write_measured_value(enum unit unit, double value,
                                 char is[REQUIREMENT_TEXT]) {
  switch (unit) {
  case UNIT_TIME:
    snprintf(is, REQUIREMENT_TEXT, "%.3f ms", value / 1e6);
    break;
  case UNIT_SHARE:
    snprintf(is, REQUIREMENT_TEXT, "%.3g %%", value * 100);
    break;
  case UNIT_COUNT:
    snprintf(is, REQUIREMENT_TEXT, "%.0f", value);
    break;
  case UNIT_RATE:
    snprintf(is, REQUIREMENT_TEXT, "%.1f per second", value);
    break;
  }
}

bool requirement_is_met(const struct requirement *r,
                        const struct run_figures *figures,
                        char is[REQUIREMENT_TEXT]) {
  if (!is_measure_known(r->measure, figures)) {
    snprintf(is, REQUIREMENT_TEXT, "unknown: nothing committed");
    return false;
  }
  const double value = measure_of(r->measure, figures);
  write_measured_value(r->measure->unit, value, is);
  if (r->or_equal && value == r->limit)
    return true;
  return r->above ? value > r->limit : value < r->limit;
}
