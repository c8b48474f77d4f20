// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a run as lines of text (recorder/native/FORMAT.md).
#ifndef RECORDER_NATIVE_TABLES_TEXT_H
#define RECORDER_NATIVE_TABLES_TEXT_H

#include "base/error.h"
#include "base/memory.h"
#include "sql/tables.h"

// Free with free().
char *tables_text(const struct tables *tables);

// Reads such lines; what `tables` points to is the arena's.  -1 with a sentence
// about a line, counted from 1.
int tables_read(const char *text, struct arena *arena, struct tables *tables,
                struct error *error);

#endif
