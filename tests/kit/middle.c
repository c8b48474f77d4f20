// SPDX-License-Identifier: GPL-3.0-or-later
// Histories that start in the middle (tests/kit/middle.h).
#include "config.h"

#include "tests/kit/middle.h"

#include "recorder/builder/first_reads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOBODYS = TINY_VALUES - 1 }; // no history is so long

// --- Cutting.

static unsigned first_to_end(const struct tiny *tiny) {
  unsigned first = 0;
  for (unsigned t = 1; t < tiny->ntxns; t++)
    if (tiny->txn[t].end < tiny->txn[first].end)
      first = t;
  return first;
}

void middle_cut(struct tiny *tiny, unsigned ntxns) {
  for (; ntxns > 0 && tiny->ntxns > 1; ntxns--) {
    const unsigned t = first_to_end(tiny);
    tiny->ntxns--;
    memmove(&tiny->txn[t], &tiny->txn[t + 1],
            (tiny->ntxns - t) * sizeof tiny->txn[t]);
  }
}

// --- As the reader takes them.

const struct history *middle_history(const struct tiny *tiny,
                                     struct tiny_history *room) {
  struct cas_expected expected[TINY_TXNS * TINY_OPS];
  struct history *h = &room->history;
  uint32_t op = 0;
  tiny_history(tiny, room);
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++, op++) {
      const struct tiny_op *o = &tiny->txn[t].op[i];
      if ((o->kind == OP_CAS || o->kind == OP_READ) &&
          room->saw[op] == SAW_INITIAL)
        room->saw[op] = SAW_THIN_AIR;
      if (o->kind == OP_CAS && room->saw[op] == SAW_THIN_AIR)
        expected[h->ncas_expected++] = (struct cas_expected){op, o->expected};
    }
  h->cas_expected = expected;
  history_take_first_reads(h);
  h->cas_expected = NULL;
  h->ncas_expected = 0;
  return h;
}

// --- As they should be taken.

static bool is_written(const struct tiny *tiny, unsigned key, unsigned value) {
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++) {
      const struct tiny_op *op = &tiny->txn[t].op[i];
      if (op_writes(op->kind) && op->key == key && op->value == value)
        return true;
    }
  return false;
}

// The value that a read of a register or a compare-and-set saw; NULL for
// others.
static uint8_t *value_seen(struct tiny_op *op) {
  return op->kind == OP_READ  ? &op->value
         : op->kind == OP_CAS ? &op->expected
                              : NULL;
}

static unsigned front_of(const struct tiny *tiny, const struct tiny_op *op) {
  unsigned front = 0;
  while (front < op->length && !is_written(tiny, op->key, op->list[front]))
    front++;
  return front;
}

// Did it see the key as it was before all of the history, or something that
// nobody wrote at all?
static bool saw_the_start(const struct tiny *tiny, struct tiny_op *op) {
  if (op->kind == OP_READ_LIST)
    return op->length == 0 || front_of(tiny, op) > 0;
  const uint8_t *seen = value_seen(op);
  return seen && !is_written(tiny, op->key, *seen);
}

// The first such operation of a key; NULL if there is none.
static struct tiny_op *first_read(struct tiny *tiny, const uint8_t *counted,
                                  unsigned key) {
  struct tiny_op *first = NULL;
  uint32_t since = 0;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops && counted[t]; i++) {
      struct tiny_op *op = &tiny->txn[t].op[i];
      if (op->key == key && saw_the_start(tiny, op) &&
          (!first || tiny->txn[t].begin < since)) {
        first = op;
        since = tiny->txn[t].begin;
      }
    }
  return first;
}

static bool all_lists_start_with(const struct tiny *tiny,
                                 const uint8_t *counted,
                                 const struct tiny_op *first, unsigned front) {
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops && counted[t]; i++) {
      const struct tiny_op *op = &tiny->txn[t].op[i];
      if (op->kind == OP_READ_LIST && op->key == first->key &&
          (op->length < front || memcmp(op->list, first->list, front) != 0))
        return false;
    }
  return true;
}

static void cut_list(struct tiny_op *op, unsigned front) {
  const unsigned cut = front < op->length ? front : op->length;
  op->length -= (uint8_t)cut;
  memmove(op->list, op->list + cut, op->length);
}

static void expect_lists(const struct tiny *tiny, const uint8_t *counted,
                         const struct tiny_op *first, struct tiny *expected) {
  const unsigned front = front_of(tiny, first);
  if (!all_lists_start_with(tiny, counted, first, front))
    return;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++) {
      struct tiny_op *op = &expected->txn[t].op[i];
      if (op->kind == OP_READ_LIST && op->key == first->key)
        cut_list(op, front);
    }
}

// `initial`: what was there; NULL if nothing is taken for that.
static void expect_registers(const struct tiny *tiny, unsigned key,
                             const uint8_t *initial, struct tiny *expected) {
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++) {
      uint8_t *seen = value_seen(&expected->txn[t].op[i]);
      if (seen && expected->txn[t].op[i].key == key &&
          !is_written(tiny, key, *seen))
        *seen = initial && *seen == *initial ? 0 : NOBODYS;
    }
}

void middle_expected(const struct tiny *tiny, struct tiny *expected) {
  struct tiny_history room;
  uint32_t nlost;
  uint8_t *counted = history_counted(tiny_history(tiny, &room), &nlost);
  struct tiny asked = *tiny;
  *expected = *tiny;
  for (unsigned key = 0; key < TINY_KEYS; key++) {
    struct tiny_op *first = first_read(&asked, counted, key);
    if (first && first->kind == OP_READ_LIST)
      expect_lists(tiny, counted, first, expected);
    else
      expect_registers(tiny, key, first ? value_seen(first) : NULL, expected);
  }
  free(counted);
}
