// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny histories for comparing checker and referee: plain structures that can
// be enumerated, drawn at random, written down, and shrunk when they show a
// disagreement.
#ifndef TESTS_KIT_TINY_H
#define TESTS_KIT_TINY_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  TINY_TXNS = 12,
  TINY_OPS = 6,    // per transaction
  TINY_KEYS = 4,   // x y z w
  TINY_LIST = 24,  // elements of a list as read
  TINY_VALUES = 64 // below; 0 is the initial value
};

struct tiny_op {
  uint8_t kind, key;
  uint8_t value;    // written (a CAS: the new one), or read
  uint8_t expected; // CAS: read
  uint8_t length;   // list read
  uint8_t list[TINY_LIST];
};

struct tiny_txn {
  uint8_t session; // never smaller than that of the transaction before
  uint8_t outcome;
  uint8_t level; // enum isolation it was run at
  uint8_t nops;
  uint32_t begin, end; // 0: not known
  struct tiny_op op[TINY_OPS];
};

struct tiny {
  uint8_t ntxns;
  struct tiny_txn txn[TINY_TXNS];
};

// A history and all its arrays.
struct tiny_history {
  struct history history;
  uint32_t session_first[TINY_TXNS + 1], txn_first[TINY_TXNS + 1];
  uint8_t outcome[TINY_TXNS], cause[TINY_TXNS], level[TINY_TXNS];
  uint64_t begin[TINY_TXNS], end[TINY_TXNS];
  uint8_t kind[TINY_TXNS * TINY_OPS];
  uint32_t key[TINY_TXNS * TINY_OPS], saw[TINY_TXNS * TINY_OPS];
  uint64_t value[TINY_TXNS * TINY_OPS];
  struct seen_list list[TINY_TXNS * TINY_OPS];
  uint32_t element[TINY_TXNS * TINY_OPS * TINY_LIST];
  uint64_t element_value[TINY_TXNS * TINY_OPS * TINY_LIST];
  uint64_t key_number[TINY_KEYS];
};

// Fills `room`, whose history points into it: not to be copied or freed. Values
// that nobody wrote to the key are SAW_THIN_AIR.
const struct history *tiny_history(const struct tiny *tiny,
                                   struct tiny_history *room);

// Was any transaction run at a level, and not aborted?
bool tiny_promises_anything(const struct tiny *tiny);

// Reads "[x:=1 y==0] [x+=2 x==[1,2]]!ser / [x:1->3]?@5..9", where a slash
// starts the next session and may be a line of dashes instead; "==?" and "==0"
// read the initial value; "ser" is the level it was run at.  Aborts on a
// mistake.
void tiny_parse(const char *text, struct tiny *tiny);

// Writes it in the same notation, one session a line.
void tiny_print(const struct tiny *tiny, char *text, size_t room);

// Leaves away transactions, operations, list elements, times and outcomes as
// long as `still` holds of what is left.
void tiny_shrink(struct tiny *tiny,
                 bool (*still)(const struct tiny *tiny, void *context),
                 void *context);

#endif
