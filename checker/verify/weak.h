// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of verify_weak, for weak.c (the execution), causal.c (transactions
// at CC that it leaves in doubt) and real_time.c.
#ifndef CHECKER_VERIFY_WEAK_H
#define CHECKER_VERIFY_WEAK_H

#include "checker/verify/levels.h"
#include "checker/verify/look_up.h"
#include "checker/verify/verify.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

// A write that others may see, once the execution has come by: the
// transaction's last one to its key, or an append.
struct axiom_write {
  uint32_t
      place;     // 1 + that of its transaction in the order; 0: not (yet) there
  uint32_t next; // the next such write of the key, or SAW_INITIAL
};

// A key at some point of the execution.
struct key_state {
  uint32_t own;    // the last write of the transaction at hand, if it is one of
                   // its operations
  uint32_t newest; // the last write that others may see, or SAW_INITIAL,
  uint32_t place;  // its place, and
  uint32_t first;  // the first one, or SAW_INITIAL
};

struct axioms {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  const struct verdict *verdict;
  struct error *error;
  struct patience patience;
  struct axiom_write *written; // per operation
  struct key_state *key;       // per key
  uint32_t *session_of;        // per transaction

  // Made when first needed.
  uint32_t *place;       // per transaction: 1 + its place in the order
  uint32_t *txn_of;      // per operation
  uint32_t *previous;    // session_leaders
  uint32_t *met, search; // those met by the search with this number

  uint8_t *doubtful; // per transaction: it is left to causal.c
  bool doubt;        // some is
};

// Does t observe by this operation whose write it sees?
static inline bool axioms_counts(const struct axioms *a, uint32_t t,
                                 uint32_t op) {
  return op_reads(a->h->kind[op]) &&
         !proves_nothing(binding_level(a->h, a->options, t));
}

// -1 with a sentence that ends with `what`.
int axioms_refuse(const struct axioms *a, uint32_t op, const char *what);

// The write that a read of t saw, of a list the last one of others; or
// SAW_INITIAL.
static inline uint32_t axioms_seen(const struct axioms *a, uint32_t t,
                                   uint32_t op) {
  if (a->h->kind[op] != OP_READ_LIST)
    return a->h->saw[op];
  const struct listed list = listed_of_others(a->h, t, op);
  return list.end > list.first ? list.end[-1] : SAW_INITIAL;
}

// That write or, of a list, all appends of others that it has: who reads them
// observes whoever appended one.
struct listed axioms_observed(const struct axioms *a, uint32_t t, uint32_t op);

// Is it a read that does not find an own write?  As long as the operations of t
// are gone through in their order.
static inline bool axioms_external(const struct axioms *a, uint32_t t,
                                   uint32_t op) {
  assert(t < a->h->ntxns && op < a->h->txn_first[t + 1]);
  const uint32_t own = a->key[a->h->key[op]].own, first = a->h->txn_first[t];
  const unsigned kind = a->h->kind[op];
  return op_reads(kind) && (kind == OP_READ_LIST || own - first >= op - first);
}

static inline uint32_t axioms_place(const struct axioms *a, uint32_t write) {
  return write < a->h->nops ? a->written[write].place : 0;
}

static inline uint32_t axioms_next(const struct axioms *a, uint32_t key,
                                   uint32_t write) {
  return write < a->h->nops ? a->written[write].next : a->key[key].first;
}

// Makes what is made when it is first needed.
void axioms_index(struct axioms *a);

// Holds the transactions in doubt against the axiom of CC, however long it
// takes.
int axioms_judge(struct axioms *a);

// Is real time kept, where it counts as session order does?
int axioms_judge_times(struct axioms *a);

#endif
