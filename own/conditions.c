// SPDX-License-Identifier: GPL-3.0-or-later
// Makes conditions of ranks (own/conditions.h).
#include "config.h"

#include "own/conditions.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- Constants

// Texts that the database reads as the time at hand.
static bool is_moment(const char *text, const struct sql_token *token) {
  static const char *const moments[] = {"now",       "today",   "tomorrow",
                                        "yesterday", "current", "allballs"};
  for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
    for (uint32_t at = token->begin; at < token->end; at++)
      if (!strncasecmp(text + at, moments[i], strlen(moments[i])))
        return true;
  return false;
}

// A constant has numbers, texts, their types and arithmetic: nothing that
// another moment or another row could make another value of.
static bool is_constant(const struct sql_tokens *t, uint32_t first,
                        uint32_t end) {
  static const char *const words[] = {
      "interval", "timestamp", "timestamptz", "date",    "numeric", "int",
      "integer",  "bigint",    "smallint",    "text",    "uuid",    "boolean",
      "true",     "false",     "decimal",     "varchar", "+",       "-",
      "*",        "/",         "(",           ")",       ":",       "|"};
  bool value = false;
  for (uint32_t i = first; i < end; i++) {
    const enum sql_token_kind kind = t->all[i].kind;
    bool known = kind == SQL_TOKEN_NUMBER ||
                 (kind == SQL_TOKEN_TEXT && !is_moment(t->text, &t->all[i]));
    value |= known || sql_token_is(t, i, "true") || sql_token_is(t, i, "false");
    for (size_t w = 0; w < sizeof words / sizeof *words && !known; w++)
      known = sql_token_is(t, i, words[w]);
    if (!known)
      return false;
  }
  return value;
}

// ---- Comparisons

struct raw_parsing {
  struct raw_conditions *conditions;
  const struct instrument_table *table;
  struct raw_conditions_of_table *of;
  const struct sql_tokens *t;
};

// As the catalogue has the name; UINT32_MAX: there is no such column.
static uint32_t find_raw_column(const struct raw_parsing *p, uint32_t i) {
  const struct sql_token *token = &p->t->all[i];
  const uint32_t n = token->end - token->begin;
  for (uint32_t c = 0; c < p->table->ncolumns; c++) {
    const char *name = p->table->columns[c];
    bool same = token->kind == SQL_TOKEN_WORD && strlen(name) == n;
    for (uint32_t k = 0; k < n && same; k++)
      same = tolower((unsigned char)p->t->text[token->begin + k]) == name[k];
    if (same)
      return c;
  }
  return UINT32_MAX;
}

// The number of a column among those that conditions use.
static uint32_t use_column(struct raw_conditions_of_table *of,
                           uint32_t column) {
  for (uint32_t i = 0; i < of->ncolumns; i++)
    if (of->columns[i].column == column)
      return i;
  if (of->ncolumns == PREDICATE_COLUMNS)
    return UINT32_MAX;
  of->columns[of->ncolumns] = (struct raw_column){.column = column};
  return of->ncolumns++;
}

static uint32_t use_comparison(struct raw_parsing *p, struct raw_column *column,
                               const char *sign, const char *constant) {
  for (uint32_t i = column->n; i > 0; i--)
    if (!strcmp(column->all[i - 1].sign, sign) &&
        !strcmp(column->all[i - 1].constant, constant))
      return i - 1;
  ARRAY_RESERVE(column->all, column->n, column->room);
  column->all[column->n] = (struct instrument_comparison){
      .sign = sign, .constant = arena_strdup(&p->conditions->arena, constant)};
  return column->n++;
}

// The sign that begins at token i, and how many tokens it has.
static const char *take_sign(const struct sql_tokens *t, uint32_t i,
                             uint32_t *n) {
  static const char *const signs[] = {"<=", ">=", "<>", "!=", "<", ">", "="};
  for (size_t s = 0; s < sizeof signs / sizeof *signs; s++) {
    *n = (uint32_t)strlen(signs[s]);
    const bool same = i + *n <= t->n &&
                      t->all[i + *n - 1].end - t->all[i].begin == *n &&
                      !strncmp(t->text + t->all[i].begin, signs[s], *n);
    if (same)
      return !strcmp(signs[s], "!=") ? "<>" : signs[s];
  }
  return NULL;
}

// "a.x < 3", "x IS NOT NULL".
static bool parse_comparison(struct raw_parsing *p, uint32_t first,
                             uint32_t end, struct raw_condition *condition) {
  const struct sql_tokens *t = p->t;
  uint32_t n;
  if (first + 2 < end && sql_token_is(t, first + 1, "."))
    first += 2;
  if (first + 2 >= end + 1 || condition->n == COMPARISONS_MOST)
    return false;
  const uint32_t column = find_raw_column(p, first);
  const uint32_t used =
      column == UINT32_MAX ? UINT32_MAX : use_column(p->of, column);
  if (used == UINT32_MAX)
    return false;
  struct raw_comparison *one = &condition->all[condition->n++];
  one->column = used;
  if (sql_token_is(t, first + 1, "is")) {
    const bool not = sql_token_is(t, first + 2, "not");
    one->comparison = not ? RAW_IS_NOT_NULL : RAW_IS_NULL;
    return sql_token_is(t, first + 2 + not, "null") && first + 3 + not == end;
  }
  const char *sign = take_sign(t, first + 1, &n);
  if (!sign || !is_constant(t, first + 1 + n, end))
    return false;
  char *constant = xasprintf(
      "%.*s", (int)(t->all[end - 1].end - t->all[first + 1 + n].begin),
      t->text + t->all[first + 1 + n].begin);
  one->comparison = use_comparison(p, &p->of->columns[used], sign, constant);
  free(constant);
  return true;
}

static bool parse_condition(struct raw_parsing *p,
                            struct raw_condition *condition) {
  uint32_t first = 0;
  bool parsed = true;
  for (uint32_t i = 0; i <= p->t->n && p->t->n && parsed; i++)
    if (i == p->t->n || (!p->t->all[i].depth && sql_token_is(p->t, i, "and"))) {
      parsed = i > first && parse_comparison(p, first, i, condition);
      first = i + 1;
    }
  return parsed;
}

// Those of aborted transactions are left out: nothing is asked of them.
static void parse_session(struct raw_conditions *c, const struct raw_run *run,
                          uint32_t session, struct sql_tokens *tokens) {
  const struct raw_log *log = &run->logs[session];
  c->sessions[session] =
      xcalloc((size_t)log->nstatements + 1, sizeof **c->sessions);
  for (uint32_t t = 0; t < log->ntxns; t++)
    for (uint32_t s = log->txns[t].first; s < raw_txn_end(log, t); s++) {
      const struct raw_statement *statement = &log->statements[s];
      struct raw_condition *condition = &c->sessions[session][s];
      if (!statement->where || log->txns[t].outcome == OUTCOME_ABORTED ||
          !sql_tokens_read(tokens, statement->where))
        continue;
      struct raw_parsing p = {.conditions = c,
                              .table = &run->tables.all[statement->table],
                              .of = &c->tables[statement->table],
                              .t = tokens};
      condition->known =
          c->steady && p.of->imaged && parse_condition(&p, condition);
      p.of->used |= condition->known;
    }
}

// ---- Ranks

static void rank_column(struct raw_conditions *c, const struct raw_run *run,
                        struct target *target, uint32_t table, uint32_t column,
                        const struct known_versions *v) {
  struct raw_column *of = &c->tables[table].columns[column];
  const char **images = xcalloc((size_t)v->n + 1, sizeof *images);
  int64_t *ranks = xcalloc((size_t)v->n + 1, sizeof *ranks);
  struct error error;
  uint32_t n = 0;
  for (uint32_t i = 0; i < v->n; i++)
    if (v->all[i].is.table == table)
      images[n++] = v->all[i].image;
  of->ranked = !run->instrument->rank(
      target, &run->tables, table, run->tables.all[table].columns[of->column],
      images, n, ranks, of->all, of->n, &error);
  of->ranks = xcalloc((size_t)v->n + 1, sizeof *of->ranks);
  n = 0;
  for (uint32_t i = 0; i < v->n; i++)
    if (v->all[i].is.table == table)
      of->ranks[i] = ranks[n++];
  free(images);
  free(ranks);
}

// SET may change the time zone, or the order of dates.
static bool are_constants_steady(const struct raw_scripts *scripts) {
  bool steady = true;
  for (uint32_t i = 0; i < scripts->nplaces; i++) {
    const char *text = scripts->places[i].text;
    steady &= strncasecmp(text, "set ", 4) != 0 ||
              !strncasecmp(text, "set constraints", 15);
    steady &= !strcasestr(text, "set_config");
  }
  return steady && !strcasestr(scripts->schema, "set_config") &&
         !strcasestr(scripts->schema, "set local");
}

void conditions_make(struct raw_conditions *c, const struct raw_run *run,
                     struct target *target, const struct known_versions *v) {
  struct sql_tokens tokens = {0};
  *c = (struct raw_conditions){.ntables = run->tables.n,
                               .nsessions = run->nsessions,
                               .steady = are_constants_steady(run->scripts)};
  c->tables = xcalloc((size_t)c->ntables + 1, sizeof *c->tables);
  c->sessions = xcalloc((size_t)c->nsessions + 1, sizeof *c->sessions);
  for (uint32_t t = 0; t < c->ntables; t++)
    c->tables[t].imaged = true;
  for (uint32_t i = 0; i < v->n; i++)
    c->tables[v->all[i].is.table].imaged &= v->all[i].image != NULL;
  for (uint32_t i = 0; i < c->nsessions; i++)
    parse_session(c, run, i, &tokens);
  sql_tokens_free(&tokens);
  for (uint32_t t = 0; t < c->ntables; t++)
    for (uint32_t i = 0; i < c->tables[t].ncolumns; i++)
      rank_column(c, run, target, t, i, v);
}

void conditions_free(struct raw_conditions *c) {
  for (uint32_t t = 0; t < c->ntables; t++)
    for (uint32_t i = 0; i < c->tables[t].ncolumns; i++)
      FREE_EACH(c->tables[t].columns[i].all, c->tables[t].columns[i].ranks);
  for (uint32_t i = 0; i < c->nsessions; i++)
    free(c->sessions[i]);
  FREE_EACH(c->tables, c->sessions);
  arena_free(&c->arena);
  *c = (struct raw_conditions){0};
}

// ---- Predicates

static const struct {
  const char *sign;
  enum predicate_op op;
} predicate_signs[] = {
    {"=", PREDICATE_EQUAL},   {"<>", PREDICATE_UNEQUAL},
    {"<", PREDICATE_LESS},    {"<=", PREDICATE_AT_MOST},
    {">", PREDICATE_GREATER}, {">=", PREDICATE_AT_LEAST},
};

static enum predicate_op op_of_sign(const char *sign) {
  size_t i = 0;
  while (strcmp(predicate_signs[i].sign, sign) != 0)
    i++;
  return predicate_signs[i].op;
}

// Combines the node with what is there.
static bool add_and(struct predicate *p, struct predicate_node node) {
  const uint32_t before = p->nnodes;
  if (!predicate_add(p, node))
    return false;
  return !before || predicate_add(p, (struct predicate_node){
                                         .op = PREDICATE_AND,
                                         .first = (uint8_t)(before - 1),
                                         .end = (uint8_t)before});
}

static struct predicate_node compare_rank(uint32_t column, enum predicate_op op,
                                          int64_t number) {
  return (struct predicate_node){.op = (uint8_t)op,
                                 .column = (uint8_t)column,
                                 .right = {.number = number}};
}

static bool add_comparison(const struct raw_column *column,
                           const struct raw_comparison *one,
                           struct predicate *p,
                           int64_t parameters[PREDICATE_PARAMETERS]) {
  if (!column->ranked)
    return false;
  if (one->comparison == RAW_IS_NULL)
    return add_and(p, compare_rank(one->column, PREDICATE_EQUAL, 0));
  if (one->comparison == RAW_IS_NOT_NULL)
    return add_and(p, compare_rank(one->column, PREDICATE_GREATER, 0));
  const struct instrument_comparison *c = &column->all[one->comparison];
  if (!c->holds)
    return false;
  struct predicate_node node =
      compare_rank(one->column, op_of_sign(c->sign), p->nparameters);
  node.right.parameter = true;
  parameters[p->nparameters++] = c->rank;
  // NULL, whose rank is 0, satisfies nothing.
  return add_and(p, node) &&
         (*c->sign != '<' ||
          add_and(p, compare_rank(one->column, PREDICATE_GREATER, 0)));
}

bool conditions_predicate(const struct raw_conditions *c,
                          const struct raw_run *run, uint32_t session,
                          uint32_t statement, struct predicate *p,
                          int64_t parameters[PREDICATE_PARAMETERS]) {
  const struct raw_condition *condition = &c->sessions[session][statement];
  const struct raw_conditions_of_table *of =
      &c->tables[run->logs[session].statements[statement].table];
  *p = (struct predicate){0};
  for (uint32_t i = 0; i < condition->n; i++)
    if (!condition->known ||
        !add_comparison(&of->columns[condition->all[i].column],
                        &condition->all[i], p, parameters))
      return false;
  if (condition->known && !condition->n)
    return predicate_add(p, (struct predicate_node){.op = PREDICATE_TRUE});
  return condition->known;
}
