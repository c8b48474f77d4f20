// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a history in memory from a stream of sessions, transactions and
// operations: what every reader of a foreign format, and every test, uses.
#ifndef RECORDER_BUILDER_BUILDER_H
#define RECORDER_BUILDER_BUILDER_H

#include "recorder/history.h"

// The value of a key before anything was written to it;
// recorder/builder/initial_policy.c says what that means.
enum initial {
  INITIAL_BY_FORMAT,  // as the format of the file has it
  INITIAL_IMPLICIT,   // 0 or nothing, which no transaction wrote
  INITIAL_EXPLICIT,   // nothing: what is read was written by a transaction
  INITIAL_FIRST_READ, // what is read first: recorder/builder/first_reads.h
  INITIAL_VALUE,      // a value that the user names
  INITIAL_BY_CONTENT, // explicit if some transaction writes 0, else implicit
  INITIAL_BY_SESSION, // likewise, but for a session that does nothing else
  INITIAL_BY_KEY,     // likewise, key by key
};

struct builder;

struct builder_options {
  enum initial initial; // zero: INITIAL_IMPLICIT
  // INITIAL_VALUE: every register holds at first the value that is printed like
  // this, which transactions may write, too.
  const char *initial_value;
  bool prefer_lists; // where a key has nothing but reads of nothing
  // A value may be written more than once: a read of it may then be of any of
  // the writes (history->again), the first of which it is taken to have seen.
  bool allow_duplicates;
  // A write adds to a set where the key is one: the file has one word for both.
  bool writes_add;
  const volatile bool *stop; // set: builder_finish gives up; may be NULL
};

struct builder *builder_open(void);
// To be set before anything is told.
struct builder_options *builder_options(struct builder *builder);
// Gives up; builder_finish does it too.
void builder_free(struct builder *builder);

// Before the first operation: about so many will come.
void builder_expect_ops(struct builder *builder, uint64_t nops);

// Sessions are named by the caller's number, in any order and interleaved;
// within one, transactions come in session order.  Times may be TIME_UNKNOWN.
void builder_txn(struct builder *builder, uint64_t session,
                 enum outcome outcome, enum isolation level, uint64_t begin,
                 uint64_t end);

// The last transaction was there before all others: what it wrote is what the
// keys hold at first, and nothing else is left of it.  Where the user says what
// they hold, it is one like any other.
void builder_first(struct builder *builder);

// Facts about the last transaction that became known after its operations were
// told.
void builder_session(struct builder *builder, uint64_t session);
void builder_outcome(struct builder *builder, enum outcome outcome);
void builder_level(struct builder *builder, enum isolation level);
void builder_times(struct builder *builder, uint64_t begin, uint64_t end);

// Why the last transaction did not commit; CAUSE_OTHER if nothing is said.
void builder_cause(struct builder *builder, enum cause cause);

// The number of the host that the last transaction went to, below
// HISTORY_NO_ENDPOINT.
void builder_endpoint(struct builder *builder, uint8_t endpoint);

// Operations of the last transaction.  `key` is its number outside.
void builder_op(struct builder *builder, enum op_kind kind, uint64_t key,
                uint64_t value);
// The value that a read of nothing saw in a register, and that a CAS of nothing
// expected: a value that nobody wrote, where keys need not hold nothing at
// first.
uint64_t value_of_nothing(enum initial initial);
// A CAS that took place.
void builder_cas(struct builder *builder, uint64_t key, uint64_t expected,
                 uint64_t value);
void builder_list(struct builder *builder, uint64_t key, const uint64_t *values,
                  uint32_t count);
// Sets, which only grow: a read of one found these elements and no other;
// adding one.  In that line of the file.
void builder_set(struct builder *builder, uint64_t key,
                 const uint64_t *elements, uint32_t count, uint64_t line);
void builder_add(struct builder *builder, uint64_t key, uint64_t element,
                 uint64_t line);
// A read that found nothing, where only the other operations on the key tell
// whether that was an empty list or the initial value of a register.
void builder_nothing(struct builder *builder, uint64_t key);

// The last `nrows` operations, all reads, are what a query of the keys from low
// to high found, both included.  Keys are whole numbers here, or texts that are
// one with a sign.  A key of the range that some transaction writes, or that
// held something at first, and that was not found, held nothing: this is a read
// of it before the others.
void builder_range(struct builder *builder, int64_t low, int64_t high,
                   uint32_t nrows);

// --- Rows and statements of SQL (recorder/rows.h).

// A table, and the names of its columns, which are copied.  Returns its number;
// there are at most ROW_TABLES.
uint32_t builder_table(struct builder *builder, const char *name,
                       const char *const *columns, uint32_t ncolumns);
const struct rows *builder_rows(struct builder *builder); // so far
// The table of that name, or ROWS_NONE; the names of its columns.
uint32_t builder_table_named(const struct builder *builder, const char *name,
                             size_t length);
struct predicate_columns builder_columns(const struct builder *builder,
                                         uint32_t table);

// A row that was there before everything, its columns in their order.
void builder_preload(struct builder *builder, uint32_t table, int64_t key,
                     const int64_t *image);

// A condition, which many statements may have with parameters of their own.
// Returns its number.
uint32_t builder_condition(struct builder *builder, uint32_t table,
                           const struct predicate *predicate);

// The effect of a statement on one row.
struct told_row {
  int64_t key;
  uint8_t kind; // enum op_kind: OP_ROW, OP_ROW_INSERT...
  uint64_t saw; // stamp of the version that was found; 0: the preloaded one.
                // An insert found none
  // The columns as the statement returned or wrote them.  NULL: a delete, or a
  // row that came back without them.
  const int64_t *image;
};

struct told_statement {
  uint8_t sort; // enum statement_sort
  uint32_t table;
  uint32_t condition; // or NO_CONDITION; of STATEMENT_INSERT_NEW the keys that
                      // it would insert (predicate_names_keys)
  const int64_t *parameters; // as many as the condition has
  uint64_t stamp;            // of what it writes; 0 if it writes nothing
  const struct told_row *rows;
  uint32_t nrows;
  const struct statement_times *times; // NULL: not known
};

// A statement of the last transaction, behind the operations told so far.
void builder_statement(struct builder *builder,
                       const struct told_statement *statement);

// The numbers of a key and of a value that are texts.
uint64_t builder_key_named(struct builder *builder, const char *text,
                           size_t length);
uint64_t builder_value_named(struct builder *builder, const char *text,
                             size_t length);

// Where initial values are by key, 0 is told as VALUE_ZERO until all of the
// history is known, elsewhere as VALUE_INITIAL.  Returns which; with `written`
// a transaction writes it.  Numbers from VALUE_NAMED on are to be told as texts
// then.
#define VALUE_ZERO (VALUE_NAMED + UINT32_MAX) // no text has this number
uint64_t builder_zero(struct builder *builder, bool written);

// Gives key number `key` a name for printing.
void builder_name_key(struct builder *builder, uint64_t key, const char *name);

// Resolves reads to writers by key and value, and frees the builder.  -1 with a
// sentence if a value was written twice to a key (the initial value counts as
// written), or if there are too many transactions or operations, or if it was
// stopped.  Sessions come in the order of their numbers.
int builder_finish(struct builder *builder, struct history *history,
                   struct error *error);

#endif
