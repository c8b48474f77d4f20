// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a history (checker/part/subhistory.h).
#include "config.h"

#include "checker/part/subhistory.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/part/empty.h"
#include "checker/part/sublists.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// An operation is no further from the place of its number than there are
// numbers left out.
uint32_t operations_find(const struct operations *ops, uint32_t op) {
  const uint32_t n = ops->count, left_out = n ? ops->op[n - 1] + 1 - n : 0;
  const uint32_t first = op > left_out ? op - left_out : 0;
  const uint32_t end = op < n ? op + 1 : n;
  if (first >= end)
    return UINT32_MAX;
  const uint32_t place = first + ids_below(ops->op + first, end - first, op);
  return place < end && ops->op[place] == op ? place : UINT32_MAX;
}

// The transaction of an operation that comes after some of transaction t.
static uint32_t txn_after(const struct history *h, uint32_t t, uint32_t op) {
  if (op < h->txn_first[t + 1])
    return t;
  return op < h->txn_first[t + 2] ? t + 1 : history_txn(h, op);
}

// Is there what a read needs?  A list is read without what is not taken.
static bool may_be_read_in_part(const struct history *h,
                                const struct operations *ops, uint32_t op) {
  return op_is_list(h->kind[op]) || h->saw[op] >= h->nops ||
         operations_find(ops, h->saw[op]) != UINT32_MAX;
}

void operations_take_all(struct operations *ops, uint32_t nops) {
  ops->op = xmalloc(nops * sizeof *ops->op);
  ops->count = ops->room = nops;
  for (uint32_t op = 0; op < nops; op++)
    ops->op[op] = op;
}

void operations_sort(struct operations *ops) {
  ops->count = ids_sort_once(ops->op, ops->count);
}

// Nothing needs a read, but whoever read what a compare-and-set wrote: and that
// is taken as a write without its own read.  So once is enough.
void subhistory_close(const struct history *whole, struct operations *ops) {
  struct operations kept = {.op = xmalloc(ops->count * sizeof *kept.op),
                            .room = ops->count};
  for (uint32_t i = 0; i < ops->count; i++)
    if (op_writes(whole->kind[ops->op[i]]) ||
        may_be_read_in_part(whole, ops, ops->op[i]))
      kept.op[kept.count++] = ops->op[i];
  free(ops->op);
  *ops = kept;
}

// Dense numbers for the keys that occur.
struct part_keys {
  uint32_t *new_of_old; // per key of the whole
  struct ids old;       // per key of the part
};

static uint32_t key_in_part(struct part_keys *keys, uint32_t old) {
  assert(old != UINT32_MAX);
  uint32_t *new_key = &keys->new_of_old[old];
  if (*new_key == UINT32_MAX) {
    *new_key = keys->old.count;
    ids_add(&keys->old, old);
  }
  return *new_key;
}

// `most` transactions, or fewer.
static void allocate_part(struct history *part, const struct history *whole,
                          uint32_t nops, size_t most) {
  *part = (struct history){.nops = nops,
                           .lists = whole->lists,
                           .of_rows = whole->of_rows,
                           .complete = true};
  part->txn_first = xcalloc(most + 1, sizeof *part->txn_first);
  part->outcome = xcalloc(most, 1);
  part->cause = xcalloc(most, 1);
  part->level = xcalloc(most, 1);
  part->begin = xcalloc(most, sizeof *part->begin);
  part->end = xcalloc(most, sizeof *part->end);
  part->kind = xcalloc(nops, 1);
  part->key = xcalloc(nops, sizeof *part->key);
  part->value = xcalloc(nops, sizeof *part->value);
  part->saw = xcalloc(nops, sizeof *part->saw);
  part->session_first = xcalloc(most + 1, sizeof *part->session_first);
  part->list = xcalloc(nops, sizeof *part->list);
  if (whole->event || whole->rows_behind)
    part->event = xcalloc(nops, sizeof *part->event);
}

// The part that is being taken.
struct part_taking {
  const struct history *whole;
  struct history *part;
  const struct operations *ops;
  struct ids empty; // transactions without any
  uint32_t nempty;  // how many of these are in the part
  struct ids txns;
  struct part_keys keys;
  struct sublists lists;
  uint32_t session; // of the last transaction
};

// `first`: its first operation in the part.
static void add_txn_of_part(struct part_taking *taking, uint32_t t,
                            uint32_t first) {
  assert(t < taking->whole->ntxns);
  const struct history *whole = taking->whole;
  struct history *part = taking->part;
  const uint32_t session = history_session(whole, t), n = part->ntxns++;
  if (n == 0 || session != taking->session)
    part->session_first[part->nsessions++] = n;
  taking->session = session;
  ids_add(&taking->txns, t);
  part->txn_first[n] = first;
  part->outcome[n] = whole->outcome[t];
  part->cause[n] = whole->cause[t];
  part->level[n] = whole->level[t];
  part->begin[n] = whole->begin ? whole->begin[t] : TIME_UNKNOWN;
  part->end[n] = whole->end ? whole->end[t] : TIME_UNKNOWN;
}

static void add_empty(struct part_taking *taking, uint32_t before,
                      uint32_t first) {
  const struct ids *empty = &taking->empty;
  while (taking->nempty < empty->count && empty->items[taking->nempty] < before)
    add_txn_of_part(taking, empty->items[taking->nempty++], first);
}

// Operations that are one event in the whole are one in the part.
static void add_event_of_part(struct part_taking *taking, uint32_t i) {
  const struct history *whole = taking->whole;
  const uint32_t *ops = taking->ops->op;
  if (!taking->part->event)
    return;
  const bool goes_on =
      i > 0 && history_event(whole, ops[i]) == history_event(whole, ops[i - 1]);
  taking->part->event[i] = goes_on ? taking->part->event[i - 1] : i;
}

static void add_operation(struct part_taking *taking, uint32_t i) {
  const struct history *whole = taking->whole;
  struct history *part = taking->part;
  const struct operations *ops = taking->ops;
  const uint32_t op = ops->op[i];
  const unsigned kind = whole->kind[op];
  part->kind[i] = (uint8_t)kind;
  if (op_writes(kind))
    part->value[i] = history_write_value(whole, taking->session, op);
  else if (kind != OP_READ || whole->saw[op] >= whole->nops)
    part->value[i] = history_op_value(whole, op);
  part->key[i] = key_in_part(&taking->keys, whole->key[op]);
  part->saw[i] = whole->saw[op];
  if (op_is_list(kind) && !op_writes(kind)) {
    part->saw[i] = part->nlists;
    part->list[part->nlists++] = sublists_take(&taking->lists, whole->saw[op]);
  } else if (op_writes(kind) && op_reads(kind) &&
             !may_be_read_in_part(whole, ops, op)) {
    part->kind[i] = OP_WRITE;
    part->saw[i] = 0;
  } else if (!op_is_list(kind) && kind != OP_WRITE &&
             whole->saw[op] < whole->nops) {
    part->saw[i] = operations_find(ops, whole->saw[op]);
    assert(part->saw[i] != UINT32_MAX); // see subhistory_close
  }
}

static void name_keys(struct history *part, const struct history *whole,
                      const struct ids *old) {
  part->nkeys = old->count;
  part->key_number = xcalloc(old->count, sizeof *part->key_number);
  if (whole->key_text)
    part->key_text = texts_copy(whole->key_text, old->items, old->count);
  if (whole->member)
    part->member = xcalloc(old->count, sizeof *part->member);
  for (uint32_t k = 0; k < old->count; k++) {
    if (whole->key_number)
      part->key_number[k] = whole->key_number[old->items[k]];
    if (whole->member)
      part->member[k] = whole->member[old->items[k]];
  }
}

// Gives reads of registers their values, now that all writes have theirs.
static void spell_reads(struct history *part) {
  for (uint32_t op = 0; op < part->nops; op++)
    if (part->kind[op] == OP_READ && part->saw[op] < part->nops)
      part->value[op] = part->value[part->saw[op]];
}

static void add_taken_txns(struct part_taking *taking) {
  const struct history *whole = taking->whole;
  const struct operations *ops = taking->ops;
  uint32_t t = 0;
  for (uint32_t i = 0; i < ops->count; i++) {
    t = txn_after(whole, t, ops->op[i]);
    add_empty(taking, t, i);
    if (i == 0 || ops->op[i - 1] < whole->txn_first[t])
      add_txn_of_part(taking, t, i);
    add_operation(taking, i);
    add_event_of_part(taking, i);
  }
  add_empty(taking, whole->ntxns, ops->count);
  spell_reads(taking->part);
}

void subhistory_extract(const struct history *whole,
                        const struct operations *ops, struct history *part,
                        uint32_t **txn_of_part) {
  struct part_taking taking = {.whole = whole,
                               .part = part,
                               .ops = ops,
                               .keys.new_of_old = ids_none(whole->nkeys)};
  taking.lists = sublists_open(whole, ops);
  taking.empty = empty_telling(whole, ops);
  allocate_part(part, whole, ops->count,
                (size_t)ops->count + taking.empty.count);
  add_taken_txns(&taking);
  part->session_first[part->nsessions] = part->ntxns;
  part->txn_first[part->ntxns] = part->nops;
  name_keys(part, whole, &taking.keys.old);
  sublists_close(&taking.lists, part);
  FREE_EACH(taking.empty.items, taking.keys.new_of_old, taking.keys.old.items);
  if (txn_of_part)
    *txn_of_part = taking.txns.items;
  else
    free(taking.txns.items);
}
