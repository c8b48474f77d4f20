// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a history from a file in any known format.
#ifndef RECORDER_FILES_READER_H
#define RECORDER_FILES_READER_H

#include "recorder/formats/format.h"

// All formats, ending with NULL; our own first.
extern const struct history_format *const history_formats[];

// NULL with a sentence if there is none of this name.
const struct history_format *history_format_named(const char *name,
                                                  struct error *error);

// The format of a file or directory, by its content; NULL with a sentence if it
// is none that we know.
const struct history_format *history_format_of(const char *path,
                                               struct error *error);

// `format` NULL: recognised from the content.  Returns 0; also for a file whose
// end was lost, with history->complete false and a sentence in `error` about
// what was salvaged (empty otherwise).  -1 with a sentence that names the file
// and the place in it.
int history_read(const char *path, const char *format, struct history *history,
                 struct error *error);
int history_read_with(const char *path, const struct read_options *options,
                      struct history *history, struct error *error);

#endif
