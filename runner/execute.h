// SPDX-License-Identifier: GPL-3.0-or-later
// Executes operations of a session's plan and notes them in its session log.
#ifndef RUNNER_EXECUTE_H
#define RUNNER_EXECUTE_H

#include "runner/session.h"

// The operation at `session->next`.  Anything but OUTCOME_OK means that the
// transaction cannot go on.
enum outcome execute_operation(struct session *session);

// The session's transaction as a whole, by the driver's transact.
enum outcome execute_transaction(struct session *session);

// Is a value that the session's last attempt was to write, and that may have
// been stored, there now?  Reads in a transaction of its own, which is not
// recorded.
bool execute_search(struct session *session, const struct driver_level *level);

#endif
