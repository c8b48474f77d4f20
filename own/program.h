// SPDX-License-Identifier: GPL-3.0-or-later
// A program of the user's that makes transactions: a process for each session,
// which writes a line of JSON for each statement and reads one for each answer
// (examples/programs/README.md).
#ifndef OWN_PROGRAM_H
#define OWN_PROGRAM_H

#include "base/json_read.h"

#include <stdbool.h>
#include <stdint.h>

struct raw_program;

// Is the file one that may be executed, and no text of SQL?
bool raw_program_is(const char *path);

// Starts it for a session, with the environment and ISOSTRESS_SESSION and
// ISOSTRESS_SEED.  It is waited for so many ns at a time.  NULL with a
// sentence.
struct raw_program *raw_program_start(const char *path, uint32_t session,
                                      uint64_t seed, uint64_t patience,
                                      struct error *error);

// Closes its stdin, and kills it if it does not end soon.
void raw_program_stop(struct raw_program *program);

enum raw_said {
  RAW_SAID_LINE,    // `*message` is an object, until the next call
  RAW_SAID_NOTHING, // it has ended, as a program that is done
  RAW_SAID_STOP,    // `stopped` said so
  RAW_SAID_TROUBLE, // with a sentence
};

// Waits for its next line.
enum raw_said raw_program_read(struct raw_program *program,
                               bool (*stopped)(const void *context),
                               const void *context,
                               const struct json_value **message,
                               struct error *error);

// Writes a line, which ends in a newline.  -1 with a sentence: the program has
// ended, or does not read.
int raw_program_write(struct raw_program *program, const char *line,
                      size_t bytes, struct error *error);

#endif
