// SPDX-License-Identifier: GPL-3.0-or-later
// The values of keys before anything was written (enum initial): what a read of
// nothing and a read of 0 saw, and what was there first.
#include "config.h"

#include "recorder/builder/building.h"

#include "base/memory.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The meaning of 0.
enum zero {
  ZERO_INITIAL,    // the initial value, which no transaction writes
  ZERO_WRITTEN,    // a value like any other
  ZERO_BY_CONTENT, // a value like any other if some transaction writes it
  ZERO_BY_KEY,     // likewise, of the keys to which some transaction does
};

static const struct policy {
  uint64_t nothing; // what a read of nothing saw
  enum zero zero;
  bool leaves_out; // a session that was there first: settle_by_content
} policies[] = {
    [INITIAL_BY_FORMAT] = {VALUE_INITIAL, ZERO_INITIAL, false},
    [INITIAL_IMPLICIT] = {VALUE_INITIAL, ZERO_INITIAL, false},
    [INITIAL_EXPLICIT] = {VALUE_NOBODYS, ZERO_WRITTEN, false},
    [INITIAL_FIRST_READ] = {VALUE_NOBODYS, ZERO_WRITTEN, false},
    [INITIAL_VALUE] = {VALUE_NOBODYS, ZERO_WRITTEN, false},
    [INITIAL_BY_CONTENT] = {VALUE_INITIAL, ZERO_BY_CONTENT, false},
    [INITIAL_BY_SESSION] = {VALUE_INITIAL, ZERO_BY_CONTENT, true},
    [INITIAL_BY_KEY] = {VALUE_INITIAL, ZERO_BY_KEY, false},
};

uint64_t value_of_nothing(enum initial initial) {
  assert(initial <= INITIAL_BY_KEY);
  return policies[initial].nothing;
}

uint64_t builder_zero(struct builder *builder, bool written) {
  if (policies[builder->options.initial].zero != ZERO_BY_KEY)
    return VALUE_INITIAL;
  if (written && !builder->zero)
    builder->zero = builder_value_named(builder, "0", 1);
  return VALUE_ZERO;
}

// --- A transaction that was there first.

void builder_first(struct builder *b) {
  assert(b->h.ntxns);
  if (value_of_nothing(b->options.initial) == VALUE_NOBODYS)
    return;
  builder_forget_ranges(b);
  const uint32_t first = b->h.txn_first[--b->h.ntxns];
  for (uint32_t op = first; op < b->h.nops; op++)
    if (b->h.kind[op] == OP_WRITE) {
      ARRAY_COVER(b->first_value, b->h.key[op], b->nfirst);
      b->first_value[b->h.key[op]] = b->h.value[op];
    }
  b->h.nops = first;
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

// Replaces reads and writes of the values that were there first.
static void settle_first_values(struct builder *b) {
  for (uint32_t op = 0; op < b->h.nops && b->nfirst; op++)
    if (b->h.key[op] < b->nfirst &&
        (b->h.kind[op] == OP_READ || b->h.kind[op] == OP_WRITE))
      b->h.value[op] =
          value_behind_first(b->first_value[b->h.key[op]], b->h.value[op]);
}

// --- 0 by key.

// The value that VALUE_ZERO stands for.
static uint64_t value_behind_zero(uint64_t zero, bool written, uint64_t value) {
  return value != VALUE_ZERO ? value : written ? zero : VALUE_INITIAL;
}

// A key to which somebody writes 0 holds nothing before; any other one 0.
static void settle_zeros(struct builder *b) {
  uint8_t *written = xcalloc(b->keys.count, 1);
  for (uint32_t op = 0; op < b->h.nops && b->zero; op++)
    if (b->h.value[op] == VALUE_ZERO && op_writes(b->h.kind[op]))
      written[b->h.key[op]] = 1;
  for (uint32_t op = 0; op < b->h.nops; op++) {
    const bool zero = written[b->h.key[op]];
    b->h.value[op] = value_behind_zero(b->zero, zero, b->h.value[op]);
    if (b->h.kind[op] == OP_CAS) {
      uint64_t *const expected = &b->expected[b->h.saw[op]];
      *expected = value_behind_zero(b->zero, zero, *expected);
    }
  }
  free(written);
}

// --- 0 by content.

static bool writes_zero(const struct builder *b, uint32_t op) {
  return b->h.value[op] == VALUE_INITIAL && op_writes(b->h.kind[op]) &&
         !op_is_list(b->h.kind[op]);
}

// Does a transaction write 0 to registers, and does it do anything else?  One
// that did not commit does.
struct zeros {
  bool some, others;
};

static struct zeros zeros_of(const struct builder *b, uint32_t t) {
  assert(t < b->h.ntxns);
  struct zeros zeros = {.others = b->h.outcome[t] != OUTCOME_OK};
  for (uint32_t op = b->h.txn_first[t]; op < b->h.txn_first[t + 1]; op++) {
    zeros.some |= writes_zero(b, op);
    zeros.others |= !writes_zero(b, op) || b->h.kind[op] != OP_WRITE;
  }
  return zeros;
}

// A session that does nothing but write 0, which no other one does, is what was
// there before everything, as Plume takes it, which leaves writes of 0 out:
//
//   w(1,0,0,0)    w(1,5,1,1)  r(1,0,1,2)
//
// Were it like any other session, 0 could have been written after 5, and what
// the second one read would not be stale.
static void settle_by_content(struct builder *b, bool leaves_out) {
  uint32_t session = UINT32_MAX;
  bool alone = leaves_out;
  for (uint32_t t = 0; t < b->h.ntxns; t++)
    if (zeros_of(b, t).some) {
      alone &= session == UINT32_MAX || session == b->session[t];
      session = b->session[t];
    }
  const bool some = session != UINT32_MAX;
  for (uint32_t t = 0; t < b->h.ntxns && some && alone; t++)
    alone = b->session[t] != session || !zeros_of(b, t).others;
  if (some && alone)
    b->left_out = session + 1;
  b->has_initial = !some || alone;
}

// --- A value that the user names.

// The number of the value that is printed like this: a text of the history, or
// else a number.  Without one, no operation can have it.
static void settle_value(struct builder *b) {
  const char *const text = b->options.initial_value;
  char *end;
  for (uint32_t id = 0; id < b->value_texts.count && !b->has_initial; id++)
    if (!strcmp(text_map_text(&b->value_texts, id), text)) {
      b->has_initial = true;
      b->initial_value = VALUE_NAMED + id;
    }
  if (b->has_initial)
    return;
  errno = 0;
  b->initial_value = strtoull(text, &end, 10);
  b->has_initial = isdigit((unsigned char)*text) && !*end && !errno;
}

void builder_settle_initial(struct builder *b) {
  assert(b->options.initial <= INITIAL_BY_KEY);
  const struct policy *policy = &policies[b->options.initial];
  settle_first_values(b);
  b->has_initial = policy->zero != ZERO_WRITTEN;
  if (policy->zero == ZERO_BY_KEY)
    settle_zeros(b);
  else if (policy->zero == ZERO_BY_CONTENT)
    settle_by_content(b, policy->leaves_out);
  else if (b->options.initial == INITIAL_VALUE)
    settle_value(b);
}
