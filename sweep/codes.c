// SPDX-License-Identifier: GPL-3.0-or-later
// Counts by code as a text (sweep/codes.h).
#include "config.h"

#include "sweep/codes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct summed_code {
  const char *code; // not ended
  size_t length;
  double times;
};
struct counts {
  struct summed_code *all;
  uint32_t n, room;
};

static void add_code_count(struct counts *counts, const char *code,
                           size_t length, double times) {
  uint32_t i = 0;
  while (i < counts->n && (counts->all[i].length != length ||
                           memcmp(counts->all[i].code, code, length)))
    i++;
  if (i == counts->n) {
    ARRAY_RESERVE(counts->all, counts->n, counts->room);
    counts->all[counts->n++] = (struct summed_code){code, length, 0};
  }
  counts->all[i].times += times;
}

// A code may hold "=" itself: the number stands behind the last one.
static void add_all_codes(struct counts *counts, const char *text) {
  while (*text) {
    const size_t n = strcspn(text, ";");
    const char *equals = memrchr(text, '=', n);
    if (equals)
      add_code_count(counts, text, (size_t)(equals - text),
                     strtod(equals + 1, NULL));
    text += n + (text[n] == ';');
  }
}

static int compare_counts(const void *a, const void *b) {
  const struct summed_code *x = a, *y = b;
  return (x->times < y->times) - (x->times > y->times);
}

const char *codes_merge(struct arena *arena, const char *a, const char *b) {
  struct counts counts = {0};
  char *text;
  size_t bytes;
  add_all_codes(&counts, a);
  add_all_codes(&counts, b);
  if (counts.n)
    qsort(counts.all, counts.n, sizeof *counts.all, compare_counts);
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < counts.n; i++)
    fprintf(out, "%s%.*s=%.0f", i ? ";" : "", (int)counts.all[i].length,
            counts.all[i].code, counts.all[i].times);
  fclose(out);
  const char *merged = arena_strdup(arena, text);
  free(text);
  free(counts.all);
  return merged;
}
