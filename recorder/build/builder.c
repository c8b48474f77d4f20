// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what a reader of a format or a test tells
// (recorder/build/builder.h), in the order of arrival.  What becomes of it is
// arrange.c and resolve.c.
#include "config.h"

#include "recorder/build/building.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { AT_MOST = HISTORY_MAX - 1 }; // of anything; one entry more is kept

static uint32_t twice(uint32_t room) {
  assert(room < HISTORY_MAX);
  return !room ? 16 : room < HISTORY_MAX / 2 ? 2 * room : HISTORY_MAX;
}

struct builder *builder_open(void) {
  struct builder *builder = xcalloc(1, sizeof *builder);
  return builder;
}

static void free_arrays(struct builder *b) {
  FREE_EACH(b->session_number, b->session, b->txn_first, b->outcome, b->cause,
            b->level, b->begin, b->end, b->kind, b->key, b->value, b->saw,
            b->expected, b->list, b->element_value, b->endpoint, b->longest,
            b->first_value, b->ranges);
}

void builder_free(struct builder *builder) {
  assert(builder);
  for (uint32_t i = 0; i < builder->nnames; i++)
    free(builder->names[i]);
  free(builder->names);
  number_map_free(&builder->sessions);
  number_map_free(&builder->keys);
  text_map_free(&builder->key_texts);
  text_map_free(&builder->value_texts);
  free(builder->key_of_text);
  builder_free_rows(builder);
  free_arrays(builder);
  free(builder);
}

#define GROW(array, room) ((array) = xrealloc((array), (room), sizeof *(array)))

static void grow_txns(struct builder *b, uint32_t room) {
  assert(room > b->ntxns);
  b->txn_room = room;
  GROW(b->session_number, room);
  GROW(b->txn_first, room);
  GROW(b->outcome, room);
  GROW(b->cause, room);
  GROW(b->level, room);
  if (b->begin) {
    GROW(b->begin, room);
    GROW(b->end, room);
  }
  if (b->endpoint)
    GROW(b->endpoint, room);
}

static void grow_ops(struct builder *b, uint32_t room) {
  b->op_room = room;
  GROW(b->kind, room);
  GROW(b->key, room);
  GROW(b->value, room);
  GROW(b->saw, room);
}

void builder_expect_ops(struct builder *builder, uint64_t count) {
  if (builder->op_room || count >= HISTORY_MAX)
    return;
  builder->op_room = (uint32_t)count;
  builder->kind = xmalloc_large(count, sizeof *builder->kind);
  builder->key = xmalloc_large(count, sizeof *builder->key);
  builder->value = xmalloc_large(count, sizeof *builder->value);
  builder->saw = xmalloc_large(count, sizeof *builder->saw);
}

void builder_session(struct builder *builder, uint64_t session) {
  assert(builder->ntxns);
  builder->session_number[builder->ntxns - 1] = session;
}

// The history is full.  It is refused later as too large, so that the loss of
// one transaction does not matter.
static void make_room(struct builder *builder) {
  builder->too_large = true;
  builder->ntxns--;
}

void builder_txn(struct builder *builder, uint64_t session,
                 enum outcome outcome, enum isolation level, uint64_t begin,
                 uint64_t end) {
  assert(outcome < OUTCOME_COUNT && level < ISOLATION_COUNT);
  if (builder->ntxns == AT_MOST)
    make_room(builder);
  if (builder->ntxns + 1 >= builder->txn_room)
    grow_txns(builder, twice(builder->txn_room));
  const uint32_t t = builder->ntxns++;
  builder->session_number[t] = session;
  builder->txn_first[t] = builder->nops;
  if (builder->endpoint)
    builder->endpoint[t] = HISTORY_NO_ENDPOINT;
  builder_outcome(builder, outcome);
  builder_level(builder, level);
  builder_times(builder, begin, end);
}

void builder_outcome(struct builder *builder, enum outcome outcome) {
  assert(builder->ntxns && outcome < OUTCOME_COUNT);
  const uint32_t t = builder->ntxns - 1;
  builder->outcome[t] = (uint8_t)outcome;
  builder->cause[t] = outcome == OUTCOME_OK ? CAUSE_NONE : CAUSE_OTHER;
}

void builder_level(struct builder *builder, enum isolation level) {
  assert(builder->ntxns && level < ISOLATION_COUNT);
  builder->level[builder->ntxns - 1] = (uint8_t)level;
}

// Those of the transactions so far were not known.
static void start_times(struct builder *b) {
  GROW(b->begin, b->txn_room);
  GROW(b->end, b->txn_room);
  memset(b->begin, 0xff, b->ntxns * sizeof *b->begin);
  memset(b->end, 0xff, b->ntxns * sizeof *b->end);
}

void builder_times(struct builder *builder, uint64_t begin, uint64_t end) {
  assert(builder->ntxns);
  const bool known = begin != TIME_UNKNOWN || end != TIME_UNKNOWN;
  builder->times |= known;
  if (known && !builder->begin)
    start_times(builder);
  if (!builder->begin)
    return;
  builder->begin[builder->ntxns - 1] = begin;
  builder->end[builder->ntxns - 1] = end;
}

void builder_cause(struct builder *builder, enum cause cause) {
  assert(builder->ntxns && cause < CAUSE_COUNT);
  builder->cause[builder->ntxns - 1] = (uint8_t)cause;
}

void builder_endpoint(struct builder *builder, uint8_t endpoint) {
  assert(builder->ntxns && endpoint < HISTORY_NO_ENDPOINT);
  if (!builder->endpoint) {
    GROW(builder->endpoint, builder->txn_room);
    memset(builder->endpoint, HISTORY_NO_ENDPOINT, builder->ntxns);
  }
  builder->endpoint[builder->ntxns - 1] = endpoint;
}

static inline uint32_t key_id(struct builder *b, uint64_t key) {
  const uint64_t text = key - VALUE_NAMED;
  return text < b->key_texts.count ? b->key_of_text[text]
                                   : number_map_id(&b->keys, key);
}

uint32_t builder_add_op(struct builder *builder, unsigned kind, uint64_t key,
                        uint64_t value) {
  assert(builder->ntxns);
  if (builder->nops == AT_MOST) {
    builder->too_large = true;
    builder->nops--; // as in make_room
  }
  if (builder->nops == builder->op_room)
    grow_ops(builder, twice(builder->op_room));
  const uint32_t op = builder->nops++;
  builder->kind[op] = (uint8_t)kind;
  builder->key[op] = key_id(builder, key);
  builder->value[op] = value;
  builder->saw[op] = 0;
  return op;
}

void builder_op(struct builder *builder, enum op_kind kind, uint64_t key,
                uint64_t value) {
  assert(kind == OP_READ || kind == OP_WRITE || kind == OP_APPEND);
  builder_add_op(builder, kind, key, value);
}

void builder_ops(struct builder *builder, const struct told_op *ops,
                 uint32_t count) {
  assert(builder->ntxns);
  if (count > AT_MOST - builder->nops) {
    builder->too_large = true;
    count = 0;
  }
  if (!count)
    return; // there may be no arrays
  while (builder->op_room - builder->nops < count)
    grow_ops(builder, twice(builder->op_room));
  uint8_t *const kind = builder->kind + builder->nops;
  uint32_t *const key = builder->key + builder->nops;
  uint64_t *const value = builder->value + builder->nops;
  uint32_t *const saw = builder->saw + builder->nops;
  for (uint32_t i = 0; i < count; i++) {
    kind[i] = ops[i].kind;
    key[i] = key_id(builder, ops[i].key);
    value[i] = ops[i].value;
    saw[i] = 0;
  }
  builder->nops += count;
}

void builder_nothing(struct builder *builder, uint64_t key) {
  builder->nothing = true;
  builder_add_op(builder, OP_NOTHING, key, VALUE_INITIAL);
}

uint32_t builder_add_cas(struct builder *builder, unsigned kind, uint64_t key,
                         uint64_t expected, uint64_t value) {
  assert(op_compares(kind));
  const uint32_t op = builder_add_op(builder, kind, key, value);
  ARRAY_RESERVE(builder->expected, builder->nexpected, builder->expected_room);
  builder->saw[op] = builder->nexpected;
  builder->expected[builder->nexpected++] = expected;
  return op;
}

void builder_cas(struct builder *builder, uint64_t key, uint64_t expected,
                 uint64_t value) {
  builder_add_cas(builder, OP_CAS, key, expected, value);
}

void builder_reserve_elements(struct builder *b, uint32_t count) {
  assert(count <= builder_elements_left(b));
  uint64_t room = b->element_room;
  while (room - b->nelements < count)
    room = twice((uint32_t)room);
  if (room > b->element_room)
    b->element_value = xrealloc(b->element_value, room, sizeof(uint64_t));
  b->element_room = (uint32_t)room;
}

uint32_t builder_elements_left(const struct builder *b) {
  return AT_MOST - b->nelements;
}

void builder_list(struct builder *builder, uint64_t key, const uint64_t *values,
                  uint32_t count) {
  if (count > builder_elements_left(builder)) {
    builder->too_large = true;
    count = 0;
  }
  const uint32_t op = builder_add_op(builder, OP_READ_LIST, key, 0);
  if (builder->nlists == builder->list_room) {
    builder->list_room = twice(builder->list_room);
    GROW(builder->list, builder->list_room);
  }
  builder->saw[op] = builder->nlists;
  builder->list[builder->nlists++] = (struct seen_list){
      builder_put_list(builder, builder->key[op], values, count), count};
}

uint64_t builder_key_named(struct builder *builder, const char *text,
                           size_t length) {
  const uint32_t before = builder->key_texts.count;
  const uint32_t id = text_map_id(&builder->key_texts, text, length);
  const uint64_t number = VALUE_NAMED + id;
  if (id == before) {
    ARRAY_RESERVE(builder->key_of_text, id, builder->key_of_text_room);
    builder->key_of_text[id] = number_map_id(&builder->keys, number);
    builder_name_key(builder, number, text_map_text(&builder->key_texts, id));
  }
  return number;
}

uint64_t builder_value_named(struct builder *builder, const char *text,
                             size_t length) {
  return VALUE_NAMED + text_map_id(&builder->value_texts, text, length);
}

void builder_name_key(struct builder *builder, uint64_t key, const char *name) {
  uint32_t id = number_map_id(&builder->keys, key);
  if (id >= builder->nnames) {
    uint32_t n = id < 8 ? 16 : id * 2;
    builder->names = xrealloc(builder->names, n, sizeof *builder->names);
    memset(builder->names + builder->nnames, 0,
           (n - builder->nnames) * sizeof *builder->names);
    builder->nnames = n;
  }
  free(builder->names[id]);
  builder->names[id] = xstrdup(name);
}

void builder_initial(struct builder *builder, enum initial initial) {
  assert(initial <= INITIAL_BY_KEY);
  builder->initial = initial;
}

void builder_initial_value(struct builder *builder, const char *text) {
  builder->initial_text = text;
}

void builder_prefer_lists(struct builder *builder) {
  builder->prefer_lists = true;
}

void builder_allow_duplicates(struct builder *builder) {
  builder->allow_duplicates = true;
}

void builder_stop(struct builder *builder, const volatile bool *stop) {
  builder->patience.stop = stop;
}

int builder_finish(struct builder *builder, struct history *history,
                   struct error *error) {
  int status = -1;
  *history = (struct history){.complete = true};
  text_map_close(&builder->key_texts);
  text_map_close(&builder->value_texts);
  builder_add_missing(builder);
  if (builder->too_large)
    error_set(error,
              "too many transactions, operations or list elements: at most "
              "%u of each can be loaded",
              (unsigned)AT_MOST);
  else {
    uint64_t *expected = builder_arrange(builder, history);
    status = builder->patience.ended
                 ? -1
                 : builder_resolve(builder, history, expected, error);
    free(expected);
  }
  if (builder->patience.ended)
    error_set(error, "stopped while it was read");
  if (status)
    history_free(history);
  builder_free(builder);
  return status;
}
