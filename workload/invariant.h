// SPDX-License-Identifier: GPL-3.0-or-later
// A question to the tables of a run whose answer never changes: one number of a
// SELECT.
#ifndef WORKLOAD_INVARIANT_H
#define WORKLOAD_INVARIANT_H

#include "workload/workload.h"

// The number, or NULL: the sum of no row, or a column of no row.
struct invariant_answer {
  bool none;
  int64_t is;
};

struct invariant;

// Reads `SELECT COUNT(*) FROM t WHERE ...` and the like; the workload has
// tables.  NULL with a sentence.
struct invariant *invariant_open(const struct workload *workload,
                                 const struct workload_options *options,
                                 const char *select, int64_t equals,
                                 struct error *error);
void invariant_close(struct invariant *invariant);

// The tables of the workload with the condition of the question among their
// templates; to be freed, before the invariant is closed.
struct tables *invariant_tables(const struct invariant *invariant);

// The question; `statement` points into the invariant.
void invariant_ask(const struct invariant *invariant,
                   struct statement *statement);
struct invariant_answer invariant_answer(const struct invariant *invariant,
                                         const struct row_list *rows);
bool invariant_holds(const struct invariant *invariant,
                     struct invariant_answer answer);

const char *invariant_text(const struct invariant *invariant);
int64_t invariant_equals(const struct invariant *invariant);

#endif
