// SPDX-License-Identifier: GPL-3.0-or-later
// The steps that bring a violation about again, with the names that its page
// and the terminal give to what is in them.
#ifndef CLI_JOBS_STEPS_OF_H
#define CLI_JOBS_STEPS_OF_H

#include "checker/verdict/verdict.h"
#include "steps/script.h"

struct sql_scripts;

// `scripts`: those of the run, in whose words its statements are told; or NULL.
// Returns whether each read can find what was committed last.  Free the script
// with script_free.
bool steps_of_violation(const struct history *history,
                        const struct verdict *violation, const char *title,
                        const struct sql_scripts *scripts,
                        struct script *script);

#endif
