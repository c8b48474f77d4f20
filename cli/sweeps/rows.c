// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the table of a sweep's runs (cli/sweeps/rows.h).
#include "config.h"

#include "cli/sweeps/rows.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/settings/redact.h"
#include "cli/settings/settings.h"
#include "report/shortfall.h"
#include "report/words/title.h"
#include "sweep/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const cause_columns[CAUSE_COUNT] = {
    [CAUSE_SERIALIZATION] = "aborts_serialization",
    [CAUSE_WRITE_CONFLICT] = "aborts_write_conflict",
    [CAUSE_DEADLOCK] = "aborts_deadlock",
    [CAUSE_LOCK_TIMEOUT] = "aborts_lock_timeout",
    [CAUSE_STATEMENT_TIMEOUT] = "aborts_statement_timeout",
    [CAUSE_CONNECTION] = "aborts_connection",
    [CAUSE_CONSTRAINT] = "aborts_constraint",
    [CAUSE_CLIENT] = "aborts_client",
    [CAUSE_OTHER] = "aborts_other",
};

void sweep_put_header(FILE *out, const struct axes *axes) {
  for (uint32_t i = 0; i < axes->naxes; i++)
    table_put(out, axes->axes[i].name, i == 0);
  fputs(",repetition,started,seconds,setup_seconds,warmup_seconds,took_seconds,"
        "attempts,"
        "committed,aborted,unknown,"
        "asked_for,given_up",
        out);
  for (int m = 0; m < MEASURES; m++)
    table_put(out, measure_names[m], 0);
  for (int cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++)
    table_put(out, cause_columns[cause], 0);
  fputs(",codes,verdict,anomaly,level,unmet,server,trouble,run\n", out);
}

static void put_cell_settings(FILE *out, const struct axes *axes, uint32_t cell,
                              uint32_t repetition) {
  char text[SETTING_MAX + 1];
  for (uint32_t i = 0; i < axes->naxes; i++) {
    const char *value = axes_value(axes, cell, i);
    redact_target(value, text, sizeof text);
    table_put(out, strcmp(axes->axes[i].name, "target") ? value : text, i == 0);
  }
  fprintf(out, ",%" PRIu32, repetition);
}

static double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

static void put_abort_codes(FILE *out, const struct run_figures *figures) {
  char text[512] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < figures->ncodes && used < sizeof text - 64; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%" PRIu64,
                             i ? ";" : "", figures->codes[i].code,
                             figures->codes[i].count);
  table_put(out, text, 0);
}

static void put_latency_columns(FILE *out, const struct run_figures *figures) {
  static const double shares[] = {0.5, 0.95, 0.99, 0.999};
  struct histogram all = {0};
  for (uint32_t i = 0; i < figures->nshapes; i++)
    histogram_merge(&all, &figures->shapes[i].latency);
  for (int i = 0; i < 4; i++)
    fprintf(out, ",%.6g",
            all.count ? (double)histogram_percentile(&all, shares[i]) / 1e6
                      : 0);
}

static uint64_t found(const struct verdict *verdict) {
  uint64_t count = 0;
  for (int i = 0; i < ANOMALY_COUNT; i++)
    count += verdict->found[i];
  return count;
}

// Writes the columns of a checked run; empty for others.
static void put_checked(FILE *out, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  if (!verdict) {
    fputs(",,,", out);
    return;
  }
  const bool broken = verdict->kind == VERDICT_VIOLATION;
  const double hours =
      ((double)report->figures->load_time / 1e9 + report->check_seconds) / 3600;
  fprintf(out, ",%.6g,%.6g,%.6g",
          1000 * ratio((double)found(verdict), verdict->counts.committed),
          ratio(broken, hours), report->check_seconds);
}

// In real time, as is the load.
static double warmup_of(const struct run_figures *figures) {
  return (double)figures->load_time *
         ratio((double)(figures->elapsed - figures->measured),
               (double)figures->elapsed);
}

static void put_run_columns(FILE *out, const struct sweep_row *row) {
  const struct run_figures *f = row->report->figures;
  fprintf(out,
          ",%" PRIu64 ",%.6f,%.6f,%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64
          ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
          f->started_wall / NS_PER_SECOND, (double)f->measured / 1e9,
          (double)f->setup_time / 1e9, warmup_of(f) / 1e9,
          (double)row->took / 1e9, f->begun, f->committed, f->aborted,
          f->unknown, f->transactions, f->given_up);
  fprintf(out, ",%.6g,%.6g,%.6g,%.12g,%.6g",
          ratio((double)f->aborted, (double)f->begun),
          ratio((double)f->given_up, (double)f->transactions),
          ratio((double)f->wasted_time, (double)f->attempt_time),
          ratio((double)f->committed, (double)f->measured / 1e9),
          ratio((double)f->retries, (double)f->committed));
  put_latency_columns(out, f);
  fprintf(out, ",%.6g", (double)f->load_time / 1e9);
  put_checked(out, row->report);
  for (int cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++)
    fprintf(out, ",%" PRIu64, f->by_cause[cause]);
  put_abort_codes(out, f);
}

static void put_nothing(FILE *out) {
  for (int i = 0; i < 11 + MEASURES + CAUSE_COUNT - 1 + 1; i++)
    putc(',', out);
}

// The reason why a run does not count, or "".  A run without any attempt had
// trouble; otherwise means would leave out runs that the database kept waiting.
static const char *trouble_of(const struct report *report) {
  const struct run_figures *figures = report->figures;
  char sentence[SHORTFALL_TEXT];
  if (!report->trouble &&
      shortfall_interrupted(report, sentence, sizeof sentence))
    return "interrupted";
  if (!report->trouble && figures && !figures->begun)
    return "no attempt began and ended after the warm-up: a longer run is "
           "needed";
  return report->trouble ? report->trouble : "";
}

// Its directory in the directory `runs` of the sweep; "" if it has none.
static const char *run_directory_name(const struct report *report) {
  const char *path = report->directory ? report->directory : "";
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// A level that was kept among too many errors is not known to be kept.
static const char *verdict_of_row(const struct report *report) {
  struct shortfall shortfall;
  return report->verdict->kind == VERDICT_PASS &&
                 shortfall_of(report, &shortfall)
             ? "undecided"
             : report_verdict_word(report->verdict);
}

// The level that was asked about, in words.
static const char *level_in_words(const struct report *report,
                                  char title[TITLE_ROOM]) {
  if (report->verdict)
    return title_of(report->verdict, title);
  return report->asked ? report->asked : "";
}

static void put_unmet_column(FILE *out, const struct report *report) {
  char *text;
  size_t bytes;
  FILE *unmet = text_stream(&text, &bytes);
  const char *separator = "";
  for (uint32_t i = 0; i < report->nrequirements; i++) {
    const struct report_requirement *r = &report->requirements[i];
    if (r->met)
      continue;
    fprintf(unmet, "%s%s was required, and it is %s", separator, r->text,
            r->is);
    separator = "; ";
  }
  fclose(unmet);
  table_put(out, text, 0);
  free(text);
}

int sweep_put_row(FILE *out, const struct sweep_row *row) {
  const struct report *report = row->report;
  const struct verdict *verdict = report->verdict;
  const bool broken = verdict && verdict->kind == VERDICT_VIOLATION;
  char title[TITLE_ROOM];
  put_cell_settings(out, row->axes, row->cell, row->repetition);
  if (report->figures)
    put_run_columns(out, row);
  else
    put_nothing(out);
  table_put(out, verdict ? verdict_of_row(report) : "", 0);
  table_put(out, broken ? anomaly_info(verdict->anomaly)->name : "", 0);
  table_put(out, level_in_words(report, title), 0);
  put_unmet_column(out, report);
  table_put(out, report->figures ? report->figures->server : "", 0);
  table_put(out, trouble_of(report), 0);
  table_put(out, run_directory_name(report), 0);
  putc('\n', out);
  return fflush(out) || ferror(out) || fsync(fileno(out)) ? -1 : 0;
}
