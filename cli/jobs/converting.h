// SPDX-License-Identifier: GPL-3.0-or-later
// A history written in another format, with a line for each thing that gets
// lost.
#ifndef CLI_JOBS_CONVERTING_H
#define CLI_JOBS_CONVERTING_H

#include "cli/settings/settings.h"
#include "recorder/files/reader.h"

// The format that --to names or the end of the path says; NULL: neither says
// one.  -1 with a sentence if there is no such format.
int converting_format(const struct settings *settings, const char *path,
                      const struct history_format **format,
                      struct error *error);

// Reads the history at `in` as the settings say, and writes it to `out` (`-`:
// stdout), which nobody ever sees a part of.  stderr has a line for each thing
// that the format cannot represent.  Catches signals while it writes.  -1 with
// a sentence.
int convert_history(const struct settings *settings, const char *in,
                    const char *out, const struct history_format *format,
                    struct error *error);

#endif
