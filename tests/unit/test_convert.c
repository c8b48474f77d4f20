// SPDX-License-Identifier: GPL-3.0-or-later
// A history that is written and read again is the same, as far as the format
// can say it: then writing it once more gives the same bytes, and what the
// format can say is equal transaction by transaction.
#include "config.h"

#include "base/memory.h"
#include "recorder/file.h"
#include "recorder/writer.h"
#include "tests/history_kit.h"

#include <unistd.h>

enum { HISTORIES = 12 };

// No two instants of different sessions are the same, or which came first would
// be up to the format.
static void keep_instants_apart(struct history *h) {
  for (uint32_t t = 0; t < h->ntxns; t++) {
    h->begin[t] = 16 * h->begin[t] + 2 * history_session(h, t) + 1;
    h->end[t] = 16 * h->end[t] + 2 * history_session(h, t);
  }
}

static struct made_session made_for_builder(struct builder *builder,
                                            uint64_t seed, uint32_t session) {
  struct made_session m = made_session_open(seed, session, 4);
  m.builder = builder;
  return m;
}

// Some with times, some with named keys.
static struct history made(uint64_t seed) {
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

static bool same_saw_of(const struct history *a, uint32_t x,
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
static bool same_shape(const struct history *a, const struct history *b) {
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

static char *bytes_of(const char *path, size_t *bytes) {
  struct error error;
  return (char *)file_load(path, SIZE_MAX - 1, bytes, &error);
}

static bool same_bytes(const char *one, const char *two) {
  size_t n = 0, m = 0;
  char *a = bytes_of(one, &n), *b = bytes_of(two, &m);
  const bool same = a && b && n == m && !memcmp(a, b, n);
  free(a);
  free(b);
  return same;
}

static void remove_history(const char *path) {
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
static struct history there_and_back(const struct history *h,
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

static bool says_all(const struct history *h,
                     const struct history_format *format) {
  struct loss losses[LOSSES_MAX];
  return history_losses(h, format, losses) == 0;
}

static void check_format(const struct history *h,
                         const struct history_format *format,
                         const char *directory) {
  char *one = xasprintf("%s/one", directory);
  char *two = xasprintf("%s/two", directory);
  struct history first = there_and_back(h, format, one);
  if (first.kind) {
    struct history second = there_and_back(&first, format, two);
    CHECK(history_is_sound(&first));
    CHECK(second.kind && same_shape(&first, &second));
    CHECK(format->written_as != WRITTEN_STREAM || same_bytes(one, two));
    CHECK(!says_all(h, format) || same_shape(h, &first));
    CHECK(says_all(&first, format));
    history_free(&second);
  }
  if (tap_failures)
    printf("# in format %s\n", format->name);
  remove_history(one);
  remove_history(two);
  history_free(&first);
  free(one);
  free(two);
}

// --- In transit.

static bool same_files(const char *one, const char *two) {
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

static bool same_losses(const struct content *a, const struct content *b,
                        const struct history_format *format) {
  struct loss some[LOSSES_MAX], others[LOSSES_MAX];
  const uint32_t n = content_losses(a, format, some);
  bool same = n == content_losses(b, format, others);
  for (uint32_t i = 0; same && i < n; i++)
    same = some[i].what == others[i].what && some[i].count == others[i].count;
  return same;
}

// Writes what is in transit and what is in memory.
static uint32_t check_target(struct transit *transit, const struct history *h,
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
  CHECK(!history_write(one, format, h, NULL, &error));
  CHECK(!transit_write(two, format, transit, NULL, &error));
  if (!CHECK(same_files(one, two)))
    printf("# to %s: %s\n", format->name, error.text);
  remove_history(one);
  remove_history(two);
  free(one);
  free(two);
  return 1;
}

static uint32_t check_targets(const char *path, const struct history *whole,
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

static uint32_t check_source(const struct history *h,
                             const struct history_format *format,
                             const char *directory) {
  const struct read_options options = {0};
  char *path = xasprintf("%s/one", directory);
  struct history whole = there_and_back(h, format, path);
  const uint32_t n = check_targets(path, &whole, &options, directory);
  if (tap_failures)
    printf("# from %s\n", format->name);
  history_free(&whole);
  remove_history(path);
  free(path);
  return n;
}

static void transit_changes_nothing(void) {
  char directory[] = "/tmp/isostress-convert.XXXXXX";
  uint32_t n = 0;
  CHECK(mkdtemp(directory) != NULL);
  for (uint64_t seed = 0; seed < HISTORIES; seed++) {
    struct history h = made(seed);
    for (int f = 0; history_formats[f]; f++)
      if (history_formats[f]->write)
        n += check_source(&h, history_formats[f], directory);
    history_free(&h);
  }
  CHECK(n > 1500);
  CHECK_INT(rmdir(directory), 0);
}

// --- Values that are written twice.

static void put_op(FILE *file, unsigned long kind, unsigned long key,
                   unsigned long one, unsigned long two) {
  static const char *const names[] = {"r", "w", "append"};
  if (kind < 3)
    fprintf(file, "[\"%s\",%lu,%lu]", names[kind], key, one);
  else if (kind == 3)
    fprintf(file, "[\"r\",%lu,[%lu,%lu,%lu]]", key, one, two, one / 2 + 1);
  else
    fprintf(file, "[\"cas\",%lu,%lu,%lu]", key, one, two);
}

// JSON lines of few values, 0 among them where it is not the initial one.
static void write_duplicates(const char *path, uint64_t seed) {
  static const char *const outcomes[] = {"ok", "ok", "unknown", "aborted"};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  for (int t = 0; t < 30; t++) {
    fprintf(file, "{\"session\":%d,\"outcome\":\"%s\",\"ops\":[", t % 4,
            outcomes[gsl_rng_uniform_int(random, 4)]);
    for (int op = 0; op < 4; op++) {
      const unsigned long key = gsl_rng_uniform_int(random, 3);
      const unsigned long one = gsl_rng_uniform_int(random, 40) + seed % 2;
      const unsigned long two = gsl_rng_uniform_int(random, 40) + seed % 2;
      fputs(op ? "," : "", file);
      put_op(file, gsl_rng_uniform_int(random, 5), key, one, two);
    }
    fputs("]}\n", file);
  }
  fclose(file);
  gsl_rng_free(random);
}

// They are refused in transit, too, where writers are looked for.
static void check_refusal(const char *path, const struct error *refused,
                          const char *directory) {
  char *out = xasprintf("%s/two", directory);
  const struct read_options options = {0};
  struct transit *transit;
  struct error error = {0};
  CHECK(!transit_read(path, &options, out, &transit, &error));
  for (int f = 0; history_formats[f] && transit; f++)
    if (history_formats[f]->names) {
      CHECK_INT(transit_find_writers(transit, history_formats[f], &error), -1);
      if (!strstr(error.text, " writes 0 to key "))
        CHECK_STR(error.text, refused->text);
    }
  transit_free(transit);
  free(out);
}

static void duplicates_stay_the_same(void) {
  char directory[] = "/tmp/isostress-convert.XXXXXX";
  struct read_options options = {.duplicates = DUPLICATES_ALLOW};
  struct error error;
  uint32_t nrefused = 0;
  CHECK(mkdtemp(directory) != NULL);
  char *path = xasprintf("%s/one.jsonl", directory);
  for (uint64_t seed = 0; seed < 4 * HISTORIES; seed++) {
    struct history made, h, refused;
    write_duplicates(path, seed);
    // Once more, for what compare-and-sets expected of nobody is not kept.
    CHECK(!history_read_with(path, &options, &made, &error));
    CHECK(!history_write(path, history_format_for(path), &made, NULL, &error));
    CHECK(!history_read_with(path, &options, &h, &error));
    check_targets(path, &h, &options, directory);
    history_free(&h);
    history_free(&made);
    if (history_read(path, NULL, &refused, &error)) {
      nrefused++;
      check_refusal(path, &error, directory);
    }
    history_free(&refused);
  }
  CHECK(nrefused > HISTORIES);
  unlink(path);
  free(path);
  CHECK_INT(rmdir(directory), 0);
}

static void there_and_back_is_the_same(void) {
  char directory[] = "/tmp/isostress-convert.XXXXXX";
  CHECK(mkdtemp(directory) != NULL);
  for (uint64_t seed = 0; seed < HISTORIES; seed++) {
    struct history h = made(seed);
    for (int f = 0; history_formats[f]; f++)
      if (history_formats[f]->write)
        check_format(&h, history_formats[f], directory);
    history_free(&h);
  }
  CHECK_INT(rmdir(directory), 0);
}

// --- What a format can say.

// An operation such as the format has: registers have even keys, lists odd
// ones.
static void make_what_can_be_said(struct made_session *m, unsigned says,
                                  bool committed) {
  const bool list = says & SAYS_LISTS && made_number(m, 3) == 0;
  const uint64_t key = 2 * made_number(m, 5) + list;
  const uint64_t what =
      committed || says & SAYS_UNCOMMITTED_READS ? made_number(m, 5) : 0;
  const uint64_t written = value_of_write(m->session, m->nwrites);
  m->nwrites += what < 3;
  if (what >= 3 && list)
    make_list(m, key, 0);
  else if (what >= 3)
    builder_op(m->builder, OP_READ, key, made_value(m));
  else if (what == 2 && !list && committed && says & SAYS_CAS)
    builder_cas(m->builder, key, made_value(m), written);
  else
    builder_op(m->builder, list ? OP_APPEND : OP_WRITE, key, written);
}

// With all that the format can say, but for names, levels, causes and hosts. An
// aborted transaction has one write: in PolySI's text each write is one.
static struct history made_for(unsigned says, uint64_t seed) {
  struct error error = {0};
  struct history h;
  struct builder *b = builder_open();
  for (uint32_t s = 0; s < 4; s++) {
    struct made_session m = made_for_builder(b, seed, s);
    for (int i = 0; i < 20; i++) {
      const uint64_t odds = made_number(&m, 6);
      const enum outcome outcome =
          odds == 0 && says & SAYS_ABORTED   ? OUTCOME_ABORTED
          : odds == 1 && says & SAYS_UNKNOWN ? OUTCOME_UNKNOWN
                                             : OUTCOME_OK;
      const uint64_t begin = m.now + made_number(&m, 50);
      m.now = begin + 1 + made_number(&m, 50);
      builder_txn(b, s, outcome, ISOLATION_NONE,
                  says & SAYS_TIMES ? begin : TIME_UNKNOWN,
                  says & SAYS_TIMES ? m.now : TIME_UNKNOWN);
      const bool aborted = outcome == OUTCOME_ABORTED;
      for (uint64_t n = aborted ? 1 : 1 + made_number(&m, 5); n; n--)
        make_what_can_be_said(&m, says, outcome == OUTCOME_OK);
    }
    gsl_rng_free(m.random);
  }
  CHECK_INT(builder_finish(b, &h, &error), 0);
  if (h.begin)
    keep_instants_apart(&h);
  return h;
}

// As `isostress convert` does it.
static void convert(const char *in, const char *out,
                    const struct history_format *format) {
  const struct read_options options = {0};
  struct transit *transit;
  struct error error = {0};
  if (CHECK(!transit_read(in, &options, out, &transit, &error)) &&
      CHECK(!transit_find_writers(transit, format, &error)))
    CHECK(!transit_write(out, format, transit, NULL, &error));
  if (error.text[0])
    printf("# %s\n", error.text);
  transit_free(transit);
}

static void check_conversion(const struct history_format *format, uint64_t seed,
                             const char *directory) {
  char *one = xasprintf("%s/one.jsonl", directory);
  char *two = xasprintf("%s/two", directory);
  char *three = xasprintf("%s/three.jsonl", directory);
  struct history h = made_for(format->says, seed), back;
  struct error error = {0};
  CHECK(says_all(&h, format));
  CHECK(!history_write(one, history_format_for(one), &h, NULL, &error));
  convert(one, two, format);
  convert(two, three, history_format_for(three));
  if (CHECK(!history_read(three, NULL, &back, &error)))
    CHECK(same_shape(&h, &back));
  if (tap_failures)
    printf("# with %s, seed %d\n", format->name, (int)seed);
  history_free(&h);
  history_free(&back);
  remove_history(one);
  remove_history(two);
  remove_history(three);
  free(one);
  free(two);
  free(three);
}

static void what_can_be_said_comes_back(void) {
  char directory[] = "/tmp/isostress-convert.XXXXXX";
  CHECK(mkdtemp(directory) != NULL);
  for (uint64_t seed = 0; seed < HISTORIES; seed++)
    for (int f = 0; history_formats[f]; f++)
      if (history_formats[f]->write)
        check_conversion(history_formats[f], seed, directory);
  CHECK_INT(rmdir(directory), 0);
}

// JSON lines say everything, values too.
static void json_lines_lose_nothing(void) {
  struct error error = {0};
  const struct history_format *format = history_format_named("jsonl", &error);
  char path[] = "/tmp/isostress-convert.XXXXXX";
  close(mkstemp(path));
  for (uint64_t seed = 0; seed < HISTORIES; seed += 2) {
    if (seed % 3 == 0)
      continue; // numbers from 2^62 on are texts
    struct history h = made(seed);
    struct history back = there_and_back(&h, format, path);
    check_same_history(&h, &back);
    history_free(&h);
    history_free(&back);
  }
  unlink(path);
}

// Of transactions of several sessions in turn, of which the first ones do not
// say where they were.
static void json_lines_say_hosts(void) {
  struct error error = {0};
  struct builder *b = builder_open();
  struct history h;
  char path[] = "/tmp/isostress-convert.XXXXXX";
  close(mkstemp(path));
  for (uint32_t i = 0; i < 40; i++) {
    builder_txn(b, i % 3, OUTCOME_OK, ISOLATION_NONE, i, i);
    if (i >= 3 && i % 5)
      builder_endpoint(b, (uint8_t)(i % 5));
    builder_op(b, OP_WRITE, 0, i + 1);
  }
  CHECK_INT(builder_finish(b, &h, &error), 0);
  struct history back =
      there_and_back(&h, history_format_named("jsonl", &error), path);
  CHECK(h.endpoint && back.endpoint);
  for (uint32_t t = 0; h.endpoint && back.endpoint && t < h.ntxns; t++) {
    const uint64_t i = h.begin[t];
    CHECK_INT(h.endpoint[t], i >= 3 && i % 5 ? i % 5 : HISTORY_NO_ENDPOINT);
    CHECK_INT(back.endpoint[t], h.endpoint[t]);
  }
  history_free(&h);
  history_free(&back);
  unlink(path);
}

static void formats_are_found_by_suffix(void) {
  CHECK_STR(history_format_for("a/b.edn")->name, "edn");
  CHECK_STR(history_format_for("x.jsonl")->name, "jsonl");
  CHECK(history_format_for("a.edn/b") == NULL);
  CHECK(history_format_for("edn") == NULL);
}

int main(void) {
  return TAP_RUN(
      {"there and back is the same", there_and_back_is_the_same},
      {"what is in transit is written as from memory", transit_changes_nothing},
      {"also what is written twice", duplicates_stay_the_same},
      {"what a format can say comes back", what_can_be_said_comes_back},
      {"JSON lines lose nothing", json_lines_lose_nothing},
      {"JSON lines say hosts", json_lines_say_hosts},
      {"formats are found by suffix", formats_are_found_by_suffix});
}
