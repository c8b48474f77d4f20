// SPDX-License-Identifier: GPL-3.0-or-later
// UTF-8 and markup (base/utf8.h).
#include "config.h"

#include "base/utf8.h"

#include <stdint.h>

unsigned utf8_length(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  unsigned char lead = s[0];
  unsigned char low = 0x80, high = 0xbf;
  unsigned length = lead < 0x80                    ? 1
                    : lead >= 0xc2 && lead <= 0xdf ? 2
                    : lead >= 0xe0 && lead <= 0xef ? 3
                    : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                   : 0;
  if (lead == 0xe0)
    low = 0xa0;
  else if (lead == 0xed)
    high = 0x9f;
  else if (lead == 0xf0)
    low = 0x90;
  else if (lead == 0xf4)
    high = 0x8f;
  for (unsigned i = 1; i < length; i++) {
    if (s[i] < low || s[i] > high)
      return 0;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}

static const char *after(const char *s) {
  const unsigned length = utf8_length(s);
  return s + (length ? length : 1);
}

size_t utf8_count(const char *text) {
  size_t n = 0;
  for (; *text; text = after(text))
    n++;
  return n;
}

// Control characters may not stand in XML; those from U+0080 to U+009F may not
// in HTML.
static int is_control(const char *s) {
  const unsigned char c = (unsigned char)s[0];
  return c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

static void put_clean_character(FILE *out, const char *s) {
  const unsigned length = utf8_length(s);
  if (*s == '\n' || *s == '\t')
    fputc(' ', out);
  else if (length == 0 || is_control(s))
    fputs("\xef\xbf\xbd", out);
  else
    fwrite(s, 1, length, out);
}

static void put_character(FILE *out, const char *s) {
  switch (*s) {
  case '&':
    fputs("&amp;", out);
    break;
  case '<':
    fputs("&lt;", out);
    break;
  case '>':
    fputs("&gt;", out);
    break;
  case '"':
    fputs("&quot;", out);
    break;
  case '\'':
    fputs("&#39;", out);
    break;
  default:
    put_clean_character(out, s);
  }
}

void put_markup_clipped(FILE *out, const char *text, size_t limit) {
  for (size_t n = 0; *text; text = after(text)) {
    if (n++ == limit) {
      fputs("\xe2\x80\xa6", out);
      return;
    }
    put_character(out, text);
  }
}

void put_markup(FILE *out, const char *text) {
  put_markup_clipped(out, text, SIZE_MAX);
}

void put_clean(FILE *out, const char *text) {
  for (; *text; text = after(text))
    put_clean_character(out, text);
}
