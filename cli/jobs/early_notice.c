// SPDX-License-Identifier: GPL-3.0-or-later
// From what a watch saw to what is told (cli/jobs/early_notice.h).
#include "config.h"

#include "cli/jobs/early_notice.h"

#include "cli/jobs/first_violation.h"

static uint64_t committed_by(const struct history *history, uint64_t time) {
  uint64_t committed = 0;
  for (uint32_t t = 0; t < history->ntxns; t++)
    committed += history->outcome[t] == OUTCOME_OK && history->end[t] <= time;
  return committed;
}

// A clock that counts steps stands still while the check works: there it is
// noticed with what it was noticed in.
static uint64_t time_of_notice(const struct notice *notice,
                               const struct run_figures *run, bool steps) {
  return steps || notice->clock < run->started ? notice->time
                                               : notice->clock - run->started;
}

static int tell_violation(const struct notice *notice,
                          const struct run_figures *run, bool steps,
                          const struct checking *checking,
                          struct notice_figures *figures, struct error *error) {
  const struct history *history = &checking->history;
  struct first_violation first;
  const uint64_t noticed = time_of_notice(notice, run, steps);
  figures->noticed = (struct moment){noticed, committed_by(history, noticed)};
  // A DELETE that came later may explain, where real time does not count, what
  // a statement did not return.
  if (checking_result(checking) == VERDICT_PASS && !history->rows)
    return error_set(error,
                     "%s: a part of it showed a violation during the run and "
                     "the whole shows none: a bug of isostress, which should "
                     "be reported",
                     checking->path);
  if (checking_result(checking) != VERDICT_VIOLATION)
    return 0;
  if (first_violation_find(history, checking->told, &first, error))
    return -1;
  figures->happened = (struct moment){first.time, first.committed};
  return 0;
}

int notice_tell(const struct notice *notice, const struct run_figures *run,
                bool steps, const struct checking *checking,
                struct notice_figures *figures, struct error *error) {
  *figures =
      (struct notice_figures){.seen = notice->seen,
                              .held_back = notice->waited / run->nsessions,
                              .undecided = notice->undecided};
  return notice->seen
             ? tell_violation(notice, run, steps, checking, figures, error)
             : 0;
}
