// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of a session log (recorder/record/statement_log.h).
#include "config.h"

#include "recorder/record/statement_log.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void statement_log_free(struct statement_log *log) {
  FREE_EACH(log->sort, log->table, log->condition, log->nops, log->parameter,
            log->number, log->txn_statements);
  *log = (struct statement_log){0};
}

static uint32_t room_for(uint32_t room, uint32_t wanted) {
  while (room < wanted)
    room = room ? room * 2 : 256;
  return room;
}

static void reserve(struct statement_log *log, uint32_t statements,
                    uint32_t parameters, uint32_t numbers) {
  struct statement_counts *room = &log->room;
  const struct statement_counts n = log->n;
  if (n.statements + statements > room->statements) {
    room->statements = room_for(room->statements, n.statements + statements);
    log->sort = xrealloc(log->sort, room->statements, 1);
    log->table = xrealloc(log->table, room->statements, 1);
    log->condition =
        xrealloc(log->condition, room->statements, sizeof *log->condition);
    log->nops = xrealloc(log->nops, room->statements, sizeof *log->nops);
  }
  if (n.parameters + parameters > room->parameters) {
    room->parameters = room_for(room->parameters, n.parameters + parameters);
    log->parameter =
        xrealloc(log->parameter, room->parameters, sizeof *log->parameter);
  }
  if (n.numbers + numbers > room->numbers) {
    room->numbers = room_for(room->numbers, n.numbers + numbers);
    log->number = xrealloc(log->number, room->numbers, sizeof *log->number);
  }
}

// A row that was written as it is then, but not one that was deleted.
static bool has_image(const struct seen_row *row) {
  return op_writes(row->kind) && !(row->kind & OP_IS_DEAD);
}

void statement_log_add(struct statement_log *log,
                       const struct statement *statement, uint32_t nparameters,
                       const struct row_list *rows, uint32_t ncolumns) {
  reserve(log, 1, nparameters, rows->count * ncolumns);
  const uint32_t s = log->n.statements++;
  log->sort[s] = (uint8_t)statement->sort;
  log->table[s] = (uint8_t)statement->table;
  log->condition[s] =
      statement_has_condition(statement->sort) ? statement->template : 0;
  log->nops[s] = rows->count;
  for (uint32_t i = 0; i < nparameters; i++)
    log->parameter[log->n.parameters++] = (uint64_t)statement->params[i];
  for (uint32_t row = 0; row < rows->count; row++)
    for (uint32_t i = 0; has_image(&rows->rows[row]) && i < ncolumns; i++)
      log->number[log->n.numbers++] = (uint64_t)row_list_image(rows, row)[i];
}

#define MOVE(array, counted)                                                   \
  memcpy(to->array, from->array + first->counted,                              \
         (from->n.counted - first->counted) * sizeof *from->array)

void statement_log_move(struct statement_log *from, struct statement_log *to,
                        const struct statement_counts *first) {
  const struct statement_counts n = {
      .statements = from->n.statements - first->statements,
      .parameters = from->n.parameters - first->parameters,
      .numbers = from->n.numbers - first->numbers};
  to->n = (struct statement_counts){0};
  if (n.statements) {
    reserve(to, n.statements, n.parameters, n.numbers);
    MOVE(sort, statements);
    MOVE(table, statements);
    MOVE(condition, statements);
    MOVE(nops, statements);
    if (n.parameters)
      MOVE(parameter, parameters);
    if (n.numbers)
      MOVE(number, numbers);
  }
  to->n = n;
  from->n = *first;
}
#undef MOVE

uint32_t statement_log_writes(const struct statement_log *log, uint32_t first) {
  uint32_t count = 0;
  for (uint32_t s = first; s < log->n.statements; s++)
    count += statement_writes(log->sort[s]);
  return count;
}

void statement_log_end(struct statement_log *log, uint32_t txn, uint32_t first,
                       uint32_t txn_room) {
  if (!log->txn_statements)
    log->txn_statements = xcalloc(txn_room, sizeof *log->txn_statements);
  assert(txn < txn_room && first <= log->n.statements);
  log->txn_statements[txn] = log->n.statements - first;
}
