// SPDX-License-Identifier: GPL-3.0-or-later
// Notes a statement that was executed by an instrument, with the condition that
// its rows satisfy where that is known.
#ifndef OWN_NOTING_H
#define OWN_NOTING_H

#include "own/run.h"

// A statement of a session in its open transaction.
struct raw_doing {
  uint32_t session, place;           // place: in the scripts
  const char *text;                  // as it was sent, but for added columns
  const struct sql_outline *outline; // of the text
  const struct instrument_way *way;
  struct statement_times times;
  bool succeeded;
};

// Called by the session's own thread.  The answer's images of rows become the
// log's.
void raw_note(struct raw_run *run, const struct raw_doing *doing,
              struct instrument_answer *answer);

#endif
