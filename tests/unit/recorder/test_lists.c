// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of our own format are read as they were recorded, whatever they have in
// common with others of their key, and what they have in common is there once.
#include "config.h"

#include "base/memory.h"
#include "tests/kit/made_history.h"

#include <unistd.h>

enum { NKEYS = 40, ALL_KEYS = 1000, NTXNS = 9000, OPS = 6 };

static char path[] = "/tmp/isostress-test-lists.XXXXXX";

// The mistakes that a list may have.
enum wrong {
  NOTHING,
  ORDER,      // two elements have changed places
  THIN_AIR,   // nobody appended an element
  OTHERS,     // an element was appended to another key
  EVERYTHING, // each of it, now and then
};

// The shape of a history's lists.
struct shape {
  uint32_t longest; // that are read; 0: none is
  enum wrong wrong;
  uint32_t nsessions;
  uint32_t between;  // writes of a register before each append
  uint64_t interval; // ns, of transactions
  bool slides;       // keys are used for a while, and read once more at the end
};

// The operations of sessions, told to a builder and recorded.
struct told {
  const struct shape *shape;
  struct builder *builder;
  struct recording *recording;
  gsl_rng *random;
  uint64_t *nwrites;
  uint32_t first_key;               // of those that are in use
  struct value_list list[ALL_KEYS]; // what was appended
};

static uint32_t number(struct told *t, uint64_t below) {
  return below ? (uint32_t)(gsl_rng_get(t->random) % below) : 0;
}

static void spoil(struct told *t, struct value_list *list, uint32_t key) {
  if (!list->count)
    return;
  const uint32_t i = number(t, list->count), k = number(t, list->count);
  const struct value_list *other = &t->list[(key + 1) % ALL_KEYS];
  const enum wrong wrong = t->shape->wrong == EVERYTHING
                               ? (enum wrong)number(t, EVERYTHING)
                               : t->shape->wrong;
  const uint64_t value = list->values[i];
  if (wrong == ORDER) {
    list->values[i] = list->values[k];
    list->values[k] = value;
  } else if (wrong == THIN_AIR)
    list->values[i] = value_of_write(t->shape->nsessions, 7);
  else if (wrong == OTHERS && other->count)
    list->values[i] = other->values[number(t, other->count)];
}

static void tell_list(struct told *t, struct session_log *log, uint32_t key) {
  const struct value_list *all = &t->list[key];
  const uint32_t longest = t->shape->longest;
  const uint32_t most = all->count < longest ? all->count : longest;
  const uint32_t less = number(t, 4) ? 0 : number(t, most + 1);
  struct value_list list = {0};
  for (uint32_t i = 0; i < most - less; i++)
    value_list_push(&list, all->values[i]);
  if (number(t, 16) == 0)
    spoil(t, &list, key);
  builder_list(t->builder, key, list.values, list.count);
  session_log_list(log, key, &list, 0, 0);
  value_list_free(&list);
}

static uint64_t tell_write(struct told *t, struct session_log *log, uint32_t s,
                           enum op_kind kind, uint64_t key) {
  const uint64_t value = value_of_write(s, t->nwrites[s]++);
  builder_op(t->builder, kind, key, value);
  session_log_op(log, kind, key, value, 0, 0);
  return value;
}

static void tell_op(struct told *t, struct session_log *log, uint32_t s) {
  const uint32_t key = t->first_key + number(t, NKEYS);
  if (t->shape->longest && number(t, 4)) {
    tell_list(t, log, key);
    return;
  }
  if (t->shape->wrong >= THIN_AIR && number(t, 32) == 0)
    spoil(t, &t->list[key], key); // for all that read it from now on
  for (uint32_t i = 0; i < t->shape->between; i++)
    tell_write(t, log, s, OP_WRITE, ALL_KEYS);
  value_list_push(&t->list[key], tell_write(t, log, s, OP_APPEND, key));
}

static void tell_txn(struct told *t, uint64_t i, bool closes) {
  const uint32_t s = number(t, t->shape->nsessions);
  const uint64_t begin = i * t->shape->interval;
  struct session_log *log = recording_session_log(t->recording, s);
  session_log_begin(log, ISOLATION_SER, begin);
  builder_txn(t->builder, s, OUTCOME_OK, ISOLATION_SER, begin, begin + 5);
  for (uint32_t key = 0; closes && key < ALL_KEYS; key++)
    tell_list(t, log, key);
  for (int op = 0; !closes && op < OPS; op++)
    tell_op(t, log, s);
  session_log_end(log, OUTCOME_OK, CAUSE_NONE, begin + 5);
}

static struct history tell(struct told *t) {
  const uint32_t nsessions = t->shape->nsessions;
  struct history h = {0};
  struct error error = {0};
  unlink(path);
  CHECK(!recording_open(path, nsessions, false, 0, "", NULL, &t->recording,
                        &error));
  t->builder = builder_open();
  t->nwrites = xcalloc(nsessions, sizeof *t->nwrites);
  for (uint32_t i = 0; i < NTXNS; i++) {
    t->first_key = t->shape->slides ? i * (ALL_KEYS - NKEYS) / NTXNS : 0;
    tell_txn(t, i, false);
  }
  if (t->shape->slides)
    tell_txn(t, NTXNS, true);
  CHECK(!recording_close(t->recording, &error));
  CHECK(!builder_finish(t->builder, &h, &error));
  for (uint32_t k = 0; k < ALL_KEYS; k++)
    value_list_free(&t->list[k]);
  free(t->nwrites);
  gsl_rng_free(t->random);
  return h;
}

// `shared`: lists have much in common.
static void check_shape(struct shape shape, bool shared) {
  struct told t = {
      .random = random_stream(shape.longest + 1, shape.wrong, RANDOM_TEST),
      .shape = &shape};
  struct history told = tell(&t), read;
  struct error error;
  uint64_t elements = 0;
  for (uint32_t i = 0; i < told.nlists; i++)
    elements += told.list[i].count;
  CHECK(!shared || 4 * told.nelements < elements);
  CHECK(history_is_sound(&told));
  CHECK(!history_read(path, NULL, &read, &error));
  CHECK_STR(error.text, "");
  CHECK((read.value != NULL) == (shape.wrong >= THIN_AIR));
  CHECK(history_is_sound(&read));
  CHECK(!shared || 4 * (uint64_t)read.nelements < elements);
  CHECK(read.nelements <= elements);
  check_same_history(&told, &read);
  history_free(&read);
  history_free(&told);
}

static void check_lists(uint32_t longest, enum wrong wrong) {
  const struct shape shape = {
      .longest = longest, .wrong = wrong, .nsessions = 3, .interval = 10};
  check_shape(shape, longest > 1 && wrong < ORDER);
}

static void lists_that_stay(void) { check_lists(16, NOTHING); }
static void lists_that_grow(void) { check_lists(200, NOTHING); }
static void lists_of_one_element(void) { check_lists(1, NOTHING); }
static void lists_that_nobody_reads(void) { check_lists(0, NOTHING); }
static void lists_of_another_order(void) { check_lists(40, ORDER); }
static void elements_of_nobody(void) { check_lists(40, THIN_AIR); }
static void elements_of_another_key(void) { check_lists(40, OTHERS); }
static void all_of_it(void) { check_lists(70, EVERYTHING); }

// The written values need two bytes, three, and again two, less another base.
static void values_far_apart(void) {
  for (int slides = 0; slides < 2; slides++) {
    const struct shape shape = {.longest = 30,
                                .nsessions = 3,
                                .between = 30,
                                .interval = 10,
                                .slides = slides};
    check_shape(shape, true);
  }
}

// So far that there are more bases than are kept apart, and once so few
// elements that their bytes are not kept for long.
static void values_further_apart(void) {
  for (uint32_t longest = 1; longest <= 30; longest += 29) {
    const struct shape shape = {.longest = longest,
                                .nsessions = 2,
                                .between = 90,
                                .interval = 10,
                                .slides = true};
    check_shape(shape, longest > 1);
  }
}

static void lists_of_one_session(void) {
  const struct shape shape = {
      .longest = 50, .nsessions = 1, .interval = 10, .slides = true};
  check_shape(shape, true);
}

static void lists_of_many_sessions(void) {
  const struct shape shape = {.longest = 50, .nsessions = 300, .interval = 10};
  check_shape(shape, true);
}

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
              {"all of it", all_of_it}, {"values far apart", values_far_apart},
              {"values further apart", values_further_apart},
              {"lists of one session", lists_of_one_session},
              {"lists of many sessions", lists_of_many_sessions});
  unlink(path);
  return status;
}
