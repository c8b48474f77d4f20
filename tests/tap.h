// SPDX-License-Identifier: GPL-3.0-or-later
// Unit tests in the Test Anything Protocol.  A test is a function in a table:
//
//   static void adds(void) { CHECK(1 + 1 == 2); CHECK_INT(1 + 1, 2); }
//   int main(void) { return TAP_RUN({"adds", adds}); }
//
// A test fails when one of its checks did; the others are still made.
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tap_test {
  const char *name;
  void (*run)(void);
};

static int tap_failures;
static const char *tap_skip_reason;

static inline bool tap_check(bool ok, const char *file, int line,
                             const char *text) {
  if (!ok) {
    printf("# %s:%d: not so: %s\n", file, line, text);
    tap_failures++;
  }
  return ok;
}

#define CHECK(claim) tap_check((claim), __FILE__, __LINE__, #claim)

#define CHECK_INT(got, wanted)                                                 \
  do {                                                                         \
    long long got_ = (long long)(got), wanted_ = (long long)(wanted);          \
    if (!tap_check(got_ == wanted_, __FILE__, __LINE__, #got " == " #wanted))  \
      printf("#   got %lld, wanted %lld\n", got_, wanted_);                    \
  } while (0)

#define CHECK_STR(got, wanted)                                                 \
  do {                                                                         \
    const char *got_ = (got), *wanted_ = (wanted);                             \
    if (!tap_check(strcmp(got_, wanted_) == 0, __FILE__, __LINE__,             \
                   #got " is " #wanted))                                       \
      printf("#   got \"%s\", wanted \"%s\"\n", got_, wanted_);                \
  } while (0)

// Inside a test: this test cannot run here.  Return afterwards.
static inline void tap_skip(const char *reason) { tap_skip_reason = reason; }

// Under a sanitizer, which sees the same code run whatever the input, each one
// takes about ten times as long.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { TAP_SHARE = 8 };
#else
enum { TAP_SHARE = 1 };
#endif

// How many random inputs to take of n: so many times as many if ISOSTRESS_LONG
// is set, and the share that a sanitizer gets otherwise.
static inline unsigned tap_inputs(unsigned n, unsigned times) {
  return getenv("ISOSTRESS_LONG") ? times * n : n / TAP_SHARE;
}

static inline int tap_run(const struct tap_test *tests, int count) {
  int failed = 0;
  printf("1..%d\n", count);
  for (int i = 0; i < count; i++) {
    tap_failures = 0;
    tap_skip_reason = NULL;
    tests[i].run();
    if (tap_skip_reason && !tap_failures)
      printf("ok %d - %s # SKIP %s\n", i + 1, tests[i].name, tap_skip_reason);
    else
      printf("%sok %d - %s\n", tap_failures ? "not " : "", i + 1,
             tests[i].name);
    fflush(stdout);
    failed += tap_failures != 0;
  }
  return failed != 0;
}

#define TAP_RUN(...)                                                           \
  tap_run((const struct tap_test[]){__VA_ARGS__},                              \
          (int)(sizeof((const struct tap_test[]){__VA_ARGS__}) /               \
                sizeof(struct tap_test)))

#endif
