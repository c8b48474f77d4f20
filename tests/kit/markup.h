// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of pages and pictures: markup as a text, what stands in it, and
// whether a browser could be led astray by it.
#ifndef TESTS_KIT_MARKUP_H
#define TESTS_KIT_MARKUP_H

#include <stdbool.h>
#include <stdio.h>

// How often a part stands in a text.
unsigned markup_count(const char *text, const char *part);

// Does the first `part` stand in the text before the first `other`?
bool markup_in_order(const char *text, const char *part, const char *other);

// Is every element closed within the element around it, every id unique, and
// does every link to a place of the page, and every name that an element takes
// from another one, lead to an id?  Elements without an end are those of HTML
// and those that end in "/>"; the texts of <style> and <script> are not looked
// at.  NULL, or the first thing that is wrong, a constant string.
const char *markup_fault(const char *text);

// Markup that a test collects: MARKUP_OF(text, page_tag(out, "bad", "x")).  The
// name `out` is the stream; free the text with free().
#define MARKUP_OF(text, call)                                                  \
  do {                                                                         \
    size_t bytes_;                                                             \
    FILE *out = open_memstream(&(text), &bytes_);                              \
    call;                                                                      \
    fclose(out);                                                               \
  } while (0)

// The call writes this, byte for byte.
#define CHECK_MARKUP(call, wanted)                                             \
  do {                                                                         \
    char *written_;                                                            \
    MARKUP_OF(written_, call);                                                 \
    CHECK_STR(written_, wanted);                                               \
    free(written_);                                                            \
  } while (0)

// The text has the part so many times.
#define CHECK_COUNT(text, part, wanted)                                        \
  CHECK_INT(markup_count(text, part), wanted)

// The text is markup without a fault.
#define CHECK_SOUND(text)                                                      \
  do {                                                                         \
    const char *fault_ = markup_fault(text);                                   \
    if (!CHECK(fault_ == NULL))                                                \
      printf("#   %s\n", fault_);                                              \
  } while (0)

#endif
