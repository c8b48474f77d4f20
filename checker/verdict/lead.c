// SPDX-License-Identifier: GPL-3.0-or-later
// Which of several violations comes first (checker/verdict/lead.h).  A reader
// mostly reads the first one: the most frequent one may be harmless.
#include "config.h"

#include "checker/verdict/lead.h"

#include <assert.h>

enum harm {
  DAMAGES,
  LOSES,
  BREAKS_RULES,
  SHOWS_WHAT_NEVER_WAS,
  SHOWS_TWO_STATES,
  HARMS
};
static_assert((int)HARMS == (int)ANOMALY_HARMS, "lead.h says how many");

static const uint8_t harm[ANOMALY_COUNT] = {
    [ANOMALY_THIN_AIR_READ] = DAMAGES,
    [ANOMALY_ABORTED_READ] = DAMAGES,
    [ANOMALY_FUTURE_READ] = DAMAGES,
    [ANOMALY_NOT_MY_LAST_WRITE] = DAMAGES,
    [ANOMALY_NOT_MY_OWN_WRITE] = DAMAGES,
    [ANOMALY_INTERMEDIATE_READ] = DAMAGES,
    [ANOMALY_INCOMPATIBLE_ORDER] = DAMAGES,
    [ANOMALY_DUPLICATE_ELEMENT] = DAMAGES,
    [ANOMALY_LOST_ELEMENT] = DAMAGES,
    [ANOMALY_LOST_WRITE] = DAMAGES,
    [ANOMALY_CYCLE_G0] = DAMAGES,
    [ANOMALY_CYCLE_G1C] = DAMAGES,
    [ANOMALY_EXTRA_ROW] = DAMAGES,
    [ANOMALY_MISSING_ROW] = DAMAGES,
    [ANOMALY_LOST_UPDATE] = LOSES,
    [ANOMALY_WRITE_SKEW] = BREAKS_RULES,
    [ANOMALY_PHANTOM_WRITE_SKEW] = BREAKS_RULES,
    [ANOMALY_CYCLE_G2_ITEM] = BREAKS_RULES,
    [ANOMALY_SESSION_GUARANTEE_VIOLATION] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_NON_MONOTONIC_READ] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_FRACTURED_READ] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_FRACTURED_STATEMENT] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_CAUSALITY_VIOLATION] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_LONG_FORK] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_PHANTOM_LONG_FORK] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_CYCLE_G_SINGLE] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_CYCLE_G_NONADJACENT] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_PHANTOM] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_STALE_READ] = SHOWS_WHAT_NEVER_WAS,
    [ANOMALY_NON_REPEATABLE_READS] = SHOWS_TWO_STATES,
    [ANOMALY_PHANTOM_READ] = SHOWS_TWO_STATES,
};

unsigned anomaly_harm(enum anomaly anomaly) {
  assert(anomaly > ANOMALY_NONE && anomaly < ANOMALY_COUNT);
  return harm[anomaly];
}

// Among broken promises that lose nothing the first one found stays: it
// breaks the weakest level, and says most of the database.
static bool leads(const struct verdict *one, const struct verdict *other,
                  enum isolation promised) {
  const bool breaks = one->broken <= promised;
  if (breaks != (other->broken <= promised))
    return breaks;
  const unsigned rank = anomaly_harm(one->anomaly);
  return rank < anomaly_harm(other->anomaly) &&
         (!breaks || rank < BREAKS_RULES);
}

// The counts of the whole history stay where they were.
static void tell_first(struct verdict *v, struct verdict *other) {
  struct verdict first = *other, was = *v;
  assert(!other->others && other->kind == VERDICT_VIOLATION);
  for (int a = 0; a < ANOMALY_COUNT; a++) {
    first.found[a] = was.found[a];
    was.found[a] = 0;
  }
  first.found_more = was.found_more;
  first.counted = was.counted;
  first.ncounted = was.ncounted;
  first.nothers = was.nothers;
  first.others = was.others;
  was.found_more = false;
  was.ncounted = 0;
  was.counted = NULL;
  was.nothers = 0;
  was.others = NULL;
  *other = was; // one of first.others
  *v = first;
}

void violation_lead(struct verdict *v, enum isolation promised) {
  struct verdict *first = v;
  if (v->nassumed_reads) // the others may take these reads otherwise
    return;
  for (uint32_t i = 0; v->kind == VERDICT_VIOLATION && i < v->nothers; i++)
    if (leads(&v->others[i], first, promised))
      first = &v->others[i];
  if (first != v)
    tell_first(v, first);
}
