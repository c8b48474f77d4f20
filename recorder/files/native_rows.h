// SPDX-License-Identifier: GPL-3.0-or-later
// Records the statements and rows of a history that came from elsewhere in our
// own format.  There a stamp says which statement of which session wrote a
// version, so all stamps are new ones.
#ifndef RECORDER_FILES_NATIVE_ROWS_H
#define RECORDER_FILES_NATIVE_ROWS_H

#include "recorder/formats/row_notation.h"

#include "base/memory.h"
#include "sql/tables.h"

struct session_log;

struct native_rows {
  const struct history *h;
  struct arena arena;
  struct tables tables; // those of the history, as a run describes them
  struct row_stamps stamps;
};

// -1 with a sentence if our format has no place for something in the history.
int native_rows_open(struct native_rows *rows,
                     const struct export_writing *writing);
void native_rows_close(struct native_rows *rows);

// The statements of a transaction that has begun.
void native_rows_record(const struct native_rows *rows, struct session_log *log,
                        uint32_t txn);

#endif
