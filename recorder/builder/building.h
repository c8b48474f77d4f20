// SPDX-License-Identifier: GPL-3.0-or-later
// The collection of a builder, between builder.c, which is told, arrange.c,
// which puts it in the order of a history, and resolve.c, which finds the
// writers of what was read.
#ifndef RECORDER_BUILDER_BUILDING_H
#define RECORDER_BUILDER_BUILDING_H

#include "base/stop.h"
#include "recorder/builder/builder.h"
#include "recorder/builder/number_map.h"
#include "recorder/builder/text_map.h"

// Kinds of operations until all of the history is known.
enum {
  OP_NOTHING = 0x80,               // builder_nothing: the key has no kind yet
  OP_SET_READ = 0x80 | OP_IS_READ, // builder_set: `saw` is its number
  OP_SET_ADD = 0x80 | OP_IS_WRITE, // builder_add
};

// A key that is an element of a set; `set` is UINT32_MAX if it is none.
struct member_key {
  uint32_t set; // the id of its key
  uint64_t element;
};

struct builder {
  struct number_map sessions, keys;
  struct text_map key_texts, value_texts;
  uint32_t *key_of_text; // by id of the text: the id of the key
  uint32_t key_of_text_room;

  // In the order of arrival.  `saw` is of a list read its number, of a CAS that
  // of `expected`.
  struct history h;
  uint64_t *session_number; // by transaction, until all are known, then...
  uint32_t *session;        // ...the id of the session
  uint32_t txn_room, op_room, list_room, element_room;
  uint64_t *expected;
  uint32_t nexpected, expected_room;
  struct longest_list *longest; // by key id: builder_lists.c
  uint32_t longest_room;

  char **names; // by key id; NULL where there is none
  uint32_t nnames;
  struct builder_options options;
  // Once it is settled: every register holds a value at first.
  bool has_initial;
  uint64_t initial_value;
  uint64_t *first_value; // by key id: builder_first; VALUE_INITIAL: nothing
  uint32_t nfirst;       // keys that it has room for
  uint32_t left_out;     // id of a session that was there first, + 1; 0: none
  uint64_t zero; // the text that 0 is where some transaction writes it; or 0
  struct told_sets *sets;    // sets.c; NULL: none was told
  struct member_key *member; // by key id, when they are spread
  uint32_t nmembers, member_room;
  struct told_rows *rows;    // builder_rows.c; NULL: no table was told
  struct told_range *ranges; // ranges.c; in the order of their transactions
  uint32_t nranges, ranges_room;
  bool nothing, too_large;
  struct patience patience; // of builder_finish
};

// Each pass over the history asks.
static inline bool builder_is_stopped(struct builder *builder) {
  return patience_ends(&builder->patience, PATIENCE_EFFORT);
}

// Appends an operation to a history that has room for it.
static inline void history_append(struct history *to, unsigned kind,
                                  uint32_t key, uint64_t value, uint32_t saw) {
  const uint32_t op = to->nops++;
  to->kind[op] = (uint8_t)kind;
  to->key[op] = key;
  to->value[op] = value;
  to->saw[op] = saw;
}

// An operation of the last transaction; `key` is its number outside.  Returns
// its place.  With what it expected, if it reads and writes.
uint32_t builder_add_op(struct builder *builder, unsigned kind, uint64_t key,
                        uint64_t value);
uint32_t builder_add_cas(struct builder *builder, unsigned kind, uint64_t key,
                         uint64_t expected, uint64_t value);

// Adds the reads of nothing that range queries are (builder_range), and forgets
// those of the last transaction.
void builder_add_missing(struct builder *builder);
void builder_forget_ranges(struct builder *builder);

// Makes registers of sets, before the transactions are in order.  -1 with a
// sentence if a key is a set and something else, or if there are too many.
int builder_spread_sets(struct builder *builder, struct error *error);
void builder_free_sets(struct builder *builder);
// Moves what they are to the history, which has its keys.
void builder_hand_over_sets(struct builder *builder, struct history *history);
// Settles which of these reads found nothing, once reads are resolved; then
// their values.
void history_see_members(struct history *history, bool first_reads);
void history_name_members(struct history *history);

// Brings statements and images into the order of the transactions, before these
// are in it; and moves all to the history, which has its keys and operations.
void builder_sort_rows(struct builder *builder, const uint32_t *txns);
void builder_hand_over_rows(struct builder *builder, struct history *history);
void builder_free_rows(struct builder *builder);

// Settles what 0 is, where the content says it; a session that is what was
// there first is left without transactions.
void builder_settle_initial(struct builder *builder);

// How many more elements there may be.
uint32_t builder_elements_left(const struct builder *builder);

// Where the elements of a list of the key are, which may be those of another
// one; at most builder_elements_left.
uint32_t builder_put_list(struct builder *builder, uint32_t key,
                          const uint64_t *values, uint32_t count);

// Moves everything to the history but what reads saw.  Returns the values that
// the compare-and-sets expected, in their order; free with free().  NULL and
// only a part is moved if the patience ended.
uint64_t *builder_arrange(struct builder *builder, struct history *history);

// Finds the writers; as builder_finish.
int builder_resolve(struct builder *builder, struct history *history,
                    const uint64_t *expected, struct error *error);

#endif
