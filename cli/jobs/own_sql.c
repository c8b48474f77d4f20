// SPDX-License-Identifier: GPL-3.0-or-later
// Tells steps in the user's own words (cli/jobs/own_sql.h).  A history has no
// variables of scripts.  Their values follow from what was recorded: \gset
// keeps what a SELECT returned, and a condition has the numbers that were sent.
#include "config.h"

#include "cli/jobs/own_sql.h"

#include "cli/jobs/noted.h"
#include "cli/jobs/own_places.h"
#include "cli/jobs/own_values.h"
#include "recorder/rows.h"
#include "sql/tables.h"
#include "steps/statements.h"
#include "workload/workload.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- The text of a statement

static uint32_t variable_of(const struct sql_script *script, const char *name,
                            size_t length) {
  uint32_t v = 0;
  while (v < script->nvariables &&
         (strlen(script->variables[v]) != length ||
          strncasecmp(script->variables[v], name, length) != 0))
    v++;
  return v;
}

// With the numbers of its variables; NULL: one is not known.
static const char *text_of_own_statement(struct arena *arena,
                                         const struct own_values *v,
                                         const struct sql_step *step) {
  char *text;
  size_t bytes;
  bool known = true;
  FILE *out = text_stream(&text, &bytes);
  for (const char *c = step->text; *c; c++) {
    if (*c != ':') {
      putc(*c, out);
      continue;
    }
    const char *name = ++c;
    while (isalnum((unsigned char)*c) || *c == '_')
      c++;
    const uint32_t variable = variable_of(v->script, name, (size_t)(c - name));
    known &= variable < v->script->nvariables && v->known[variable] &&
             !v->numbers[variable].none;
    const int64_t is = known ? v->numbers[variable].is : 0;
    fprintf(out, is < 0 ? "(%" PRId64 ")" : "%" PRId64, is);
    c--;
  }
  fclose(out);
  const char *kept = known ? arena_strdup(arena, text) : NULL;
  free(text);
  return kept;
}

// ---- What it returns

static void put_step_columns(FILE *out, const struct sql_step *step,
                             const struct row_list *rows, uint32_t row) {
  for (uint32_t i = 0; i < step->noutputs; i++) {
    const uint32_t column = step->outputs[i].column;
    fprintf(out, "%s%" PRId64, i ? "," : "",
            column == TABLE_COLUMNS_MOST ? (int64_t)rows->rows[row].key
                                         : row_list_image(rows, row)[column]);
  }
}

static void put_totals(FILE *out, const struct sql_step *step,
                       const struct row_list *rows) {
  for (uint32_t i = 0; i < step->noutputs; i++) {
    struct sql_number total;
    const struct sql_kept kept = {.kind = step->outputs[i].kind,
                                  .column = step->outputs[i].column};
    fputs(i ? "," : "", out);
    if (sql_keep(&kept, rows, &total) && !total.none)
      fprintf(out, "%" PRId64, total.is);
  }
}

// The words of what a SELECT shows of the chosen rows; NULL: it is none, or
// they are not known.
static const char *shown_by(struct arena *arena, const struct history *h,
                            const uint8_t *chosen, uint32_t statement,
                            const struct sql_step *step) {
  struct row_list rows = {0};
  char *text;
  size_t bytes;
  if (!step->noutputs || !own_values_rows(h, statement, chosen, &rows)) {
    row_list_free(&rows);
    return NULL;
  }
  FILE *out = text_stream(&text, &bytes);
  if (step->outputs[0].kind != SQL_OUTPUT_COLUMN)
    put_totals(out, step, &rows);
  else
    for (uint32_t i = 0; i < rows.count; i++) {
      fputs(i ? " " : "", out);
      put_step_columns(out, step, &rows, i);
    }
  fclose(out);
  const char *kept = arena_strdup(arena, text);
  free(text);
  row_list_free(&rows);
  return kept;
}

// ---- The steps

struct sql_telling {
  struct script *script;
  const struct counterexample_statements *chosen;
  const struct sql_scripts *all;
};

static struct step *step_of_statement(const struct sql_telling *t,
                                      uint32_t statement) {
  for (uint32_t i = 0; i < t->script->nsteps; i++)
    if (t->script->steps[i].statement &&
        t->script->steps[i].recorded == statement)
      return &t->script->steps[i];
  return NULL;
}

static void tell_own_statement(const struct sql_telling *t,
                               struct own_values *v, uint32_t statement,
                               const struct sql_step *from) {
  struct arena *arena = &t->script->arena;
  const struct history *h = t->chosen->history;
  struct step *step = step_of_statement(t, statement);
  own_values_infer(v, statement, from);
  if (step) {
    const char *file = strrchr(v->script->path, '/');
    step->place = arena_printf(arena, "%s:%" PRIu32,
                               file ? file + 1 : v->script->path, from->line);
    step->typed = own_values_hold(v, statement, from)
                      ? text_of_own_statement(arena, v, from)
                      : NULL;
    step->shows = shown_by(arena, h, t->chosen->key, statement, from);
  }
  own_values_keep(v, statement, from);
}

static void tell_transaction(const struct sql_telling *t, uint32_t txn) {
  const struct history *h = t->chosen->history;
  struct arena arena = {0};
  struct own_places places;
  const uint32_t first = h->rows->txn_statement[txn];
  if (own_places_find(t->all, h, txn, &arena, &places)) {
    struct own_values v;
    uint32_t step = 0;
    own_values_init(&v, &arena, h, places.script, history_session(h, txn));
    for (uint32_t s = first; s < h->rows->txn_statement[txn + 1]; s++) {
      const uint32_t at = places.step[s - first];
      own_values_set(&v, step, at);
      tell_own_statement(t, &v, s, places.script->steps[at]);
      step = at + 1;
    }
  }
  arena_free(&arena);
}

static bool is_txn_chosen(const struct sql_telling *t, uint32_t txn) {
  const struct rows *rows = t->chosen->history->rows;
  bool chosen = false;
  for (uint32_t s = rows->txn_statement[txn]; s < rows->txn_statement[txn + 1];
       s++)
    chosen |= t->chosen->statement[s];
  return chosen;
}

// All tables of the steps, or none.
static void name_tables(const struct sql_telling *t) {
  struct script *script = t->script;
  struct table_words *words =
      arena_take(&script->arena, (script->ntables + (size_t)1) * sizeof *words);
  for (uint32_t i = 0; i < script->ntables; i++) {
    const uint32_t table = own_table(t->all, script->tables[i].name);
    if (table == UINT32_MAX)
      return;
    words[i] = (struct table_words){
        arena_strdup(&script->arena, t->all->declarations[table].columns),
        arena_strdup(&script->arena, t->all->declarations[table].key)};
  }
  script->table_words = words;
}

void own_sql_tell(struct script *script,
                  const struct counterexample_statements *chosen,
                  const struct sql_scripts *scripts) {
  const struct sql_telling t = {script, chosen, scripts};
  name_tables(&t);
  for (uint32_t txn = 0; script->table_words && txn < chosen->history->ntxns;
       txn++)
    if (is_txn_chosen(&t, txn))
      tell_transaction(&t, txn);
}

// ---- Scripts of a history

struct sql_scripts *own_sql_read(const struct history *h) {
  struct error error;
  char *schema = noted_setting(h, "schema");
  char *list = noted_setting(h, "workload");
  struct sql_scripts *scripts =
      schema && list && *schema
          ? sql_scripts_read(schema, list, WORKLOAD_MAX_SHAPES, &error)
          : NULL;
  free(schema);
  free(list);
  return scripts;
}
