// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions of a run of the user's own SQL share some things: the tables, how
// each statement is asked, and whether the instrument was bypassed.
#ifndef OWN_RUN_H
#define OWN_RUN_H

#include "own/log.h"
#include "own/script.h"

#include <pthread.h>
#include <stdatomic.h>

// How the statement at a place is asked.
struct raw_way {
  bool chosen;
  uint64_t form; // of the text that the way was chosen for
  struct instrument_way way;
};

enum { PROGRAM_PLACES_MOST = 1000 };

struct raw_journal;

struct raw_run {
  struct raw_scripts *scripts; // statements of programs are added
  const struct instrument *instrument;
  struct instrument_tables tables; // as setup made them
  struct raw_log *logs;            // of each session
  uint32_t nsessions;
  // Where ended transactions of the logs go; NULL: they stay (own/journal.h).
  struct raw_journal *journal;
  bool killed;           // nobody knows what tables the run left
  pthread_mutex_t mutex; // of what follows
  struct raw_way *ways;  // of each place
  uint64_t *forms;       // of each place of a program, and its script
  uint32_t *script_of;
  uint32_t first_form;   // the first place of a program
  struct error bypassed; // what ends the run without a verdict, the first time
  atomic_bool is_bypassed;
};

void raw_run_init(struct raw_run *run, struct raw_scripts *scripts,
                  const struct instrument *instrument, uint32_t nsessions);
void raw_run_free(struct raw_run *run);

// The way of a statement, which is chosen when its form is new; called by all
// sessions.
void raw_run_choose(struct raw_run *run, struct target *target, uint32_t place,
                    const char *text, const struct sql_tokens *tokens,
                    const struct sql_outline *outline,
                    struct instrument_way *way);

// The place of a statement of a program, which is new if its form is.  More
// than PROGRAM_PLACES_MOST end the run; RAW_NO_PLACE.
uint32_t raw_run_place(struct raw_run *run, uint32_t script,
                       const struct sql_tokens *tokens, enum sql_verb verb);

// Nothing that the run saw can be judged, for the reason in `error`.
void raw_run_fail(struct raw_run *run, const struct error *error);

// Did the statement change as many rows as triggers told, or fewer?  Else the
// run cannot be judged, which is noted; false.
bool raw_run_hold(struct raw_run *run, uint32_t place,
                  const struct sql_outline *outline,
                  const struct instrument_answer *answer);

#endif
