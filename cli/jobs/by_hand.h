// SPDX-License-Identifier: GPL-3.0-or-later
// The counterexample of a run as commands to type, for its page.
#ifndef CLI_JOBS_BY_HAND_H
#define CLI_JOBS_BY_HAND_H

#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "report/report.h"

struct sql_scripts;
struct typed_at;

// The commands, in the arena; `scripts` are the user's own, or NULL.  Returns
// how many; 0: no shell, or more than hands can do.
uint32_t by_hand_of(struct arena *arena, const struct history *history,
                    const struct verdict *violation,
                    const struct sql_scripts *scripts,
                    const struct typed_at *at,
                    const struct report_command **commands);

#endif
