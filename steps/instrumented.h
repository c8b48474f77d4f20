// SPDX-License-Identifier: GPL-3.0-or-later
// Steps in the database's own SQL, executed by the driver's instrument: what
// they read and changed becomes a history (own/history.h).
#ifndef STEPS_INSTRUMENTED_H
#define STEPS_INSTRUMENTED_H

#include "base/isolation.h"
#include "drivers/driver.h"
#include "drivers/instrument.h"
#include "recorder/history.h"
#include "steps/script.h"

struct instrumented; // shared by the sessions of a stage

// Makes the script's tables, in place of driver->setup.  -1 with a sentence,
// whose usage is set if the driver has no instrument.  The script must live as
// long.
int instrumented_open(const struct script *script, struct target *target,
                      struct instrumented **opened, struct error *error);
void instrumented_close(struct instrumented *in); // NULL is fine

// By the thread of a session: a transaction has begun; a step is executed in
// it, and `*rows` becomes what it returned or the rows that it changed, which
// the caller owns; the transaction has ended.  An answer belongs to a session.
void instrumented_begin(struct instrumented *in, uint32_t session,
                        enum isolation level);
enum outcome instrumented_execute(struct instrumented *in,
                                  struct connection *connection,
                                  const struct step *step,
                                  struct instrument_answer *answer,
                                  char **rows);
void instrumented_end(struct instrumented *in, uint32_t session,
                      enum outcome outcome, enum cause cause,
                      struct instrument_answer *answer);

// Once, after all transactions have ended.  -1 with a sentence: what happened
// cannot be judged.
int instrumented_history(struct instrumented *in, struct target *target,
                         struct history *history, struct error *error);

#endif
