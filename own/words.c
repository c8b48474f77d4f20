// SPDX-License-Identifier: GPL-3.0-or-later
// Copies the words of rows (own/words.h).
#include "config.h"

#include "own/words.h"

#include "base/memory.h"
#include "recorder/rows.h"

#include <stdlib.h>
#include <string.h>

static bool is_too_much(const struct known_versions *v) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < v->n; i++)
    bytes += v->all[i].image ? strlen(v->all[i].image) + 1 : 0;
  return bytes > WORDS_BYTES;
}

// ---- Ranks

static int compare_worded_ranks(const void *a, const void *b) {
  const struct worded_rank *x = a, *y = b;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

// Equal ranks are of values that the database does not tell apart: one of them
// is enough.
static uint32_t drop_equal_ranks(struct worded_rank *ranks, uint32_t n) {
  uint32_t kept = 0;
  if (n)
    qsort(ranks, n, sizeof *ranks, compare_worded_ranks);
  for (uint32_t i = 0; i < n; i++)
    if (!kept || ranks[kept - 1].rank != ranks[i].rank)
      ranks[kept++] = ranks[i];
  return kept;
}

static struct worded_column word_column(struct row_words *w,
                                        const struct raw_column *of) {
  struct worded_rank *ranks = arena_take(&w->arena, of->n * sizeof *ranks);
  for (uint32_t i = 0; i < of->n; i++)
    ranks[i] = (struct worded_rank){
        of->all[i].rank, arena_strdup(&w->arena, of->all[i].constant)};
  return (struct worded_column){.column = of->column,
                                .ranks = ranks,
                                .nranks = drop_equal_ranks(ranks, of->n)};
}

// ---- Tables and versions

static void word_table(struct row_words *w, const struct words_source *s,
                       uint32_t t, struct worded_table *table) {
  const struct instrument_table *is = &s->run->tables.all[t];
  const struct raw_conditions_of_table *of = &s->conditions->tables[t];
  const char **columns = arena_take(&w->arena, is->ncolumns * sizeof *columns);
  struct worded_column *compared =
      arena_take(&w->arena, PREDICATE_COLUMNS * sizeof *compared);
  for (uint32_t c = 0; c < is->ncolumns; c++)
    columns[c] = arena_strdup(&w->arena, is->columns[c]);
  for (uint32_t c = 0; c < of->ncolumns; c++)
    compared[c] = word_column(w, &of->columns[c]);
  *table = (struct worded_table){
      .name =
          arena_strdup(&w->arena, s->history->rows->tables[s->table[t]].name),
      .columns = columns,
      .ncolumns = is->ncolumns,
      .key = is->key,
      .compared = compared,
      .ncompared = of->ncolumns};
}

static void word_versions(struct row_words *w, const struct words_source *s) {
  const struct known_versions *v = s->versions;
  w->versions = xcalloc((size_t)v->n + 1, sizeof *w->versions);
  for (uint32_t i = 0; i < v->n; i++) {
    const struct known_version *version = &v->all[i];
    if (!version->image || s->table[version->is.table] == ROWS_NONE)
      continue;
    w->versions[w->nversions++] = (struct worded_version){
        .table = version->is.table,
        .id = s->row_key[version->row],
        .stamp = version->stamp,
        .image = arena_strdup(&w->arena, version->image)};
  }
  row_words_sort(w);
}

static void word_places(struct row_words *w, const struct words_source *s) {
  w->places = xcalloc((size_t)s->nplaces + 1, sizeof *w->places);
  w->nplaces = s->nplaces;
  for (uint32_t i = 0; i < s->nplaces; i++)
    w->places[i] = s->places[i] == RAW_NO_PLACE
                       ? NULL
                       : s->run->scripts->places[s->places[i]].at;
}

void words_make(struct row_words *w, const struct words_source *s) {
  const uint32_t n = s->run->tables.n;
  *w = (struct row_words){0};
  if (!s->history->rows || !s->run->instrument || is_too_much(s->versions))
    return;
  w->escapes = s->run->instrument->dialect->backslashes_escape;
  struct worded_table *tables =
      arena_take(&w->arena, (size_t)(n + 1) * sizeof *tables);
  for (uint32_t t = 0; t < n; t++)
    if (s->table[t] == ROWS_NONE)
      tables[t] = (struct worded_table){.name = ""};
    else
      word_table(w, s, t, &tables[t]);
  w->tables = tables;
  w->ntables = n;
  word_versions(w, s);
  word_places(w, s);
}
