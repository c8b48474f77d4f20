// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by sessions (own/run.h).
#include "config.h"

#include "own/run.h"

#include "base/memory.h"
#include "own/journal.h"

#include <inttypes.h>
#include <stdlib.h>

void raw_run_init(struct raw_run *run, struct raw_scripts *scripts,
                  const struct instrument *instrument, uint32_t nsessions) {
  const uint32_t most = scripts->nplaces + PROGRAM_PLACES_MOST;
  *run = (struct raw_run){
      .scripts = scripts, .instrument = instrument, .nsessions = nsessions};
  run->logs = xcalloc(nsessions, sizeof *run->logs);
  run->ways = xcalloc(most, sizeof *run->ways);
  run->forms = xcalloc(most, sizeof *run->forms);
  run->script_of = xcalloc(most, sizeof *run->script_of);
  run->first_form = scripts->nplaces;
  // Who reads a place needs no mutex, for none moves.
  scripts->places = xrealloc(scripts->places, most, sizeof *scripts->places);
  scripts->places_room = most;
  pthread_mutex_init(&run->mutex, NULL);
}

void raw_run_free(struct raw_run *run) {
  if (!run->logs)
    return;
  for (uint32_t i = 0; i < run->nsessions; i++)
    raw_log_free(&run->logs[i]);
  FREE_EACH(run->logs, run->ways, run->forms, run->script_of);
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

void raw_run_fail(struct raw_run *run, const struct error *error) {
  pthread_mutex_lock(&run->mutex);
  if (!run->bypassed.text[0])
    run->bypassed = *error;
  pthread_mutex_unlock(&run->mutex);
  atomic_store(&run->is_bypassed, true);
}

static uint32_t find_form(const struct raw_run *run, uint32_t script,
                          uint64_t form) {
  uint32_t i = run->first_form;
  while (i < run->scripts->nplaces &&
         (run->forms[i] != form || run->script_of[i] != script))
    i++;
  return i;
}

uint32_t raw_run_place(struct raw_run *run, uint32_t script,
                       const struct sql_tokens *tokens, enum sql_verb verb) {
  const uint64_t form = sql_tokens_form(tokens);
  struct raw_scripts *all = run->scripts;
  struct error error;
  pthread_mutex_lock(&run->mutex);
  uint32_t place = find_form(run, script, form);
  int failed = 0;
  if (place == all->places_room) {
    failed = error_set(&error,
                       "%s makes more than %d statements that differ in more "
                       "than their numbers and texts",
                       all->scripts[script].path, PROGRAM_PLACES_MOST);
  } else if (place == all->nplaces) {
    run->forms[place] = form;
    run->script_of[place] = script;
    all->places[place] =
        raw_place_of_program(&all->scripts[script], tokens, verb);
    failed = raw_journal_place(run, &all->places[place], &error);
    all->nplaces++;
  }
  pthread_mutex_unlock(&run->mutex);
  if (!failed)
    return place;
  raw_run_fail(run, &error);
  return RAW_NO_PLACE;
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
  struct error error;
  error_set(&error,
            "the instrument was bypassed: the statement of %s changed %" PRIu64
            " row%s, and triggers told of %" PRIu32
            "; its table is none that the schema makes, or something "
            "switches triggers off",
            run->scripts->places[place].at, answer->affected,
            answer->affected == 1 ? "" : "s", answer->nchanges);
  raw_run_fail(run, &error);
  return false;
}
