// SPDX-License-Identifier: GPL-3.0-or-later
// From a violation to steps (cli/jobs/steps_of.h).
#include "config.h"

#include "cli/jobs/steps_of.h"

#include "cli/jobs/counterexample.h"
#include "cli/jobs/damage.h"
#include "cli/jobs/own_sql.h"
#include "report/tale/example_names.h"
#include "steps/interleave.h"

#include <stdlib.h>

_Static_assert((int)SCRIPT_NAME >= (int)NAME_ROOM, "names fit");

struct naming {
  struct names names;
  const struct verdict *violation;
};

// The steps may be of a part of the history, whose transactions have numbers of
// their own.
static const char *txn_name(const void *context, uint32_t txn, char *buffer) {
  const struct naming *n = context;
  return names_txn(&n->names,
                   n->violation->rows_part ? n->violation->rows_txns[txn] : txn,
                   buffer);
}

static const char *key_name(const void *context, uint32_t key, char *buffer) {
  const struct naming *n = context;
  return names_key(&n->names, key, buffer);
}

static const char *value_name(const void *context, uint32_t op, char *buffer) {
  const struct naming *n = context;
  return names_written(&n->names, op, buffer);
}

static bool make_of_ops(const struct history *history,
                        const struct verdict *violation,
                        const struct script_names *names,
                        struct script *script) {
  uint32_t nops;
  uint32_t *ops = counterexample_ops(history, violation, &nops);
  const bool sees_last = script_of_history(history, ops, nops, names, script);
  free(ops);
  return sees_last;
}

static bool make_of_statements(const struct history *history,
                               const struct verdict *violation,
                               const struct script_names *names,
                               const struct sql_scripts *scripts,
                               struct script *script) {
  struct counterexample_statements chosen;
  counterexample_choose_statements(history, violation, &chosen);
  const bool sees_last = script_of_statements(chosen.history, chosen.statement,
                                              chosen.key, names, script);
  damage_tell(script, &chosen, names);
  if (scripts)
    own_sql_tell(script, &chosen, scripts);
  free(chosen.statement);
  free(chosen.key);
  return sees_last;
}

bool steps_of_violation(const struct history *history,
                        const struct verdict *violation, const char *title,
                        const struct sql_scripts *scripts,
                        struct script *script) {
  struct naming naming = {.violation = violation};
  example_names(&naming.names, history, violation);
  const bool short_ones = !naming.names.raw_rows;
  const struct script_names names = {.title = title,
                                     .txn = txn_name,
                                     .key = short_ones ? key_name : NULL,
                                     .value = short_ones ? value_name : NULL,
                                     .context = &naming};
  const bool sees_last =
      history->rows
          ? make_of_statements(history, violation, &names, scripts, script)
          : make_of_ops(history, violation, &names, script);
  names_free(&naming.names);
  return sees_last;
}
