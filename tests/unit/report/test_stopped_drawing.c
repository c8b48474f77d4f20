// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing that is told to stop when it asks for the k-th time: a Graphviz that
// would never come to its end is ended, and the graph is left out.
#include "config.h"

#include "base/memory.h"
#include "recorder/build/builder.h"
#include "report/pictures.h"
#include "report/stored.h"
#include "tests/stop_kit.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { QUESTIONS = 5 };

static void put_file(const char *directory, const char *name,
                     const char *text) {
  char *path = xasprintf("%s/%s", directory, name);
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
  CHECK_INT(chmod(path, 0700), 0);
  free(path);
}

static bool remove_file(const char *directory, const char *name) {
  char *path = xasprintf("%s/%s", directory, name);
  const bool removed = unlink(path) == 0;
  free(path);
  return removed;
}

// Each of a ring of transactions misses what the next one writes.
static void make_ring(uint32_t ntxns, struct history *history,
                      struct example *example) {
  struct builder *b = builder_open();
  struct verdict verdict;
  struct error error;
  for (uint64_t t = 0; t < ntxns; t++) {
    builder_txn(b, t, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN, TIME_UNKNOWN);
    builder_op(b, OP_READ, t, VALUE_INITIAL);
    builder_op(b, OP_WRITE, (t + 1) % ntxns, 1 + t);
  }
  CHECK_INT(builder_finish(b, history, &error), 0);
  const struct check_options options = {.level = ISOLATION_SER};
  CHECK_INT(check(history, &options, &verdict, &error), 0);
  example_of_verdict(example, history, &verdict);
  verdict_free(&verdict);
}

// A lost update.
static void make_example(struct history *history, struct example *example) {
  struct builder *b = builder_open();
  struct verdict verdict;
  struct error error;
  for (uint64_t session = 0; session < 2; session++) {
    builder_txn(b, session, OUTCOME_OK, ISOLATION_SER, 10 + session,
                20 + session);
    builder_op(b, OP_READ, 0, VALUE_INITIAL);
    builder_op(b, OP_WRITE, 0, 7 + session);
  }
  CHECK_INT(builder_finish(b, history, &error), 0);
  const struct check_options options = {.level = ISOLATION_SI,
                                        .session_order = true};
  CHECK_INT(check(history, &options, &verdict, &error), 0);
  example_of_verdict(example, history, &verdict, false);
  verdict_free(&verdict);
}

static void graphviz_is_ended(void) {
  char directory[] = "/tmp/isostress-drawing.XXXXXX";
  struct history history;
  struct example example;
  struct error error;
  make_example(&history, &example);
  CHECK(mkdtemp(directory) != NULL);
  put_file(directory, "dot", "#!/bin/sh\nexec sleep 1000\n");
  char *path = xasprintf("%s:%s", directory, getenv("PATH"));
  setenv("PATH", path, 1);
  for (uint64_t k = 1; k <= QUESTIONS; k++) {
    enum undrawn undrawn = UNDRAWN_NONE;
    answer_yes_from(k);
    CHECK_INT(
        pictures_write(directory, 1, &example, &stop_flag, &undrawn, &error),
        0);
    CHECK_INT(undrawn, UNDRAWN_STOPPED);
    CHECK(!remove_file(directory, "counterexample-1.svg"));
    CHECK(remove_file(directory, "counterexample-1.dot"));
    CHECK(remove_file(directory, "counterexample-1-timeline.svg"));
  }
  CHECK(remove_file(directory, "dot"));
  CHECK_INT(rmdir(directory), 0);
  free(path);
  example_free(&example);
  history_free(&history);
}

// Pictures of an earlier report go.
static void large_examples_are_not_drawn(void) {
  char directory[] = "/tmp/isostress-drawing.XXXXXX";
  struct history history;
  struct example example;
  struct error error;
  enum undrawn undrawn = UNDRAWN_NONE;
  make_ring(PICTURE_MOST_TXNS + 1, &history, &example);
  CHECK_INT(example.ntxns, PICTURE_MOST_TXNS + 1);
  CHECK_INT(example.nedges, PICTURE_MOST_TXNS + 1);
  CHECK(mkdtemp(directory) != NULL);
  put_file(directory, "counterexample-1.svg", "");
  put_file(directory, "counterexample-1-timeline.svg", "");
  CHECK_INT(pictures_write(directory, 1, &example, NULL, &undrawn, &error), 0);
  CHECK_INT(undrawn, UNDRAWN_NONE);
  CHECK(remove_file(directory, "counterexample-1.dot"));
  CHECK_INT(rmdir(directory), 0);
  example_free(&example);
  history_free(&history);
}

int main(void) {
  return TAP_RUN(
      {"Graphviz is ended", graphviz_is_ended},
      {"large examples are not drawn", large_examples_are_not_drawn});
}
