// SPDX-License-Identifier: GPL-3.0-or-later
// The edit distance with swaps of neighbours (base/nearest.h).
#include "config.h"

#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LETTERS = 64 }; // of a word that are compared

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static bool same_letter(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static bool swapped(const char *a, const char *b) {
  return same_letter(a[0], b[1]) && same_letter(a[1], b[0]);
}

// Row i holds the slips between the first i letters of `a` and each beginning
// of `b`; a swap looks two rows back, so three rows are enough.
static unsigned slips(const char *a, const char *b) {
  unsigned rows[3][LETTERS + 1];
  size_t na = strnlen(a, LETTERS), nb = strnlen(b, LETTERS);
  for (unsigned j = 0; j <= nb; j++)
    rows[0][j] = j;
  for (unsigned i = 1; i <= na; i++) {
    unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3];
    row[0] = i;
    for (unsigned j = 1; j <= nb; j++) {
      unsigned replaced = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
      row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && swapped(a + i - 2, b + j - 2))
        row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[na % 3][nb];
}

static bool abbreviates(const char *beginning, const char *word) {
  size_t length = strlen(beginning);
  return length && !strncasecmp(beginning, word, length);
}

const char *nearest(const char *word, const char *const *words) {
  const char *best = NULL;
  unsigned fewest = (unsigned)(strnlen(word, LETTERS) / 2) + 1;
  for (; *words; words++) {
    unsigned n = slips(word, *words);
    if (n > 1 && abbreviates(word, *words))
      n = 1;
    if (n < fewest) {
      best = *words;
      fewest = n;
    }
  }
  return best;
}
