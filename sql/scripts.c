// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a schema and scripts that are to be performed (sql/steps.h).
#include "config.h"

#include "sql/script_list.h"
#include "sql/tree.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- The schema as tables of sql/tables.h, whose key is called id

static int refuse_recorder_column(const char *path,
                                  const struct sql_table *table,
                                  uint32_t column, struct error *error) {
  static const char *const taken[] = {"id", "wid", "prev", "dead"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(table->columns[column], taken[i]) &&
        (i || column != table->key))
      return error_set_usage(error,
                             "%s:%u: %s cannot have a column %s%s in a run, "
                             "which adds one of that name; rename it",
                             path, table->line, table->name, taken[i],
                             i ? "" : " that is no primary key");
  return 0;
}

static int make_columns(struct sql_scripts *all, const struct sql_schema *s,
                        uint32_t t, const char *path, struct error *error) {
  const struct sql_table *table = &s->tables[t];
  const char **names = arena_take(&all->arena, table->ncolumns * sizeof *names);
  struct first_value *first =
      arena_take(&all->arena, table->ncolumns * sizeof *first);
  uint32_t n = 0;
  for (uint32_t i = 0; i < table->ncolumns; i++) {
    if (refuse_recorder_column(path, table, i, error))
      return -1;
    if (i == table->key)
      continue;
    first[n] = (struct first_value){.least = 0, .step = 1, .count = 1};
    names[n++] = arena_strdup(&all->arena, table->columns[i]);
  }
  all->declarations[t] = (struct sql_declaration){
      sql_text_on_a_line(&all->arena, table->begin, table->end),
      arena_strdup(&all->arena, table->columns[table->key])};
  all->tables[t] =
      (struct table_spec){.name = arena_strdup(&all->arena, table->name),
                          .columns = {.key = "id", .names = names, .count = n},
                          .first = first,
                          .own_key = all->declarations[t].key};
  return 0;
}

static int compare_row_keys(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int make_rows(struct sql_scripts *all, const struct sql_schema *s,
                     uint32_t t, const char *path, struct error *error) {
  struct table_spec *table = &all->tables[t];
  const uint32_t width = 1 + table->columns.count;
  const size_t bytes = s->nnumbers[t] * sizeof(int64_t);
  int64_t *rows = arena_take(&all->arena, bytes + 1);
  table->nlisted = s->nnumbers[t] / width;
  table->listed = rows;
  if (!table->nlisted)
    return 0;
  memcpy(rows, s->rows[t], bytes);
  qsort(rows, table->nlisted, width * sizeof *rows, compare_row_keys);
  for (uint32_t i = 0; i < table->nlisted; i++) {
    const int64_t key = rows[(size_t)i * width];
    if (key < 0 || (i && key == rows[(size_t)(i - 1) * width]))
      return error_set_usage(error,
                             "%s:%u: %s has a row of the key %" PRId64
                             " %s; in a run, keys are numbers from 0 on",
                             path, s->tables[t].line, table->name, key,
                             key < 0 ? "below 0" : "twice");
  }
  return 0;
}

static int make_script_tables(struct sql_scripts *all,
                              const struct sql_schema *s, const char *path,
                              struct error *error) {
  _Static_assert((int)SQL_TABLES_MAX <= (int)TABLES_MOST,
                 "a schema fits in a run");
  all->ntables = s->ntables;
  if (!s->ntables)
    return error_set_usage(error, "%s: there is no CREATE TABLE", path);
  for (uint32_t t = 0; t < s->ntables; t++) {
    if (make_columns(all, s, t, path, error) ||
        make_rows(all, s, t, path, error))
      return -1;
    ARRAY_RESERVE(all->templates, all->ntemplates, all->templates_room);
    struct template_spec *template = &all->templates[all->ntemplates++];
    *template = (struct template_spec){.table = t};
    const bool added = predicate_add(
        &template->predicate, (struct predicate_node){.op = PREDICATE_TRUE});
    assert(added);
    (void)added;
  }
  return 0;
}

static int read_schema_of_run(struct sql_scripts *all,
                              struct sql_schema *schema, const char *path,
                              struct error *error) {
  char *text = sql_text_of(path, error), *unused = NULL;
  size_t bytes;
  if (!text)
    return -1;
  struct sql_reader r = {.path = path, .p = text, .line = 1, .error = error};
  FILE *out = text_stream(&unused, &bytes);
  schema->keeps_rows = true;
  sql_read_schema(&r, schema, out); // what it refuses is told with the rest
  const int failed = make_script_tables(all, schema, path, error);
  if (failed)
    sql_tell(&schema->refusals, true, error);
  fclose(out);
  free(unused);
  free(text);
  return failed ? -1 : 0;
}

// ---- The scripts

static int read_script_of_run(struct sql_scripts *all,
                              struct sql_schema *schema,
                              const struct listed_script *listed,
                              struct error *error) {
  ARRAY_RESERVE(all->scripts, all->nscripts, all->scripts_room);
  struct sql_script *script = &all->scripts[all->nscripts++];
  *script = (struct sql_script){.name = xstrdup(listed->name),
                                .path = xstrdup(listed->path),
                                .share = listed->share};
  char *text = sql_text_of(listed->path, error);
  if (!text)
    return -1;
  struct sql_reader r = {
      .path = script->path, .p = text, .line = 1, .error = error};
  const int failed =
      !sql_make_script(&r, schema, all, script) && !script->ntransactions
          ? error_set_usage(error, "%s: there is no statement", script->path)
          : 0;
  free(text);
  return failed;
}

static int read_script_list(struct sql_scripts *all, struct sql_schema *schema,
                            const char *list, uint32_t most,
                            struct error *error) {
  uint32_t n;
  struct listed_script *scripts = script_list_read(list, most, &n, error);
  int failed = scripts ? 0 : -1;
  for (uint32_t i = 0; !failed && i < n; i++)
    failed = read_script_of_run(all, schema, &scripts[i], error);
  if (scripts)
    script_list_free(scripts, n);
  return failed;
}

struct sql_scripts *sql_scripts_read(const char *schema_path, const char *list,
                                     uint32_t most, struct error *error) {
  struct sql_scripts *all = xcalloc(1, sizeof *all);
  struct sql_schema *schema = xcalloc(1, sizeof *schema);
  const int failed = read_schema_of_run(all, schema, schema_path, error) ||
                     read_script_list(all, schema, list, most, error) ||
                     sql_tell(&schema->refusals, true, error);
  sql_schema_free(schema);
  if (!failed)
    return all;
  sql_scripts_free(all);
  return NULL;
}

// ---- Questions

// The schema that the tables would have been read from.
static int take_question_tables(struct sql_scripts *all,
                                struct sql_schema *schema,
                                const struct tables *tables,
                                struct error *error) {
  all->ntables = schema->ntables = tables->ntables;
  for (uint32_t t = 0; t < tables->ntables; t++) {
    const struct predicate_columns *columns = &tables->table[t].columns;
    struct sql_table *table = &schema->tables[t];
    if (columns->count >= SQL_COLUMNS_MAX)
      return error_set(error, "the table %s has too many columns",
                       tables->table[t].name);
    all->tables[t] = tables->table[t];
    snprintf(table->name, sizeof table->name, "%s", tables->table[t].name);
    snprintf(table->columns[0], sizeof table->columns[0], "%s", columns->key);
    for (uint32_t i = 0; i < columns->count; i++)
      snprintf(table->columns[1 + i], sizeof table->columns[0], "%s",
               columns->names[i]);
    table->ncolumns = 1 + columns->count;
  }
  for (uint32_t i = 0; i < tables->ntemplates; i++) {
    ARRAY_RESERVE(all->templates, all->ntemplates, all->templates_room);
    all->templates[all->ntemplates++] = tables->templates[i];
  }
  return 0;
}

static bool begins_select(const char *text) {
  return !strncasecmp(text + strspn(text, " \t\n"), "select", 6);
}

static bool selects_one_number(const struct sql_script *script) {
  return script->nsteps == 2 && script->steps[0]->kind == SQL_STEP_STATEMENT &&
         script->steps[0]->sort == STATEMENT_SELECT &&
         script->steps[0]->nkept == 1;
}

static int read_invariant_question(struct sql_scripts *all,
                                   struct sql_schema *schema,
                                   const char *select, struct error *error) {
  char *text = xasprintf("%s \\gset\n", select);
  ARRAY_RESERVE(all->scripts, all->nscripts, all->scripts_room);
  struct sql_script *script = &all->scripts[all->nscripts++];
  *script = (struct sql_script){0};
  struct sql_reader r = {
      .path = "invariant", .p = text, .line = 1, .error = error};
  int failed =
      begins_select(select) && sql_make_script(&r, schema, all, script);
  if (!failed && !selects_one_number(script))
    failed = error_set_usage(error,
                             "an invariant is one SELECT of one number, such "
                             "as SELECT SUM(balance) FROM account, not \"%s\"",
                             select);
  free(text);
  return failed;
}

struct sql_scripts *sql_question_read(const char *select,
                                      const struct tables *tables,
                                      struct error *error) {
  struct sql_scripts *all = xcalloc(1, sizeof *all);
  struct sql_schema *schema = xcalloc(1, sizeof *schema);
  const int failed = take_question_tables(all, schema, tables, error) ||
                     read_invariant_question(all, schema, select, error);
  sql_schema_free(schema);
  if (!failed)
    return all;
  sql_scripts_free(all);
  return NULL;
}

void sql_scripts_free(struct sql_scripts *all) {
  if (!all)
    return;
  for (uint32_t i = 0; i < all->nscripts; i++)
    FREE_EACH(all->scripts[i].name, all->scripts[i].path, all->scripts[i].steps,
              all->scripts[i].first);
  FREE_EACH(all->scripts, all->templates);
  arena_free(&all->arena);
  free(all);
}
