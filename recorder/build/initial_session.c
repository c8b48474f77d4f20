// SPDX-License-Identifier: GPL-3.0-or-later
// A session that does nothing but write 0, which no other one does, is what was
// there before everything, as Plume takes it, which leaves writes of 0 out:
//
//   w(1,0,0,0)    w(1,5,1,1)  r(1,0,1,2)
//
// Were it like any other session, 0 could have been written after 5, and what
// the second one read would not be stale.
#include "config.h"

#include "recorder/build/building.h"

#include "base/memory.h"

#include <stdlib.h>

static bool writes_zero(const struct builder *b, uint32_t op) {
  return b->value[op] == VALUE_INITIAL && op_writes(b->kind[op]) &&
         !op_is_list(b->kind[op]);
}

// What a transaction does: writes 0 to registers, and anything else; one that
// did not commit does.
struct zeros {
  bool some, others;
};

// What VALUE_ZERO is of a key.
static uint64_t value_behind_zero(uint64_t zero, bool written, uint64_t value) {
  return value != VALUE_ZERO ? value : written ? zero : VALUE_INITIAL;
}

// A value that an operation read from a register or wrote to it, as it is where
// `first` is what the key held at first: that is VALUE_INITIAL then, and
// nothing is what nobody wrote.
static uint64_t value_behind_first(uint64_t first, uint64_t value) {
  return first == VALUE_INITIAL   ? value
         : value == first         ? VALUE_INITIAL
         : value == VALUE_INITIAL ? VALUE_NOBODYS
                                  : value;
}

static struct zeros zeros_of(const struct builder *b, uint32_t t) {
  struct zeros zeros = {.others = b->outcome[t] != OUTCOME_OK};
  for (uint32_t op = b->txn_first[t]; op < b->txn_first[t + 1]; op++) {
    zeros.some |= writes_zero(b, op);
    zeros.others |= !writes_zero(b, op) || b->kind[op] != OP_WRITE;
  }
  return zeros;
}

// What came in the order of arrival stays so.
static void leave_out_session(struct builder *b, uint32_t session) {
  uint32_t ntxns = 0, nops = 0;
  for (uint32_t t = 0; t < b->ntxns; t++) {
    if (b->session[t] == session)
      continue;
    const uint32_t first = b->txn_first[t], end = b->txn_first[t + 1];
    b->txn_first[ntxns] = nops;
    b->session[ntxns] = b->session[t];
    b->outcome[ntxns] = b->outcome[t];
    b->cause[ntxns] = b->cause[t];
    b->level[ntxns] = b->level[t];
    if (b->endpoint)
      b->endpoint[ntxns] = b->endpoint[t];
    if (b->begin) {
      b->begin[ntxns] = b->begin[t];
      b->end[ntxns] = b->end[t];
    }
    for (uint32_t op = first; op < end; op++, nops++) {
      b->kind[nops] = b->kind[op];
      b->key[nops] = b->key[op];
      b->value[nops] = b->value[op];
      b->saw[nops] = b->saw[op];
    }
    ntxns++;
  }
  b->txn_first[ntxns] = nops;
  b->ntxns = ntxns;
  b->nops = nops;
}

// What other transactions read and wrote of what was there first.
static void settle_first_values(struct builder *b) {
  for (uint32_t op = 0; op < b->nops && b->nfirst; op++)
    if (b->key[op] < b->nfirst &&
        (b->kind[op] == OP_READ || b->kind[op] == OP_WRITE))
      b->value[op] =
          value_behind_first(b->first_value[b->key[op]], b->value[op]);
}

// A key to which somebody writes 0 holds nothing before; any other one 0.
static void settle_zeros(struct builder *b) {
  uint8_t *written = xcalloc(b->keys.count, 1);
  for (uint32_t op = 0; op < b->nops && b->zero; op++)
    if (b->value[op] == VALUE_ZERO && op_writes(b->kind[op]))
      written[b->key[op]] = 1;
  for (uint32_t op = 0; op < b->nops; op++) {
    const bool zero = written[b->key[op]];
    b->value[op] = value_behind_zero(b->zero, zero, b->value[op]);
    if (b->kind[op] == OP_CAS) {
      uint64_t *const expected = &b->expected[b->saw[op]];
      *expected = value_behind_zero(b->zero, zero, *expected);
    }
  }
  free(written);
  b->initial = INITIAL_IMPLICIT;
}

void builder_settle_initial(struct builder *b) {
  settle_first_values(b);
  if (b->initial == INITIAL_BY_KEY)
    settle_zeros(b);
  uint32_t session = UINT32_MAX;
  bool alone = true;
  if (b->initial != INITIAL_BY_SESSION)
    return;
  for (uint32_t t = 0; t < b->ntxns; t++)
    if (zeros_of(b, t).some) {
      alone &= session == UINT32_MAX || session == b->session[t];
      session = b->session[t];
    }
  for (uint32_t t = 0; t < b->ntxns && alone; t++)
    alone = b->session[t] != session || !zeros_of(b, t).others;
  if (session != UINT32_MAX && alone)
    leave_out_session(b, session);
  b->initial = alone ? INITIAL_IMPLICIT : INITIAL_EXPLICIT;
}
