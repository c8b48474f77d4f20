// SPDX-License-Identifier: GPL-3.0-or-later
// Prints collections (recorder/formats/printed.h).
#include "config.h"

#include "recorder/formats/printed.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PRINTED_MAX = WORD_MAX };

// A collection that is open.
struct open_collection {
  char bracket;
  uint32_t first; // of its elements, in `start`
};

struct printed_element {
  const char *text;
  uint32_t length;
};

// Every element has a blank behind it, as long as the collection that it is in
// is open.
struct printer {
  char text[4 * PRINTED_MAX]; // room for a token behind what is not too long
  char sorted[PRINTED_MAX];
  uint32_t length;
  uint32_t start[PRINTED_MAX]; // of the elements of what is open
  uint32_t nelements;
  struct open_collection open[TOKEN_DEPTH_MAX];
  uint32_t depth;
  struct printed_element elements[PRINTED_MAX]; // being sorted
};

static void put_printed(struct printer *p, const char *text, size_t length) {
  memcpy(p->text + p->length, text, length);
  p->length += (uint32_t)length;
}

static void put_printed_string(struct printer *p, const char *text,
                               uint32_t length) {
  put_printed(p, "\"", 1);
  for (uint32_t i = 0; i < length; i++) {
    if (text[i] == '"' || text[i] == '\\')
      put_printed(p, "\\", 1);
    put_printed(p, text + i, 1);
  }
  put_printed(p, "\"", 1);
}

// Is a word of JSON plain?  It may look like anything in EDN.
static bool is_plain(const struct tokens *t) {
  uint32_t i = 0;
  while (i < t->length &&
         (isalnum((unsigned char)t->text[i]) || strchr("+-.", t->text[i])))
    i++;
  return i == t->length;
}

static void put_scalar(struct printer *p, const struct tokens *t) {
  if (!t->edn && t->kind == TOKEN_WORD && token_is(t, "null"))
    put_printed(p, "nil", 3);
  else if (t->kind == TOKEN_STRING || (!t->edn && !is_plain(t)))
    put_printed_string(p, t->text, t->length);
  else
    put_printed(p, t->text, t->length);
}

static int by_printed_text(const void *a, const void *b) {
  const struct printed_element *x = a, *y = b;
  return compare_bytes(x->text, x->length, y->text, y->length);
}

// The elements of a set; those of a map, two by two.
static void sort_printed_elements(struct printer *p, uint32_t first,
                                  uint32_t step) {
  assert(step > 0);
  const uint32_t begin = p->start[first], bytes = p->length - begin;
  uint32_t n = 0;
  char *to = p->sorted;
  for (uint32_t i = first; i < p->nelements; i += step, n++) {
    const uint32_t end =
        i + step < p->nelements ? p->start[i + step] : p->length;
    p->elements[n] =
        (struct printed_element){p->text + p->start[i], end - p->start[i]};
  }
  qsort(p->elements, n, sizeof *p->elements, by_printed_text);
  for (uint32_t i = 0; i < n; i++)
    to = mempcpy(to, p->elements[i].text, p->elements[i].length);
  memcpy(p->text + begin, p->sorted, bytes);
}

static void start_element(struct printer *p) {
  if (p->depth)
    p->start[p->nelements++] = p->length;
}

static void begin_collection(struct printer *p, char bracket, bool set) {
  start_element(p);
  if (set)
    put_printed(p, "#", 1);
  put_printed(p, bracket == '{' ? "{" : "[", 1);
  p->open[p->depth++] =
      (struct open_collection){set ? '#' : bracket, p->nelements};
}

static void end_collection(struct printer *p, struct tokens *t) {
  const struct open_collection c = p->open[--p->depth];
  const uint32_t n = p->nelements - c.first;
  if (c.bracket == '{' && n % 2) {
    token_wrong(t, "a value for each key of the map");
    return;
  }
  if (n && (c.bracket == '{' || c.bracket == '#'))
    sort_printed_elements(p, c.first, c.bracket == '{' ? 2 : 1);
  p->length -= n > 0;
  p->nelements = c.first;
  put_printed(p, c.bracket == '{' || c.bracket == '#' ? "}" : "]", 1);
}

// Takes what is at hand; false at the end of it all.
static bool take_printed(struct printer *p, struct tokens *t) {
  if (t->kind == TOKEN_END || t->kind == TOKEN_WRONG)
    return false;
  if (t->kind == TOKEN_OPEN && p->depth == TOKEN_DEPTH_MAX)
    token_wrong(t, "brackets in brackets, 256 deep at most");
  else if (t->kind == TOKEN_STRING && t->length >= PRINTED_MAX)
    token_wrong(t, "a key or a value of less than 32 KiB");
  else if (t->kind == TOKEN_OPEN)
    begin_collection(p, t->bracket, t->set);
  else if (t->kind == TOKEN_CLOSE)
    end_collection(p, t);
  else {
    start_element(p);
    put_scalar(p, t);
  }
  if (t->kind != TOKEN_OPEN && p->depth)
    put_printed(p, " ", 1);
  if (t->kind != TOKEN_WRONG && p->length >= PRINTED_MAX)
    token_wrong(t, "a key or a value of less than 32 KiB");
  return t->kind != TOKEN_WRONG && p->depth;
}

static bool print(struct tokens *t, struct printer *p) {
  while (take_printed(p, t))
    token_next(t);
  if (t->kind == TOKEN_END || t->kind == TOKEN_WRONG)
    return false;
  t->kind = TOKEN_PRINTED;
  t->text = p->text;
  t->length = p->length;
  return true;
}

static struct printer *ready(struct printer **printer) {
  if (!*printer)
    *printer = xmalloc(sizeof **printer);
  struct printer *p = *printer;
  p->length = p->nelements = p->depth = 0;
  return p;
}

bool token_print(struct tokens *t, struct printer **printer) {
  return print(t, ready(printer));
}

bool token_print_vector(struct tokens *t, struct printer **printer) {
  struct printer *p = ready(printer);
  begin_collection(p, '[', false);
  return print(t, p);
}

void printer_free(struct printer *printer) { free(printer); }
