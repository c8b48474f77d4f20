// SPDX-License-Identifier: GPL-3.0-or-later
// A history in transit, between transit.c, which puts it on a spool,
// transit_hand.c, which takes a transaction at a time from there, and
// transit_writers.c, which finds who wrote what was read.
#ifndef RECORDER_TRANSITING_H
#define RECORDER_TRANSITING_H

#include "recorder/building.h"
#include "recorder/join.h"
#include "recorder/transit.h"

// What operations take a key for.
enum { A_LIST = 1, A_REGISTER = 2, OF_ZERO = 4 };
struct key_use {
  uint64_t nothing; // operations that do not tell
  uint8_t as;
};

// Of a session, as the spool has it.
struct session_use {
  uint64_t ntxns;
  struct zeros zeros; // of INITIAL_BY_SESSION
};

struct transit {
  const char *path; // of what was read
  char *beside;     // which temporary files are
  struct spool *spool;
  struct content content;
  uint32_t *session;   // as the spool has them, in the order of the history
  uint64_t *first_txn; // by session, and the end of the last one
  uint64_t nwrites;
  bool implicit; // 0 is what a register holds at first
  bool times, op_times, allow_duplicates;

  struct key_use *use; // by key, of those that some operation has
  uint32_t nuse;
  bool prefer_lists;
  uint64_t zeros;   // writes of 0 to a register...
  bool refuse_zero; // ...which is a mistake

  // While it is put on the spool.
  unsigned char *record; // being made
  size_t record_room;
  bool too_large; // to be in hand
  struct session_use *sessions;
  uint32_t nsessions, session_room;

  struct history at_hand;
  uint64_t number;  // of that transaction in the history
  uint32_t op_room; // of operations, and of values that were seen
  uint32_t element_room;

  enum names names;
  struct join *join; // NULL: who wrote what is not known
  uint64_t *name;    // by operation at hand
  uint64_t *unknown; // numbers of these transactions, if it was known
  uint32_t nunknown, unknown_room;
  uint8_t *counted; // those
};

// Is it an element of the history that a transaction may have written?  0 is
// not where it is the initial value of a register.
static inline bool may_be_written(const struct transit *transit,
                                  struct item item) {
  return item.value != VALUE_INITIAL || item.list || !transit->implicit;
}

// What found nothing read a list if the key is nothing else, else a register.
unsigned transit_kind_of_nothing(const struct transit *transit, uint32_t key);

void transit_forget_writers(struct transit *transit);

#endif
