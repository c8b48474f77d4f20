// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "base/json.h"
#include "tests/tap.h"

#include <math.h>
#include <stdlib.h>

static char *written;
static size_t written_bytes;

static struct json start(void) {
  struct json json;
  json_begin(&json, open_memstream(&written, &written_bytes));
  return json;
}

static void expect(struct json *json, const char *wanted) {
  json_end(json);
  fclose(json->out);
  CHECK_STR(written, wanted);
  free(written);
}

static void members_and_elements_are_separated(void) {
  struct json json = start();
  json_put_object(&json, NULL);
  json_put_string(&json, "a", "x");
  json_put_array(&json, "b");
  json_put_unsigned(&json, NULL, UINT64_MAX);
  json_put_bool(&json, NULL, true);
  json_close(&json, ']');
  json_put_array(&json, "empty");
  json_close(&json, ']');
  json_close(&json, '}');
  expect(&json, "{\n  \"a\": \"x\",\n  \"b\": [\n    18446744073709551615,\n"
                "    true\n  ],\n  \"empty\": []\n}\n");
}

static void text_is_escaped(void) {
  struct json json = start();
  json_put_string(&json, NULL, "\"\\\n\t\r\x01\x7f h\xc3\xa9 \xf0\x9f\x98\x80");
  expect(&json, "\"\\\"\\\\\\n\\t\\r\\u0001\\u007f h\xc3\xa9 "
                "\xf0\x9f\x98\x80\"\n");
}

static void bytes_that_are_not_utf8_are_replaced(void) {
  // An overlong slash, a surrogate half, a cut-off sequence at the end.
  struct json json = start();
  json_put_string(&json, NULL, "\xc0\xaf|\xed\xa0\x80|\xe2\x82");
  expect(&json, "\"\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\"\n");
}

static void numbers_without_a_value_are_null(void) {
  struct json json = start();
  json_put_array(&json, NULL);
  json_put_real(&json, NULL, 0.25);
  json_put_real(&json, NULL, NAN);
  json_put_real(&json, NULL, INFINITY);
  json_put_string(&json, NULL, NULL);
  json_close(&json, ']');
  expect(&json, "[\n  0.25,\n  null,\n  null,\n  null\n]\n");
}

int main(void) {
  return TAP_RUN(
      {"members and elements are separated",
       members_and_elements_are_separated},
      {"text is escaped", text_is_escaped},
      {"bytes that are not UTF-8 are replaced",
       bytes_that_are_not_utf8_are_replaced},
      {"numbers without a value are null", numbers_without_a_value_are_null});
}
