// SPDX-License-Identifier: GPL-3.0-or-later
// For the tests of conversions: made-up histories, and whether what is written
// of them is the same.
#ifndef TESTS_CONVERTED_H
#define TESTS_CONVERTED_H

#include "base/memory.h"
#include "recorder/file.h"
#include "recorder/writer.h"
#include "tests/history_kit.h"

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
                                            const struct history_format *format,
                                            const char *path) {
  struct history back = {0};
  struct error error = {0};
  if (CHECK(!history_write(path, format, h, NULL, &error)))
    CHECK(!history_read(path, format->name, &back, &error));
  if (error.text[0])
    printf("# %s: %s\n", format->name, error.text);
  return back;
}

static inline bool same_files(const char *one, const char *two) {
  struct file_list a = {0}, b = {0};
  struct error error;
  bool same = true;
  if (access(one, F_OK) || access(two, F_OK))
    return false;
  if (file_list(one, "*", &a, &error) || file_list(two, "*", &b, &error))
    return same_bytes(one, two);
  same = a.count == b.count;
  for (uint32_t i = 0; same && i < a.count; i++)
    same = same_bytes(a.paths[i], b.paths[i]);
  file_list_free(&a);
  file_list_free(&b);
  return same;
}

static inline bool same_losses(const struct content *a, const struct content *b,
                               const struct history_format *format) {
  struct loss some[LOSSES_MAX], others[LOSSES_MAX];
  const uint32_t n = content_losses(a, format, some);
  bool same = n == content_losses(b, format, others);
  for (uint32_t i = 0; same && i < n; i++)
    same = some[i].what == others[i].what && some[i].count == others[i].count;
  return same;
}

// Writes what is in transit and what is in memory.
static inline uint32_t check_target(struct transit *transit,
                                    const struct history *h,
                                    const struct history_format *format,
                                    const char *directory) {
  const struct content *content = transit_content(transit);
  const struct content whole = content_of(h);
  struct error error = {0};
  if (!format->write)
    return 0;
  CHECK(!transit_find_writers(transit, format, &error));
  CHECK(same_losses(content, &whole, format));
  char *one = xasprintf("%s/three", directory);
  char *two = xasprintf("%s/four", directory);
  const int status = history_write(one, format, h, NULL, &error);
  CHECK(!status || format->single);
  CHECK_INT(transit_write(two, format, transit, NULL, &error), status);
  if (!status && !CHECK(same_files(one, two)))
    printf("# to %s: %s\n", format->name, error.text);
  remove_history(one);
  remove_history(two);
  free(one);
  free(two);
  return 1;
}

static inline uint32_t check_targets(const char *path,
                                     const struct history *whole,
                                     const struct read_options *options,
                                     const char *directory) {
  char *out = xasprintf("%s/two", directory);
  struct transit *transit;
  struct error error;
  uint32_t n = 0;
  CHECK(!transit_read(path, options, out, &transit, &error));
  for (int f = 0; history_formats[f] && transit; f++)
    n += check_target(transit, whole, history_formats[f], directory);
  transit_free(transit);
  free(out);
  return n;
}

#endif
