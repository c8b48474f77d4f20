// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the conditions of one transaction's statements look for rows that
// another transaction wrote.
//
// A condition looks for a row that another transaction writes if the row
// satisfies it before that transaction or after it.  If it does so only before
// or only after, then the transaction moves the row out of the condition or
// into it, and the statement may miss the row.
#ifndef CHECKER_CHANCES_SEARCH_H
#define CHECKER_CHANCES_SEARCH_H

#include "recorder/history.h"

// A summary of a set of rows.  The summaries of two sets tell whether each set
// has a row that is not the row of the other one (some_rows_differ).
struct some_rows {
  uint32_t key; // of one row of the set
  bool any, several;
};

// The rows of a transaction that the conditions of another one look for.
struct chance_search {
  struct some_rows looked_for;
  bool moved;     // one of these moves into a condition or out of it
  bool wanted;    // one of these satisfies a condition afterwards
  bool early;     // a version that the transaction replaced itself does so
  bool fractured; // two satisfy one condition afterwards, of which one moves in
  bool repeated;  // one moves into a condition, and one satisfies afterwards
                  // the condition of another statement
};

// A row that a transaction wrote.
struct written_version {
  uint32_t key;
  uint32_t before, after; // versions; `before` is UINT32_MAX for none
  bool last;              // false: it replaced the version `after` itself
};

struct written_rows {
  uint32_t count, room;
  struct written_version *items;
};

// Whose conditions count: with `plain_reads` those of plain SELECTs.
struct searcher {
  const struct history *history; // with rows
  bool plain_reads;
  uint32_t nlisted; // rows, so far
  uint32_t *places; // per key: how many rows had been listed with its last one
  uint64_t steps;   // that were taken so far, as a measure of the time
};

void searcher_open(struct searcher *searcher, const struct history *history,
                   bool plain_reads);
void searcher_close(struct searcher *searcher);

// Lists the rows that a transaction wrote; free `items` at last.
void searcher_list(struct searcher *searcher, uint32_t txn,
                   struct written_rows *rows);

// Holds rows that another transaction wrote against the conditions of `txn`.  A
// row that `txn` wrote before a statement shows this statement nothing of the
// other transaction.
struct chance_search searcher_look(struct searcher *searcher, uint32_t txn,
                                   const struct written_rows *rows);

// Did it find a version of any row?
static inline bool search_found(const struct chance_search *search) {
  return search->looked_for.any || search->early;
}

// Is there a row in the one set, and a different row in the other one?
static inline bool some_rows_differ(const struct some_rows *one,
                                    const struct some_rows *other) {
  return one->any && other->any &&
         (one->several || other->several || one->key != other->key);
}

#endif
