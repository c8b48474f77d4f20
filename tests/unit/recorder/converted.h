// SPDX-License-Identifier: GPL-3.0-or-later
// For the tests of conversions: made-up histories, and whether what is written
// of them is the same.
#ifndef TESTS_UNIT_RECORDER_CONVERTED_H
#define TESTS_UNIT_RECORDER_CONVERTED_H

#include "base/file.h"
#include "base/memory.h"
#include "recorder/files/writer.h"
#include "tests/kit/made_history.h"

#include <unistd.h>

// No two instants of different sessions are the same, or which came first would
// be up to the format.
static inline void keep_instants_apart(struct history *h) {
  for (uint32_t t = 0; t < h->ntxns; t++) {
    h->begin[t] = 16 * h->begin[t] + 2 * history_session(h, t) + 1;
    h->end[t] = 16 * h->end[t] + 2 * history_session(h, t);
  }
}

static inline struct made_session
made_for_builder(struct builder *builder, uint64_t seed, uint32_t session) {
  struct made_session m = made_session_open(seed, session, 4);
  m.builder = builder;
  return m;
}

// Some with times, some with named keys.
static inline struct history made(uint64_t seed) {
  struct builder *b = builder_open();
  struct history h;
  struct error error = {0};
  for (uint32_t s = 0; s < 4; s++) {
    struct made_session m = made_for_builder(b, seed, s);
    m.thin_air = seed % 3 == 0;
    for (int i = 0; i < 12; i++)
      make_transaction(&m);
    gsl_rng_free(m.random);
  }
  if (seed % 4 == 1) {
    builder_name_key(b, 3, "x");
    builder_name_key(b, 4, "a \"b\" \\ c");
    builder_name_key(b, 5, ":y");
    builder_name_key(b, 6, "-7");
  }
  CHECK_INT(builder_finish(b, &h, &error), 0);
  keep_instants_apart(&h);
  if (seed % 3 == 1) {
    h.endpoint = xmalloc(h.ntxns);
    for (uint32_t t = 0; t < h.ntxns; t++)
      h.endpoint[t] = t % 5 ? (uint8_t)(t % 5) : HISTORY_NO_ENDPOINT;
  }
  if (seed % 2) {
    free(h.begin);
    free(h.end);
    h.begin = h.end = NULL;
  }
  return h;
}

static inline char *bytes_of(const char *path, size_t *bytes) {
  struct error error;
  return (char *)file_load(path, SIZE_MAX - 1, bytes, &error);
}

static inline bool same_bytes(const char *one, const char *two) {
  size_t n = 0, m = 0;
  char *a = bytes_of(one, &n), *b = bytes_of(two, &m);
  const bool same = a && b && n == m && !memcmp(a, b, n);
  free(a);
  free(b);
  return same;
}

static inline void remove_history(const char *path) {
  struct file_list list = {0};
  struct error error;
  if (unlink(path) && !file_list(path, "*", &list, &error)) {
    for (uint32_t i = 0; i < list.count; i++)
      unlink(list.paths[i]);
    rmdir(path);
  }
  file_list_free(&list);
}

// Writes and reads; the caller frees what comes back.
static inline struct history there_and_back(const struct history *h,
                                            const struct read_options *options,
                                            const struct history_format *format,
                                            const char *path) {
  struct read_options reading = *options;
  struct history back = {0};
  struct error error = {0};
  reading.format = format->name;
  if (CHECK(!history_write(path, format, h, NULL, &error)))
    CHECK(!history_read_with(path, &reading, &back, &error));
  if (error.text[0])
    printf("# %s: %s\n", format->name, error.text);
  return back;
}

static inline bool same_saw_of(const struct history *a, uint32_t x,
                               const struct history *b, uint32_t y) {
  if (a->kind[x] != OP_READ_LIST)
    return !op_reads(a->kind[x]) || a->saw[x] == b->saw[y];
  uint32_t i = a->list[a->saw[x]].first, end = history_list_end(a, a->saw[x]);
  uint32_t j = b->list[b->saw[y]].first;
  bool same = history_list_end(b, b->saw[y]) - j == end - i;
  for (; same && i < end; i++, j++)
    same = a->element[i] == b->element[j];
  return same;
}

// Do both have the same transactions, operations, writers of what was read and
// names?  Values may be others.
static inline bool same_shape(const struct history *a,
                              const struct history *b) {
  bool same = a->ntxns == b->ntxns && a->nops == b->nops &&
              a->nsessions == b->nsessions && !a->begin == !b->begin;
  for (uint32_t t = 0; same && t < a->ntxns; t++)
    same =
        a->txn_first[t] == b->txn_first[t] && a->outcome[t] == b->outcome[t] &&
        (!a->begin || (a->begin[t] == b->begin[t] && a->end[t] == b->end[t]));
  for (uint32_t op = 0; same && op < a->nops; op++) {
    char one[24], two[24];
    same = a->kind[op] == b->kind[op] && same_saw_of(a, op, b, op) &&
           (!b->key_text || !strcmp(history_key(a, a->key[op], one),
                                    history_key(b, b->key[op], two)));
  }
  return same;
}

static inline bool says_all(const struct history *h,
                            const struct history_format *format) {
  struct export_loss losses[LOSSES_MAX];
  return history_losses(h, format, losses) == 0;
}

// Transactions without operations are not in every format.
static inline bool has_empty(const struct history *h) {
  bool empty = false;
  for (uint32_t t = 0; t < h->ntxns; t++)
    empty |= h->txn_first[t] == h->txn_first[t + 1];
  return empty;
}

// Writes and reads it in the format, twice.  Returns whether the format is a
// directory, or the bytes were the same both times.
static inline bool check_format(const struct history *h,
                                const struct read_options *options,
                                const struct history_format *format,
                                const char *directory) {
  char *one = xasprintf("%s/one", directory);
  char *two = xasprintf("%s/two", directory);
  bool same = true;
  struct history first = there_and_back(h, options, format, one);
  if (first.kind) {
    struct history second = there_and_back(&first, options, format, two);
    CHECK(history_is_sound(&first));
    CHECK(second.kind && same_shape(&first, &second));
    same = format->written_as != WRITTEN_STREAM || same_bytes(one, two);
    CHECK(!says_all(h, format) || has_empty(h) || same_shape(h, &first));
    CHECK(first.again || says_all(&first, format));
    history_free(&second);
  }
  if (tap_failures)
    printf("# in format %s\n", format->name);
  remove_history(one);
  remove_history(two);
  history_free(&first);
  free(one);
  free(two);
  return same;
}

// In all that have transactions; returns how many.
static inline uint32_t check_formats(const struct history *h,
                                     const struct read_options *options,
                                     const char *directory) {
  uint32_t n = 0;
  for (int f = 0; history_formats[f]; f++)
    if (history_formats[f]->write && !history_formats[f]->single) {
      check_format(h, options, history_formats[f], directory);
      n++;
    }
  return n;
}

#endif
