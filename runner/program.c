// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions of statements (runner/program.h).  A statement is noted with
// what it did to each row when it returned.  One that failed is noted without
// rows: its transaction is aborted, and its stamp is used.
#include "config.h"

#include "runner/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// One session asks for the invariant now and then, and one of all at the end.
enum { INVARIANT_EVERY = 8 }; // transactions of that session

bool program_question_is_due(const struct session *s) {
  return s->run->options->invariant && !s->number && !s->asks &&
         s->nplans % INVARIANT_EVERY == INVARIANT_EVERY - 1;
}

// Behind the tables comes the invariant.
static bool take_table(struct session *s) {
  struct closing *closing = s->closing;
  const uint32_t ntables = s->run->tables ? s->run->tables->ntables : 0;
  pthread_mutex_lock(&closing->mutex);
  const bool taken =
      closing->table < ntables + (s->run->options->invariant != NULL);
  if (taken)
    s->closing_table = closing->table++;
  pthread_mutex_unlock(&closing->mutex);
  s->asks = taken && s->closing_table == ntables;
  s->program = (struct row_program){.reads_only = true};
  return taken;
}

bool program_take(struct session *s) {
  s->first = s->last = 0;
  if (s->closing && !take_table(s))
    return false;
  if (!s->closing)
    s->asks = program_question_is_due(s);
  if (!s->closing && s->asks) {
    s->program = (struct row_program){.reads_only = true};
  } else if (!s->closing) {
    s->programs->next(s->workload_state, &s->program);
    pack_note(&s->run->pack, s->number, ++s->nplans);
  }
  s->plan.shape = s->program.shape;
  return true;
}

bool program_start(struct session *s) {
  if (s->asks && s->run->question)
    return true;
  if (s->asks) {
    invariant_ask(s->run->options->invariant, &s->statement);
    return true;
  }
  if (!s->closing) {
    s->programs->start(s->workload_state);
    return s->programs->step(s->workload_state, NULL, &s->statement);
  }
  s->statement = (struct statement){.sort = STATEMENT_SELECT,
                                    .table = s->closing_table,
                                    .template = s->closing_table};
  return true;
}

// Only where times are recorded: reading the clock takes time itself.
static uint64_t statement_time(struct session *s) {
  return s->op_times ? clock_read(s->clock) : 0;
}

static void note_program_statement(struct session *s,
                                   const struct statement *statement,
                                   uint64_t stamp,
                                   const struct statement_times *times) {
  const struct tables *tables = s->run->tables;
  const uint32_t nparameters =
      statement_has_condition(statement->sort)
          ? tables->templates[statement->template].predicate.nparameters
          : 0;
  if (s->log)
    session_log_statement(s->log, statement, nparameters,
                          tables->table[statement->table].columns.count, stamp,
                          &s->rows, s->op_times ? times : NULL);
}

// As many rows as were asked for: there may be more behind the last one, which
// the condition then says.
static void note_limited(struct session *s, uint64_t stamp,
                         const struct statement_times *times) {
  struct statement exact = s->statement;
  int64_t params[PREDICATE_PARAMETERS];
  const uint32_t n =
      s->run->tables->templates[exact.template].predicate.nparameters;
  assert(n > 0);
  memcpy(params, exact.params, n * sizeof *params);
  if (s->rows.count == exact.limit)
    params[n - 1] = (int64_t)s->rows.rows[s->rows.count - 1].key;
  exact.params = params;
  note_program_statement(s, &exact, stamp, times);
}

// The rows that the statement found, returned or not, are noted in front of it,
// as those of a SELECT of the whole table.
static void note_found(struct session *s, const struct statement_times *times) {
  const struct statement all = {.sort = STATEMENT_SELECT,
                                .table = s->statement.table,
                                .template = s->statement.table};
  const uint32_t ncolumns = s->run->tables->table[all.table].columns.count;
  if (s->log)
    session_log_statement(s->log, &all, 0, ncolumns, 0, s->rows.found,
                          s->op_times ? times : NULL);
}

// Own SQL is in no history: what it read is not known.
static enum outcome ask_question(struct session *s) {
  char line[PROGRAM_ANSWER_ROOM];
  const enum outcome outcome =
      s->driver->sql(s->connection, s->run->question, line, sizeof line);
  if (outcome == OUTCOME_OK)
    s->answer = invariant_answer_of_line(line);
  return outcome;
}

static bool is_number(const char *words) {
  char *end;
  strtod(words, &end);
  return end > words && !*end;
}

int program_try_question(struct session *s, const struct driver_level *level,
                         struct error *error) {
  const struct connection *c = s->connection;
  const char *text = invariant_text(s->run->options->invariant);
  const bool answered = s->driver->begin(s->connection, level) == OUTCOME_OK &&
                        ask_question(s) == OUTCOME_OK;
  if (!answered)
    error_set(error, "the database refused the invariant \"%s\": %s", text,
              c->text);
  if (!c->broken)
    s->driver->rollback(s->connection);
  if (answered && !s->answer.none && !is_number(s->answer.words))
    return error_set(error,
                     "the invariant \"%s\" is %s, and not one "
                     "number",
                     text, s->answer.words);
  return answered ? 0 : -1;
}

enum outcome program_step(struct session *s, bool *goes_on) {
  *goes_on = false;
  if (s->asks && s->run->question)
    return ask_question(s);
  const uint64_t stamp = value_of_write(s->number, s->nwrites);
  struct statement_times times = {.begin = statement_time(s)};
  row_list_clear(&s->rows);
  const enum outcome outcome =
      s->driver->execute(s->connection, &s->statement, stamp, &s->rows);
  times.end = statement_time(s);
  if (outcome == OUTCOME_ABORTED)
    row_list_clear(&s->rows);
  if (outcome == OUTCOME_UNKNOWN)
    session_part(s);
  s->next++;
  if (s->rows.found)
    note_found(s, &times);
  // A statement that was refused wrote nothing, so its stamp is still fresh.
  if (!s->rows.refused) {
    s->nwrites += statement_writes(s->statement.sort);
    if (s->statement.limit && outcome != OUTCOME_ABORTED)
      note_limited(s, stamp, &times);
    else
      note_program_statement(s, &s->statement, stamp, &times);
  }
  if (s->asks && outcome == OUTCOME_OK)
    s->answer = invariant_answer(s->run->options->invariant, &s->rows);
  *goes_on = outcome == OUTCOME_OK && !s->closing && !s->asks &&
             s->programs->step(s->workload_state, &s->rows, &s->statement);
  return outcome;
}

void program_judge(struct session *s, uint64_t now) {
  struct invariant_figures *figures = &s->tally.sum.invariant;
  figures->checked++;
  if (invariant_holds(s->run->options->invariant, s->answer))
    return;
  if (!figures->broken++) {
    figures->first = s->answer;
    figures->first_at = now - s->run->start;
  }
}

bool program_rolls_back(const struct session *s) {
  return !s->closing && !s->asks && s->programs->rolls_back &&
         s->programs->rolls_back(s->workload_state);
}

const char *program_place(const struct session *s, const char **why) {
  return s->programs && s->programs->place && !s->closing && !s->asks
             ? s->programs->place(s->workload_state, why)
             : NULL;
}

int program_check(const struct driver *driver, const struct workload *workload,
                  struct error *error) {
  const struct row_programs *programs = workload->programs;
  // Where shares decide what is needed, the target is looked at.
  const unsigned needs = programs->executes_in ? 0 : programs->executes;
  if (!driver->execute)
    return error_set(
        error,
        "the %s driver cannot execute SQL with predicates%s, which "
        "the workload %s needs",
        driver->name, driver->transact ? " as it is set" : "", workload->name);
  for (int sort = 0; sort < STATEMENT_COUNT; sort++)
    if (needs & ~driver->executes & 1u << sort)
      return error_set(error,
                       "the %s driver cannot execute every statement that the "
                       "workload %s needs",
                       driver->name, workload->name);
  return 0;
}

int program_check_target(const struct target *target,
                         const struct workload *workload,
                         const struct workload_options *options,
                         struct error *error) {
  const struct row_programs *programs = workload->programs;
  const unsigned needs = programs->executes_in ? programs->executes_in(options)
                                               : programs->executes;
  const unsigned lacking = needs & target->lacks;
  if (needs & ~target->driver->executes)
    return error_set(error,
                     "the %s driver cannot execute every statement that the "
                     "workload %s needs; choose transactions without by "
                     "--shares",
                     target->driver->name, workload->name);
  if (!lacking)
    return 0;
  return error_set(
      error,
      "the workload %s has %s statements: %s; choose transactions "
      "without%s",
      workload->name, lacking & 1u << STATEMENT_UPDATE ? "UPDATE" : "DELETE",
      target->lacks_because, programs->executes_in ? " by --shares" : "");
}
