// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as files of comma-separated values (RFC 4180): what a sweep keeps and
// reads again.
#ifndef SWEEP_TABLE_H
#define SWEEP_TABLE_H

#include "base/error.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>

// Zero-initialised is empty.
struct table {
  struct arena arena; // of all texts
  const char **names; // of the columns
  uint32_t ncolumns;
  const char ***rows; // each of ncolumns texts
  uint32_t nrows, room;
};

// -1 with a sentence that names the file and the line.  A last line without its
// end, which was being written, is left out.  Free in both cases.
int table_read(const char *path, struct table *table, struct error *error);
void table_free(struct table *table);

// The column of this name; UINT32_MAX if there is none.
uint32_t table_column(const struct table *table, const char *name);
// Text of a row in the column of this name; "" if there is no such column.
const char *table_text(const struct table *table, uint32_t row,
                       const char *name);
// The text as a number; NAN if it is none.
double table_number(const struct table *table, uint32_t row, const char *name);

// Writes one value, in quotes where it needs them, after a comma unless it is
// the first of its line.
void table_put(FILE *out, const char *value, int first);

#endif
