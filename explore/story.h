// SPDX-License-Identifier: GPL-3.0-or-later
// A history as steps of its sessions, in an order that brings it about where
// there is one.
#ifndef EXPLORE_STORY_H
#define EXPLORE_STORY_H

#include "explore/survey.h"

enum tale_kind { TALE_READ, TALE_WRITE, TALE_COMMIT, TALE_ROLLBACK };

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

// Is something read for update, which a step script cannot say?
bool tale_has_locks(const struct tale *tale);

// As a step script (steps/STEPS.md) in which reads return what the tale says.
// False if it cannot be one: no order of statements shows the
// level, or something is read for update.
bool tale_put_steps(FILE *out, const struct tale *tale,
                    const struct partial *history, const char *title);

#endif
