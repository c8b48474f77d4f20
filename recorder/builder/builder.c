// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what a reader of a format or a test tells
// (recorder/builder/builder.h), in the order of arrival.  What becomes of it is
// arrange.c and resolve.c.
#include "config.h"

#include "recorder/builder/building.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { AT_MOST = HISTORY_MAX - 1 }; // of anything

static uint32_t twice(uint32_t room) {
  assert(room < AT_MOST);
  return !room ? 16 : room < AT_MOST / 2 ? 2 * room : AT_MOST;
}

struct builder *builder_open(void) {
  struct builder *builder = xcalloc(1, sizeof *builder);
  builder->h.complete = true;
  return builder;
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
  builder_free_rows(builder);
  builder_free_sets(builder);
  history_free(&builder->h);
  FREE_EACH(builder->key_of_text, builder->session_number, builder->session,
            builder->expected, builder->longest, builder->first_value,
            builder->ranges, builder);
}

#define GROW(array, room) ((array) = xrealloc((array), (room), sizeof *(array)))

// More room for what is counted.  false: a history that is full is refused
// later as too large, so that the loss of the last one does not matter.
static bool make_builder_room(struct builder *b, uint32_t *room,
                              uint32_t *count) {
  if (*room == AT_MOST) {
    b->too_large = true;
    --*count;
    return false;
  }
  *room = twice(*room);
  assert(*room > *count);
  return true;
}

void builder_expect_ops(struct builder *builder, uint64_t nops) {
  assert(!builder->h.nops);
  builder->op_room = nops < AT_MOST ? (uint32_t)nops : AT_MOST;
  history_reserve_ops(&builder->h, builder->op_room);
}

void builder_session(struct builder *builder, uint64_t session) {
  assert(builder->h.ntxns);
  builder->session_number[builder->h.ntxns - 1] = session;
}

void builder_txn(struct builder *builder, uint64_t session,
                 enum outcome outcome, enum isolation level, uint64_t begin,
                 uint64_t end) {
  assert(outcome < OUTCOME_COUNT && level < ISOLATION_COUNT);
  if (builder->h.ntxns == builder->txn_room &&
      make_builder_room(builder, &builder->txn_room, &builder->h.ntxns)) {
    GROW(builder->session_number, builder->txn_room);
    history_reserve_txns(&builder->h, builder->txn_room);
  }
  const uint32_t t = builder->h.ntxns++;
  builder->session_number[t] = session;
  builder->h.txn_first[t] = builder->h.nops;
  if (builder->h.endpoint)
    builder->h.endpoint[t] = HISTORY_NO_ENDPOINT;
  builder_outcome(builder, outcome);
  builder_level(builder, level);
  builder_times(builder, begin, end);
}

void builder_outcome(struct builder *builder, enum outcome outcome) {
  assert(builder->h.ntxns && outcome < OUTCOME_COUNT);
  const uint32_t t = builder->h.ntxns - 1;
  builder->h.outcome[t] = (uint8_t)outcome;
  builder->h.cause[t] = outcome == OUTCOME_OK ? CAUSE_NONE : CAUSE_OTHER;
}

void builder_level(struct builder *builder, enum isolation level) {
  assert(builder->h.ntxns && level < ISOLATION_COUNT);
  builder->h.level[builder->h.ntxns - 1] = (uint8_t)level;
}

// Those of the transactions so far were not known.
static void start_times(struct builder *b) {
  GROW(b->h.begin, b->txn_room);
  GROW(b->h.end, b->txn_room);
  memset(b->h.begin, 0xff, b->h.ntxns * sizeof *b->h.begin);
  memset(b->h.end, 0xff, b->h.ntxns * sizeof *b->h.end);
}

void builder_times(struct builder *builder, uint64_t begin, uint64_t end) {
  assert(builder->h.ntxns);
  const bool known = begin != TIME_UNKNOWN || end != TIME_UNKNOWN;
  if (known && !builder->h.begin)
    start_times(builder);
  if (!builder->h.begin)
    return;
  builder->h.begin[builder->h.ntxns - 1] = begin;
  builder->h.end[builder->h.ntxns - 1] = end;
}

void builder_cause(struct builder *builder, enum cause cause) {
  assert(builder->h.ntxns && cause < CAUSE_COUNT);
  builder->h.cause[builder->h.ntxns - 1] = (uint8_t)cause;
}

void builder_endpoint(struct builder *builder, uint8_t endpoint) {
  assert(builder->h.ntxns && endpoint < HISTORY_NO_ENDPOINT);
  if (!builder->h.endpoint) {
    GROW(builder->h.endpoint, builder->txn_room);
    memset(builder->h.endpoint, HISTORY_NO_ENDPOINT, builder->h.ntxns);
  }
  builder->h.endpoint[builder->h.ntxns - 1] = endpoint;
}

static inline uint32_t key_id(struct builder *b, uint64_t key) {
  const uint64_t text = key - VALUE_NAMED;
  return text < b->key_texts.count ? b->key_of_text[text]
                                   : number_map_id(&b->keys, key);
}

// There is room for it.
static inline uint32_t put_built_op(struct builder *b, unsigned kind,
                                    uint32_t key, uint64_t value) {
  const uint32_t op = b->h.nops++;
  assert(b->h.ntxns && op < b->op_room);
  b->h.key[op] = key;
  b->h.value[op] = value;
  b->h.saw[op] = 0;
  b->h.kind[op] = (uint8_t)kind;
  return op;
}

uint32_t builder_add_op(struct builder *builder, unsigned kind, uint64_t key,
                        uint64_t value) {
  if (builder->h.nops == builder->op_room &&
      make_builder_room(builder, &builder->op_room, &builder->h.nops))
    history_reserve_ops(&builder->h, builder->op_room);
  return put_built_op(builder, kind, key_id(builder, key), value);
}

// Most keys are small numbers that are known, and then nothing has to be
// called.
void builder_op(struct builder *builder, enum op_kind kind, uint64_t key,
                uint64_t value) {
  assert(kind == OP_READ || kind == OP_WRITE || kind == OP_APPEND);
  const struct number_map *keys = &builder->keys;
  if (key < keys->nsmall && keys->small[key] &&
      builder->h.nops < builder->op_room)
    put_built_op(builder, kind, keys->small[key] - 1, value);
  else
    builder_add_op(builder, kind, key, value);
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
  builder->h.saw[op] = builder->nexpected;
  builder->expected[builder->nexpected++] = expected;
  return op;
}

void builder_cas(struct builder *builder, uint64_t key, uint64_t expected,
                 uint64_t value) {
  builder_add_cas(builder, OP_CAS, key, expected, value);
}

uint32_t builder_elements_left(const struct builder *b) {
  return AT_MOST - b->h.nelements;
}

void builder_list(struct builder *builder, uint64_t key, const uint64_t *values,
                  uint32_t count) {
  if (count > builder_elements_left(builder)) {
    builder->too_large = true;
    count = 0;
  }
  const uint32_t op = builder_add_op(builder, OP_READ_LIST, key, 0);
  if (builder->h.nlists == builder->list_room) {
    builder->list_room = twice(builder->list_room);
    GROW(builder->h.list, builder->list_room);
  }
  builder->h.saw[op] = builder->h.nlists;
  builder->h.list[builder->h.nlists++] = (struct seen_list){
      builder_put_list(builder, builder->h.key[op], values, count), count};
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
  ARRAY_COVER(builder->names, id, builder->nnames);
  free(builder->names[id]);
  builder->names[id] = xstrdup(name);
}

struct builder_options *builder_options(struct builder *builder) {
  return &builder->options;
}

int builder_finish(struct builder *builder, struct history *history,
                   struct error *error) {
  int status = -1;
  *history = (struct history){0};
  builder->patience.stop = builder->options.stop;
  text_map_close(&builder->key_texts);
  text_map_close(&builder->value_texts);
  builder_add_missing(builder);
  if (builder->too_large)
    error_set(error,
              "too many transactions, operations or list elements: at most "
              "%u of each can be loaded",
              (unsigned)AT_MOST);
  else if (builder_spread_sets(builder, error) == 0) {
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
