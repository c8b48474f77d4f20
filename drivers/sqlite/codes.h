// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of SQLite's result codes for a transaction.
#ifndef DRIVERS_SQLITE_CODES_H
#define DRIVERS_SQLITE_CODES_H

#include "base/outcome.h"

#include <stddef.h>

// Why a call that returned the extended result code `rc`, which is an error,
// failed its transaction.  Writes the code's name as in sqlite3.h to `name`; an
// extended code that is not in our table is its primary code's name, a slash
// and the number of the extension.
enum cause sqlite_cause(int rc, char *name, size_t room);

#endif
