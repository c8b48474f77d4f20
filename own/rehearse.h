// SPDX-License-Identifier: GPL-3.0-or-later
// A rehearsal of the user's own scripts: one session plays each of them and
// rolls back what it did.  So mistakes of a script show before a run, and how
// each statement is going to be judged.
#ifndef OWN_REHEARSE_H
#define OWN_REHEARSE_H

#include "drivers/driver.h"
#include "own/run.h"
#include "workload/workload.h"

struct raw_rehearsed {       // of a place
  bool reached;              // the statement was executed
  bool whole;                // which rows fit is known
  struct instrument_way way; // how its reads are asked for; `why` may be NULL
  const char *why_rows; // the rows that fit are not known: a constant text that
                        // goes on "judged by rows: ..."; or NULL
  char *refused; // what the database said against it; owned.  NULL: nothing
};

// Connects to a target that is set up: `run` has its tables and one session.
// `options` are those of a run of the scripts.  Fills in an entry for each
// place.  -1 with a sentence: there is no connection.
int raw_rehearse(struct raw_run *run, struct target *target,
                 const struct driver_level *level,
                 const struct workload_options *options,
                 struct raw_rehearsed *places, struct error *error);
void raw_rehearsed_free(struct raw_rehearsed *places, uint32_t n);

#endif
