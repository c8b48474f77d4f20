// SPDX-License-Identifier: GPL-3.0-or-later
// Answers questions about the SQL part of a history (recorder/rows.h).
#include "config.h"

#include "recorder/rows.h"

#include "recorder/history.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void row_table_free(struct row_table *table) {
  for (uint32_t i = 0; i < table->ncolumns; i++)
    free(table->columns[i]);
  free(table->columns);
  free(table->name);
}

void rows_free(struct rows *rows) {
  if (!rows)
    return;
  for (uint32_t i = 0; i < rows->ntables; i++)
    row_table_free(&rows->tables[i]);
  FREE_EACH(rows->tables, rows->templates, rows->statements, rows->parameters,
            rows->txn_statement, rows->numbers, rows->image, rows->key_table,
            rows->key_id, rows->key_image);
  statement_times_free(&rows->times);
  free(rows);
}

struct predicate_columns row_columns(const struct row_table *table) {
  return (struct predicate_columns){.key = ROW_KEY_COLUMN,
                                    .names =
                                        (const char *const *)table->columns,
                                    .count = table->ncolumns};
}

const int64_t *rows_version(const struct history *h, uint32_t version) {
  const struct rows *rows = h->rows;
  assert(version < h->nops + h->nkeys);
  if (version >= h->nops)
    return rows_image(rows, rows->key_image[version - h->nops]);
  assert(op_writes(h->kind[version]));
  return h->kind[version] & OP_IS_DEAD ? NULL
                                       : rows_image(rows, rows->image[version]);
}

bool rows_satisfies(const struct history *h, uint32_t statement, uint32_t key,
                    const int64_t *image) {
  const struct rows *rows = h->rows;
  const struct recorded_statement *s = &rows->statements[statement];
  assert(s->condition != NO_CONDITION);
  const bool looks_for_rows = s->sort != STATEMENT_INSERT_NEW;
  return (image != NULL) == looks_for_rows &&
         rows->key_table[key] == s->table &&
         predicate_holds(&rows->templates[s->condition].predicate,
                         rows->key_id[key], image,
                         rows->parameters + s->parameters);
}

// The statement of the transaction's operation; ROWS_NONE: it has none.
static uint32_t find_statement_of_op(const struct rows *rows, uint32_t txn,
                                     uint32_t op) {
  uint32_t s = rows->txn_statement[txn];
  const uint32_t end = rows->txn_statement[txn + 1];
  while (s < end && rows->statements[s].end <= op)
    s++;
  return s < end && rows->statements[s].first <= op ? s : ROWS_NONE;
}

bool rows_adds(const struct rows *rows, uint32_t txn, uint32_t op) {
  const uint32_t s = find_statement_of_op(rows, txn, op);
  return s != ROWS_NONE && rows->statements[s].sort == STATEMENT_ADD;
}

struct statement_times rows_times(const struct rows *rows, uint32_t txn,
                                  uint32_t op) {
  const uint32_t s =
      rows->times.count ? find_statement_of_op(rows, txn, op) : ROWS_NONE;
  return s == ROWS_NONE ? (struct statement_times){TIME_UNKNOWN, TIME_UNKNOWN}
                        : statement_times_at(&rows->times, s);
}

// The session's statement with this stamp, and its transaction; ROWS_NONE:
// there is none.
static uint32_t statement_of_stamp(const struct history *h,
                                   const struct rows *rows, uint64_t stamp,
                                   uint32_t *txn) {
  const uint32_t session = value_session(stamp);
  uint64_t before = value_sequence(stamp);
  const uint32_t end =
      session < h->nsessions ? h->session_first[session + 1] : 0;
  for (uint32_t t = end ? h->session_first[session] : 0; t < end; t++)
    for (uint32_t s = rows->txn_statement[t]; s < rows->txn_statement[t + 1];
         s++)
      if (statement_writes((enum statement_sort)rows->statements[s].sort) &&
          before-- == 0) {
        *txn = t;
        return s;
      }
  return ROWS_NONE;
}

uint32_t rows_rolled_back(const struct history *h, uint32_t op) {
  const struct rows *rows = h->rows ? h->rows : h->rows_behind;
  if (!rows || h->saw[op] != SAW_THIN_AIR || op_writes(h->kind[op]) ||
      history_op_value(h, op) == VALUE_INITIAL)
    return ROWS_NONE;
  uint32_t txn = 0;
  const uint32_t s = statement_of_stamp(h, rows, history_op_value(h, op), &txn);
  return s != ROWS_NONE && h->outcome[txn] == OUTCOME_ABORTED ? s : ROWS_NONE;
}

void rows_write_condition(FILE *out, const struct rows *rows,
                          const struct recorded_statement *s) {
  const struct predicate_columns columns = row_columns(&rows->tables[s->table]);
  assert(s->condition != NO_CONDITION);
  predicate_write(out, &rows->templates[s->condition].predicate, &columns,
                  PREDICATE_BOUND, rows->parameters + s->parameters);
}

uint32_t rows_statement(const struct rows *rows, uint32_t op) {
  uint32_t low = 0, high = rows->nstatements;
  while (low < high) { // the first statement that begins behind the operation
    const uint32_t middle = low + (high - low) / 2;
    if (rows->statements[middle].first <= op)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && op < rows->statements[low - 1].end ? low - 1 : ROWS_NONE;
}

uint32_t rows_event(const struct rows *rows, uint32_t op) {
  const uint32_t statement = rows_statement(rows, op);
  return statement == ROWS_NONE ? op : rows->statements[statement].first;
}

void rows_copy_saw(struct history *registers) {
  if (registers->saw_copied)
    return;
  uint32_t *saw = xmalloc(registers->nops * sizeof *saw);
  if (registers->nops)
    memcpy(saw, registers->saw, registers->nops * sizeof *saw);
  registers->saw = saw;
  registers->saw_copied = true;
}

// An INSERT, as a compare-and-set of nothing, saw that there was nothing.
static void see_nothing_at_inserts(struct history *registers,
                                   const struct history *h) {
  uint32_t op = 0;
  while (op < h->nops &&
         (h->kind[op] != OP_ROW_INSERT || h->saw[op] == SAW_INITIAL))
    op++;
  if (op == h->nops)
    return;
  rows_copy_saw(registers);
  for (; op < h->nops; op++)
    if (h->kind[op] == OP_ROW_INSERT)
      registers->saw[op] = SAW_INITIAL;
}

struct history rows_as_registers(const struct history *history) {
  struct history h = *history;
  h.rows = NULL;
  h.of_rows = true;
  h.rows_behind = history->rows;
  h.kind = xmalloc(h.nops);
  for (uint32_t op = 0; op < h.nops; op++) {
    const unsigned kind = history->kind[op];
    h.kind[op] = (uint8_t)(kind == OP_ROW_INSERT ? OP_CAS
                           : op_is_row(kind) ? kind & (OP_IS_READ | OP_IS_WRITE)
                                             : kind);
  }
  see_nothing_at_inserts(&h, history);
  return h;
}

void rows_as_registers_free(struct history *registers) {
  free(registers->kind);
  if (registers->saw_copied)
    free(registers->saw);
}
