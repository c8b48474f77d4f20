// SPDX-License-Identifier: GPL-3.0-or-later
// All that a session of the user's own SQL saw and changed, transaction by
// transaction.  One thread fills a log; it is read when the run is over.
#ifndef OWN_LOG_H
#define OWN_LOG_H

#include "base/isolation.h"
#include "base/outcome.h"
#include "drivers/instrument.h"
#include "sql/statement.h"

enum { RAW_NO_PLACE = UINT32_MAX }; // changes that came with a commit

struct raw_statement {
  uint32_t place;  // in the scripts, or RAW_NO_PLACE
  bool locks;      // SELECT ... FOR UPDATE
  bool takes_back; // a block in its text may undo what it did itself
  uint32_t first_seen, first_change; // in the log; up to the next statement's
  struct statement_times times;
  // A statement that comes to all rows of one table that satisfy a condition,
  // and to no other: the condition's text, or "" for all rows; owned.  NULL:
  // it is another one.
  char *where;
  uint32_t table; // of the condition
  enum sql_verb verb;
  uint64_t affected;
};

struct raw_txn {
  uint64_t begin, end; // ns, as clock_now
  enum outcome outcome;
  enum cause cause;
  enum isolation level;
  uint32_t first; // its first statement
};

struct raw_mark { // a savepoint
  char *name;
  uint32_t nstatements;
};

// Zero-initialised is empty.
struct raw_log {
  struct raw_txn *txns;
  struct raw_statement *statements;
  struct seen_version *seen;
  struct version_change *changes;
  struct raw_mark *marks; // of the open transaction
  uint32_t ntxns, txn_room, nstatements, statement_room, nseen, seen_room,
      nchanges, change_room, nmarks, mark_room;
};

void raw_log_begin(struct raw_log *log, enum isolation level, uint64_t now);
void raw_log_statement(struct raw_log *log, uint32_t place, bool locks,
                       const struct statement_times *times,
                       struct instrument_answer *answer);
// A savepoint was made, or gone back to: what is behind it is forgotten.
void raw_log_mark(struct raw_log *log, const char *name);
void raw_log_go_back(struct raw_log *log, const char *name);
void raw_log_end(struct raw_log *log, enum outcome outcome, enum cause cause,
                 uint64_t now);
// Forgets all that it has; its room stays.
void raw_log_clear(struct raw_log *log);
void raw_log_free(struct raw_log *log);

// Could a block in this SQL undo what it did, although its transaction goes on?
bool raw_text_takes_back(const char *sql);

// Where what belongs to a transaction or a statement ends.
static inline uint32_t raw_txn_end(const struct raw_log *log, uint32_t txn) {
  return txn + 1 < log->ntxns ? log->txns[txn + 1].first : log->nstatements;
}
static inline uint32_t raw_seen_end(const struct raw_log *log, uint32_t s) {
  return s + 1 < log->nstatements ? log->statements[s + 1].first_seen
                                  : log->nseen;
}
static inline uint32_t raw_changes_end(const struct raw_log *log, uint32_t s) {
  return s + 1 < log->nstatements ? log->statements[s + 1].first_change
                                  : log->nchanges;
}

#endif
