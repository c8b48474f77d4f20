// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of what statements did to rows (report/tale/row_label.h).  A picture
// has room for a few words: the reader is shown what makes a difference.
#include "config.h"

#include "report/tale/row_label.h"

#include "base/memory.h"
#include "recorder/row_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool row_column_is_rank(const char *column, const char **name) {
  const char *digits = column + strlen("rank_");
  if (strncmp(column, "rank_", strlen("rank_")) != 0)
    return false;
  const size_t n = strspn(digits, "0123456789");
  if (name)
    *name = digits + n + 1;
  return n && digits[n] == '_';
}

// The version that the operation wrote or read; UINT32_MAX: it is not known.
static uint32_t label_version_of(const struct history *h, uint32_t op) {
  const uint32_t saw = h->saw[op];
  return op_writes(h->kind[op]) ? op
         : saw < h->nops        ? saw
         : saw == SAW_INITIAL   ? h->nops + h->key[op]
                                : UINT32_MAX;
}

static const int64_t *label_image_of(const struct history *h,
                                     uint32_t version) {
  return version == UINT32_MAX ? NULL : rows_version(h, version);
}

static uint32_t table_of(const struct history *h, uint32_t op) {
  return h->rows->key_table[h->key[op]];
}

// ---- Columns

uint32_t row_columns_shown(const struct history *h, uint32_t op) {
  const struct worded_table *worded = row_words_table(h, op);
  const uint32_t n =
      worded ? worded->ncolumns : h->rows->tables[table_of(h, op)].ncolumns;
  return n < ROW_COLUMNS_MOST ? n : ROW_COLUMNS_MOST;
}

const char *row_column_name(const struct history *h, uint32_t op, uint32_t c) {
  const struct worded_table *worded = row_words_table(h, op);
  return worded ? worded->columns[c]
                : h->rows->tables[table_of(h, op)].columns[c];
}

bool row_column_value(const struct history *h, uint32_t op, uint32_t c,
                      char value[ROW_VALUE]) {
  if (row_words_table(h, op)) {
    const char *image = row_words_image(h, op);
    return image && h->kind[op] != OP_ROW_DELETE &&
           row_words_value(h->rows->words, image, c, value, ROW_VALUE);
  }
  const int64_t *image = label_image_of(h, label_version_of(h, op));
  if (!image || row_column_is_rank(row_column_name(h, op, c), NULL))
    return false;
  snprintf(value, ROW_VALUE, "%" PRId64, image[c]);
  return true;
}

// The columns in which two operations on a row met other values.
static uint64_t compare_labels(const struct history *h, uint32_t one,
                               uint32_t other) {
  uint64_t differ = 0;
  char a[ROW_VALUE], b[ROW_VALUE];
  for (uint32_t c = 0; c < row_columns_shown(h, one); c++)
    if (row_column_value(h, one, c, a) && row_column_value(h, other, c, b))
      differ |= (uint64_t)(strcmp(a, b) != 0) << c;
  return differ;
}

uint64_t *row_label_columns(const struct history *h, const uint32_t *shown,
                            uint32_t nshown) {
  uint64_t *columns = xcalloc(h->rows->ntables + (size_t)1, sizeof *columns);
  for (uint32_t a = 0; a < nshown; a++)
    for (uint32_t b = 0; b < nshown && op_is_row(h->kind[shown[a]]); b++)
      if (h->key[shown[b]] == h->key[shown[a]] && op_is_row(h->kind[shown[b]]))
        columns[table_of(h, shown[a])] |= compare_labels(h, shown[a], shown[b]);
  return columns;
}

// How many tables the shown rows are of.
static bool has_several_tables(const struct names *n) {
  const struct history *h = n->history;
  uint32_t first = ROWS_NONE;
  for (uint32_t key = 0; key < h->nkeys; key++) {
    if (!n->key_place[key])
      continue;
    if (first != ROWS_NONE && h->rows->key_table[key] != first)
      return true;
    first = h->rows->key_table[key];
  }
  return false;
}

enum { MOST_COLUMNS = 4 }; // where none differs

static uint64_t columns_of(const struct names *n, uint32_t op) {
  const uint64_t differ = n->columns[table_of(n->history, op)];
  const uint64_t first = (UINT64_C(1) << MOST_COLUMNS) - 1;
  return differ && n->history->kind[op] != OP_ROW_INSERT ? differ : first;
}

static const char *label_verb_of(unsigned kind) {
  return kind == OP_ROW          ? "read"
         : kind == OP_ROW_INSERT ? "insert"
         : kind == OP_ROW_UPDATE ? "write"
                                 : "delete";
}

// Nothing of the row can be told but which one it is.
static bool has_no_values(const struct names *n, uint32_t op) {
  const struct history *h = n->history;
  const bool worded = row_words_table(h, op) != NULL;
  const bool deletes = h->kind[op] == OP_ROW_DELETE;
  char value[ROW_VALUE];
  bool has = false;
  for (uint32_t c = 0; c < row_columns_shown(h, op) && !has; c++)
    has = deletes
              ? !worded && !row_column_is_rank(row_column_name(h, op, c), NULL)
              : row_column_value(h, op, c, value);
  return !has;
}

static void put_label_row(FILE *out, const struct names *n, uint32_t op) {
  char buffer[24];
  const struct history *h = n->history;
  const char *key = history_key(h, h->key[op], buffer);
  const char *id = strchr(key, '/');
  if (has_no_values(n, op)) {
    const char *table = h->rows->tables[table_of(h, op)].name;
    fprintf(out, " %s %s", table, id ? id + 1 : key);
    return;
  }
  if (n->nkeys < 2 && h->kind[op] != OP_ROW_INSERT)
    return;
  fprintf(out, " %s", has_several_tables(n) || !id ? key : id + 1);
}

static void put_label_columns(FILE *out, const struct names *n, uint32_t op) {
  const struct history *h = n->history;
  const uint64_t columns = columns_of(n, op);
  char value[ROW_VALUE];
  const char *before =
      n->nkeys < 2 && h->kind[op] != OP_ROW_INSERT ? " " : ": ";
  for (uint32_t c = 0; c < row_columns_shown(h, op); c++) {
    if (!(columns >> c & 1) || !row_column_value(h, op, c, value))
      continue;
    fprintf(out, "%s%s = %s", before, row_column_name(h, op, c), value);
    before = ", ";
  }
}

void row_label(const struct names *n, uint32_t op, char *label, size_t room) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  const unsigned kind = n->history->kind[op];
  fputs(label_verb_of(kind), out);
  put_label_row(out, n, op);
  if (kind != OP_ROW_DELETE)
    put_label_columns(out, n, op);
  fclose(out);
  snprintf(label, room, "%s", text);
  free(text);
}
