// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as a picture: a column for each session, time downwards, a
// box for each transaction, and an arrow for each "comes before".  Where all of
// it lies is computed first (picture_lay_out), and then drawn, so that a test
// can compute as well that nothing touches.
//
// No two words but those of the head share a row, so a line along a row crosses
// no word.  Between columns there are channels, with a lane for each arrow that
// would meet another one there.
#ifndef REPORT_PICTURE_PICTURE_H
#define REPORT_PICTURE_PICTURE_H

#include "report/tale/example.h"
#include "report/tale/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
  PICTURE_ROW = 25,
  PICTURE_NOTE = 17, // a row of small words below a statement
  PICTURE_SPACE = 4, // below the last one of them
  PICTURE_DISC = 9,  // radius of the number of an arrow
  PICTURE_WRAP = 26, // characters of a word, then it goes on in a row below
  PICTURE_MOST_TXNS = 200, // nobody can follow more
  PICTURE_WHOLE = 12,      // transactions: of more, only the cycle is drawn
};

enum word_kind {
  WORD_TIME,    // of a row, at the left
  WORD_SESSION, // above a column or a box
  WORD_NAME,    // of a transaction
  WORD_STATEMENT,
  WORD_CONDITION, // small, below a statement: what it searched for
  WORD_FAULT,     // likewise: what is wrong with it
  WORD_WAITS,
  WORD_END,
  WORD_COMMITTED, // of another transaction, between two statements of this one
};

struct picture_word {
  enum word_kind kind;
  const char *text;
  double x, y, width; // left, upper edge of its row
  uint32_t txn, op;   // or EXAMPLE_NONE
};

struct picture_box { // of a transaction that is drawn
  bool drawn, core;  // core: part of what is wrong, not only of its reasons
  uint32_t column;
  double x, y, width, bottom;
};

struct picture_arrow {
  uint32_t edge; // of the example
  uint32_t lane; // of its channel, from 0
  uint32_t channel;
  bool straight;         // down the gap between two boxes of a session
  double x1, y1, x2, y2; // its ends
  double lane_x;
  double disc_x, disc_y;
};

struct picture_wait { // of a statement for others, beside its words
  double x, y, bottom;
};

// A commit between two statements of another transaction, across to it.
struct picture_commit {
  uint32_t txn, other;
  double y, x1, x2;
};

struct picture {
  const struct example *example;
  struct arena arena;
  struct picture_box *boxes; // per transaction of the example
  struct picture_word *words;
  uint32_t nwords;
  struct picture_wait *waits;
  uint32_t nwaits;
  struct picture_commit *commits;
  uint32_t ncommits;
  struct picture_arrow *arrows;
  uint32_t narrows;
  uint32_t ncolumns;
  double width, height;
};

// Is it small enough to be drawn?
static inline bool picture_has_room(const struct example *example) {
  return example->ntxns <= PICTURE_MOST_TXNS;
}

void picture_lay_out(struct picture *picture, const struct example *example);
void picture_free(struct picture *picture);

// Draws it as an SVG element.  `prefix` starts the ids in it.  On its own it is
// a file with a style; in a page, which has picture_style in its own, sentences
// and arrows lead to each other.
void picture_put(FILE *out, const struct picture *picture, const char *prefix,
                 bool on_its_own);
extern const char picture_style[];

// Lays it out and writes the file DIRECTORY/counterexample-NUMBER.svg, or
// removes one of an earlier report where there is no room.  -1 with a sentence.
int picture_write(const char *directory, unsigned number,
                  const struct example *example, struct error *error);

#endif
