// SPDX-License-Identifier: GPL-3.0-or-later
// The turns of a session that plays a program (own/program.h), as own/play.h
// has them: what the program asks for next, and what it is told.
#ifndef OWN_PROGRAM_TURNS_H
#define OWN_PROGRAM_TURNS_H

#include "own/play.h"

struct program_turns;

struct program_turns *program_turns_open(const struct raw_script *script,
                                         const struct sql_dialect *dialect,
                                         uint32_t session, uint64_t seed);
void program_turns_close(struct program_turns *turns);

// Waits until the program begins a transaction, which is one statement if it
// has not said so.  False: it is done, or `error` has a sentence, or the run is
// to stop.
bool program_turns_take(struct program_turns *turns,
                        const struct raw_pace *pace, struct error *error);

// Its next turn, as raw_play_next.  RAW_TURN_ROLLBACK with a sentence in
// `error`: there will be no other one.
enum raw_turn program_turns_next(struct program_turns *turns,
                                 const struct raw_pace *pace,
                                 const struct raw_step **step,
                                 const char **text, struct error *error);

// Answers a statement.
void program_turns_keep(struct program_turns *turns,
                        const struct instrument_answer *answer,
                        struct error *error);

// The transaction ended: answers what was asked last, if that is open.
void program_turns_end(struct program_turns *turns, enum outcome outcome,
                       const char *code, const char *text, struct error *error);

#endif
