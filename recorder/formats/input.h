// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is read from its start to its end through a window, so that a
// history of gigabytes takes no more memory than what it says.  The window has
// a constant size, unless a single text of the file is longer.
#ifndef RECORDER_FORMATS_INPUT_H
#define RECORDER_FORMATS_INPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  INPUT_AHEAD = 1 << 16, // bytes that input_want makes sure of
  INPUT_ROOM = 1 << 18,  // of the window, which input_longer makes larger
  INPUT_BEHIND = 8,
};

struct input {
  const char *path;
  char *p, *end;        // what is there; INPUT_BEHIND zero bytes stand at `end`
  bool at_end;          // of the file: nothing comes after `end`
  uint64_t size;        // of the file when it was opened; of one that is
                        // unpacked, at least what it holds
  uint64_t offset;      // in the file, of the first byte of the buffer
  uint64_t lines;       // line feeds before it...
  uint64_t line_offset; // ...and where the line begins that it is in
  uint64_t counted, counted_lines; // line feeds up to an offset: input_line
  int fd, failure;                 // errno of a read that failed, or 0
  void *unpacker; // gzip's, if the file is an archive; else NULL
  char *buffer;
  size_t room;               // of the buffer
  const volatile bool *stop; // may be NULL; set: the next read fails
};

// Opens a regular file, which is unpacked if it is a gzip archive.  -1 with a
// sentence that starts with the path.
int input_open(struct input *input, const char *path, struct error *error);
// Opens a copy of a text in memory, which `path` names in sentences.
void input_open_text(struct input *input, const char *path, const char *text,
                     size_t bytes);
void input_close(struct input *input);

// Reads on; what is before `p` goes away.
void input_more(struct input *input);

// Makes more available at `p` than there is, however much that is.  False: the
// file has no more.
bool input_longer(struct input *input);

// Makes INPUT_AHEAD bytes available at `p`, or all that the file has left.
static inline void input_want(struct input *input) {
  if ((size_t)(input->end - input->p) < INPUT_AHEAD && !input->at_end)
    input_more(input);
}

// Takes so many bytes, at most INPUT_AHEAD; NULL if the file has fewer left.
static inline const unsigned char *input_take(struct input *input,
                                              size_t bytes) {
  if ((size_t)(input->end - input->p) < bytes) {
    input_want(input);
    if ((size_t)(input->end - input->p) < bytes)
      return NULL;
  }
  char *p = input->p;
  input->p += bytes;
  return (const unsigned char *)p;
}

// The line of the file that `p` is in, from 1.
uint64_t input_line(struct input *input);

// Where `p` is in the file, and how many bytes come from there on.
uint64_t input_offset(const struct input *input);
uint64_t input_rest(const struct input *input);

// -1 with the sentence `PATH:LINE:COLUMN: what` about the place `at` in the
// window, or `PATH: byte N: what`; or that the file could not be read.
int input_refuse(const struct input *input, const char *at, const char *what,
                 struct error *error);
int input_refuse_byte(const struct input *input, uint64_t byte,
                      const char *what, struct error *error);

#endif
