// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences as plain text (report/words/plain.h).
#include "config.h"

#include "report/words/plain.h"

#include "base/marks.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define HARD "\x1f" // stands for a blank at which no line ends

// In ASCII alone, which survives any terminal, log and pager.
static const struct plain_sign {
  const char *bytes, *plain;
} plain_signs[] = {{MARK_STRONG, ""},      {MARK_CODE, ""},
                   {HARD_BLANK, HARD},     {"\xe2\x80\xa6", "..."}, // ellipsis
                   {"\xe2\x80\x99", "'"},  // apostrophe
                   {"\xe2\x80\x9c", "\""}, // quotation marks
                   {"\xe2\x80\x9d", "\""}};

static const struct plain_sign *find_plain_sign(const char *at) {
  for (size_t i = 0; i < sizeof plain_signs / sizeof *plain_signs; i++)
    if (!strncmp(at, plain_signs[i].bytes, strlen(plain_signs[i].bytes)))
      return &plain_signs[i];
  return NULL;
}

// No sign is longer in ASCII than before.
static char *drop_marks(const char *sentence) {
  char *plain = xmalloc(strlen(sentence) + 1), *end = plain;
  while (*sentence) {
    const struct plain_sign *sign = find_plain_sign(sentence);
    if (sign) {
      end = stpcpy(end, sign->plain);
      sentence += strlen(sign->bytes);
    } else {
      *end++ = *sentence++;
    }
  }
  *end = '\0';
  return plain;
}

static char soft_of(char c) { return c == *HARD ? ' ' : c; }

char *plain_make(const char *sentence) {
  char *plain = drop_marks(sentence);
  for (char *c = plain; *c; c++)
    *c = soft_of(*c);
  return plain;
}

void plain_put_wrapped(FILE *out, const char *sentence, unsigned at,
                       unsigned indent) {
  char *plain = drop_marks(sentence);
  const char *word = plain;
  bool first = true;
  while (*word) {
    const unsigned length = (unsigned)strcspn(word, " ");
    if (!first && at + 1 + length > PLAIN_WIDTH) {
      fprintf(out, "\n%*s", (int)indent, "");
      at = indent;
    } else if (!first) {
      fputc(' ', out);
      at++;
    }
    for (unsigned i = 0; i < length; i++)
      fputc(soft_of(word[i]), out);
    at += length;
    word += length + strspn(word + length, " ");
    first = false;
  }
  fputc('\n', out);
  free(plain);
}

void plain_put_outside(FILE *out, const char *text, unsigned at,
                       unsigned indent) {
  char *sentence;
  size_t bytes;
  FILE *clean = text_stream(&sentence, &bytes);
  put_clean(clean, text);
  fclose(clean);
  plain_put_wrapped(out, sentence, at, indent);
  free(sentence);
}
