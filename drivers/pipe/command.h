// SPDX-License-Identifier: GPL-3.0-or-later
// All processes of one command share this: how it is started, what they wrote
// to stderr, and whether one of them gave an answer that means nothing.
#ifndef DRIVERS_PIPE_COMMAND_H
#define DRIVERS_PIPE_COMMAND_H

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pipe_command {
  const char *text;      // for /bin/sh; outlives this
  char name[96];         // the text between quotes, for sentences
  uint64_t patience;     // how long to wait for an answer, ns
  pthread_mutex_t mutex; // guards the rest
  char *chatter;         // the end of what was written to stderr
  size_t nchatter;
  bool broken;      // an answer meant nothing: none is to be believed
  struct error why; // the sentence
};

void pipe_command_init(struct pipe_command *command, const char *text,
                       uint64_t patience);
void pipe_command_free(struct pipe_command *command);

// Notes what a process wrote to stderr.
void pipe_chatter_note(struct pipe_command *command, const char *bytes,
                       size_t nbytes);
// Copies the last line that is not empty; "" if there is none.
void pipe_chatter_last(struct pipe_command *command, char *line, size_t room);
void pipe_chatter_write(struct pipe_command *command, FILE *out);

// From now on nothing that the command said is believed.  The first sentence is
// kept; it follows the command's name.
void pipe_discredit(struct pipe_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Copies the sentence if there is one.
bool pipe_is_discredited(struct pipe_command *command, struct error *error);

#endif
