// SPDX-License-Identifier: GPL-3.0-or-later
// Writes and reads the tables of a run (recorder/native/tables_text.h).
#include "config.h"

#include "recorder/native/tables_text.h"

#include "recorder/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_listed(FILE *out, const struct table_spec *table) {
  const uint32_t n = 1 + table->columns.count;
  for (uint32_t row = 0; row < table->nlisted; row++) {
    fputs("row", out);
    for (uint32_t i = 0; i < n; i++)
      fprintf(out, " %" PRId64, table->listed[(size_t)row * n + i]);
    fputc('\n', out);
  }
}

char *tables_text(const struct tables *tables) {
  char *text = NULL;
  size_t length;
  FILE *out = text_stream(&text, &length);
  for (uint32_t t = 0; t < tables->ntables; t++) {
    const struct table_spec *table = &tables->table[t];
    fprintf(out, "table %s %" PRIu64 "\n", table->name, table->nrows);
    for (uint32_t i = 0; i < table->columns.count; i++)
      fprintf(out, "column %s %" PRId64 " %" PRIu64 " %" PRIu64 "\n",
              table->columns.names[i], table->first[i].least,
              table->first[i].step, table->first[i].count);
    put_listed(out, table);
  }
  for (uint32_t i = 0; i < tables->ntemplates; i++) {
    const struct template_spec *template = &tables->templates[i];
    fprintf(out, "condition %u ", template->table);
    predicate_write(out, &template->predicate,
                    &tables->table[template->table].columns, PREDICATE_DOLLAR,
                    NULL);
    fputc('\n', out);
  }
  fclose(out);
  return text;
}

// The tables that have been read.
struct tables_reading {
  struct arena *arena;
  struct table_spec table[TABLES_MOST];
  const char **names; // of the last table's columns, which the arena keeps...
  struct first_value *first; // ...as their first values
  struct template_spec *templates;
  int64_t *listed[TABLES_MOST];
  uint32_t listed_room[TABLES_MOST];
  uint32_t ntables, ntemplates, room;
};

// Rows are told apart by the names of their tables.
static bool is_new_table(const struct tables_reading *r, const char *name,
                         struct error *error) {
  for (uint32_t t = 0; t < r->ntables; t++)
    if (!strcmp(r->table[t].name, name))
      return !error_set(error, "there are two tables '%s'", name);
  return true;
}

static bool is_new_column(const struct tables_reading *r, uint32_t table,
                          const char *name, struct error *error) {
  const struct predicate_columns *columns = &r->table[table].columns;
  bool is_new = strcmp(columns->key, name) != 0;
  for (uint32_t i = 0; i < columns->count && is_new; i++)
    is_new = strcmp(columns->names[i], name) != 0;
  return is_new || !error_set(error, "there are two columns '%s'", name);
}

static bool read_table_line(struct tables_reading *r, const char *line,
                            struct error *error) {
  char name[ROW_NAME + 1];
  uint64_t nrows;
  const uint32_t t = r->ntables;
  if (t == TABLES_MOST ||
      sscanf(line, "table %64s %" SCNu64, name, &nrows) != 2 ||
      nrows >= ROWS_NONE || !is_new_table(r, name, error))
    return false;
  r->names = arena_take(r->arena, TABLE_COLUMNS_MOST * sizeof *r->names);
  r->first = arena_take(r->arena, TABLE_COLUMNS_MOST * sizeof *r->first);
  r->table[t] =
      (struct table_spec){.name = arena_strdup(r->arena, name),
                          .columns = {.key = ROW_KEY_COLUMN, .names = r->names},
                          .first = r->first,
                          .nrows = nrows};
  r->ntables++;
  return true;
}

static bool read_column_line(struct tables_reading *r, const char *line,
                             struct error *error) {
  char name[ROW_NAME + 1];
  struct first_value first;
  const uint32_t t = r->ntables - 1;
  if (!r->ntables || r->table[t].columns.count == TABLE_COLUMNS_MOST ||
      r->table[t].nlisted ||
      sscanf(line, "column %64s %" SCNd64 " %" SCNu64 " %" SCNu64, name,
             &first.least, &first.step, &first.count) != 4 ||
      !first.step || !first.count || !is_new_column(r, t, name, error))
    return false;
  const uint32_t i = r->table[t].columns.count++;
  r->names[i] = arena_strdup(r->arena, name);
  r->first[i] = first;
  return true;
}

// A row of the last table, all of whose columns have been read.
static bool read_row_line(struct tables_reading *r, const char *line) {
  if (!r->ntables || strncmp(line, "row ", 4))
    return false;
  const uint32_t t = r->ntables - 1, n = 1 + r->table[t].columns.count;
  const char *at = line + 3;
  uint32_t numbers = r->table[t].nlisted * n;
  for (uint32_t i = 0; i < n; i++) {
    int64_t number;
    int used = 0;
    if (sscanf(at, " %" SCNd64 "%n", &number, &used) != 1)
      return false;
    at += used;
    ARRAY_RESERVE(r->listed[t], numbers, r->listed_room[t]);
    r->listed[t][numbers++] = number;
  }
  r->table[t].nlisted++;
  return !*at;
}

static bool read_condition_line(struct tables_reading *r, const char *line,
                                struct error *error) {
  uint32_t table;
  int used = 0;
  if (sscanf(line, "condition %" SCNu32 " %n", &table, &used) != 1 || !used ||
      table >= r->ntables)
    return false;
  ARRAY_RESERVE(r->templates, r->ntemplates, r->room);
  r->templates[r->ntemplates].table = table;
  return !predicate_read(&r->templates[r->ntemplates++].predicate, line + used,
                         &r->table[table].columns, error);
}

static bool read_tables_line(struct tables_reading *r, const char *line,
                             struct error *error) {
  switch (*line) {
  case 't':
    return read_table_line(r, line, error);
  case 'r':
    return read_row_line(r, line);
  case 'c':
    return line[1] == 'o' && line[2] == 'l'
               ? read_column_line(r, line, error)
               : read_condition_line(r, line, error);
  default:
    return false;
  }
}

static void *copy_to_arena(struct arena *arena, const void *from,
                           size_t bytes) {
  void *to = arena_take(arena, bytes + 1);
  return bytes ? memcpy(to, from, bytes) : to;
}

static void keep_tables(struct tables_reading *r, struct tables *tables) {
  for (uint32_t t = 0; t < r->ntables; t++)
    r->table[t].listed = copy_to_arena(r->arena, r->listed[t],
                                       (size_t)r->table[t].nlisted *
                                           (r->table[t].columns.count + 1) *
                                           sizeof *r->listed[t]);
  *tables = (struct tables){
      .table = copy_to_arena(r->arena, r->table, r->ntables * sizeof *r->table),
      .templates = copy_to_arena(r->arena, r->templates,
                                 r->ntemplates * sizeof *r->templates),
      .ntables = r->ntables,
      .ntemplates = r->ntemplates};
}

int tables_read(const char *text, struct arena *arena, struct tables *tables,
                struct error *error) {
  struct tables_reading *r = xcalloc(1, sizeof *r);
  struct error why = {0};
  unsigned number = 1;
  int status = 0;
  r->arena = arena;
  for (; *text && !status; number++) {
    const size_t length = strcspn(text, "\n");
    char *line = xasprintf("%.*s", (int)length, text);
    if (!read_tables_line(r, line, &why))
      status = error_set(error, "line %u of the tables: %s", number,
                         *why.text ? why.text
                                   : "is no table, column, row or "
                                     "condition");
    free(line);
    text += length + (text[length] == '\n');
  }
  if (!status)
    keep_tables(r, tables);
  for (uint32_t t = 0; t < TABLES_MOST; t++)
    free(r->listed[t]);
  free(r->templates);
  free(r);
  return status;
}
