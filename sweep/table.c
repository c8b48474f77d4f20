// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes comma-separated values (sweep/table.h).
#include "config.h"

#include "sweep/table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 128 };

void table_put(FILE *out, const char *value, int first) {
  if (!first)
    putc(',', out);
  if (!strpbrk(value, ",\"\r\n")) {
    fputs(value, out);
    return;
  }
  putc('"', out);
  for (const char *c = value; *c; c++) {
    if (*c == '"')
      putc('"', out);
    putc(*c == '\n' || *c == '\r' ? ' ' : *c, out);
  }
  putc('"', out);
}

// Takes the next value off the line; NULL if a quote lacks its end.
static const char *take_csv_value(struct table *table, char **line) {
  char *p = *line, *out = p, *start = p;
  if (*p != '"') {
    p += strcspn(p, ",");
    *line = *p ? p + 1 : NULL;
    *p = '\0';
    return arena_strdup(&table->arena, start);
  }
  for (p++; *p && !(p[0] == '"' && p[1] != '"'); p++) {
    p += p[0] == '"';
    *out++ = *p;
  }
  if (*p != '"')
    return NULL;
  *line = p[1] ? p + 2 : NULL;
  *out = '\0';
  return arena_strdup(&table->arena, start);
}

static const char **take_csv_line(struct table *table, char *line,
                                  uint32_t *count) {
  const char *values[COLUMNS_MAX];
  uint32_t n = 0;
  while (line && n < COLUMNS_MAX && (values[n] = take_csv_value(table, &line)))
    n++;
  if (line)
    return NULL;
  const char **row = arena_take(&table->arena, n * sizeof *row);
  memcpy(row, values, n * sizeof *row);
  *count = n;
  return row;
}

static int take_csv_row(struct table *table, char *line) {
  uint32_t n;
  const char **row = take_csv_line(table, line, &n);
  if (row && !table->names) {
    table->names = row;
    table->ncolumns = n;
    return 0;
  }
  if (!row || n != table->ncolumns)
    return -1;
  ARRAY_RESERVE(table->rows, table->nrows, table->room);
  table->rows[table->nrows++] = row;
  return 0;
}

int table_read(const char *path, struct table *table, struct error *error) {
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  unsigned number = 0;
  *table = (struct table){0};
  FILE *file = fopen(path, "r");
  if (!file)
    return error_set(error, "%s: %s", path, strerror(errno));
  bool wrong = false;
  while (!wrong && (n = getline(&line, &room, file)) > 0 &&
         line[n - 1] == '\n') {
    line[strcspn(line, "\r\n")] = '\0';
    number++;
    wrong = take_csv_row(table, line) != 0;
  }
  fclose(file);
  free(line);
  if (wrong)
    return error_set(error, "%s:%u: expected %u values apart by commas", path,
                     number, table->ncolumns);
  return table->names ? 0 : error_set(error, "%s: holds no table", path);
}

void table_free(struct table *table) {
  free(table->rows);
  arena_free(&table->arena);
  *table = (struct table){0};
}

uint32_t table_column(const struct table *table, const char *name) {
  for (uint32_t i = 0; i < table->ncolumns; i++)
    if (!strcmp(table->names[i], name))
      return i;
  return UINT32_MAX;
}

const char *table_text(const struct table *table, uint32_t row,
                       const char *name) {
  const uint32_t column = table_column(table, name);
  return column == UINT32_MAX ? "" : table->rows[row][column];
}

double table_number(const struct table *table, uint32_t row, const char *name) {
  const char *text = table_text(table, row, name);
  char *end;
  const double number = strtod(text, &end);
  return *text && !*end ? number : NAN;
}
