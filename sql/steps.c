// SPDX-License-Identifier: GPL-3.0-or-later
// Puts steps together while a script is read (sql/maker.h).
#include "config.h"

#include "sql/maker.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

uint32_t sql_row_column(const struct sql_table *table, uint32_t column) {
  return column == table->key ? TABLE_COLUMNS_MOST
                              : column - (column > table->key);
}

static struct sql_step *add(struct translator *t) {
  struct sql_script *script = t->maker->script;
  ARRAY_RESERVE(script->steps, script->nsteps, script->steps_room);
  return script->steps[script->nsteps++] =
             arena_take(&t->maker->all->arena, sizeof(struct sql_step));
}

void sql_put_step(struct translator *t, enum sql_step_kind kind,
                  uint32_t variable, const struct sql_code *code) {
  struct sql_step *step = add(t);
  step->kind = kind;
  step->variable = variable;
  if (code)
    step->value = *code;
}

void sql_make_statement(struct translator *t, const struct sql_table *table) {
  struct sql_step *step =
      arena_take(&t->maker->all->arena, sizeof(struct sql_step));
  step->kind = SQL_STEP_STATEMENT;
  step->table = (uint32_t)(table - t->schema->tables);
  step->template = step->table;
  t->maker->step = step;
}

const char *sql_text_on_a_line(struct arena *arena, const char *text,
                               const char *end) {
  char *line = arena_take(arena, (size_t)(end - text) + 1);
  size_t n = 0;
  while (text < end) {
    const bool blank = isspace((unsigned char)*text);
    if (text[0] == '-' && text[1] == '-') {
      text += strcspn(text, "\n");
      continue;
    }
    if (!blank || (n && line[n - 1] != ' '))
      line[n++] = blank ? ' ' : *text;
    text++;
  }
  line[n - (n && line[n - 1] == ' ')] = '\0';
  return line;
}

void sql_put_statement(struct translator *t, enum statement_sort sort) {
  struct sql_script *script = t->maker->script;
  assert(t->maker->step);
  t->maker->step->line = t->maker->line;
  t->maker->step->text =
      sql_text_on_a_line(&t->maker->all->arena, t->maker->begin, t->r->token);
  ARRAY_RESERVE(script->steps, script->nsteps, script->steps_room);
  t->maker->step->sort = sort;
  script->steps[script->nsteps++] = t->maker->step;
}

void sql_make_key_condition(struct translator *t) {
  struct sql_scripts *all = t->maker->all;
  struct sql_step *step = t->maker->step;
  struct error why;
  ARRAY_RESERVE(all->templates, all->ntemplates, all->templates_room);
  struct template_spec *template = &all->templates[all->ntemplates];
  *template = (struct template_spec){.table = step->table};
  const int failed = predicate_read(&template->predicate, "id = $1",
                                    &all->tables[step->table].columns, &why);
  assert(!failed);
  (void)failed;
  step->template = all->ntemplates++;
  step->params[step->nparams++] = step->value;
}

void sql_make_begin(struct translator *t) {
  struct sql_script *script = t->maker->script;
  ARRAY_RESERVE(script->first, script->ntransactions,
                script->transactions_room);
  script->first[script->ntransactions++] = t->maker->first;
}

void sql_make_end(struct translator *t) {
  t->maker->first = t->maker->script->nsteps;
}

// ---- Branches

int sql_put_if(struct translator *t, const struct sql_code *code) {
  if (t->nifs == SQL_IFS_MAX)
    return sql_refuse(t->r, "\\if is nested more than %d deep", SQL_IFS_MAX);
  t->maker->branch[t->nifs] = t->maker->script->nsteps;
  sql_put_step(t, SQL_STEP_UNLESS, 0, code);
  return 0;
}

static void close_branch(struct translator *t) {
  struct sql_script *script = t->maker->script;
  script->steps[t->maker->branch[t->nifs - 1]]->target = script->nsteps;
}

void sql_put_else(struct translator *t) {
  const uint32_t go = t->maker->script->nsteps;
  sql_put_step(t, SQL_STEP_GO, 0, NULL);
  close_branch(t);
  t->maker->branch[t->nifs - 1] = go;
}

void sql_put_endif(struct translator *t) { close_branch(t); }
