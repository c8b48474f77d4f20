// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the figures of a run as tables (cli/jobs/csv.h).
#include "config.h"

#include "cli/jobs/csv.h"

#include "base/histogram.h"
#include "cli/jobs/rundir.h"

#include <inttypes.h>

static void put_series_csv(FILE *file, const void *context) {
  const struct run_figures *figures = context;
  const struct series *series = &figures->series;
  fputs("start_s,committed,aborted,unknown,p50_ns,p95_ns,p99_ns,max_ns\n",
        file);
  for (uint32_t i = 0; i < series->count; i++) {
    const struct series_interval *v = &series->intervals[i];
    fprintf(file,
            "%.1f,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu64 ",%" PRIu64 "\n",
            (double)i * (double)series->interval / 1e9, v->committed,
            v->aborted, v->unknown, series_percentile(v, 0.5),
            series_percentile(v, 0.95), series_percentile(v, 0.99), v->longest);
  }
}

static void put_histogram_rows(FILE *file, const char *name,
                               const struct histogram *h) {
  uint64_t count = 0;
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
    if (!h->bucket[i])
      continue;
    count += h->bucket[i];
    const uint64_t end = histogram_bucket_end(i);
    fprintf(file, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", name,
            end < h->max ? end : h->max, h->bucket[i], count);
  }
}

static void put_latency_csv(FILE *file, const void *context) {
  const struct run_figures *figures = context;
  fputs("shape,up_to_ns,count,cumulative\n", file);
  for (uint32_t i = 0; i < figures->nshapes; i++)
    put_histogram_rows(file, figures->shapes[i].name,
                       &figures->shapes[i].latency);
}

int csv_write(const char *directory, const struct run_figures *figures,
              struct error *error) {
  return rundir_write(directory, "series.csv", put_series_csv, figures,
                      error) ||
                 rundir_write(directory, "latency.csv", put_latency_csv,
                              figures, error)
             ? -1
             : 0;
}
