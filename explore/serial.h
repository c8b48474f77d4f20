// SPDX-License-Identifier: GPL-3.0-or-later
// Does a serial order of its transactions explain a history?
#ifndef EXPLORE_SERIAL_H
#define EXPLORE_SERIAL_H

#include "explore/outcomes.h"
#include "explore/schedule.h"

struct serial_explanation;
struct orders;

// Is there a serial order in which every read returns what it returned here,
// from the same writer?  Then `schedule`, which may be NULL, is one.
bool history_is_serial(const struct partial *history,
                       struct schedule *schedule);

// Is there one that nobody can tell from the history?  In a program that says
// what clients are told (`answer`), that is one in which every transaction
// gives the same answers and ends in the same way, and which leaves the same
// values; in other programs every read is told.
bool history_is_explained(const struct partial *history);

// Answers to that question.  Many histories of a program that says what clients
// are told ask the same one.  Zero-initialised is ready to use.
struct explanations {
  struct serial_explanation *slots;
  struct orders *orders;
};
// As history_is_explained, of histories of one program and one pool; the
// question is that of outcome_of.
bool explanations_find(struct explanations *explanations,
                       const struct partial *history,
                       struct outcome_key question);
void explanations_free(struct explanations *explanations);

// The transaction whose write of the key nobody overwrote, 0 included; false if
// the history does not say: writers that did not read the key for update
// before may stand in any order.
bool history_last_writer(const struct partial *history, uint32_t key,
                         uint32_t *writer);

#endif
