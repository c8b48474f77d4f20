// SPDX-License-Identifier: GPL-3.0-or-later
// The level in effect (runner/level.h).
#include "config.h"

#include "runner/level.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { EVERY = 1000 }; // transactions of a session

// "transaction_isolation,REPEATABLE-READ" becomes "repeatable read".
static void words_of(char *rows) {
  const char *comma = strrchr(rows, ',');
  if (comma)
    memmove(rows, comma + 1, strlen(comma));
  for (char *c = rows; *c; c++)
    *c = *c == '-' ? ' ' : (char)tolower((unsigned char)*c);
}

static bool read_level(struct session *s, char *rows, size_t room) {
  const struct driver *driver = s->driver;
  if (driver->begin(s->connection, s->level) != OUTCOME_OK) {
    if (!s->connection->broken)
      driver->rollback(s->connection);
    return false;
  }
  const bool told =
      driver->sql(s->connection, driver->level_query, rows, room) == OUTCOME_OK;
  if (!s->connection->broken)
    driver->rollback(s->connection);
  words_of(rows);
  return told && *rows;
}

// Apart, so that the transactions that do not ask have no array to clear.
static __attribute__((noinline)) void ask(struct session *s) {
  char rows[128] = "";
  s->next_level_ask = s->ntransactions + EVERY;
  if (read_level(s, rows, sizeof rows) && strcmp(rows, s->level->name))
    tally_level(&s->tally, s->level->name, rows);
}

bool level_ask(struct session *s) {
  if (!s->driver->level_query || !s->connection || s->closing ||
      s->ntransactions < s->next_level_ask)
    return false;
  ask(s);
  return true;
}
