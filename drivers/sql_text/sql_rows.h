// SPDX-License-Identifier: GPL-3.0-or-later
// Statements on rows (sql/tables.h) as SQL: the text of each form of a
// statement, composed once, and the values that it is executed with.
//
// Each table has the columns wid, the stamp of the statement that wrote the
// row, and prev, the stamp of the version before it, or -1 where there was
// none. Every statement gives back one line for each row that it returned,
// inserted, changed or deleted: its key, the stamp that it saw (wid of what it
// read or deleted, prev of what it wrote), and its columns.  Where a database
// cannot do that with RETURNING, an UPDATE collects these lines in a variable
// of the session (SQL_ROWS_CAPTURE).
//
// Such additions can hide an error of the database that plain statements have.
// With instrument=reads a table has no prev, and no statement has an addition:
// the effect of a SELECT and of an INSERT is known without.  That of an UPDATE
// or a DELETE is not, so that the target lacks them.  With instrument=after
// statements give back nothing either, and SELECTs of ours beside them say what
// they did (drivers/sql_text/sql_after.h).
#ifndef DRIVERS_SQL_TEXT_SQL_ROWS_H
#define DRIVERS_SQL_TEXT_SQL_ROWS_H

#include "drivers/driver.h"

#include <stdbool.h>
#include <stdint.h>

// The differences between databases.
struct sql_rows_dialect {
  char quote;          // around the names of tables
  const char *integer; // the type of all columns
  const char *options; // of CREATE TABLE
  bool dollars;        // parameters are $1, $2...; else ?
  bool plain;          // statements have no additions; no UPDATE, no DELETE
  bool after;          // statements that write give back nothing
  bool soft;           // a delete sets a column: the row is dead, and stays
  bool captures;       // UPDATE and INSERT have no RETURNING; UPDATE captures
  const char *lock;    // behind a SELECT that locks
  const char *nothing[2]; // INSERT or nothing: what is in front of INTO, and
                          // what is at the end
};

// The help of the option `deletes`.
#define SQL_ROWS_DELETES                                                       \
  "of tables of rows: real or soft; soft deletes set a column of the row, "    \
  "whose key is then never free again"

// The option `instrument`, and how it is read: the dialect is then plain, after
// or none of both, and the target lacks what it cannot have.  -1 with a
// sentence.
#define SQL_ROWS_INSTRUMENT SQL_ROWS_INSTRUMENT_OR("full")
#define SQL_ROWS_INSTRUMENT_OR(by_default)                                     \
  {                                                                            \
    "instrument", by_default,                                                  \
        "of tables of rows: full, after or reads; with after, no statement "   \
        "has RETURNING, and SELECTs beside it say which rows it changed; "     \
        "with reads, statements are as an application sends them, without "    \
        "RETURNING and the column prev, and there is no UPDATE and no "        \
        "DELETE, whose effects would not be known"                             \
  }
int sql_rows_read_instrument(const char *value, struct target *target,
                             struct sql_rows_dialect *dialect,
                             struct error *error);

// The lines that an UPDATE of a dialect that captures has left in the variable
// @isostress_rows: for each row its numbers, then a semicolon.
// They are what the row was before, so statement_apply is still to be done.
#define SQL_ROWS_CAPTURED "SELECT @isostress_rows, @isostress_rows := ''"
#define SQL_ROWS_CAPTURE "SET @isostress_rows = ''"

// Where the value of a parameter of a text comes from.
struct sql_rows_source {
  enum { SOURCE_PARAM, SOURCE_SET, SOURCE_STAMP, SOURCE_KEY, SOURCE_LIMIT } of;
  uint8_t number; // of the condition's parameter, or of the column that is set
};

enum { SQL_ROWS_SOURCES = PREDICATE_NODES + TABLE_COLUMNS_MOST + 4 };

// A statement, and the SELECTs that say what it does if it gives back nothing.
enum sql_rows_part {
  SQL_ROWS_CHANGE, // the statement
  SQL_ROWS_BEFORE, // the rows that fit its condition
  SQL_ROWS_LOCKED, // likewise, and locks them
  SQL_ROWS_BEHIND, // the rows that have its stamp
};

// One form of statements, which differ in nothing but numbers.
struct sql_rows_form {
  struct {
    enum sql_rows_part part;
    enum statement_sort sort;
    uint32_t table, template;
    bool limited;
    uint32_t sets, adds; // columns, bit by bit
  } is;
  uint32_t number; // among the connection's
  char *text;
  uint32_t nsources;
  struct sql_rows_source sources[SQL_ROWS_SOURCES];
  void *prepared; // the driver's; NULL at first
};

// The forms that a connection has used.  Zero-initialised is empty.
struct sql_rows {
  struct sql_rows_form **forms;
  uint32_t nforms, room;
};

// The form of the statement, which stays where it is.  `base` is the user's
// name for tables, with or without a schema in front.
struct sql_rows_form *sql_rows_form(struct sql_rows *rows,
                                    const struct sql_rows_dialect *dialect,
                                    const char *base,
                                    const struct tables *tables,
                                    const struct statement *statement);
struct sql_rows_form *
sql_rows_part(struct sql_rows *rows, const struct sql_rows_dialect *dialect,
              const char *base, const struct tables *tables,
              const struct statement *statement, enum sql_rows_part part);
void sql_rows_free(struct sql_rows *rows);

// The values of the text's parameters in their order.
void sql_rows_values(const struct sql_rows_form *form,
                     const struct statement *statement, uint64_t stamp,
                     int64_t values[SQL_ROWS_SOURCES]);

// Adds one line that a statement gave back; `saw` and `columns` are as the
// database said.  Columns that were captured are brought up to date.
void sql_rows_add(struct row_list *list, const struct sql_rows_dialect *dialect,
                  const struct statement *statement, int64_t key, int64_t saw,
                  const int64_t *columns, uint32_t ncolumns);

// Once all lines have been added: INSERT or nothing that found a key taken,
// maybe by a row that is dead, says nothing of the rows.
void sql_rows_end(struct row_list *list, const struct sql_rows_dialect *dialect,
                  const struct statement *statement);

// Does an INSERT give back no line?  Then the row that it has inserted, if it
// has, is to be added.
static inline bool sql_rows_insert_is_silent(const struct sql_rows_dialect *d) {
  return d->captures || d->plain;
}
void sql_rows_add_inserted(struct row_list *list,
                           const struct statement *statement);

// The name of a table between quotes, the statement that makes it, the one that
// puts an index on its column `indexed`, where `method` is NULL or as in "USING
// hash", and the one that fills in the first rows from `first` up to `end`.
// Free with free().
char *sql_rows_table(const struct sql_rows_dialect *dialect, const char *base,
                     const struct table_spec *table);
char *sql_rows_create(const struct sql_rows_dialect *dialect, const char *base,
                      const struct table_spec *table);
char *sql_rows_index(const struct sql_rows_dialect *dialect, const char *base,
                     const struct table_spec *table, const char *method);
char *sql_rows_fill(const struct sql_rows_dialect *dialect, const char *base,
                    const struct table_spec *table, uint64_t first,
                    uint64_t end);
// A SELECT of the user's that calls the tables as the workload does; the rows
// that are dead are not among theirs.
char *sql_rows_question(const struct sql_rows_dialect *dialect,
                        const char *base, const struct tables *tables,
                        const char *select);
enum { SQL_ROWS_BATCH = 256 }; // rows of one statement that fills

#endif
