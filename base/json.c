// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON writer (base/json.h).
#include "config.h"

#include "base/json.h"

#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_escaped(FILE *out, const unsigned char *s) {
  static const char short_form[] = {
      ['"'] = '"', ['\\'] = '\\', ['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r'};
  fputc('"', out);
  while (*s) {
    unsigned length = utf8_length((const char *)s);
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

// Writes the comma, line break, indentation and name before a value.
static void lead_in(struct json *json, const char *name) {
  if (json->depth > 0 && json->line)
    fputs(json->fresh ? "" : ", ", json->out);
  else if (json->depth > 0)
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

void json_begin_line(struct json *json, FILE *out) {
  json_begin(json, out);
  json->line = true;
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
  if (!json->fresh && !json->line)
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

void json_put_signed(struct json *json, const char *name, int64_t number) {
  lead_in(json, name);
  fprintf(json->out, "%" PRId64, number);
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
