// SPDX-License-Identifier: GPL-3.0-or-later
// Is a session at the level that it asks for?  Poolers, proxies and settings of
// a database can change it in silence.
#ifndef RUNNER_LEVEL_H
#define RUNNER_LEVEL_H

#include "runner/session.h"

// Now and then, first before the first transaction.
static inline bool level_is_due(const struct session *session) {
  return session->ntransactions >= session->next_level_ask &&
         session->connection && !session->closing;
}

// Asks the database in a transaction of its own, which is not recorded.  The
// tally notes a level other than the one asked for.  The connection may be
// broken then.
void level_ask(struct session *session);

#endif
