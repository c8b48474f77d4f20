// SPDX-License-Identifier: GPL-3.0-or-later
// Asking what became of a transaction (runner/doubt.h).
#include "config.h"

#include "runner/doubt.h"

#include "runner/execute.h"

#include <stdio.h>
#include <string.h>

// Only if nothing but the answer is missing: a transaction that took effect in
// part is unknown for other reasons, and its values would prove nothing.
static bool is_about_a_lost_answer(enum cause cause) {
  return cause == CAUSE_CONNECTION || cause == CAUSE_STATEMENT_TIMEOUT ||
         cause == CAUSE_LOCK_TIMEOUT;
}

// Statements change rows to values that other transactions may write as well:
// no row proves a commit, and the driver alone can tell.
static bool has_values_to_look_for(const struct session *s) {
  return !s->programs;
}

bool doubt_begin(struct doubt *doubt, const struct session *s) {
  const struct connection *c = s->connection;
  if (!is_about_a_lost_answer(c->cause) ||
      !(s->driver->resolve || has_values_to_look_for(s)))
    return false;
  *doubt = (struct doubt){.cause = c->cause};
  memcpy(doubt->token, c->token, sizeof doubt->token);
  snprintf(doubt->code, sizeof doubt->code, "%s", c->code);
  snprintf(doubt->text, sizeof doubt->text, "%s", c->text);
  return true;
}

// A level at which what is read has been committed; NULL if there is none.
static const struct driver_level *level_to_look_at(const struct session *s) {
  const struct driver_level *level = s->level;
  if (level->claimed == ISOLATION_NONE)
    level = s->driver->levels;
  return level->claimed == ISOLATION_NONE ? NULL : level;
}

enum outcome doubt_ask(struct doubt *doubt, struct session *s) {
  const struct driver_level *level = level_to_look_at(s);
  enum outcome outcome = OUTCOME_UNKNOWN;
  if (!doubt->since)
    doubt->since = clock_read(s->clock);
  if (s->driver->resolve && s->route.host == s->host)
    outcome = s->driver->resolve(s->connection, doubt->token);
  if (outcome == OUTCOME_UNKNOWN && has_values_to_look_for(s) && level &&
      !s->connection->broken && execute_search(s, level))
    outcome = OUTCOME_OK;
  return outcome;
}
