// SPDX-License-Identifier: GPL-3.0-or-later
// Databases whose transactions are one request take all steps of a transaction
// at its commit.
#ifndef STEPS_ONE_SHOT_H
#define STEPS_ONE_SHOT_H

#include "steps/actor.h"

// Keeps an operation for the commit.
enum outcome one_shot_keep(struct actor *actor, const struct step *step,
                           struct step_result *result);

// Takes the operations that were kept, and fills their results.
enum outcome one_shot_commit(struct actor *actor, struct step_result *results);

#endif
