// SPDX-License-Identifier: GPL-3.0-or-later
// Names and values of the user's own rows (recorder/row_words.h).
#include "config.h"

#include "recorder/row_words.h"

#include "base/utf8.h"
#include "recorder/rows.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void row_words_free(struct row_words *words) {
  FREE_EACH(words->versions, words->places);
  arena_free(&words->arena);
  *words = (struct row_words){0};
}

static int compare_worded_versions(const void *a, const void *b) {
  const struct worded_version *x = a, *y = b;
  return x->table != y->table ? (x->table > y->table) - (x->table < y->table)
         : x->id != y->id     ? (x->id > y->id) - (x->id < y->id)
                              : (x->stamp > y->stamp) - (x->stamp < y->stamp);
}

void row_words_sort(struct row_words *w) {
  if (w->nversions)
    qsort(w->versions, w->nversions, sizeof *w->versions,
          compare_worded_versions);
}

// ---- Values

// How an image has its values: PostgreSQL writes a row as (1,"a b",), the
// others a list of literals, 1,'a b',NULL.
struct image_reader {
  const char *at;
  bool composite, escapes;
  FILE *out; // of the value that is wanted; NULL: nobody wants this one
};

static void put_image_sign(const struct image_reader *r, char sign) {
  if (r->out)
    putc(sign, r->out);
}

// From behind the opening quote to behind the closing one.
static void read_quoted_value(struct image_reader *r, char quote) {
  for (; *r->at; r->at++) {
    const bool doubled = *r->at == quote && r->at[1] == quote;
    const bool escaped =
        *r->at == '\\' && r->at[1] && (r->composite || r->escapes);
    if (*r->at == quote && !doubled)
      break;
    r->at += doubled || escaped;
    put_image_sign(r, *r->at);
  }
  r->at += *r->at == quote;
}

static bool is_of_number(const char *value) {
  const size_t digits = strspn(value, "+-.eE0123456789");
  return *value && !value[digits] && strpbrk(value, "0123456789");
}

// One value of PostgreSQL's, which says nothing of its type.
static void read_composite_value(struct image_reader *r) {
  const bool quoted = *r->at == '"';
  const char *begin = r->at;
  const size_t bytes = strcspn(begin, ",)");
  char *bare = xasprintf("%.*s", (int)bytes, begin);
  const bool plain = !quoted && (is_of_number(bare) || !strcmp(bare, "t") ||
                                 !strcmp(bare, "f"));
  if (!quoted && !bytes && r->out) {
    fputs("NULL", r->out);
  } else if (!quoted) {
    if (r->out)
      fprintf(r->out, plain ? "%s" : "'%s'", bare);
    r->at += bytes;
  } else {
    put_image_sign(r, '\'');
    r->at++;
    read_quoted_value(r, '"');
    put_image_sign(r, '\'');
  }
  free(bare);
}

static void read_literal_value(struct image_reader *r) {
  if (*r->at == 'x' || *r->at == 'X')
    put_image_sign(r, *r->at++);
  if (*r->at == '\'') {
    put_image_sign(r, *r->at++);
    read_quoted_value(r, '\'');
    put_image_sign(r, '\'');
  }
  for (; *r->at && *r->at != ','; r->at++)
    put_image_sign(r, *r->at);
}

enum { MOST_OF_VALUE = 24 }; // characters

// The first characters of a value that is longer.
static void copy_cut(const char *value, char *buffer, size_t room) {
  size_t bytes = 0, last = 0;
  for (uint32_t n = 0; value[bytes] && n <= MOST_OF_VALUE; n++) {
    last = n == MOST_OF_VALUE - 4 ? bytes : last;
    const unsigned length = utf8_length(value + bytes);
    bytes += length ? length : 1;
  }
  snprintf(buffer, room, value[bytes] ? "%.*s...%s" : "%.*s",
           (int)(value[bytes] ? last : bytes), value,
           *value == '\'' ? "'" : "");
}

bool row_words_value(const struct row_words *words, const char *image,
                     uint32_t column, char *buffer, size_t room) {
  struct image_reader r = {
      .at = image, .composite = *image == '(', .escapes = words->escapes};
  char *value;
  size_t bytes;
  bool has = true;
  FILE *out = text_stream(&value, &bytes);
  r.at += r.composite;
  for (uint32_t i = 0; i <= column && has; i++) {
    r.out = i == column ? out : NULL;
    if (r.composite)
      read_composite_value(&r);
    else
      read_literal_value(&r);
    has = i == column || *r.at == ',';
    r.at += *r.at == ',';
  }
  fclose(out);
  copy_cut(value, buffer, room);
  free(value);
  return has;
}

// ---- Rows

static const struct worded_version *
find_worded_version(const struct row_words *w, uint32_t table, int64_t id,
                    uint64_t stamp) {
  const struct worded_version key = {.table = table, .id = id, .stamp = stamp};
  return w->nversions ? bsearch(&key, w->versions, w->nversions,
                                sizeof *w->versions, compare_worded_versions)
                      : NULL;
}

static const struct worded_table *find_worded_table(const struct row_words *w,
                                                    const char *name) {
  uint32_t t = 0;
  while (w && t < w->ntables && strcmp(w->tables[t].name, name) != 0)
    t++;
  return w && t < w->ntables ? &w->tables[t] : NULL;
}

static const struct worded_table *table_of_key(const struct rows *rows,
                                               uint32_t key) {
  const uint32_t t = rows->key_table[key];
  return rows->words && t != ROWS_NONE
             ? find_worded_table(rows->words, rows->tables[t].name)
             : NULL;
}

const struct worded_table *row_words_table(const struct history *h,
                                           uint32_t op) {
  return h->rows && op_is_row(h->kind[op]) ? table_of_key(h->rows, h->key[op])
                                           : NULL;
}

const char *row_words_image(const struct history *h, uint32_t op) {
  const struct worded_table *table = row_words_table(h, op);
  if (!table)
    return NULL;
  const struct row_words *w = h->rows->words;
  const struct worded_version *version =
      find_worded_version(w, (uint32_t)(table - w->tables),
                          h->rows->key_id[h->key[op]], history_op_value(h, op));
  return version ? version->image : NULL;
}

const char *row_words_place(const struct history *h, uint32_t op) {
  const struct row_words *w = h->rows ? h->rows->words : NULL;
  const uint32_t s =
      w && op < h->nops ? rows_statement(h->rows, op) : ROWS_NONE;
  return s != ROWS_NONE && s < w->nplaces ? w->places[s] : NULL;
}

// The values of the primary key of a row, of whichever version is at hand: a
// key that changes makes no other row.
static char *key_in_words(const struct row_words *w,
                          const struct worded_table *table, int64_t id) {
  const struct worded_version *all = w->versions;
  const uint32_t t = (uint32_t)(table - w->tables);
  uint32_t low = 0, high = w->nversions;
  while (low < high) { // the first version of the row
    const uint32_t middle = low + (high - low) / 2;
    const struct worded_version first = {.table = t, .id = id};
    if (compare_worded_versions(&all[middle], &first) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == w->nversions || all[low].table != t || all[low].id != id)
    return NULL;
  char *name, value[4 * MOST_OF_VALUE + 8];
  size_t bytes;
  const char *before = "";
  FILE *out = text_stream(&name, &bytes);
  fprintf(out, "%s/", table->name);
  for (uint32_t c = 0; c < table->ncolumns && c < 64; c++)
    if (table->key >> c & 1 &&
        row_words_value(w, all[low].image, c, value, sizeof value)) {
      const size_t length = strlen(value);
      const bool quoted = *value == '\'' && length > 1;
      fprintf(out, "%s%.*s", before, (int)(length - 2 * quoted),
              value + quoted);
      before = ",";
    }
  fclose(out);
  return name;
}

void row_words_attach(struct history *h, struct row_words *words) {
  if (h->rows)
    h->rows->words = words;
}

const char *row_words_key(const struct history *h, uint32_t key) {
  const struct worded_table *table = table_of_key(h->rows, key);
  const char *name = h->key_text[key], *number = strrchr(name, '/');
  const int64_t id = h->rows->key_id[key];
  if (!table || !table->key || id < ROW_NUMBERS || !number ||
      strtoll(number + 1, NULL, 10) != id)
    return name;
  char *words = key_in_words(h->rows->words, table, id);
  if (words)
    h->key_text[key] = arena_strdup(&h->rows->words->arena, words);
  free(words);
  return h->key_text[key];
}

// ---- Conditions

// One that compares a rank: what it is about, and where it ends.
struct rank_leaf {
  const struct worded_column *column;
  char sign[3];
  int64_t rank;
  const char *end;
};

static bool read_rank_leaf(const struct worded_table *table, const char *at,
                           struct rank_leaf *leaf) {
  char *end;
  if (strncmp(at, "rank_", strlen("rank_")) != 0)
    return false;
  const unsigned long n = strtoul(at + strlen("rank_"), &end, 10);
  if (*end != '_' || n >= table->ncompared)
    return false;
  while (isalnum((unsigned char)*end) || *end == '_')
    end++;
  const size_t signs = strspn(end + (*end == ' '), "=<>");
  if (*end != ' ' || !signs || signs >= sizeof leaf->sign)
    return false;
  *leaf = (struct rank_leaf){.column = &table->compared[n]};
  memcpy(leaf->sign, end + 1, signs);
  const char *number = end + 1 + signs;
  leaf->rank = strtoll(number, &end, 10);
  leaf->end = end;
  return end != number;
}

static const char *value_of_rank(const struct worded_column *column,
                                 int64_t rank) {
  uint32_t i = 0;
  while (i < column->nranks && column->ranks[i].rank != rank)
    i++;
  return i < column->nranks ? column->ranks[i].value : "?";
}

// NULL has the rank 0.
static void put_rank_leaf(FILE *out, const struct worded_table *table,
                          const struct rank_leaf *leaf) {
  fputs(table->columns[leaf->column->column], out);
  if (leaf->rank)
    fprintf(out, " %s %s", leaf->sign, value_of_rank(leaf->column, leaf->rank));
  else
    fputs(*leaf->sign == '=' ? " IS NULL" : " IS NOT NULL", out);
}

// Behind a comparison, that the same column is not NULL says nothing new.
static const char *skip_not_null(const struct worded_table *table,
                                 const struct rank_leaf *leaf) {
  struct rank_leaf next;
  const char *and = leaf->end;
  return leaf->rank && !strncmp(and, " AND ", strlen(" AND ")) &&
                 read_rank_leaf(table, and+strlen(" AND "), &next) &&
                 next.column == leaf->column && !next.rank &&
                 !strcmp(next.sign, ">")
             ? next.end
             : leaf->end;
}

static void put_in_words(FILE *out, const struct worded_table *table,
                         const char *condition) {
  struct rank_leaf leaf;
  while (*condition)
    if (table && read_rank_leaf(table, condition, &leaf)) {
      put_rank_leaf(out, table, &leaf);
      condition = skip_not_null(table, &leaf);
    } else {
      putc(*condition++, out);
    }
}

void row_words_put_condition(FILE *out, const struct rows *rows,
                             const struct recorded_statement *statement) {
  const char *name = rows->tables[statement->table].name;
  char *text;
  size_t bytes;
  FILE *ranks = text_stream(&text, &bytes);
  rows_write_condition(ranks, rows, statement);
  fclose(ranks);
  put_in_words(out, find_worded_table(rows->words, name), text);
  free(text);
}
