// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of lists (cli/process/entry.h).
#include "config.h"

#include "cli/process/entry.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

// Bytes up to the next blank that is not between quotes.
static size_t entry_word_length(const char *text) {
  const char *end = *text == '"' ? strchr(text + 1, '"') : NULL;
  const size_t quoted = end ? (size_t)(end - text) : 0;
  return quoted + strcspn(text + quoted, " ");
}

static size_t count_characters_of(const char *text, size_t bytes) {
  size_t characters = 0;
  for (size_t i = 0; i < bytes; characters++) {
    const unsigned length = utf8_length(text + i);
    i += length ? length : 1;
  }
  return characters;
}

void entry_put(FILE *out, const char *head, unsigned at, const char *text) {
  size_t column = utf8_count(head);
  fputs(head, out);
  while (*(text += strspn(text, " "))) {
    const size_t bytes = entry_word_length(text),
                 wide = count_characters_of(text, bytes);
    const bool is_first = column <= utf8_count(head);
    size_t blanks = column < at ? at - column : 1;
    if (column + blanks + wide > ENTRY_WIDTH && !(is_first && at > column)) {
      putc('\n', out);
      blanks = at;
      column = 0;
    }
    fprintf(out, "%*s%.*s", (int)blanks, "", (int)bytes, text);
    column += blanks + wide;
    text += bytes;
  }
  putc('\n', out);
}
