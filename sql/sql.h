// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in SQL: a schema and pgbench scripts as they are, translated into
// the notation of programs (explore/PROGRAMS.md).  What is outside the subset
// is refused with file and line; nothing is approximated.
//
// A row is a key, table[primary key], that holds the list of its columns, or
// `none` where there is no row.
#ifndef SQL_SQL_H
#define SQL_SQL_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// One UPDATE that says what a SELECT, an \if and an UPDATE of a script say
// (atomic.c).
struct sql_change {
  uint32_t script;                              // its number among the scripts
  uint32_t select_line, update_line, last_line; // which it takes the place of
  uint32_t number;   // of the transaction in the script, from 1
  char *transaction; // its name in the program
  char *statement;   // the UPDATE, without a semicolon
  char *text;        // the script with it
};

// The program of sessions that each perform one script, `FILE` or `FILE@N` for
// N sessions, one of them with the change, which may be NULL.  The text, to be
// freed; NULL with a sentence, whose usage is set.
char *sql_program(const char *schema, const char *const *scripts,
                  uint32_t nscripts, const struct sql_change *change,
                  struct error *error);

// Finds change number `number` in the scripts, which were read before; false
// if there are not so many.
bool sql_find_change(const char *const *scripts, uint32_t nscripts,
                     uint32_t number, struct sql_change *change);
void sql_change_free(struct sql_change *change);

#endif
