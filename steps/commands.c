// SPDX-License-Identifier: GPL-3.0-or-later
// Plain commands for psql, mysql, sqlite3 and redis-cli (steps/commands.h).  A
// key is its position in the script plus one, and so is a value.
#include "config.h"

#include "steps/commands.h"

#include "drivers/drivers.h"
#include "steps/plain_sql.h"

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
  const char *drop, *list_drop;       // of the table; may be NULL
  const char *const *begin;           // lines; ends with NULL
  const char *pattern[STEP_RESUMES];
  const char *read_list;
  bool writes_at_commit; // what is written is sent between MULTI and EXEC
  struct plain_sql sql;  // of tables of rows
};

static const struct shell shells[] = {
    {"postgresql",
     "psql",
     "--",
     "CREATE TABLE t (k bigint PRIMARY KEY, v bigint);",
     "CREATE TABLE l (k bigint PRIMARY KEY, v bigint[] NOT NULL);",
     "INSERT INTO t VALUES (%k, 0);",
     NULL,
     "DROP TABLE t;",
     "DROP TABLE l;",
     (const char *const[]){"BEGIN ISOLATION LEVEL %l;", NULL},
     {[STEP_READ] = "SELECT v FROM t WHERE k = %k;",
      [STEP_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
      [STEP_APPEND] = "INSERT INTO l VALUES (%k, '{%v}') ON CONFLICT (k) DO "
                      "UPDATE SET v = l.v || excluded.v;",
      [STEP_CAS] = "UPDATE t SET v = %v WHERE k = %k AND v = %e;",
      [STEP_COMMIT] = "COMMIT;",
      [STEP_ROLLBACK] = "ROLLBACK;"},
     "SELECT v FROM l WHERE k = %k;",
     false,
     {"", " FOR UPDATE", {"", " ON CONFLICT DO NOTHING"}}},
    {"mysql",
     "mysql",
     "--",
     "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT) ENGINE=InnoDB;",
     "CREATE TABLE l (k BIGINT PRIMARY KEY, v TEXT NOT NULL) ENGINE=InnoDB;",
     "INSERT INTO t VALUES (%k, 0);",
     NULL,
     "DROP TABLE t;",
     "DROP TABLE l;",
     (const char *const[]){"SET SESSION TRANSACTION ISOLATION LEVEL %l;",
                           "START TRANSACTION;", NULL},
     {[STEP_READ] = "SELECT v FROM t WHERE k = %k;",
      [STEP_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
      [STEP_APPEND] = "INSERT INTO l VALUES (%k, ' %v') ON DUPLICATE KEY "
                      "UPDATE v = concat(v, ' %v');",
      [STEP_CAS] = "UPDATE t SET v = %v WHERE k = %k AND v = %e;",
      [STEP_COMMIT] = "COMMIT;",
      [STEP_ROLLBACK] = "ROLLBACK;"},
     "SELECT v FROM l WHERE k = %k;",
     false,
     {" ENGINE=InnoDB", " FOR UPDATE", {"IGNORE ", ""}}},
    {"sqlite",
     "sqlite3",
     "--",
     "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER);",
     "CREATE TABLE l (k INTEGER PRIMARY KEY, v TEXT NOT NULL);",
     "INSERT INTO t VALUES (%k, 0);",
     NULL,
     "DROP TABLE t;",
     "DROP TABLE l;",
     (const char *const[]){"BEGIN;", NULL},
     {[STEP_READ] = "SELECT v FROM t WHERE k = %k;",
      [STEP_WRITE] = "UPDATE t SET v = %v WHERE k = %k;",
      [STEP_APPEND] = "INSERT INTO l VALUES (%k, ' %v') ON CONFLICT (k) DO "
                      "UPDATE SET v = v || excluded.v;",
      [STEP_CAS] = "UPDATE t SET v = %v WHERE k = %k AND v = %e;",
      [STEP_COMMIT] = "COMMIT;",
      [STEP_ROLLBACK] = "ROLLBACK;"},
     "SELECT v FROM l WHERE k = %k;",
     false,
     {"", "", {"OR IGNORE ", ""}}},
    {"redis",
     "redis-cli",
     "#",
     NULL,
     NULL,
     "SET isostress:%k 0",
     "DEL isostress:%k",
     NULL,
     NULL,
     (const char *const[]){NULL},
     {[STEP_READ] = "GET isostress:%k",
      [STEP_WRITE] = "SET isostress:%k %v",
      [STEP_APPEND] = "RPUSH isostress:%k %v",
      [STEP_CAS] = "SET isostress:%k %v",
      [STEP_COMMIT] = "EXEC",
      [STEP_ROLLBACK] = "UNWATCH"},
     "LRANGE isostress:%k 0 -1",
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

static void put_pattern(FILE *out, const char *pattern, const struct step *step,
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
      fprintf(out, "%u", step->value);
      break;
    case 'e':
      fprintf(out, "%u", step->expects);
      break;
    default:
      fputs(level, out);
    }
  }
}

// The comment on the command before.  redis-cli knows no comments: there it has
// a line of its own, which is only complained of.
static void put_comment(FILE *out, const struct shell *shell) {
  fprintf(out, shell->writes_at_commit ? "\n%s" : "  %s", shell->comment);
}

static void put_setup(FILE *out, const struct script *script,
                      const struct shell *shell) {
  const char *table = script->lists ? shell->list_table : shell->table;
  const char *preload = script->lists ? shell->list_preload : shell->preload;
  fprintf(out, "%s First, at any terminal of %s:\n", shell->comment,
          shell->name);
  plain_sql_put_tables(out, &shell->sql, script);
  if (table && !script->ntables)
    fprintf(out, "%s\n", table);
  for (uint32_t k = 0; preload && k < script->nkeys; k++) {
    put_pattern(out, preload, &(struct step){.key = k}, "");
    put_comment(out, shell);
    fprintf(out, " %s\n", script->keys[k]);
  }
  fprintf(out,
          "%s Then, one after the other; where a terminal waits, go on at "
          "the next one.\n",
          shell->comment);
}

static void put_end(FILE *out, const struct script *script,
                    const struct shell *shell) {
  const char *drop = script->lists ? shell->list_drop : shell->drop;
  if (!drop && !script->ntables)
    return;
  fprintf(out, "\n%s At the end, at any terminal:\n", shell->comment);
  plain_sql_put_last(out, script);
  if (script->damage)
    fprintf(out, "%s %s\n", shell->comment, script->damage);
  plain_sql_put_drops(out, script);
  if (!script->ntables)
    fprintf(out, "%s\n", drop);
}

// The result of the step when the anomaly was seen, in the arena; NULL: there
// is none that a terminal shows.
static const char *words_of_result(struct arena *arena,
                                   const struct script *script,
                                   const struct step *step) {
  const struct expectation *seen = step->expectations;
  uint32_t left = step->nexpectations;
  while (left && !seen->seen) {
    seen++;
    left--;
  }
  const bool is_list = script->lists && step->kind == STEP_READ;
  if (left && seen->kind == EXPECTED_ROWS)
    return *seen->text ? seen->text : "nothing";
  if (!left || (!seen->nvalues && !is_list))
    return NULL;
  const char *words = seen->nvalues ? "" : "nothing";
  for (uint32_t i = 0; i < seen->nvalues; i++)
    words = arena_printf(arena, "%s%s%u", words, i ? " " : "", seen->values[i]);
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

// Writes the result as a comment.
static void put_returned(FILE *out, const struct script *script,
                         const struct step *step, const struct shell *shell) {
  struct arena arena = {0};
  const char *words = words_of_result(&arena, script, step);
  if (words) {
    put_comment(out, shell);
    fprintf(out, " %s %s", verb_of(step), words);
  }
  arena_free(&arena);
}

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
      put_pattern(out, shell->pattern[step->kind], step, "");
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

static void put_begin(FILE *out, const struct shell *shell,
                      const struct step *step, const char *level) {
  for (size_t j = 0; shell->begin[j]; j++) {
    fputs(j ? "\n" : "", out);
    put_pattern(out, shell->begin[j], step, level);
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
    put_pattern(out, "WATCH isostress:%k\n", step, "");
  put_pattern(out,
              step->kind == STEP_READ && script->lists
                  ? shell->read_list
                  : shell->pattern[step->kind],
              step, level);
}

// Puts the command of a step, without the end of its last line.
static void put_step(FILE *out, const struct script *script,
                     const struct shell *shell, uint32_t i, const char *level) {
  const struct step *step = &script->steps[i];
  if (step->kind == STEP_BEGIN)
    put_begin(out, shell, step, level);
  else if (step->kind == STEP_ROWS)
    plain_sql_put_statement(out, &shell->sql, script, step->statement);
  else if (step_is_statement(step->kind))
    fputs(step->text, out);
  else
    put_operation(out, script, shell, i, level);
}

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
// its session.
static struct sending *order_steps(const struct script *script,
                                   const struct step_result *results) {
  struct sending *order = xcalloc(script->nsteps, sizeof *order);
  uint64_t *last = xcalloc(script->nsessions, sizeof *last);
  for (uint32_t i = 0; i < script->nsteps; i++) {
    uint64_t *before = &last[script->steps[i].session];
    if (results[i].state == STEP_DONE && results[i].begin > *before)
      *before = results[i].begin;
    order[i] = (struct sending){*before, i};
  }
  free(last);
  qsort(order, script->nsteps, sizeof *order, by_time);
  return order;
}

static bool is_typed(const struct shell *shell, const struct step *step) {
  return step->kind != STEP_RESUMES && !is_held_back(shell, step) &&
         (step->kind != STEP_BEGIN || shell->begin[0]);
}

void commands_put(FILE *out, const struct script *script,
                  const struct driver *driver, const struct driver_level *level,
                  const struct step_result *results) {
  const struct shell *shell = find_shell(driver);
  assert(shell); // commands_known()
  struct sending *order = order_steps(script, results);
  uint32_t session = UINT32_MAX;
  fprintf(out, "%s %s\n", shell->comment, script->title);
  put_setup(out, script, shell);
  for (uint32_t i = 0; i < script->nsteps; i++) {
    const struct step *step = &script->steps[order[i].step];
    if (!is_typed(shell, step))
      continue;
    if (step->session != session)
      fprintf(out, "\n%s Terminal %s:\n", shell->comment,
              script->sessions[step->session]);
    session = step->session;
    if (step->kind == STEP_AT)
      fprintf(out, "%s connected to host %u of the target, from 0\n",
              shell->comment, step->host);
    else {
      put_step(out, script, shell, order[i].step,
               words_of_level(driver, step, level->name));
      put_returned(out, script, step, shell);
      putc('\n', out);
    }
  }
  put_end(out, script, shell);
  free(order);
}

// The text that was written to the stream, without its last end of a line, in
// the arena.
static const char *take_text(struct arena *arena, FILE *out, char **text) {
  fclose(out);
  const size_t length = strlen(*text);
  const char *kept = arena_printf(
      arena, "%.*s", (int)length - (length && (*text)[length - 1] == '\n'),
      *text);
  free(*text);
  return kept;
}

uint32_t commands_list(struct arena *arena, const struct script *script,
                       const struct driver *driver, const char *level,
                       struct typed_command **list) {
  const struct shell *shell = find_shell(driver);
  assert(shell && script->ntables); // commands_known()
  struct typed_command *all =
      arena_take(arena, (script->nsteps + 3) * sizeof *all);
  uint32_t n = 0;
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  plain_sql_put_tables(out, &shell->sql, script);
  all[n++] = (struct typed_command){COMMAND_OF_ANY,
                                    take_text(arena, out, &text), NULL};
  for (uint32_t i = 0; i < script->nsteps; i++) {
    const struct step *step = &script->steps[i];
    if (step->kind == STEP_AT)
      continue;
    const char *result = words_of_result(arena, script, step);
    out = text_stream(&text, &bytes);
    put_step(out, script, shell, i, words_of_level(driver, step, level));
    all[n++] = (struct typed_command){
        step->session, take_text(arena, out, &text),
        result ? arena_printf(arena, "%s %s", verb_of(step), result) : NULL};
  }
  out = text_stream(&text, &bytes);
  plain_sql_put_last(out, script);
  all[n++] = (struct typed_command){
      COMMAND_OF_ANY, take_text(arena, out, &text),
      script->damage ? arena_strdup(arena, script->damage) : NULL};
  out = text_stream(&text, &bytes);
  plain_sql_put_drops(out, script);
  all[n++] = (struct typed_command){COMMAND_OF_ANY,
                                    take_text(arena, out, &text), NULL};
  *list = all;
  return n;
}
