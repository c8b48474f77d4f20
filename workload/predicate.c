// SPDX-License-Identifier: GPL-3.0-or-later
// SQL with predicates: three tables whose rows are in buckets, about eight rows
// each, and short transactions that select, insert, change and delete rows by
// conditions.  Two transactions meet in a bucket.  What each shape is for is
// said in the table at the end; the letters are those of the anomalies that
// databases are known for (SELECT and UPDATE differ, two guards insert, ...).
#include "config.h"

#include "workload/planner.h"

#include "base/memory.h"
#include "workload/aim.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES = 3, BUCKET = 8, VALUES = 4, MODULUS = 16 };

enum column { B, V, F, COLUMNS }; // bucket, value, and who has claimed it
static const char *const column_names[COLUMNS] = {"b", "v", "f"};

// Conditions; each table has all of them.
enum condition {
  ALL,
  BY_KEY,
  IN_BUCKET,
  IN_RANGE,
  BY_REMAINDER,
  WITH_VALUE, // in a bucket
  FREE,       // in a bucket, the lowest ones
  FREE_KEY,
  CONDITIONS
};
static const char *const conditions[CONDITIONS] = {
    [ALL] = "TRUE",
    [BY_KEY] = "id = $1",
    [IN_BUCKET] = "b = $1",
    [IN_RANGE] = "b BETWEEN $1 AND $2",
    [BY_REMAINDER] = "b % 16 = $1 AND v >= $2",
    [WITH_VALUE] = "b = $1 AND v = $2",
    [FREE] = "b = $1 AND f = 0 AND id <= $2",
    [FREE_KEY] = "id = $1 AND f = 0",
};

struct predicate_state {
  struct planner planner; // of buckets in place of keys
  uint32_t session, nsessions, statements;
  uint64_t nrows, nbuckets; // of each table
  uint64_t inserted;        // by transactions before this one
  // The transaction.
  uint32_t shape, table, at;
  uint64_t bucket, other; // two buckets of the table
  uint64_t seed, random;  // of its choices
  uint64_t fresh;         // rows that it has inserted
  // The statement.
  int64_t params[2];
  struct column_set sets[COLUMNS];
};

// ---- Tables

static uint64_t rows_of_table(const struct workload_options *options) {
  const uint64_t rows = options->nkeys / TABLES;
  return rows < BUCKET ? BUCKET : rows;
}

// All that the tables point to, in one block.
struct all_tables {
  struct tables tables;
  struct table_spec table[TABLES];
  struct first_value first[COLUMNS];
  struct template_spec templates[TABLES * CONDITIONS];
};

static struct tables *
open_predicate_tables(const struct workload_options *options) {
  static const char *const names[TABLES] = {"t0", "t1", "t2"};
  const struct predicate_columns columns = {
      .key = "id", .names = column_names, .count = COLUMNS};
  struct all_tables *all = xcalloc(1, sizeof *all);
  const uint64_t nrows = rows_of_table(options), nbuckets = nrows / BUCKET;
  all->first[B] = (struct first_value){0, 1, nbuckets};
  all->first[V] = (struct first_value){0, nbuckets, VALUES};
  all->first[F] = (struct first_value){0, 1, 1};
  for (uint32_t t = 0; t < TABLES; t++)
    all->table[t] = (struct table_spec){.name = names[t],
                                        .columns = columns,
                                        .first = all->first,
                                        .nrows = nrows,
                                        .indexed = B};
  for (uint32_t i = 0; i < TABLES * CONDITIONS; i++) {
    struct error error;
    const int failed = predicate_read(&all->templates[i].predicate,
                                      conditions[i / TABLES], &columns, &error);
    assert(!failed);
    (void)failed;
    all->templates[i].table = i % TABLES;
  }
  all->tables = (struct tables){.table = all->table,
                                .templates = all->templates,
                                .ntables = TABLES,
                                .ntemplates = TABLES * CONDITIONS};
  return &all->tables;
}

// ---- Choices

// SplitMix64: a transaction that is tried again makes the same ones.
static uint64_t draw_predicate(struct predicate_state *p, uint64_t below) {
  uint64_t z = p->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (z ^ (z >> 31)) % below;
}

static double draw_share(struct predicate_state *p) {
  return (double)draw_predicate(p, UINT64_C(1) << 32) / 4294967296.0;
}

static uint64_t key_to_insert(struct predicate_state *p) {
  if (p->planner.options.reuse_keys)
    return draw_predicate(p, 2 * p->nrows);
  return p->nrows + (p->inserted + p->fresh++) * p->nsessions + p->session;
}

// ---- Statements

static struct statement on(const struct predicate_state *p,
                           enum statement_sort sort, enum condition condition) {
  return (struct statement){.sort = sort,
                            .table = p->table,
                            .template = condition * TABLES + p->table,
                            .params = p->params,
                            .sets = p->sets};
}

static bool by(struct predicate_state *p, struct statement *next,
               enum statement_sort sort, enum condition condition,
               uint64_t first, uint64_t second) {
  p->params[0] = (int64_t)first;
  p->params[1] = (int64_t)second;
  *next = on(p, sort, condition);
  return true;
}

static bool select_bucket(struct predicate_state *p, struct statement *next) {
  return by(p, next, STATEMENT_SELECT, IN_BUCKET, p->bucket, 0);
}

// One of the conditions on buckets, by the user's shares.
static bool select_some(struct predicate_state *p, struct statement *next) {
  const double *shares = p->planner.options.predicates;
  double chance = draw_share(p) * (shares[0] + shares[1] + shares[2]);
  const uint64_t b = draw_predicate(p, 2) ? p->bucket : p->other;
  if (chance < shares[0])
    return by(p, next, STATEMENT_SELECT, IN_BUCKET, b, 0);
  if (chance < shares[0] + shares[1])
    return by(p, next, STATEMENT_SELECT, IN_RANGE, b, b + 1);
  return by(p, next, STATEMENT_SELECT, BY_REMAINDER, b % MODULUS,
            draw_predicate(p, VALUES));
}

static bool set_predicate_column(struct predicate_state *p,
                                 struct statement *next, enum column column,
                                 uint64_t number) {
  p->sets[0] = (struct column_set){.column = column, .number = (int64_t)number};
  next->nsets = 1;
  return true;
}

static bool insert_into(struct predicate_state *p, struct statement *next,
                        enum statement_sort sort, uint64_t key) {
  by(p, next, sort, BY_KEY, key, 0);
  next->key = key;
  set_predicate_column(p, next, B, p->bucket);
  p->sets[1] = (struct column_set){
      .column = V, .number = (int64_t)draw_predicate(p, VALUES)};
  p->sets[2] = (struct column_set){.column = F};
  next->nsets = COLUMNS;
  return true;
}

// One of the rows that came back.
static uint32_t choose_row(struct predicate_state *p,
                           const struct row_list *last) {
  return (uint32_t)draw_predicate(p, last->count);
}

// ---- Shapes: the statement number p->at, by what the last one returned

static bool step_ro(struct predicate_state *p, const struct row_list *last,
                    struct statement *next) {
  (void)last;
  return (p->at == 0 || (p->at < p->statements && draw_predicate(p, 2))) &&
         select_some(p, next);
}

static bool step_point(struct predicate_state *p, const struct row_list *last,
                       struct statement *next) {
  const uint64_t key = p->bucket + p->nbuckets * (p->seed % BUCKET);
  (void)last;
  if (p->at == 0)
    return by(p, next, STATEMENT_SELECT, BY_KEY, key, 0);
  if (p->at == 1)
    return select_some(p, next);
  return p->at == 2 && by(p, next, STATEMENT_UPDATE, BY_KEY, key, 0) &&
         set_predicate_column(p, next, V, draw_predicate(p, VALUES));
}

static bool step_guard(struct predicate_state *p, const struct row_list *last,
                       struct statement *next) {
  if (p->at == 0)
    return select_bucket(p, next);
  return p->at == 1 && last->count < BUCKET &&
         insert_into(p, next, STATEMENT_INSERT, key_to_insert(p));
}

// In half of the transactions, other rows take the value of those that are
// changed: who waits for these finds neither.
static bool step_swap(struct predicate_state *p, const struct row_list *last,
                      struct statement *next) {
  const uint64_t value = p->seed % VALUES;
  const uint64_t above = (value + 1) % VALUES, below = (value - 1) % VALUES;
  const bool both = p->seed / VALUES % 2;
  (void)last;
  if (p->at == 0)
    return by(p, next, STATEMENT_UPDATE, WITH_VALUE, p->bucket, value) &&
           set_predicate_column(p, next, V, above);
  return p->at == 1 && both &&
         by(p, next, STATEMENT_UPDATE, WITH_VALUE, p->bucket, below) &&
         set_predicate_column(p, next, V, value);
}

static bool step_claim(struct predicate_state *p, const struct row_list *last,
                       struct statement *next) {
  if (p->at == 0) {
    by(p, next, STATEMENT_SELECT, FREE, p->bucket, STATEMENT_KEY_END);
    next->limit = 1;
    return true;
  }
  if (p->at > 1)
    return false;
  return last->count
             ? by(p, next, STATEMENT_UPDATE, FREE_KEY, last->rows[0].key, 0) &&
                   set_predicate_column(p, next, F, p->session + 1)
             : by(p, next, STATEMENT_UPDATE, IN_BUCKET, p->bucket, 0) &&
                   set_predicate_column(p, next, F, 0);
}

static bool step_insert(struct predicate_state *p, const struct row_list *last,
                        struct statement *next) {
  (void)last;
  return p->at == 0 && insert_into(p, next, STATEMENT_INSERT, key_to_insert(p));
}

// Where a bucket has lost half of its rows, the rest stays.
static bool step_delete(struct predicate_state *p, const struct row_list *last,
                        struct statement *next) {
  if (p->at == 0)
    return select_bucket(p, next);
  return p->at == 1 && last->count > BUCKET / 2 &&
         by(p, next, STATEMENT_DELETE, WITH_VALUE, p->bucket,
            (uint64_t)row_list_image(last, choose_row(p, last))[V]);
}

static bool step_move(struct predicate_state *p, const struct row_list *last,
                      struct statement *next) {
  if (p->at == 0)
    return select_bucket(p, next);
  return p->at == 1 && last->count &&
         by(p, next, STATEMENT_UPDATE, BY_KEY,
            last->rows[choose_row(p, last)].key, 0) &&
         set_predicate_column(p, next, B, p->other);
}

static bool step_same(struct predicate_state *p, const struct row_list *last,
                      struct statement *next) {
  (void)last;
  if (p->at == 1)
    return by(p, next, STATEMENT_UPDATE, IN_BUCKET, p->bucket, 0) &&
           set_predicate_column(p, next, F, draw_predicate(p, 2));
  return p->at <= 2 && select_bucket(p, next);
}

static bool step_reread(struct predicate_state *p, const struct row_list *last,
                        struct statement *next) {
  (void)last;
  return p->at <= 1 && select_bucket(p, next);
}

static bool step_locking(struct predicate_state *p, const struct row_list *last,
                         struct statement *next) {
  (void)last;
  if (p->at == 0)
    return select_bucket(p, next);
  return p->at == 1 &&
         by(p, next, STATEMENT_LOCKING_SELECT, IN_BUCKET, p->bucket, 0);
}

// A key that another session may insert as well.  PostgreSQL's REPEATABLE READ,
// of which this is known, inserts a row that its snapshot still shows if
// another transaction has deleted the row since.  So only where keys are used
// again the key is selected first, and also selected where it was inserted.
static bool step_ignore(struct predicate_state *p, const struct row_list *last,
                        struct statement *next) {
  const bool again = p->planner.options.reuse_keys;
  const uint64_t key =
      again ? p->seed % (2 * p->nrows)
            : p->nrows + p->seed % (p->nrows + p->inserted * p->nsessions);
  const uint32_t insert = again ? 1 : 0;
  if (p->at == insert)
    return insert_into(p, next, STATEMENT_INSERT_NEW, key);
  if (p->at == insert + 1 && !again && last->count)
    return false;
  return p->at <= insert + 1 && by(p, next, STATEMENT_SELECT, BY_KEY, key, 0);
}

static bool step_refill(struct predicate_state *p, const struct row_list *last,
                        struct statement *next) {
  (void)last;
  if (p->at == 0)
    return by(p, next, STATEMENT_UPDATE, IN_BUCKET, p->bucket, 0) &&
           set_predicate_column(p, next, F, draw_predicate(p, 2));
  return p->at == 1 && insert_into(p, next, STATEMENT_INSERT, key_to_insert(p));
}

static bool (*const steps[])(struct predicate_state *, const struct row_list *,
                             struct statement *) = {
    [ROWS_RO] = step_ro,           [ROWS_POINT] = step_point,
    [ROWS_GUARD] = step_guard,     [ROWS_SWAP] = step_swap,
    [ROWS_CLAIM] = step_claim,     [ROWS_INSERT] = step_insert,
    [ROWS_DELETE] = step_delete,   [ROWS_MOVE] = step_move,
    [ROWS_SAME] = step_same,       [ROWS_REREAD] = step_reread,
    [ROWS_LOCKING] = step_locking, [ROWS_IGNORE] = step_ignore,
    [ROWS_REFILL] = step_refill,
};

// ---- The contract

// An aim has its shapes, and few buckets.
static struct workload_options
of_buckets(const struct workload_options *options, uint64_t nbuckets) {
  struct workload_options o = *options;
  o.nkeys = TABLES * nbuckets;
  if (o.aim)
    memcpy(o.shape_share, row_aim_of(o.aim)->shares, sizeof o.shape_share);
  if (o.aim && o.aim->keys < o.nkeys)
    o.nkeys = o.aim->keys;
  return o;
}

#define EXECUTES(sort) (1u << STATEMENT_##sort)
static const unsigned shape_executes[] = {
    [ROWS_RO] = EXECUTES(SELECT),
    [ROWS_POINT] = EXECUTES(SELECT) | EXECUTES(UPDATE),
    [ROWS_GUARD] = EXECUTES(SELECT) | EXECUTES(INSERT),
    [ROWS_SWAP] = EXECUTES(UPDATE),
    [ROWS_CLAIM] = EXECUTES(SELECT) | EXECUTES(UPDATE),
    [ROWS_INSERT] = EXECUTES(INSERT),
    [ROWS_DELETE] = EXECUTES(SELECT) | EXECUTES(DELETE),
    [ROWS_MOVE] = EXECUTES(SELECT) | EXECUTES(UPDATE),
    [ROWS_SAME] = EXECUTES(SELECT) | EXECUTES(UPDATE),
    [ROWS_REREAD] = EXECUTES(SELECT),
    [ROWS_LOCKING] = EXECUTES(SELECT) | EXECUTES(LOCKING_SELECT),
    [ROWS_IGNORE] = EXECUTES(SELECT) | EXECUTES(INSERT_NEW),
    [ROWS_REFILL] = EXECUTES(UPDATE) | EXECUTES(INSERT),
};

static unsigned executes_in(const struct workload_options *options) {
  const struct workload_options o = of_buckets(options, 1);
  const bool chosen = shares_are_set(&workload_predicate, &o);
  unsigned executes = 0;
  for (uint32_t i = 0; i < ROWS_SHAPES; i++)
    executes |= !chosen || o.shape_share[i] > 0 ? shape_executes[i] : 0;
  return executes;
}

static void *predicate_open(const struct workload_options *options,
                            uint32_t session) {
  struct predicate_state *p = xcalloc(1, sizeof *p);
  p->session = session;
  p->nsessions = options->nsessions;
  p->nrows = rows_of_table(options);
  p->nbuckets = p->nrows / BUCKET;
  p->statements = options->statements;
  const struct workload_options buckets = of_buckets(options, p->nbuckets);
  planner_init(&p->planner, &workload_predicate, &buckets, session);
  return p;
}

static void predicate_close(void *state) {
  struct predicate_state *p = state;
  planner_fini(&p->planner);
  free(p);
}

static void predicate_next(void *state, struct row_program *program) {
  struct predicate_state *p = state;
  struct plan plan;
  p->inserted += p->fresh;
  p->shape = plan_start(&plan, &p->planner);
  const uint64_t place = keys_draw(p->planner.keys);
  const uint64_t other = keys_draw(p->planner.keys);
  p->table = (uint32_t)(place / p->nbuckets);
  p->bucket = place % p->nbuckets;
  p->other = other % p->nbuckets;
  p->seed = gsl_rng_uniform_int(p->planner.random, 1 << 30);
  program->shape = p->shape;
  program->reads_only = p->shape == ROWS_RO || p->shape == ROWS_REREAD;
}

static void predicate_start(void *state) {
  struct predicate_state *p = state;
  p->at = 0;
  p->fresh = 0;
  p->random = p->seed;
}

static bool predicate_step(void *state, const struct row_list *last,
                           struct statement *next) {
  struct predicate_state *p = state;
  const bool goes_on = p->at < p->statements && steps[p->shape](p, last, next);
  p->at++;
  return goes_on;
}

static const struct row_programs programs = {
    .executes = 1u << STATEMENT_SELECT | 1u << STATEMENT_LOCKING_SELECT |
                1u << STATEMENT_INSERT | 1u << STATEMENT_UPDATE |
                1u << STATEMENT_DELETE | 1u << STATEMENT_INSERT_NEW,
    .executes_in = executes_in,
    .tables = open_predicate_tables,
    .next = predicate_next,
    .start = predicate_start,
    .step = predicate_step,
};

static const struct shape shapes[] = {
    [ROWS_RO] = {"ro", 0.2, "select by conditions"},
    [ROWS_POINT] = {"point", 0.1,
                    "select a key and by a condition, update the "
                    "key"},
    [ROWS_GUARD] = {"guard", 0.15,
                    "select a bucket, insert a row if there are too few"},
    [ROWS_SWAP] = {"swap", 0.08, "update by a condition, without a select"},
    [ROWS_CLAIM] = {"claim", 0.08, "select the lowest free row, take it"},
    [ROWS_INSERT] = {"insert", 0.05, "insert a row"},
    [ROWS_DELETE] = {"delete", 0.1, "select a bucket, delete by a condition"},
    [ROWS_MOVE] = {"move", 0.08, "select a bucket, update a row's bucket"},
    [ROWS_SAME] = {"same", 0.06, "select, update and select by one condition"},
    [ROWS_REREAD] = {"reread", 0.04, "select by one condition twice"},
    [ROWS_LOCKING] = {"locking", 0.03, "select, then select for update"},
    [ROWS_IGNORE] = {"ignore", 0.03, "insert or nothing, select the key"},
    [ROWS_REFILL] = {"refill", 0.03, "update a bucket, insert a row into it"},
    {NULL, 0, NULL},
};

const struct workload workload_predicate = {
    .name = "predicate",
    .summary = "SQL with predicates: select, insert, update and delete by "
               "conditions on three tables",
    .shapes = shapes,
    .min_keys = TABLES * BUCKET,
    .open = predicate_open,
    .close = predicate_close,
    .programs = &programs,
};
