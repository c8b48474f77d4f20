// SPDX-License-Identifier: GPL-3.0-or-later
// Takes a transaction at a time from a spool (recorder/transit.h).
#include "config.h"

#include "recorder/transiting.h"

#include "base/memory.h"
#include "recorder/building.h"
#include "recorder/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static void reserve_ops(struct transit *transit, uint64_t n) {
  struct history *h = &transit->at_hand;
  if (n < transit->op_room)
    return;
  const uint32_t room = transit->op_room = 2 * ((uint32_t)n + 16);
  h->kind = xrealloc(h->kind, room, sizeof *h->kind);
  h->key = xrealloc(h->key, room, sizeof *h->key);
  h->value = xrealloc(h->value, room, sizeof *h->value);
  h->saw = xrealloc(h->saw, room, sizeof *h->saw);
  h->list = xrealloc(h->list, room, sizeof *h->list);
  transit->name = xrealloc(transit->name, room, sizeof *transit->name);
  if (transit->op_times) {
    h->op_begin = xrealloc(h->op_begin, room, sizeof *h->op_begin);
    h->op_end = xrealloc(h->op_end, room, sizeof *h->op_end);
  }
}

// Each operation may have seen a value, and each element of a list is one.
static void reserve(struct transit *transit, uint64_t ops, uint64_t elements) {
  struct history *h = &transit->at_hand;
  reserve_ops(transit, 2 * ops + (transit->join ? elements : 0) + 1);
  if (elements < transit->element_room)
    return;
  transit->element_room = 2 * ((uint32_t)elements + 16);
  h->element = xrealloc(h->element, transit->element_room, sizeof *h->element);
  h->element_value = xrealloc(h->element_value, transit->element_room,
                              sizeof *h->element_value);
}

// --- An operation.

static uint32_t put_behind(struct transit *transit, uint64_t value,
                           uint64_t name) {
  struct history *h = &transit->at_hand;
  h->value[h->nops] = value;
  transit->name[h->nops] = name;
  return h->nops++;
}

// Is it what a register held at first?
static bool is_initial(const struct transit *transit, struct item item,
                       bool cas) {
  if (!may_be_written(transit, item))
    return true;
  if (item.list || !transit->start || (cas && transit->blind_cas))
    return false;
  const struct start *start = &transit->start[item.key];
  return start->held && start->value == item.value;
}

// What somebody wrote is behind the operations; also what was expected by a
// compare-and-set.
static uint32_t seen(struct transit *transit, struct item item, bool cas) {
  uint64_t name = UINT64_MAX;
  if (is_initial(transit, item, cas))
    return SAW_INITIAL;
  if (transit->join)
    name = join_writer(transit->join, item);
  return cas || name < UINT64_MAX ? put_behind(transit, item.value, name)
                                  : SAW_THIN_AIR;
}

unsigned transit_kind_of_nothing(const struct transit *transit, uint32_t key) {
  const uint8_t as = transit->use[key].as & (A_LIST | A_REGISTER);
  return as == A_LIST || (!as && transit->prefer_lists) ? OP_READ_LIST
                                                        : OP_READ;
}

// Passes over the elements of a list that were there at first, if it starts
// with all of them.
static const unsigned char *pass_front(const struct transit *transit,
                                       uint32_t key, const unsigned char *p,
                                       uint64_t *nelements) {
  const struct start none = {0};
  const struct start *start = transit->start ? &transit->start[key] : &none;
  const unsigned char *rest = p;
  uint64_t value;
  if (*nelements < start->nfront)
    return p;
  for (uint32_t i = 0; i < start->nfront; i++) {
    rest = load_packed(rest, &value);
    if (value != start->front[i])
      return p;
  }
  *nelements -= start->nfront;
  return rest;
}

static const unsigned char *take_list(struct transit *transit, uint32_t op,
                                      const unsigned char *p,
                                      uint64_t nelements) {
  struct history *h = &transit->at_hand;
  p = pass_front(transit, h->key[op], p, &nelements);
  h->list[h->nlists] = (struct seen_list){h->nelements, (uint32_t)nelements};
  h->saw[op] = h->nlists++;
  h->value[op] = 0;
  for (; nelements; nelements--, h->nelements++) {
    struct item item = {.key = h->key[op], .list = true};
    p = load_packed(p, &item.value);
    h->element_value[h->nelements] = item.value;
    h->element[h->nelements] = seen(transit, item, false);
  }
  return p;
}

static const unsigned char *take_op(struct transit *transit, uint32_t op,
                                    const unsigned char *p) {
  struct history *h = &transit->at_hand;
  uint64_t key, number = 0;
  unsigned kind = *p++;
  p = load_packed(p, &key);
  h->key[op] = (uint32_t)key;
  p = load_packed(p, &number); // nothing: 0, as of an empty list
  if (kind == OP_NOTHING) {
    kind = transit_kind_of_nothing(transit, h->key[op]);
    number = kind == OP_READ ? transit->nothing : VALUE_INITIAL;
  }
  h->kind[op] = (uint8_t)kind;
  if (kind == OP_READ_LIST)
    return take_list(transit, op, p, number);
  const bool zero = transit->use[key].as & HOLDS_ZERO;
  number = value_behind_zero(transit->zero, zero, number);
  if (key < transit->nfirst && (kind == OP_READ || kind == OP_WRITE))
    number = value_behind_first(transit->first_value[key], number);
  const struct item item = {.key = h->key[op], .value = number};
  h->saw[op] = op_reads(kind) ? seen(transit, item, kind == OP_CAS) : 0;
  if (kind == OP_CAS)
    p = load_packed(p, &number);
  h->value[op] = value_behind_zero(transit->zero, zero, number);
  return p;
}

static const unsigned char *take_op_times(struct transit *transit,
                                          const unsigned char *p) {
  struct history *h = &transit->at_hand;
  uint64_t last = 0;
  for (uint32_t op = 0; op < h->txn_first[1]; op++) {
    uint64_t gap, duration;
    p = load_packed(p, &gap);
    p = load_packed(p, &duration);
    h->op_begin[op] = last += gap;
    h->op_end[op] = last += duration;
  }
  return p;
}

// --- A transaction.

static const unsigned char *take_txn(struct transit *transit,
                                     const unsigned char *p) {
  struct history *h = &transit->at_hand;
  uint64_t ops, elements, begin, end;
  p = load_packed(p, &ops);
  p = load_packed(p, &elements);
  reserve(transit, ops, elements);
  h->outcome[0] = *p++;
  h->cause[0] = *p++;
  h->level[0] = *p++;
  const uint8_t endpoint = *p++;
  if (h->endpoint)
    h->endpoint[0] = endpoint;
  const bool op_times = *p++;
  p = load_packed(p, &begin);
  p = load_packed(p, &end);
  if (transit->times) {
    h->begin[0] = begin - 1;
    h->end[0] = end - 1;
  }
  h->nlists = h->nelements = 0;
  h->nops = h->txn_first[1] = (uint32_t)ops;
  for (uint32_t op = 0; op < ops; op++)
    p = take_op(transit, op, p);
  return op_times ? take_op_times(transit, p) : p;
}

// A write that is not written (writing_takes) has a name that nobody else has.
static uint64_t name_of_write(const struct transit *transit, uint32_t op,
                              struct transit_cursor *cursor) {
  const uint32_t session = transit->hand_session;
  if (transit->names != NAMES_WRITES)
    return transit->number;
  if (transit->at_hand.outcome[0] == OUTCOME_OK &&
      transit_is_left_out(transit, transit->number))
    return value_of_write(VALUE_MAX_SESSIONS,
                          transit->first[session].ops + cursor->ops + op);
  return value_of_write(session, cursor->writes++);
}

static void name_writes(struct transit *transit,
                        struct transit_cursor *cursor) {
  const struct history *h = &transit->at_hand;
  for (uint32_t op = 0; op < h->txn_first[1]; op++)
    if (op_writes(h->kind[op]))
      transit->name[op] = name_of_write(transit, op, cursor);
  cursor->ops += h->txn_first[1];
}

// As long as nothing else holds it, 0 may not be written to a register.
static int refuse_zero(const struct transit *transit, uint32_t session,
                       const struct transit_cursor *cursor,
                       struct error *error) {
  const struct history *h = &transit->at_hand;
  char key[24];
  for (uint32_t op = 0; op < h->txn_first[1]; op++)
    if (h->value[op] == VALUE_INITIAL && op_writes(h->kind[op]) &&
        !op_is_list(h->kind[op]))
      return error_set(error,
                       "%s: session %" PRIu32 ", transaction %" PRIu32
                       " writes 0 to key %s, which is its initial value: "
                       "values must be unique (or --init=explicit, or "
                       "--duplicate-values=allow)",
                       transit->path, session, cursor->txns - 1,
                       history_key(h, h->key[op], key));
  return 0;
}

int transit_next(struct transit *transit, uint32_t session,
                 struct transit_cursor *cursor, struct error *error) {
  struct spool_cursor *records = &cursor->records;
  if (transit->first[session].txns == transit->first[session + 1].txns)
    return 0;
  if (cursor->after)
    records->p = cursor->after;
  cursor->after = NULL;
  if (records->p == records->end) {
    const int more =
        spool_more(transit->spool, transit->session[session], records, error);
    if (more <= 0)
      return more;
  }
  cursor->after = take_txn(transit, records->p);
  transit->hand_session = session;
  transit->number = transit->first[session].txns + cursor->txns++;
  name_writes(transit, cursor);
  if (transit->join && join_check(transit->join, error))
    return -1;
  return transit->refuse_zero && refuse_zero(transit, session, cursor, error)
             ? -1
             : 1;
}

void transit_again(struct transit *transit,
                   const struct transit_cursor *cursor) {
  assert(!transit->join); // which answers once
  take_txn(transit, cursor->records.p);
}

void transit_cursor_free(struct transit_cursor *cursor) {
  spool_cursor_free(&cursor->records);
  *cursor = (struct transit_cursor){0};
}

const struct history *transit_at_hand(const struct transit *transit) {
  return &transit->at_hand;
}

uint64_t transit_number(const struct transit *transit) {
  return transit->number;
}

uint64_t transit_name(const struct transit *transit, uint32_t op) {
  return transit->name[op];
}
