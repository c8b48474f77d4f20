// SPDX-License-Identifier: GPL-3.0-or-later
// Building histories, and asking them which transactions count.
#include "config.h"

#include "base/random.h"
#include "recorder/builder/builder.h"
#include "recorder/builder/number_map.h"
#include "tests/kit/made_history.h"
#include "tests/tap.h"

#include <stdlib.h>

static void txn(struct builder *b, uint64_t session, enum outcome outcome) {
  builder_txn(b, session, outcome, ISOLATION_SER, TIME_UNKNOWN, TIME_UNKNOWN);
}

static struct history finish(struct builder *b) {
  struct history h;
  struct error error = {0};
  CHECK_INT(builder_finish(b, &h, &error), 0);
  CHECK_STR(error.text, "");
  return h;
}

static void sessions_are_sorted_and_reads_resolved(void) {
  struct builder *b = builder_open();
  txn(b, 7, OUTCOME_OK);
  builder_op(b, OP_READ, 100, 5);
  builder_op(b, OP_READ, 200, 5);
  txn(b, 3, OUTCOME_OK);
  builder_op(b, OP_WRITE, 100, 5);
  txn(b, 7, OUTCOME_ABORTED);
  builder_op(b, OP_READ, 100, 0);
  struct history h = finish(b);

  CHECK_INT(h.nsessions, 2);
  CHECK_INT(h.ntxns, 3);
  CHECK_INT(h.nops, 4);
  CHECK_INT(h.nkeys, 2);
  CHECK_INT(h.session_first[1], 1);
  CHECK_INT(h.session_first[2], 3);
  CHECK_INT(h.kind[0], OP_WRITE);
  CHECK_INT(h.saw[1], 0);
  CHECK_INT(h.saw[2], SAW_THIN_AIR);
  CHECK_INT(h.saw[3], SAW_INITIAL);
  CHECK_INT(h.outcome[2], OUTCOME_ABORTED);
  CHECK_INT(h.txn_first[3], 4);
  CHECK_INT(h.key_number[h.key[0]], 100);
  CHECK(h.begin == NULL && h.complete && !h.lists);
  history_free(&h);
  CHECK(h.kind == NULL);
}

// Two keys of one name, of which the initial value of the register alone was
// written again.
static void a_list_and_a_register_are_two_keys(void) {
  struct builder *b = builder_open();
  const uint64_t x = builder_key_named(b, "x", 1);
  const uint64_t y = builder_key_named(b, "y", 1);
  char buffer[24];
  builder_options(b)->allow_duplicates = true;
  txn(b, 0, OUTCOME_OK);
  builder_op(b, OP_APPEND, x, 5);
  builder_op(b, OP_WRITE, y, 6);
  txn(b, 1, OUTCOME_OK);
  builder_list(b, x, (const uint64_t[]){5}, 1);
  builder_op(b, OP_WRITE, x, 0);
  builder_op(b, OP_READ, x, 0);
  struct history h = finish(b);
  CHECK_INT(h.nkeys, 2);
  history_separate_lists(&h);

  CHECK(history_is_sound(&h));
  CHECK_INT(h.nkeys, 3);
  CHECK(h.key[0] == h.key[2] && h.key[3] == h.key[4]);
  CHECK(h.key[0] != h.key[3]);
  CHECK_STR(history_key(&h, h.key[0], buffer), "x");
  CHECK_STR(history_key(&h, h.key[1], buffer), "y");
  CHECK_STR(history_key(&h, h.key[3], buffer), "x");
  CHECK_INT(h.key_number[h.key[0]], x);
  CHECK_INT(h.again[h.nops + h.key[3]], 3);
  CHECK_INT(h.again[h.nops + h.key[0]], h.nops + h.key[0]);
  history_free(&h);
}

static void ids_find_their_owner(void) {
  struct builder *b = builder_open();
  char buffer[24];
  for (uint64_t s = 0; s < 3; s++)
    for (int t = 0; t < 4; t++) {
      txn(b, s, OUTCOME_OK);
      for (int i = 0; i < t % 3; i++)
        builder_op(b, OP_READ, 12345678901234567890u, 0);
    }
  struct history h = finish(b);
  for (uint32_t t = 0; t < h.ntxns; t++) {
    CHECK_INT(history_session(&h, t), t / 4);
    for (uint32_t op = h.txn_first[t]; op < h.txn_first[t + 1]; op++)
      CHECK_INT(history_txn(&h, op), t);
  }
  CHECK_STR(history_key(&h, 0, buffer), "12345678901234567890");
  history_free(&h);
}

static void keys_have_names(void) {
  struct builder *b = builder_open();
  char buffer[24];
  txn(b, 0, OUTCOME_OK);
  for (uint64_t key = 0; key < 40; key++)
    builder_op(b, OP_READ, key, 0);
  builder_name_key(b, 1, "wrong");
  builder_name_key(b, 1, "balance");
  builder_name_key(b, 39, "last");
  struct history h = finish(b);
  CHECK_STR(history_key(&h, 1, buffer), "balance");
  CHECK_STR(history_key(&h, 39, buffer), "last");
  CHECK_STR(history_key(&h, 2, buffer), "2");
  history_free(&h);
}

static void lists_and_cas_are_resolved(void) {
  struct builder *b = builder_open();
  txn(b, 0, OUTCOME_OK);
  builder_op(b, OP_APPEND, 1, 10);
  builder_op(b, OP_APPEND, 1, 11);
  builder_cas(b, 2, 0, 20);
  txn(b, 1, OUTCOME_OK);
  builder_list(b, 1, (const uint64_t[]){11, 10, 99}, 3);
  builder_list(b, 1, NULL, 0);
  builder_cas(b, 2, 20, 21);
  struct history h = finish(b);
  CHECK(h.lists);
  CHECK_INT(h.nlists, 2);
  CHECK_INT(h.saw[3], 0);
  CHECK_INT(h.saw[4], 1);
  CHECK_INT(h.list[0].first, 0);
  CHECK_INT(h.list[0].count, 3);
  CHECK_INT(h.list[1].count, 0);
  CHECK_INT(h.element[0], 1);
  CHECK_INT(h.element[1], 0);
  CHECK_INT(h.element[2], SAW_THIN_AIR);
  CHECK_INT(h.saw[2], SAW_INITIAL);
  CHECK_INT(h.saw[5], 2);
  CHECK_INT(h.value[5], 21);
  history_free(&h);
}

// The first operation that writes what `op` reads, by looking at all of them.
static uint32_t writer_by_search(const struct history *h, uint32_t op,
                                 bool implicit) {
  if (implicit && h->value[op] == VALUE_INITIAL)
    return SAW_INITIAL;
  for (uint32_t w = 0; w < h->nops; w++)
    if (op_writes(h->kind[w]) && !op_is_list(h->kind[w]) &&
        h->key[w] == h->key[op] && h->value[w] == h->value[op])
      return w;
  return SAW_THIN_AIR;
}

static uint32_t length_of_circle(const struct history *h, uint32_t op) {
  uint32_t n = 1;
  for (uint32_t i = h->again[op]; i != op; i = h->again[i])
    n++;
  return n;
}

// Do the writes of each value stand in a circle?
static bool writes_stand_together(const struct history *h) {
  bool together = true;
  for (uint32_t op = 0; op < h->nops && h->again; op++) {
    uint32_t same = 0;
    for (uint32_t w = 0; w < h->nops; w++)
      same += op_writes(h->kind[w]) && h->key[w] == h->key[op] &&
              h->value[w] == h->value[op];
    if (op_writes(h->kind[op]) && h->value[op] != VALUE_INITIAL)
      together &= length_of_circle(h, op) == same;
  }
  return together;
}

// The values of each key are counted up; `large` of ten are large numbers, and
// `again` of ten were written before.
static struct history scattered(gsl_rng *random, unsigned large, unsigned again,
                                bool implicit) {
  enum { TXNS = 60, OPS = 4, KEYS = 7 };
  struct builder *b = builder_open();
  uint64_t newest[KEYS] = {0};
  builder_options(b)->initial = implicit ? INITIAL_IMPLICIT : INITIAL_EXPLICIT;
  if (again)
    builder_options(b)->allow_duplicates = true;
  for (int t = 0; t < TXNS; t++) {
    txn(b, gsl_rng_uniform_int(random, 5), OUTCOME_OK);
    for (int i = 0; i < OPS; i++) {
      const uint64_t key = gsl_rng_uniform_int(random, KEYS);
      const bool writes = gsl_rng_uniform_int(random, 2);
      uint64_t value = gsl_rng_uniform_int(random, newest[key] + 2);
      if (writes && gsl_rng_uniform_int(random, 10) >= again)
        value = ++newest[key];
      else if (writes && !value)
        value = 1;
      if (value % 10 < large) // the same for writers and readers
        value += UINT64_C(1) << 40;
      builder_op(b, writes ? OP_WRITE : OP_READ, key * 1000, value);
    }
  }
  return finish(b);
}

static void small_and_large_values_find_their_writers(void) {
  enum { HISTORIES = 300 };
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  uint32_t wrong = 0, apart = 0;
  for (unsigned i = 0; i < HISTORIES; i++) {
    const bool implicit = i & 1;
    struct history h = scattered(random, i % 11, i % 3, implicit);
    for (uint32_t op = 0; op < h.nops; op++)
      wrong += h.kind[op] == OP_READ &&
               h.saw[op] != writer_by_search(&h, op, implicit);
    apart += !writes_stand_together(&h);
    history_free(&h);
  }
  CHECK_INT(wrong, 0);
  CHECK_INT(apart, 0);
  gsl_rng_free(random);
}

// The first operation that appends to the list `key` what is its element `i`.
static uint32_t appender_by_search(const struct history *h, uint32_t key,
                                   uint32_t i) {
  for (uint32_t w = 0; w < h->nops; w++)
    if (h->kind[w] == OP_APPEND && h->key[w] == key &&
        h->value[w] == h->element_value[i])
      return w;
  return SAW_THIN_AIR;
}

static uint32_t wrong_elements(const struct history *h, uint32_t op) {
  uint32_t wrong = 0;
  for (uint32_t i = h->list[h->saw[op]].first;
       i < history_list_end(h, h->saw[op]); i++)
    wrong += h->element[i] != appender_by_search(h, h->key[op], i);
  return wrong;
}

// Values are counted, whatever the key; three of ten are `far` times as large,
// and `again` of ten have been written just before, as a rule to another key.
static struct history counted(gsl_rng *random, uint64_t far, unsigned again,
                              bool lists) {
  enum { TXNS = 500, OPS = 4, KEYS = 3, LIST = 3 };
  struct builder *b = builder_open();
  uint64_t newest = 0, list[LIST];
  builder_options(b)->allow_duplicates = true;
  for (int t = 0; t < TXNS; t++) {
    txn(b, gsl_rng_uniform_int(random, 5), OUTCOME_OK);
    for (int i = 0; i < OPS; i++) {
      const uint64_t key = gsl_rng_uniform_int(random, KEYS);
      const bool writes = gsl_rng_uniform_int(random, 2);
      const bool is_list = lists && gsl_rng_uniform_int(random, 2);
      for (int j = 0; j < LIST; j++) {
        list[j] = newest + 1 -
                  gsl_rng_uniform_int(random, newest < 8 ? newest + 2 : 9);
        if (writes && !j && gsl_rng_uniform_int(random, 10) >= again)
          list[j] = ++newest;
        if (list[j] % 10 < 3) // the same for writers and readers
          list[j] *= far;
      }
      if (is_list && !writes)
        builder_list(b, key, list, LIST);
      else if (is_list)
        builder_op(b, OP_APPEND, key, list[0]);
      else
        builder_op(b, writes ? OP_WRITE : OP_READ, key, list[0]);
    }
  }
  return finish(b);
}

// Beside key 0, key 1 is given its first values as a register and as a list.
static void one_value_has_a_writer_of_each_kind(void) {
  enum { NEAR = 400, BOTH = 20 };
  struct builder *b = builder_open();
  uint32_t wrong = 0;
  txn(b, 0, OUTCOME_OK);
  for (uint64_t value = 1; value <= NEAR; value++)
    builder_op(b, OP_WRITE, 0, value);
  for (uint64_t value = 1; value <= BOTH; value++) {
    builder_op(b, OP_WRITE, 1, value);
    builder_op(b, OP_APPEND, 1, value);
  }
  for (uint64_t value = 1; value <= BOTH; value++) {
    builder_op(b, OP_READ, 1, value);
    builder_list(b, 1, &value, 1);
  }
  struct history h = finish(b);
  for (uint32_t i = 0; i < BOTH; i++) {
    wrong += h.saw[NEAR + 2 * BOTH + 2 * i] != NEAR + 2 * i;
    wrong += h.element[i] != NEAR + 2 * i + 1;
  }
  CHECK_INT(wrong, 0);
  history_free(&h);
}

static void near_and_far_values_find_their_writers(void) {
  enum { HISTORIES = 96 };
  gsl_rng *random = random_stream(3, 0, RANDOM_TEST);
  uint32_t wrong = 0, found = 0;
  for (unsigned i = 0; i < HISTORIES; i++) {
    const bool lists = i & 1;
    struct history h = counted(random, 1 << i % 12, i / 12 % 4, lists);
    for (uint32_t op = 0; op < h.nops; op++) {
      if (h.kind[op] == OP_READ_LIST)
        wrong += wrong_elements(&h, op);
      if (h.kind[op] == OP_READ) {
        wrong += h.saw[op] != writer_by_search(&h, op, true);
        found += h.saw[op] < h.nops;
      }
    }
    history_free(&h);
  }
  CHECK_INT(wrong, 0);
  CHECK(found > HISTORIES * 50);
  gsl_rng_free(random);
}

static void numbers_keep_their_ids(void) {
  enum { NUMBERS = 20000 };
  struct number_map map = {0};
  gsl_rng *random = random_stream(2, 0, RANDOM_TEST);
  uint64_t *number = calloc(NUMBERS, sizeof *number);
  uint32_t n = 0, wrong = 0;
  for (int i = 0; i < 10 * NUMBERS && n < NUMBERS; i++) {
    const unsigned bits = 1 + (unsigned)gsl_rng_uniform_int(random, 24);
    const uint64_t x = gsl_rng_uniform_int(random, UINT64_C(1) << bits);
    const uint32_t id = number_map_id(&map, x);
    if (id == n)
      number[n++] = x;
    wrong += id > n || number[id] != x;
  }
  for (uint32_t i = 0; i < n; i++)
    wrong += number_map_id(&map, number[i]) != i || map.numbers[i] != number[i];
  CHECK_INT(wrong, 0);
  CHECK_INT(map.count, n);
  number_map_free(&map);
  free(number);
  gsl_rng_free(random);
}

static void a_value_written_twice_is_refused(void) {
  struct history h;
  struct error error = {0};
  struct builder *b = builder_open();
  txn(b, 0, OUTCOME_OK);
  txn(b, 0, OUTCOME_OK);
  builder_op(b, OP_WRITE, 4, 9);
  txn(b, 1, OUTCOME_ABORTED);
  builder_op(b, OP_WRITE, 5, 9);
  builder_cas(b, 4, 1, 9);
  CHECK_INT(builder_finish(b, &h, &error), -1);
  CHECK_STR(error.text, "value 9 is written to key 4 twice, in session 0, "
                        "transaction 1 and in session 1, transaction 0: values "
                        "must be unique per key (or --duplicate-values=allow)");
  CHECK(h.kind == NULL);

  b = builder_open();
  txn(b, 0, OUTCOME_OK);
  builder_op(b, OP_WRITE, 4, 0);
  CHECK_INT(builder_finish(b, &h, &error), -1);
  CHECK_STR(error.text,
            "session 0, transaction 0 writes 0 to key 4, which is "
            "its initial value: values must be unique (or --init=explicit, or "
            "--duplicate-values=allow)");
}

static void an_empty_history_is_one(void) {
  struct history h = finish(builder_open());
  uint32_t nlost;
  CHECK_INT(h.nsessions + h.ntxns + h.nops + h.nkeys + h.nlists, 0);
  CHECK_INT(h.session_first[0] + h.txn_first[0] + h.nelements, 0);
  free(history_counted(&h, &nlost));
  CHECK_INT(nlost, 0);
  history_free(&h);
}

static void unknown_transactions_count_when_seen(void) {
  struct builder *b = builder_open();
  uint32_t nlost;
  txn(b, 0, OUTCOME_UNKNOWN); // 0: seen by 1
  builder_op(b, OP_WRITE, 1, 1);
  txn(b, 1, OUTCOME_UNKNOWN); // 1: seen by 2, through a list
  builder_op(b, OP_READ, 1, 1);
  builder_op(b, OP_APPEND, 3, 1);
  txn(b, 2, OUTCOME_OK); // 2
  builder_list(b, 3, (const uint64_t[]){1}, 1);
  txn(b, 3, OUTCOME_UNKNOWN); // 3: seen by an aborted one only
  builder_op(b, OP_WRITE, 1, 3);
  txn(b, 4, OUTCOME_ABORTED); // 4
  builder_op(b, OP_READ, 1, 3);
  struct history h = finish(b);
  uint8_t *counted = history_counted(&h, &nlost);
  CHECK(memcmp(counted, (const uint8_t[]){1, 1, 1, 0, 0}, 5) == 0);
  CHECK_INT(nlost, 0);
  free(counted);
  history_free(&h);
}

// 0 saw a lost write; 1 read from 0; 2 read from 1 through the unknown 3; 4
// read from nobody of these; 5 aborted after a lost read, and 6 read from it,
// which is a violation that must stay.
static void what_depends_on_lost_writes_is_left_out(void) {
  struct builder *b = builder_open();
  uint32_t nlost;
  txn(b, 0, OUTCOME_OK);
  builder_op(b, OP_READ, 9, 77);
  builder_op(b, OP_WRITE, 0, 1);
  txn(b, 1, OUTCOME_OK);
  builder_op(b, OP_READ, 0, 1);
  builder_op(b, OP_APPEND, 1, 1);
  txn(b, 2, OUTCOME_OK);
  builder_op(b, OP_READ, 3, 1);
  txn(b, 3, OUTCOME_UNKNOWN);
  builder_list(b, 1, (const uint64_t[]){1}, 1);
  builder_op(b, OP_WRITE, 3, 1);
  txn(b, 4, OUTCOME_OK);
  builder_op(b, OP_WRITE, 0, 4);
  txn(b, 5, OUTCOME_ABORTED);
  builder_op(b, OP_READ, 9, 77);
  builder_op(b, OP_WRITE, 5, 5);
  txn(b, 6, OUTCOME_OK);
  builder_op(b, OP_READ, 5, 5);
  struct history h = finish(b);
  h.saw[0] = SAW_LOST;
  CHECK_INT(h.value[h.txn_first[5]], 77);
  h.saw[h.txn_first[5]] = SAW_LOST;
  uint8_t *counted = history_counted(&h, &nlost);
  CHECK(memcmp(counted, (const uint8_t[]){0, 0, 0, 0, 1, 0, 1}, 7) == 0);
  CHECK_INT(nlost, 4);
  free(counted);
  history_free(&h);
}

int main(void) {
  return TAP_RUN(
      {"sessions are sorted and reads resolved",
       sessions_are_sorted_and_reads_resolved},
      {"a list and a register are two keys",
       a_list_and_a_register_are_two_keys},
      {"ids find their owner", ids_find_their_owner},
      {"keys have names", keys_have_names},
      {"lists and cas are resolved", lists_and_cas_are_resolved},
      {"small and large values find their writers",
       small_and_large_values_find_their_writers},
      {"one value has a writer of each kind",
       one_value_has_a_writer_of_each_kind},
      {"near and far values find their writers",
       near_and_far_values_find_their_writers},
      {"numbers keep their ids", numbers_keep_their_ids},
      {"a value written twice is refused", a_value_written_twice_is_refused},
      {"an empty history is a history", an_empty_history_is_one},
      {"unknown transactions count when seen",
       unknown_transactions_count_when_seen},
      {"transactions that depend on lost writes are left out",
       what_depends_on_lost_writes_is_left_out});
}
