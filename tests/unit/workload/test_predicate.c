// SPDX-License-Identifier: GPL-3.0-or-later
// The workload predicate: its statements fit its tables, its choices depend on
// seed and session alone, and an attempt that is made again makes the same
// ones.
#include "config.h"

#include "tests/tap.h"
#include "workload/aim.h"
#include "workload/workload.h"

#include <math.h>

enum { MANY = 4000 };

static struct workload_options defaults(void) {
  struct workload_options o;
  workload_defaults(&o);
  o.nkeys = 240;
  o.seed = 5;
  return o;
}

static const struct workload *predicate(void) {
  struct error error;
  return workload_find("predicate", &error);
}

// Rows as a database might return them: as many as `count`.
static void fill(struct row_list *rows, uint32_t count) {
  row_list_clear(rows);
  for (uint32_t i = 0; i < count; i++) {
    int64_t *image = row_list_add(rows, OP_ROW, i + 1, 0, 3);
    image[0] = 1, image[1] = 2, image[2] = 0;
  }
}

static uint64_t digest_of(uint64_t digest, const struct statement *s,
                          uint32_t nparams) {
  digest = digest * 31 + s->sort * 7 + s->template + s->limit;
  for (uint32_t i = 0; i < nparams; i++)
    digest = digest * 31 + (uint64_t)s->params[i];
  for (uint32_t i = 0; i < s->nsets; i++)
    digest = digest * 31 + (uint64_t)s->sets[i].number + s->sets[i].column;
  return digest * 31 + s->key;
}

// Makes an attempt at the transaction; the set of the sorts that it used.  An
// INSERT or nothing inserts its row where other statements find a single one.
static unsigned attempt(const struct workload *w, void *state,
                        const struct tables *tables, uint32_t nrows,
                        uint64_t *digest) {
  struct row_list rows = {0};
  struct statement s;
  unsigned sorts = 0, n = 0;
  w->programs->start(state);
  fill(&rows, nrows);
  while (w->programs->step(state, n ? &rows : NULL, &s) && ++n < 20) {
    const uint32_t nparams =
        statement_has_condition(s.sort)
            ? tables->templates[s.template].predicate.nparameters
            : 0;
    CHECK(s.table < tables->ntables);
    if (statement_has_condition(s.sort))
      CHECK_INT(tables->templates[s.template].table, s.table);
    if (s.sort == STATEMENT_INSERT_NEW)
      CHECK_INT(s.params[0], s.key);
    if (statement_inserts(s.sort))
      CHECK_INT(s.nsets, tables->table[s.table].columns.count);
    sorts |= 1u << s.sort;
    *digest = digest_of(*digest, &s, nparams);
    fill(&rows, s.sort == STATEMENT_INSERT_NEW && nrows > 1 ? 0 : nrows);
  }
  CHECK(n >= 1 && n < 20);
  row_list_free(&rows);
  return sorts;
}

// Runs so many transactions of a session, whose SELECTs return 6 rows, or 1.
static uint64_t run(const struct workload_options *o, uint32_t session,
                    uint32_t *shapes, unsigned *sorts) {
  const struct workload *w = predicate();
  struct tables *tables = w->programs->tables(o);
  void *state = w->open(o, session);
  uint64_t digest = 1;
  for (int i = 0; i < MANY; i++) {
    struct row_program program;
    uint64_t once = 1, again = 1;
    w->programs->next(state, &program);
    const unsigned used = attempt(w, state, tables, i % 2 ? 6 : 1, &once);
    attempt(w, state, tables, i % 2 ? 6 : 1, &again);
    CHECK(once == again);
    if (program.reads_only)
      CHECK_INT(used & ~(1u << STATEMENT_SELECT), 0);
    digest = digest * 31 + once;
    shapes[program.shape]++;
    *sorts |= used;
  }
  w->close(state);
  free(tables);
  return digest;
}

static void shapes_come_as_often_as_asked(void) {
  const struct workload *w = predicate();
  const struct workload_options o = defaults();
  uint32_t shapes[WORKLOAD_MAX_SHAPES] = {0};
  unsigned sorts = 0;
  run(&o, 1, shapes, &sorts);
  for (uint32_t i = 0; i < workload_shapes(w); i++) {
    const double share = w->shapes[i].share;
    CHECK(fabs(shapes[i] - MANY * share) <=
          4 * sqrt(MANY * share * (1 - share)));
  }
  CHECK_INT(sorts, w->programs->executes);
}

static void each_shape_has_the_statements_that_it_says(void) {
  const struct workload *w = predicate();
  for (uint32_t i = 0; i < workload_shapes(w); i++) {
    struct workload_options o = defaults();
    uint32_t shapes[WORKLOAD_MAX_SHAPES] = {0};
    unsigned sorts = 0;
    o.shape_share[i] = 1;
    run(&o, 1, shapes, &sorts);
    CHECK_INT(w->programs->executes_in(&o), sorts);
  }
}

static void seed_and_session_decide_everything(void) {
  struct workload_options o = defaults();
  uint32_t shapes[WORKLOAD_MAX_SHAPES];
  unsigned sorts;
  const uint64_t digest = run(&o, 1, shapes, &sorts);
  CHECK(run(&o, 1, shapes, &sorts) == digest);
  CHECK(run(&o, 2, shapes, &sorts) != digest);
  o.seed++;
  CHECK(run(&o, 1, shapes, &sorts) != digest);
}

static void the_first_rows_are_in_buckets_of_eight(void) {
  const struct workload_options o = defaults();
  struct tables *tables = predicate()->programs->tables(&o);
  uint32_t of_bucket[10] = {0};
  CHECK_INT(tables->ntables, 3);
  CHECK_INT(tables->table[0].nrows, 80);
  for (uint64_t key = 0; key < 80; key++) {
    int64_t row[3];
    table_first_row(&tables->table[0], key, row);
    CHECK(row[0] >= 0 && row[0] < 10 && row[2] == 0);
    of_bucket[row[0]]++;
  }
  for (int b = 0; b < 10; b++)
    CHECK_INT(of_bucket[b], 8);
  for (uint32_t t = 0; t < 3; t++) { // what the runner reads at the end
    CHECK_INT(tables->templates[t].table, t);
    CHECK_INT(tables->templates[t].predicate.nodes[0].op, PREDICATE_TRUE);
  }
  free(tables);
}

// The keys that a session inserts, each once unless they may be used again.
static uint32_t count_repeated(bool reuse) {
  struct workload_options o = defaults();
  const struct workload *w = predicate();
  static uint8_t seen[1 << 20];
  uint32_t repeated = 0;
  memset(seen, 0, sizeof seen);
  o.reuse_keys = reuse;
  o.shape_share[ROWS_INSERT] = 1;
  for (uint32_t session = 0; session < 2; session++) {
    void *state = w->open(&o, session);
    for (int i = 0; i < 1000; i++) {
      struct row_program program;
      struct statement s;
      w->programs->next(state, &program);
      w->programs->start(state);
      CHECK(w->programs->step(state, NULL, &s));
      CHECK(s.key < sizeof seen && (reuse || s.key >= 80));
      repeated += seen[s.key]++;
      CHECK(!w->programs->step(state, NULL, &s));
    }
    w->close(state);
  }
  return repeated;
}

static void inserted_keys_are_fresh_unless_asked_for(void) {
  CHECK_INT(count_repeated(false), 0);
  CHECK(count_repeated(true) > 0);
}

static void statements_are_limited(void) {
  struct workload_options o = defaults();
  const struct workload *w = predicate();
  o.statements = 1;
  void *state = w->open(&o, 0);
  struct row_list rows = {0};
  fill(&rows, 6);
  for (int i = 0; i < 500; i++) {
    struct row_program program;
    struct statement s;
    w->programs->next(state, &program);
    w->programs->start(state);
    CHECK(w->programs->step(state, NULL, &s));
    CHECK(!w->programs->step(state, &rows, &s));
  }
  row_list_free(&rows);
  w->close(state);
}

static void an_aim_has_its_own_shapes_in_few_buckets(void) {
  struct error error = {0};
  for (int a = 0; row_aims[a].aim.name; a++) {
    struct workload_options o = defaults();
    const struct workload *w = predicate();
    double sum = 0;
    o.aim = aim_find(row_aims[a].aim.name, true, &error);
    CHECK(o.aim == &row_aims[a].aim);
    void *state = w->open(&o, 3);
    for (int i = 0; i < 300; i++) {
      struct row_program program;
      struct statement s;
      w->programs->next(state, &program);
      CHECK(row_aims[a].shares[program.shape] > 0);
      w->programs->start(state);
      CHECK(w->programs->step(state, NULL, &s));
      CHECK_INT(s.table, 0);
    }
    w->close(state);
    for (int i = 0; i < ROWS_SHAPES; i++)
      sum += row_aims[a].shares[i];
    CHECK(fabs(sum - 1) < 1e-9);
  }
  CHECK(!aim_find("LostUpdate", true, &error));
  CHECK_STR(error.text,
            "aim: \"LostUpdate\" is not an anomaly that the workload predicate "
            "can aim at; `isostress list aims` lists them");
}

int main(void) {
  return TAP_RUN(
      {"each shape has the statements that it says",
       each_shape_has_the_statements_that_it_says},
      {"shapes come as often as asked", shapes_come_as_often_as_asked},
      {"seed and session decide everything",
       seed_and_session_decide_everything},
      {"the first rows are in buckets of eight",
       the_first_rows_are_in_buckets_of_eight},
      {"inserted keys are fresh unless asked for",
       inserted_keys_are_fresh_unless_asked_for},
      {"statements are limited", statements_are_limited},
      {"an aim has its own shapes in few buckets",
       an_aim_has_its_own_shapes_in_few_buckets});
}
