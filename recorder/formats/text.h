// SPDX-License-Identifier: GPL-3.0-or-later
// The notation of formats/TEXT.md.
#ifndef RECORDER_FORMATS_TEXT_H
#define RECORDER_FORMATS_TEXT_H

#include "recorder/formats/export.h"

// The longest name of a key.
enum { TEXT_NAME_MAX_BYTES = 64 };
// Where the name that begins at `p` ends: at `p` if none does.
const char *text_end_of_name(const char *p);

// 0; -1 with a sentence in w->error where the history cannot be written.
int text_write(struct export_writing *w);

#endif
