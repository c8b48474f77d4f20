// SPDX-License-Identifier: GPL-3.0-or-later
// One sentence that tells a person what the world (a file, a socket, an input)
// did and what to do about it.  The database's own failures are not errors in
// this sense: they are outcomes (base/outcome.h).
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { ERROR_ROOM = 4096 };

struct error {
  char text[ERROR_ROOM]; // empty until error_set; never ends in a newline
  bool usage;            // what a person wrote is at fault, not the world
};

// Writes the sentence and returns -1, so that a failing function can end in
// `return error_set(error, "...")`.  An earlier sentence is overwritten.
int error_set(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Like error_set, for wrong usage: a person has to write something else.
int error_set_usage(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// "PATH: cannot be DONE: ", and errno in words; returns -1.
int error_cannot(struct error *error, const char *path, const char *done);

// Puts `prefix: ` before the sentence that is there; returns -1.
int error_prefix(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Replaces `path` by `called` if the sentence starts with it.
void error_rename(struct error *error, const char *path, const char *called);

// Copies another program's message as one line into `room` bytes and cuts off
// the rest.  A run of line breaks and tabs becomes one blank.
void error_one_line(char *text, size_t room, const char *words);

// Writes a sentence for a terminal.  Files, job files, scripts and paths that
// it quotes may have control characters, which would be commands to the
// terminal: they become \\x1b and the like.
void error_put(FILE *out, const char *sentence);

#endif
