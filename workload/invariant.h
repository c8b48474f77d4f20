// SPDX-License-Identifier: GPL-3.0-or-later
// A question to the tables of a run whose answer never changes: one number of a
// SELECT.  It is a statement on rows (sql/tables.h), which a history has, where
// the reader of scripts takes it.  Otherwise it is the database's own SQL, sent
// as it is, and in no history.
#ifndef WORKLOAD_INVARIANT_H
#define WORKLOAD_INVARIANT_H

#include "workload/workload.h"

// The number, or NULL: the sum of no row, or a column of no row.
struct invariant_answer {
  bool none;
  bool is_whole; // it is a whole number of 64 bits, `is`
  int64_t is;
  char words[32]; // as the database said it
};

struct invariant;

// Reads `SELECT COUNT(*) FROM t WHERE ...` and the like; the workload has
// tables, or is one of texts, whose invariant is own SQL.  With `own_sql` the
// database takes what the reader of scripts does not.  NULL with a sentence.
struct invariant *invariant_open(const struct workload *workload,
                                 const struct workload_options *options,
                                 const char *select, int64_t equals,
                                 bool own_sql, struct error *error);
void invariant_close(struct invariant *invariant);

// Is it sent as it is?  Then invariant_ask is not called.
bool invariant_is_own_sql(const struct invariant *invariant);

// The tables of the workload with the condition of the question among their
// templates; to be freed, before the invariant is closed.  NULL: the workload
// is one of texts.
struct tables *invariant_tables(const struct invariant *invariant);

// The question; `statement` points into the invariant.
void invariant_ask(const struct invariant *invariant,
                   struct statement *statement);
struct invariant_answer invariant_answer(const struct invariant *invariant,
                                         const struct row_list *rows);
// From a line of rows (drivers/rows.h).
struct invariant_answer invariant_answer_of_line(const char *line);
bool invariant_holds(const struct invariant *invariant,
                     struct invariant_answer answer);

const char *invariant_text(const struct invariant *invariant);
int64_t invariant_equals(const struct invariant *invariant);

#endif
