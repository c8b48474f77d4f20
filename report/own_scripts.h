// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own scripts, held against serializability whatever their level
// promises: a rule that holds when one of them runs alone may break when many
// do.
#ifndef REPORT_OWN_SCRIPTS_H
#define REPORT_OWN_SCRIPTS_H

#include "base/json.h"
#include "checker/verdict/verdict.h"

#include <stdio.h>

struct own_scripts {
  const struct verdict *serializable; // of the whole run
  // The weakest level of the database, in its own words, whose documentation
  // rules out all that was found; NULL: none, or nothing was found.
  const char *ruled_out_from;
};

// Writes in markup, after the first sentence of a run that kept its level: "But
// these scripts are not serializable at READ COMMITTED: lost update 229 times.
// REPEATABLE READ rules that out."
void own_scripts_put(FILE *out, const struct own_scripts *scripts,
                     const char *level);

void own_scripts_put_json(struct json *json, const struct own_scripts *scripts);

#endif
