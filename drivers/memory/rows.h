// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows in memory: the versions of every row, oldest first, over one
// order of commits, and a transaction's view of them.
//
// A snapshot is a prefix of the commits, so every level up to PC is kept by
// reading one (RC: one for each statement).  From SI on a commit is refused if
// somebody has written one of its rows since; from SER on, if somebody has
// written a row that one of its statements matched, or would match now.  A
// statement sees all rows of its table in one snapshot, whether it returns them
// or not.
//
// With full=1 a statement also tells all rows that it found, and a transaction
// is held to these as if it had selected the whole table first: its level is
// that of the history with them.
#ifndef DRIVERS_MEMORY_ROWS_H
#define DRIVERS_MEMORY_ROWS_H

#include "base/isolation.h"
#include "sql/tables.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct memory_connection;

struct stored_version {
  uint64_t seq;     // of the commit that wrote it; 0: it was there at first
  uint64_t stamp;   // of the statement that wrote it
  uint32_t session; // of the writer
  bool dead;        // the row was deleted
  uint64_t seen_by; // sessions that it was returned to, see row_class
  int64_t *image;   // owned
};

struct stored_row {
  uint64_t key;
  struct stored_version *versions; // never none
  uint32_t count, room;
  bool forgot; // it had versions that are gone
};

struct stored_table {
  const struct table_spec *spec;
  struct stored_row *rows; // by key
  uint32_t count, room;
};

// One row that a commit wrote.
struct row_change {
  uint64_t seq, key;
  uint32_t table;
};

enum { ROW_CLASSES = 64 };
static inline uint32_t row_class(uint32_t session) {
  return session % ROW_CLASSES;
}

// Rows as transactions wrote them that were aborted, the last ones, for the bug
// AbortedRead.
enum { HIDDEN_ROWS = 64 };
struct hidden_row {
  uint32_t table;
  uint64_t key;
  struct stored_version version; // of no commit; without an image: none
};

struct row_store {
  pthread_mutex_t lock; // over all that follows
  const struct tables *tables;
  struct stored_table table[TABLES_MOST];
  uint64_t seq;                      // of the last commit
  uint64_t last_commit[ROW_CLASSES]; // of the sessions of a class
  struct row_change *changes;        // by seq, as far back as a snapshot is
  size_t nchanges, changes_room;
  uint64_t *snapshots; // per session: its oldest in use; UINT64_MAX: none
  uint32_t nsessions, lag;
  struct hidden_row hidden[HIDDEN_ROWS];
  uint64_t nhidden; // ever
};

// The last write of a transaction to a row.
struct own_version {
  uint32_t table;
  uint64_t key, stamp;
  bool born, dead; // it inserted the row; the row is deleted
  int64_t *image;  // owned
};

// A version that was returned to it.
struct shown_row {
  uint32_t table;
  uint64_t key, seq;
};

// A condition that it has asked for.
struct asked {
  bool all; // TRUE, whatever the template
  uint32_t table, template;
  uint64_t snapshot;
  int64_t params[PREDICATE_PARAMETERS];
};

struct row_transaction {
  enum isolation level;
  bool weakened;     // by a bug, when it began
  uint64_t snapshot; // of its first statement, or of the last one at RC
  uint64_t hidden;   // a commit that it does not see; 0: none
  uint32_t nasked, nown, nshown;
  uint32_t asked_room, own_room, shown_room;
  struct asked *asked;
  struct own_version *own;
  struct shown_row *shown;
};

// ---- row_store.c

// The rows that the tables have at first.  `lag` is how many commits a snapshot
// may be behind.
struct row_store *row_store_open(const struct tables *tables,
                                 uint32_t nsessions, uint32_t lag);
void row_store_close(struct row_store *store);

// NULL: there never was one, or it was forgotten after it had died.
struct stored_row *row_find(const struct stored_table *table, uint64_t key);

// The newest version of the row up to this commit, but not by `hidden`; NULL
// for none.
struct stored_version *row_visible(const struct stored_row *row,
                                   uint64_t snapshot, uint64_t hidden);

static inline const struct stored_version *
row_newest(const struct stored_row *row) {
  return &row->versions[row->count - 1];
}

// Did this commit write the row?
bool row_was_written(const struct stored_row *row, uint64_t seq);

// Adds a version of the row by the commit after store->seq, takes over its
// image, and forgets what no snapshot sees any more.
void row_add(struct row_store *store, uint32_t table, uint64_t key,
             const struct stored_version *version);

// Remembers what an aborted transaction wrote to a row, and takes over its
// image.
void row_hide(struct row_store *store, uint32_t table, uint64_t key,
              const struct stored_version *version);

// All rows of the commit after store->seq have been added.
void row_publish(struct row_store *store, uint32_t session);

// ---- row_view.c

void rows_begin(struct memory_connection *c, enum isolation level);
enum outcome rows_execute(struct memory_connection *c,
                          const struct statement *statement, uint64_t stamp,
                          struct row_list *list);

// ---- row_commit.c

// May it commit?  Then it does.  It stays to be forgotten.
enum outcome rows_finish(struct memory_connection *c);
void rows_forget(struct memory_connection *c);

// The transaction is aborted: what it wrote may be shown by a bug.
void rows_hide(struct memory_connection *c);

#endif
