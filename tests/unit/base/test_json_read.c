// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "base/json_read.h"
#include "tests/tap.h"

static struct arena arena;

static const struct json_value *read(const char *text, struct error *error) {
  return json_read(&arena, text, strlen(text), error);
}

static const struct json_value *document(const char *text) {
  struct error error;
  const struct json_value *v = read(text, &error);
  if (!CHECK(v != NULL))
    printf("# %s: %s\n", text, error.text);
  return v;
}

static void values_are_found(void) {
  const struct json_value *v =
      document(" {\"a\": [1, -2.5e1, true, false, null], \"b\": {\"c\": \"x\"},"
               "\n\"big\": 18446744073709551615, \"on\": true, \"e\": {}}\n");
  CHECK_INT(json_count(v, "a"), 5);
  CHECK(json_first(v, "a")->type == JSON_NUMBER);
  CHECK_STR(json_first(v, "a")->next->text, "-2.5e1");
  CHECK_STR(json_text(json_member(v, "b"), "c", ""), "x");
  CHECK(json_whole(v, "big", 0) == UINT64_MAX);
  CHECK(json_is_true(v, "on"));
  CHECK(json_member(v, "e")->first == NULL);
  arena_free(&arena);
}

static void what_is_not_there_is_otherwise(void) {
  const struct json_value *v = document("{\"a\": \"1\", \"b\": -3}");
  CHECK_INT(json_whole(v, "a", 7), 7);
  CHECK_INT(json_whole(v, "b", 8), 8);
  CHECK(json_real(v, "b", 0) == -3);
  CHECK_STR(json_text(v, "b", "none"), "none");
  CHECK_STR(json_text(NULL, "b", "none"), "none");
  CHECK(json_first(v, "a") == NULL);
  CHECK(!json_is_true(v, "c"));
  arena_free(&arena);
}

static void escapes_are_undone(void) {
  const struct json_value *v = document(
      "{\"t\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00"
      "|\\ud83dx|\\u0000\"}");
  CHECK_STR(json_text(v, "t", ""),
            "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|\xef\xbf\xbd"
            "x|\xef\xbf\xbd");
  arena_free(&arena);
}

static void what_is_not_json_is_refused(void) {
  static const char *const texts[] = {
      "",          "{",        "[1,",     "{\"a\" 1}", "{a: 1}",
      "[1 2]",     "\"a",      "\"\\",    "\"\\x\"",   "\"\\u12\"",
      "\"\n\"",    "tru",      "nul",     "1.2.3",     "--1",
      "[1]]",      "{\"a\":}", "\"a\" 1", "[",         "\"\\ud83d\\u1\"",
      "{\"a\":1,}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct error error = {0};
    if (!CHECK(read(texts[i], &error) == NULL && error.text[0]))
      printf("# %s\n", texts[i]);
  }
  struct error error;
  CHECK(read("{\n\"a\":\n?}", &error) == NULL);
  CHECK(strstr(error.text, "line 3") != NULL);
  arena_free(&arena);
}

static void nesting_has_a_limit(void) {
  char text[10000];
  struct error error = {0};
  memset(text, '[', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  CHECK(read(text, &error) == NULL);
  CHECK(strstr(error.text, "too deeply") != NULL);
  arena_free(&arena);
}

int main(void) {
  return TAP_RUN({"values are found", values_are_found},
                 {"a missing member has the default value",
                  what_is_not_there_is_otherwise},
                 {"escapes are undone", escapes_are_undone},
                 {"what is not JSON is refused", what_is_not_json_is_refused},
                 {"nesting has a limit", nesting_has_a_limit});
}
