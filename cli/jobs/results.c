// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the results of a run or a check (cli/jobs/results.h).  The page and
// the pictures are made from the JSON document, so that they can be made again.
#include "config.h"

#include "cli/jobs/results.h"

#include "cli/jobs/csv.h"
#include "cli/jobs/rundir.h"
#include "cli/jobs/suspected.h"
#include "report/page.h"

#include <stdlib.h>

struct page {
  const struct stored *stored;
  const char *directory;
};

static void put_text(FILE *file, const void *report) {
  report_text(file, report);
}

static void put_json(FILE *file, const void *report) {
  report_json(file, report);
}

static void put_page(FILE *file, const void *context) {
  const struct page *page = context;
  page_put_report(file, page->stored, page->directory);
}

int results_rewrite(const char *directory, const struct stored *stored,
                    const volatile bool *stop, struct error *error) {
  static const char *const why[] = {
      [UNDRAWN_NO_GRAPHVIZ] = "there is no Graphviz (dot)",
      [UNDRAWN_STOPPED] = "there was no time left",
  };
  const struct page page = {stored, directory};
  enum undrawn undrawn;
  if (stored_draw(stored, directory, stop, &undrawn, error))
    return -1;
  if (undrawn != UNDRAWN_NONE)
    fprintf(stderr,
            "isostress: %s to draw counterexamples%s: their graphs are left as "
            ".dot files\n",
            why[undrawn], undrawn == UNDRAWN_NO_GRAPHVIZ ? " with" : "");
  return rundir_write(directory, "report.html", put_page, &page, error);
}

static int write_pages(const char *directory, const struct report *report,
                       struct error *error) {
  struct stored stored;
  char *json;
  size_t bytes;
  FILE *out = text_stream(&json, &bytes);
  report_json(out, report);
  fclose(out);
  const int failed =
      stored_of_bytes(&stored, "the report", json, bytes, error) ||
      results_rewrite(directory, &stored, report->stop, error);
  stored_free(&stored);
  free(json);
  return failed ? -1 : 0;
}

int results_write(const char *directory, const struct report *report,
                  struct error *error) {
  if (rundir_write(directory, "report.txt", put_text, report, error) ||
      rundir_write(directory, "report.json", put_json, report, error) ||
      suspected_write(directory, report, error) ||
      (report->figures && csv_write(directory, report->figures, error)))
    return -1;
  return write_pages(directory, report, error);
}
