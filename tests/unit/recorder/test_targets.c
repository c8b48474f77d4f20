// SPDX-License-Identifier: GPL-3.0-or-later
// A history of one format is written in each one, and comes back as far as
// that can say it.
#include "config.h"

#include "tests/unit/recorder/converted.h"

#include <inttypes.h>

enum { HISTORIES = 12 };

static const struct read_options plain = {0};

static uint32_t check_source(const struct history *h,
                             const struct history_format *format,
                             const char *directory) {
  const struct read_options first = {.initial = INITIAL_FIRST_READ};
  struct history began;
  struct error error;
  char *path = xasprintf("%s/source", directory);
  struct history whole = there_and_back(h, &plain, format, path);
  uint32_t n = check_formats(&whole, &plain, directory);
  CHECK(!history_read_with(path, &first, &began, &error));
  n += check_formats(&began, &plain, directory);
  if (tap_failures)
    printf("# from %s\n", format->name);
  history_free(&began);
  history_free(&whole);
  remove_history(path);
  free(path);
  return n;
}

static void from_each_format_into_each(void) {
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
  CHECK(n > 1000);
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

static void duplicates_stay_the_same(void) {
  char directory[] = "/tmp/isostress-convert.XXXXXX";
  struct read_options options = {.duplicates = DUPLICATES_ALLOW};
  struct error error;
  uint32_t nrefused = 0;
  CHECK(mkdtemp(directory) != NULL);
  char *path = xasprintf("%s/one.jsonl", directory);
  for (uint64_t seed = 0; seed < 4 * HISTORIES; seed++) {
    struct history h, refused;
    write_duplicates(path, seed);
    CHECK(!history_read_with(path, &options, &h, &error));
    check_formats(&h, &options, directory);
    history_free(&h);
    nrefused += history_read(path, NULL, &refused, &error) != 0;
    history_free(&refused);
  }
  CHECK(nrefused > HISTORIES);
  unlink(path);
  free(path);
  CHECK_INT(rmdir(directory), 0);
}

int main(void) {
  return TAP_RUN({"from each format into each", from_each_format_into_each},
                 {"each format takes values that are written twice",
                  duplicates_stay_the_same});
}
