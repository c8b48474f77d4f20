// SPDX-License-Identifier: GPL-3.0-or-later
// A wrong row of the engine's level rules cannot prove its own verdicts: the
// verifiers state each level on their own, and so does the referee.
#include "config.h"

#include "checker/verdict/level_rules.h"
#include "checker/verify/levels.h"
#include "checker/verify/referee.h"
#include "tests/kit/tiny.h"
#include "tests/tap.h"

#include <string.h>

// Each history breaks this level and keeps the level below.
static const struct example {
  enum isolation weakest;
  const char *text;
} examples[] = {
    {ISOLATION_RA, "[x==? y==? x:=1 y:=2] / [y==? x==1]"},
    {ISOLATION_CC, "[x==? x:=1] / [x==1 y==? y:=2] / [y==2 x==?]"},
    {ISOLATION_PC, "[x==? x:=1] / [y==? y:=2] / [x==1 y==?] / [x==? y==2]"},
    {ISOLATION_SI, "[x==? x:=1] / [x==? x:=2]"},
    {ISOLATION_SER, "[x==? y==? x:=1] / [x==? y==? y:=2]"},
    {ISOLATION_SSER, "[x==? x:=1] @1..2 / [x==?] @3..4"},
};

static void check_each(void (*check_example)(const struct example *example)) {
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
    check_example(&examples[i]);
}

// The verdict of the engine; -1: its verifier refused the verdict.
static int verdict_of(const struct example *example, enum isolation level) {
  struct tiny tiny;
  struct tiny_history room;
  struct verdict verdict;
  struct error error;
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  tiny_parse(example->text, &tiny);
  const int result =
      check(tiny_history(&tiny, &room), &options, &verdict, &error);
  const int kind = result ? -1 : (int)verdict.kind;
  if (result)
    printf("# %s by another row: %s\n", isolation_name(level), error.text);
  verdict_free(&verdict);
  return kind;
}

// As verdict_of, where the row of `wrong` is that of `level`.
static int verdict_by(const struct example *example, enum isolation level,
                      enum isolation wrong) {
  const struct level_rules *const right = level_rules_in_use;
  struct level_rules rows[ISOLATION_COUNT];
  memcpy(rows, right, sizeof rows);
  rows[level] = right[wrong];
  level_rules_in_use = rows;
  const int kind = verdict_of(example, level);
  level_rules_in_use = right;
  return kind;
}

static void check_right(const struct example *example) {
  const enum isolation level = example->weakest;
  CHECK_INT(verdict_of(example, level), VERDICT_VIOLATION);
  CHECK_INT(verdict_of(example, level - 1), VERDICT_PASS);
}

static void right_rows_decide_the_examples(void) { check_each(check_right); }

static void check_weak(const struct example *example) {
  CHECK_INT(verdict_by(example, example->weakest, example->weakest - 1), -1);
}

static void a_row_that_is_too_weak_proves_no_pass(void) {
  check_each(check_weak);
}

static void check_strong(const struct example *example) {
  CHECK_INT(verdict_by(example, example->weakest - 1, example->weakest), -1);
}

static void a_row_that_is_too_strong_proves_no_violation(void) {
  check_each(check_strong);
}

static void check_referee(const struct example *example) {
  const struct level_rules none[ISOLATION_COUNT] = {0}, *right;
  struct tiny tiny;
  struct tiny_history room;
  tiny_parse(example->text, &tiny);
  tiny_history(&tiny, &room);
  right = level_rules_in_use;
  level_rules_in_use = none;
  for (int above = 0; above < 2; above++) {
    const struct referee_options options = {
        .level = example->weakest - 1 + (unsigned)above, .session_order = true};
    CHECK_INT(referee_decide(&room.history, &options, NULL, NULL),
              above ? REFEREE_BROKEN : REFEREE_KEPT);
  }
  level_rules_in_use = right;
}

static void the_referee_does_not_read_the_rows(void) {
  check_each(check_referee);
}

static void both_state_what_forbids_an_anomaly(void) {
  for (enum anomaly a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
    CHECK_STR(isolation_name(weakest_forbidding(a)),
              isolation_name(anomaly_weakest(a)));
}

// Where SI's row is that of PC, no rule of SI forbids a lost update.
static void a_wrong_row_forbids_other_anomalies(void) {
  const struct level_rules *const right = level_rules_in_use;
  struct level_rules rows[ISOLATION_COUNT];
  memcpy(rows, right, sizeof rows);
  rows[ISOLATION_SI] = right[ISOLATION_PC];
  level_rules_in_use = rows;
  CHECK_INT(anomaly_weakest(ANOMALY_LOST_UPDATE), ISOLATION_SER);
  CHECK_INT(weakest_forbidding(ANOMALY_LOST_UPDATE), ISOLATION_SI);
  level_rules_in_use = right;
}

int main(void) {
  return TAP_RUN(
      {"right rows decide the examples", right_rows_decide_the_examples},
      {"a row that is too weak proves no pass",
       a_row_that_is_too_weak_proves_no_pass},
      {"a row that is too strong proves no violation",
       a_row_that_is_too_strong_proves_no_violation},
      {"the referee does not read the rows",
       the_referee_does_not_read_the_rows},
      {"engine and verifiers name the same weakest level of each anomaly",
       both_state_what_forbids_an_anomaly},
      {"the verifiers' statement of anomalies does not read the rows",
       a_wrong_row_forbids_other_anomalies});
}
