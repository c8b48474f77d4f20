// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions of the user's own SQL: steps of a session on texts
// (own/play.h), as runner/program.h has those on statements.
#ifndef RUNNER_TEXT_H
#define RUNNER_TEXT_H

#include "runner/session.h"

// The session's next transaction, or the question of the invariant, which
// runner/program.h asks; and its next attempt.  False: there is none, or no
// statement in it.
bool text_take(struct session *session);
bool text_start(struct session *session);

// Executes the next statement.  With OUTCOME_OK, `*goes_on` says whether there
// is another one; with anything else the transaction cannot go on.
enum outcome text_step(struct session *session, bool *goes_on);

// May the transaction be tried again as it was?  A program does so itself.
bool text_tries_again(const struct session *session);

// Does the transaction read alone, as far as its statements show?
bool text_reads_only(const struct session *session);

// Did the transaction, which has no further statement, choose to roll back?
bool text_rolls_back(const struct session *session);

// The step at which the attempt is: a statement, or what commits it.  False: it
// asks for the invariant.
bool text_place(const struct session *session, struct place_count *row);

// An attempt begins, is about to be committed, or has ended.
void text_note_begin(struct session *session, uint64_t now);
void text_note_commit(struct session *session);
void text_note_end(struct session *session, enum outcome outcome,
                   enum cause cause, uint64_t now);

#endif
