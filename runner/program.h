// SPDX-License-Identifier: GPL-3.0-or-later
// Executes transactions of statements (workload/program.h) for a session and
// notes them in its log.
#ifndef RUNNER_PROGRAM_H
#define RUNNER_PROGRAM_H

#include "runner/session.h"

// The session's next transaction: one of the workload's or, when the run is
// closed, one that reads the next whole table.  False: closing is over.
bool program_take(struct session *session);

// A line of the answer to the invariant, in bytes.
enum { PROGRAM_ANSWER_ROOM = 256 };

// Asks for the invariant as the database's own SQL, before the run: does the
// database take it, and say one number or NULL?  -1 with a sentence.
int program_try_question(struct session *session,
                         const struct driver_level *level, struct error *error);

// Is the session's next transaction to be the question of the invariant?
bool program_question_is_due(const struct session *session);

// Before an attempt.  False: there is no statement.
bool program_start(struct session *session);

// Executes the next statement.  With OUTCOME_OK, `*goes_on` says whether there
// is another one; with anything else the transaction cannot go on.
enum outcome program_step(struct session *session, bool *goes_on);

// The transaction that asked for the invariant has committed: counts what it
// was told.
void program_judge(struct session *session, uint64_t now);

// Did the transaction, which has no further statement, choose to roll back?
bool program_rolls_back(const struct session *session);

// The place of the last step in the user's script, and why the transaction
// rolls back, where it does; NULL: there is none.
const char *program_place(const struct session *session, const char **why);

// Can the driver execute what the workload's statements need, and the target,
// as its options are set, what those of the run need?  -1 with a
// sentence.
int program_check(const struct driver *driver, const struct workload *workload,
                  struct error *error);
int program_check_target(const struct target *target,
                         const struct workload *workload,
                         const struct workload_options *options,
                         struct error *error);

#endif
