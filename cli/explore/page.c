// SPDX-License-Identifier: GPL-3.0-or-later
// The history that is told as a report, with a page and pictures
// (cli/explore/exploring.h): why no serial order explains it.
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/memory.h"
#include "cli/jobs/all_results.h"
#include "cli/jobs/checking.h"
#include "cli/jobs/results.h"
#include "cli/jobs/rundir.h"
#include "cli/settings/redact.h"
#include "recorder/files/writer.h"
#include "report/explored.h"
#include "report/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct explored_level explored_level_of(const struct exploration *e,
                                               uint32_t i) {
  const struct survey *s = &e->surveys[i];
  return (struct explored_level){
      .level = level_name(e->levels[i]),
      .histories = s->result.histories,
      .failing = s->failing,
      .outcomes = s->outcomes.count,
      .not_serializable = s->not_serializable,
      .whole = survey_is_whole(e, i),
  };
}

static const char *kind_of_failure(enum failure_kind kind) {
  return kind == FAILURE_ASSERTION    ? "assertion"
         : kind == FAILURE_NOT_SERIAL ? "outcome"
                                      : "fault";
}

static struct explored explored_of(const struct exploration *e,
                                   const struct weakest_failure *failure,
                                   const struct smallest *smallest) {
  const struct live *live = &smallest->live;
  struct explored explored = {
      .program = e->program->path,
      .story = smallest->steps,
      .nlevels = e->nlevels,
      .counts_outcomes = !e->settings->assert_only || e->options.robust,
      .level = level_name(e->levels[failure->level]),
      .failure = failure_text(e->program, failure->failure),
      .kind = kind_of_failure((enum failure_kind)failure->failure.kind),
      .line = failure->line,
      .nrepairs = smallest->nrepairs,
      .database = smallest->performed ? live->database : NULL,
      .level_in_effect = live->level,
      .claimed = live->claimed,
      .performed = live->performed,
      .seen = live->seen,
      .random_load = e->random_load,
  };
  static_assert((int)LEVEL_COUNT <= EXPLORED_LEVELS, "a row for each level");
  for (uint32_t i = 0; i < e->nlevels; i++)
    explored.levels[i] = explored_level_of(e, i);
  return explored;
}

static uint64_t *copied(const uint64_t *times, uint32_t n) {
  return memcpy(xcalloc(n + 1, sizeof *times), times, n * sizeof *times);
}

// The file has the operations in the same order, without their times.
static void take_case_times(struct history *h, const struct history *from) {
  if (!from->op_begin || h->nops != from->nops)
    return;
  h->op_begin = copied(from->op_begin, h->nops);
  h->op_end = copied(from->op_end, h->nops);
}

// Checks the history of the file at ser, and writes what comes of it: the one
// case that the exploration tells.  Others of the history are not counted:
// there an UPDATE has a read of its own, of which the client was told nothing.
static int write_report(const char *directory, const char *path,
                        const struct settings *settings,
                        const struct history *history,
                        const struct explored *explored, struct error *error) {
  struct checking checking;
  struct verdict first;
  int failed = checking_start(&checking, path, settings, error);
  if (!failed) {
    take_case_times(&checking.history, history);
    failed = checking_check(&checking, ISOLATION_SER, settings, error);
  }
  if (!failed) {
    first = *checking.told;
    first.nothers = 0;
    first.found_more = false;
    memset(first.found, 0, sizeof first.found);
    first.found[first.anomaly] = 1;
    const struct report report = {.command = "explore",
                                  .history_path = path,
                                  .history = &checking.history,
                                  .verdict = &first,
                                  .claimed = checking.claimed,
                                  .check_seconds = checking.seconds,
                                  .explored = explored};
    failed = results_write(directory, &report, error);
  }
  checking_end(&checking);
  return failed;
}

// A sentence for each, to be freed.
static void tell_repairs(const struct exploration *e,
                         const struct smallest *smallest,
                         char *repairs[REPAIRS_MAX]) {
  for (uint32_t i = 0; i < smallest->nrepairs; i++) {
    size_t bytes;
    FILE *out = text_stream(&repairs[i], &bytes);
    repair_put(out, e, &smallest->repairs[i]);
    fclose(out);
  }
}

int page_write(const struct exploration *e,
               const struct weakest_failure *failure,
               const struct smallest *smallest, struct error *error) {
  if (!e->settings->explain || !smallest->history.ntxns)
    return 0;
  char *directory = smallest_place(smallest, e->settings->explain);
  char *path = xasprintf("%s/history.jsonl", directory);
  char *repairs[REPAIRS_MAX] = {0}, target[SETTING_MAX + 1] = "";
  struct explored explored = explored_of(e, failure, smallest);
  tell_repairs(e, smallest, repairs);
  explored.repairs = e->settings->repair ? repairs : NULL;
  if (e->settings->target)
    redact_target(e->settings->target, target, sizeof target);
  explored.target = target;
  const int failed = rundir_make_path(directory, error) ||
                     history_write(path, history_format_for(path),
                                   &smallest->history, NULL, error) ||
                     write_report(directory, path, e->settings,
                                  &smallest->history, &explored, error);
  all_results_update(directory);
  for (uint32_t i = 0; i < smallest->nrepairs; i++)
    free(repairs[i]);
  free(path);
  free(directory);
  return failed ? -1 : 0;
}
