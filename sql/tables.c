// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of rows and the rows that tables start with (sql/tables.h).
#include "config.h"

#include "sql/tables.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void row_list_clear(struct row_list *list) {
  list->count = list->nnumbers = 0;
  list->refused = false;
  if (list->found)
    row_list_free(list->found);
  free(list->found);
  list->found = NULL;
}

void row_list_free(struct row_list *list) {
  row_list_clear(list);
  free(list->rows);
  free(list->numbers);
  *list = (struct row_list){0};
}

int64_t *row_list_add(struct row_list *list, enum op_kind kind, uint64_t key,
                      uint64_t saw, uint32_t ncolumns) {
  assert(ncolumns <= TABLE_COLUMNS_MOST);
  ARRAY_RESERVE(list->rows, list->count, list->room);
  if (list->numbers_room - list->nnumbers < ncolumns) {
    list->numbers_room = list->numbers_room * 2 + TABLE_COLUMNS_MOST;
    list->numbers =
        xrealloc(list->numbers, list->numbers_room, sizeof *list->numbers);
  }
  list->rows[list->count++] = (struct seen_row){
      .kind = (uint8_t)kind, .key = key, .saw = saw, .image = list->nnumbers};
  list->nnumbers += ncolumns;
  return list->numbers + list->nnumbers - ncolumns;
}

void table_first_row(const struct table_spec *table, uint64_t key,
                     int64_t *columns) {
  assert(key < table->nrows);
  for (uint32_t i = 0; i < table->columns.count; i++) {
    const struct first_value *first = &table->first[i];
    columns[i] = first->least + (int64_t)(key / first->step % first->count);
  }
}

uint64_t table_first_row_at(const struct table_spec *table, uint64_t i,
                            int64_t *columns) {
  assert(i < table_first_rows(table));
  if (i < table->nrows) {
    table_first_row(table, i, columns);
    return i;
  }
  const uint32_t n = table->columns.count;
  const int64_t *row = table->listed + (size_t)(i - table->nrows) * (1 + n);
  if (n)
    memcpy(columns, row + 1, n * sizeof *columns);
  return (uint64_t)row[0];
}

void statement_apply(const struct statement *statement, int64_t *columns) {
  for (uint32_t i = 0; i < statement->nsets; i++) {
    const struct column_set *set = &statement->sets[i];
    columns[set->column] =
        set->adds ? columns[set->column] + set->number : set->number;
  }
}

enum statement_sort statement_recorded(const struct statement *statement) {
  bool adds = statement->sort == STATEMENT_UPDATE && statement->nsets > 0;
  for (uint32_t i = 0; adds && i < statement->nsets; i++)
    adds = statement->sets[i].adds;
  return adds ? STATEMENT_ADD : statement->sort;
}
