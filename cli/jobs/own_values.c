// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the variables of a script (cli/jobs/own_values.h).
#include "config.h"

#include "cli/jobs/own_values.h"

#include "recorder/rows.h"
#include "steps/statements.h"

#include <stdlib.h>
#include <string.h>

void own_values_init(struct own_values *v, struct arena *arena,
                     const struct history *history,
                     const struct sql_script *script, uint32_t session) {
  const size_t n = script->nvariables;
  *v = (struct own_values){history, script,
                           arena_take(arena, (n + 1) * sizeof *v->numbers),
                           arena_take(arena, (n + 1) * sizeof *v->known)};
  v->numbers[0].is = session;
  v->known[0] = true;
}

// ---- Computing

// How many variables of the code are not known; `*which` becomes the last one.
// A random number is one that never is.
static uint32_t count_unknown(const struct own_values *v,
                              const struct sql_code *code, uint32_t *which) {
  uint32_t n = 0;
  *which = UINT32_MAX;
  for (uint32_t i = 0; i < code->n; i++) {
    const uint32_t variable = (uint32_t)code->all[i].number;
    if (code->all[i].op == SQL_RANDOM)
      return UINT32_MAX;
    if (code->all[i].op != SQL_LOAD || v->known[variable] || *which == variable)
      continue;
    *which = variable;
    n++;
  }
  return n;
}

static bool compute_own_value(const struct own_values *v,
                              const struct sql_code *code, int64_t *number) {
  struct sql_number result;
  uint32_t unused;
  if (count_unknown(v, code, &unused) ||
      !sql_compute(code, v->numbers, NULL, &result) || result.none)
    return false;
  *number = result.is;
  return true;
}

static void set_variable(struct own_values *v, uint32_t variable,
                         int64_t number) {
  v->numbers[variable] = (struct sql_number){.is = number};
  v->known[variable] = true;
}

// The value of the code with such a number in the unknown variable.
static bool value_with(struct own_values *v, const struct sql_code *code,
                       uint32_t variable, int64_t number, int64_t *value) {
  set_variable(v, variable, number);
  const bool computed = compute_own_value(v, code, value);
  v->known[variable] = false;
  return computed;
}

// The only unknown variable of the code, which comes to this number: the code
// is tried as a line, and what it gives is compared later.
static void solve_for_variable(struct own_values *v,
                               const struct sql_code *code, int64_t number) {
  uint32_t variable;
  int64_t at0, at1, slope, rest;
  if (count_unknown(v, code, &variable) != 1 ||
      !value_with(v, code, variable, 0, &at0) ||
      !value_with(v, code, variable, 1, &at1) ||
      __builtin_sub_overflow(at1, at0, &slope) || !slope ||
      __builtin_sub_overflow(number, at0, &rest) || slope == -1)
    return;
  if (rest % slope == 0)
    set_variable(v, variable, rest / slope);
}

void own_values_set(struct own_values *v, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++) {
    const struct sql_step *step = v->script->steps[i];
    int64_t number;
    if (step->kind != SQL_STEP_SET)
      continue;
    v->known[step->variable] = false;
    if (compute_own_value(v, &step->value, &number))
      set_variable(v, step->variable, number);
  }
}

// ---- Rows

static int by_own_key(const void *a, const void *b, void *history) {
  const struct history *h = history;
  const int64_t x = h->rows->key_id[h->key[*(const uint32_t *)a]];
  const int64_t y = h->rows->key_id[h->key[*(const uint32_t *)b]];
  return (x > y) - (x < y);
}

bool own_values_rows(const struct history *history, uint32_t statement,
                     const uint8_t *key, struct row_list *list) {
  struct history h = *history;
  const struct recorded_statement *s = &h.rows->statements[statement];
  const uint32_t ncolumns = h.rows->tables[s->table].ncolumns;
  const uint32_t n = s->end - s->first;
  uint32_t *ops = xcalloc((size_t)n + 1, sizeof *ops);
  bool known = true;
  for (uint32_t i = 0; i < n; i++)
    ops[i] = s->first + i;
  qsort_r(ops, n, sizeof *ops, by_own_key, &h);
  for (uint32_t i = 0; i < n && known; i++) {
    if (key && !key[h.key[ops[i]]])
      continue;
    const int64_t *columns = statements_columns(&h, ops[i]);
    known = columns != NULL;
    if (known)
      memcpy(row_list_add(list, (enum op_kind)h.kind[ops[i]],
                          (uint64_t)h.rows->key_id[h.key[ops[i]]], 0, ncolumns),
             columns, ncolumns * sizeof *columns);
  }
  free(ops);
  return known;
}

// The number that the statement sent for the column: the one in all rows
// afterwards or, if it adds, what they have more.
static bool sent_for(const struct history *h, uint32_t statement,
                     const struct sql_assignment *set, int64_t *number) {
  const struct recorded_statement *s = &h->rows->statements[statement];
  bool same = s->first < s->end;
  for (uint32_t op = s->first; op < s->end && same; op++) {
    const uint32_t saw =
        h->saw[op] < SAW_LOST ? h->saw[op] : h->nops + h->key[op];
    const int64_t *before = set->adds ? rows_version(h, saw) : NULL;
    const int64_t *after = rows_image(h->rows, h->rows->image[op]);
    if (!after || (set->adds && !before))
      return false;
    const int64_t is = after[set->column] - (before ? before[set->column] : 0);
    same = op == s->first || is == *number;
    *number = is;
  }
  return same;
}

// ---- Statements

void own_values_infer(struct own_values *v, uint32_t statement,
                      const struct sql_step *step) {
  const struct history *h = v->history;
  const struct recorded_statement *s = &h->rows->statements[statement];
  const bool inserts = statement_inserts(step->sort) && s->first < s->end;
  int64_t number;
  for (uint32_t i = 0; s->condition != NO_CONDITION && i < step->nparams; i++)
    solve_for_variable(v, &step->params[i],
                       h->rows->parameters[s->parameters + i]);
  if (inserts)
    solve_for_variable(v, &step->value, h->rows->key_id[h->key[s->first]]);
  for (uint32_t i = 0; i < step->nsets; i++)
    if (sent_for(h, statement, &step->sets[i], &number))
      solve_for_variable(v, &step->sets[i].value, number);
}

static bool gives(const struct own_values *v, const struct sql_code *code,
                  int64_t number) {
  int64_t value;
  return compute_own_value(v, code, &value) && value == number;
}

bool own_values_hold(const struct own_values *v, uint32_t statement,
                     const struct sql_step *step) {
  const struct history *h = v->history;
  const struct recorded_statement *s = &h->rows->statements[statement];
  bool hold = true;
  int64_t number;
  for (uint32_t i = 0; s->condition != NO_CONDITION && i < step->nparams; i++)
    hold &= gives(v, &step->params[i], h->rows->parameters[s->parameters + i]);
  if (step->sort == STATEMENT_INSERT && s->first < s->end)
    hold &= gives(v, &step->value, h->rows->key_id[h->key[s->first]]);
  for (uint32_t i = 0; i < step->nsets; i++)
    if (s->first < s->end)
      hold &= sent_for(h, statement, &step->sets[i], &number) &&
              gives(v, &step->sets[i].value, number);
  return hold;
}

void own_values_keep(struct own_values *v, uint32_t statement,
                     const struct sql_step *step) {
  struct row_list rows = {0};
  const bool all = own_values_rows(v->history, statement, NULL, &rows);
  for (uint32_t i = 0; i < step->nkept; i++) {
    const struct sql_kept *kept = &step->kept[i];
    v->known[kept->variable] =
        all && sql_keep(kept, &rows, &v->numbers[kept->variable]);
  }
  row_list_free(&rows);
}
