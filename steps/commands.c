// SPDX-License-Identifier: GPL-3.0-or-later
// Plain commands for psql, mysql, sqlite3 and redis-cli (steps/commands.h).  A
// key is its position in the script plus one, and so is a value.
#include "config.h"

#include "steps/commands.h"

#include "drivers/drivers.h"
#include "steps/plain_sql.h"
#include "steps/typed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// In the patterns %k stands for the key, %v for the value that is written, %e
// for the one that is expected, %l for the level; of Redis %q queues a write
// until the commit.
struct shell {
  const char *driver, *name, *comment;
  const char *table, *list_table; // creates what the keys are in; may be NULL
  const char *preload, *list_preload; // of every key; may be NULL
  const char *last;                   // shows what the steps left; may be NULL
  const char *last_key, *list_last_key, *drop_key; // of every key; may be NULL
  const char *const *begin;                        // lines; ends with NULL
  const char *pattern[STEP_RESUMES];
  const char *read_list;
  bool writes_at_commit; // what is written is sent between MULTI and EXEC
  struct plain_sql sql;  // of tables
};

static const struct shell shells[] = {
    {"postgresql",
     "psql",
     "--",
     "CREATE TABLE isostress_try.t (k bigint PRIMARY KEY, v bigint);",
     "CREATE TABLE isostress_try.t (k bigint PRIMARY KEY, v bigint[] NOT "
     "NULL);",
     "INSERT INTO isostress_try.t VALUES (%k, 0);",
     NULL,
     "SELECT k, v FROM isostress_try.t ORDER BY k;",
     NULL,
     NULL,
     NULL,
     (const char *const[]){"BEGIN ISOLATION LEVEL %l;", NULL},
     {[STEP_READ] = "SELECT v FROM t WHERE k = %k;",
      [STEP_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
      [STEP_APPEND] = "INSERT INTO t VALUES (%k, '{%v}') ON CONFLICT (k) DO "
                      "UPDATE SET v = t.v || excluded.v;",
      [STEP_CAS] = "UPDATE t SET v = %v WHERE k = %k AND v = %e;",
      [STEP_COMMIT] = "COMMIT;",
      [STEP_ROLLBACK] = "ROLLBACK;"},
     "SELECT v FROM t WHERE k = %k;",
     false,
     {.create = "CREATE SCHEMA isostress_try;",
      .use = "SET search_path = isostress_try;",
      .drop = "DROP SCHEMA isostress_try CASCADE;",
      .options = "",
      .lock = " FOR UPDATE",
      .nothing = {"", " ON CONFLICT DO NOTHING"}}},
    {"mysql",
     "mysql",
     "--",
     "CREATE TABLE isostress_try.t (k BIGINT PRIMARY KEY, v BIGINT) "
     "ENGINE=InnoDB;",
     "CREATE TABLE isostress_try.t (k BIGINT PRIMARY KEY, v TEXT NOT NULL) "
     "ENGINE=InnoDB;",
     "INSERT INTO isostress_try.t VALUES (%k, 0);",
     NULL,
     "SELECT k, v FROM isostress_try.t ORDER BY k;",
     NULL,
     NULL,
     NULL,
     (const char *const[]){"SET SESSION TRANSACTION ISOLATION LEVEL %l;",
                           "START TRANSACTION;", NULL},
     {[STEP_READ] = "SELECT v FROM t WHERE k = %k;",
      [STEP_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
      [STEP_APPEND] = "INSERT INTO t VALUES (%k, ' %v') ON DUPLICATE KEY "
                      "UPDATE v = concat(v, ' %v');",
      [STEP_CAS] = "UPDATE t SET v = %v WHERE k = %k AND v = %e;",
      [STEP_COMMIT] = "COMMIT;",
      [STEP_ROLLBACK] = "ROLLBACK;"},
     "SELECT v FROM t WHERE k = %k;",
     false,
     {.create = "CREATE DATABASE isostress_try;",
      .use = "USE isostress_try;",
      .drop = "DROP DATABASE isostress_try;",
      .options = " ENGINE=InnoDB",
      .lock = " FOR UPDATE",
      .nothing = {"IGNORE ", ""},
      .divides_exactly = true}},
    {"sqlite",
     "sqlite3 isostress_try.db",
     "--",
     "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER);",
     "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT NOT NULL);",
     "INSERT INTO t VALUES (%k, 0);",
     NULL,
     "SELECT k, v FROM t ORDER BY k;",
     NULL,
     NULL,
     NULL,
     (const char *const[]){"BEGIN;", NULL},
     {[STEP_READ] = "SELECT v FROM t WHERE k = %k;",
      [STEP_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
      [STEP_APPEND] = "INSERT INTO t VALUES (%k, ' %v') ON CONFLICT (k) DO "
                      "UPDATE SET v = v || excluded.v;",
      [STEP_CAS] = "UPDATE t SET v = %v WHERE k = %k AND v = %e;",
      [STEP_COMMIT] = "COMMIT;",
      [STEP_ROLLBACK] = "ROLLBACK;"},
     "SELECT v FROM t WHERE k = %k;",
     false,
     {.options = "", .lock = "", .nothing = {"OR IGNORE ", ""}}},
    {"redis",
     "redis-cli",
     "#",
     NULL,
     NULL,
     "SET isostress_try:%k 0",
     "DEL isostress_try:%k",
     NULL,
     "GET isostress_try:%k",
     "LRANGE isostress_try:%k 0 -1",
     "DEL isostress_try:%k",
     (const char *const[]){NULL},
     {[STEP_READ] = "GET isostress_try:%k",
      [STEP_WRITE] = "SET isostress_try:%k %v",
      [STEP_APPEND] = "RPUSH isostress_try:%k %v",
      [STEP_CAS] = "SET isostress_try:%k %v",
      [STEP_COMMIT] = "EXEC",
      [STEP_ROLLBACK] = "UNWATCH"},
     "LRANGE isostress_try:%k 0 -1",
     true,
     {0}},
    {0},
};

static const struct shell *find_shell(const struct driver *driver) {
  const struct shell *shell = shells;
  while (shell->driver && strcmp(shell->driver, driver->name))
    shell++;
  return shell->driver ? shell : NULL;
}

bool commands_known(const struct driver *driver) {
  return find_shell(driver) != NULL;
}

static void put_pattern(FILE *out, const char *pattern,
                        const struct script *script, const struct step *step,
                        const char *level) {
  for (const char *c = pattern; *c; c++) {
    if (*c != '%') {
      putc(*c, out);
      continue;
    }
    switch (*++c) {
    case 'k':
      fprintf(out, "%u", step->key + 1);
      break;
    case 'v':
      fprintf(out, "%u", typed_number(script, step->value));
      break;
    case 'e':
      fprintf(out, "%u", typed_number(script, step->expects));
      break;
    default:
      fputs(level, out);
    }
  }
}

// A line for every key, perhaps with its name; NULL: none.
static void put_keys(FILE *out, const struct script *script,
                     const char *pattern, bool named) {
  for (uint32_t k = 0; pattern && k < script->nkeys; k++) {
    put_pattern(out, pattern, script, &(struct step){.key = k}, "");
    if (named)
      fprintf(out, "  -- %s", script->keys[k]);
    putc('\n', out);
  }
}

// ---- Before and after the steps

static void put_setup(FILE *out, const struct script *script,
                      const struct shell *shell) {
  const char *table = script->lists ? shell->list_table : shell->table;
  if (script->ntables) {
    plain_sql_put_tables(out, &shell->sql, script);
    return;
  }
  if (shell->sql.create)
    fprintf(out, "%s\n", shell->sql.create);
  if (table)
    fprintf(out, "%s\n", table);
  put_keys(out, script, script->lists ? shell->list_preload : shell->preload,
           !shell->writes_at_commit);
}

static void put_last(FILE *out, const struct script *script,
                     const struct shell *shell) {
  if (script->ntables)
    plain_sql_put_last(out, &shell->sql, script);
  else if (shell->last)
    fprintf(out, "%s\n", shell->last);
  else
    put_keys(out, script,
             script->lists ? shell->list_last_key : shell->last_key, false);
}

static void put_drops(FILE *out, const struct script *script,
                      const struct shell *shell) {
  if (script->ntables)
    plain_sql_put_drops(out, &shell->sql, script);
  else if (shell->sql.drop)
    fprintf(out, "%s\n", shell->sql.drop);
  else if (shell->table)
    fputs("DROP TABLE t;\n", out);
  else
    put_keys(out, script, shell->drop_key, false);
}

// ---- Results

// The result of the step when the anomaly was seen, in the arena; NULL: there
// is none that a terminal shows.
static const char *words_of_result(struct arena *arena,
                                   const struct script *script,
                                   const struct shell *shell,
                                   const struct step *step) {
  const struct expectation *seen = step->expectations;
  uint32_t left = step->nexpectations;
  while (left && !seen->seen) {
    seen++;
    left--;
  }
  const bool is_list = script->lists && step->kind == STEP_READ;
  const char *rows = left && seen->kind == EXPECTED_ROWS ? seen->text : NULL;
  if (rows && plain_sql_is_own(&shell->sql, step) && step->shows)
    rows = step->shows;
  if (rows)
    return *rows ? arena_strdup(arena, rows) : "nothing";
  if (!left || (!seen->nvalues && !is_list))
    return NULL;
  const char *words = seen->nvalues ? "" : "nothing";
  for (uint32_t i = 0; i < seen->nvalues; i++)
    words = arena_printf(arena, "%s%s%s", words, i ? " " : "",
                         typed_words(arena, script, seen->values[i]));
  return words;
}

static const char *verb_of(const struct step *step) {
  static const char *const verbs[STATEMENT_COUNT] = {
      [STATEMENT_INSERT] = "inserted",
      [STATEMENT_INSERT_NEW] = "inserted",
      [STATEMENT_UPDATE] = "changed",
      [STATEMENT_DELETE] = "deleted"};
  const char *verb =
      step->kind == STEP_ROWS ? verbs[step->statement->sort] : NULL;
  return verb ? verb : "returned";
}

// ---- Steps

// Redis: the writes of the session's transaction up to this commit.
static void put_queued(FILE *out, const struct script *script,
                       const struct shell *shell, uint32_t commit) {
  const uint32_t session = script->steps[commit].session;
  uint32_t first = commit;
  while (script->steps[first].session != session ||
         script->steps[first].kind != STEP_BEGIN)
    first--;
  fputs("MULTI\n", out);
  for (uint32_t i = first; i < commit; i++) {
    const struct step *step = &script->steps[i];
    if (step->session == session && step->value != SCRIPT_NO_VALUE) {
      put_pattern(out, shell->pattern[step->kind], script, step, "");
      putc('\n', out);
    }
  }
}

static bool is_held_back(const struct shell *shell, const struct step *step) {
  return shell->writes_at_commit && step->value != SCRIPT_NO_VALUE;
}

static const char *words_of_level(const struct driver *driver,
                                  const struct step *step, const char *level) {
  struct error error;
  const struct driver_level *own =
      step->text ? driver_level(driver, step->text, &error) : NULL;
  return own ? own->name : level;
}

static void put_begin(FILE *out, const struct script *script,
                      const struct shell *shell, const struct step *step,
                      const char *level) {
  for (size_t j = 0; shell->begin[j]; j++) {
    fputs(j ? "\n" : "", out);
    put_pattern(out, shell->begin[j], script, step, level);
  }
}

static void put_operation(FILE *out, const struct script *script,
                          const struct shell *shell, uint32_t i,
                          const char *level) {
  const struct step *step = &script->steps[i];
  if (shell->writes_at_commit && step->kind == STEP_COMMIT)
    put_queued(out, script, shell, i);
  if (shell->writes_at_commit && step->kind == STEP_READ &&
      !strcmp(level, "watch"))
    put_pattern(out, "WATCH isostress_try:%k\n", script, step, "");
  put_pattern(out,
              step->kind == STEP_READ && script->lists
                  ? shell->read_list
                  : shell->pattern[step->kind],
              script, step, level);
}

// Puts the command of a step, without the end of its last line.
static void put_step(FILE *out, const struct script *script,
                     const struct shell *shell, uint32_t i, const char *level) {
  const struct step *step = &script->steps[i];
  if (step->kind == STEP_AT)
    fprintf(out, "%s connected to host %u of the target, from 0",
            shell->comment, step->host);
  else if (step->kind == STEP_BEGIN)
    put_begin(out, script, shell, step, level);
  else if (step->kind == STEP_ROWS)
    plain_sql_put_statement(out, &shell->sql, script, step);
  else if (step_is_statement(step->kind))
    fputs(step->text, out);
  else
    put_operation(out, script, shell, i, level);
}

static bool is_typed(const struct shell *shell, const struct step *step) {
  return step->kind != STEP_RESUMES && !is_held_back(shell, step) &&
         (step->kind != STEP_BEGIN || shell->begin[0]);
}

// ---- Their order

struct sending {
  uint64_t when;
  uint32_t step;
};

static int by_time(const void *a, const void *b) {
  const struct sending *x = a, *y = b;
  if (x->when != y->when)
    return x->when < y->when ? -1 : 1;
  return x->step < y->step ? -1 : x->step > y->step;
}

// When each step was sent; one that was skipped follows the one before it in
// its session.  Without results: in the order of the script.
static struct sending *order_steps(const struct script *script,
                                   const struct step_result *results) {
  struct sending *order = xcalloc(script->nsteps + (size_t)1, sizeof *order);
  uint64_t *last = xcalloc(script->nsessions + (size_t)1, sizeof *last);
  for (uint32_t i = 0; i < script->nsteps; i++) {
    uint64_t *before = &last[script->steps[i].session];
    if (results && results[i].state == STEP_DONE && results[i].begin > *before)
      *before = results[i].begin;
    order[i] = (struct sending){*before, i};
  }
  free(last);
  qsort(order, script->nsteps, sizeof *order, by_time);
  return order;
}

// ---- The list

struct listing {
  struct arena *arena;
  const struct script *script;
  const struct shell *shell;
  struct typed_command *all;
  uint32_t n;
  FILE *out; // the text of the next one
  char *text;
  size_t bytes;
};

static FILE *start_command(struct listing *l) {
  return l->out = text_stream(&l->text, &l->bytes);
}

// Takes what was written to the stream, without its last end of a line.
static struct typed_command *end_command(struct listing *l, uint32_t session) {
  fclose(l->out);
  const size_t length = strlen(l->text);
  struct typed_command *command = &l->all[l->n++];
  *command = (struct typed_command){
      .session = session,
      .text = arena_printf(
          l->arena, "%.*s",
          (int)length - (length && l->text[length - 1] == '\n'), l->text)};
  free(l->text);
  return command;
}

static void list_step(struct listing *l, uint32_t i, const char *level,
                      bool first) {
  const struct step *step = &l->script->steps[i];
  FILE *out = start_command(l);
  if (first && l->shell->sql.use)
    fprintf(out, "%s\n", l->shell->sql.use);
  put_step(out, l->script, l->shell, i, level);
  struct typed_command *command = end_command(l, step->session);
  const char *result = words_of_result(l->arena, l->script, l->shell, step);
  if (result)
    command->returned = arena_printf(l->arena, "%s %s", verb_of(step), result);
  if (step->place)
    command->place = arena_strdup(l->arena, step->place);
}

// The last look is known of rows, and found out of keys.
static const char *words_of_damage(struct listing *l,
                                   const struct sending *order) {
  const struct script *script = l->script;
  uint32_t *steps =
      arena_take(l->arena, (script->nsteps + (size_t)1) * sizeof *steps);
  for (uint32_t i = 0; i < script->nsteps; i++)
    steps[i] = order[i].step;
  return script->damage
             ? arena_strdup(l->arena, script->damage)
             : values_left(l->arena, script, steps, l->shell->writes_at_commit,
                           l->shell->last != NULL);
}

uint32_t commands_list(struct arena *arena, const struct script *script,
                       const struct driver *driver, const char *level,
                       const struct step_result *results,
                       struct typed_command **list) {
  const struct shell *shell = find_shell(driver);
  assert(shell); // commands_known()
  struct listing l = {
      .arena = arena,
      .script = script,
      .shell = shell,
      .all = arena_take(arena, (script->nsteps + 3) * sizeof *l.all)};
  struct sending *order = order_steps(script, results);
  bool *met = xcalloc(script->nsessions + (size_t)1, sizeof *met);
  put_setup(start_command(&l), script, shell);
  end_command(&l, COMMAND_OF_ANY);
  for (uint32_t i = 0; i < script->nsteps; i++) {
    const struct step *step = &script->steps[order[i].step];
    if (!is_typed(shell, step))
      continue;
    list_step(&l, order[i].step, words_of_level(driver, step, level),
              !met[step->session]);
    met[step->session] = true;
  }
  put_last(start_command(&l), script, shell);
  end_command(&l, COMMAND_OF_ANY)->returned = words_of_damage(&l, order);
  put_drops(start_command(&l), script, shell);
  end_command(&l, COMMAND_OF_ANY);
  free(order);
  free(met);
  *list = l.all;
  return l.n;
}

// ---- As a file

// The comment on the command before.  redis-cli knows no comments: there it has
// a line of its own, which is only complained of.
static void put_comment(FILE *out, const struct shell *shell,
                        const struct typed_command *c) {
  if (!c->place && !c->returned)
    return;
  fprintf(out, shell->writes_at_commit ? "\n%s" : "  %s", shell->comment);
  fprintf(out, " %s%s%s", c->place ? c->place : "",
          c->place && c->returned ? ", " : "", c->returned ? c->returned : "");
}

static void put_heading(FILE *out, const struct script *script,
                        const struct shell *shell) {
  fprintf(out, "%s %s\n", shell->comment, script->title);
  for (uint32_t k = 0; k < script->nkeys && shell->writes_at_commit; k++)
    fprintf(out, "%s Key %u is %s.\n", shell->comment, k + 1, script->keys[k]);
  fprintf(out, "%s First, at any terminal of %s:\n", shell->comment,
          shell->name);
}

// The place of a command's session among those that came so far.
static uint32_t terminal_of(const struct typed_command *list, uint32_t i) {
  uint32_t first = 1, terminal = 0;
  while (list[first].session != list[i].session)
    first++;
  for (uint32_t k = 1; k < first; k++) {
    uint32_t before = 1;
    while (list[before].session != list[k].session)
      before++;
    terminal += before == k;
  }
  return terminal;
}

const char *commands_transactions(struct arena *arena,
                                  const struct script *script,
                                  uint32_t session) {
  const char *rest = script->sessions[session], *text = "";
  for (const char *end; (end = strchr(rest, '_')); rest = end + 1)
    text = arena_printf(arena, "%s%.*s, ", text, (int)(end - rest), rest);
  return arena_printf(arena, "%s%s", text, rest);
}

void commands_put(FILE *out, const struct script *script,
                  const struct driver *driver, const struct driver_level *level,
                  const struct step_result *results) {
  struct arena arena = {0};
  struct typed_command *list;
  const struct shell *shell = find_shell(driver);
  const uint32_t n =
      commands_list(&arena, script, driver, level->name, results, &list);
  put_heading(out, script, shell);
  fprintf(out,
          "%s\n%s Then, one after the other; where a terminal waits, go on at "
          "the next one.\n",
          list[0].text, shell->comment);
  for (uint32_t i = 1; i + 2 < n; i++) {
    if (i == 1 || list[i].session != list[i - 1].session)
      fprintf(out, "\n%s Terminal %c (%s):\n", shell->comment,
              'A' + (int)terminal_of(list, i),
              commands_transactions(&arena, script, list[i].session));
    fputs(list[i].text, out);
    put_comment(out, shell, &list[i]);
    putc('\n', out);
  }
  fprintf(out, "\n%s At the end, at any terminal:\n%s\n", shell->comment,
          list[n - 2].text);
  if (list[n - 2].returned)
    fprintf(out, "%s %s\n", shell->comment, list[n - 2].returned);
  fprintf(out, "%s\n", list[n - 1].text);
  arena_free(&arena);
}
