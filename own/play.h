// SPDX-License-Identifier: GPL-3.0-or-later
// A session that plays the user's own scripts as pgbench does: it draws a
// script, computes between the statements, and puts variables into their texts.
// A transaction is what stands between BEGIN and its end, or a statement alone.
#ifndef OWN_PLAY_H
#define OWN_PLAY_H

#include "drivers/instrument.h"
#include "own/script.h"
#include "workload/workload.h"

struct raw_play;

// Who waits for a program looks up meanwhile.
struct raw_pace {
  bool (*stopped)(const void *context); // the run is to stop
  const void *context;
};

enum raw_turn { RAW_TURN_STATEMENT, RAW_TURN_COMMIT, RAW_TURN_ROLLBACK };

// Chooses the next transaction, and returns the number of its script.
// UINT32_MAX: a program has none left, or `error` has a sentence.
uint32_t raw_play_take(struct raw_play *play, const struct raw_pace *pace,
                       struct error *error);

// Does a program make the transaction?  It then tries again itself.
bool raw_play_is_program(const struct raw_play *play);

// Does the chosen transaction only have SELECTs?  False where branches may end
// it.
bool raw_play_reads_only(const struct raw_play *play);

// Before an attempt at the transaction: each attempt makes the same random
// choices.
void raw_play_start(struct raw_play *play);

// The attempt did not commit, and the script did not want it so: if there is no
// further one, the script is given up, as pgbench does.
void raw_play_give_up(struct raw_play *play);

// The attempt ended: a program is told how.  `error` may get a sentence.
void raw_play_end(struct raw_play *play, enum outcome outcome, const char *code,
                  const char *text, struct error *error);

// The turn that comes next.  Of a script's COMMIT `*step` is set.  Of a
// statement `*step` and `*text`, which has the variables put in, are set; they
// stay until the next call.
enum raw_turn raw_play_next(struct raw_play *play, const struct raw_pace *pace,
                            const struct raw_step **step, const char **text,
                            struct error *error);

// Keeps what the script keeps of an answer, or tells it to the program.
void raw_play_keep(struct raw_play *play,
                   const struct instrument_answer *answer, struct error *error);

// The scripts as a workload, whose states are struct raw_play; it borrows them.
struct raw_workload {
  struct workload workload;
  struct shape shapes[WORKLOAD_MAX_SHAPES + 1];
};
void raw_workload_make(struct raw_workload *made,
                       const struct raw_scripts *scripts);

#endif
