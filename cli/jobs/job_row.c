// SPDX-License-Identifier: GPL-3.0-or-later
// One table after several runs (cli/jobs/job_row.h).
#include "config.h"

#include "cli/jobs/job_row.h"

#include "base/histogram.h"
#include "base/memory.h"
#include "report/shortfall.h"
#include "report/words/quantity.h"

#include <stdlib.h>
#include <string.h>

static void note_verdict(struct job_row *row, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  const bool broken = verdict && verdict->kind == VERDICT_VIOLATION;
  const bool allowed =
      broken && report_is_open(report) && !report_breaks_promise(report);
  struct shortfall shortfall;
  if (!broken && shortfall_of(report, &shortfall)) {
    const bool beside = shortfall.kind == SHORTFALL_INVARIANT ||
                        shortfall.kind == SHORTFALL_MODEL ||
                        shortfall.kind == SHORTFALL_LOST;
    snprintf(row->verdict, sizeof row->verdict, "%s%s",
             beside ? "violation: " : "", shortfall.name);
    return;
  }
  snprintf(row->verdict, sizeof row->verdict, "%s%s%s",
           allowed   ? "none kept"
           : verdict ? report_verdict_word(verdict)
                     : "not checked",
           broken ? ": " : "",
           broken ? anomaly_info(verdict->anomaly)->name : "");
}

static void note_figures(struct job_row *row, const struct run_figures *f) {
  struct histogram *all = xcalloc(1, sizeof *all);
  for (uint32_t i = 0; i < f->nshapes; i++)
    histogram_merge(all, &f->shapes[i].latency);
  row->ran = true;
  row->committed = f->committed;
  row->rate = quantity_per_second(f->committed, f->measured);
  row->refused = quantity_percent(run_refused(f), f->begun) / 100;
  row->p99 = all->count ? histogram_percentile(all, 0.99) : 0;
  free(all);
}

void job_fill_row(struct job_row *row, const struct report *report) {
  note_verdict(row, report);
  if (report->figures)
    note_figures(row, report->figures);
  if (report->directory)
    row->directory = xstrdup(report->directory);
}

static void put_job_cells(FILE *out, const struct job_row *row, int name,
                          int verdict) {
  char committed[QUANTITY_GROUPED], rate[QUANTITY_GROUPED];
  fprintf(out, "%-*s  %-*s", name, row->name, verdict, row->verdict);
  if (row->ran) {
    const struct quantity q = quantity_duration((double)row->p99);
    fprintf(out, "  %11s  %9s  %8.2f %%  %6s %-2s",
            quantity_grouped(row->committed, committed),
            quantity_grouped((uint64_t)(row->rate + 0.5), rate),
            100 * row->refused, row->committed ? q.number : "-",
            row->committed ? q.unit : "");
  }
  if (row->directory)
    fprintf(out, "  %s", row->directory);
  fputc('\n', out);
}

void job_put_rows(FILE *out, const struct job_row *rows, uint32_t nrows) {
  int name = (int)strlen("run"), verdict = (int)strlen("verdict");
  if (nrows < 2)
    return;
  for (uint32_t i = 0; i < nrows; i++) {
    const int n = (int)strlen(rows[i].name), v = (int)strlen(rows[i].verdict);
    name = n > name ? n : name;
    verdict = v > verdict ? v : verdict;
  }
  fprintf(out, "%-*s  %-*s  %11s  %9s  %10s  %9s  %s\n", name, "run", verdict,
          "verdict", "committed", "a second", "refused", "p99", "results");
  for (uint32_t i = 0; i < nrows; i++)
    put_job_cells(out, &rows[i], name, verdict);
}
