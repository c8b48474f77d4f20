// SPDX-License-Identifier: GPL-3.0-or-later
// From a counterexample to commands (cli/jobs/by_hand.h).
#include "config.h"

#include "cli/jobs/by_hand.h"

#include "cli/jobs/steps_of.h"
#include "steps/commands.h"

#include <stdlib.h>

enum { MOST_TERMINALS = 4, MOST_COMMANDS = 48 };

static bool fits_hands(const struct script *script) {
  bool fits = script->nsteps && script->nsessions <= MOST_TERMINALS &&
              script->nsteps <= MOST_COMMANDS;
  for (uint32_t i = 0; i < script->nsteps && fits; i++)
    fits = !script->steps[i].statement ||
           script->steps[i].statement->sort != STATEMENT_UPSERT;
  return fits;
}

static uint32_t take_commands(struct arena *arena, const struct script *script,
                              const struct typed_at *at,
                              const struct report_command **commands) {
  struct typed_command *list;
  const uint32_t n = commands_list(arena, script, at, NULL, &list);
  struct report_command *taken = arena_take(arena, n * sizeof *taken);
  for (uint32_t i = 0; i < n; i++)
    taken[i] = (struct report_command){
        .session = list[i].session == COMMAND_OF_ANY
                       ? NULL
                       : commands_transactions(arena, script, list[i].session),
        .text = list[i].text,
        .place = list[i].place,
        .returned = list[i].returned};
  *commands = taken;
  return n;
}

uint32_t by_hand_of(struct arena *arena, const struct history *history,
                    const struct verdict *violation,
                    const struct sql_scripts *scripts,
                    const struct typed_at *at,
                    const struct report_command **commands) {
  struct script script;
  steps_of_violation(history, violation, "", scripts, &script);
  const uint32_t n = fits_hands(&script) && commands_known(&script, at->target)
                         ? take_commands(arena, &script, at, commands)
                         : 0;
  script_free(&script);
  return n;
}
