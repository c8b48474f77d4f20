// SPDX-License-Identifier: GPL-3.0-or-later
// Makes up histories with SQL statements (tests/kit/row_histories.h):
// transactions have a place in a commit order and a snapshot, and statements
// see the rows as they were there, but for strays, which see another version.
#include "config.h"

#include "tests/kit/row_histories.h"

#include "recorder/builder/builder.h"
#include "tests/tap.h"

#include <string.h>

enum {
  TXNS = 8,
  KEYS = 5,
  PRELOADED = 2,
  STATEMENTS = 3,
  VERSIONS = TXNS + 2,
  COLUMNS = 2
};

// A version of a row.
struct made_version {
  bool alive;
  int64_t columns[COLUMNS];
  uint64_t stamp;
  unsigned commit; // place of its transaction in the order, from 1; 0: at first
  bool hidden;     // of an aborted transaction
};

struct making {
  gsl_rng *random;
  const struct rows_odds *odds;
  struct builder *b;
  uint32_t table;
  struct made_version versions[KEYS][VERSIONS * STATEMENTS];
  unsigned nversions[KEYS];
  struct made_version own[KEYS]; // of the transaction at hand
  bool has_own[KEYS];
  uint64_t nstamps;
};

static unsigned below(struct making *m, unsigned n) {
  return (unsigned)(gsl_rng_get(m->random) % n);
}

static bool happens(struct making *m, unsigned of_100) {
  return below(m, 100) < of_100;
}

// The version of the key that the transaction sees, from its snapshot.
static struct made_version view(struct making *m, unsigned key,
                                unsigned snapshot) {
  struct made_version *seen = &m->versions[key][0];
  if (m->has_own[key] && !happens(m, m->odds->stray / 4))
    return m->own[key];
  if (happens(m, m->odds->stray))
    return m->versions[key][below(m, m->nversions[key])];
  for (unsigned i = 1; i < m->nversions[key]; i++)
    if (!m->versions[key][i].hidden && m->versions[key][i].commit <= snapshot &&
        m->versions[key][i].commit >= seen->commit)
      seen = &m->versions[key][i];
  return *seen;
}

static struct predicate random_condition(struct making *m, bool of_keys) {
  static const char *const conditions[] = {
      "b = 0",         "b = 1",           "b > 0",     "v = 1",
      "b = 1 & v > 0", "id = 1",          "b % 2 = 1", "TRUE",
      "NOT b = 1",     "id IN (0, 2, 3)", "v < 1",     "b = 0 | id >= 3",
  };
  static const char *const keys[] = {"id = 0", "id = 3", "id IN (2, 4)"};
  const struct predicate_columns columns = builder_columns(m->b, m->table);
  struct predicate p;
  struct error error;
  const char *text = of_keys ? keys[below(m, 3)] : conditions[below(m, 12)];
  CHECK_INT(predicate_read(&p, text, &columns, &error), 0);
  return p;
}

static void write_row(struct making *m, unsigned key, bool alive,
                      struct told_row *row) {
  m->own[key] = (struct made_version){.alive = alive, .stamp = m->nstamps};
  for (unsigned c = 0; c < COLUMNS; c++)
    m->own[key].columns[c] = below(m, 2 + c);
  m->has_own[key] = true;
  row->image = alive ? m->own[key].columns : NULL;
}

// A statement with a condition, on the rows as they are viewed.
static void make_found(struct making *m, enum statement_sort sort,
                       unsigned snapshot) {
  struct told_row rows[KEYS];
  struct predicate p = random_condition(m, sort == STATEMENT_INSERT_NEW);
  struct told_statement s = {.sort = (uint8_t)sort, .table = m->table};
  int64_t parameters[PREDICATE_PARAMETERS];
  const struct predicate as_read = p;
  predicate_lift(&p, parameters);
  s.condition = builder_condition(m->b, m->table, &p);
  s.parameters = parameters;
  s.stamp = statement_writes(sort) ? ++m->nstamps : 0;
  for (unsigned key = 0; key < KEYS; key++) {
    const struct made_version seen = view(m, key, snapshot);
    const bool finds = sort == STATEMENT_INSERT_NEW ? !seen.alive : seen.alive;
    if (!finds || !predicate_holds(&as_read, key, seen.columns, NULL))
      continue;
    struct told_row *row = &rows[s.nrows++];
    *row = (struct told_row){.key = key, .saw = seen.stamp};
    row->kind = sort == STATEMENT_UPDATE       ? OP_ROW_UPDATE
                : sort == STATEMENT_DELETE     ? OP_ROW_DELETE
                : sort == STATEMENT_INSERT_NEW ? OP_ROW_INSERT
                                               : OP_ROW;
    if (statement_writes(sort))
      write_row(m, key, sort != STATEMENT_DELETE, row);
  }
  s.rows = rows;
  builder_statement(m->b, &s);
}

static void make_insert(struct making *m, enum statement_sort sort,
                        unsigned snapshot) {
  const unsigned key = below(m, KEYS);
  const struct made_version seen = view(m, key, snapshot);
  const bool taken =
      seen.alive || (!m->odds->reuse && (m->nversions[key] > 1 ||
                                         m->has_own[key] || key < PRELOADED));
  if (taken && !(sort == STATEMENT_UPSERT && seen.alive))
    return;
  struct told_row row = {.key = key,
                         .kind = seen.alive ? OP_ROW_UPDATE : OP_ROW_INSERT,
                         .saw = seen.stamp};
  const struct told_statement s = {.sort = (uint8_t)sort,
                                   .table = m->table,
                                   .condition = NO_CONDITION,
                                   .stamp = ++m->nstamps,
                                   .rows = &row,
                                   .nrows = 1};
  write_row(m, key, true, &row);
  builder_statement(m->b, &s);
}

static void make_statement(struct making *m, unsigned snapshot) {
  static const enum statement_sort sorts[] = {
      STATEMENT_SELECT,         STATEMENT_SELECT,    STATEMENT_SELECT,
      STATEMENT_INSERT,         STATEMENT_INSERT,    STATEMENT_UPDATE,
      STATEMENT_UPDATE,         STATEMENT_DELETE,    STATEMENT_UPSERT,
      STATEMENT_LOCKING_SELECT, STATEMENT_INSERT_NEW};
  const enum statement_sort sort = sorts[below(m, m->odds->reuse ? 11 : 10)];
  if (sort == STATEMENT_INSERT || sort == STATEMENT_UPSERT)
    make_insert(m, sort, snapshot);
  else
    make_found(m, sort, snapshot);
}

static void make_txn(struct making *m, unsigned commit) {
  const unsigned back = below(m, 3);
  const unsigned snapshot = commit > back ? commit - 1 - back : 0;
  const enum outcome outcome = happens(m, m->odds->unknown)   ? OUTCOME_UNKNOWN
                               : happens(m, m->odds->aborted) ? OUTCOME_ABORTED
                                                              : OUTCOME_OK;
  const bool out =
      outcome == OUTCOME_ABORTED || (outcome == OUTCOME_UNKNOWN && below(m, 2));
  builder_txn(m->b, below(m, 3), outcome, ISOLATION_NONE,
              m->odds->times ? snapshot * 10 + below(m, 9) : TIME_UNKNOWN,
              m->odds->times ? commit * 10 + below(m, 12) : TIME_UNKNOWN);
  memset(m->has_own, 0, sizeof m->has_own);
  for (unsigned n = 1 + below(m, STATEMENTS); n; n--)
    make_statement(m, snapshot);
  for (unsigned key = 0; key < KEYS; key++)
    if (m->has_own[key]) {
      m->own[key].commit = commit;
      m->own[key].hidden = out;
      m->versions[key][m->nversions[key]++] = m->own[key];
    }
}

struct history rows_random(gsl_rng *random, const struct rows_odds *odds) {
  static const char *const columns[] = {"b", "v"};
  struct making m = {.random = random, .odds = odds, .b = builder_open()};
  struct history h;
  struct error error = {0};
  m.table = builder_table(m.b, "t", columns, COLUMNS);
  for (unsigned key = 0; key < KEYS; key++) {
    m.nversions[key] = 1;
    m.versions[key][0].alive = key < PRELOADED;
    m.versions[key][0].columns[0] = key;
    if (key < PRELOADED)
      builder_preload(m.b, m.table, key, m.versions[key][0].columns);
  }
  const unsigned ntxns = 2 + below(&m, odds->ntxns - 1);
  for (unsigned commit = 1; commit <= ntxns; commit++)
    make_txn(&m, commit);
  CHECK_INT(builder_finish(m.b, &h, &error), 0);
  CHECK_STR(error.text, "");
  return h;
}
