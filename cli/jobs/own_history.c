// SPDX-License-Identifier: GPL-3.0-or-later
// Notes what the sessions of the user's own SQL see, and makes the history of
// it when the run is over (cli/jobs/job_parts.h).
#include "config.h"

#include "cli/jobs/job_parts.h"

#include "base/memory.h"
#include "cli/jobs/rundir.h"
#include "own/journal.h"
#include "recorder/files/writer.h"

#include <stdlib.h>
#include <unistd.h>

void job_note_own(struct job *job) {
  struct error error;
  job->seen = xasprintf("%s/" RUN_SEEN, job->directory);
  if (raw_journal_open(job->seen, job->plan.driver->name, job->about, &job->own,
                       &error))
    raw_run_fail(&job->own, &error);
}

static int gather_what_was_seen(struct job *job, struct error *error) {
  if (raw_journal_close(&job->own, error))
    return -1;
  if (job->own.bypassed.text[0]) {
    *error = job->own.bypassed;
    return -1;
  }
  return job->seen ? raw_journal_read_back(job->seen, &job->own, error) : 0;
}

// Where the database did not answer, it may later: what was seen stays then.
static void leave_what_was_seen(struct job *job, bool made,
                                struct error *error) {
  const struct error why = *error;
  if (!job->seen)
    return;
  if (made || job->own.bypassed.text[0])
    unlink(job->seen);
  else
    error_set(error,
              "%.2000s; what the run saw is kept: `isostress check %.500s` "
              "judges it by rows",
              why.text, job->directory);
}

static void take_faults(struct history *history, const struct event_log *log) {
  history->nevents = log->nevents;
  history->events = xrealloc(NULL, log->nevents, sizeof *history->events);
  for (uint32_t i = 0; i < log->nevents; i++)
    history->events[i] = log->events[i];
}

void job_keep_own_history(struct job *job, struct error *error) {
  struct history history = {0};
  int failed = gather_what_was_seen(job, error);
  if (!failed)
    failed = raw_history_make(&job->own, job->endpoints.targets[0], &history,
                              &job->told_own, error);
  if (!failed && job->history) {
    history.about = xstrdup(job->about);
    if (job->faulting.log.nevents)
      take_faults(&history, &job->faulting.log);
    failed =
        history_write(job->history, history_format_named("isostress", error),
                      &history, NULL, error);
  }
  leave_what_was_seen(job, !failed, error);
  if (failed) { // there is nothing to check
    free(job->history);
    job->history = NULL;
  }
  history_free(&history);
  raw_run_free(&job->own);
}
