// SPDX-License-Identifier: GPL-3.0-or-later
// Counterexamples of histories in text, for tests.
#ifndef TESTS_UNIT_REPORT_MAKE_EXAMPLE_H
#define TESTS_UNIT_REPORT_MAKE_EXAMPLE_H

#include "report/tale/example.h"
#include "tests/kit/told.h"
#include "tests/tap.h"

#include <stdlib.h>

static const char lost[] = "[a==? a:=1]@10..40\n---\n[a==? a:=2]@20..30\n";

// The example of the violation of a history.
static inline void make_example(struct example *e, const char *text,
                                enum isolation level, bool raw) {
  struct told told = told_of(text, level);
  if (!CHECK(told.verdict.kind == VERDICT_VIOLATION))
    exit(EXIT_FAILURE);
  example_of_verdict(e, &told.history, &told.verdict, raw);
  told_free(&told); // the example keeps nothing of it
}

// An example of one transaction, for whoever fills in the rest.
struct small {
  struct example e;
  struct example_txn txn;
  struct example_op ops[2];
};

static inline void small_begin(struct small *s, const char *outcome) {
  *s = (struct small){.txn = {.name = "T1",
                              .id = "3:4",
                              .session = 3,
                              .number = 4,
                              .outcome = outcome,
                              .begin = 1000,
                              .end = 5000,
                              .end_op = 2},
                      .ops = {{.kind = "read",
                               .key = "a",
                               .label = "read x0",
                               .sentence = "read x0",
                               .raw = "read key a = 0",
                               .begin = TIME_UNKNOWN,
                               .end = TIME_UNKNOWN},
                              {.position = 1,
                               .kind = "write",
                               .key = "a",
                               .label = "write x1",
                               .sentence = "wrote x1",
                               .raw = "wrote key a = 1",
                               .begin = TIME_UNKNOWN,
                               .end = TIME_UNKNOWN}}};
  s->e = (struct example){.anomaly = "LostUpdate",
                          .also = "P4",
                          .meaning = "It is lost.",
                          .contradiction = "So it is.",
                          .txns = &s->txn,
                          .ntxns = 1,
                          .ops = s->ops,
                          .nops = 2,
                          .read = EXAMPLE_NONE,
                          .other = EXAMPLE_NONE,
                          .timed = true};
}

static inline void expect_line(const struct example *e, uint32_t i,
                               uint64_t time, const char *wanted) {
  if (!CHECK(i < e->nstory))
    return;
  CHECK_INT(e->story[i].time, time);
  CHECK_STR(e->story[i].sentence, wanted);
}

#endif
