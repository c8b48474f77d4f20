// SPDX-License-Identifier: GPL-3.0-or-later
// The plan that settings come to: a driver, a level and a workload that exist
// and go together.  Nothing is opened.
#ifndef CLI_JOBS_RUN_PLAN_H
#define CLI_JOBS_RUN_PLAN_H

#include "cli/jobs/daily_files.h"
#include "cli/settings/settings.h"
#include "own/play.h"
#include "runner/runner.h"

enum { RUN_PLAN_LEVELS = 16 }; // of a driver, at most

struct run_plan {
  struct settings settings; // as given, and completed: seed, limits
  struct workload_options workload_options;
  struct daily_files daily;          // of a workload of that kind
  struct script_workload *scripts;   // or NULL
  struct raw_scripts *own;           // scripts that run as they are; or NULL
  struct raw_workload *own_workload; // of these
  struct invariant *invariant;       // or NULL
  const struct driver *loaded;       // from a file; NULL: none
  char *bug;                         // as an option of the target; or NULL
  char *target; // the settings' without a redacted password; or
                // NULL: they hold it as it was given
  const struct driver *driver;
  const struct driver_level *level;
  struct level_mix mix; // empty: all transactions are at that level
  enum isolation claims[LEVEL_MIX_MOST]; // of each level of the mix, or of
                                         // `level`: what it promises
  // The promise of each level of the driver, once it is known.
  enum isolation all_claims[RUN_PLAN_LEVELS];
};

// Loads the driver that the settings name, if they name a file.  -1 with a
// sentence about what is wrong with it.
int run_plan_load(struct run_plan *plan, struct error *error);

// The rest.  -1 with a sentence about a mistake of whoever wrote the settings.
int run_plan_make(struct run_plan *plan, struct error *error);

// The database has been set up: takes over what the levels promise there.
void run_plan_take_claims(struct run_plan *plan,
                          const struct endpoints *endpoints);

// Frees what it holds, which may be nothing.
void run_plan_free(struct run_plan *plan);

// The levels in the database's own words, or as they were mixed.
const char *run_plan_words_of_level(const struct run_plan *plan);

// The strongest level that all transactions promise.
enum isolation run_plan_claim(const struct run_plan *plan);

// The question to check: a level, LEVEL_AUTO or LEVEL_RECORDED; ISOLATION_NONE
// for none.
int run_plan_question(const struct run_plan *plan);

// Says on stderr which level is checked because of the aim, or that the one
// that was asked for allows what the run aims at.
void run_plan_tell_aim(const struct run_plan *plan);

// The question to check during the run: instead of all levels, the one that
// decides.
int run_plan_question_of_watch(const struct run_plan *plan);

#endif
