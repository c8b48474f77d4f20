// SPDX-License-Identifier: GPL-3.0-or-later
// Changes a file here and there, by chance: bytes, numbers, words, lines.
//
//   mutate SEED IN OUT
//
// Of a history of our own format and of a proof the checksums are made good
// again, mostly.
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "tests/kit/reseal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 4096, FEW_BYTES = 40 };

struct text {
  unsigned char *data;
  size_t bytes;
  gsl_rng *random;
};

struct range {
  size_t first, end;
};

static size_t below(const struct text *t, size_t n) {
  return gsl_rng_uniform_int(t->random, n);
}

static size_t any_place(const struct text *t) { return below(t, t->bytes); }

// Puts `count` bytes in the place of the range.
static void put(struct text *t, struct range range, const void *bytes,
                size_t count) {
  unsigned char *copy = memcpy(xmalloc(count + 1), bytes, count);
  const size_t behind = t->bytes - range.end;
  t->data = xrealloc(t->data, t->bytes + count + ROOM, 1);
  memmove(t->data + range.first + count, t->data + range.end, behind);
  memcpy(t->data + range.first, copy, count);
  t->bytes = range.first + count + behind;
  free(copy);
}

static struct range line_at(const struct text *t, size_t place) {
  struct range line = {place, place};
  while (line.first > 0 && t->data[line.first - 1] != '\n')
    line.first--;
  while (line.end < t->bytes && t->data[line.end++] != '\n')
    ;
  return line;
}

// Letters and digits; empty where there are none.
static struct range word_at(const struct text *t, size_t place) {
  struct range word = {place, place};
  while (word.first > 0 && isalnum(t->data[word.first - 1]))
    word.first--;
  while (word.end < t->bytes && isalnum(t->data[word.end]))
    word.end++;
  return word;
}

static struct range some_bytes(const struct text *t) {
  const size_t first = any_place(t), left = t->bytes - first;
  return (struct range){
      first, first + 1 + below(t, left < FEW_BYTES ? left : FEW_BYTES)};
}

// --- Changes.

static void change_byte(struct text *t) {
  t->data[any_place(t)] = (unsigned char)below(t, 256);
}

static void nudge_byte(struct text *t) {
  unsigned char *byte = &t->data[any_place(t)];
  *byte = (unsigned char)(*byte + (below(t, 2) ? 1 : -1));
}

static void drop_bytes(struct text *t) { put(t, some_bytes(t), "", 0); }

static void copy_bytes(struct text *t) {
  const struct range from = some_bytes(t), to = some_bytes(t);
  put(t, to, t->data + from.first, from.end - from.first);
}

// A word of the file in the place of another one: of a key, a value, a time.
static void copy_word(struct text *t) {
  const struct range from = word_at(t, any_place(t));
  const struct range to = word_at(t, any_place(t));
  put(t, to, t->data + from.first, from.end - from.first);
}

static void change_number(struct text *t) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "2",
                                        "3",
                                        "7",
                                        "64",
                                        "null",
                                        "nil",
                                        "-1",
                                        "4611686018427387904",
                                        "18446744073709551615"};
  const char *number = numbers[below(t, sizeof numbers / sizeof *numbers)];
  put(t, word_at(t, any_place(t)), number, strlen(number));
}

static void drop_line(struct text *t) {
  put(t, line_at(t, any_place(t)), "", 0);
}

static void copy_line(struct text *t) {
  const struct range from = line_at(t, any_place(t));
  const size_t to = line_at(t, any_place(t)).first;
  put(t, (struct range){to, to}, t->data + from.first, from.end - from.first);
}

static void cut_off(struct text *t) { t->bytes = 1 + any_place(t); }

static void (*const changes[])(struct text *) = {
    change_byte, nudge_byte, nudge_byte,    nudge_byte,    drop_bytes,
    copy_bytes,  copy_word,  copy_word,     copy_word,     copy_word,
    copy_word,   copy_word,  change_number, change_number, change_number,
    drop_line,   copy_line,  copy_line,     cut_off};

static void change_some(struct text *t) {
  for (size_t n = 1 + below(t, 5); n > 0 && t->bytes > 0; n--)
    changes[below(t, sizeof changes / sizeof *changes)](t);
}

static void reseal(struct text *t) {
  if (below(t, 16) == 0)
    return;
  if (t->bytes > 8 && !memcmp(t->data, "isoproof", 8))
    reseal_proof(t->data, t->bytes);
  else if (t->bytes > 8 && !memcmp(t->data, FILE_MAGIC, FILE_MAGIC_BYTES))
    reseal_history(t->data, t->bytes);
}

int main(int argc, char **argv) {
  struct error error = {0};
  struct text t = {0};
  FILE *out;
  if (argc != 4 ||
      !(t.data = file_load(argv[2], SIZE_MAX - 1, &t.bytes, &error)) ||
      !(out = fopen(argv[3], "w"))) {
    fprintf(stderr, "usage: mutate SEED IN OUT: %s\n", error.text);
    return 2;
  }
  t.random = random_stream(strtoull(argv[1], NULL, 10), 0, RANDOM_TEST);
  change_some(&t);
  reseal(&t);
  const bool written = fwrite(t.data, 1, t.bytes, out) == t.bytes;
  gsl_rng_free(t.random);
  free(t.data);
  return fclose(out) == 0 && written ? 0 : 2;
}
