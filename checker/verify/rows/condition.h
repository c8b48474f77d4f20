// SPDX-License-Identifier: GPL-3.0-or-later
// Which versions of a row an SQL statement finds, as the verifiers see it: by a
// recursive evaluator of their own.
#ifndef CHECKER_VERIFY_ROWS_CONDITION_H
#define CHECKER_VERIFY_ROWS_CONDITION_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stdint.h>

// The columns of a version: of an operation, or from nops on of what a key was
// at first.  NULL: there is no row.
const int64_t *condition_columns(const struct history *history,
                                 uint32_t version);

// Does the statement find this version of the key?  An INSERT finds that there
// is no row.
bool condition_finds(const struct history *history,
                     const struct recorded_statement *statement, uint32_t key,
                     uint32_t version);

// Does a row with these columns meet the statement's condition?
bool condition_holds(const struct rows *rows,
                     const struct recorded_statement *statement, int64_t key,
                     const int64_t *columns);

// Can an operation of the statement have met this version?  An upsert that met
// a row has no condition either.
bool condition_met(const struct history *history,
                   const struct recorded_statement *statement, uint32_t op,
                   uint32_t version);

// Does the statement's condition say which keys its rows have, key = number or
// key IN (...), and did as many rows come back?  Where these meet the condition
// no other can have been missed.
bool condition_rows_came(const struct history *history,
                         const struct recorded_statement *statement);

// Is the whole condition that a column, which is not the key, has a number?
bool condition_names_value(const struct history *history,
                           const struct recorded_statement *statement,
                           uint32_t *column, int64_t *number);

// All rows that the condition finds have one of `numbers`, each of which stands
// there once, in the column `equal`, if there is one, and in the column
// `bounded` at least `low` and at most `high`.  CONDITION_NO_COLUMN: the
// condition names none.  The key counts as a column, PREDICATE_KEY.  Columns
// depend on the condition alone, and not on parameters.
enum { CONDITION_NO_COLUMN = PREDICATE_KEY - 1 };
struct condition_bounds {
  uint8_t equal, bounded;
  int64_t low, high;
  uint32_t nnumbers; // 1, of any number, if `equal` is none
  int64_t numbers[PREDICATE_NODES];
};
struct condition_bounds
condition_bounds(const struct history *history,
                 const struct recorded_statement *statement);

// Are the columns that came back those of the version?
bool condition_shows(const struct history *history, uint32_t op,
                     uint32_t version);

#endif
