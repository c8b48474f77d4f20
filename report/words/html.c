// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences as HTML (report/words/html.h).
#include "config.h"

#include "report/words/html.h"

#include "base/marks.h"
#include "base/memory.h"
#include "report/words/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// All other characters stand for themselves.
static const struct html_sign {
  const char *character;
  const char *first, *second; // in turn
} html_signs[] = {
    {"&", "&amp;", "&amp;"},      {"<", "&lt;", "&lt;"},
    {">", "&gt;", "&gt;"},        {"\"", "&quot;", "&quot;"},
    {MARK_STRONG, "<b>", "</b>"}, {MARK_CODE, "<code>", "</code>"}};
enum { HTML_SIGNS = sizeof html_signs / sizeof *html_signs };

void html_put(FILE *out, const char *sentence) {
  bool second[HTML_SIGNS] = {false};
  for (; *sentence; sentence++) {
    size_t i = 0;
    while (i < HTML_SIGNS && *html_signs[i].character != *sentence)
      i++;
    if (i == HTML_SIGNS) {
      putc(*sentence, out);
    } else {
      fputs(second[i] ? html_signs[i].second : html_signs[i].first, out);
      second[i] = !second[i];
    }
  }
}

void html_put_about(FILE *out, const char *sentence,
                    const struct driver_words *database) {
  char *told;
  size_t bytes;
  FILE *words = text_stream(&told, &bytes);
  words_put(words, sentence, database);
  fclose(words);
  html_put(out, told);
  free(told);
}
