// SPDX-License-Identifier: GPL-3.0-or-later
// A history that is written and read again is the same, as far as the format
// can say it: then writing it once more gives the same bytes, and what the
// format can say is equal transaction by transaction.
#include "config.h"

#include "tests/unit/recorder/converted.h"

enum { HISTORIES = 12 };

static const struct read_options plain = {0};

static void there_and_back_is_the_same(void) {
  char directory[] = "/tmp/isostress-convert.XXXXXX";
  CHECK(mkdtemp(directory) != NULL);
  for (uint64_t seed = 0; seed < HISTORIES; seed++) {
    struct history h = made(seed);
    for (int f = 0; history_formats[f]; f++)
      if (history_formats[f]->write && !history_formats[f]->single)
        CHECK(check_format(&h, &plain, history_formats[f], directory));
    history_free(&h);
  }
  CHECK_INT(rmdir(directory), 0);
}

// --- What a format can say.

// An operation such as the format has: registers have even keys, lists odd
// ones.
static void make_what_can_be_said(struct made_session *m, unsigned says,
                                  bool committed) {
  const bool list = says & FEATURE_LISTS && made_number(m, 3) == 0;
  const uint64_t key = 2 * made_number(m, 5) + list;
  const uint64_t what =
      committed || says & FEATURE_UNCOMMITTED_READS ? made_number(m, 5) : 0;
  const uint64_t written = value_of_write(m->session, m->nwrites);
  m->nwrites += what < 3;
  if (what >= 3 && list)
    make_list(m, key, 0);
  else if (what >= 3)
    builder_op(m->builder, OP_READ, key, made_value(m));
  else if (what == 2 && !list && committed && says & FEATURE_CAS)
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
          odds == 0 && says & FEATURE_ABORTED   ? OUTCOME_ABORTED
          : odds == 1 && says & FEATURE_UNKNOWN ? OUTCOME_UNKNOWN
                                                : OUTCOME_OK;
      const uint64_t begin = m.now + made_number(&m, 50);
      m.now = begin + 1 + made_number(&m, 50);
      builder_txn(b, s, outcome, ISOLATION_NONE,
                  says & FEATURE_TIMES ? begin : TIME_UNKNOWN,
                  says & FEATURE_TIMES ? m.now : TIME_UNKNOWN);
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
  struct history h;
  struct error error = {0};
  if (CHECK(!history_read(in, NULL, &h, &error)))
    CHECK(!history_write(out, format, &h, NULL, &error));
  if (error.text[0])
    printf("# %s\n", error.text);
  history_free(&h);
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
      if (history_formats[f]->write && !history_formats[f]->single)
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
    struct history back = there_and_back(&h, &plain, format, path);
    check_same_history(&h, &back);
    history_free(&h);
    history_free(&back);
  }
  unlink(path);
}

// Several sessions take turns, and their first transactions name no host.
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
      there_and_back(&h, &plain, history_format_named("jsonl", &error), path);
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

// Numbers, texts and nothing do not become the same where nobody wrote them.
static void our_own_keeps_apart_what_nobody_wrote(void) {
  const uint64_t values[] = {1,
                             VALUE_NAMED - 1,
                             VALUE_NAMED,
                             VALUE_NAMED + 1,
                             UINT64_C(1) << 32,
                             VALUE_NOBODYS};
  enum { VALUES = sizeof values / sizeof *values };
  struct error error = {0};
  struct builder *b = builder_open();
  struct history h;
  char path[] = "/tmp/isostress-convert.XXXXXX";
  close(mkstemp(path));
  builder_value_named(b, "a", 1);
  builder_value_named(b, "b", 1);
  builder_txn(b, 0, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  for (int i = 0; i < VALUES; i++)
    builder_op(b, OP_READ, 0, values[i]);
  CHECK_INT(builder_finish(b, &h, &error), 0);
  struct history back = there_and_back(
      &h, &plain, history_format_named("isostress", &error), path);
  for (uint32_t i = 0; i < back.nops; i++)
    for (uint32_t j = 0; j < i; j++)
      CHECK(back.value[i] != back.value[j]);
  CHECK_INT(back.nops, VALUES);
  CHECK(back.nops && back.value[VALUES - 1] == VALUE_NOBODYS);
  history_free(&h);
  history_free(&back);
  unlink(path);
}

static void it_can_be_given_up(void) {
  const volatile sig_atomic_t stop = 1;
  struct history h = made(0);
  struct error error;
  char path[] = "/tmp/isostress-convert.XXXXXX";
  close(mkstemp(path));
  unlink(path);
  CHECK_INT(
      history_write(path, history_format_for("x.jsonl"), &h, &stop, &error),
      -1);
  CHECK(strstr(error.text, " was not written: it was interrupted"));
  CHECK(access(path, F_OK) != 0);
  history_free(&h);
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
      {"what a format can say comes back", what_can_be_said_comes_back},
      {"JSON lines lose nothing", json_lines_lose_nothing},
      {"JSON lines say hosts", json_lines_say_hosts},
      {"our own keeps apart what nobody wrote",
       our_own_keeps_apart_what_nobody_wrote},
      {"it can be given up", it_can_be_given_up},
      {"formats are found by suffix", formats_are_found_by_suffix});
}
