// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON writer (base/json.h).
#include "config.h"

#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

// Length of the well-formed UTF-8 sequence at `s`, or 0 (Unicode 15, table
// 3-7).  A NUL ends every sequence, so nothing is read past the end.
static unsigned utf8_length(const unsigned char *s) {
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

static void put_escaped(FILE *out, const unsigned char *s) {
  static const char short_form[] = {
      ['"'] = '"', ['\\'] = '\\', ['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r'};
  fputc('"', out);
  while (*s) {
    unsigned length = utf8_length(s);
    if (length == 0)
      fputs("\\ufffd", out);
    else if (*s < sizeof short_form && short_form[*s])
      fprintf(out, "\\%c", short_form[*s]);
    else if (*s < 0x20 || *s == 0x7f)
      fprintf(out, "\\u%04x", *s);
    else
      fwrite(s, 1, length, out);
    s += length ? length : 1;
  }
  fputc('"', out);
}

// What stands before every value: comma, line break, indentation, name.
static void lead_in(struct json *json, const char *name) {
  if (json->depth > 0)
    fprintf(json->out, "%s\n%*s", json->fresh ? "" : ",",
            (int)(2 * json->depth), "");
  json->fresh = false;
  if (name) {
    put_escaped(json->out, (const unsigned char *)name);
    fputs(": ", json->out);
  }
}

void json_begin(struct json *json, FILE *out) {
  *json = (struct json){.out = out, .fresh = true};
}

void json_end(struct json *json) {
  assert(json->depth == 0);
  fputc('\n', json->out);
}

static void open_bracket(struct json *json, const char *name, char bracket) {
  lead_in(json, name);
  fputc(bracket, json->out);
  json->depth++;
  json->fresh = true;
}

void json_put_object(struct json *json, const char *name) {
  open_bracket(json, name, '{');
}

void json_put_array(struct json *json, const char *name) {
  open_bracket(json, name, '[');
}

void json_close(struct json *json, char bracket) {
  assert(json->depth > 0);
  json->depth--;
  if (!json->fresh)
    fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
  fputc(bracket, json->out);
  json->fresh = false;
}

void json_put_string(struct json *json, const char *name, const char *text) {
  if (!text) {
    json_put_null(json, name);
    return;
  }
  lead_in(json, name);
  put_escaped(json->out, (const unsigned char *)text);
}

void json_put_unsigned(struct json *json, const char *name, uint64_t number) {
  lead_in(json, name);
  fprintf(json->out, "%" PRIu64, number);
}

void json_put_real(struct json *json, const char *name, double number) {
  if (!isfinite(number)) {
    json_put_null(json, name);
    return;
  }
  lead_in(json, name);
  fprintf(json->out, "%.9g", number);
}

void json_put_bool(struct json *json, const char *name, bool value) {
  lead_in(json, name);
  fputs(value ? "true" : "false", json->out);
}

void json_put_null(struct json *json, const char *name) {
  lead_in(json, name);
  fputs("null", json->out);
}
