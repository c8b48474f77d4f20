// SPDX-License-Identifier: GPL-3.0-or-later
// Words for the rows of the user's own tables.  A history has such a row by a
// number, with the ranks of the values that conditions compare; these words say
// what the row is called, what its columns held, and which statement of the
// user's met it.
#ifndef RECORDER_ROW_WORDS_H
#define RECORDER_ROW_WORDS_H

#include "base/memory.h"
#include "recorder/history.h"
#include "recorder/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
  ROW_NUMBERS = 1000000000
}; // numbers of rows without a whole number as
   // their primary key, and those above

struct worded_rank {
  int64_t rank;
  const char *value; // as SQL has it
};

struct worded_column {             // one that conditions compare
  uint32_t column;                 // of its table
  const struct worded_rank *ranks; // in order
  uint32_t nranks;
};

struct worded_table {
  const char *name;           // in the history
  const char *const *columns; // as the database has them
  uint32_t ncolumns;
  uint64_t key; // the columns of its primary key; 0: it has none
  const struct worded_column *compared;
  uint32_t ncompared;
};

struct worded_version {
  uint32_t table;    // of row_words.tables
  int64_t id;        // of the row in the history
  uint64_t stamp;    // of the statement that wrote it; VALUE_INITIAL: none did
  const char *image; // the row as the database wrote it
};

// Free with row_words_free.
struct row_words {
  struct arena arena; // of all that is pointed to
  const struct worded_table *tables;
  uint32_t ntables;
  struct worded_version *versions; // sorted by table, id and stamp
  uint32_t nversions;
  const char **places; // of each statement, "pay.sql:6"; NULL: of none
  uint32_t nplaces;
  bool escapes; // a backslash in a text stands for the character behind it
};
void row_words_free(struct row_words *words);

// Sorts the versions; before anything is asked.
void row_words_sort(struct row_words *words);

// The history speaks with these words from now on, which it borrows.
void row_words_attach(struct history *history, struct row_words *words);

// The name of a row of a history that has words: by its primary key, where that
// is known, "customer/a@x.org".  The caller lets one thread ask.
const char *row_words_key(const struct history *history, uint32_t key);

// The table of a row of the history; NULL: there are no words for it.
const struct worded_table *row_words_table(const struct history *history,
                                           uint32_t op);

// The row as the operation wrote it or, if it writes none, as it found it;
// NULL: it is not known, or absent.
const char *row_words_image(const struct history *history, uint32_t op);

// Copies the value of a column of an image as SQL has it, "'late'", "5" or
// "NULL"; a long one is cut.  False: the image has no such column.
bool row_words_value(const struct row_words *words, const char *image,
                     uint32_t column, char *buffer, size_t room);

// The place of the statement that an operation belongs to; NULL: not known.
const char *row_words_place(const struct history *history, uint32_t op);

// As rows_write_condition; with words "sku = 4" in place of "rank_0_sku = 2".
void row_words_put_condition(FILE *out, const struct rows *rows,
                             const struct recorded_statement *statement);

#endif
