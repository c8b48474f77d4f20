// SPDX-License-Identifier: GPL-3.0-or-later
// The formats that histories are read from; reader.c has the table.
#ifndef RECORDER_FORMATS_FORMATS_H
#define RECORDER_FORMATS_FORMATS_H

#include "recorder/reader.h"

extern const struct history_format format_native;  // FORMAT.md
extern const struct history_format format_text;    // formats/TEXT.md
extern const struct history_format format_bincode; // dbcop, PolySI

#endif
