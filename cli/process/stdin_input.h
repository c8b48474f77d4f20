// SPDX-License-Identifier: GPL-3.0-or-later
// Histories that come through a pipe, and can be read once: they are put into
// temporary files without names, which a reader may go through as often as it
// has to.
#ifndef CLI_PROCESS_STDIN_INPUT_H
#define CLI_PROCESS_STDIN_INPUT_H

#include "recorder/files/reader.h"

// Zero-initialised is empty.
struct stdin_input {
  struct piped_history *histories;
  uint32_t count, room;
};

// Where the history that the user calls `word` can be read: there, unless that
// is `-`, which is stdin, or a pipe; then all of it is taken first, unless its
// start shows that it is none.  NULL with a sentence.
const char *stdin_input_path(struct stdin_input *piped, const char *word,
                             const struct read_options *options,
                             struct error *error);

// The user's name for the path.
const char *stdin_input_word(const struct stdin_input *piped, const char *path);

void stdin_input_free(struct stdin_input *piped);

#endif
