// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings that were changed and sealed again, so that every checksum is
// good and what they say may be anything: they are refused with a sentence, or
// read as a history that can be checked.
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "tests/kit/made_history.h"
#include "tests/kit/reseal.h"

#include <fcntl.h>
#include <unistd.h>

enum { NSESSIONS = 3, CHANGES = 2500 };

static char path[] = "/tmp/isostress-test-resealed.XXXXXX";

struct file {
  unsigned char *data;
  size_t bytes;
};

static struct file record(uint64_t seed) {
  struct recording *r;
  struct error error = {0};
  unlink(path);
  CHECK(!recording_open(path, NSESSIONS, true, 0, "x = y\n", NULL, &r, &error));
  for (uint32_t s = 0; s < NSESSIONS; s++) {
    struct made_session m = made_session_open(seed, s, NSESSIONS);
    m.log = recording_session_log(r, s);
    for (int i = 0; i < 8; i++)
      make_transaction(&m);
    gsl_rng_free(m.random);
  }
  CHECK(!recording_close(r, &error));
  struct file f;
  f.data = file_load(path, SIZE_MAX - 1, &f.bytes, &error);
  CHECK_STR(error.text, "");
  return f;
}

// Small numbers, mostly: sizes, kinds and ids that may be right elsewhere.
static void change(gsl_rng *random, struct file f) {
  for (unsigned long n = 1 + gsl_rng_uniform_int(random, 4); n > 0; n--) {
    unsigned char *byte = &f.data[gsl_rng_uniform_int(random, f.bytes)];
    const unsigned long how = gsl_rng_uniform_int(random, 4);
    *byte = how == 0   ? (unsigned char)gsl_rng_uniform_int(random, 256)
            : how == 1 ? (unsigned char)(*byte + 1)
            : how == 2 ? (unsigned char)(*byte - 1)
                       : (unsigned char)gsl_rng_uniform_int(random, 8);
  }
}

static void check_it(struct history *h, enum isolation level) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}, .max_examples = 2};
  struct verdict verdict;
  struct error error = {0};
  history_separate_lists(h);
  if (CHECK(check(h, &options, &verdict, &error) == 0))
    verdict_free(&verdict);
  else
    printf("# at %s: %s\n", isolation_name(level), error.text);
}

static void read_it(struct file f, unsigned i, unsigned *read) {
  const struct read_options options = {
      .initial = i % 3 ? INITIAL_BY_FORMAT : INITIAL_FIRST_READ,
      .duplicates = i % 5 ? DUPLICATES_REFUSE : DUPLICATES_ALLOW};
  struct history h;
  struct error error = {0};
  const int fd = open(path, O_WRONLY | O_CREAT, 0600);
  CHECK(fd >= 0 && pwrite(fd, f.data, f.bytes, 0) == (ssize_t)f.bytes);
  CHECK(ftruncate(fd, (off_t)f.bytes) == 0);
  close(fd);
  if (history_read_with(path, &options, &h, &error)) {
    CHECK(error.text[0]);
    return;
  }
  ++*read;
  if (CHECK(history_is_sound(&h)))
    check_it(&h, (enum isolation)(1 + i % ISOLATION_SSER));
  history_free(&h);
}

static void good_seals_of_anything(void) {
  gsl_rng *random = random_stream(5, 0, RANDOM_TEST);
  struct file whole = {0}, changed = {0};
  unsigned read = 0;
  for (unsigned i = 0; i < CHANGES; i++) {
    if (i % 100 == 0) {
      free(whole.data);
      free(changed.data);
      changed = whole = record(i);
      changed.data = xmalloc(whole.bytes);
    }
    memcpy(changed.data, whole.data, whole.bytes);
    change(random, changed);
    reseal_history(changed.data, changed.bytes);
    read_it(changed, i, &read);
  }
  printf("# %u of %d were read\n", read, CHANGES);
  CHECK(read > CHANGES / 4 && read < CHANGES);
  free(whole.data);
  free(changed.data);
  gsl_rng_free(random);
}

int main(void) {
  const int fd = mkstemp(path);
  if (fd < 0)
    return 1;
  close(fd);
  const int failures = TAP_RUN(
      {"a file with good checksums may hold anything", good_seals_of_anything});
  unlink(path);
  return failures;
}
