// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the results of a run or a check (cli/jobs/results.h).  The page and
// the pictures are made from the JSON document, so that they can be made again.
#include "config.h"

#include "cli/jobs/results.h"

#include "cli/jobs/all_results.h"
#include "cli/jobs/csv.h"
#include "cli/jobs/rundir.h"
#include "cli/jobs/suspected.h"
#include "report/page/page.h"
#include "report/text/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_report_json(FILE *file, const void *report) {
  report_json(file, report);
}

static void put_report_page(FILE *file, const void *context) {
  page_put_report(file, context);
}

int results_rewrite(const char *directory, const struct stored *stored,
                    struct error *error) {
  char *link = all_results_link(directory);
  struct stored linked = *stored;
  linked.all_results = link;
  const int failed =
      stored_draw(stored, directory, error) ||
      rundir_write(directory, "report.html", put_report_page, &linked, error);
  free(link);
  return failed ? -1 : 0;
}

// Makes the document of a report, as it is stored.
static int store(struct stored *stored, const struct report *report,
                 struct error *error) {
  char *json;
  size_t bytes;
  FILE *out = text_stream(&json, &bytes);
  report_json(out, report);
  fclose(out);
  const int failed = stored_of_bytes(stored, "the report", json, bytes, error);
  free(json);
  return failed;
}

static int write_pages(const char *directory, const struct report *report,
                       struct error *error) {
  struct stored stored;
  const int failed = store(&stored, report, error) ||
                     results_rewrite(directory, &stored, error);
  stored_free(&stored);
  return failed ? -1 : 0;
}

void results_put_text(FILE *out, const struct report *report) {
  struct stored stored;
  struct error error;
  if (store(&stored, report, &error))
    assert(!"a report that cannot be read");
  report_text(out, report, &stored);
  stored_free(&stored);
}

static void put_report_text(FILE *file, const void *report) {
  results_put_text(file, report);
}

void results_put_brief(FILE *out, const struct report *report, bool colour) {
  struct stored stored;
  struct error error;
  if (store(&stored, report, &error))
    assert(!"a report that cannot be read");
  text_put_brief(out, report, &stored, colour);
  stored_free(&stored);
}

int results_write(const char *directory, const struct report *report,
                  struct error *error) {
  if (rundir_write(directory, "report.txt", put_report_text, report, error) ||
      rundir_write(directory, "report.json", put_report_json, report, error) ||
      suspected_write(directory, report, error) ||
      (report->figures && csv_write(directory, report->figures, error)))
    return -1;
  return write_pages(directory, report, error);
}

static void put_replay_file(FILE *file, const void *replayed) {
  replayed_put_json(file, replayed);
}

static int add_replay(const char *directory, const struct replayed *replayed,
                      struct error *error) {
  struct stored stored;
  if (rundir_write(directory, REPLAYED_FILE, put_replay_file, replayed, error))
    return -1;
  const int failed = stored_of_directory(&stored, directory, error) ||
                     results_rewrite(directory, &stored, error);
  stored_free(&stored);
  return failed ? -1 : 0;
}

int results_add_replay(const char *history, const struct replayed *replayed,
                       struct error *error) {
  const char *slash = strrchr(history, '/');
  char *directory =
      slash ? xasprintf("%.*s", (int)(slash - history), history) : NULL;
  char *report = directory ? xasprintf("%s/report.json", directory) : NULL;
  int failed = 0;
  if (report && rundir_is_history(slash + 1) && !access(report, F_OK))
    failed = add_replay(directory, replayed, error);
  free(report);
  free(directory);
  return failed;
}
