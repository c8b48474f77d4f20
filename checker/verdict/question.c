// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a question's terms, and what follows from it alone
// (checker/verdict/question.h).
#include "config.h"

#include "checker/verdict/question.h"

#include <assert.h>
#include <string.h>

// At read committed real time only orders the commits: its axiom lets a read
// miss what had been committed before.
static const char *words_of_real_time(const struct question *question) {
  if (question->level == ISOLATION_SSER)
    return "";
  return question->level == ISOLATION_RC && !question->recorded
             ? " in real time (which permits stale reads)"
             : " in real time";
}

// The reading of read committed makes no difference elsewhere.
static const char *words_of_session_rc(const struct question *question) {
  return question->recorded || question->level == ISOLATION_RC
             ? " where reads see their session"
             : "";
}

#define FIELD(name) offsetof(struct question, name)

// In the order of report.json.
const struct question_term question_terms[QUESTION_TERMS] = {
    {.field = FIELD(session_order),
     .usual = true,
     .bit = 2,
     .option = "--no-session-order",
     .key = "session_order",
     .words = " without session order"},
    {.field = FIELD(real_time),
     .bit = 4,
     .option = "--real-time",
     .key = "real_time",
     .words_of = words_of_real_time},
    {.field = FIELD(rc_sees_session),
     .of_rows = true,
     .bit = 1,
     .option = "--rc=mixed",
     .key = "rc",
     .value = "mixed",
     .words_of = words_of_session_rc},
    {.field = FIELD(by_items),
     .of_rows = true,
     .bit = 2,
     .option = "--items-only",
     .key = "items_only",
     .words = " by returned rows alone"},
    {.field = FIELD(plain_reads),
     .of_rows = true,
     .bit = 4,
     .option = "--reads=plain",
     .key = "reads",
     .value = "plain",
     .words = " by plain SELECTs alone"},
};

bool question_value(const struct question *question,
                    const struct question_term *term) {
  return *(const bool *)((const char *)question + term->field);
}

void question_set(struct question *question, const struct question_term *term,
                  bool value) {
  *(bool *)((char *)question + term->field) = value;
}

bool question_asks(const struct question *question,
                   const struct question_term *term) {
  return question_value(question, term) != term->usual;
}

struct question question_usual(void) {
  struct question question = {.level = ISOLATION_NONE};
  for (int i = 0; i < QUESTION_TERMS; i++)
    question_set(&question, &question_terms[i], question_terms[i].usual);
  return question;
}

void question_forget_rows(struct question *question) {
  for (int i = 0; i < QUESTION_TERMS; i++)
    if (question_terms[i].of_rows)
      question_set(question, &question_terms[i], question_terms[i].usual);
}

const char *question_level_word(const struct question *question) {
  return question->recorded ? "recorded" : isolation_name(question->level);
}

void question_put_options(FILE *out, const struct question *question) {
  for (int i = 0; i < QUESTION_TERMS; i++)
    if (question_asks(question, &question_terms[i]))
      fprintf(out, " %s", question_terms[i].option);
}

static void add_to_title(char *title, size_t room, const char *words) {
  const size_t length = strlen(title);
  assert(length + strlen(words) < room);
  snprintf(title + length, room - length, "%s", words);
}

static void add_term(const struct question *question,
                     const struct question_term *term, char *title,
                     size_t room) {
  if (question_asks(question, term))
    add_to_title(title, room,
                 term->words_of ? term->words_of(question) : term->words);
}

// First the terms of rows, which say whose reads count; then time and sessions,
// which bind all of them.
void question_in_words(const struct question *question, char *title,
                       size_t room) {
  *title = 0;
  add_to_title(title, room,
               question->recorded ? "the level of each transaction"
                                  : isolation_title(question->level));
  for (int i = 0; i < QUESTION_TERMS; i++)
    if (question_terms[i].of_rows)
      add_term(question, &question_terms[i], title, room);
  for (int i = QUESTION_TERMS - 1; i >= 0; i--)
    if (!question_terms[i].of_rows)
      add_term(question, &question_terms[i], title, room);
}
