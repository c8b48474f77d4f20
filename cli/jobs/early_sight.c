// SPDX-License-Identifier: GPL-3.0-or-later
// From what a watch saw to what is told (cli/jobs/early_sight.h).
#include "config.h"

#include "cli/jobs/early_sight.h"

#include "cli/jobs/first_violation.h"

static uint64_t committed_by(const struct history *history, uint64_t time) {
  uint64_t committed = 0;
  for (uint32_t t = 0; t < history->ntxns; t++)
    committed += history->outcome[t] == OUTCOME_OK && history->end[t] <= time;
  return committed;
}

// A clock that counts steps stands still while the check works: there it is
// noticed with what it was noticed in.
static uint64_t time_of_notice(const struct sight *sight,
                               const struct run_figures *run, bool steps) {
  return steps || sight->clock < run->started ? sight->time
                                              : sight->clock - run->started;
}

static int tell_violation(const struct sight *sight,
                          const struct run_figures *run, bool steps,
                          const struct checking *checking,
                          struct sight_figures *figures, struct error *error) {
  const struct history *history = &checking->history;
  struct onset onset;
  const uint64_t noticed = time_of_notice(sight, run, steps);
  figures->noticed = (struct moment){noticed, committed_by(history, noticed)};
  if (checking_result(checking) == VERDICT_PASS)
    return error_set(error,
                     "%s: a part of it showed a violation during the run and "
                     "the whole shows none: a bug of isostress, which should "
                     "be reported",
                     checking->path);
  if (checking_result(checking) != VERDICT_VIOLATION)
    return 0;
  if (onset_find(history, checking->told, &onset, error))
    return -1;
  figures->happened = (struct moment){onset.time, onset.committed};
  return 0;
}

int sight_tell(const struct sight *sight, const struct run_figures *run,
               bool steps, const struct checking *checking,
               struct sight_figures *figures, struct error *error) {
  *figures = (struct sight_figures){.seen = sight->seen,
                                    .held_back = sight->waited / run->nsessions,
                                    .undecided = sight->undecided};
  return sight->seen
             ? tell_violation(sight, run, steps, checking, figures, error)
             : 0;
}
