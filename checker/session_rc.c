// SPDX-License-Identifier: GPL-3.0-or-later
// Between two levels that the engine decides (checker/session_rc.h).
//
// Visible to a read are, by dbcop's reading of read committed, the writers that
// earlier reads of its transaction saw; by that of the mixed-isolation paper
// these and what comes before in the session; and by read atomic the writers
// that any read of the transaction saw, and what comes before in the session.
// Each set has the one before it.  The more writers are visible, the more the
// axiom demands of the commit order.  So a violation of the first is one of the
// second, and an order that keeps the third keeps the second.
//
// Some histories are between.  One session writes x; then a transaction of it
// reads that y is initial and after that x as another transaction left it,
// which wrote y as well: RC is kept by either reading, read atomic is not.
#include "config.h"

#include "checker/session_rc.h"

#include "base/memory.h"
#include "checker/verdict/effective_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool session_rc_is_asked(const struct history *h,
                         const struct check_options *options) {
  bool asks =
      !options->question.recorded && options->question.level == ISOLATION_RC;
  for (uint32_t t = 0; t < h->ntxns && options->question.recorded; t++)
    asks |= h->level[t] == ISOLATION_RC;
  return options->question.rc_sees_session && asks;
}

static void leave(const struct history *h, const struct check_options *options,
                  const char *why, struct verdict *verdict) {
  const struct check_options settled = settled_options(h, options);
  *verdict = verdict_open(&settled.question);
  free(settled_count(h, &verdict->counts));
  snprintf(verdict->why, sizeof verdict->why, "%s", why);
}

static uint8_t *raised_levels(const struct history *h) {
  uint8_t *levels = memcpy(xmalloc(h->ntxns), h->level, h->ntxns);
  for (uint32_t t = 0; t < h->ntxns; t++)
    levels[t] = levels[t] == ISOLATION_RC ? ISOLATION_RA : levels[t];
  return levels;
}

// With read atomic in the place of read committed.
static int check_above(const struct history *h,
                       const struct check_options *options,
                       struct verdict *verdict, struct error *error) {
  const struct check_options settled = settled_options(h, options);
  struct check_options asked = *options;
  struct history raised = *h;
  raised.level = raised_levels(h);
  if (!options->question.recorded)
    asked.question.level = ISOLATION_RA;
  const int result = check(&raised, &asked, verdict, error);
  free(raised.level);
  if (result)
    return -1;
  const bool broken = verdict->kind == VERDICT_VIOLATION;
  // RC beside RA are one level now, and the proof is none of a mix of levels.
  if (broken || verdict->question.recorded != settled.question.recorded) {
    verdict_free(verdict);
    leave(h, options,
          broken ? "dbcop's reading of read committed is kept, and read atomic "
                   "in its place is not: between the two --rc=mixed is decided "
                   "only with SQL statements"
                 : "dbcop's reading of read committed is kept beside read "
                   "atomic; --level=ra tells whether all transactions keep the "
                   "stronger of these levels",
          verdict);
  }
  verdict->question.level = settled.question.level;
  return 0;
}

int session_rc_check(const struct history *h,
                     const struct check_options *options,
                     struct verdict *verdict, struct error *error) {
  struct check_options asked = *options;
  asked.question.rc_sees_session = false;
  if (check(h, &asked, verdict, error))
    return -1;
  int result = 0;
  // Without an order of sessions the two readings are one.
  if (verdict->kind == VERDICT_PASS &&
      (options->question.session_order || options->question.real_time)) {
    verdict_free(verdict);
    result = check_above(h, &asked, verdict, error);
  }
  verdict->question.rc_sees_session = true;
  return result;
}
