// SPDX-License-Identifier: GPL-3.0-or-later
// State that the processes of a command share (drivers/pipe/command.h).
#include "config.h"

#include "drivers/pipe/command.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CHATTER_KEPT = 1 << 16, CHATTER_ROOM = 2 * CHATTER_KEPT };

void pipe_command_init(struct pipe_command *command, const char *text,
                       uint64_t patience) {
  char line[sizeof command->name];
  *command = (struct pipe_command){.text = text, .patience = patience};
  pthread_mutex_init(&command->mutex, NULL);
  error_one_line(line, sizeof line, text);
  snprintf(command->name, sizeof command->name, "'%.80s%s'", line,
           strlen(line) > 80 ? "..." : "");
}

void pipe_command_free(struct pipe_command *command) {
  pthread_mutex_destroy(&command->mutex);
  free(command->chatter);
}

void pipe_chatter_note(struct pipe_command *command, const char *bytes,
                       size_t nbytes) {
  if (nbytes > CHATTER_KEPT) {
    bytes += nbytes - CHATTER_KEPT;
    nbytes = CHATTER_KEPT;
  }
  pthread_mutex_lock(&command->mutex);
  if (!command->chatter)
    command->chatter = xmalloc(CHATTER_ROOM);
  if (command->nchatter + nbytes > CHATTER_ROOM) {
    const size_t kept = CHATTER_KEPT - nbytes;
    memmove(command->chatter, command->chatter + command->nchatter - kept,
            kept);
    command->nchatter = kept;
  }
  memcpy(command->chatter + command->nchatter, bytes, nbytes);
  command->nchatter += nbytes;
  pthread_mutex_unlock(&command->mutex);
}

void pipe_chatter_last(struct pipe_command *command, char *line, size_t room) {
  pthread_mutex_lock(&command->mutex);
  const char *text = command->chatter;
  size_t end = command->nchatter;
  while (end && strchr("\n\r ", text[end - 1]))
    end--;
  size_t first = end;
  while (first && text[first - 1] != '\n')
    first--;
  snprintf(line, room, "%.*s", (int)(end - first), text ? text + first : "");
  pthread_mutex_unlock(&command->mutex);
}

void pipe_chatter_write(struct pipe_command *command, FILE *out) {
  pthread_mutex_lock(&command->mutex);
  const size_t skipped =
      command->nchatter > CHATTER_KEPT ? command->nchatter - CHATTER_KEPT : 0;
  if (command->chatter)
    fwrite(command->chatter + skipped, 1, command->nchatter - skipped, out);
  pthread_mutex_unlock(&command->mutex);
}

void pipe_discredit(struct pipe_command *command, const char *format, ...) {
  char text[512], line[sizeof text];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  error_one_line(line, sizeof line, text);
  pthread_mutex_lock(&command->mutex);
  if (!command->broken)
    error_set(&command->why, "the driver %s %s", command->name, line);
  command->broken = true;
  pthread_mutex_unlock(&command->mutex);
}

bool pipe_is_discredited(struct pipe_command *command, struct error *error) {
  pthread_mutex_lock(&command->mutex);
  const bool broken = command->broken;
  if (broken)
    *error = command->why;
  pthread_mutex_unlock(&command->mutex);
  return broken;
}
