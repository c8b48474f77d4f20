// SPDX-License-Identifier: GPL-3.0-or-later
// Counterexamples as JSON: written and read again, from old reports and from
// broken ones.
#include "config.h"

#include "base/memory.h"
#include "report/tale/example.h"
#include "tests/tap.h"
#include "tests/unit/report/make_example.h"

#include <stdlib.h>
#include <string.h>

static char *written_json(const struct example *e) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  struct json json;
  json_begin(&json, out);
  json_put_object(&json, NULL);
  example_put_json(&json, "counterexample", e);
  json_close(&json, '}');
  json_end(&json);
  fclose(out);
  return text;
}

// 0, or -1 with a sentence; the example may be freed in both cases.
static int read_example(struct example *e, const char *text,
                        struct error *error) {
  struct arena arena = {0};
  const struct json_value *document =
      json_read(&arena, text, strlen(text), error);
  if (!CHECK(document))
    printf("# %s\n", error->text);
  const int result =
      example_of_document(e, json_member(document, "counterexample"), error);
  arena_free(&arena); // the example keeps nothing of it
  return result;
}

static void expect_same_json(const char *history, enum isolation level,
                             bool raw) {
  struct example made, read;
  struct error error;
  make_example(&made, history, level, raw);
  char *first = written_json(&made);
  if (CHECK(!read_example(&read, first, &error))) {
    char *second = written_json(&read);
    CHECK_STR(second, first);
    CHECK_INT(read.ncycle, made.ncycle);
    CHECK_INT(read.timed, made.timed);
    CHECK_INT(read.read, made.read);
    CHECK_INT(read.nstory, made.nstory);
    for (uint32_t op = 0; op < made.nops; op++)
      CHECK(!made.ops[op].fault == !read.ops[op].fault);
    free(second);
  } else {
    printf("# %s\n", error.text);
  }
  example_free(&read);
  free(first);
  example_free(&made);
}

static void read_again_it_is_the_same(void) {
  expect_same_json(lost, ISOLATION_SER, false);
  expect_same_json(lost, ISOLATION_SER, true);
  expect_same_json("[a==? b==? a:=1]\n---\n[a==? b==? b:=1]\n", ISOLATION_SER,
                   false);
  expect_same_json("[a:=1]!\n---\n[a==1]\n", ISOLATION_RC, false);
  expect_same_json("[a==5]\n", ISOLATION_RC, false);
  expect_same_json("[l+=1]\n---\n[l+=2]\n---\n[l==[1,2]]\n---\n[l==[2,1]]\n",
                   ISOLATION_SER, false);
  expect_same_json("[s|=1]\n---\n[s=={1} s=={}]\n", ISOLATION_SER, false);
  expect_same_json("table t(b)\n[sel t{b = 1}:, ins t/1{b=1}]\n---\n"
                   "[sel t{b = 1}:, ins t/2{b=1}]\n",
                   ISOLATION_SER, false);
}

// Names of a database's own making are no JSON.
static void names_with_quotation_marks(void) {
  struct small s;
  struct example read;
  struct error error;
  small_begin(&s, "committed");
  s.txn.endpoint = "<\"h\" & \\n>";
  s.ops[0].key = "a\"b";
  example_tell(&s.e);
  char *text = written_json(&s.e);
  if (CHECK(!read_example(&read, text, &error))) {
    CHECK_STR(read.txns[0].endpoint, "<\"h\" & \\n>");
    CHECK_STR(read.ops[0].key, "a\"b");
    CHECK_STR(read.txns[0].id, "3:4");
    CHECK_INT(read.txns[0].number, 4);
    CHECK_INT(read.ops[1].begin, TIME_UNKNOWN);
    example_free(&read);
  }
  free(text);
  example_free(&s.e);
}

#define HEAD                                                                   \
  "\"anomaly\": \"LostUpdate\", \"also\": \"P4\", \"meaning\": \"M.\", "       \
  "\"weakest_level_broken\": \"si\", \"level\": \"ser\", "                     \
  "\"sentence\": \"So it is.\""
#define OPERATION                                                              \
  "{\"position\": 0, \"kind\": \"read\", \"key\": \"a\", \"label\": "          \
  "\"read x0\", \"sentence\": \"read x0\"}"
#define TXNS                                                                   \
  "\"transactions\": [{\"name\": \"3:4\", \"outcome\": \"committed\", "        \
  "\"operations\": [" OPERATION "]}]"

static int read_members(struct example *e, const char *members,
                        struct error *error) {
  char *text = xasprintf("{\"counterexample\": {%s}}", members);
  const int result = read_example(e, text, error);
  free(text);
  return result;
}

// Reports of earlier versions lack what came later: short names, raw sentences,
// times, reasons, the level without one operation.
static void an_old_report(void) {
  struct example e;
  struct error error;
  if (!CHECK(!read_members(&e, HEAD ", " TXNS, &error))) {
    printf("# %s\n", error.text);
    return;
  }
  CHECK_STR(e.txns[0].name, "3:4"); // instead of a short name
  CHECK_STR(e.ops[0].raw, "read x0");
  CHECK_INT(e.minimal, ISOLATION_SI); // the weakest that is broken
  CHECK(!e.timed);
  CHECK_INT(e.txns[0].begin, TIME_UNKNOWN);
  CHECK_INT(e.ops[0].end, TIME_UNKNOWN);
  CHECK(!e.ops[0].matters && !e.ops[0].condition && !e.ops[0].fault);
  CHECK(!e.txns[0].endpoint && !e.txns[0].level);
  CHECK_INT(e.nedges + e.nreasons + e.nstatements, 0);
  CHECK_INT(e.read, EXAMPLE_NONE);
  CHECK_INT(e.nstory, 1);
  expect_line(&e, 0, TIME_UNKNOWN, "3:4 in session 0 read x0; it committed.");
  example_free(&e);
}

static void expect_refusal(const char *members, const char *wanted) {
  struct example e;
  struct error error = {0};
  CHECK_INT(read_members(&e, members, &error), -1);
  CHECK_STR(error.text, wanted);
  example_free(&e);
}

#define EDGE(from, to, op)                                                     \
  ", \"cycle\": [{\"kind\": \"RW\", \"from\": \"" from "\", \"to\": \"" to     \
  "\", \"sentence\": \"S.\", \"from_operation\": " op "}]"

static void broken_reports_are_refused(void) {
  expect_refusal("", "its counterexample lacks anomaly");
  expect_refusal(HEAD, "its counterexample lacks transactions");
  expect_refusal(HEAD ", \"transactions\": []",
                 "its counterexample lacks transactions");
  expect_refusal(HEAD ", \"transactions\": 7",
                 "its counterexample lacks transactions");
  expect_refusal("\"anomaly\": 7", "its counterexample lacks anomaly");
  expect_refusal(HEAD ", \"transactions\": [{\"name\": \"3:4\"}]",
                 "its counterexample lacks outcome");
  expect_refusal(HEAD ", \"transactions\": [null]",
                 "its counterexample lacks name");
  expect_refusal(HEAD ", \"minimal_for\": \"x\", " TXNS,
                 "its counterexample lacks minimal_for");
}

// Everything that is pointed to has to be there.
static void pointers_lead_somewhere(void) {
  struct example e;
  struct error error;
  CHECK_INT(read_members(&e, HEAD ", " TXNS EDGE("3:4", "3:4", "null"), &error),
            0);
  CHECK_INT(e.ncycle, 1);
  CHECK_INT(e.edges[0].from_op, EXAMPLE_NONE);
  example_free(&e);
  expect_refusal(HEAD ", " TXNS EDGE("3:5", "3:4", "null"),
                 "its counterexample lacks a transaction that it names");
  expect_refusal(HEAD ", " TXNS EDGE("3:4", "", "null"),
                 "its counterexample lacks a transaction that it names");
  expect_refusal(HEAD ", " TXNS EDGE("3:4", "3:4",
                                     "{\"transaction\": \"3:4\", "
                                     "\"position\": 1}"),
                 "its counterexample lacks an operation that it names");
  expect_refusal(HEAD ", " TXNS EDGE("3:4", "3:4",
                                     "{\"transaction\": \"0:0\", "
                                     "\"position\": 0}"),
                 "its counterexample lacks a transaction that it names");
  expect_refusal(HEAD ", " TXNS ", \"read\": {\"transaction\": \"3:4\", "
                      "\"position\": 9}",
                 "its counterexample lacks an operation that it names");
}

static void no_counterexample_at_all(void) {
  struct example e;
  struct error error = {0};
  CHECK_INT(example_of_document(&e, NULL, &error), -1);
  CHECK_STR(error.text, "its counterexample lacks anomaly");
  example_free(&e);
}

int main(void) {
  return TAP_RUN({"read again it is the same", read_again_it_is_the_same},
                 {"names with quotation marks", names_with_quotation_marks},
                 {"an old report", an_old_report},
                 {"broken reports are refused", broken_reports_are_refused},
                 {"pointers lead somewhere", pointers_lead_somewhere},
                 {"no counterexample at all", no_counterexample_at_all});
}
