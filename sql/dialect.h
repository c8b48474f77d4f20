// SPDX-License-Identifier: GPL-3.0-or-later
// The databases write some things differently: how texts, names and comments
// are quoted, and which words mean something to one of them alone.
#ifndef SQL_DIALECT_H
#define SQL_DIALECT_H

#include <stdbool.h>

// Why statements that begin with these words are not executed in a run.
struct sql_refusal {
  const char *first, *second; // words; `second` may be NULL: any
  const char *why;            // a constant text
};

struct sql_dialect {
  bool texts_in_double_quotes; // "a" is a text, else a name
  bool names_in_backticks;     // `a` is a name, else two signs and a word
  bool backslashes_escape;     // in every text, else in E'...' alone
  bool texts_in_dollars;       // $$...$$
  bool comments_nest;          // /* /* */ */
  bool comments_after_hash;    // # to the end of the line
  bool dashes_need_space;      // 5--1 is 6
  bool comments_run;           // /*!...*/ is executed
  bool bars_are_or;            // a = 1 || b, else what stands there is joined
  // Behind those of all dialects; ends with an empty one.
  const struct sql_refusal *refusals;
  // Words behind the name of a table that are no alias of it; ends with NULL.
  const char *const *no_aliases;
};

extern const struct sql_dialect sql_dialect_postgresql, sql_dialect_mysql,
    sql_dialect_sqlite;

#endif
