// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "tests/kit/random_sql.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int below(gsl_rng *random, int n) {
  return (int)gsl_rng_uniform_int(random, (unsigned long)n);
}

void random_sql(gsl_rng *random, struct random_sql *sql) {
  *sql = (struct random_sql){.nsessions = 2 + !below(random, 3)};
  for (int s = 0; s < sql->nsessions; s++) {
    sql->sessions[s].n = 1 + below(random, SQL_STATEMENTS);
    for (int i = 0; i < sql->sessions[s].n; i++) {
      sql->sessions[s].all[i].sort = (enum sql_sort)below(random, SORTS);
      sql->sessions[s].all[i].id = 1 + below(random, SQL_ROWS);
    }
  }
}

void random_sql_put_schema(FILE *out) {
  fputs("CREATE TABLE t (id int PRIMARY KEY, a int, b int);\n"
        "INSERT INTO t VALUES (1, 0, 1), (2, 1, 0);\n",
        out);
}

// Was a read into the variable before statement i?
static bool has_variable(const struct random_sql *sql, int session, int i) {
  while (i-- > 0)
    if (sql->sessions[session].all[i].sort == SORT_READ_A)
      return true;
  return false;
}

void random_sql_put(FILE *out, const struct random_sql *sql, int session) {
  static const char *const otherwise[SORTS] = {
      [SORT_READ_ID] = "SELECT id FROM t WHERE id IN (%d);",
      [SORT_COUNT] = "SELECT COUNT(*) FROM t WHERE a BETWEEN 1 AND 99;",
      [SORT_LIST_B] = "SELECT x.b FROM t AS x WHERE x.a IN (-7, 1);",
      [SORT_SET_B] = "UPDATE t SET b = 2 WHERE (id = %d) AND a NOT IN (-1, 0);",
      [SORT_DELETE] = "DELETE FROM t WHERE id = %d AND b NOT BETWEEN 2 AND 9;"};
  static const char *const texts[SORTS] = {
      [SORT_READ_A] = "SELECT a FROM t WHERE id = %d \\gset",
      [SORT_READ_ID] = "SELECT id FROM t WHERE id = %d;",
      [SORT_LOCK_B] = "SELECT b FROM t WHERE id = %d FOR UPDATE;",
      [SORT_COUNT] = "SELECT COUNT(*) FROM t WHERE a > 0;",
      [SORT_SUM_B] = "SELECT SUM(b) FROM t;",
      [SORT_LIST_B] = "SELECT b FROM t WHERE a = 1;",
      [SORT_ADD_A] = "UPDATE t SET a = a + 1 WHERE id = %d;",
      [SORT_SET_A] = "UPDATE t SET a = %s + 1 WHERE id = %d;",
      [SORT_SET_B] = "UPDATE t SET b = 2 WHERE id = %d AND a > 0;",
      [SORT_INSERT] = "INSERT INTO t VALUES (%d, 1, 1);",
      [SORT_INSERT_IF_NONE] =
          "INSERT INTO t VALUES (%d, 1, 1) ON CONFLICT DO NOTHING;",
      [SORT_DELETE] = "DELETE FROM t WHERE id = %d AND b < 2;"};
  if (sql->draws)
    fputs("\\set two :scale + 1\n\\set i random(1, :two)\n", out);
  fputs("BEGIN;\n", out);
  for (int i = 0; i < sql->sessions[session].n; i++) {
    const enum sql_sort sort = sql->sessions[session].all[i].sort;
    const bool alike = (session + i + sql->sessions[session].all[i].id) % 2;
    for (const char *c = alike && otherwise[sort] ? otherwise[sort]
                                                  : texts[sort];
         *c; c++)
      if (c[0] == '%' && c[1] == 'd' && !i && sql->draws)
        fputs(":i", out), c++;
      else if (c[0] == '%' && c[1] == 'd')
        fprintf(out, "%d", sql->sessions[session].all[i].id), c++;
      else if (c[0] == '%' && c[1] == 's')
        fputs(has_variable(sql, session, i) ? ":a" : "0", out), c++;
      else
        fputc(*c, out);
    fputc('\n', out);
  }
  fputs("COMMIT;\n", out);
}

// ---- Statements on a table

enum { NULL_NUMBER = -99 };
enum hold { HOLDS_NOTHING, HOLDS_SHARED, HOLDS_ALONE };

struct sql_row {
  bool exists;
  int a, b;
};

struct client {
  int at, variable;
  bool ended, rolled_back, looks_back;
  bool changed[SQL_ROWS];
  struct sql_row own[SQL_ROWS], snapshot[SQL_ROWS];
  enum hold holds[SQL_ROWS];
  int ntold, told[SQL_TOLD];
};

struct outcome {
  struct sql_row rows[SQL_ROWS];
  bool rolled_back[SQL_SESSIONS];
  int ntold[SQL_SESSIONS], told[SQL_SESSIONS][SQL_TOLD];
};

struct outcome_set {
  struct outcome *all;
  int n, room;
};

struct table {
  const struct random_sql *sql;
  bool mysql;
  struct sql_row rows[SQL_ROWS]; // as committed
  struct client clients[SQL_SESSIONS];
};

static void tell(struct client *c, int value) { c->told[c->ntold++] = value; }

static struct sql_row newest(const struct table *t, int s, int k) {
  return t->clients[s].changed[k] ? t->clients[s].own[k] : t->rows[k];
}

static struct sql_row visible(struct table *t, int s, int k) {
  struct client *c = &t->clients[s];
  if (!t->mysql || c->changed[k])
    return newest(t, s, k);
  if (!c->looks_back)
    memcpy(c->snapshot, t->rows, sizeof t->rows);
  c->looks_back = true;
  return c->snapshot[k];
}

static bool others_hold(const struct table *t, int s, int k, enum hold wanted) {
  for (int u = 0; u < t->sql->nsessions; u++)
    if (u != s && !t->clients[u].ended && t->clients[u].holds[k] &&
        (wanted == HOLDS_ALONE || t->clients[u].holds[k] == HOLDS_ALONE))
      return true;
  return false;
}

static bool others_change(const struct table *t, int s, int k) {
  for (int u = 0; u < t->sql->nsessions; u++)
    if (u != s && !t->clients[u].ended && t->clients[u].changed[k])
      return true;
  return false;
}

// False if it has to wait.
static bool take_lock(struct table *t, int s, int k, enum hold wanted) {
  struct client *c = &t->clients[s];
  if (c->changed[k] || wanted == HOLDS_NOTHING)
    return true;
  if (others_hold(t, s, k, wanted))
    return false;
  if (c->holds[k] < wanted)
    c->holds[k] = wanted;
  return true;
}

// The lock of a statement that looks at one row and finds it or not.
static enum hold lock_of(const struct table *t, bool exists, bool finds) {
  return t->mysql ? exists ? HOLDS_ALONE : HOLDS_SHARED
         : finds  ? HOLDS_ALONE
                  : HOLDS_NOTHING;
}

static void change(struct client *c, int k, struct sql_row row) {
  c->changed[k] = true;
  c->own[k] = row;
}

static void end(struct table *t, int s, bool rolled_back) {
  struct client *c = &t->clients[s];
  c->ended = true;
  c->rolled_back = rolled_back;
  for (int k = 0; k < SQL_ROWS; k++)
    if (c->changed[k] && !rolled_back)
      t->rows[k] = c->own[k];
}

static int by_number(const void *a, const void *b) {
  const int *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void take_plain(struct table *t, int s, enum sql_sort sort, int k) {
  struct client *c = &t->clients[s];
  int count = 0, sum = 0, listed = 0, list[SQL_ROWS];
  const bool one = sort == SORT_READ_A || sort == SORT_READ_ID;
  for (int i = one ? k : 0; i < (one ? k + 1 : SQL_ROWS); i++) {
    const struct sql_row row = visible(t, s, i);
    count += row.exists && (sort != SORT_COUNT || row.a > 0);
    sum += row.exists ? row.b : 0;
    if (row.exists && (one || row.a == 1))
      list[listed++] = sort == SORT_READ_A    ? row.a
                       : sort == SORT_READ_ID ? k + 1
                                              : row.b;
  }
  if (sort == SORT_COUNT || sort == SORT_SUM_B) {
    tell(c, sort == SORT_COUNT ? count : count ? sum : NULL_NUMBER);
    return;
  }
  qsort(list, (size_t)listed, sizeof *list, by_number); // they have no order
  tell(c, listed);
  for (int i = 0; i < listed; i++)
    tell(c, list[i]);
  if (sort == SORT_READ_A && listed)
    c->variable = list[0];
  else if (sort == SORT_READ_A)
    end(t, s, true);
}

static bool take_insert(struct table *t, int s, bool if_none, int k) {
  struct client *c = &t->clients[s];
  const bool exists = newest(t, s, k).exists;
  if (!exists    ? !take_lock(t, s, k, HOLDS_ALONE)
      : t->mysql ? !take_lock(t, s, k, HOLDS_SHARED)
                 : !c->changed[k] && others_change(t, s, k))
    return false;
  if (!exists)
    change(c, k, (struct sql_row){true, 1, 1});
  else if (!if_none)
    end(t, s, true);
  if (if_none)
    tell(c, !exists);
  return true;
}

static bool take_change(struct table *t, int s, enum sql_sort sort, int k,
                        bool variable) {
  struct client *c = &t->clients[s];
  struct sql_row row = newest(t, s, k);
  const bool finds = row.exists && (sort != SORT_SET_B || row.a > 0) &&
                     (sort != SORT_DELETE || row.b < 2);
  if (!take_lock(t, s, k, lock_of(t, row.exists, finds)))
    return false;
  tell(c, finds);
  if (sort == SORT_LOCK_B && finds)
    tell(c, row.b);
  if (sort == SORT_LOCK_B || !finds)
    return true;
  row.a = sort == SORT_ADD_A   ? row.a + 1
          : sort == SORT_SET_A ? (variable ? c->variable : 0) + 1
                               : row.a;
  row.b = sort == SORT_SET_B ? 2 : row.b;
  row.exists = sort != SORT_DELETE;
  change(c, k, row);
  return true;
}

// False if the session has to wait.
static bool take_step(struct table *t, int s) {
  struct client *c = &t->clients[s];
  const int i = c->at;
  bool taken = true;
  if (i == t->sql->sessions[s].n) {
    end(t, s, false);
    return true;
  }
  const enum sql_sort sort = t->sql->sessions[s].all[i].sort;
  const int k = t->sql->sessions[s].all[i].id - 1;
  switch (sort) {
  case SORT_INSERT:
  case SORT_INSERT_IF_NONE:
    taken = take_insert(t, s, sort == SORT_INSERT_IF_NONE, k);
    break;
  case SORT_LOCK_B:
  case SORT_ADD_A:
  case SORT_SET_A:
  case SORT_SET_B:
  case SORT_DELETE:
    taken = take_change(t, s, sort, k, has_variable(t->sql, s, i));
    break;
  default:
    take_plain(t, s, sort, k);
  }
  c->at++;
  return taken;
}

// ---- Every order

static struct outcome outcome_here(const struct table *t) {
  struct outcome o;
  memset(&o, 0, sizeof o);
  for (int k = 0; k < SQL_ROWS; k++)
    if (t->rows[k].exists) {
      o.rows[k].exists = true;
      o.rows[k].a = t->rows[k].a;
      o.rows[k].b = t->rows[k].b;
    }
  for (int s = 0; s < t->sql->nsessions; s++) {
    const struct client *c = &t->clients[s];
    o.rolled_back[s] = c->rolled_back;
    o.ntold[s] = c->ntold;
    memcpy(o.told[s], c->told, (size_t)c->ntold * sizeof *c->told);
  }
  return o;
}

static bool has(const struct outcome_set *set, const struct outcome *o) {
  for (int i = 0; i < set->n; i++)
    if (!memcmp(&set->all[i], o, sizeof *o))
      return true;
  return false;
}

static void add(struct outcome_set *set, const struct table *t) {
  const struct outcome o = outcome_here(t);
  if (has(set, &o))
    return;
  if (set->n == set->room) {
    set->room = 2 * set->room + 16;
    set->all = xrealloc(set->all, (size_t)set->room, sizeof *set->all);
  }
  set->all[set->n++] = o;
}

// `whole`: each session performs all its statements in one go.
static void go_on(const struct table *t, bool whole, struct outcome_set *set) {
  bool all = true;
  for (int s = 0; s < t->sql->nsessions; s++) {
    struct table next = *t;
    all &= t->clients[s].ended;
    if (t->clients[s].ended || !take_step(&next, s))
      continue;
    while (whole && !next.clients[s].ended)
      take_step(&next, s);
    go_on(&next, whole, set);
  }
  if (all)
    add(set, t);
}

struct sql_outcomes brute_sql(const struct random_sql *sql, bool mysql) {
  struct table t = {.sql = sql,
                    .mysql = mysql,
                    .rows = {{true, 0, 1}, {true, 1, 0}, {false, 0, 0}}};
  struct outcome_set all = {0}, serial = {0};
  struct sql_outcomes outcomes = {0};
  go_on(&t, false, &all);
  go_on(&t, true, &serial);
  outcomes.n = all.n;
  for (int i = 0; i < all.n; i++)
    outcomes.not_serial += !has(&serial, &all.all[i]);
  free(all.all);
  free(serial.all);
  return outcomes;
}
