// SPDX-License-Identifier: GPL-3.0-or-later
// A run while it goes on, for the code that carries it out (cli/jobs/job.c) and
// for the code that tells what it found (cli/jobs/job_tell.c).
#ifndef CLI_JOBS_JOB_PARTS_H
#define CLI_JOBS_JOB_PARTS_H

#include "cli/jobs/checking.h"
#include "cli/jobs/early_notice.h"
#include "cli/jobs/faulting.h"
#include "cli/jobs/job_row.h"
#include "cli/jobs/requirement.h"
#include "cli/jobs/run_plan.h"
#include "cli/jobs/watch.h"
#include "cli/process/progress.h"
#include "models/tests.h"
#include "own/history.h"
#include "report/report.h"
#include "runner/fleet.h"

struct job {
  void (*listen)(void *context, const struct report *report); // NULL: stdout
  void *context;                                              // its own
  const char *name;
  bool whole_only;     // an interrupted run is not checked
  struct job_row *row; // to fill, or NULL
  char **suite;        // of JUnit, to fill; NULL: it goes into a file
  struct run_plan plan;
  struct faulting faulting;
  struct requirements requirements;
  struct endpoints endpoints;
  char *about;                    // the settings and the hosts, for the history
  char redacted[SETTING_MAX + 1]; // the target, to be shown
  char *record;                   // the settings as a job file
  size_t record_bytes;
  char *directory, *history; // paths; history NULL: not recorded
  struct fleet fleet;        // of several ranks; its ranks NULL: this one alone
  char host[64];             // the name of this machine
  char *part;                // path of what this rank records; NULL: history
  bool sends_part;           // rank 0 does not see that file
  char *seen;                // path of what becomes the history; or NULL
  int held;                  // of the directory (rundir_hold), or -1
  struct watch *watch;       // NULL: the run is not checked while it goes on
  struct notice notice;
  struct notice_figures noticed;
  bool told;                 // noticed is filled in
  struct ticker *setting_up; // says that it goes on; NULL: it is over
  struct run_figures figures;
  struct raw_run own;       // of scripts that run as they are; else zero
  struct raw_told told_own; // likewise, once the run is over
  bool ran;                 // figures are there
  bool checked;             // checking holds a verdict
  struct checking checking;
  struct test_answer model; // its model NULL: nothing was held against one
  struct durable durable;   // of a history that was read
  bool looked;              // it was: `durable` is filled in
  struct error trouble;     // empty: none
};

// Keeps the first trouble, which is the cause of the others.
enum status job_note_trouble(struct job *job, struct error *error);

// The settings with which the run can be done again: without the target that
// its throw-away server was, which will be another one then.
struct settings job_settings_again(const struct job *job);

// The tables of a run of the user's own SQL are made: notes in the directory
// what its sessions see from now on; and makes the history of it, once the run
// is over and no connection is open.  A sentence in `error` says why there is
// no history.
void job_note_own(struct job *job);
void job_keep_own_history(struct job *job, struct error *error);

// Writes the report of the run to its directory, to stdout or to who listens,
// and returns the status that follows from what was found.
enum status job_tell(struct job *job);
// A run could not be prepared: tells its trouble to who listens and to JUnit.
enum status job_tell_unprepared(struct job *job);

#endif
