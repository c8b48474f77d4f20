// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and statements of SQL as texts (recorder/formats/TEXT.md), which our
// own text format and our own JSON share:
//
//   t(b, v): 1{b=1,v=5}            a table, with the rows that were preloaded
//   sel t{b = 1}: 1@?              a statement, with the rows that came back
#ifndef RECORDER_FORMATS_ROW_NOTATION_H
#define RECORDER_FORMATS_ROW_NOTATION_H

#include "recorder/builder/builder.h"
#include "recorder/formats/export.h"

// A version of a row that some statement wrote or saw.
struct noted_version {
  uint32_t table;
  int64_t key;
  uint64_t stamp; // which writing statement of the file, from 1; 0: preloaded
  uint64_t line;
};

struct noted_versions {
  struct noted_version *items;
  uint32_t count, room;
};

// A file whose statements are read.  Zero-initialised but for the builder.
struct row_reading {
  struct builder *builder;
  uint64_t nwriting; // statements so far
  struct noted_versions written, seen;
  struct told_row *rows; // of the statement
  uint32_t *images;      // of each: where its image is in `numbers`
  uint32_t nrows, rows_room, images_room;
  int64_t *numbers; // of their images
  uint32_t nnumbers, numbers_room;
  // Where reading stopped, and the sentence.
  const char *at;
  char why[ERROR_ROOM];
};

// Does a table, or the word of a statement, come here?
bool row_table_comes(const char *p);
bool row_statement_comes(const char *p);

// Reads one from its first word and tells it to the builder.  `text` ends with
// a zero byte; `line` is that of the file.  Returns where it ends; NULL, with
// `at` and `why` set, if it is wrong.
const char *row_table_read(struct row_reading *reading, const char *text,
                           uint64_t line);
const char *row_statement_read(struct row_reading *reading, const char *text,
                               uint64_t line);

// -1 with a sentence that names the file and the line if some statement saw a
// row that nobody wrote, or wrote a row twice.
int row_reading_check(struct row_reading *reading, const char *path,
                      struct error *error);
void row_reading_free(struct row_reading *reading);

// The stamp of each statement that writes, and of each operation of one: which
// of those that are written it is, from 1; or, by session, value_of_write.
struct row_stamps {
  uint64_t *statement, *op;
};
struct row_stamps row_stamps(const struct export_writing *writing,
                             bool by_session);

// -1 with a sentence if a row came back that no statement of the file wrote,
// which our notation cannot say: the version of a statement that was rolled
// back.
int row_versions_check(const struct export_writing *writing);
void row_stamps_free(struct row_stamps *stamps);

// Writes a table, and a statement.
void row_table_write(FILE *out, const struct history *history, uint32_t table);
void row_statement_write(FILE *out, const struct history *history,
                         uint32_t statement, const struct row_stamps *stamps);

// Writes the operations of a transaction in their order, those of a statement
// as the statement, in quotes: our notation has nothing that JSON would have to
// escape.  `comma` comes between them or, without quotes, behind statements,
// and a blank behind operations.
void row_ops_write(struct export_writing *writing, uint32_t txn,
                   const struct row_stamps *stamps, const char *quote,
                   const char *comma,
                   void (*put_op)(struct export_writing *writing,
                                  const struct exported *said));

#endif
