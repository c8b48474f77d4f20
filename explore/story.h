// SPDX-License-Identifier: GPL-3.0-or-later
// A history as steps of its sessions, in an order that brings it about where
// there is one.
#ifndef EXPLORE_STORY_H
#define EXPLORE_STORY_H

#include "explore/survey.h"

enum tale_kind {
  TALE_READ,
  TALE_WAIT, // a read that is sent, and returns as a TALE_READ later
  TALE_SNAPSHOT,
  TALE_WRITE,
  TALE_COMMIT,
  TALE_ROLLBACK
};

struct tale_step {
  enum tale_kind kind;
  uint8_t t, writer; // TALE_READ: from whom; 0: the initial value
  bool locked, shared;
  uint32_t line; // TALE_READ
  uint32_t key;
  datum v;
};

struct tale {
  bool is_schedule; // else transaction by transaction: no single order of
                    // statements shows the level
  bool is_serial;
  uint32_t nsteps, room;
  struct tale_step *steps;
};

// Tells a whole history at the levels of its transactions.  Free it.
void tale_tell(struct tale *tale, const struct partial *history,
               const uint8_t *levels);
void tale_free(struct tale *tale);

// A line each: session, transaction, what it does.
void tale_put(FILE *out, const struct tale *tale,
              const struct partial *history);

// Is something read for update or for share, which only SQL can say?
bool tale_has_locks(const struct tale *tale);

struct tale_script {
  const char *title;
  const char *for_share; // " FOR SHARE", as the target says it
  // The difference of transactions of this kind from the tale, one of:
  const char *kind;       // NULL: nothing
  uint32_t lock_line;     // reads of this line are for update
  const char *update_key; // keys of this name are read for update when written
  uint32_t drop_line;     // reads of this line are left out, for the statement
  uint32_t write_line;    // of this line returns what they returned
  const char *level;      // they begin at this level, in our words
};

// As a step script (steps/STEPS.md) in which reads return what the tale says.
// False if it cannot be one: no order of statements shows the level.
bool tale_put_steps(FILE *out, const struct tale *tale,
                    const struct partial *history,
                    const struct tale_script *script);

#endif
