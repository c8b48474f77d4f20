// SPDX-License-Identifier: GPL-3.0-or-later
// A history in memory: what all sessions saw, as arrays with dense 32-bit ids
// and no pointers.  Transactions are numbered session by session, so session
// order is t -> t + 1; operations are numbered transaction by transaction.
// Reads are resolved to the operation that wrote what they saw when a history
// is loaded; nothing after that looks at values, except to print them.
#ifndef RECORDER_HISTORY_H
#define RECORDER_HISTORY_H

#include "base/error.h"
#include "base/isolation.h"
#include "base/operation.h"
#include "base/outcome.h"
#include "recorder/events.h"
#include "recorder/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Values of `saw` besides an operation.
enum {
  SAW_INITIAL = UINT32_MAX,      // the initial value, or an empty list
  SAW_THIN_AIR = UINT32_MAX - 1, // a value that nobody wrote to this key
  SAW_LOST = UINT32_MAX - 2,     // a value whose writer was in a lost part of
                                 // the file
  HISTORY_MAX = UINT32_MAX - 16  // ids stay below
};

#define HISTORY_NO_ENDPOINT 255
enum { HISTORY_BLOCK = 64 }; // operations of one entry of `writes_before`
#define TIME_UNKNOWN UINT64_MAX

// The numbers of values that are texts start here; those that are numbers are
// below.
#define VALUE_NAMED (UINT64_C(1) << 62)
// A value that nobody can write: neither a number nor the number of a text, of
// which there are fewer.
#define VALUE_NOBODYS (VALUE_NAMED + UINT32_MAX + 1)
#define NOT_A_MEMBER UINT64_MAX // of `member`: no element has this number

// The elements of a list that was read: so many from the first one on.
struct seen_list {
  uint32_t first, count;
};

// A compare-and-set and the value that it expected and found; or a read of a
// row and the stamp that it found.
struct cas_expected {
  uint32_t op;
  uint64_t value;
};

// The file of one of the processes that recorded together, as it was found.
enum part_state {
  PART_WHOLE,
  PART_CUT_OFF, // its end is missing
  PART_MISSING,
  PART_FOREIGN, // it is of another run, and left out
};
struct history_part {
  enum part_state state;
  char host[64];
  uint32_t first_session, nsessions;
  bool exact;     // its clock is that of the first part...
  uint64_t width; // ...or is known to so many ns, at worst
  bool jumped;    // it contradicts itself, so that its times are not used
};
struct history_parts {
  uint32_t n;
  uint64_t unordered; // pairs of transactions, one ended before the other began
                      // by the middle of all bounds, not by the bounds
  struct history_part part[]; // in the order of ranks
};

struct history {
  uint32_t nsessions, ntxns, nops, nkeys;

  // Per session; nsessions + 1 entries.
  uint32_t *session_first; // its first transaction; the next entry is its end

  // Per transaction; txn_first has ntxns + 1 entries.
  uint32_t *txn_first; // its first operation; the next entry is its end
  uint8_t *outcome;    // enum outcome
  uint8_t *cause;      // enum cause
  uint8_t *level;      // enum isolation it was run at (what was claimed)
  uint8_t *endpoint;   // number of the host it went to, from 0, or
                       // HISTORY_NO_ENDPOINT; NULL: there was one, or unknown
  uint64_t *number;    // where this is a part of a history that was never in
                       // memory: number in its session there; NULL: it is the
                       // one that it has here
  uint64_t *begin;     // ns since the start of the run; before the first call
  uint64_t *end;       // after the last call returned; both NULL: no times

  // Per operation.
  uint8_t *kind;   // enum op_kind
  uint32_t *key;   // dense, 0 to nkeys - 1
  uint64_t *value; // written; or, for a register read, read.  A CAS: written.
                   // A row: the stamp of the version.
                   // NULL: implied, as those of lists then are
  uint32_t *saw;   // reads of registers and rows, and CAS: operation that wrote
                   // what it saw, or SAW_...; list reads: entry in `list`;
                   // else 0, but SAW_INITIAL of OP_ROW_INSERT
  uint64_t *op_begin, *op_end; // ns; NULL unless recorded
  // Where values are implied: for every HISTORY_BLOCK operations, how many
  // writes come before them; with rows for every HISTORY_BLOCK statements, how
  // many statements that write.
  uint32_t *writes_before;

  // Per list read, in the order of operations: where its elements are.  A list
  // of which nothing was read (of a failed transaction) is an empty one.  Lists
  // of a key may have elements in common, unless `again` is there; there may be
  // elements of no list, which mean nothing.
  uint32_t nlists, nelements;
  struct seen_list *list;
  uint32_t *element;       // operation that appended it, or SAW_...
  uint64_t *element_value; // NULL: implied

  // The compare-and-sets that found a value that nobody wrote, or whose writer
  // was lost, in the order of operations; where values of rows are implied,
  // among them the reads of rows that did.
  uint32_t ncas_expected;
  struct cas_expected *cas_expected;

  // Per key: its number outside, or NULL names and text if keys have names.
  uint64_t *key_number;
  char **key_text; // NULL unless the history came with names; one block
  // An element of a set is a key of its own, with the number and the name of
  // the set: adding the element writes the key, and a read of the set reads the
  // keys of all its elements one behind the other, first of those that it
  // found, then of the others: VALUE_NOBODYS (recorder/builder/sets.c).  Per
  // key: the element, VALUE_NOBODYS of a set of which none is known, or
  // NOT_A_MEMBER.  NULL: there are no sets.
  uint64_t *member;
  // Values that are no numbers; VALUE_NAMED + i is the i-th one.
  uint32_t nvalue_texts;
  char **value_text; // one block; NULL if there is none

  // Writes of a value that another write gave to the key before, where that was
  // allowed (struct builder_options); the first of them and that other one,
  // or SAW_INITIAL.
  uint32_t nduplicates, duplicate, duplicated;
  // Per operation, and then per key for its initial value: the next write of
  // the same value to the key, around in a circle; itself where that is the
  // only one, or no write.  A read of such a value may have seen any of them:
  // `saw` and `element` have the first.  NULL if no value was written twice.
  uint32_t *again;

  uint32_t nfirst_values; // keys that held something at first, which was said:
                          // reads of them saw SAW_INITIAL
  bool lists;             // some operation is on a list
  struct rows *rows; // statements of SQL and their rows; NULL if there are none
  bool of_rows; // its registers stand for rows: what reads and writes one is an
                // UPDATE or DELETE, which takes the row as it finds it
  bool saw_copied;                // these registers have a `saw` of their own
  const struct rows *rows_behind; // these rows, by the same operations and
                                  // keys; NULL in a part of such a history
  // In such a part, per operation: the first one of its statement, all of whose
  // reads are made at once.  NULL: `rows_behind` says it or, without these,
  // each operation is made by itself.
  uint32_t *event;
  bool complete;      // false: the end of the file was lost
  uint64_t lost_txns; // at least so many are missing; 0 if complete or unknown
  char *about; // the run's record of itself, lines "name = value"; or NULL
  struct history_parts *parts; // of a set, which several processes recorded; or
                               // NULL
  struct event *events;        // what was done to the database meanwhile
  uint32_t nevents;
};

// Frees all arrays and zeroes the structure; a zeroed one may be freed.
void history_free(struct history *history);

// For who builds a history: room for so many transactions, or operations, in
// the arrays that are there, and in those that every history has.
void history_reserve_txns(struct history *history, size_t ntxns);
void history_reserve_ops(struct history *history, size_t nops);

// Where the elements of a list end.
static inline uint32_t history_list_end(const struct history *history,
                                        uint32_t list) {
  return history->list[list].first + history->list[list].count;
}

// May a read of the key that saw this have seen another write of the value?
// Where `again` is there.
static inline bool history_is_ambiguous(const struct history *h, uint32_t key,
                                        uint32_t saw) {
  const uint32_t version = saw == SAW_INITIAL ? h->nops + key : saw;
  return version < h->nops + h->nkeys && h->again[version] != version;
}

// The first of the operations that are made at once with this one.
static inline uint32_t history_event(const struct history *h, uint32_t op) {
  return h->event         ? h->event[op]
         : h->rows_behind ? rows_event(h->rows_behind, op)
                          : op;
}

// Does the operation add to a set, or is it part of a read of one?
static inline bool history_is_of_set(const struct history *h, uint32_t op) {
  return h->member && h->member[h->key[op]] != NOT_A_MEMBER;
}

// The number of a transaction in its session, from 0, as a user knows it.
static inline uint64_t history_number(const struct history *h, uint32_t session,
                                      uint32_t txn) {
  return h->number ? h->number[txn] : txn - h->session_first[session];
}

// The session of a transaction and the transaction of an operation, by binary
// search.
uint32_t history_session(const struct history *history, uint32_t txn);
uint32_t history_txn(const struct history *history, uint32_t op);

// The name or number of a key; `buffer` has 24 bytes and may be what is
// returned.
const char *history_key(const struct history *history, uint32_t key,
                        char *buffer);

// A value as it was written in the file; `buffer` as for history_key.
const char *history_value(const struct history *history, uint64_t value,
                          char *buffer);

// The value that an operation wrote or, if it read a register, read; 0 for
// other reads.  And an element of a list, by its place in `element`.
uint64_t history_op_value(const struct history *history, uint32_t op);
uint64_t history_element_value(const struct history *history, uint32_t i);
// The value of a write whose session is known.
uint64_t history_write_value(const struct history *history, uint32_t session,
                             uint32_t op);

// The value that a compare-and-set expected and found, where values are not
// implied, or that a read found, where those of rows are: VALUE_INITIAL if it
// saw SAW_INITIAL, VALUE_NOBODYS if nobody wrote the value and it is not known.
uint64_t history_expected(const struct history *history, uint32_t op);

// Values are implied where the n-th write of session s, both from 0, wrote
// value_of_write(s, n), and everything that was read was written, or is the
// initial value of a register.  Where all operations are of rows, the n-th
// write is the n-th statement that writes.  A history in memory takes half
// without them. history_imply_values: they are, of a history that has no values
// yet. history_drop_row_values: they are from now on, if the values of a
// history of rows follow. history_spell_values: gives it both arrays, if they
// are implied, for who goes through all values or is about to change some.
// history_spelt: a copy of the structure that has them, for who may not change
// it; history_spelt_free frees what is the copy's.
// history_spell_reads: what was read, where the values that were written are
// in `value`, which has 0 elsewhere.
void history_imply_values(struct history *history);
void history_drop_row_values(struct history *history);
void history_spell_values(struct history *history);
void history_spell_reads(struct history *history);
struct history history_spelt(const struct history *history);
void history_spelt_free(struct history *spelt, const struct history *history);

// Which transactions count as committed: those that did, and of the unknown
// ones those whose write was seen by one that did or, in turn, by one of these
// (sound and complete for "there is an interpretation", and the others can be
// left out).  Left out of these, and counted in `*nlost`, are those that saw,
// directly or through others that count, a write that was in a lost part of the
// file: leaving out a set that is closed under reads-from changes no other
// read.
// Returns ntxns bytes, 1 for those that count; free with free().
uint8_t *history_counted(const struct history *history, uint32_t *nlost);

// A register and a list of one key become two keys of the same name.  For who
// checks a history, in which a key is one or the other.
void history_separate_lists(struct history *history);

// The last instant at which the transaction had certainly not begun: 0 if
// unknown.
static inline uint64_t history_began(const struct history *h, uint32_t t) {
  return h->begin && h->begin[t] != TIME_UNKNOWN ? h->begin[t] : 0;
}

// When a transaction had certainly ended, or TIME_UNKNOWN.
static inline uint64_t history_ended(const struct history *h, uint32_t t) {
  return h->end && h->outcome[t] == OUTCOME_OK ? h->end[t] : TIME_UNKNOWN;
}

#endif
