// SPDX-License-Identifier: GPL-3.0-or-later
// The tests, and their logs held against models (models/tests.h).
#include "config.h"

#include "models/tests.h"

#include "models/row_logs.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_ELEMENTS = 40 }; // of a collection

extern const struct log_model model_bank, model_comments, model_counter,
    model_dirty_reads, model_long_fork, model_monotonic, model_sequential,
    model_set, model_set_full;

static const struct row_test tests[] = {
    {"bank", "transfer", &model_bank, NULL, PART_NONE, NULL, VALUE_BALANCES},
    {"comments", "write", &model_comments, NULL, PART_BATCH, "batch",
     VALUE_KEYS},
    {"counter", "add", &model_counter, NULL, PART_KEY, "counter", VALUE_NUMBER},
    {"dirty-reads", "write", &model_dirty_reads, NULL, PART_NONE, NULL,
     VALUE_NUMBERS},
    {"long-fork", "write", &model_long_fork, NULL, PART_BATCH, "batch",
     VALUE_LOOKS},
    {"monotonic", "add", &model_monotonic, NULL, PART_KEY, "number",
     VALUE_NUMBER},
    {"sequential", "write", &model_sequential, NULL, PART_BATCH, "batch",
     VALUE_PARTS},
    {"set", "add", &model_set_full, &model_set, PART_BATCH, "batch",
     VALUE_KEYS},
};

struct test_checking {
  struct row_logs logs;
  const struct log_model *model;
  const int64_t *options;
};

static const struct row_test *find_test(const char *workload) {
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    if (!strcmp(tests[i].workload, workload))
      return &tests[i];
  return NULL;
}

static const char *function_of_test(const struct row_logs *m,
                                    const struct log_op *op) {
  return log_op_is(&m->log, op, "read") ? "read" : m->test->writes;
}

static void take_shown(const struct row_logs *m, const struct model_answer *is,
                       struct test_answer *answer) {
  for (uint32_t i = 0; i < is->nshown; i++) {
    const struct log_op *op = &m->log.ops[is->shown[i]];
    const uint32_t t = m->txn_of[is->shown[i]];
    const bool at_first = t == AT_FIRST;
    const uint32_t session = at_first ? 0 : history_session(m->history, t);
    answer->shown[i] = (struct test_op){
        .at_first = at_first,
        .session = session,
        .number = at_first ? 0 : t - m->history->session_first[session],
        .begun = at_first ? 0 : history_began(m->history, t),
        .function = function_of_test(m, op),
        .value = model_text(&m->log, log_op_value(op), SHOWN_ELEMENTS),
        .outcome = op->outcome};
  }
}

static void add_answer(const struct row_logs *m, struct model_answer *is,
                       uint32_t part, struct test_answer *answer) {
  answer->operations += m->log.nops;
  if (!model_add_answer(&answer->is, is))
    return;
  answer->number = (int64_t)m->parts.numbers[part];
  take_shown(m, is, answer);
}

static int check_part_of_test(struct test_checking *c,
                              const struct sighting *first,
                              const struct sighting *end,
                              struct test_answer *answer, struct error *error) {
  struct row_logs *m = &c->logs;
  struct model_answer is = {.kind = VERDICT_PASS};
  row_logs_make(m, first, end);
  const int status = c->model->check(&m->log, c->options, &is, error);
  if (status == 0)
    add_answer(m, &is, first->part, answer);
  model_answer_free(&is);
  log_free(&m->log);
  return status;
}

static int check_parts(struct test_checking *c, struct test_answer *answer,
                       struct error *error) {
  const struct row_logs *m = &c->logs;
  const struct sighting *s = m->sightings, *end = s + m->count;
  while (m->count && s < end) {
    const struct sighting *next = s;
    while (next < end && next->part == s->part)
      next++;
    if (check_part_of_test(c, s, next, answer, error))
      return -1;
    s = next;
  }
  return 0;
}

const struct log_model *test_model(const char *workload) {
  const struct row_test *test = find_test(workload);
  return test ? test->model : NULL;
}

// The workload of the run, by the run's record of itself; NULL: it has none.
// The caller frees it.
static char *workload_of(const struct history *history) {
  static const char name[] = "\nworkload = ";
  const char *line = history->about ? strstr(history->about, name) : NULL;
  if (!line)
    return NULL;
  line += sizeof name - 1;
  return xasprintf("%.*s", (int)strcspn(line, "\n"), line);
}

// The test that has the workload and the model; NULL with a sentence.
static const struct row_test *test_with(const char *workload,
                                        const struct log_model *model,
                                        struct error *error) {
  if (!workload) {
    error_set(error, "it does not say which workload it is a run of");
    return NULL;
  }
  const struct row_test *test = find_test(workload);
  if (test && (test->model == model || test->also == model))
    return test;
  if (test)
    error_set(error,
              "it is a run of the workload %s, which promises the model %s, "
              "not %s",
              workload, test->model->name, model->name);
  else
    error_set(error,
              "it is a run of the workload %s, which is no test of a model",
              workload);
  return NULL;
}

static int check_test(struct test_checking *c, struct test_answer *answer,
                      struct error *error) {
  struct row_logs *m = &c->logs;
  *answer = (struct test_answer){
      .model = c->model,
      .part = m->test->called,
      .is = {.kind = VERDICT_UNDECIDED,
             .sentence = xstrdup("No transaction read anything.")}};
  if (!m->history->rows)
    return error_set(
        error, "the history has no rows, as those of the workload %s have",
        m->test->workload);
  row_logs_see(m);
  const int status = check_parts(c, answer, error);
  row_logs_free(m);
  return status;
}

int test_check(const char *workload, const struct history *history,
               struct test_answer *answer, struct error *error) {
  int64_t options[LOG_MODEL_OPTIONS];
  struct test_checking c = {
      .logs = {.test = find_test(workload), .history = history},
      .options = options};
  assert(c.logs.test);
  c.model = c.logs.test->model;
  for (int i = 0; i < LOG_MODEL_OPTIONS; i++)
    options[i] = OPTION_NOT_GIVEN;
  return check_test(&c, answer, error);
}

int test_check_model(const struct log_model *model, const int64_t *options,
                     const struct history *history, struct test_answer *answer,
                     struct error *error) {
  char *workload = workload_of(history);
  struct test_checking c = {
      .logs = {.test = test_with(workload, model, error), .history = history},
      .model = model,
      .options = options};
  free(workload);
  *answer = (struct test_answer){.model = model};
  if (!c.logs.test)
    return -1;
  if (history->complete)
    return check_test(&c, answer, error);
  model_leave_open(&answer->is, "The end of the history was lost, and with it "
                                "writes that reads may have seen.");
  return 0;
}

void test_answer_free(struct test_answer *answer) {
  model_answer_free(&answer->is);
  for (uint32_t i = 0; i < MODEL_SHOWN; i++)
    free(answer->shown[i].value);
}
