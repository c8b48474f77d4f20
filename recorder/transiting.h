// SPDX-License-Identifier: GPL-3.0-or-later
// A history in transit, between transit.c, which puts it on a spool,
// transit_pieces.c, through which transactions in pieces get there,
// transit_hand.c, which takes a transaction at a time from there,
// transit_writers.c, which finds who wrote what was read, and what only all of
// that shows: transit_lost.c, which finds what depends on writes that were
// lost, and transit_initial.c, which takes first reads for initial values.
#ifndef RECORDER_TRANSITING_H
#define RECORDER_TRANSITING_H

#include "recorder/building.h"
#include "recorder/join.h"
#include "recorder/transit.h"

// What operations take a key for.
// OF_ZERO: 0, the initial value, is written; HOLDS_ZERO: 0 is, and is none.
enum { A_LIST = 1, A_REGISTER = 2, OF_ZERO = 4, HOLDS_ZERO = 8 };
struct key_use {
  uint64_t nothing; // operations that do not tell
  uint8_t as;
};

// What a key held at first, where that is what was read first.
struct start {
  uint64_t value; // of a register, if it...
  bool held;
  uint32_t nfront; // of a list: the elements
  uint64_t *front;
};

// What a session has, or what comes before it.
struct extent {
  uint64_t txns, ops;
};

// Of a session, as the spool has it.
struct session_use {
  struct extent extent;
  struct zeros zeros; // of INITIAL_BY_SESSION
};

struct transit {
  const char *path; // of what was read
  char *beside;     // which temporary files are
  struct spool *spool;
  struct content content;
  uint32_t *session;    // as the spool has them, in the order of the history
  struct extent *first; // by session, and the end of the last one
  uint64_t nwrites;
  bool implicit;    // 0 is what a register holds at first
  bool first_reads; // are what a key holds at first
  bool blind_cas;   // what a compare-and-set expected shows nothing of that
  bool times, op_times, allow_duplicates;

  uint64_t nothing;      // value_of_nothing
  uint64_t zero;         // as in a builder
  uint64_t *first_value; // likewise
  uint32_t nfirst;

  struct key_use *use; // by key, of those that some operation has
  uint32_t nuse;
  bool prefer_lists;
  uint64_t zeros;   // writes of 0 to a register...
  bool refuse_zero; // ...which is a mistake

  // While it is put on the spool.
  unsigned char *record; // being made
  size_t record_room;
  bool too_large;       // to be in hand
  struct spool *pieces; // on their piles; NULL: they come whole
  uint32_t nwhole;      // transactions of which a piece came
  struct session_use *sessions;
  uint32_t nsessions, session_room;

  struct history at_hand;
  uint32_t hand_session;
  uint64_t number;  // of that transaction in the history
  uint32_t op_room; // of operations, and of values that were seen
  uint32_t element_room;

  enum names names;
  struct join *join; // NULL: who wrote what is not known
  uint64_t *name;    // by operation at hand
  uint64_t *unknown; // numbers of these transactions, if it was known
  uint32_t nunknown, unknown_room;
  uint8_t *counted; // those

  // What only the whole history shows.
  struct start *start;      // by key; NULL: nothing but by `implicit`
  struct value_range *lost; // ascending: what may have been written
  uint32_t nlost;
  uint8_t *left_out; // a bit for each transaction: it depends on what was lost;
                     // NULL: none does
};

// What is put on the spool of a transaction: how many operations and elements
// it has, its outcome, cause, level and endpoint, and whether its operations
// have times, which are RECORD_BYTES, begin and end, and its operations.
enum { RECORD_BYTES = 5 };

static inline bool transit_is_too_large(uint64_t nops, uint64_t nelements) {
  return 2 * nops + nelements >= HISTORY_MAX / 2;
}
void transit_reserve_record(struct transit *transit, size_t bytes);

// Puts the record, which is a piece of a transaction (by the builder's number),
// on its pile; and, after the last one, all of them whole on the spool.
void transit_put_piece(struct transit *transit, uint32_t txn, uint32_t session,
                       size_t bytes);
int transit_join_pieces(struct transit *transit, struct error *error);

// Is it an element of the history that a transaction may have written?  0 is
// not where it is the initial value of a register.
static inline bool may_be_written(const struct transit *transit,
                                  struct item item) {
  return item.value != VALUE_INITIAL || item.list || !transit->implicit;
}

// What found nothing read a list if the key is nothing else, else a register.
unsigned transit_kind_of_nothing(const struct transit *transit, uint32_t key);

// Goes through all transactions in the order of the history, until `visit`
// does not return 0 for one of them; -1 is for a sentence.
int transit_visit(struct transit *transit,
                  int (*visit)(struct transit *transit, void *context),
                  void *context, struct error *error);

// Finds who wrote what was read, named so, and, if asked for, which unknown
// transactions count.  -1 with a sentence.
int transit_join(struct transit *transit, enum names names, bool decide,
                 struct error *error);
void transit_forget_writers(struct transit *transit);

// Of the one at hand, when writers are known: did nobody write what an
// operation saw, or its element?  `saw` is what the history has of that.
static inline bool transit_is_nobodys(const struct transit *transit,
                                      uint32_t saw) {
  return saw == SAW_THIN_AIR ||
         (saw < transit->at_hand.nops && transit->name[saw] == UINT64_MAX);
}

// Could it be that what nobody wrote was written in a lost part?
bool transit_is_lost(const struct transit *transit, uint64_t value);
// Was an unknown outcome at hand, among those that writers were found for?
bool transit_is_unknown(const struct transit *transit, uint64_t number);

static inline bool transit_is_left_out(const struct transit *transit,
                                       uint64_t number) {
  return transit->left_out && (transit->left_out[number / 8] >> number % 8 & 1);
}

// Where writers are known, and what counts: finds what depends on what was
// lost; takes first reads for initial values, once what depends on what was
// lost is known.  -1 with a sentence.
int transit_leave_out(struct transit *transit, struct error *error);
int transit_take_first_reads(struct transit *transit, struct error *error);

#endif
