// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a history from a file in any known format.
#ifndef RECORDER_READER_H
#define RECORDER_READER_H

#include "recorder/history.h"

struct history_format {
  const char *name;    // for --format
  const char *summary; // one line for `isostress list`
  // Does a file that starts with these bytes (with a zero byte behind them)
  // look like this format?
  bool (*recognise)(const unsigned char *head, size_t bytes);
  // As history_read; sentences name the file.
  int (*read)(const char *path, struct history *history, struct error *error);
};

// All formats, ending with NULL; our own first.
extern const struct history_format *const history_formats[];

// `format` NULL: recognised from the content.  Returns 0; also for a file whose
// end was lost, with history->complete false and a sentence in `error` about
// what was salvaged (empty otherwise).  -1 with a sentence that names the file
// and the place in it.
int history_read(const char *path, const char *format, struct history *history,
                 struct error *error);

#endif
