// SPDX-License-Identifier: GPL-3.0-or-later
// Where the statements of a recorded transaction stand in the user's own
// scripts.
#ifndef CLI_JOBS_OWN_PLACES_H
#define CLI_JOBS_OWN_PLACES_H

#include "recorder/history.h"
#include "sql/steps.h"

// The table of the scripts that is called like this; UINT32_MAX: none.
uint32_t own_table(const struct sql_scripts *scripts, const char *name);

struct own_places {
  const struct sql_script *script;
  const uint32_t *step; // of each statement of the transaction, in
                        // script->steps; in the arena
};

// False: the statements fit no script, or more than one place in the scripts.
bool own_places_find(const struct sql_scripts *scripts,
                     const struct history *history, uint32_t txn,
                     struct arena *arena, struct own_places *places);

#endif
