// SPDX-License-Identifier: GPL-3.0-or-later
// The terms of a check: which level, and how it is meant.  They travel as one
// struct, so that a new term is a field here, a row of the table in question.c,
// its option, and its meaning.
#ifndef CHECKER_VERDICT_QUESTION_H
#define CHECKER_VERDICT_QUESTION_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct question {
  // The level of all transactions; or, if `recorded`, the strongest of the
  // levels that they were run at: each transaction's own level then binds its
  // reads (mixed-isolation paper, definition 6).  Reads of a transaction that
  // was run at ISOLATION_NONE are ignored.
  enum isolation level;
  bool recorded;
  bool session_order; // does a session see its own transactions in order?
  bool real_time; // what had ended before a transaction began counts as if it
                  // were earlier in its session; SSER is SER with it
  // At RC, of a history with rows: must a read see what its session wrote
  // before?  The mixed-isolation paper says so, dbcop does not.
  bool rc_sees_session;
  // Do rows bind nothing that a statement did not return, change or insert?  At
  // SER this is Adya's PL-2.99, and PL-3 without it.
  bool by_items;
  // Are only plain SELECTs of a history with rows reads?  All other statements
  // then read what was committed last: the writers of what they found commit
  // before their own transaction, and nothing else follows.
  bool plain_reads;
};

// A term besides the level.
struct question_term {
  size_t field; // a bool of struct question
  bool usual;   // its value unless the question asks for the other one
  bool of_rows; // means nothing where a history has no rows
  uint8_t bit;  // in a witness: of the byte for rows, or of the byte before
  const char *option; // of the command line, which asks for the other value
  const char *key;    // in report.json
  const char *value;  // there; NULL: a boolean
  // In the title of a question that asks for the other value.
  const char *words;
  // NULL: `words` whatever the rest of the question is.
  const char *(*words_of)(const struct question *question);
};

enum { QUESTION_TERMS = 5 };
extern const struct question_term question_terms[QUESTION_TERMS];

// Every term at its usual value, about no level yet.
struct question question_usual(void);

bool question_value(const struct question *question,
                    const struct question_term *term);
void question_set(struct question *question, const struct question_term *term,
                  bool value);
// Is the value of the term not the usual one?
bool question_asks(const struct question *question,
                   const struct question_term *term);

// Sets the terms of rows to their usual values.
void question_forget_rows(struct question *question);

// "si", "recorded": as --level has it.
const char *question_level_word(const struct question *question);

// The options of the command line that ask for the terms, each with a space
// before it; the level is left to the caller.
void question_put_options(FILE *out, const struct question *question);

// Into a buffer of `room` bytes: "snapshot isolation in real time without
// session order", "the level of each transaction".
void question_in_words(const struct question *question, char *title,
                       size_t room);

#endif
