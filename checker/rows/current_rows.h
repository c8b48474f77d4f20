// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of all tables as they are at one place of a commit order, with
// indexes by the columns that conditions compare with numbers, so that a
// statement meets the rows it may find and few others.
#ifndef CHECKER_ROWS_CURRENT_ROWS_H
#define CHECKER_ROWS_CURRENT_ROWS_H

#include "base/points.h"
#include "recorder/history.h"

struct row_index;

struct current_rows {
  const struct history *h;
  uint32_t *version; // per key: the current one; from nops on: that at first
  uint32_t *place;   // per key: among those of its table
  uint32_t nindexes;
  struct row_index *indexes;
  uint32_t *table_index; // per table: its first index, or UINT32_MAX
  // Per condition: its index, of rows that are there and of those that are not;
  // or UINT32_MAX.
  uint32_t *index_of[2];
};

// Opens them with these versions, per key; NULL: with those that were there
// before everything.
void current_rows_open(struct current_rows *rows, const struct history *history,
                       const uint32_t *versions);
void current_rows_close(struct current_rows *rows);

// Puts another version in the place of the key's current one.
void current_rows_put(struct current_rows *rows, uint32_t key,
                      uint32_t version);

// Goes through the rows that the statement, which has a condition, would find
// besides those that came back, and perhaps some of these:
//
//   struct row_cursor c = row_cursor_open(rows, statement);
//   while (row_cursor_next(&c, &key))
struct row_cursor {
  const struct current_rows *rows;
  uint32_t statement;
  const struct row_index *index;
  uint32_t next;              // key, or UINT32_MAX: of an index of lists
  struct points_place behind; // of an index in order
  int64_t equal, low, high;   // the number and the bounds there
  const struct predicate_node *among; // IN, whose numbers `equal` goes through,
  uint32_t next_value;                // or NULL; and the next one
};
struct row_cursor row_cursor_open(const struct current_rows *rows,
                                  uint32_t statement);
bool row_cursor_next(struct row_cursor *cursor, uint32_t *key);

#endif
