// SPDX-License-Identifier: GPL-3.0-or-later
// Files of witnesses (checker/witness/witness.h).
#ifndef CLI_JOBS_WITNESS_FILE_H
#define CLI_JOBS_WITNESS_FILE_H

#include "checker/witness/witness.h"
#include "recorder/files/reader.h"

// Writes the proof of a verdict, all of the file or nothing; of an undecided
// one nothing, which is said on stderr.  -1 with a sentence.
int witness_keep(const char *path, const struct history *history,
                 const struct read_options *reading,
                 const struct verdict *verdict, struct error *error);

// Reads a file, whatever it is; free bytes->bytes in both cases.  -1 with a
// sentence.
int witness_load(const char *path, struct witness_bytes *bytes,
                 struct error *error);

#endif
