// SPDX-License-Identifier: GPL-3.0-or-later
// Translates a pgbench script (sql/sql.h).  A statement outside of
// BEGIN and COMMIT is a transaction of its own.  A transaction that pgbench
// would abort, by a duplicate key or a \gset without a row, rolls back.
#include "config.h"

#include "sql/maker.h"

#include <stdlib.h>
#include <string.h>

static void put_line(struct translator *t) {
  fprintf(t->out, "#@line %u\n", t->r->at);
}

static void note_place(struct translator *t) {
  t->maker->begin = t->r->token;
  t->maker->line = t->r->at;
}

static void begin(struct translator *t) {
  if (t->maker) {
    sql_make_begin(t);
    return;
  }
  const char *slash = strrchr(t->r->path, '/');
  fprintf(t->out, "#@script %s\ntransaction %s_%u(v_client_id)\n%s",
          slash ? slash + 1 : t->r->path, t->name, ++t->ntransactions,
          t->sets ? t->sets : "");
  free(t->sets);
  t->sets = NULL;
}

// A transaction that rolls back in a branch ends behind it.
static void put_end(struct translator *t, bool rolls) {
  sql_put_step(t, rolls ? SQL_STEP_ROLLBACK : SQL_STEP_COMMIT, 0, NULL);
  if (!rolls || !t->nifs)
    sql_make_end(t);
}

static int edge_of_transaction(struct translator *t) {
  const bool begins = sql_at(t->r, "begin"), rolls = sql_at(t->r, "rollback");
  if (begins == t->open && !t->refused)
    return sql_refuse(t->r, begins ? "there is an open transaction already"
                                   : "no transaction is open");
  if (!begins && !rolls && t->nifs)
    return sql_refuse(t->r, "COMMIT must stand behind \\endif");
  if (begins)
    begin(t);
  else if (t->maker)
    put_end(t, rolls);
  else
    fputs(rolls ? "  rollback\n" : "end\n", t->out);
  if (rolls && !t->nifs && !t->maker)
    fputs("end\n", t->out);
  t->open = begins || (rolls && t->nifs);
  return sql_advance(t->r) ? -1 : sql_require(t->r, ";");
}

static int statement(struct translator *t) {
  static const struct {
    const char *name;
    int (*take)(struct translator *t);
  } statements[] = {{"select", sql_select},
                    {"update", sql_update},
                    {"delete", sql_delete},
                    {"insert", sql_insert}};
  const bool alone = !t->open;
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    if (!sql_at(t->r, statements[i].name))
      continue;
    if (alone)
      begin(t);
    if (t->maker)
      note_place(t);
    else
      put_line(t);
    if (sql_advance(t->r) || statements[i].take(t))
      return -1;
    if (alone && t->maker)
      put_end(t, false);
    else if (alone)
      fputs("end\n", t->out);
    return 0;
  }
  return sql_expected(t->r, "BEGIN, COMMIT, ROLLBACK, SELECT, INSERT, UPDATE "
                            "or DELETE");
}

static int take_next(struct translator *t) {
  const struct sql_reader *r = t->r;
  return r->kind == SQL_COMMAND ? sql_command(t)
         : sql_at(r, "begin") || sql_at(r, "commit") || sql_at(r, "end") ||
                 sql_at(r, "rollback")
             ? edge_of_transaction(t)
             : statement(t);
}

static void refuse(struct translator *t) {
  t->refused = true;
  sql_note(&t->schema->refusals, t->r->error);
}

static int read_script(struct translator *t) {
  struct sql_reader *r = t->r;
  int failed = sql_set_variable(t, "client_id", xstrdup("v_client_id")) ||
               sql_advance(r);
  while (failed || r->kind != SQL_END) {
    failed = failed || take_next(t);
    if (!failed)
      continue;
    refuse(t);
    sql_skip_statement(r);
    failed = sql_advance(r);
  }
  if (t->open && !t->refused) {
    sql_expected(r, "COMMIT");
    refuse(t);
  }
  free(t->sets);
  for (uint32_t i = 0; i < t->nvariables; i++)
    free(t->variables[i].is);
  return sql_tell(&t->schema->refusals, false, r->error);
}

int sql_read_script(struct sql_reader *r, struct sql_schema *schema,
                    const char *name, FILE *out, uint32_t *ntransactions) {
  struct translator t = {.r = r, .schema = schema, .out = out, .name = name};
  const int failed = read_script(&t);
  *ntransactions = t.ntransactions;
  return failed;
}

int sql_make_script(struct sql_reader *r, struct sql_schema *schema,
                    struct sql_maker *maker) {
  struct translator t = {.r = r, .schema = schema, .maker = maker};
  const int failed = read_script(&t);
  struct arena *arena = &maker->all->arena;
  const char **names =
      arena_take(arena, (t.nvariables + (size_t)1) * sizeof *names);
  for (uint32_t i = 0; i < t.nvariables; i++)
    names[i] = arena_strdup(arena, t.variables[i].name);
  maker->script->nvariables = t.nvariables;
  maker->script->variables = names;
  return failed;
}
