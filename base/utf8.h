// SPDX-License-Identifier: GPL-3.0-or-later
// Writes text from outside, which may be any bytes, as well-formed UTF-8.
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdio.h>

// Bytes of the well-formed sequence at `s`, or 0 (Unicode 15, table 3-7).  A
// NUL ends every sequence, so nothing is read past the end.
unsigned utf8_length(const char *s);

// Characters of a text; a byte that is not UTF-8 counts as one.
size_t utf8_count(const char *text);

// Writes text as character data or as the value of an attribute in HTML, XML
// or an HTML-like label of Graphviz: what would be markup is escaped, and what
// may not stand there becomes U+FFFD.
void put_markup(FILE *out, const char *text);
// Like put_markup, for the first `limit` characters; an ellipsis stands for the
// rest.
void put_markup_clipped(FILE *out, const char *text, size_t limit);

// Writes text without control characters, so that it can stand in a sentence
// (base/marks.h) and on a terminal: a line end or tab becomes a blank, and what
// is no character or controls something becomes U+FFFD.  Nothing is escaped.
void put_clean(FILE *out, const char *text);

#endif
