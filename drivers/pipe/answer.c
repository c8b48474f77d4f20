// SPDX-License-Identifier: GPL-3.0-or-later
// Reads answers (drivers/pipe/answer.h).
#include "config.h"

#include "drivers/pipe/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool answer_read(struct pipe_answer *answer, const char *line, size_t length) {
  struct error error;
  if (!answer->start.chunks || answer->arena.chunks != answer->start.chunks) {
    arena_free(&answer->arena);
    arena_take(&answer->arena, 1);
    answer->start = answer->arena;
  }
  answer->arena = answer->start;
  answer->root = json_read(&answer->arena, line, length, &error);
  if (answer->root && answer->root->type != JSON_OBJECT)
    answer->root = NULL;
  return answer->root;
}

void answer_free(struct pipe_answer *answer) { arena_free(&answer->arena); }

bool answer_whole(const struct json_value *value, uint64_t *number) {
  *number = 0;
  if (value && value->type == JSON_NULL)
    return true;
  if (!value || (value->type != JSON_NUMBER && value->type != JSON_STRING))
    return false;
  const char *digits = value->text + (value->text[0] == '-');
  char *end;
  errno = 0;
  *number = strtoull(digits, &end, 10);
  if (digits != value->text)
    *number = -*number;
  return *digits >= '0' && *digits <= '9' && !*end && !errno;
}

const char *answer_text(const struct json_value *value) {
  return value && (value->type == JSON_NUMBER || value->type == JSON_STRING)
             ? value->text
             : "";
}
