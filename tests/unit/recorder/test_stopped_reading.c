// SPDX-License-Identifier: GPL-3.0-or-later
// Reading that is told to stop when it asks for the k-th time, for every k: the
// reader refuses, in every format, and asks often enough.
#include "config.h"

#include "tests/kit/stop.h"
#include "tests/unit/recorder/converted.h"

enum { TXNS = 20000, SESSIONS = 4, OPS_A_QUESTION = 1 << 12 };

// One register, which every format can say, and an operation a transaction,
// which the logs of calls demand.
static struct history made_long(void) {
  struct builder *b = builder_open();
  struct history h;
  struct error error;
  for (uint64_t t = 0; t < TXNS; t++) {
    builder_txn(b, t % SESSIONS, OUTCOME_OK, ISOLATION_NONE, 10 * t + 1,
                10 * t + 9);
    if (t % 2)
      builder_op(b, OP_READ, 0, t);
    else
      builder_op(b, OP_WRITE, 0, t + 1);
  }
  CHECK_INT(builder_finish(b, &h, &error), 0);
  return h;
}

static int read_it(const char *path, const struct history_format *format,
                   struct history *h, struct error *error) {
  const struct read_options options = {.format = format->name,
                                       .stop = &stop_flag};
  return history_read_with(path, &options, h, error);
}

static void stop_at_each_question(const char *path,
                                  const struct history_format *format) {
  struct history h;
  struct error error;
  uint64_t refused = 0;
  answer_yes_from(UINT64_MAX);
  if (!CHECK(read_it(path, format, &h, &error) == 0))
    printf("# %s: %s\n", format->name, error.text);
  history_free(&h);
  const uint64_t questions = asked;
  if (!CHECK(questions >= TXNS / OPS_A_QUESTION))
    printf("# %s asks %d times\n", format->name, (int)questions);
  for (uint64_t k = 1; k <= questions; k++) {
    answer_yes_from(k);
    refused += read_it(path, format, &h, &error) == -1;
  }
  if (!CHECK(refused == questions))
    printf("# %s\n", format->name);
}

static void every_format_stops(void) {
  char directory[] = "/tmp/isostress-stopped.XXXXXX";
  struct history h = made_long();
  struct error error;
  CHECK(mkdtemp(directory) != NULL);
  for (int f = 0; history_formats[f]; f++) {
    const struct history_format *format = history_formats[f];
    char *path = xasprintf("%s/%s", directory, format->name);
    if (format->write &&
        CHECK(history_write(path, format, &h, NULL, &error) == 0)) {
      stop_at_each_question(path, format);
      remove_history(path);
    }
    free(path);
  }
  CHECK_INT(rmdir(directory), 0);
  history_free(&h);
}

int main(void) { return TAP_RUN({"every format stops", every_format_stops}); }
