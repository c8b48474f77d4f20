// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps what the sessions of a run saw on disk while the run lasts.  The
// history of a run of the user's own SQL is made when the run is over, for the
// database then says what its conditions compare (own/conditions.h).  A journal
// holds all that this needs, so a run that was killed is judged, too, and the
// memory of a run does not grow with its length.
//
// A session notes the changes of a transaction before it sends the commit.  So
// no change that others may have seen is missing, however the process ends, but
// for those that the database makes while it commits (constraints that are
// deferred).  The outcome follows with what is noted next; a transaction
// without one may have committed or not.
//
// The file is a mark and chunks (own/journal_layout.h).  Its end may be lost.
#ifndef OWN_JOURNAL_H
#define OWN_JOURNAL_H

#include "own/run.h"

struct raw_journal;

// Creates the file, which must not exist, once setup has made the tables of the
// run.  `driver` is its name, `about` what a history says of the run.  The run
// notes in the journal from then on: its field `journal` is set.  -1 with a
// sentence that names the path.
int raw_journal_open(const char *path, const char *driver, const char *about,
                     struct raw_run *run, struct error *error);

// A session is about to send the commit of its open transaction.
void raw_journal_commit(struct raw_run *run, uint32_t session);

// Behind raw_log_end: takes the transaction over from the log of the session.
// `now` is the time, in ns as clock_now.
void raw_journal_end(struct raw_run *run, uint32_t session, uint64_t now);

// A place was added to the scripts.  -1 with a sentence, where a run is to
// fail.
int raw_journal_place(struct raw_run *run, const struct raw_place *place,
                      struct error *error);

// Writes what is left, closes the file, and frees the journal of the run, which
// may have none.  -1 with a sentence; what could not be written earlier has
// failed the run already.
int raw_journal_close(struct raw_run *run, struct error *error);

// ---- Reading

// A run as its journal tells it.
struct killed_run {
  char *driver, *about;        // owned, as the two that follow
  struct raw_scripts *scripts; // its places and its schema
  struct raw_run run;          // without an instrument
};

// -1 with a sentence that names the path.  Free with killed_run_free in both
// cases.
int raw_journal_read(const char *path, struct killed_run *killed,
                     struct error *error);
void killed_run_free(struct killed_run *killed);

// Reads the logs of a run back, whose journal is closed.  -1 with a sentence
// that names the path.
int raw_journal_read_back(const char *path, struct raw_run *run,
                          struct error *error);

#endif
