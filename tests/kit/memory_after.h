// SPDX-License-Identifier: GPL-3.0-or-later
// The memory driver as one that tells nothing but what SELECTs return, and how
// many rows a statement changed: drivers/sql_text/sql_after.h against all of
// its bugs.
#ifndef TESTS_KIT_MEMORY_AFTER_H
#define TESTS_KIT_MEMORY_AFTER_H

#include "drivers/memory/internal.h"
#include "drivers/sql_text/sql_after.h"
#include "tests/tap.h"

// The rows that the last statement has written: the store finds rows by their
// condition alone, so this is in the place of the SELECT by stamp.
static _Thread_local struct row_list memory_written;

static inline enum outcome ask_memory(struct connection *c,
                                      enum sql_rows_part part,
                                      const struct statement *statement,
                                      uint64_t stamp, struct row_list *rows,
                                      uint64_t *count) {
  struct row_list *list = part == SQL_ROWS_CHANGE ? &memory_written : rows;
  struct statement select = *statement;
  if (part == SQL_ROWS_BEHIND) {
    *rows = memory_written;
    memory_written = (struct row_list){0};
    return OUTCOME_OK;
  }
  select.sort = STATEMENT_SELECT;
  row_list_free(list);
  const enum outcome outcome = memory_driver.execute(
      c, part == SQL_ROWS_CHANGE ? statement : &select, stamp, list);
  // They are what the statement is then said to have deleted.
  for (uint32_t i = 0; part != SQL_ROWS_CHANGE && i < rows->count; i++)
    rows->rows[i].kind = (uint8_t)statement_kind(statement->sort);
  *count = list->count;
  rows->refused = list->refused;
  return outcome;
}

// As its slot `execute`, at a level that has snapshots.
static inline enum outcome
execute_memory_after(struct connection *c, const struct statement *statement,
                     uint64_t stamp, struct row_list *rows) {
  const struct sql_rows_dialect dialect = {.after = true, .lock = ""};
  const struct sql_after after = {
      .ask = ask_memory, .dialect = &dialect, .claimed = ISOLATION_SI};
  return statement_writes(statement->sort)
             ? sql_after_execute(&after, c, statement, stamp, rows)
             : memory_driver.execute(c, statement, stamp, rows);
}

#endif
