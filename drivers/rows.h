// SPDX-License-Identifier: GPL-3.0-or-later
// The rows that an SQL statement returned as one line of text, which is what
// the slot `sql` of a driver gives: rows apart by blanks, columns by commas.
#ifndef DRIVERS_ROWS_H
#define DRIVERS_ROWS_H

#include <stdio.h>
#include <string.h>

// Adds one value, NULL for the database's own; what does not fit in `room`
// bytes is cut off.  The line was empty at first.
static inline void rows_add(char *rows, size_t room, int column,
                            const char *value) {
  const size_t used = strlen(rows);
  const char *apart = column ? "," : used ? " " : "";
  snprintf(rows + used, room - used, "%s%s", apart, value ? value : "NULL");
}

#endif
