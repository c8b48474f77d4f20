// SPDX-License-Identifier: GPL-3.0-or-later
// Histories that are checked without being loaded.
#ifndef CLI_JOBS_STREAMING_H
#define CLI_JOBS_STREAMING_H

#include "checker/stream/stream.h"
#include "cli/settings/settings.h"

// Opens the file if it is to be checked as a stream, in a process that may
// allocate `limit` bytes, 0 for any number; else *flow is NULL.  -1 with a
// sentence: the settings ask for it, and it cannot be done.
int streaming_open(struct flow **flow, const char *path,
                   const struct settings *settings, size_t limit,
                   const volatile bool *stop, struct error *error);

// The level that the first transaction was run at; ISOLATION_NONE if it cannot
// be read.
enum isolation streaming_level(struct flow *flow);

// Checks it.  `history` becomes what the verdict is about: the part of a
// violation, or the number of sessions and keys alone.  -1 with a sentence.
int streaming_check(struct flow *flow, const struct check_options *options,
                    size_t limit, struct history *history,
                    struct verdict *verdict, struct error *error);

#endif
