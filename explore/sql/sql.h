// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in SQL: a schema and pgbench scripts as they are, translated into
// the notation of programs (explore/PROGRAMS.md).  What is outside the subset
// is refused with file and line; nothing is approximated.
//
// A row is a key, table[primary key], that holds the list of its columns, or
// `none` where there is no row.
#ifndef EXPLORE_SQL_SQL_H
#define EXPLORE_SQL_SQL_H

#include "base/error.h"

#include <stdint.h>

// The program of sessions that each perform one script, `FILE` or `FILE@N` for
// N sessions.  The text, to be freed; NULL with a sentence, whose usage is set.
char *sql_program(const char *schema, const char *const *scripts,
                  uint32_t nscripts, struct error *error);

#endif
