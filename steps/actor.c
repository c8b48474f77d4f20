// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the steps of one session (steps/actor.h).
#include "config.h"

#include "steps/actor.h"

#include "base/clock.h"
#include "drivers/drivers.h"
#include "recorder/history.h"
#include "steps/values.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS_MAX = 4096 };

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
                  struct error *error) {
  char rows[ROWS_MAX];
  struct connection *connection = actor->connection;
  const struct driver *driver = actor->driver;
  if ((driver->sql ? driver->sql : driver->command)(connection, statement, rows,
                                                    sizeof rows) == OUTCOME_OK)
    return 0;
  return error_set(error, "%s: %s (%s)", statement, connection->text,
                   connection->code);
}

// ---- Steps

static uint64_t key_number(const struct actor *actor, const struct step *step) {
  return (uint64_t)actor->repetition * actor->script->nkeys + step->key;
}

static uint64_t number_of_value(const struct actor *actor, uint32_t value) {
  return value_number(actor->script, actor->repetition, value);
}

void actor_roll_back(struct actor *actor) {
  if (actor->open && actor->connection && !is_one_shot(actor->driver))
    actor->driver->rollback(actor->connection);
  actor->open = false;
}

static enum outcome begin_actor_txn(struct actor *actor,
                                    const struct step *step) {
  struct error error;
  actor->level = step->text ? driver_level(actor->driver, step->text, &error)
                            : actor->default_level;
  actor->open = true;
  actor->nops = 0;
  if (actor->connection->broken)
    return OUTCOME_ABORTED;
  return is_one_shot(actor->driver)
             ? OUTCOME_OK
             : actor->driver->begin(actor->connection, actor->level);
}

static enum outcome read_key_of_step(struct actor *actor,
                                     const struct step *step,
                                     struct step_result *result) {
  const struct driver *driver = actor->driver;
  const uint64_t key = key_number(actor, step);
  return actor->script->lists
             ? driver->get_list(actor->connection, key, &result->list)
             : driver->get(actor->connection, key, &result->value);
}

static enum outcome compare_and_set_key(struct actor *actor,
                                        const struct step *step,
                                        struct step_result *result) {
  const uint64_t expected = number_of_value(actor, step->expects);
  const enum outcome outcome =
      actor->driver->cas(actor->connection, key_number(actor, step), expected,
                         number_of_value(actor, step->value), &result->value);
  result->took_place = outcome == OUTCOME_OK && result->value == expected;
  return outcome;
}

static enum outcome execute_step_statement(struct actor *actor,
                                           const struct step *step,
                                           struct step_result *result) {
  const struct driver *driver = actor->driver;
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
  result->value = number_of_value(actor, step->value);
  return (step->kind == STEP_APPEND ? driver->append : driver->put)(
      actor->connection, key_number(actor, step), result->value);
}

static enum outcome roll_back_txn(struct actor *actor) {
  if (!is_one_shot(actor->driver))
    actor->driver->rollback(actor->connection);
  actor->open = false;
  return OUTCOME_OK;
}

// ---- Transactions as a whole

static enum op_kind kind_of_op(const struct actor *actor,
                               const struct step *step) {
  static const enum op_kind kinds[] = {[STEP_READ] = OP_READ,
                                       [STEP_WRITE] = OP_WRITE,
                                       [STEP_APPEND] = OP_APPEND,
                                       [STEP_CAS] = OP_CAS};
  return step->kind == STEP_READ && actor->script->lists ? OP_READ_LIST
                                                         : kinds[step->kind];
}

// Keeps an operation for the commit.
static enum outcome keep_op(struct actor *actor, const struct step *step,
                            struct step_result *result) {
  actor->op_step[actor->nops] = (uint32_t)(step - actor->script->steps);
  actor->ops[actor->nops++] = (struct operation){
      .kind = (uint8_t)kind_of_op(actor, step),
      .key = key_number(actor, step),
      .value =
          step->kind == STEP_READ ? 0 : number_of_value(actor, step->value),
  };
  if (step->kind != STEP_READ)
    result->value = actor->ops[actor->nops - 1].value;
  return OUTCOME_OK;
}

// In front of the operations stand, as if read before, the values that those
// which compare expect.
static struct plan make_plan(struct actor *actor) {
  struct operation *ops = actor->ops;
  const uint32_t n = actor->nops;
  memmove(ops + n, ops, n * sizeof *ops);
  for (uint32_t i = 0; i < n; i++) {
    const struct step *step = &actor->script->steps[actor->op_step[i]];
    const bool compares = ops[n + i].kind == OP_CAS;
    ops[i] = (struct operation){
        .kind = OP_READ,
        .key = ops[n + i].key,
        .value =
            compares ? number_of_value(actor, step->expects) : VALUE_INITIAL};
    ops[n + i].expect = (int16_t)i;
    actor->lists[n + i].count = 0;
  }
  return (struct plan){.ops = ops, .nops = 2 * n, .first = n};
}

static void take_results_of_plan(const struct actor *actor,
                                 struct step_result *results) {
  const uint32_t n = actor->nops;
  for (uint32_t i = 0; i < n; i++) {
    struct step_result *result = &results[actor->op_step[i]];
    const struct operation *op = &actor->ops[n + i];
    result->value = op->value;
    result->took_place = op->kind == OP_CAS;
    if (result->took_place)
      result->value = actor->ops[i].value;
    for (uint32_t j = 0; j < actor->lists[n + i].count; j++)
      value_list_push(&result->list, actor->lists[n + i].values[j]);
  }
}

// Nothing of it was read or written if it did not commit.
static void take_back_results(const struct actor *actor,
                              struct step_result *results) {
  for (uint32_t i = 0; i < actor->nops; i++)
    if (actor->script->steps[actor->op_step[i]].kind == STEP_READ)
      results[actor->op_step[i]].state = STEP_SKIPPED;
}

static enum outcome transact_plan(struct actor *actor,
                                  struct step_result *results) {
  struct plan plan = make_plan(actor);
  const enum outcome outcome = actor->driver->transact(
      actor->connection, actor->level, &plan, actor->lists);
  if (outcome == OUTCOME_OK)
    take_results_of_plan(actor, results);
  else
    take_back_results(actor, results);
  return outcome;
}

static enum outcome commit_actor_txn(struct actor *actor,
                                     struct step_result *results) {
  actor->open = false;
  return is_one_shot(actor->driver) ? transact_plan(actor, results)
                                    : actor->driver->commit(actor->connection);
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
    return is_one_shot(actor->driver) ? keep_op(actor, step, result)
                                      : execute_one_shot(actor, step, result);
  }
}

// ---- Upkeep

// Reads a key in a transaction of its own.
static enum outcome look_for_value(struct actor *actor, const struct step *step,
                                   uint64_t *value) {
  const struct driver *driver = actor->driver;
  struct operation op = {.kind = OP_READ, .key = key_number(actor, step)};
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
         value != number_of_value(actor, step->expects)) {
    if (actor->connection->broken || clock_now() > until)
      return error_set(error, "%s did not turn into %s",
                       actor->script->keys[step->key],
                       actor->script->values[step->expects].name);
    nanosleep(&pause, NULL);
  }
  return 0;
}

static int keep_up(struct actor *actor, const struct step *step,
                   struct error *error) {
  switch (step->kind) {
  case STEP_ADMIN:
    return actor_execute(actor, step->text, error);
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
  result->outcome = keep_up(actor, step, &error) ? OUTCOME_ABORTED : OUTCOME_OK;
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
