// SPDX-License-Identifier: GPL-3.0-or-later
// The level in effect (runner/level.h).
#include "config.h"

#include "runner/level.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { EVERY = 1000 }; // transactions of a session

// "transaction_isolation,REPEATABLE-READ" becomes "repeatable read".
static void normalise_level_rows(char *rows) {
  const char *comma = strrchr(rows, ',');
  if (comma)
    memmove(rows, comma + 1, strlen(comma));
  for (char *c = rows; *c; c++)
    *c = *c == '-' ? ' ' : (char)tolower((unsigned char)*c);
}

static bool read_server_level(struct session *s, char *rows, size_t room) {
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
  normalise_level_rows(rows);
  return told && *rows;
}

void level_ask(struct session *s) {
  char rows[128] = "";
  assert(level_is_due(s));
  s->next_level_ask = s->ntransactions + EVERY;
  if (read_server_level(s, rows, sizeof rows) && strcmp(rows, s->level->name))
    tally_level(&s->tally, s->level->name, rows);
}
