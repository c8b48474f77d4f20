// SPDX-License-Identifier: GPL-3.0-or-later
// Takes first reads for initial values (recorder/builder/first_reads.h).
#include "config.h"

#include "recorder/builder/first_reads.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_READ UINT32_MAX

struct first {
  struct history *h;
  const uint8_t *counted; // per transaction
  // Per key what was read first of what nobody wrote.
  struct start {
    uint32_t read;  // NO_READ: none
    uint64_t since; // when
    uint64_t value; // of a register
    uint32_t front; // of a list: so many elements
  } * start;
};

// The elements at the front of a list read that nobody appended.
static uint32_t unknown_front(const struct history *h, uint32_t op) {
  assert(h->kind[op] == OP_READ_LIST);
  const uint32_t first = h->list[h->saw[op]].first;
  uint32_t end = first;
  while (end < history_list_end(h, h->saw[op]) &&
         h->element[end] == SAW_THIN_AIR)
    end++;
  return end - first;
}

static bool sees_the_start(const struct history *h, uint32_t op) {
  if (h->kind[op] == OP_READ_LIST)
    return unknown_front(h, op) || !h->list[h->saw[op]].count;
  return op_reads(h->kind[op]) && h->saw[op] == SAW_THIN_AIR;
}

static uint64_t time_of_read(const struct history *h, uint32_t session,
                             uint32_t t) {
  return h->begin && h->begin[t] != TIME_UNKNOWN
             ? h->begin[t]
             : t - h->session_first[session];
}

// The value that a register read saw, or that a compare-and-set expected.
static uint64_t value_seen(const struct history *h, uint32_t op) {
  return h->kind[op] == OP_CAS ? history_expected(h, op) : h->value[op];
}

static void note_first_read(const struct first *first, uint32_t op,
                            uint64_t now) {
  assert(op < first->h->nops);
  const struct history *h = first->h;
  struct start *start = &first->start[h->key[op]];
  const bool list = h->kind[op] == OP_READ_LIST;
  if (start->read != NO_READ && start->since <= now)
    return;
  start->read = op;
  start->since = now;
  start->front = list ? unknown_front(h, op) : 0;
  start->value = value_seen(h, op);
}

static void find_first_reads(const struct first *first,
                             bool (*wanted)(const struct history *, uint32_t)) {
  const struct history *h = first->h;
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++)
      for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
        if (first->counted[t] && wanted(h, op))
          note_first_read(first, op, time_of_read(h, s, t));
}

// --- Registers.

static void settle_registers(const struct first *first) {
  struct history *h = first->h;
  for (uint32_t op = 0; op < h->nops; op++) {
    const struct start *start = &first->start[h->key[op]];
    if (op_reads(h->kind[op]) && !op_is_list(h->kind[op]) &&
        h->saw[op] == SAW_THIN_AIR && start->read != NO_READ &&
        value_seen(h, op) == start->value)
      h->saw[op] = SAW_INITIAL;
  }
}

// --- Lists.

static bool starts_with(const struct history *h, uint32_t op,
                        const struct start *start) {
  const uint32_t first = h->list[h->saw[op]].first;
  return h->list[h->saw[op]].count >= start->front &&
         !memcmp(h->element_value + first,
                 h->element_value + h->list[h->saw[start->read]].first,
                 start->front * sizeof *h->element_value);
}

// Gives up the fronts of keys of which some list does not start with it.
static void doubt_fronts(const struct first *first) {
  const struct history *h = first->h;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      struct start *start = &first->start[h->key[op]];
      if (h->kind[op] == OP_READ_LIST && first->counted[t] && start->front &&
          !starts_with(h, op, start))
        start->front = 0;
    }
}

static void cut_front(const struct first *first, uint32_t op) {
  assert(first->h->kind[op] == OP_READ_LIST);
  struct history *h = first->h;
  const struct start *start = &first->start[h->key[op]];
  struct seen_list *list = &h->list[h->saw[op]];
  list->first += start->front;
  list->count -= start->front;
}

// Leaves the fronts away, last of the lists that the others are compared with.
// What does not count may have read anything, also what is lost.
static void cut_fronts(const struct first *first) {
  const struct history *h = first->h;
  for (uint32_t op = 0; op < h->nops; op++) {
    const struct start *start = &first->start[h->key[op]];
    if (h->kind[op] == OP_READ_LIST && start->front && op != start->read &&
        starts_with(h, op, start))
      cut_front(first, op);
  }
  for (uint32_t key = 0; key < h->nkeys; key++)
    if (first->start[key].front)
      cut_front(first, first->start[key].read);
}

static void open_first(struct first *first, struct history *h,
                       const uint8_t *counted) {
  *first = (struct first){.h = h, .counted = counted};
  first->start = xcalloc(h->nkeys, sizeof *first->start);
  for (uint32_t key = 0; key < h->nkeys; key++)
    first->start[key].read = NO_READ;
}

void history_take_first_reads(struct history *h) {
  uint32_t nlost;
  history_spell_values(h);
  uint8_t *counted = history_counted(h, &nlost);
  struct first first;
  open_first(&first, h, counted);
  find_first_reads(&first, sees_the_start);
  settle_registers(&first);
  doubt_fronts(&first);
  cut_fronts(&first);
  free(first.start);
  free(counted);
}

// --- How many there are.

static bool sees_a_value(const struct history *h, uint32_t op) {
  return op_reads(h->kind[op]);
}

static bool is_unwritten(const struct history *h, uint32_t op) {
  return h->kind[op] == OP_READ_LIST
             ? unknown_front(h, op) > 0
             : sees_a_value(h, op) && h->saw[op] == SAW_THIN_AIR;
}

static bool is_as_first(const struct history *h, uint32_t op,
                        const struct start *start) {
  return is_unwritten(h, start->read) && h->kind[op] == h->kind[start->read] &&
         (h->kind[op] == OP_READ_LIST ? starts_with(h, op, start)
                                      : value_seen(h, op) == start->value);
}

static void note_unwritten(const struct first *first, uint32_t op,
                           struct unwritten *found) {
  const struct history *h = first->h;
  const bool list = h->kind[op] == OP_READ_LIST;
  const uint64_t value = list ? 0 : value_seen(h, op);
  found->alike =
      !list && (!found->reads || (found->alike && value == found->value));
  found->value = value;
  found->reads++;
  found->at_first += is_as_first(h, op, &first->start[h->key[op]]);
}

static bool is_written(const struct history *h, uint64_t value) {
  uint32_t op = 0;
  while (op < h->nops && !(op_writes(h->kind[op]) && h->kind[op] != OP_APPEND &&
                           history_op_value(h, op) == value))
    op++;
  return op < h->nops;
}

struct unwritten history_unwritten(const struct history *history) {
  struct history spelt = history_spelt(history);
  struct unwritten found = {0};
  struct first first;
  uint32_t nlost;
  uint8_t *counted = history_counted(history, &nlost);
  open_first(&first, &spelt, counted);
  find_first_reads(&first, sees_a_value);
  for (uint32_t t = 0; t < spelt.ntxns; t++)
    for (uint32_t op = spelt.txn_first[t]; op < spelt.txn_first[t + 1]; op++)
      if (counted[t] && is_unwritten(&spelt, op))
        note_unwritten(&first, op, &found);
  found.written = found.alike && is_written(&spelt, found.value);
  free(first.start);
  free(counted);
  history_spelt_free(&spelt, history);
  return found;
}
