// SPDX-License-Identifier: GPL-3.0-or-later
// One history, understood once, and asked about at one level after the other.
// Private to the checker.
#ifndef CHECKER_ENGINE_H
#define CHECKER_ENGINE_H

#include "checker/verdict/verdict.h"

struct engine;

// -1 with a sentence if the history is too large.  It must outlive the engine.
int engine_open(struct engine **engine, const struct history *history,
                const struct check_options *options, struct error *error);

// As check, at the level of the options or, if that is not ISOLATION_NONE, at
// the one that is given; but without further violations.
int engine_check(struct engine *engine, enum isolation level,
                 struct verdict *verdict, struct error *error);

// Adds the further violations that the options ask for.
void engine_find_others(struct engine *engine, struct verdict *verdict);

// Is the violation, found at a stronger level, proof of one at this level?
bool engine_proves(struct engine *engine, enum isolation level,
                   struct verdict *violation);

void engine_close(struct engine *engine);

#endif
