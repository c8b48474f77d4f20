// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by sessions (own/run.h).
#include "config.h"

#include "own/run.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

void raw_run_init(struct raw_run *run, const struct raw_scripts *scripts,
                  const struct instrument *instrument, uint32_t nsessions) {
  *run = (struct raw_run){
      .scripts = scripts, .instrument = instrument, .nsessions = nsessions};
  run->logs = xcalloc(nsessions, sizeof *run->logs);
  run->ways = xcalloc(scripts->nplaces, sizeof *run->ways);
  pthread_mutex_init(&run->mutex, NULL);
}

void raw_run_free(struct raw_run *run) {
  if (!run->logs)
    return;
  for (uint32_t i = 0; i < run->nsessions; i++)
    raw_log_free(&run->logs[i]);
  FREE_EACH(run->logs, run->ways);
  instrument_tables_free(&run->tables);
  pthread_mutex_destroy(&run->mutex);
  run->logs = NULL;
}

void raw_run_choose(struct raw_run *run, struct target *target, uint32_t place,
                    const char *text, const struct sql_tokens *tokens,
                    const struct sql_outline *outline,
                    struct instrument_way *way) {
  const uint64_t form = sql_tokens_form(tokens);
  struct raw_way *known = &run->ways[place];
  pthread_mutex_lock(&run->mutex);
  if (!known->chosen || known->form != form) {
    run->instrument->choose(target, text, outline, &run->tables, &known->way);
    known->chosen = true;
    known->form = form;
  }
  *way = known->way;
  pthread_mutex_unlock(&run->mutex);
}

static bool counts_changes(enum sql_verb verb) {
  return verb == SQL_VERB_INSERT || verb == SQL_VERB_UPDATE ||
         verb == SQL_VERB_DELETE;
}

bool raw_run_hold(struct raw_run *run, uint32_t place,
                  const struct sql_outline *outline,
                  const struct instrument_answer *answer) {
  if (!counts_changes(outline->verb) ||
      answer->nchanges + answer->told_besides >= answer->affected)
    return true;
  pthread_mutex_lock(&run->mutex);
  if (!run->bypassed.text[0])
    error_set(
        &run->bypassed,
        "the instrument was bypassed: the statement of %s changed %" PRIu64
        " row%s, and triggers told of %" PRIu32
        "; its table is none that the schema makes, or something "
        "switches triggers off",
        run->scripts->places[place].at, answer->affected,
        answer->affected == 1 ? "" : "s", answer->nchanges);
  pthread_mutex_unlock(&run->mutex);
  atomic_store(&run->is_bypassed, true);
  return false;
}
