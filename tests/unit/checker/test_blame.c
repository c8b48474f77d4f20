// SPDX-License-Identifier: GPL-3.0-or-later
// A violation that was found when the time was over.
#include "config.h"

#include "checker/explain/counterexample.h"
#include "checker/model/model.h"
#include "recorder/builder/builder.h"
#include "tests/tap.h"

static void add_txn(struct builder *b, uint64_t session, enum outcome outcome) {
  builder_txn(b, session, outcome, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
}

static void it_names_the_suspects(void) {
  const bool stop = true;
  struct builder *b = builder_open();
  struct check_options options = {.question = {.level = ISOLATION_RA}};
  const struct wrong_read wrong_read = {
      .anomaly = ANOMALY_ABORTED_READ, .op = 1, .other_op = 0};
  struct verdict v = {.op = UINT32_MAX, .other_op = UINT32_MAX};
  struct history h;
  struct model m;
  struct error error;
  add_txn(b, 0, OUTCOME_OK);
  add_txn(b, 0, OUTCOME_ABORTED);
  builder_op(b, OP_WRITE, 1, 11);
  add_txn(b, 1, OUTCOME_OK);
  builder_op(b, OP_READ, 1, 11);
  CHECK_INT(builder_finish(b, &h, &error), 0);
  CHECK_INT(model_understand(&m, &h, &options, &error), 0);
  options.stop = &stop;
  CHECK_INT(counterexample_of_read(&m, &options, &wrong_read, &v, &error), 0);
  CHECK_INT(v.kind, VERDICT_UNDECIDED);
  CHECK_INT(v.anomaly, ANOMALY_ABORTED_READ);
  CHECK_STR(v.why, "stopped when AbortedRead had been found, but before it was "
                   "proved, among transactions 0:1, 1:0: a larger --timeout "
                   "tells");
  CHECK_INT(v.npart, 2);
  verdict_free(&v);
  model_free(&m);
  history_free(&h);
}

int main(void) {
  return TAP_RUN(
      {"a check that stops names the suspects", it_names_the_suspects});
}
