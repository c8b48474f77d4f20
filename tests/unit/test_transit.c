// SPDX-License-Identifier: GPL-3.0-or-later
// Histories in transit that are larger than what is held of them: records come
// back from the spool as they were put, and a file in our own format says the
// same part by part as it does as a whole, also where it is damaged.
#include "config.h"

#include "base/memory.h"
#include "recorder/file.h"
#include "recorder/spool.h"
#include "recorder/writer.h"
#include "tests/history_kit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- The spool.

enum { SESSIONS = 900, RECORDS = 30000, LONGEST = 1500 };

// A record says how long it is and is full of what number it has.
static size_t make_record(uint32_t *record, uint32_t number, gsl_rng *random) {
  size_t n = 2 + gsl_rng_uniform_int(random, LONGEST);
  if (number % 4000 == 0)
    n += 100000;
  record[0] = (uint32_t)n;
  for (size_t i = 1; i < n; i++)
    record[i] = number;
  return n;
}

static bool is_record(const uint32_t *record, uint32_t number) {
  bool is = true;
  for (uint32_t i = 1; i < record[0]; i++)
    is &= record[i] == number;
  return is;
}

// Takes the next record of the session; false if there is none, or another.
static bool take_record(const struct spool *spool, uint32_t session,
                        struct spool_cursor *cursor, uint32_t number) {
  struct error error;
  if (cursor->p == cursor->end &&
      spool_more(spool, session, cursor, &error) <= 0)
    return false;
  const uint32_t *record = (const uint32_t *)cursor->p;
  cursor->p += record[0] * sizeof *record;
  return is_record(record, number);
}

static void records_come_back(void) {
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  uint32_t *record = xmalloc((LONGEST + 100010) * sizeof *record);
  uint32_t *session = xmalloc(RECORDS * sizeof *session), wrong = 0;
  struct spool_cursor *cursors = xcalloc(SESSIONS, sizeof *cursors);
  struct error error = {0};
  char path[] = "/tmp/isostress-spool";
  struct spool *spool = spool_open(path, &error);
  CHECK(spool != NULL);
  for (uint32_t i = 0; i < RECORDS; i++) {
    // Some sessions have most of the records, and one has none.
    session[i] = (uint32_t)gsl_rng_uniform_int(random, i % 3 ? 5 : SESSIONS);
    session[i] += session[i] == 3;
    const size_t n = make_record(record, i, random);
    spool_put(spool, session[i], record, n * sizeof *record);
  }
  CHECK_INT(spool_finish(spool, &error), 0);
  for (uint32_t i = 0; i < RECORDS; i++) // side by side
    wrong += !take_record(spool, session[i], &cursors[session[i]], i);
  CHECK_INT(wrong, 0);
  for (uint32_t s = 0; s < SESSIONS + 2; s++) { // that is all
    struct spool_cursor none = {0};
    struct spool_cursor *c = s < SESSIONS ? &cursors[s] : &none;
    CHECK_INT(spool_more(spool, s, c, &error), 0);
    spool_cursor_free(c);
  }
  spool_close(spool);
  free(cursors);
  free(session);
  free(record);
  gsl_rng_free(random);
}

static void a_spool_needs_a_place(void) {
  struct error error;
  CHECK(spool_open("/absent/out.edn", &error) == NULL);
  CHECK_STR(error.text,
            "/absent/out.edn: can not be written: No such file or directory");
}

// --- Our own format.

// Some megabytes, of which the sessions do not share keys.
static void record_much(const char *path) {
  struct made_session m[8];
  struct recording *recording;
  struct error error = {0};
  CHECK(!recording_open(path, 8, true, 0, "; made\n", &recording, &error));
  for (uint32_t s = 0; s < 8; s++) {
    m[s] = made_session_open(7, s, 8);
    m[s].tape = recording_tape(recording, s);
    m[s].key_stride = 1000000007 * (uint64_t)s + 1;
    m[s].max_ops = 40;
  }
  for (int i = 0; i < 3500; i++)
    for (uint32_t s = 0; s < 8; s++)
      make_transaction(&m[s]);
  for (uint32_t s = 0; s < 8; s++)
    gsl_rng_free(m[s].random);
  CHECK(!recording_close(recording, &error));
}

static void write_file(const char *path, const unsigned char *data,
                       size_t bytes) {
  FILE *file = fopen(path, "w");
  CHECK(file && fwrite(data, 1, bytes, file) == bytes && !fclose(file));
}

static bool same_text(const char *one, const char *two) {
  size_t n = 0, m = 0;
  struct error error;
  unsigned char *a = file_load(one, SIZE_MAX - 1, &n, &error);
  unsigned char *b = file_load(two, SIZE_MAX - 1, &m, &error);
  const bool same = a && b && n == m && !memcmp(a, b, n);
  free(a);
  free(b);
  return same;
}

// Reads and writes JSON lines, which makes the values that compare-and-sets
// expected and nobody wrote the same, and leaves empty sessions out.
static void write_again(const char *path) {
  const struct history_format *format = history_format_for("x.jsonl");
  struct history h;
  struct error error;
  if (CHECK(!history_read(path, "jsonl", &h, &error)))
    CHECK(!history_write(path, format, &h, NULL, &error));
  history_free(&h);
}

// Is it the same from memory and in transit?
static bool same_target(const char *suffix, const struct history *whole,
                        struct transit *transit, const char *one,
                        const char *two) {
  const struct history_format *format = history_format_for(suffix);
  struct error none;
  CHECK(!transit_find_writers(transit, format, &none));
  CHECK(!history_write(one, format, whole, NULL, &none));
  CHECK(!transit_write(two, format, transit, NULL, &none));
  if (!strcmp(suffix, "x.jsonl")) {
    write_again(one);
    write_again(two);
  }
  return same_text(one, two);
}

// Does the file say the same in parts, in a sentence, in JSON lines and in our
// own format?
static void check_parts(const char *path, const char *one, const char *two) {
  const struct read_options options = {0};
  struct error whole_error = {0}, error = {0};
  struct history whole;
  struct transit *transit;
  const int failed = history_read_with(path, &options, &whole, &whole_error);
  CHECK_INT(transit_read(path, &options, two, &transit, &error), failed);
  CHECK_STR(error.text, whole_error.text);
  if (failed || !transit)
    return;
  CHECK(same_target("x.jsonl", &whole, transit, one, two));
  CHECK(same_target("x.iso", &whole, transit, one, two));
  transit_free(transit);
  history_free(&whole);
}

static void parts_say_what_the_whole_says(void) {
  char directory[] = "/tmp/isostress-transit.XXXXXX";
  CHECK(mkdtemp(directory) != NULL);
  char *path = xasprintf("%s/history", directory);
  char *one = xasprintf("%s/one", directory);
  char *two = xasprintf("%s/two", directory);
  gsl_rng *random = random_stream(2, 0, RANDOM_TEST);
  struct error error;
  size_t bytes = 0;
  record_much(path);
  unsigned char *data = file_load(path, SIZE_MAX - 1, &bytes, &error);
  CHECK(bytes > 2 << 20); // so that there are several parts
  check_parts(path, one, two);
  for (int i = 0; data && i < 9; i++) {
    const size_t at = gsl_rng_uniform_int(random, bytes);
    const size_t end = i % 3 ? bytes : at; // cut off, or...
    const size_t n = i % 3 == 1 ? 1 : gsl_rng_uniform_int(random, 2 << 20);
    for (size_t k = at; k < end && k < at + n; k++) // ...overwritten
      data[k] ^= 0x55;
    write_file(path, data, end);
    check_parts(path, one, two);
    for (size_t k = at; k < end && k < at + n; k++)
      data[k] ^= 0x55;
  }
  unlink(path);
  unlink(one);
  unlink(two);
  CHECK_INT(rmdir(directory), 0);
  gsl_rng_free(random);
  free(data);
  free(path);
  free(one);
  free(two);
}

static void it_can_be_given_up(void) {
  const struct history_format *format = history_format_for("x.jsonl");
  const struct read_options options = {0};
  const volatile sig_atomic_t stop = 1;
  struct transit *transit;
  struct error error;
  char path[] = "/tmp/isostress-transit.XXXXXX";
  close(mkstemp(path));
  char *out = xasprintf("%s.jsonl", path);
  write_file(path, (const unsigned char *)"[x:=1] [x==1]\n", 14);
  CHECK(!transit_read(path, &options, out, &transit, &error));
  CHECK_INT(transit_write(out, format, transit, &stop, &error), -1);
  CHECK(strstr(error.text, ".jsonl: not written, for it was interrupted"));
  CHECK(access(out, F_OK) != 0);
  transit_free(transit);
  unlink(path);
  free(out);
}

int main(void) {
  return TAP_RUN(
      {"records come back", records_come_back},
      {"a spool needs a place", a_spool_needs_a_place},
      {"parts say what the whole says", parts_say_what_the_whole_says},
      {"it can be given up", it_can_be_given_up});
}
