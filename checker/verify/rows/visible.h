// SPDX-License-Identifier: GPL-3.0-or-later
// The versions that the axioms of RC and RA make visible to an event beyond the
// place in the commit order where it stands, for the verifiers.
#ifndef CHECKER_VERIFY_ROWS_VISIBLE_H
#define CHECKER_VERIFY_ROWS_VISIBLE_H

#include "base/ids.h"
#include "checker/verify/rows/execute_rows.h"

struct visible {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  const struct rows_proof *proof;
  uint32_t *rank;   // per transaction: in the order, from 1; 0: it is not there
  uint32_t *txn_of; // per operation
  uint8_t *final;   // per operation: its transaction's last write of the key
  uint32_t *leader; // session_leaders
  // Per key: the last version of those whose writers are visible and stand
  // behind the place, or UINT32_MAX; and the keys that have one.
  uint32_t *sight;
  struct ids touched;
};

// The order of the proof is one of the transactions that count.
void visible_open(struct visible *o, const struct history *history,
                  const uint8_t *counted, const struct check_options *options,
                  const struct rows_proof *proof);
void visible_close(struct visible *o);

// Every transaction that counts is in the order once, after those before it in
// its session; -1 with a sentence if not.  After visible_open, first of all.
int visible_check_order(const struct visible *o, struct error *error);

// Where what the statement is taken to have found begins; of statement + 1
// where it ends.
uint32_t visible_found(const struct rows_proof *proof, uint32_t statement);

// The version's rank in the order: 0 for what was there at first.
static inline uint32_t visible_rank(const struct visible *o, uint32_t version) {
  return version < o->h->nops ? o->rank[o->txn_of[version]] : 0;
}

// Is it a version that transaction t may have read at all: a last write of
// another one that comes before it, or what was there at first?
bool visible_readable(const struct visible *o, uint32_t t, uint32_t key,
                      uint32_t version);

// Has visible what the event with these operations read, as far as it stands
// behind the place.  The statement is UINT32_MAX if there is none.
void visible_show(struct visible *o, uint32_t t, uint32_t place,
                  uint32_t statement, uint32_t first, uint32_t end);

// Has visible what the transaction wrote if it stands behind the place.
void visible_show_txn(struct visible *o, uint32_t txn, uint32_t place);

// Has visible all transactions before t in its session that stand behind the
// place.
void visible_show_session(struct visible *o, uint32_t t, uint32_t place);

// Nothing is visible any more.
void visible_forget(struct visible *o);

#endif
