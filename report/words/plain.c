// SPDX-License-Identifier: GPL-3.0-or-later
// Markup as plain text (report/words/plain.h).
#include "config.h"

#include "report/words/plain.h"

#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define HARD '\x1f' // stands for a blank at which no line ends

// The next character of markup, 0 at its end; tags are passed over.
static char next_plain(const char **markup) {
  static const struct {
    const char *name;
    char is;
  } entities[] = {{"&lt;", '<'},   {"&gt;", '>'},   {"&amp;", '&'},
                  {"&quot;", '"'}, {"&#39;", '\''}, {"&nbsp;", HARD}};
  while (**markup == '<' && strchr(*markup, '>'))
    *markup = strchr(*markup, '>') + 1;
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
    if (!strncmp(*markup, entities[i].name, strlen(entities[i].name))) {
      *markup += strlen(entities[i].name);
      return entities[i].is;
    }
  return **markup ? *(*markup)++ : '\0';
}

// In ASCII alone, which survives any terminal, log and pager.
char *plain_of(const char *markup) {
  static const struct {
    const char *bytes, *plain;
  } signs[] = {{"\xe2\x80\xa6", "..."}, // ellipsis
               {"\xe2\x80\x99", "'"},   // apostrophe
               {"\xe2\x80\x9c", "\""},  // quotation marks
               {"\xe2\x80\x9d", "\""}};
  char *plain = xmalloc(strlen(markup) + 1), *end = plain;
  while ((*end = next_plain(&markup)) != '\0') {
    end++;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
      if (end - plain >= 3 && !strncmp(end - 3, signs[i].bytes, 3)) {
        memcpy(end - 3, signs[i].plain, strlen(signs[i].plain));
        end += (ptrdiff_t)strlen(signs[i].plain) - 3;
        break;
      }
  }
  return plain;
}

// A word in which HARD stands for a blank.
static void put_word_of(FILE *out, const char *word, unsigned length) {
  for (unsigned i = 0; i < length; i++)
    fputc(word[i] == HARD ? ' ' : word[i], out);
}

void plain_put_wrapped(FILE *out, const char *markup, unsigned at,
                       unsigned indent) {
  char *plain = plain_of(markup);
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
    put_word_of(out, word, length);
    at += length;
    word += length + strspn(word + length, " ");
    first = false;
  }
  fputc('\n', out);
  free(plain);
}
