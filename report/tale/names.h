// SPDX-License-Identifier: GPL-3.0-or-later
// Short names for a counterexample: transactions T1, T2, ... in the order in
// which they began; rows x, y, z, ... in the order in which these use them; x3
// for the value that T3 wrote to row x.  A reader compares x1 with x2 at a
// glance, and 7696581394433 with 7696581394434 not at all.
#ifndef REPORT_TALE_NAMES_H
#define REPORT_TALE_NAMES_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stdint.h>

enum { NAME_ROOM = 32 };

// Free with names_free.
struct names {
  const struct history *history;
  bool raw;              // as in the history: 7:0, key 5, 71
  bool raw_rows;         // rows and values only: SQL conditions speak of them,
                         // and elements are names
  bool whole;            // raw names of rows and values are not cut
  uint32_t *txns, ntxns; // T1, T2, ...
  uint32_t *txn_place;   // per transaction: 1 of T1, ...; 0: it has no name
  uint32_t *key_place, nkeys; // per key: 1 of x, ...; 0: it has none
  uint32_t *nhidden;          // per key: values that a reader has met of
                              // transactions without a name
  uint32_t *write_place;      // per operation: 0: its value is not met; of a
                              // transaction without a name, which one of these
  uint64_t *columns;          // per table of rows: those that differ, as
                     // report/tale/row_label.h says; NULL: there are no rows
};

// The names of these transactions, in this order, and of what the operations
// `shown` used.
void names_init(struct names *names, const struct history *history, bool raw,
                const uint32_t *txns, uint32_t ntxns, const uint32_t *shown,
                uint32_t nshown);
void names_free(struct names *names);

// Buffers have NAME_ROOM bytes.  "T1", or "7:0".
const char *names_txn(const struct names *names, uint32_t txn, char *buffer);
// "7:0": transaction 0 of session 7, both from 0.
const char *names_raw_txn(const struct history *history, uint32_t txn,
                          char *buffer);
// "x", or "5"; a raw name that has no room is cut: "customers/no…234/name".
const char *names_key(const struct names *names, uint32_t key, char *buffer);
// The value that a write left: "x1"; "x1a" if the transaction has
// several; "x*" if its transaction has no name.
const char *names_written(const struct names *names, uint32_t write,
                          char *buffer);
// The value of `key` that a read saw, whose `saw` it is: as above, or "x0" for
// what was there at first, "x?" for what nobody wrote.  `value`: it, as
// recorded.
const char *names_seen(const struct names *names, uint32_t key, uint32_t saw,
                       uint64_t value, char *buffer);
// The element of a set that the key stands for.
const char *names_element(const struct names *names, uint32_t key,
                          char *buffer);

#endif
