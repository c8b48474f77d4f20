// SPDX-License-Identifier: GPL-3.0-or-later
// A driver with an instrument runs the user's own SQL as it is: it makes the
// user's tables in a place of the run's own, and tells which versions of their
// rows each statement read and wrote.  isostress neither reads nor evaluates
// the SQL: the database says what a statement returns, and its triggers say
// what a statement changed.
//
// The account is held against a level, so it must be true in two ways.
// - Writes are complete: no committed change of a row is missing.
// - Reads are true: a version that is told as read was read.  Reads may be
//   missing: a level asks something of every read, so an order that satisfies
//   the whole history satisfies one with fewer reads, too.
#ifndef DRIVERS_INSTRUMENT_H
#define DRIVERS_INSTRUMENT_H

#include "base/error.h"
#include "base/memory.h"
#include "base/outcome.h"
#include "sql/outline.h"

#include <stdbool.h>
#include <stdint.h>

struct target;
struct connection;

// A version of a row of one table; no two versions of a run have the same
// numbers.
struct seen_version {
  uint32_t table; // of struct instrument_tables
  uint64_t writer, place;
};

// A change of one row by a trigger's account.
struct version_change {
  char kind; // 'I', 'U' or 'D'
  struct seen_version before,
      after;       // of I the second one alone, of D the first
  uint64_t writer; // what `undone` takes; 0: cannot be undone by itself
  int64_t key; // primary key, if that is one whole number from 0 on, else -1
  char *image; // of I and U: the row as the database writes it; owned
};

// The doings of a statement.  Zero-initialised is empty.
struct instrument_answer {
  struct seen_version *seen; // returned, or below an aggregate; may repeat
  uint32_t nseen, seen_room;
  struct version_change *changes; // in the order of their account
  uint32_t nchanges, changes_room;
  uint64_t affected; // rows, as the database counts them
  uint64_t returned; // rows
  // Rows of `affected` that triggers told of, though there is no change of
  // them: found and left as they were, or counted twice by the database.
  uint64_t told_besides;
  bool cut; // more versions were read than are kept: none are told
  // The database undid this statement and went on with the transaction; the
  // connection's code and text say why.
  bool undone;
  // The columns of the first row or, where the caller set `all_rows`, of all,
  // row by row, in the arena; a value may be NULL.
  struct arena arena;
  const char **names, **values;
  uint32_t ncolumns, nrows;
  bool all_rows; // stays as it is set
  // The caller's, who empties it: room for all rows that come back as one line
  // of text (drivers/rows.h), without columns that were added.  NULL: nobody
  // asks for them.
  char *rows;
  uint32_t rows_room;
};
void instrument_answer_clear(struct instrument_answer *answer);

// Room for the values of one more row of `ncolumns`, which is set; NULL: the
// caller of `execute` asked for no further row.
const char **instrument_answer_row(struct instrument_answer *answer);
void instrument_answer_free(struct instrument_answer *answer);

struct instrument_table {
  char *name;     // as the database has it
  char **columns; // likewise
  uint32_t ncolumns;
  uint64_t key; // bits of the columns of its primary key; 0: it has none, or it
                // is not known
  // A statement may find a row, and nobody says so: rules, row-level security,
  // inheritance, triggers of the user's before each row.
  bool hides;
  // Rows change or go, and no trigger tells: by cascades of InnoDB's.  A
  // version that such a change made is told as the version before it.
  bool silent;
};

// A comparison of a column with a constant, as the statements have them.
struct instrument_comparison {
  const char *sign;     // "=", "<>", "<", "<=", ">" or ">="
  const char *constant; // as SQL has it
  int64_t rank;         // of the constant among the values
  bool holds; // the database compares as the ranks do; else `rank` is of no use
};

// Tables with their rows at first.  Zero-initialised is empty.
struct instrument_tables {
  struct instrument_table *all;
  uint32_t n, room;
  struct version_change *first; // of kind I
  uint32_t nfirst, first_room;
};
void instrument_tables_free(struct instrument_tables *tables);

// How the versions that a SELECT reads are asked for: columns are added behind
// its list.
struct instrument_way {
  bool adds;        // else none are
  bool gathers;     // one value has the versions of all rows of a group
  uint32_t ntables; // of the outline's that are known
  struct {
    uint32_t reference; // in outline->tables
    uint32_t table;     // of struct instrument_tables
  } tables[SQL_REFERENCES_MOST];
  const char *why; // it adds none: a constant text; NULL: it needs none
};

struct instrument {
  const struct sql_dialect *dialect;

  // Not required.  The name of a level of the driver's at which nobody could
  // tell which versions were read.
  const char *not_at;

  // Called once, in place of driver->setup: makes a schema of the run's own in
  // place of one that an earlier run made, executes the user's schema in it,
  // and has every change of its tables told.  On a failure nothing is changed.
  // `path` is for sentences.  `tables` stays where it is until the target
  // closes.
  int (*setup)(struct target *target, const char *path, const char *schema,
               struct instrument_tables *tables, struct error *error);

  // Not required: 1 once another host of the database has what setup made at
  // `first`, which sessions may then speak to; 0: not yet; -1 with a sentence.
  int (*follow)(struct target *target, const struct target *first,
                struct error *error);

  // Chooses the way for a statement.  Asks the database on a connection of the
  // target's own, one call at a time; executes nothing.
  void (*choose)(struct target *target, const char *text,
                 const struct sql_outline *outline,
                 const struct instrument_tables *tables,
                 struct instrument_way *way);

  // In an open transaction: executes a statement in that way.  Changes that
  // come with the answer of a later commit are added to the same answer, which
  // therefore stays until then.
  enum outcome (*execute)(struct connection *connection, const char *text,
                          const struct sql_outline *outline,
                          const struct instrument_way *way,
                          struct instrument_answer *answer);

  // After the run, with no connection open: the versions that the tables hold.
  // Kind, `after` and key of each are set; added to `found`.
  int (*read_tables)(struct target *target,
                     const struct instrument_tables *tables,
                     struct instrument_tables *found, struct error *error);

  // After the run: ranks the values that a column has in the images of rows,
  // from 1 on, 0 for NULL, with the constants among them.  -1 with a sentence:
  // the database cannot.
  int (*rank)(struct target *target, const struct instrument_tables *tables,
              uint32_t table, const char *column, const char *const *images,
              uint32_t n, int64_t *ranks,
              struct instrument_comparison *comparisons, uint32_t ncomparisons,
              struct error *error);

  // After the run: which writers took back what they wrote, though their
  // transaction committed (a block of a function that failed).
  int (*find_undone)(struct target *target, const uint64_t *writers, uint32_t n,
                     bool *undone, struct error *error);
};

#endif
