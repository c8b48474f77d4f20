// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a counterexample in the words of the user's own scripts: their
// tables, their columns, and their statements with numbers in the place of
// variables.
#ifndef CLI_JOBS_OWN_SQL_H
#define CLI_JOBS_OWN_SQL_H

#include "cli/jobs/counterexample.h"
#include "sql/steps.h"
#include "steps/script.h"

// A statement whose numbers are not all known, or do not give what was
// recorded, keeps the words that it has.
void own_sql_tell(struct script *script,
                  const struct counterexample_statements *chosen,
                  const struct sql_scripts *scripts);

// The scripts of the run that recorded the history, as they are now; NULL: it
// ran none, or they cannot be read.  Free with sql_scripts_free.
struct sql_scripts *own_sql_read(const struct history *history);

#endif
