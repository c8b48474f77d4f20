// SPDX-License-Identifier: GPL-3.0-or-later
// Steps by an instrument (steps/instrumented.h).
#include "config.h"

#include "steps/instrumented.h"

#include "base/clock.h"
#include "base/memory.h"
#include "own/history.h"
#include "own/noting.h"
#include "steps/actor.h"
#include "steps/written.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct instrumented {
  const struct script *script;
  struct raw_scripts scripts; // each step is a place
  struct raw_run run;
  uint64_t start;
};

// ---- Opening

static void make_places(struct instrumented *in) {
  const struct script *script = in->script;
  struct raw_scripts *all = &in->scripts;
  all->schema_path = xstrdup(script->path);
  all->schema = xstrdup(script->schema);
  all->nplaces = script->nsteps;
  all->places = xcalloc(script->nsteps, sizeof *all->places);
  for (uint32_t i = 0; i < script->nsteps; i++) {
    const struct step *step = &script->steps[i];
    all->places[i].at = xasprintf("%s:%u", script->path, step->line);
    all->places[i].text = xstrdup(step->text ? step->text : "");
  }
}

int instrumented_open(const struct script *script, struct target *target,
                      struct instrumented **opened, struct error *error) {
  const struct instrument *instrument = target->driver->instrument;
  if (!instrument)
    return error_set_usage(
        error,
        "%s: NULL, texts, types and the like need a database that tells which "
        "rows a statement of any SQL reads, and the %s driver cannot; write "
        "rows of numbers",
        script->path, target->driver->name);
  struct instrumented *in = xcalloc(1, sizeof *in);
  in->script = script;
  in->start = clock_now();
  make_places(in);
  raw_run_init(&in->run, &in->scripts, instrument, script->nsessions);
  *opened = in;
  return instrument->setup(target, script->path, script->schema,
                           &in->run.tables, error);
}

void instrumented_close(struct instrumented *in) {
  if (!in)
    return;
  raw_run_free(&in->run);
  for (uint32_t i = 0; i < in->scripts.nplaces; i++)
    FREE_EACH(in->scripts.places[i].at, in->scripts.places[i].text);
  FREE_EACH(in->scripts.places, in->scripts.schema, in->scripts.schema_path,
            in);
}

// ---- Transactions

static uint64_t now_of(const struct instrumented *in) {
  return clock_now() - in->start;
}

void instrumented_begin(struct instrumented *in, uint32_t session,
                        enum isolation level) {
  raw_log_begin(&in->run.logs[session], level, now_of(in));
}

// Constraints that wait for the commit may have changed rows by then.
void instrumented_end(struct instrumented *in, uint32_t session,
                      enum outcome outcome, enum cause cause,
                      struct instrument_answer *answer) {
  struct raw_log *log = &in->run.logs[session];
  const uint64_t now = now_of(in);
  const struct statement_times times = {now, now};
  if (answer->nchanges && outcome != OUTCOME_ABORTED)
    raw_log_statement(log, RAW_NO_PLACE, false, &times, answer);
  instrument_answer_clear(answer);
  raw_log_end(log, outcome, cause, now);
}

// ---- Statements

static enum outcome refuse_step(struct connection *c, const char *code,
                                const char *why) {
  c->cause = CAUSE_OTHER;
  snprintf(c->code, sizeof c->code, "%s", code);
  snprintf(c->text, sizeof c->text, "%.*s", (int)sizeof c->text - 1, why);
  return OUTCOME_ABORTED;
}

// Is it one statement that belongs into a transaction?
static bool outline_of_step(struct sql_tokens *tokens, const char *text,
                            struct sql_outline *outline) {
  *outline = (struct sql_outline){.why = "it is no statement"};
  if (!sql_tokens_read(tokens, text))
    return false;
  for (uint32_t i = 0; i < tokens->n; i++)
    if (sql_token_is(tokens, i, ";"))
      return false;
  sql_outline_read(outline, tokens);
  if (outline->verb == SQL_VERB_BEGIN || outline->verb == SQL_VERB_COMMIT ||
      outline->verb == SQL_VERB_ROLLBACK) {
    outline->why = "a transaction begins and ends by steps of their own";
    return false;
  }
  return outline->verb != SQL_VERB_REFUSED;
}

static void note_savepoint_of_step(struct raw_log *log, const char *text,
                                   const struct sql_outline *o) {
  char *name = xasprintf("%.*s", (int)(o->name.end - o->name.begin),
                         text + o->name.begin);
  if (o->verb == SQL_VERB_SAVEPOINT)
    raw_log_mark(log, name);
  else if (o->verb == SQL_VERB_ROLLBACK_TO)
    raw_log_go_back(log, name);
  free(name);
}

static int by_key(const void *a, const void *b) {
  const struct version_change *x = *(struct version_change *const *)a,
                              *y = *(struct version_change *const *)b;
  return (x->key > y->key) - (x->key < y->key);
}

// The rows that a statement changed, in the order of their keys; of one that
// was deleted the key alone is known.
static char *text_of_changes(const struct instrument_answer *answer) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  struct version_change **changes =
      xcalloc((size_t)answer->nchanges + 1, sizeof(struct version_change *));
  for (uint32_t i = 0; i < answer->nchanges; i++)
    changes[i] = &answer->changes[i];
  qsort(changes, answer->nchanges, sizeof(struct version_change *), by_key);
  for (uint32_t i = 0; i < answer->nchanges; i++) {
    fputs(i ? " " : "", out);
    if (changes[i]->image)
      written_put_image(out, changes[i]->image);
    else
      fprintf(out, "%" PRId64, changes[i]->key);
  }
  fclose(out);
  free(changes);
  return text;
}

static bool is_savepoint(enum sql_verb verb) {
  return verb == SQL_VERB_SAVEPOINT || verb == SQL_VERB_ROLLBACK_TO ||
         verb == SQL_VERB_RELEASE;
}

static enum outcome execute_outlined(struct instrumented *in,
                                     struct connection *connection,
                                     const struct step *step,
                                     const struct sql_tokens *tokens,
                                     const struct sql_outline *outline,
                                     struct instrument_answer *answer) {
  const uint32_t place = (uint32_t)(step - in->script->steps);
  struct raw_run *run = &in->run;
  struct instrument_way way = {0};
  if (!is_savepoint(outline->verb))
    raw_run_choose(run, connection->target, place, step->text, tokens, outline,
                   &way);
  struct raw_doing doing = {.session = step->session,
                            .place = place,
                            .text = step->text,
                            .outline = outline,
                            .way = &way,
                            .times = {.begin = now_of(in)}};
  const enum outcome outcome =
      run->instrument->execute(connection, step->text, outline, &way, answer);
  doing.times.end = now_of(in);
  doing.succeeded = outcome == OUTCOME_OK;
  if (outcome == OUTCOME_OK && !answer->rows[0] && answer->nchanges) {
    char *changed = text_of_changes(answer);
    snprintf(answer->rows, answer->rows_room, "%s", changed);
    free(changed);
  }
  if (is_savepoint(outline->verb) && doing.succeeded)
    note_savepoint_of_step(&run->logs[step->session], step->text, outline);
  else if (!is_savepoint(outline->verb))
    raw_note(run, &doing, answer);
  return outcome != OUTCOME_OK || raw_run_hold(run, place, outline, answer)
             ? outcome
             : refuse_step(connection, "bypassed", run->bypassed.text);
}

enum outcome instrumented_execute(struct instrumented *in,
                                  struct connection *connection,
                                  const struct step *step,
                                  struct instrument_answer *answer,
                                  char **rows) {
  struct sql_tokens tokens = {.dialect = in->run.instrument->dialect};
  struct sql_outline outline;
  answer->rows = *rows = xcalloc(1, ROWS_MAX);
  answer->rows_room = ROWS_MAX;
  const enum outcome outcome =
      outline_of_step(&tokens, step->text, &outline)
          ? execute_outlined(in, connection, step, &tokens, &outline, answer)
          : refuse_step(connection, "refused", outline.why);
  answer->rows = NULL;
  instrument_answer_clear(answer);
  sql_tokens_free(&tokens);
  return outcome;
}

// ---- The history

int instrumented_history(struct instrumented *in, struct target *target,
                         struct history *history, struct error *error) {
  struct raw_told told;
  const int failed = raw_history_make(&in->run, target, history, &told, error);
  raw_told_free(&told);
  return failed;
}
