// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of our own format are read as they were recorded, whatever they have in
// common with others of their key, and what they have in common is there once.
#include "config.h"

#include "tests/history_kit.h"

#include <unistd.h>

enum { NKEYS = 40, NSESSIONS = 3, NTXNS = 9000, OPS = 6 };

static char path[] = "/tmp/isostress-test-lists.XXXXXX";

// What may be wrong with a list.
enum wrong {
  NOTHING,
  ORDER,      // two elements have changed places
  THIN_AIR,   // nobody appended an element
  OTHERS,     // an element was appended to another key
  EVERYTHING, // each of it, now and then
};

// What sessions did, told to a builder and recorded.
struct told {
  struct builder *builder;
  struct recording *recording;
  gsl_rng *random;
  uint64_t nwrites[NSESSIONS];
  struct value_list list[NKEYS]; // what was appended
  uint32_t longest;              // that are read; 0: none is
  enum wrong wrong;
};

static uint32_t number(struct told *t, uint64_t below) {
  return below ? (uint32_t)(gsl_rng_get(t->random) % below) : 0;
}

static void spoil(struct told *t, struct value_list *list, uint32_t key) {
  if (!list->count)
    return;
  const uint32_t i = number(t, list->count), k = number(t, list->count);
  const struct value_list *other = &t->list[(key + 1) % NKEYS];
  const enum wrong wrong =
      t->wrong == EVERYTHING ? (enum wrong)number(t, EVERYTHING) : t->wrong;
  const uint64_t value = list->values[i];
  if (wrong == ORDER) {
    list->values[i] = list->values[k];
    list->values[k] = value;
  } else if (wrong == THIN_AIR)
    list->values[i] = value_of_write(NSESSIONS, 7);
  else if (wrong == OTHERS && other->count)
    list->values[i] = other->values[number(t, other->count)];
}

static void tell_list(struct told *t, struct tape *tape, uint32_t key) {
  const struct value_list *all = &t->list[key];
  const uint32_t most = all->count < t->longest ? all->count : t->longest;
  const uint32_t less = number(t, 4) ? 0 : number(t, most + 1);
  struct value_list list = {0};
  for (uint32_t i = 0; i < most - less; i++)
    value_list_push(&list, all->values[i]);
  if (number(t, 16) == 0)
    spoil(t, &list, key);
  builder_list(t->builder, key, list.values, list.count);
  tape_list(tape, key, &list, 0, 0);
  value_list_free(&list);
}

static void tell_op(struct told *t, struct tape *tape, uint32_t s) {
  const uint32_t key = number(t, NKEYS);
  if (t->longest && number(t, 4)) {
    tell_list(t, tape, key);
    return;
  }
  if (t->wrong >= THIN_AIR && number(t, 32) == 0)
    spoil(t, &t->list[key], key); // for all that read it from now on
  const uint64_t value = value_of_write(s, t->nwrites[s]++);
  builder_op(t->builder, OP_APPEND, key, value);
  tape_op(tape, OP_APPEND, key, value, 0, 0);
  value_list_push(&t->list[key], value);
}

static struct history tell(struct told *t) {
  struct history h = {0};
  struct error error = {0};
  unlink(path);
  CHECK(!recording_open(path, NSESSIONS, false, 0, "", &t->recording, &error));
  t->builder = builder_open();
  for (uint64_t i = 0; i < NTXNS; i++) {
    const uint32_t s = number(t, NSESSIONS);
    struct tape *tape = recording_tape(t->recording, s);
    tape_begin(tape, ISOLATION_SER, i * 10);
    builder_txn(t->builder, s, OUTCOME_OK, ISOLATION_SER, i * 10, i * 10 + 5);
    for (int op = 0; op < OPS; op++)
      tell_op(t, tape, s);
    tape_end(tape, OUTCOME_OK, CAUSE_NONE, i * 10 + 5);
  }
  CHECK(!recording_close(t->recording, &error));
  CHECK(!builder_finish(t->builder, &h, &error));
  for (uint32_t k = 0; k < NKEYS; k++)
    value_list_free(&t->list[k]);
  gsl_rng_free(t->random);
  return h;
}

static void check_lists(uint32_t longest, enum wrong wrong) {
  struct told t = {.random = random_stream(longest + 1, wrong, RANDOM_TEST),
                   .longest = longest,
                   .wrong = wrong};
  struct history told = tell(&t), read;
  struct error error;
  uint64_t elements = 0;
  for (uint32_t i = 0; i < told.nlists; i++)
    elements += told.list[i].count;
  CHECK(longest <= 1 || wrong >= ORDER || 4 * told.nelements < elements);
  CHECK(history_is_sound(&told));
  for (uint32_t threads = 1; threads <= 3; threads += 2) {
    const struct read_options options = {.threads = threads};
    CHECK(!history_read_with(path, &options, &read, &error));
    CHECK_STR(error.text, "");
    CHECK((read.value != NULL) == (wrong >= THIN_AIR));
    CHECK(history_is_sound(&read));
    CHECK(longest <= 1 || wrong >= ORDER ||
          4 * (uint64_t)read.nelements < elements);
    CHECK(read.nelements <= elements);
    check_same_history(&told, &read);
    history_free(&read);
  }
  history_free(&told);
}

static void lists_that_stay(void) { check_lists(16, NOTHING); }
static void lists_that_grow(void) { check_lists(200, NOTHING); }
static void lists_of_one_element(void) { check_lists(1, NOTHING); }
static void lists_that_nobody_reads(void) { check_lists(0, NOTHING); }
static void lists_of_another_order(void) { check_lists(40, ORDER); }
static void elements_of_nobody(void) { check_lists(40, THIN_AIR); }
static void elements_of_another_key(void) { check_lists(40, OTHERS); }
static void all_of_it(void) { check_lists(70, EVERYTHING); }

int main(void) {
  const int fd = mkstemp(path);
  CHECK(fd >= 0);
  close(fd);
  const int status =
      TAP_RUN({"lists that stay as they are", lists_that_stay},
              {"lists that grow", lists_that_grow},
              {"lists of one element", lists_of_one_element},
              {"lists that nobody reads", lists_that_nobody_reads},
              {"lists of another order", lists_of_another_order},
              {"elements that nobody appended", elements_of_nobody},
              {"elements of another key", elements_of_another_key},
              {"all of it", all_of_it});
  unlink(path);
  return status;
}
