// SPDX-License-Identifier: GPL-3.0-or-later
// The fate of a transaction whose answer to COMMIT was lost: PostgreSQL says
// it by the number of the transaction.
//
// After a crash, numbers that had not reached the log are given out again, so
// that "committed" may be said of another transaction.  Hence the guard: a
// connection of the target's own, which is there before any session gets a
// number.  As long as it answers, the server has not crashed since.  Of a
// transaction before a crash "aborted" is certain all the same: if its number
// was given out again, it had been lost.
#ifndef DRIVERS_POSTGRESQL_RESOLVE_H
#define DRIVERS_POSTGRESQL_RESOLVE_H

#include "drivers/postgresql/session.h"

struct postgresql_guard *postgresql_guard_new(void);
void postgresql_guard_free(struct postgresql_guard *guard);

// For a session that has just connected: notes how far the guard vouches for
// it.
void postgresql_guard_session(struct postgresql_session *session);

// Before COMMIT: notes the number of the open transaction, if it has one, which
// it has not unless it wrote.  OUTCOME_ABORTED if the connection is lost or the
// transaction has failed, which is then noted.
enum outcome postgresql_note_token(struct postgresql_session *session);

// Takes the number out of the answer to POSTGRESQL_TOKEN.
#define POSTGRESQL_TOKEN "SELECT txid_current_if_assigned()"
void postgresql_take_token(struct postgresql_session *session,
                           const PGresult *result);

// See drivers/driver.h.
enum outcome postgresql_resolve(struct connection *connection,
                                const uint64_t token[2]);

#endif
