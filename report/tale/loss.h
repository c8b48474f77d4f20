// SPDX-License-Identifier: GPL-3.0-or-later
// Tells how many reads of the whole history lack a lost append, beside its
// counterexample.
#ifndef REPORT_TALE_LOSS_H
#define REPORT_TALE_LOSS_H

#include "base/memory.h"
#include "checker/verdict/verdict.h"

// The meaning of the violation's anomaly in one or two sentences, perhaps in
// the arena.
const char *loss_meaning(struct arena *arena, const struct history *history,
                         const struct verdict *violation);

// The weakest level that the counterexample of a lost write breaks.
enum isolation loss_weakest(const struct verdict *violation);

#endif
