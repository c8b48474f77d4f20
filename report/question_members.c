// SPDX-License-Identifier: GPL-3.0-or-later
// Writes and reads the terms of a question (report/question_members.h).
#include "config.h"

#include "report/question_members.h"

static void put_term_member(struct json *json, const struct question *question,
                            const struct question_term *term) {
  if (term->of_rows && !question_asks(question, term))
    return;
  if (term->value)
    json_put_string(json, term->key, term->value);
  else
    json_put_bool(json, term->key, question_value(question, term));
}

void question_put_members(struct json *json, const struct question *question) {
  for (int i = 0; i < QUESTION_TERMS; i++)
    put_term_member(json, question, &question_terms[i]);
}

struct question question_of_members(const struct json_value *verdict) {
  struct question question = question_usual();
  for (int i = 0; i < QUESTION_TERMS; i++) {
    const struct question_term *term = &question_terms[i];
    if (json_member(verdict, term->key))
      question_set(&question, term,
                   term->value ? !term->usual
                               : json_is_true(verdict, term->key));
  }
  return question;
}
