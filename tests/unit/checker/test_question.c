// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a question's terms: options, titles, and report.json.
#include "config.h"

#include "checker/verdict/question.h"
#include "report/question_members.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static struct question asks_all(enum isolation level) {
  struct question question = question_usual();
  question.level = level;
  for (int i = 0; i < QUESTION_TERMS; i++)
    question_set(&question, &question_terms[i], !question_terms[i].usual);
  return question;
}

static void the_usual_question_asks_for_nothing(void) {
  const struct question question = question_usual();
  CHECK(question.session_order);
  for (int i = 0; i < QUESTION_TERMS; i++)
    CHECK(!question_asks(&question, &question_terms[i]));
}

static void options_ask_for_each_term(void) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  const struct question question = asks_all(ISOLATION_SI);
  question_put_options(out, &question);
  fclose(out);
  CHECK_STR(text, " --no-session-order --real-time --rc=mixed --items-only "
                  "--reads=plain");
  free(text);
}

static void expect_title(struct question question, const char *title) {
  char got[192];
  question_in_words(&question, got, sizeof got);
  CHECK_STR(got, title);
}

static void titles_name_what_matters(void) {
  struct question question = question_usual();
  question.level = ISOLATION_SI;
  expect_title(question, "snapshot isolation");
  expect_title(asks_all(ISOLATION_SI),
               "snapshot isolation by returned rows alone by plain SELECTs "
               "alone in real time without session order");
  expect_title(asks_all(ISOLATION_RC),
               "read committed where reads see their session by returned rows "
               "alone by plain SELECTs alone in real time (which permits stale "
               "reads) without session order");
  expect_title(asks_all(ISOLATION_SSER),
               "strict serializability by returned rows alone by plain SELECTs "
               "alone without session order");
  question.recorded = true;
  expect_title(question, "the level of each transaction");
  CHECK_STR(question_level_word(&question), "recorded");
}

static void rows_can_be_forgotten(void) {
  struct question question = asks_all(ISOLATION_SER);
  question_forget_rows(&question);
  CHECK(!question.session_order && question.real_time);
  CHECK(!question.rc_sees_session && !question.by_items &&
        !question.plain_reads);
}

// The terms are read as they were written, whichever terms are asked for.
static void members_say_each_term(void) {
  for (unsigned asked = 0; asked < 1u << QUESTION_TERMS; asked++) {
    struct question question = question_usual();
    for (int i = 0; i < QUESTION_TERMS; i++)
      if (asked >> i & 1)
        question_set(&question, &question_terms[i], !question_terms[i].usual);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    struct json json;
    json_begin(&json, out);
    json_put_object(&json, NULL);
    question_put_members(&json, &question);
    json_close(&json, '}');
    json_end(&json);
    fclose(out);
    struct arena arena = {0};
    struct error error = {0};
    const struct question got =
        question_of_members(json_read(&arena, text, strlen(text), &error));
    CHECK_STR(error.text, "");
    for (int i = 0; i < QUESTION_TERMS; i++)
      CHECK_INT(question_value(&got, &question_terms[i]),
                question_value(&question, &question_terms[i]));
    arena_free(&arena);
    free(text);
  }
}

// In a witness no two terms share a bit, nor one with `recorded` (1) or with
// values that were written twice (8), which stand in the byte before.
static void each_term_has_its_bit(void) {
  unsigned taken[2] = {1 | 8, 0};
  for (int i = 0; i < QUESTION_TERMS; i++) {
    const struct question_term *term = &question_terms[i];
    CHECK(term->bit && !(term->bit & (term->bit - 1)));
    CHECK(!(taken[term->of_rows] & term->bit));
    taken[term->of_rows] |= term->bit;
  }
}

int main(void) {
  return TAP_RUN(
      {"the usual question asks for nothing",
       the_usual_question_asks_for_nothing},
      {"the options ask for each term", options_ask_for_each_term},
      {"titles name what matters", titles_name_what_matters},
      {"the terms of rows can be forgotten", rows_can_be_forgotten},
      {"report.json says each term", members_say_each_term},
      {"each term has a bit of its own in a witness", each_term_has_its_bit});
}
