// SPDX-License-Identifier: GPL-3.0-or-later
// Is a session at the level that it asks for?  Poolers, proxies and settings of
// a database can change it in silence.
#ifndef RUNNER_LEVEL_H
#define RUNNER_LEVEL_H

#include "runner/session.h"

// Asks the database now and then, first before the first transaction, in a
// transaction of its own, which is not recorded.  The tally notes a level other
// than the one asked for.  True if it asked; the connection may be broken then.
bool level_ask(struct session *session);

#endif
