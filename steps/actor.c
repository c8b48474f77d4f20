// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the steps of one session (steps/actor.h).
#include "config.h"

#include "steps/actor.h"

#include "base/clock.h"
#include "drivers/drivers.h"
#include "drivers/words.h"
#include "recorder/history.h"
#include "steps/modes.h"
#include "steps/one_shot.h"
#include "steps/values.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- Opening

// Does the driver take transactions as a whole?
static bool is_one_shot(const struct driver *driver) {
  return driver->transact != NULL;
}

static bool can_take(const struct actor *actor, const struct step *step) {
  const struct driver *driver = actor->driver;
  const enum step_kind kind = step->kind;
  if (kind == STEP_ADMIN)
    return driver->sql || driver->command;
  if (kind == STEP_SQL)
    return driver->sql != NULL;
  if (kind == STEP_COMMAND)
    return driver->command != NULL;
  if (kind == STEP_ROWS)
    return driver->executes >> step->statement->sort & 1;
  if (is_one_shot(driver))
    return true;
  switch (kind) {
  case STEP_READ:
    return actor->script->lists ? driver->get_list != NULL
                                : driver->get != NULL;
  case STEP_WRITE:
    return driver->put != NULL;
  case STEP_APPEND:
    return driver->append != NULL;
  case STEP_CAS:
    return driver->cas != NULL;
  default:
    return true;
  }
}

// NULL: no words of the database are known.
static const struct shell_commands *
commands_of_actor(const struct actor *actor) {
  const struct driver_words *words =
      driver_words_of_target(actor->options->target);
  return words ? words->commands : NULL;
}

// A level at which the instrument cannot tell which versions a statement reads.
static int refuse_level_of_step(const struct actor *actor,
                                const struct step *step, struct error *error) {
  struct error unused;
  const struct instrument *instrument = actor->driver->instrument;
  const char *not_at =
      actor->script->schema && instrument ? instrument->not_at : NULL;
  const struct driver_level *level =
      step->text ? driver_level(actor->driver, step->text, &unused)
                 : actor->default_level;
  return not_at && level && !strcmp(level->name, not_at)
             ? error_set_usage(error,
                               "%s:%u: a script in SQL cannot be judged at %s "
                               "of the %s driver; take another level",
                               actor->script->path, step->line, not_at,
                               actor->driver->name)
             : 0;
}

static int check_step_fits(const struct actor *actor, const struct step *step,
                           struct error *error) {
  const struct script *script = actor->script;
  if (!can_take(actor, step))
    return error_set_usage(error, "%s:%u: the %s driver cannot take this step",
                           script->path, step->line, actor->driver->name);
  const struct target *target = actor->endpoints->targets[0];
  if (step->kind == STEP_ROWS && target->lacks >> step->statement->sort & 1)
    return error_set_usage(error, "%s:%u: this step is not possible: %s",
                           script->path, step->line, target->lacks_because);
  if (step->kind == STEP_AT && step->host >= actor->endpoints->count)
    return error_set_usage(
        error, "%s:%u: there is no host %u: the target lists %u, from 0",
        script->path, step->line, step->host, actor->endpoints->count);
  if (step->kind == STEP_NODE && !actor->options->act_on_node)
    return error_set_usage(error,
                           "%s:%u: give the name of the server whose node it "
                           "is with --server, as `isostress server list` shows "
                           "it",
                           script->path, step->line);
  const char *lacking = modes_lacking(commands_of_actor(actor), step->modes);
  if (lacking)
    return error_set_usage(
        error, "%s:%u: the %s driver has no transaction that is \"%s\"",
        script->path, step->line, actor->driver->name, lacking);
  if (step->kind == STEP_BEGIN && refuse_level_of_step(actor, step, error))
    return -1;
  if (step->kind == STEP_BEGIN && step->text &&
      !driver_level(actor->driver, step->text, error)) {
    error->usage = true;
    return error_prefix(error, "%s:%u", script->path, step->line);
  }
  return 0;
}

static int check_script_of_actor(const struct actor *actor,
                                 struct error *error) {
  const struct script *script = actor->script;
  for (uint32_t i = 0; i < script->nsteps; i++)
    if (script->steps[i].session == actor->session &&
        check_step_fits(actor, &script->steps[i], error))
      return -1;
  if (script->nsetup && !actor->driver->sql)
    return error_set_usage(error, "%s: the %s driver has no SQL for its setup",
                           script->path, actor->driver->name);
  return 0;
}

static int go_to_host_of_step(struct actor *actor, uint32_t host,
                              struct error *error) {
  if (actor->connection)
    actor->driver->disconnect(actor->connection);
  actor->connection = NULL;
  actor->host = host;
  return actor->driver->connect(actor->endpoints->targets[host], actor->session,
                                &actor->connection, error);
}

int actor_open(struct actor *actor, const struct script *script,
               uint32_t session, const struct endpoints *endpoints,
               const struct stage_options *options,
               const struct driver_level *level, struct error *error) {
  *actor = (struct actor){.script = script,
                          .endpoints = endpoints,
                          .options = options,
                          .driver = endpoints->targets[0]->driver,
                          .default_level = level,
                          .session = session};
  if (check_script_of_actor(actor, error) ||
      go_to_host_of_step(actor, session % endpoints->count, error))
    return -1;
  // As many operations, and as many values that compare-and-set expects.
  const size_t room = (size_t)script->nsteps * 2;
  actor->ops = xcalloc(room, sizeof *actor->ops);
  actor->lists = xcalloc(room, sizeof *actor->lists);
  actor->op_step = xcalloc(room, sizeof *actor->op_step);
  return 0;
}

void actor_close(struct actor *actor) {
  for (uint32_t i = 0; i < actor->script->nsteps * 2; i++)
    value_list_free(&actor->lists[i]);
  free(actor->lists);
  free(actor->ops);
  free(actor->op_step);
  instrument_answer_free(&actor->answer);
  if (actor->connection)
    actor->driver->disconnect(actor->connection);
}

int actor_enter(struct actor *actor, uint32_t repetition, struct error *error) {
  actor->repetition = repetition;
  actor->open = false;
  const uint32_t host = actor->session % actor->endpoints->count;
  return actor->connection && !actor->connection->broken && actor->host == host
             ? 0
             : go_to_host_of_step(actor, host, error);
}

int actor_execute(struct actor *actor, const char *statement,
                  char rows[ROWS_MAX], struct error *error) {
  struct connection *connection = actor->connection;
  const struct driver *driver = actor->driver;
  if ((driver->sql ? driver->sql : driver->command)(connection, statement, rows,
                                                    ROWS_MAX) == OUTCOME_OK)
    return 0;
  return error_set(error, "%s: %s (%s)", statement, connection->text,
                   connection->code);
}

// ---- Steps

uint64_t actor_key(const struct actor *actor, const struct step *step) {
  return (uint64_t)actor->repetition * actor->script->nkeys + step->key;
}

uint64_t actor_value(const struct actor *actor, uint32_t value) {
  return value_number(actor->script, actor->repetition, value);
}

static void note_end(struct actor *actor, enum outcome outcome) {
  if (actor->open && actor->instrumented)
    instrumented_end(actor->instrumented, actor->session, outcome,
                     outcome == OUTCOME_OK ? CAUSE_NONE : CAUSE_OTHER,
                     &actor->answer);
  actor->open = false;
}

void actor_roll_back(struct actor *actor) {
  if (actor->open && actor->connection && !is_one_shot(actor->driver))
    actor->driver->rollback(actor->connection);
  note_end(actor, OUTCOME_ABORTED);
}

// The transaction has just begun.
static enum outcome set_modes(struct actor *actor, uint8_t modes) {
  const struct shell_commands *commands = commands_of_actor(actor);
  char rows[ROWS_MAX] = "", *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  assert(commands); // check_step_fits()
  const size_t n = strcspn(commands->set_modes, "%");
  assert(!strcmp(commands->set_modes + n, "%m"));
  fprintf(out, "%.*s", (int)n, commands->set_modes);
  modes_put_typed(out, commands, modes);
  fclose(out);
  const enum outcome outcome =
      actor->driver->sql(actor->connection, text, rows, sizeof rows);
  free(text);
  return outcome;
}

static enum outcome begin_actor_txn(struct actor *actor,
                                    const struct step *step) {
  struct error error;
  enum outcome outcome = OUTCOME_OK;
  actor->level = step->text ? driver_level(actor->driver, step->text, &error)
                            : actor->default_level;
  actor->open = true;
  actor->nops = 0;
  if (actor->instrumented)
    instrumented_begin(
        actor->instrumented, actor->session,
        target_claim(actor->endpoints->targets[actor->host], actor->level));
  if (actor->connection->broken)
    return OUTCOME_ABORTED;
  if (!is_one_shot(actor->driver))
    outcome = actor->driver->begin(actor->connection, actor->level);
  return outcome == OUTCOME_OK && step->modes ? set_modes(actor, step->modes)
                                              : outcome;
}

static enum outcome read_key_of_step(struct actor *actor,
                                     const struct step *step,
                                     struct step_result *result) {
  const struct driver *driver = actor->driver;
  const uint64_t key = actor_key(actor, step);
  return actor->script->lists
             ? driver->get_list(actor->connection, key, &result->list)
             : driver->get(actor->connection, key, &result->value);
}

static enum outcome compare_and_set_key(struct actor *actor,
                                        const struct step *step,
                                        struct step_result *result) {
  const uint64_t expected = actor_value(actor, step->expects);
  const enum outcome outcome =
      actor->driver->cas(actor->connection, actor_key(actor, step), expected,
                         actor_value(actor, step->value), &result->value);
  result->took_place = outcome == OUTCOME_OK && result->value == expected;
  return outcome;
}

static enum outcome execute_step_statement(struct actor *actor,
                                           const struct step *step,
                                           struct step_result *result) {
  const struct driver *driver = actor->driver;
  if (actor->instrumented && step->kind == STEP_SQL)
    return instrumented_execute(actor->instrumented, actor->connection, step,
                                &actor->answer, &result->rows);
  result->rows = xcalloc(1, ROWS_MAX);
  return (step->kind == STEP_SQL ? driver->sql : driver->command)(
      actor->connection, step->text, result->rows, ROWS_MAX);
}

// The stamp of the rows that the step writes: the number of statements of its
// session before it that write.
static uint64_t stamp_of_step(const struct actor *actor,
                              const struct step *step) {
  const struct step *steps = actor->script->steps;
  uint64_t writes = 0;
  for (const struct step *s = steps; s < step; s++)
    writes += s->session == step->session && s->statement &&
              statement_writes(s->statement->sort);
  return value_of_write(actor->session, writes);
}

static int by_row_and_time(const void *a, const void *b) {
  const struct seen_row *x = a, *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

static char *text_of_rows(const struct row_list *list, uint32_t ncolumns) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < list->count; i++) {
    fprintf(out, "%s%" PRIu64, i ? " " : "", list->rows[i].key);
    for (uint32_t c = 0; c < ncolumns; c++)
      fprintf(out, ",%" PRId64, row_list_image(list, i)[c]);
  }
  fclose(out);
  return text;
}

static enum outcome execute_on_rows(struct actor *actor,
                                    const struct step *step,
                                    struct step_result *result) {
  const struct statement *statement = step->statement;
  struct row_list *rows = &result->touched;
  result->value = stamp_of_step(actor, step);
  const enum outcome outcome =
      actor->driver->execute(actor->connection, statement, result->value, rows);
  if (outcome != OUTCOME_OK) {
    row_list_clear(rows);
    return outcome;
  }
  if (rows->count)
    qsort(rows->rows, rows->count, sizeof *rows->rows, by_row_and_time);
  result->rows =
      text_of_rows(rows, actor->script->tables[statement->table].columns.count);
  return outcome;
}

static enum outcome write_key(struct actor *actor, const struct step *step,
                              struct step_result *result) {
  const struct driver *driver = actor->driver;
  result->value = actor_value(actor, step->value);
  return (step->kind == STEP_APPEND ? driver->append : driver->put)(
      actor->connection, actor_key(actor, step), result->value);
}

static enum outcome roll_back_txn(struct actor *actor) {
  if (!is_one_shot(actor->driver))
    actor->driver->rollback(actor->connection);
  note_end(actor, OUTCOME_ABORTED);
  return OUTCOME_OK;
}

// ---- Ends

static enum outcome commit_actor_txn(struct actor *actor,
                                     struct step_result *results) {
  const enum outcome outcome = is_one_shot(actor->driver)
                                   ? one_shot_commit(actor, results)
                                   : actor->driver->commit(actor->connection);
  note_end(actor, outcome);
  return outcome;
}

static enum outcome execute_one_shot(struct actor *actor,
                                     const struct step *step,
                                     struct step_result *result) {
  switch (step->kind) {
  case STEP_SQL:
  case STEP_COMMAND:
    return execute_step_statement(actor, step, result);
  case STEP_ROWS:
    return execute_on_rows(actor, step, result);
  case STEP_READ:
    return read_key_of_step(actor, step, result);
  case STEP_CAS:
    return compare_and_set_key(actor, step, result);
  default:
    assert(step->kind == STEP_WRITE || step->kind == STEP_APPEND);
    return write_key(actor, step, result);
  }
}

static enum outcome take_action(struct actor *actor, const struct step *step,
                                struct step_result *results) {
  struct step_result *result = &results[step - actor->script->steps];
  switch (step->kind) {
  case STEP_BEGIN:
    return begin_actor_txn(actor, step);
  case STEP_COMMIT:
    return commit_actor_txn(actor, results);
  case STEP_ROLLBACK:
    return roll_back_txn(actor);
  default:
    return is_one_shot(actor->driver) ? one_shot_keep(actor, step, result)
                                      : execute_one_shot(actor, step, result);
  }
}

// ---- Upkeep

// Reads a key in a transaction of its own.
static enum outcome look_for_value(struct actor *actor, const struct step *step,
                                   uint64_t *value) {
  const struct driver *driver = actor->driver;
  struct operation op = {.kind = OP_READ, .key = actor_key(actor, step)};
  struct plan plan = {.ops = &op, .nops = 1};
  struct value_list no_list = {0};
  enum outcome outcome;
  if (is_one_shot(driver)) {
    outcome = driver->transact(actor->connection, actor->default_level, &plan,
                               &no_list);
    *value = op.value;
    return outcome;
  }
  outcome = driver->begin(actor->connection, actor->default_level);
  if (outcome == OUTCOME_OK)
    outcome = driver->get(actor->connection, op.key, value);
  if (outcome == OUTCOME_OK)
    return driver->commit(actor->connection);
  driver->rollback(actor->connection);
  return outcome;
}

static int await_value(struct actor *actor, const struct step *step,
                       struct error *error) {
  const uint64_t until = clock_now() + STUCK_AFTER;
  const struct timespec pause = {.tv_nsec = 10000000};
  uint64_t value = 0;
  while (look_for_value(actor, step, &value) != OUTCOME_OK ||
         value != actor_value(actor, step->expects)) {
    if (actor->connection->broken || clock_now() > until)
      return error_set(error, "%s did not turn into %s",
                       actor->script->keys[step->key],
                       actor->script->values[step->expects].name);
    nanosleep(&pause, NULL);
  }
  return 0;
}

// `*rows` becomes what a statement returns, which the caller owns.
static int keep_up(struct actor *actor, const struct step *step, char **rows,
                   struct error *error) {
  switch (step->kind) {
  case STEP_ADMIN:
    *rows = xcalloc(1, ROWS_MAX);
    return actor_execute(actor, step->text, *rows, error);
  case STEP_AT:
    return go_to_host_of_step(actor, step->host, error);
  case STEP_AWAITS:
    return await_value(actor, step, error);
  default:
    assert(step->kind == STEP_NODE);
    return actor->options->act_on_node(actor->options->server, step->host,
                                       step->text, error);
  }
}

static void take_upkeep(struct actor *actor, const struct step *step,
                        struct step_result *result) {
  struct error error = {0};
  result->state = STEP_DONE;
  result->begin = clock_now();
  result->outcome = keep_up(actor, step, &result->rows, &error)
                        ? OUTCOME_ABORTED
                        : OUTCOME_OK;
  result->end = clock_now();
  snprintf(result->text, sizeof result->text, "%.*s",
           (int)sizeof result->text - 1, error.text);
}

void actor_take_step(struct actor *actor, uint32_t i,
                     struct step_result *results) {
  const struct step *step = &actor->script->steps[i];
  struct step_result *result = &results[i];
  const bool upkeep = step_is_upkeep(step->kind);
  if (!actor->connection ||
      (step->kind != STEP_BEGIN && !upkeep && !actor->open)) {
    result->state = STEP_SKIPPED;
    return;
  }
  if (upkeep) {
    take_upkeep(actor, step, result);
    return;
  }
  result->host =
      actor->endpoints->count > 1 ? (uint8_t)actor->host : HISTORY_NO_ENDPOINT;
  result->begin = clock_now();
  result->outcome = take_action(actor, step, results);
  result->end = clock_now();
  result->state = STEP_DONE;
  if (result->outcome == OUTCOME_OK)
    return;
  result->cause = actor->connection->cause;
  memcpy(result->code, actor->connection->code, sizeof result->code);
  memcpy(result->text, actor->connection->text, sizeof result->text);
  actor_roll_back(actor);
}
