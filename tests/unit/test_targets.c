// SPDX-License-Identifier: GPL-3.0-or-later
// What is in transit is written as from memory, byte by byte, in every format.
#include "config.h"

#include "tests/unit/converted.h"

#include <inttypes.h>

enum { HISTORIES = 12 };

// Did a compare-and-set expect nothing that was not there at first?  It is not
// kept in memory that it was nothing.
static bool forgets_nothing(const struct history *whole,
                            const struct history *began) {
  bool forgets = false;
  for (uint32_t op = 0; op < whole->nops; op++)
    forgets |= whole->kind[op] == OP_CAS && whole->saw[op] == SAW_INITIAL &&
               began->saw[op] == SAW_THIN_AIR;
  return forgets;
}

static uint32_t check_source(const struct history *h,
                             const struct history_format *format,
                             const char *directory) {
  const struct read_options options = {0};
  const struct read_options first = {.initial = INITIAL_FIRST_READ};
  struct history whole, began;
  struct error error;
  char *path = xasprintf("%s/one", directory);
  whole = there_and_back(h, format, path);
  uint32_t n = check_targets(path, &whole, &options, directory);
  CHECK(!history_read_with(path, &first, &began, &error));
  if (!forgets_nothing(&whole, &began))
    n += check_targets(path, &began, &first, directory);
  if (tap_failures)
    printf("# from %s\n", format->name);
  history_free(&began);
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
      if (history_formats[f]->write && !history_formats[f]->single)
        n += check_source(&h, history_formats[f], directory);
    history_free(&h);
  }
  CHECK(n > 3000);
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

// --- Histories that start in the middle.

enum { KEYS = 9, LIST_MAX = 24 };

// A store in which something was before, and clients who see most of it.
// Registers of the first keys are the only ones of which a compare-and-set sees
// what nobody wrote, always the same, and which is read: what else they expect
// of nobody is not kept in memory.  The last keys are lists, and one key is
// both.
struct store {
  gsl_rng *random;
  uint64_t seed, now, written;
  unsigned long register_of[KEYS];
  unsigned long list_of[KEYS][LIST_MAX];
  unsigned long length[KEYS];
};

static unsigned long below(struct store *s, unsigned long n) {
  return gsl_rng_uniform_int(s->random, n);
}

static struct store open_store(uint64_t seed) {
  struct store s = {.random = random_stream(seed, 0, RANDOM_TEST),
                    .seed = seed};
  for (unsigned long k = 0; k < KEYS; k++) {
    s.register_of[k] = k < 3 || below(&s, 4) ? 1000 + k : 0;
    s.length[k] = below(&s, 4);
    for (unsigned long i = 0; i < s.length[k]; i++)
      s.list_of[k][i] = 2000 + 10 * k + i;
  }
  return s;
}

// Some of what is in the list: its beginning, or without the first element, or
// with another one before it or in its place.
static void put_list(FILE *file, struct store *s, unsigned long key) {
  const unsigned long odds = below(s, 12), n = s->length[key];
  const char *comma = "";
  fprintf(file, "[\"r\",%lu,[", key);
  if (odds == 0)
    fprintf(file, "%lu%s", 3000 + below(s, 3), n ? "," : "");
  for (unsigned long i = odds == 1; i < n; i++) {
    fprintf(file, "%s%lu", comma,
            odds == 2 && i == 0 ? 3000 + below(s, 3) : s->list_of[key][i]);
    comma = ",";
    if (odds == 3 && i == 2)
      break;
  }
  fputs("]]", file);
}

static void put_register(FILE *file, struct store *s, unsigned long key) {
  const unsigned long odds = below(s, key < 3 ? 9 : 10);
  const unsigned long seen =
      odds == 9 ? 4000 + below(s, 3) : s->register_of[key];
  const unsigned long new = s->seed % 3 || s->written ? ++s->written : 0;
  s->written += !new;
  if (odds < 2) {
    fprintf(file, "[\"w\",%lu,%lu]", key, s->register_of[key] = new);
  } else if (odds < 4 && key < 3) {
    fprintf(file, "[\"cas\",%lu,%lu,%lu]", key, seen, new);
    s->register_of[key] = new;
  } else if (seen)
    fprintf(file, "[\"r\",%lu,%lu]", key, seen);
  else
    fprintf(file, "[\"r\",%lu,null]", key);
}

static void put_in_store(FILE *file, struct store *s) {
  const unsigned long key = below(s, KEYS);
  if (key < 5 || (key == 5 && below(s, 2)))
    put_register(file, s, key);
  else if (s->length[key] < LIST_MAX && !below(s, 4)) {
    s->list_of[key][s->length[key]++] = ++s->written;
    fprintf(file, "[\"append\",%lu,%" PRIu64 "]", key, s->written);
  } else
    put_list(file, s, key);
}

static void write_store(const char *path, uint64_t seed) {
  static const char *const outcomes[] = {"ok", "ok", "ok", "unknown",
                                         "aborted"};
  struct store s = open_store(seed);
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  for (unsigned long key = 0; key < 3; key++)
    fprintf(file, "{\"session\":4,\"ops\":[[\"r\",%lu,%lu]]}\n", key,
            s.register_of[key]);
  for (int t = 0; t < 60; t++) {
    fprintf(file, "{\"session\":%d,\"outcome\":\"%s\"", t % 4,
            outcomes[below(&s, 5)]);
    if (seed % 4 && below(&s, 8)) {
      const uint64_t begin = s.now + below(&s, 20);
      fprintf(file, ",\"begin\":%" PRIu64 ",\"end\":%" PRIu64, begin,
              begin + 8 + below(&s, 30));
      s.now += 7;
    }
    fputs(",\"ops\":[", file);
    for (unsigned long n = 1 + below(&s, 4); n; n--) {
      put_in_store(file, &s);
      fputs(n > 1 ? "," : "", file);
    }
    fputs("]}\n", file);
  }
  fclose(file);
  gsl_rng_free(s.random);
}

// How many reads of the one see what was there at first and not in the other.
static uint32_t more_initial(const struct history *h,
                             const struct history *other) {
  uint32_t n = 0;
  for (uint32_t op = 0; op < h->nops; op++)
    n += h->kind[op] == OP_READ_LIST
             ? h->list[h->saw[op]].count < other->list[other->saw[op]].count
             : op_reads(h->kind[op]) && h->saw[op] == SAW_INITIAL &&
                   other->saw[op] != SAW_INITIAL;
  return n;
}

static void first_reads_are_the_same(void) {
  char directory[] = "/tmp/isostress-convert.XXXXXX";
  const struct read_options plain = {0};
  const struct read_options first = {.initial = INITIAL_FIRST_READ};
  const struct read_options allowed = {.initial = INITIAL_FIRST_READ,
                                       .duplicates = DUPLICATES_ALLOW};
  uint32_t nstarts = 0;
  struct error error;
  CHECK(mkdtemp(directory) != NULL);
  char *path = xasprintf("%s/one.jsonl", directory);
  for (uint64_t seed = 0; seed < 12 * HISTORIES; seed++) {
    struct history before, h;
    write_store(path, seed);
    CHECK(!history_read_with(path, seed % 3 ? &plain : &allowed, &before,
                             &error));
    CHECK(!history_read_with(path, &first, &h, &error));
    check_targets(path, &h, seed % 2 ? &first : &allowed, directory);
    nstarts += more_initial(&h, &before);
    if (tap_failures) {
      printf("# seed %d\n", (int)seed);
      break;
    }
    history_free(&before);
    history_free(&h);
  }
  CHECK(nstarts > 100 * HISTORIES);
  unlink(path);
  free(path);
  CHECK_INT(rmdir(directory), 0);
}

// Of histories in dbcop's notation.
static void check_hist(const char *const *texts, size_t n,
                       const struct read_options *options) {
  char directory[] = "/tmp/isostress-convert.XXXXXX";
  struct error error;
  CHECK(mkdtemp(directory) != NULL);
  char *path = xasprintf("%s/one.hist", directory);
  for (size_t i = 0; i < n; i++) {
    struct history h;
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(texts[i], file) >= 0 && !fclose(file));
    if (CHECK(!history_read_with(path, options, &h, &error)))
      check_targets(path, &h, options, directory);
    if (tap_failures)
      printf("# %s", texts[i]);
    history_free(&h);
  }
  unlink(path);
  free(path);
  CHECK_INT(rmdir(directory), 0);
}

// 0 is a number there, which somebody may have written.
static void what_was_there_is_not_what_was_written(void) {
  static const char *const texts[] = {
      "[x==[]]@1..2 [x:=0]@3..4 [x==0]@5..6\n",
      "[x==[7]]@1..2 [x==0]@3..4 [x==[7,8]]@5..6\n",
      "[x==[7]]@1..2 [x==[8,9]]!@3..4 [x==[7,8]]!@5..6 [x==[]]?@7..8\n",
      "[x==[]]@3..4 [x==[7]]@1..2 [x:=0]@5..6 [x==0]@7..8\n",
      "[x==0]@1..2 [x:=3]@3..4 [x==0]@5..6 [y==0]@7..8 [x==5]@9..10\n",
  };
  const struct read_options options = {.initial = INITIAL_FIRST_READ};
  check_hist(texts, sizeof texts / sizeof *texts, &options);
}

// It is the initial value where nobody did.
static void zero_may_be_written(void) {
  static const char *const texts[] = {
      "[x:=0 y==0] [x==? x==0]\n---\n[y:=1 x==0 z==0] [z==?]\n",
      "[x==0]\n---\n[x:=0]! [y==0]\n---\n[z:=0]? [z==0]? [u:=0]?\n",
      "[x:0->1 y:0->1 z:?->1]\n---\n[x:=0 y:1->2 z:1->0] [y==0 z==0]\n",
      "[l+=0 x==0]\n---\n[l==[0] x==0] [m==? m==[]] [l:=0 l==0]\n",
      "[x:=4611686018427387904] [x:=0] [x==0 x==4611686018427387904 y==0]\n",
  };
  const struct read_options options = {0};
  check_hist(texts, sizeof texts / sizeof *texts, &options);
}

int main(void) {
  return TAP_RUN(
      {"what is in transit is written as from memory", transit_changes_nothing},
      {"also what is written twice", duplicates_stay_the_same},
      {"also where first reads are what was there", first_reads_are_the_same},
      {"but not what was written", what_was_there_is_not_what_was_written},
      {"which may be 0", zero_may_be_written});
}
