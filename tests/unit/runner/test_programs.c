// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the workload predicate on the built-in store, recorded and read back:
// what the history says of each row fits the statement, and the run is closed
// with all rows.
#include "config.h"

#include "drivers/drivers.h"
#include "recorder/rows.h"
#include "runner/runner.h"
#include "tests/kit/recording.h"

struct ran {
  struct run_figures figures;
  struct history history;
};

static struct ran run_predicate(const char *uri, uint32_t threads,
                                uint32_t max_tries, uint64_t seed) {
  struct ran ran = {0};
  struct error error = {0};
  struct target *target = NULL;
  struct run_options options = {.max_tries = max_tries,
                                .threads = threads,
                                .transactions = 150,
                                .history = recording_path,
                                .about = "a = 1\nb = 2\n"};
  workload_defaults(&options.workload_options);
  options.workload_options.nsessions = 4;
  options.workload_options.nkeys = 48;
  options.workload_options.seed = seed;
  options.workload = workload_find("predicate", &error);
  unlink(recording_path);
  CHECK_INT(target_open(uri, NULL, NULL, 4, seed, &target, &error), 0);
  options.target = target;
  options.level = target->driver->levels;
  CHECK_INT(run(&options, &ran.figures, &error), 0);
  CHECK_STR(error.text, "");
  target_close(target);
  ran.history = read_back();
  return ran;
}

static void ran_free(struct ran *ran) {
  run_figures_free(&ran->figures);
  history_free(&ran->history);
}

// The image that an operation read or, of one that inserts, wrote.
static const int64_t *image_of(const struct history *h, uint32_t op) {
  if (!op_reads(h->kind[op]))
    return rows_version(h, op);
  return rows_version(h, h->saw[op] == SAW_INITIAL ? h->nops + h->key[op]
                                                   : h->saw[op]);
}

// Rows that came back, or were changed or deleted, satisfied the condition; and
// all that was seen was written.
static void check_rows(const struct history *h) {
  uint32_t wrong = 0, unknown = 0, count = 0;
  for (uint32_t s = 0; s < h->rows->nstatements; s++) {
    const struct recorded_statement *st = &h->rows->statements[s];
    for (uint32_t op = st->first; op < st->end; op++, count++)
      if (op_reads(h->kind[op]) && h->saw[op] != SAW_INITIAL &&
          h->saw[op] >= h->nops)
        unknown++;
      else if (op_reads(h->kind[op]))
        wrong += !rows_satisfies(h, s, h->key[op], image_of(h, op));
  }
  CHECK_INT(count, h->nops);
  CHECK_INT(unknown, 0);
  CHECK_INT(wrong, 0);
}

// The last statement on each table without any limit sees all rows that are
// there.
static uint32_t count_closing(const struct history *h) {
  uint32_t count = 0;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const uint32_t first = h->rows->txn_statement[t];
    char text[40] = "";
    if (h->rows->txn_statement[t + 1] - first != 1 ||
        h->rows->statements[first].condition == NO_CONDITION)
      continue;
    FILE *out = fmemopen(text, sizeof text, "w");
    rows_write_condition(out, h->rows, &h->rows->statements[first]);
    fclose(out);
    count += !strcmp(text, "TRUE");
  }
  return count;
}

static void a_run_is_recorded_row_by_row(void) {
  for (int i = 0; i < 2; i++) {
    struct ran ran = run_predicate("memory:", i ? 0 : 1, 1, 3);
    check_rows(&ran.history);
    CHECK_INT(count_closing(&ran.history), 3);
    CHECK_INT(ran.figures.begun, ran.figures.committed + ran.figures.aborted);
    CHECK_INT(ran.history.ntxns, ran.figures.all_begun);
    CHECK(ran.figures.operations > 0);
    ran_free(&ran);
  }
}

// On one thread a seed decides everything, so what a retry did is in it, too.
static void the_seed_decides_everything(void) {
  struct ran a = run_predicate("memory:", 1, 5, 4),
             b = run_predicate("memory:", 1, 5, 4);
  CHECK(a.figures.retries > 0);
  CHECK_INT(a.history.nops, b.history.nops);
  CHECK_INT(a.history.rows->nstatements, b.history.rows->nstatements);
  CHECK(!memcmp(a.history.kind, b.history.kind, a.history.nops));
  CHECK(!memcmp(a.history.saw, b.history.saw,
                a.history.nops * sizeof *a.history.saw));
  check_rows(&a.history);
  ran_free(&a);
  ran_free(&b);
}

// The last parameter of a limited SELECT is what came back.
static bool is_same_statement(const struct rows *rows, uint32_t a, uint32_t b) {
  const struct recorded_statement *x = &rows->statements[a],
                                  *y = &rows->statements[b];
  return x->sort == y->sort && x->condition == y->condition &&
         x->table == y->table &&
         (x->condition == NO_CONDITION ||
          !rows->templates[x->condition].predicate.nparameters ||
          rows->parameters[x->parameters] == rows->parameters[y->parameters]);
}

// An INSERT of a key that is taken is in no history.
static bool has_statement(const struct history *h, uint32_t t) {
  return h->rows->txn_statement[t] < h->rows->txn_statement[t + 1];
}

// A transaction that was aborted is tried again with the same first statement.
static void a_retry_repeats_the_program(void) {
  struct ran ran = run_predicate("memory:?abort=0.3", 1, 50, 5);
  const struct history *h = &ran.history;
  uint32_t retries = 0;
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = h->session_first[s]; t + 1 < h->session_first[s + 1]; t++)
      if (h->outcome[t] == OUTCOME_ABORTED && has_statement(h, t) &&
          has_statement(h, t + 1)) {
        CHECK(is_same_statement(h->rows, h->rows->txn_statement[t],
                                h->rows->txn_statement[t + 1]));
        retries++;
      }
  CHECK(retries > 50);
  CHECK(ran.figures.retries > 50);
  ran_free(&ran);
}

// Does the first statement return all rows that the second one read?
static bool holds_what_was_read(const struct history *h, uint32_t first,
                                uint32_t second) {
  const struct recorded_statement *all = &h->rows->statements[first],
                                  *one = &h->rows->statements[second];
  for (uint32_t op = one->first; op < one->end; op++) {
    uint32_t at = all->first;
    while (at < all->end &&
           (h->key[at] != h->key[op] || h->saw[at] != h->saw[op]))
      at++;
    if (op_reads(h->kind[op]) && at == all->end)
      return false;
  }
  return true;
}

static void what_a_statement_found_is_in_front_of_it(void) {
  struct ran ran = run_predicate("memory:?full=1", 1, 2, 5);
  const struct history *h = &ran.history;
  uint32_t nlooks = 0, nrest = 0;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const uint32_t end = h->rows->txn_statement[t + 1];
    for (uint32_t s = h->rows->txn_statement[t]; s < end; s++) {
      const struct recorded_statement *one = &h->rows->statements[s];
      if (one->sort == STATEMENT_INSERT || one->sort == STATEMENT_INSERT_NEW)
        continue;
      CHECK_INT(h->rows->statements[s].condition, h->rows->statements[s].table);
      s++;
      if (!CHECK(s < end))
        continue;
      CHECK_INT(h->rows->statements[s].table, one->table);
      CHECK(holds_what_was_read(h, s - 1, s));
      nlooks++;
      nrest += h->rows->statements[s].end - h->rows->statements[s].first <
               one->end - one->first;
    }
  }
  CHECK(nlooks > 100 && nrest > 100);
  ran_free(&ran);
}

static void a_bug_is_in_the_history(void) {
  struct ran ran = run_predicate("memory:?bug=ExtraRow:0.2", 1, 1, 6);
  const struct history *h = &ran.history;
  uint32_t wrong = 0;
  for (uint32_t s = 0; s < h->rows->nstatements; s++)
    for (uint32_t op = h->rows->statements[s].first;
         op < h->rows->statements[s].end; op++)
      if (h->kind[op] == OP_ROW)
        wrong += !rows_satisfies(h, s, h->key[op], image_of(h, op));
  CHECK(wrong > 10);
  ran_free(&ran);
}

static void drivers_without_statements_are_refused(void) {
  struct error error = {0};
  const struct workload *predicate = workload_find("predicate", &error);
  struct driver driver = {.name = "redis"};
  CHECK_INT(run_check(&driver, predicate, &error), -1);
  CHECK_STR(error.text, "the redis driver cannot execute SQL with predicates, "
                        "which the workload predicate needs");
}

int main(void) {
  return RECORDING_TESTS(
      {"a run is recorded row by row", a_run_is_recorded_row_by_row},
      {"the seed decides everything", the_seed_decides_everything},
      {"a retry repeats the program", a_retry_repeats_the_program},
      {"what a statement found is in front of it",
       what_a_statement_found_is_in_front_of_it},
      {"a bug is in the history", a_bug_is_in_the_history},
      {"drivers without statements are refused",
       drivers_without_statements_are_refused});
}
