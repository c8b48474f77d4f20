// SPDX-License-Identifier: GPL-3.0-or-later
// Notes what sessions saw (own/log.h).
#include "config.h"

#include "own/log.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void raw_log_begin(struct raw_log *log, enum isolation level, uint64_t now) {
  ARRAY_RESERVE(log->txns, log->ntxns, log->txn_room);
  log->txns[log->ntxns++] =
      (struct raw_txn){.begin = now, .level = level, .first = log->nstatements};
}

void raw_log_statement(struct raw_log *log, uint32_t place, bool locks,
                       const struct statement_times *times,
                       struct instrument_answer *answer) {
  assert(log->ntxns);
  ARRAY_RESERVE(log->statements, log->nstatements, log->statement_room);
  log->statements[log->nstatements++] =
      (struct raw_statement){.place = place,
                             .locks = locks,
                             .first_seen = log->nseen,
                             .first_change = log->nchanges,
                             .times = *times};
  for (uint32_t i = 0; i < answer->nseen; i++) {
    ARRAY_RESERVE(log->seen, log->nseen, log->seen_room);
    log->seen[log->nseen++] = answer->seen[i];
  }
  for (uint32_t i = 0; i < answer->nchanges; i++) {
    ARRAY_RESERVE(log->changes, log->nchanges, log->change_room);
    log->changes[log->nchanges++] = answer->changes[i];
    answer->changes[i].image = NULL; // the log's now
  }
}

static void drop_marks(struct raw_log *log, uint32_t first) {
  for (uint32_t i = first; i < log->nmarks; i++)
    free(log->marks[i].name);
  log->nmarks = first;
}

void raw_log_mark(struct raw_log *log, const char *name) {
  ARRAY_RESERVE(log->marks, log->nmarks, log->mark_room);
  log->marks[log->nmarks++] =
      (struct raw_mark){xstrdup(name), log->nstatements};
}

void raw_log_go_back(struct raw_log *log, const char *name) {
  uint32_t i = log->nmarks;
  while (i && strcmp(log->marks[i - 1].name, name) != 0)
    i--;
  if (!i) // the database refused it
    return;
  const uint32_t first = log->marks[i - 1].nstatements;
  drop_marks(log, i);
  if (first == log->nstatements)
    return;
  for (uint32_t s = first; s < log->nstatements; s++)
    free(log->statements[s].where);
  log->nseen = log->statements[first].first_seen;
  for (uint32_t c = log->statements[first].first_change; c < log->nchanges; c++)
    free(log->changes[c].image);
  log->nchanges = log->statements[first].first_change;
  log->nstatements = first;
}

void raw_log_end(struct raw_log *log, enum outcome outcome, enum cause cause,
                 uint64_t now) {
  assert(log->ntxns);
  struct raw_txn *txn = &log->txns[log->ntxns - 1];
  txn->end = now;
  txn->outcome = outcome;
  txn->cause = cause;
  drop_marks(log, 0);
}

void raw_log_clear(struct raw_log *log) {
  drop_marks(log, 0);
  for (uint32_t s = 0; s < log->nstatements; s++)
    free(log->statements[s].where);
  for (uint32_t c = 0; c < log->nchanges; c++)
    free(log->changes[c].image);
  log->ntxns = log->nstatements = log->nseen = log->nchanges = 0;
}

void raw_log_free(struct raw_log *log) {
  raw_log_clear(log);
  FREE_EACH(log->txns, log->statements, log->seen, log->changes, log->marks);
  *log = (struct raw_log){0};
}

bool raw_text_takes_back(const char *sql) {
  return strcasestr(sql, "exception") || strcasestr(sql, "subtransaction");
}
