// SPDX-License-Identifier: GPL-3.0-or-later
// Statements in a counterexample of rows (report/tale/example_rows.h).
#include "config.h"

#include "recorder/row_words.h"
#include "report/tale/example_rows.h"
#include "report/tale/row_label.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool statement_meets_nothing(const struct rows *rows, uint32_t statement) {
  const struct recorded_statement *s = &rows->statements[statement];
  return s->condition != NO_CONDITION && s->sort != STATEMENT_INSERT_NEW &&
         s->first == s->end;
}

// NULL: the statement is about all rows.
static const char *
example_row_condition_of(struct arena *arena, const struct rows *rows,
                         const struct recorded_statement *s) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  row_words_put_condition(out, rows, s);
  fclose(out);
  const char *kept = strcmp(text, "TRUE") ? arena_strdup(arena, text) : NULL;
  free(text);
  return kept;
}

const char *example_condition(struct arena *arena, const struct history *h,
                              uint32_t txn, uint32_t op, uint32_t since) {
  const struct rows *rows = h->rows;
  uint32_t s = rows ? rows->txn_statement[txn] : 0;
  const uint32_t end = rows ? rows->txn_statement[txn + 1] : 0;
  while (s < end && rows->statements[s].end <= op)
    s++;
  if (s == end || rows->statements[s].first < since ||
      rows->statements[s].first > op ||
      rows->statements[s].condition == NO_CONDITION ||
      predicate_names_keys(
          &rows->templates[rows->statements[s].condition].predicate))
    return NULL;
  return example_row_condition_of(arena, rows, &rows->statements[s]);
}

static const char *example_row_verb_of(unsigned sort) {
  return sort == STATEMENT_DELETE                            ? "delete"
         : sort == STATEMENT_UPDATE || sort == STATEMENT_ADD ? "update"
                                                             : "search";
}

// " for id = 3", " by label" where the numbers are ranks, " for all rows".
static const char *example_words_of_search(struct arena *arena,
                                           const struct rows *rows,
                                           const struct recorded_statement *s,
                                           const char *condition) {
  const struct row_table *table = &rows->tables[s->table];
  const char *by = NULL, *name;
  if (!condition)
    return "for all rows";
  for (uint32_t c = 0; c < table->ncolumns; c++)
    if (row_column_is_rank(table->columns[c], &name) &&
        strstr(condition, table->columns[c]))
      by = by ? arena_printf(arena, "%s and %s", by, name)
              : arena_printf(arena, "by %s", name);
  return by ? by : arena_printf(arena, "for %s", condition);
}

struct example_op example_search(struct arena *arena, const struct history *h,
                                 uint32_t txn, uint32_t statement) {
  const struct rows *rows = h->rows;
  const struct recorded_statement *s = &rows->statements[statement];
  const char *table = arena_strdup(arena, rows->tables[s->table].name);
  const char *condition = example_row_condition_of(arena, rows, s);
  const uint32_t n = s->end - s->first;
  const char *found =
      n ? arena_printf(arena, "%" PRIu32 " row%s", n, n == 1 ? "" : "s")
        : "no row";
  const struct row_words *words = rows->words;
  const struct statement_times unknown = {TIME_UNKNOWN, TIME_UNKNOWN};
  const struct statement_times times =
      rows->times.count ? statement_times_at(&rows->times, statement) : unknown;
  return (struct example_op){
      .position = h->txn_first[txn + 1] - h->txn_first[txn] + statement -
                  rows->txn_statement[txn],
      .begin = times.begin,
      .end = times.end,
      .kind = EXAMPLE_SEARCH,
      .key = table,
      .label =
          arena_printf(arena, "%s: %s", example_row_verb_of(s->sort), found),
      .sentence = arena_printf(
          arena, "looked in %s %s and found %s", table,
          example_words_of_search(arena, rows, s, condition), found),
      .raw = arena_printf(arena, "looked in %s for %s and found %s", table,
                          condition ? condition : "all rows", found),
      .place =
          words && statement < words->nplaces ? words->places[statement] : NULL,
      .condition = condition,
      .matters = true,
  };
}

// --- What is wrong.

// The statement of the one did not find the row that the other wrote.
static void find_misses(struct example *e) {
  for (uint32_t i = 0; i < e->ncycle; i++) {
    const struct example_edge *edge = &e->edges[i];
    if (strcmp(edge->kind, "RW") != 0 || edge->from_op == EXAMPLE_NONE ||
        edge->to_op == EXAMPLE_NONE)
      continue;
    struct example_op *from = &e->ops[edge->from_op];
    if (strcmp(from->key, e->ops[edge->to_op].key) != 0)
      from->fault =
          arena_printf(&e->arena, "misses %s's row", e->txns[edge->to].name);
  }
}

// The read of the transaction on the row of the write.
static const struct example_op *row_was_read_before(const struct example *e,
                                                    uint32_t write) {
  const struct example_op *found = NULL;
  for (uint32_t t = 0; t < e->ntxns; t++)
    for (uint32_t op = e->txns[t].first_op;
         op < write && write < e->txns[t].end_op; op++)
      if (!strcmp(e->ops[op].key, e->ops[write].key) && op != write)
        found = &e->ops[op];
  return found;
}

static void find_loss(struct example *e) {
  const struct example_op *read = row_was_read_before(e, e->read);
  const char *value = read ? strstr(read->label, " = ") : NULL;
  const char *words = read ? strchr(read->label, ' ') : NULL;
  for (uint32_t i = 0; i < e->ncycle; i++)
    if (!strcmp(e->edges[i].kind, "RW") && e->edges[i].to_op != EXAMPLE_NONE &&
        e->edges[i].to_op != e->read)
      e->ops[e->edges[i].to_op].fault = "overwritten";
  if (value && !strncmp(read->label, "read", 4))
    e->ops[e->read].fault = arena_printf(&e->arena, "had read%s", words);
}

// The search met no row that another statement of the transaction met by the
// same condition.
static void find_difference(struct example *e, const struct example_txn *txn,
                            struct example_op *search) {
  for (uint32_t op = txn->first_op; op < txn->end_op; op++) {
    const struct example_op *o = &e->ops[op];
    const char *id = strrchr(o->key, '/');
    if (strcmp(o->kind, "row") != 0 || !o->condition || !id ||
        strcmp(o->condition, search->condition) != 0)
      continue;
    search->fault = arena_printf(&e->arena, "without row %s", id + 1);
  }
}

static void find_differences(struct example *e) {
  for (uint32_t t = 0; t < e->ntxns; t++)
    for (uint32_t op = e->txns[t].first_op; op < e->txns[t].end_op; op++)
      if (!strcmp(e->ops[op].kind, EXAMPLE_SEARCH) && e->ops[op].condition)
        find_difference(e, &e->txns[t], &e->ops[op]);
}

void example_find_faults(struct example *e) {
  if (!example_has_rows(e))
    return;
  find_misses(e);
  if (!e->ncycle)
    find_differences(e);
  if (e->read != EXAMPLE_NONE && !strcmp(e->anomaly, "LostUpdate"))
    find_loss(e);
}
