// SPDX-License-Identifier: GPL-3.0-or-later
// Makes conditions of ranks (own/conditions.h).
#include "config.h"

#include "own/conditions.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- Comparisons

struct raw_parsing {
  struct raw_conditions *conditions;
  const struct instrument_table *table;
  struct raw_conditions_of_table *of;
};

// As the catalogue has the name; UINT32_MAX: there is no such column.
static uint32_t find_raw_column(const struct raw_parsing *p,
                                const struct sql_tokens *t, uint32_t i) {
  const struct sql_token *token = &t->all[i];
  const uint32_t n = token->end - token->begin;
  for (uint32_t c = 0; c < p->table->ncolumns; c++) {
    const char *name = p->table->columns[c];
    bool same = token->kind == SQL_TOKEN_WORD && strlen(name) == n;
    for (uint32_t k = 0; k < n && same; k++)
      same = tolower((unsigned char)t->text[token->begin + k]) == name[k];
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

static uint32_t number_own_column(void *context, const struct sql_tokens *t,
                                  uint32_t i) {
  const struct raw_parsing *p = context;
  const uint32_t column = find_raw_column(p, t, i);
  return column == UINT32_MAX ? UINT32_MAX : use_column(p->of, column);
}

static uint32_t number_of_comparison(void *context, uint32_t used,
                                     const char *sign, const char *constant,
                                     uint32_t nbytes) {
  const struct raw_parsing *p = context;
  struct raw_column *column = &p->of->columns[used];
  for (uint32_t i = column->n; i > 0; i--)
    if (!strcmp(column->all[i - 1].sign, sign) &&
        !strncmp(column->all[i - 1].constant, constant, nbytes) &&
        !column->all[i - 1].constant[nbytes])
      return i - 1;
  ARRAY_RESERVE(column->all, column->n, column->room);
  column->all[column->n] = (struct instrument_comparison){
      .sign = sign,
      .constant =
          arena_printf(&p->conditions->arena, "%.*s", (int)nbytes, constant)};
  return column->n++;
}

static void parse_condition(struct raw_parsing *p, const struct sql_tokens *t,
                            struct raw_condition *condition) {
  const struct condition_listener listener = {p, number_own_column,
                                              number_of_comparison};
  struct condition_tree tree;
  if (!condition_read(&tree, t, &listener))
    return;
  struct condition_node *all =
      arena_take(&p->conditions->arena, (tree.n + (size_t)1) * sizeof *all);
  memcpy(all, tree.all, tree.n * sizeof *all);
  *condition = (struct raw_condition){.n = tree.n, .all = all};
  p->of->used = true;
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
      if (!c->steady || !statement->where ||
          log->txns[t].outcome == OUTCOME_ABORTED ||
          !sql_tokens_read(tokens, statement->where))
        continue;
      struct raw_parsing p = {.conditions = c,
                              .table = &run->tables.all[statement->table],
                              .of = &c->tables[statement->table]};
      if (p.of->imaged)
        parse_condition(&p, tokens, condition);
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

// "set local lock_timeout = ...": a setting that no comparison depends on.
static bool sets_limits_alone(const char *text) {
  static const char *const settings[] = {"lock_timeout",
                                         "statement_timeout",
                                         "deadlock_timeout",
                                         "work_mem",
                                         "idle_in_transaction_session_timeout",
                                         "innodb_lock_wait_timeout",
                                         "application_name",
                                         "synchronous_commit"};
  text += strlen("set ");
  if (!strncasecmp(text, "local ", 6) || !strncasecmp(text, "session ", 8))
    text = strchr(text, ' ') + 1;
  const size_t n = strcspn(text, " =");
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (n == strlen(settings[i]) && !strncasecmp(text, settings[i], n))
      return !strchr(text, ','); // MySQL sets several at once
  return false;
}

// SET may change the time zone, or the order of dates.
static bool are_constants_steady(const struct raw_scripts *scripts) {
  bool steady = true;
  for (uint32_t i = 0; i < scripts->nplaces; i++) {
    const char *text = scripts->places[i].text;
    steady &= strncasecmp(text, "set ", 4) != 0 ||
              !strncasecmp(text, "set constraints", 15) ||
              sets_limits_alone(text);
    steady &= !strcasestr(text, "set_config");
  }
  return steady && !strcasestr(scripts->schema, "set_config") &&
         !strcasestr(scripts->schema, "set local");
}

void conditions_make(struct raw_conditions *c, const struct raw_run *run,
                     struct target *target, const struct known_versions *v) {
  struct sql_tokens tokens = {.dialect = run->scripts->dialect};
  *c = (struct raw_conditions){.ntables = run->tables.n,
                               .nsessions = run->nsessions,
                               .steady = target &&
                                         are_constants_steady(run->scripts)};
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

static enum predicate_op op_of_opposite(enum predicate_op op) {
  static const enum predicate_op opposites[] = {
      [PREDICATE_EQUAL] = PREDICATE_UNEQUAL,
      [PREDICATE_UNEQUAL] = PREDICATE_EQUAL,
      [PREDICATE_LESS] = PREDICATE_AT_LEAST,
      [PREDICATE_AT_MOST] = PREDICATE_GREATER,
      [PREDICATE_GREATER] = PREDICATE_AT_MOST,
      [PREDICATE_AT_LEAST] = PREDICATE_LESS,
  };
  return opposites[op];
}

static struct predicate_node compare_rank(uint32_t column, enum predicate_op op,
                                          int64_t number) {
  return (struct predicate_node){.op = (uint8_t)op,
                                 .column = (uint8_t)column,
                                 .right = {.number = number}};
}

static bool add_joined(struct predicate *p, enum predicate_op op,
                       uint32_t first, uint32_t second) {
  return predicate_add(p, (struct predicate_node){.op = (uint8_t)op,
                                                  .first = (uint8_t)first,
                                                  .end = (uint8_t)second});
}

static bool add_comparison(const struct raw_column *column,
                           const struct condition_node *node,
                           struct predicate *p,
                           int64_t parameters[PREDICATE_PARAMETERS]) {
  const struct instrument_comparison *c = &column->all[node->comparison];
  if (!c->holds || p->nparameters == PREDICATE_PARAMETERS)
    return false;
  const enum predicate_op sign = op_of_sign(c->sign);
  const enum predicate_op op = node->negated ? op_of_opposite(sign) : sign;
  struct predicate_node compares =
      compare_rank(node->column, op, p->nparameters);
  compares.right.parameter = true;
  parameters[p->nparameters++] = c->rank;
  if (!predicate_add(p, compares))
    return false;
  // NULL, whose rank is 0, satisfies nothing.
  const bool below = op == PREDICATE_LESS || op == PREDICATE_AT_MOST ||
                     op == PREDICATE_UNEQUAL;
  return !below ||
         (predicate_add(p, compare_rank(node->column, PREDICATE_GREATER, 0)) &&
          add_joined(p, PREDICATE_AND, p->nnodes - 2, p->nnodes - 1));
}

// Adds the nodes of one node of the condition.  `last` has the predicate's node
// of each earlier one.
static bool add_condition(const struct raw_conditions_of_table *of,
                          const struct condition_node *node,
                          const uint32_t *last, struct predicate *p,
                          int64_t parameters[PREDICATE_PARAMETERS]) {
  if (node->kind == CONDITION_AND || node->kind == CONDITION_OR)
    return add_joined(
        p, node->kind == CONDITION_AND ? PREDICATE_AND : PREDICATE_OR,
        last[node->first], last[node->second]);
  const struct raw_column *column = &of->columns[node->column];
  if (!column->ranked)
    return false;
  if (node->kind == CONDITION_IS_NULL)
    return predicate_add(
        p,
        compare_rank(node->column,
                     node->negated ? PREDICATE_GREATER : PREDICATE_EQUAL, 0));
  return add_comparison(column, node, p, parameters);
}

bool conditions_predicate(const struct raw_conditions *c,
                          const struct raw_run *run, uint32_t session,
                          uint32_t statement, struct predicate *p,
                          int64_t parameters[PREDICATE_PARAMETERS]) {
  const struct raw_condition *condition = &c->sessions[session][statement];
  const struct raw_conditions_of_table *of =
      &c->tables[run->logs[session].statements[statement].table];
  uint32_t last[CONDITION_NODES];
  *p = (struct predicate){0};
  if (!condition->all)
    return false;
  for (uint32_t i = 0; i < condition->n; i++) {
    if (!add_condition(of, &condition->all[i], last, p, parameters))
      return false;
    last[i] = p->nnodes - 1;
  }
  return condition->n ||
         predicate_add(p, (struct predicate_node){.op = PREDICATE_TRUE});
}
