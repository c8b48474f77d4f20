// SPDX-License-Identifier: GPL-3.0-or-later
// For tests that record to a file and read it back: the file, which is there
// while the tests run.
#ifndef TESTS_KIT_RECORDING_H
#define TESTS_KIT_RECORDING_H

#include "tests/kit/made_history.h"

#include <unistd.h>

static char recording_directory[] = "/tmp/isostress-test-recording.XXXXXX";
static char recording_path[sizeof recording_directory + 8];

static inline struct recording *open_recording(uint32_t nsessions,
                                               bool op_times, uint64_t start) {
  struct recording *r = NULL;
  struct error error = {0};
  unlink(recording_path);
  CHECK_INT(recording_open(recording_path, nsessions, op_times, start,
                           "a = 1\nb = 2\n", NULL, &r, &error),
            0);
  CHECK_STR(error.text, "");
  return r;
}

static inline void close_recording(struct recording *r) {
  struct error error = {0};
  CHECK_INT(recording_close(r, &error), 0);
  CHECK_STR(error.text, "");
}

static inline struct history read_back(void) {
  struct history h;
  struct error error;
  CHECK_INT(history_read(recording_path, NULL, &h, &error), 0);
  CHECK_STR(error.text, "");
  CHECK(h.complete && h.lost_txns == 0);
  CHECK_STR(h.about, "a = 1\nb = 2\n");
  return h;
}

static inline struct history finish(struct builder *b) {
  struct history h;
  struct error error = {0};
  CHECK_INT(builder_finish(b, &h, &error), 0);
  CHECK_STR(error.text, "");
  return h;
}

static inline int recording_tests(const struct tap_test *tests, int count) {
  if (!mkdtemp(recording_directory))
    return 1;
  snprintf(recording_path, sizeof recording_path, "%s/history",
           recording_directory);
  int status = tap_run(tests, count);
  unlink(recording_path);
  rmdir(recording_directory);
  return status;
}

#define RECORDING_TESTS(...)                                                   \
  recording_tests((const struct tap_test[]){__VA_ARGS__},                      \
                  (int)(sizeof((const struct tap_test[]){__VA_ARGS__}) /       \
                        sizeof(struct tap_test)))

#endif
