// SPDX-License-Identifier: GPL-3.0-or-later
// The changes that triggers told of, put right: what functions took back is
// left out, and the rest is held against the tables that the run left.
#ifndef OWN_CHANGES_H
#define OWN_CHANGES_H

#include "own/run.h"
#include "own/versions.h"

// The version that tells the table of a change.
static inline const struct seen_version *
version_of_change(const struct version_change *change) {
  return change->kind == 'I' ? &change->after : &change->before;
}

// Notes all versions of the run.  -1 with a sentence: the database did not say
// what its tables hold, or they hold something else than the changes say, so
// some are missing; of that the run fails (raw_run_fail).  Of a run that was
// killed the target is not asked.
int changes_hold(struct raw_run *run, struct target *target,
                 struct known_versions *versions, struct error *error);

// Those of a statement, each behind the change that wrote what it replaces: a
// trigger of the user's may change a row before the run's own trigger has told
// of the first change.  The array is to be freed; `*n` is its length.
struct version_change **changes_in_order(struct known_versions *versions,
                                         const struct raw_log *log,
                                         uint32_t statement, uint32_t *n);

#endif
