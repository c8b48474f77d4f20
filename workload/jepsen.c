// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's ready-made tests as workloads of statements: bank, counter, set and
// the others.  Each is a row of the table at the end: a table, the conditions
// on it, and the statements of each shape of transactions.  What a run of them
// must keep is told in models/, and found in its history by models/tests.h.
//
// Tests that only insert do so in batches, so that no read returns more than a
// few rows: a batch is written and read for so many transactions of all
// sessions, and left alone from then on.  Which one it is follows from the
// number of the session's transaction.
#include "config.h"

#include "workload/row_workload.h"

#include "base/memory.h"

#include <string.h>

enum { ACTS = 4, SHAPES = 3 };
enum { OWN_BATCH = 8 }; // transactions of a session around its batch
enum { LEAD = 4 };      // plans by which sessions may be apart around a batch
enum { HIGHEST_AMOUNT = 5 };

// Places in a test's list of conditions; ALL has none.
enum condition { ROW = 0, ROW_WITH_ENOUGH = 1, BATCH = 0, PART = 1, ALL = 2 };

// How an UPDATE changes the number in its row.
enum change {
  LESS,    // it subtracts the amount
  MORE,    // it adds the amount
  SEEN,    // it is what a SELECT of the transaction returned, less the amount:
           // what is there, if that is not enough
  SEEN_UP, // likewise, with the amount added
  FRESH    // a number that no other transaction writes
};

// A statement.  It names one of the transaction's rows or, in tests with
// batches, a part of the batch.
struct act {
  bool is; // false: there are no more
  enum statement_sort sort;
  enum condition by;
  uint8_t which;
  enum change change;
};

#define READ(by, which)                                                        \
  { true, STATEMENT_SELECT, by, which, 0 }
#define CHANGE(by, which, change)                                              \
  { true, STATEMENT_UPDATE, by, which, change }
#define ADD                                                                    \
  { true, STATEMENT_INSERT, ALL, 0, 0 }

enum batches {
  NO_BATCHES, // rows that are there at first, and stay
  SHARED,     // all sessions write to a batch
  OWN         // one does, and its rows are parts in the order of its writes
};

struct jepsen_test {
  const struct workload *workload;
  const char *table;
  const char *const *columns;
  const char *conditions[2];
  enum batches batches;
  uint64_t nrows;            // at first, times the scale
  struct first_value number; // in each of them
  bool draws;      // the transaction's rows are drawn; else they are the first
  int64_t highest; // amount
  int abandoned;   // the shape that rolls back, or -1
  struct act acts[SHAPES][ACTS];
};

static const char *const balances[] = {"balance", NULL};
static const char *const numbers[] = {"number", NULL};
static const char *const batches[] = {"batch", "part", NULL};

#define ON_BATCHES                                                             \
  { "batch = $1", "batch = $1 AND part = $2" }
#define ON_ROWS                                                                \
  { "id = $1", "id = $1" }

static const struct jepsen_test bank = {
    .workload = &workload_bank,
    .table = "accounts",
    .columns = balances,
    .conditions = {"id = $1", "id = $1 AND balance >= $2"},
    .nrows = 8,
    .number = {100, 1, 1},
    .draws = true,
    .highest = HIGHEST_AMOUNT,
    .abandoned = -1,
    .acts = {{READ(ROW, 0), READ(ROW, 1), CHANGE(ROW, 0, SEEN),
              CHANGE(ROW, 1, SEEN_UP)},
             {CHANGE(ROW_WITH_ENOUGH, 0, LESS), CHANGE(ROW, 1, MORE)},
             {READ(ALL, 0)}}};

#define COUNTS                                                                 \
  .columns = numbers, .conditions = ON_ROWS, .nrows = 1, .number = {0, 1, 1},  \
  .draws = true, .highest = 1, .abandoned = -1,                                \
  .acts = {{READ(ROW, 0), CHANGE(ROW, 0, SEEN_UP)},                            \
           {CHANGE(ROW, 0, MORE)},                                             \
           {READ(ROW, 0)}}

static const struct jepsen_test counter = {
    .workload = &workload_counter, .table = "counters", COUNTS};

static const struct jepsen_test monotonic = {
    .workload = &workload_monotonic, .table = "numbers", COUNTS};

static const struct jepsen_test set = {.workload = &workload_set,
                                       .table = "elements",
                                       .columns = batches,
                                       .conditions = ON_BATCHES,
                                       .batches = SHARED,
                                       .abandoned = -1,
                                       .acts = {{ADD}, {READ(BATCH, 0)}}};

static const struct jepsen_test long_fork = {
    .workload = &workload_long_fork,
    .table = "forks",
    .columns = batches,
    .conditions = ON_BATCHES,
    .batches = SHARED,
    .abandoned = -1,
    .acts = {{ADD}, {READ(PART, 0), READ(PART, 1)}}};

static const struct jepsen_test comments = {
    .workload = &workload_comments,
    .table = "comments",
    .columns = batches,
    .conditions = ON_BATCHES,
    .batches = SHARED,
    .abandoned = -1,
    .acts = {{ADD}, {READ(PART, 0), READ(PART, 1)}}};

static const struct jepsen_test sequential = {
    .workload = &workload_sequential,
    .table = "parts",
    .columns = batches,
    .conditions = ON_BATCHES,
    .batches = OWN,
    .abandoned = -1,
    .acts = {{ADD},
             {READ(PART, 3), READ(PART, 2), READ(PART, 1), READ(PART, 0)}}};

static const struct jepsen_test dirty_reads = {
    .workload = &workload_dirty_reads,
    .table = "documents",
    .columns = numbers,
    .conditions = ON_ROWS,
    .nrows = 4,
    .number = {0, 1, 1},
    .abandoned = 1,
    .acts = {{CHANGE(ROW, 0, FRESH), CHANGE(ROW, 1, FRESH),
              CHANGE(ROW, 2, FRESH), CHANGE(ROW, 3, FRESH)},
             {CHANGE(ROW, 0, FRESH), CHANGE(ROW, 1, FRESH),
              CHANGE(ROW, 2, FRESH), CHANGE(ROW, 3, FRESH)},
             {READ(ALL, 0)}}};

struct tester {
  struct row_workload rows;
  const struct jepsen_test *test;
  uint64_t nrows;
  uint64_t span;                   // transactions of a session around a batch
  uint64_t nplans;                 // this one included
  uint64_t nparts, batch_of_parts; // writes to that batch
  // The transaction.
  uint64_t batch, part;
  uint64_t row[ACTS];
  int64_t seen[ACTS]; // numbers in these rows
  int64_t amount;
  uint64_t fresh;
};

static struct tables *
open_register_tables(const struct jepsen_test *test,
                     const struct workload_options *options) {
  const struct row_set table = {.name = test->table,
                                .columns = test->columns,
                                .nrows = test->nrows * options->scale,
                                .first = &test->number};
  const struct row_condition conditions[] = {{0, test->conditions[0]},
                                             {0, test->conditions[1]}};
  return row_tables_make(&table, 1, conditions, 2);
}

static void *open_tester(const struct jepsen_test *test,
                         const struct workload_options *options,
                         uint32_t session) {
  struct tester *t = xcalloc(1, sizeof *t);
  t->test = test;
  t->nrows = test->nrows * options->scale;
  t->span = test->batches == OWN ? OWN_BATCH
                                 : options->max_length / options->nsessions + 1;
  row_workload_open(&t->rows, test->workload, options, session);
  t->rows.ntables = 1;
  return t;
}

// The batch that a session writes and, as far as sessions are about as fast,
// others write and read.
static uint64_t batch_at(const struct tester *t, uint64_t plan,
                         uint64_t session) {
  const uint64_t n = plan / t->span;
  return t->test->batches == OWN ? n * t->rows.nsessions + session : n;
}

static void number_part(struct tester *t) {
  if (t->batch != t->batch_of_parts)
    t->nparts = 0;
  t->batch_of_parts = t->batch;
  t->part = t->test->batches == OWN ? t->nparts++ : t->rows.session % 2;
}

static bool only_reads(const struct tester *t) {
  const struct act *acts = t->test->acts[t->rows.shape];
  for (int i = 0; i < ACTS; i++)
    if (acts[i].is && statement_writes(acts[i].sort))
      return false;
  return true;
}

static void test_next(void *state, struct row_program *program) {
  struct tester *t = state;
  row_workload_next(&t->rows, program);
  program->reads_only = only_reads(t);
  t->batch = batch_at(t, t->nplans++, t->rows.session);
  if (!program->reads_only)
    number_part(t);
}

// The first two differ, if there are two.
static void draw_rows(struct tester *t) {
  for (uint64_t i = 0; i < ACTS; i++)
    t->row[i] = i;
  if (!t->test->draws)
    return;
  t->row[0] = row_draw(&t->rows, t->nrows);
  if (t->nrows > 1)
    t->row[1] = (t->row[0] + 1 + row_draw(&t->rows, t->nrows - 1)) % t->nrows;
}

// The batch of the moment, or one of a session that is behind or ahead.
static void draw_batch(struct tester *t) {
  const uint64_t plan = t->nplans + row_draw(&t->rows, 2 * LEAD),
                 session = row_draw(&t->rows, t->rows.nsessions);
  t->batch = batch_at(t, plan > LEAD ? plan - LEAD : 0, session);
}

static void test_start(void *state) {
  struct tester *t = state;
  row_workload_start(state);
  if (t->test->batches == NO_BATCHES)
    draw_rows(t);
  else if (only_reads(t))
    draw_batch(t);
  t->amount = t->test->highest
                  ? 1 + (int64_t)row_draw(&t->rows, (uint64_t)t->test->highest)
                  : 0;
  t->fresh = row_fresh(&t->rows);
}

static void set_number(struct tester *t, const struct act *act,
                       struct statement *next) {
  const int64_t seen = t->seen[act->which];
  if (act->change == SEEN && t->amount > seen)
    t->amount = seen;
  const struct {
    bool adds;
    int64_t number;
  } is[] = {[LESS] = {true, -t->amount},
            [MORE] = {true, t->amount},
            [SEEN] = {false, seen - t->amount},
            [SEEN_UP] = {false, seen + t->amount},
            [FRESH] = {false, (int64_t)t->fresh + 1}};
  row_set(&t->rows, next, 0, is[act->change].adds, is[act->change].number);
}

static bool make_register_statement(struct tester *t, const struct act *act,
                                    struct statement *next) {
  struct row_workload *rows = &t->rows;
  const bool batched = t->test->batches != NO_BATCHES;
  if (act->sort == STATEMENT_INSERT)
    return row_insert(rows, 0, t->fresh,
                      (int64_t[]){(int64_t)t->batch, (int64_t)t->part}, 2,
                      next);
  rows->params[0] = (int64_t)(batched ? t->batch : t->row[act->which]);
  rows->params[1] = batched ? act->which : t->amount;
  row_by(rows, act->sort, 0, act->by, next);
  if (act->by == ALL)
    next->template = 0;
  if (act->sort == STATEMENT_UPDATE)
    set_number(t, act, next);
  return true;
}

// The number in the row that the last statement was about.  False: there is no
// such row, or it has not enough.
static bool take_register_number(struct tester *t, const struct act *before,
                                 const struct row_list *last) {
  if (t->test->batches != NO_BATCHES || before->by == ALL)
    return true;
  if (!last->count)
    return false;
  t->seen[before->which] = row_list_image(last, 0)[0];
  return true;
}

static bool test_step(void *state, const struct row_list *last,
                      struct statement *next) {
  struct tester *t = state;
  const uint32_t at = t->rows.at++;
  const struct act *acts = t->test->acts[t->rows.shape];
  if (at > 0 && !take_register_number(t, &acts[at - 1], last))
    return false;
  return at < ACTS && acts[at].is &&
         make_register_statement(t, &acts[at], next);
}

static bool test_rolls_back(void *state) {
  const struct tester *t = state;
  return (int)t->rows.shape == t->test->abandoned;
}

static uint64_t batch_lead(const struct workload_options *options) {
  (void)options;
  return LEAD;
}

// The slots that have to name the test.
#define SLOTS(test)                                                            \
  static void *test##_open(const struct workload_options *options,             \
                           uint32_t session) {                                 \
    return open_tester(&test, options, session);                               \
  }                                                                            \
  static struct tables *test##_tables(                                         \
      const struct workload_options *options) {                                \
    return open_register_tables(&test, options);                               \
  }                                                                            \
  static const struct row_programs test##_programs = {                         \
      .executes = 1u << STATEMENT_SELECT | 1u << STATEMENT_INSERT |            \
                  1u << STATEMENT_UPDATE,                                      \
      .tables = test##_tables,                                                 \
      .next = test_next,                                                       \
      .start = test_start,                                                     \
      .step = test_step,                                                       \
      .rolls_back = test_rolls_back,                                           \
  };

SLOTS(bank)
SLOTS(counter)
SLOTS(monotonic)
SLOTS(set)
SLOTS(long_fork)
SLOTS(comments)
SLOTS(sequential)
SLOTS(dirty_reads)

static const struct shape
    transfers[] = {{"transfer", 0.5,
                    "select two accounts, then move up to 5 from one to the "
                    "other: updates to what was read, less or more"},
                   {"in-place", 0,
                    "update two accounts by what is there: balance - 5"},
                   {"read", 0.5, "select all accounts"},
                   {NULL, 0, NULL}},
    counts[] = {{"add", 0.4, "select a number, then update it to one more"},
                {"in-place", 0, "update a number by what is there: number + 1"},
                {"read", 0.6, "select a number"},
                {NULL, 0, NULL}},
    inserts[] = {{"write", 0.5, "insert a row"},
                 {"read", 0.5, "select the rows of a batch"},
                 {NULL, 0, NULL}},
    documents[] = {{"write", 0.4, "update four rows to one number"},
                   {"abandon", 0.2, "likewise, and roll back"},
                   {"read", 0.4, "select all rows"},
                   {NULL, 0, NULL}};

#define TEST(test)                                                             \
  .open = test##_open, .close = row_workload_close, .programs = &test##_programs

const struct workload workload_bank = {
    .name = "bank",
    .summary = "Jepsen's bank: transfers between 8 accounts keep the sum of "
               "all balances",
    .shapes = transfers,
    TEST(bank)};

const struct workload workload_counter = {
    .name = "counter",
    .summary = "Jepsen's counter: additions to 4 numbers, and reads of all "
               "that succeeded",
    .shapes = counts,
    TEST(counter)};

const struct workload workload_monotonic = {
    .name = "monotonic",
    .summary = "Jepsen's monotonic: a number that grows is never seen to fall",
    .shapes = counts,
    TEST(monotonic)};

const struct workload workload_set = {
    .name = "set",
    .summary = "Jepsen's set: elements that were added stay in the set",
    .shapes = inserts,
    .lead = batch_lead,
    TEST(set)};

const struct workload workload_long_fork = {
    .name = "long-fork",
    .summary = "Jepsen's long fork: reads agree on the order of inserts",
    .shapes = inserts,
    .lead = batch_lead,
    TEST(long_fork)};

const struct workload workload_comments = {
    .name = "comments",
    .summary =
        "Jepsen's comments: who sees a row sees all that were there before it",
    .shapes = inserts,
    .lead = batch_lead,
    TEST(comments)};

const struct workload workload_sequential = {
    .name = "sequential",
    .summary = "Jepsen's sequential: who sees a row sees those that its "
               "session wrote before",
    .shapes = inserts,
    .lead = batch_lead,
    TEST(sequential)};

const struct workload workload_dirty_reads = {
    .name = "dirty-reads",
    .summary = "Jepsen's dirty reads: nobody sees what was rolled back",
    .shapes = documents,
    TEST(dirty_reads)};
