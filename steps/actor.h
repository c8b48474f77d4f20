// SPDX-License-Identifier: GPL-3.0-or-later
// One session of a step script: its connection, and how it takes a step.
#ifndef STEPS_ACTOR_H
#define STEPS_ACTOR_H

#include "steps/instrumented.h"
#include "steps/perform.h"

enum { ROWS_MAX = 4096 }; // bytes of what a statement returns

struct actor {
  const struct script *script;
  const struct endpoints *endpoints;
  const struct stage_options *options;
  uint32_t host; // in endpoints
  const struct driver *driver;
  const struct driver_level *default_level;
  struct connection *connection; // NULL: lost
  uint32_t session, repetition;
  bool open;                         // a transaction is
  struct instrumented *instrumented; // the stage's, of scripts in SQL; or NULL
  struct instrument_answer answer;   // for it
  const struct driver_level *level;  // of it

  // Only for drivers that execute whole transactions: the operations so far,
  // and the step of each operation.
  struct operation *ops;
  struct value_list *lists;
  uint32_t *op_step;
  uint32_t nops;
};

// Connects.  -1 with a sentence, also if the driver lacks what a step of the
// script needs or has no such level; actor_close is called only on success.
// Session I speaks to host I at first, modulo their number.
int actor_open(struct actor *actor, const struct script *script,
               uint32_t session, const struct endpoints *endpoints,
               const struct stage_options *options,
               const struct driver_level *level, struct error *error);
void actor_close(struct actor *actor);

// A performance begins; connects again if the connection was lost, or is to
// another host than at first.
int actor_enter(struct actor *actor, uint32_t repetition, struct error *error);

// A statement outside of any transaction; `rows` was empty, and becomes what
// the statement returns.
int actor_execute(struct actor *actor, const char *statement,
                  char rows[ROWS_MAX], struct error *error);

// Takes a step and fills its result, and, of drivers that take a transaction as
// a whole, at commit those of the steps before.  A transaction that aborts is
// rolled back.  If an upkeep fails, `text` of its result is what failed.
void actor_take_step(struct actor *actor, uint32_t step,
                     struct step_result *results);

// The number of the step's key, and that of a value, in the repetition.
uint64_t actor_key(const struct actor *actor, const struct step *step);
uint64_t actor_value(const struct actor *actor, uint32_t value);

// Whatever is open, quietly.
void actor_roll_back(struct actor *actor);

#endif
