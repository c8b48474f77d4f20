// SPDX-License-Identifier: GPL-3.0-or-later
// The connections of a session: one to each host that it ever speaks to.  Those
// that break are replaced when they are needed, with longer and longer pauses
// between attempts.
#ifndef RUNNER_CONNECTIONS_H
#define RUNNER_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct session;

// Opens all.  -1: one of them could not be opened, session->error says why.
int connections_open(struct session *session);
void connections_close(struct session *session);

// Turns to the host where the route is; where there is no connection to it,
// session->connection is NULL.
void connections_turn(struct session *session);

// The one to that host is of no use any more since `now`: closes it.
void connections_lose(struct session *session, uint64_t now);

// Makes one attempt to open it again.  If that failed the route may lead
// elsewhere, where there may be a connection.
bool connections_regain(struct session *session);

// Is there no way back, so that none can be opened?  session->error says why.
bool connections_are_over(struct session *session);

// How long to wait before the next attempt, in ns.
uint64_t connections_next_pause(struct session *session);

// Has it been tried for too long?
bool connections_are_lost(const struct session *session, uint64_t now);

#endif
