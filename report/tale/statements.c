// SPDX-License-Identifier: GPL-3.0-or-later
// Tells statements as SQL (report/tale/statements.h).
#include "config.h"

#include "report/tale/statements.h"

#include "recorder/row_words.h"
#include "report/tale/story.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_STATEMENTS = 48 };

// The words before the table and before the rows.
static const struct words {
  const char *before, *rows, *none;
} words[] = {
    [STATEMENT_SELECT] = {"SELECT * FROM", " returned", " returned nothing"},
    [STATEMENT_LOCKING_SELECT] = {"SELECT FOR UPDATE * FROM", " returned",
                                  " returned nothing"},
    [STATEMENT_INSERT] = {"INSERT INTO", "", ""},
    [STATEMENT_UPSERT] = {"INSERT ON CONFLICT DO UPDATE INTO", "", ""},
    [STATEMENT_UPDATE] = {"UPDATE", " changed", " changed nothing"},
    [STATEMENT_ADD] = {"UPDATE", " added to", " changed nothing"},
    [STATEMENT_DELETE] = {"DELETE FROM", " deleted", " deleted nothing"},
    [STATEMENT_INSERT_NEW] = {"INSERT ON CONFLICT DO NOTHING INTO", " inserted",
                              " inserted nothing"},
};

// `nothers`: how many rows of the statement are left out of h.
static void put_statement_as_sql(FILE *out, const struct history *h,
                                 const char *name,
                                 const struct recorded_statement *s,
                                 uint32_t nothers) {
  const struct words *w = &words[s->sort];
  fprintf(out, "%s %s %s", name, w->before, h->rows->tables[s->table].name);
  if (s->condition != NO_CONDITION) {
    fputs(" WHERE ", out);
    row_words_put_condition(out, h->rows, s);
  }
  fputs(s->first < s->end || nothers ? w->rows : w->none, out);
  for (uint32_t op = s->first; op < s->end; op++)
    fprintf(out, "%s%" PRId64, op > s->first ? ", " : " ",
            h->rows->key_id[h->key[op]]);
  if (nothers && *w->rows)
    fprintf(out, "%s%" PRIu32 " other row%s", s->first < s->end ? " and " : " ",
            nothers, nothers == 1 ? "" : "s");
}

static void add_sql_text(struct example *e, const struct history *h,
                         const char *name, const struct recorded_statement *s,
                         uint32_t nothers) {
  char *line = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&line, &bytes);
  if (!out)
    out_of_memory(0);
  put_statement_as_sql(out, h, name, s, nothers);
  if (fclose(out))
    out_of_memory(bytes);
  e->statements[e->nstatements++] = arena_strdup(&e->arena, line);
  free(line);
}

// The number of the transaction of a statement, "T12 SELECT ..."; 0: its name
// has none.
static unsigned long sql_number_of(const char *statement) {
  return *statement == 'T' ? strtoul(statement + 1, NULL, 10) : 0;
}

// By transaction; the statements of one stay in their order.
static void sort_by_number(struct example *e) {
  for (uint32_t i = 1; i < e->nstatements; i++) {
    const char *statement = e->statements[i];
    uint32_t to = i;
    for (;
         to && sql_number_of(e->statements[to - 1]) > sql_number_of(statement);
         to--)
      e->statements[to] = e->statements[to - 1];
    e->statements[to] = statement;
  }
}

// How many rows of a statement of the part stand in the whole alone.
static uint32_t rows_left_out(const struct history *whole,
                              const struct verdict *v, uint32_t s) {
  if (!v->rows_part)
    return 0;
  const struct recorded_statement *here = &v->rows_part->rows->statements[s];
  const struct recorded_statement *there =
      &whole->rows->statements[v->rows_statements[s]];
  assert(there->end - there->first >= here->end - here->first);
  return (there->end - there->first) - (here->end - here->first);
}

void statements_tell(struct example *e, const struct names *names,
                     const struct verdict *v) {
  const struct history *h = v->rows_part ? v->rows_part : names->history;
  char name[NAME_ROOM];
  if (!v->tried)
    return;
  e->statements =
      arena_take(&e->arena, MOST_STATEMENTS * sizeof *e->statements);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    names_txn(names, v->rows_part ? v->rows_txns[t] : t, name);
    for (uint32_t s = h->rows->txn_statement[t];
         h->outcome[t] != OUTCOME_ABORTED &&
         s < h->rows->txn_statement[t + 1] && e->nstatements < MOST_STATEMENTS;
         s++)
      add_sql_text(e, h, name, &h->rows->statements[s],
                   rows_left_out(names->history, v, s));
  }
  sort_by_number(e);
}
