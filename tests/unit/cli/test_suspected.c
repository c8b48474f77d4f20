// SPDX-License-Identifier: GPL-3.0-or-later
// The part that is left for a longer look breaks the level, as the whole does.
#include "config.h"

#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "cli/jobs/suspected.h"
#include "recorder/builder/builder.h"
#include "recorder/files/reader.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

static void add(struct builder *b, uint64_t session, enum outcome outcome,
                unsigned kind, uint64_t key) {
  builder_txn(b, session, outcome, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  builder_op(b, kind, key, key + 10);
}

// An aborted read, and a transaction that has no part in it.
static void make(struct history *h) {
  struct builder *b = builder_open();
  struct error error;
  add(b, 0, OUTCOME_ABORTED, OP_WRITE, 1);
  add(b, 0, OUTCOME_OK, OP_WRITE, 2);
  add(b, 1, OUTCOME_OK, OP_READ, 1);
  CHECK_INT(builder_finish(b, h, &error), 0);
}

static void check_part(const char *path) {
  const struct check_options options = {.question = {.level = ISOLATION_RC}};
  struct history part;
  struct verdict verdict;
  struct error error;
  if (!CHECK(history_read(path, NULL, &part, &error) == 0))
    return;
  CHECK_INT(part.ntxns, 2);
  CHECK_INT(check(&part, &options, &verdict, &error), 0);
  CHECK_INT(verdict.anomaly, ANOMALY_ABORTED_READ);
  verdict_free(&verdict);
  history_free(&part);
}

static void it_is_written_and_goes(void) {
  char directory[] = "/tmp/isostress-test.XXXXXX";
  struct history h;
  struct error error;
  uint32_t ops[] = {0, 2};
  struct verdict verdict = {.kind = VERDICT_UNDECIDED,
                            .anomaly = ANOMALY_ABORTED_READ,
                            .npart = 2,
                            .part = ops};
  const struct report report = {.history = &h, .verdict = &verdict};
  if (!mkdtemp(directory))
    abort();
  char *path = xasprintf("%s/suspected", directory);
  make(&h);
  CHECK_INT(suspected_write(directory, &report, &error), 0);
  check_part(path);
  verdict.kind = VERDICT_VIOLATION;
  CHECK_INT(suspected_write(directory, &report, &error), 0);
  CHECK(access(path, F_OK) != 0);
  CHECK_INT(rmdir(directory), 0);
  free(path);
  history_free(&h);
}

int main(void) {
  return TAP_RUN({"a suspected part is written, and an old one goes",
                  it_is_written_and_goes});
}
