// SPDX-License-Identifier: GPL-3.0-or-later
// Reports that are read again: every member of a counterexample, those that an
// old report lacks, and sentences that name the file and the fault.
#include "config.h"

#include "base/memory.h"
#include "report/replayed.h"
#include "report/stored.h"
#include "tests/tap.h"

#include <errno.h>
#include <unistd.h>

// T1 read x at 0 and wrote 7; T2 in another session did so, too.  The texts
// have characters that are markup, and one that JSON escapes.
#define OPERATION(position, kind, words)                                       \
  "{\"position\": " position ", \"kind\": \"" kind "\", \"key\": \"x<&\","     \
  " \"label\": \"" words "\", \"sentence\": \"" words "\","                    \
  " \"raw\": \"" kind " key 5 = 71\", \"begin_ns\": 12, \"end_ns\": 15,"       \
  " \"matters\": true}"
#define TXN(id, name, session, times)                                          \
  "{\"name\": \"" id "\", \"short\": \"" name "\", \"session\": " session      \
  ", \"number\": 4, \"outcome\": \"committed\", \"endpoint\": null,"           \
  " \"level\": null, " times " \"left_out\": 2, \"operations\": [" OPERATION(  \
      "0", "read", "read x0") ", " OPERATION("3", "write",                     \
                                             "write \\\"x1\\\"") "]}"
#define TIMES "\"begin_ns\": 10, \"end_ns\": 20,"
#define NO_TIMES "\"begin_ns\": null, \"end_ns\": null,"
#define POINTER(id, position)                                                  \
  "{\"transaction\": \"" id "\", \"position\": " position "}"
#define EDGE(from, to, number, op)                                             \
  "{\"kind\": \"RW\", \"from\": \"" from "\", \"to\": \"" to                   \
  "\", \"key\": \"x<&\", \"inferred\": true, \"number\": " number              \
  ", \"from_operation\": " op                                                  \
  ", \"to_operation\": " POINTER(to, "3") ", \"sentence\": \"T1 read x0.\"}"
#define HEAD                                                                   \
  "\"anomaly\": \"LostUpdate\", \"also\": \"P4\", \"meaning\": \"lost\","      \
  " \"weakest_level_broken\": \"si\", \"level\": \"ser\","
#define TXNS(times)                                                            \
  "\"transactions\": [" TXN("0:4", "T1", "0", times) ", " TXN("7:4", "T2",     \
                                                              "7", times) "],"
#define CYCLE                                                                  \
  "\"cycle\": [" EDGE("0:4", "7:4", "1", POINTER("0:4", "0")) ", " EDGE(       \
      "7:4", "0:4", "2", "null") "],"
#define TAIL "\"sentence\": \"One is lost.\""
#define EXAMPLE                                                                \
  "{" HEAD TXNS(TIMES)                                                         \
  CYCLE TAIL "}"

#define REPORT(members) "{\"schema\": \"isostress-report/1\"" members "}"
#define VERDICT(key, members)                                                  \
  ", \"" key "\": {\"verdict\": \"violation\"" members "}"
#define BROKEN(example)                                                        \
  REPORT(VERDICT("verdict", ", \"counterexample\": " example))

static int read_report(struct stored *s, const char *text,
                       struct error *error) {
  return stored_of_bytes(s, "old/report.json", text, strlen(text), error);
}

static bool opens(struct stored *s, const char *text) {
  struct error error = {0};
  const bool done = read_report(s, text, &error) == 0;
  if (!CHECK(done))
    printf("# %s\n", error.text);
  return done;
}

// The whole sentence with which it is refused.
static void refuses(const char *text, const char *sentence) {
  struct stored s;
  struct error error = {0};
  CHECK_INT(read_report(&s, text, &error), -1);
  CHECK_STR(error.text, sentence);
  stored_free(&s);
}

static void no_report(void) {
  refuses(
      "",
      "old/report.json: line 1: this is not JSON: a value is expected here");
  refuses(
      "{\n\"schema\":\n",
      "old/report.json: line 3: this is not JSON: a value is expected here");
  refuses("[]", "old/report.json is no report of a run: its schema is \"\", "
                "not \"isostress-report/1\"");
  refuses("{\"schema\": 1}",
          "old/report.json is no report of a run: its schema is \"\", not "
          "\"isostress-report/1\"");
  refuses("{\"schema\": \"isostress-report/2\"}",
          "old/report.json is no report of a run: its schema is "
          "\"isostress-report/2\", not \"isostress-report/1\"");
  // A name that no schema has is cut.
  refuses("{\"schema\": \"0123456789012345678901234567890123456789and more\"}",
          "old/report.json is no report of a run: its schema is "
          "\"0123456789012345678901234567890123456789\", not "
          "\"isostress-report/1\"");
}

// Nothing but the schema: a run that was not checked.
static void nothing_checked(void) {
  struct stored s;
  if (!opens(&s, REPORT("")))
    return;
  CHECK(!stored_broken(&s));
  CHECK_INT(s.nexamples, 0);
  CHECK(!s.replay);
  stored_free(&s);
  CHECK(!s.document);
  stored_free(&s); // again, and nothing happens
}

static void a_pass_has_no_example(void) {
  struct stored s;
  if (!opens(&s, REPORT(", \"verdict\": {\"verdict\": \"pass\"}")))
    return;
  CHECK(stored_broken(&s) == json_member(s.document, "verdict"));
  CHECK_INT(s.nexamples, 0);
  stored_free(&s);
}

static void every_member(void) {
  struct stored s;
  if (!opens(&s, BROKEN(EXAMPLE)) || !CHECK(s.nexamples == 1))
    return;
  const struct example *e = s.examples;
  CHECK_STR(e->anomaly, "LostUpdate");
  CHECK_STR(e->also, "P4");
  CHECK_INT(e->weakest, ISOLATION_SI);
  CHECK_INT(e->level, ISOLATION_SER);
  CHECK(e->timed);
  if (!CHECK(e->ntxns == 2 && e->nops == 4 && e->nedges == 2))
    return;
  const struct example_txn *txn = &e->txns[1];
  CHECK_STR(txn->id, "7:4");
  CHECK_STR(txn->name, "T2");
  CHECK_INT(txn->session, 7);
  CHECK_INT(txn->number, 4);
  CHECK_INT(txn->nleft_out, 2);
  CHECK_INT(txn->begin, 10);
  CHECK_INT(txn->end, 20);
  CHECK_INT(txn->first_op, 2);
  CHECK_INT(txn->end_op, 4);
  CHECK(!txn->endpoint && !txn->level);
  const struct example_op *op = &e->ops[3];
  CHECK_INT(op->position, 3);
  CHECK_STR(op->kind, "write");
  CHECK_STR(op->key, "x<&");
  CHECK_STR(op->label, "write \"x1\"");
  CHECK_STR(op->raw, "write key 5 = 71");
  CHECK_INT(op->begin, 12);
  CHECK_INT(op->end, 15);
  CHECK(op->matters && !op->condition);
  CHECK_STR(e->contradiction, "One is lost.");
  stored_free(&s);
}

static void the_cycle(void) {
  struct stored s;
  if (!opens(&s, BROKEN(EXAMPLE)) || !CHECK(s.nexamples == 1))
    return;
  const struct example *e = s.examples;
  CHECK_INT(e->ncycle, 2);
  CHECK_INT(e->edges[0].from, 0);
  CHECK_INT(e->edges[0].to, 1);
  CHECK_INT(e->edges[0].from_op, 0);
  CHECK_INT(e->edges[0].to_op, 3); // position 3 of T2, the fourth of all
  CHECK_INT(e->edges[0].number, 1);
  CHECK(e->edges[0].inferred && e->edges[0].on_cycle);
  CHECK_INT(e->edges[1].from_op, EXAMPLE_NONE);
  CHECK_INT(e->edges[1].to_op, 1);
  CHECK_INT(e->read, EXAMPLE_NONE);
  CHECK_INT(e->other, EXAMPLE_NONE);
  stored_free(&s);
}

// An edge beside the cycle is behind those on it.
static void edges_beside_the_cycle(void) {
  struct stored s;
  if (!opens(&s, BROKEN("{" HEAD TXNS(TIMES) "\"context\": [" EDGE(
                     "7:4", "0:4", "null",
                     "null") "]," CYCLE
                             "\"reasons\": [{\"number\": 3, \"sentence\": "
                             "\"Because.\"}], \"statements\": [\"0:4 SELECT\","
                             " 5], " TAIL "}")))
    return;
  const struct example *e = s.examples;
  CHECK_INT(e->nedges, 3);
  CHECK_INT(e->ncycle, 2);
  CHECK(!e->edges[2].on_cycle);
  CHECK_INT(e->edges[2].number, 0);
  CHECK_INT(e->nreasons, 1);
  CHECK_INT(e->reasons[0].number, 3);
  CHECK_STR(e->reasons[0].sentence, "Because.");
  CHECK_INT(e->nstatements, 1); // a number is no statement
  CHECK_STR(e->statements[0], "0:4 SELECT");
  stored_free(&s);
}

// No times, no level that is minimal, no short and no raw names.
static void an_old_report(void) {
  static const char old[] = BROKEN(
      "{" HEAD "\"transactions\": [{\"name\": \"2:9\", \"outcome\": "
      "\"aborted\", \"operations\": [{\"kind\": \"read\", \"key\": \"x\", "
      "\"label\": \"read x\", \"sentence\": \"read key x = 3\"}]}],"
      "\"read\": " POINTER("2:9", "0") ", " TAIL "}");
  struct stored s;
  if (!opens(&s, old) || !CHECK(s.nexamples == 1))
    return;
  const struct example *e = s.examples;
  CHECK_INT(e->minimal, ISOLATION_SI); // the weakest that it breaks
  CHECK(!e->timed);
  CHECK_STR(e->txns->name, "2:9");
  CHECK_STR(e->txns->outcome, "aborted");
  CHECK(e->txns->begin == TIME_UNKNOWN && e->txns->end == TIME_UNKNOWN);
  CHECK_STR(e->ops->raw, "read key x = 3");
  CHECK(e->ops->begin == TIME_UNKNOWN && e->ops->end == TIME_UNKNOWN);
  CHECK(!e->ops->matters);
  CHECK_INT(e->read, 0);
  CHECK_INT(e->nedges, 0);
  CHECK(e->nstory > 0); // it is told without times
  CHECK(e->story[0].time == TIME_UNKNOWN);
  stored_free(&s);
}

static void times_that_are_null(void) {
  struct stored s;
  if (!opens(&s, BROKEN("{" HEAD TXNS(NO_TIMES) CYCLE TAIL "}")))
    return;
  CHECK(!s.examples->timed);
  CHECK(s.examples->txns[1].end == TIME_UNKNOWN);
  stored_free(&s);
}

// All others are read, and the ones of a level above the claimed one come
// before those of the verdict.
static void more_examples(void) {
  static const char three[] =
      REPORT(VERDICT("verdict", ", \"counterexample\": " EXAMPLE
                                ", \"others\": [" EXAMPLE ", " EXAMPLE "]"));
  static const char beyond[] = REPORT(VERDICT(
      "verdict", ", \"counterexample\": " EXAMPLE ", \"others\": [" EXAMPLE
                 "]") VERDICT("beyond", ", \"counterexample\": " EXAMPLE));
  struct stored s;
  if (opens(&s, three))
    CHECK_INT(s.nexamples, 3);
  stored_free(&s);
  if (opens(&s, beyond)) {
    CHECK_INT(s.nexamples, 1);
    CHECK(stored_broken(&s) == json_member(s.document, "beyond"));
  }
  stored_free(&s);
}

#define LACKS(what) "old/report.json: its counterexample lacks " what

static void what_an_example_lacks(void) {
  refuses(BROKEN("{}"), LACKS("anomaly"));
  refuses(BROKEN("null"), LACKS("anomaly"));
  refuses(BROKEN("{\"anomaly\": \"G0\", \"also\": \"\"}"), LACKS("meaning"));
  refuses(BROKEN("{" HEAD TAIL "}"), LACKS("transactions"));
  refuses(BROKEN("{" HEAD "\"transactions\": {}, " TAIL "}"),
          LACKS("transactions"));
  refuses(BROKEN("{" HEAD "\"transactions\": [{}], " TAIL "}"), LACKS("name"));
  refuses(BROKEN("{" HEAD "\"transactions\": [3], " TAIL "}"), LACKS("name"));
  refuses(BROKEN("{" HEAD "\"transactions\": [{\"name\": \"0:0\", \"outcome\": "
                 "\"committed\", \"operations\": [{}]}], " TAIL "}"),
          LACKS("kind"));
  refuses(BROKEN("{" HEAD TXNS(TIMES) "\"also_unknown\": 1}"),
          LACKS("sentence"));
  refuses(BROKEN("{" HEAD "\"minimal_for\": \"best\", " TXNS(TIMES) TAIL "}"),
          LACKS("minimal_for"));
}

static void edges_that_lead_nowhere(void) {
  refuses(BROKEN("{" HEAD TXNS(TIMES) "\"cycle\": [" EDGE(
              "0:4", "9:9", "1", "null") "]," TAIL "}"),
          LACKS("a transaction that it names"));
  refuses(BROKEN("{" HEAD TXNS(TIMES) "\"cycle\": [" EDGE(
              "0:4", "7:4", "1", POINTER("0:4", "1")) "]," TAIL "}"),
          LACKS("an operation that it names"));
  refuses(BROKEN("{" HEAD TXNS(TIMES) "\"read\": " POINTER("1:1", "0") ", " TAIL
                                                                       "}"),
          LACKS("a transaction that it names"));
  // A fault of one that is not the first is found, too.
  refuses(REPORT(VERDICT("verdict", ", \"counterexample\": " EXAMPLE
                                    ", \"others\": [" EXAMPLE ", {}]")),
          LACKS("anomaly"));
}

// ---- Files

static char *make_directory(void) {
  const char *tmp = getenv("TMPDIR");
  char *path =
      xasprintf("%s/isostress-test.XXXXXX", tmp && *tmp ? tmp : "/tmp");
  CHECK(mkdtemp(path) != NULL);
  return path;
}

static void put_file(const char *directory, const char *name,
                     const char *text) {
  char *path = xasprintf("%s/%s", directory, name);
  FILE *file = fopen(path, "w");
  if (CHECK(file != NULL)) {
    fputs(text, file);
    fclose(file);
  }
  free(path);
}

static void drop_file(const char *directory, const char *name) {
  char *path = xasprintf("%s/%s", directory, name);
  CHECK_INT(unlink(path), 0);
  free(path);
}

static void drop_directory(char *directory) {
  CHECK_INT(rmdir(directory), 0);
  free(directory);
}

static void a_directory(void) {
  char *directory = make_directory();
  struct stored s;
  struct error error = {0};
  put_file(directory, "report.json", BROKEN(EXAMPLE));
  CHECK_INT(stored_of_directory(&s, directory, &error), 0);
  CHECK_INT(s.nexamples, 1);
  CHECK(!s.replay);
  stored_free(&s);
  drop_file(directory, "report.json");
  CHECK_INT(stored_of_directory(&s, directory, &error), -1);
  char *wanted =
      xasprintf("cannot read %s/report.json: %s", directory, strerror(ENOENT));
  CHECK_STR(error.text, wanted);
  free(wanted);
  stored_free(&s);
  drop_directory(directory);
}

// The file is longer than one piece of what is read at once.
static void a_long_file(void) {
  enum { SPACES = 200000 };
  char *directory = make_directory();
  char *text = xasprintf("%*s%s", SPACES, "", REPORT(", \"last\": 5"));
  struct stored s;
  struct error error = {0};
  put_file(directory, "report.json", text);
  CHECK_INT(stored_of_directory(&s, directory, &error), 0);
  CHECK_INT(json_whole(s.document, "last", 0), 5);
  stored_free(&s);
  free(text);
  drop_file(directory, "report.json");
  drop_directory(directory);
}

static void write_replay(const char *directory) {
  const struct replayed replayed = {.anomaly = "LostUpdate",
                                    .target = "mysql://h/?a=<b>&c",
                                    .server = "MariaDB \"10\"",
                                    .level = "repeatable read",
                                    .performed = 40,
                                    .same = 31,
                                    .other = 4,
                                    .aborted = 5,
                                    .blocked = 2};
  char *path = xasprintf("%s/" REPLAYED_FILE, directory);
  FILE *file = fopen(path, "w");
  if (CHECK(file != NULL)) {
    replayed_put_json(file, &replayed);
    fclose(file);
  }
  free(path);
}

// The figures of a replay come back as they were written.
static void a_replay(void) {
  char *directory = make_directory();
  struct stored s;
  struct error error = {0};
  put_file(directory, "report.json", BROKEN(EXAMPLE));
  write_replay(directory);
  CHECK_INT(stored_of_directory(&s, directory, &error), 0);
  const struct json_value *r = s.replay;
  CHECK_STR(json_text(r, "schema", ""), "isostress-replay/1");
  CHECK_STR(json_text(r, "anomaly", ""), "LostUpdate");
  CHECK_STR(json_text(r, "target", ""), "mysql://h/?a=<b>&c");
  CHECK_STR(json_text(r, "server", ""), "MariaDB \"10\"");
  CHECK_STR(json_text(r, "level", ""), "repeatable read");
  CHECK_INT(json_whole(r, "performed", 0), 40);
  CHECK_INT(json_whole(r, "same", 0), 31);
  CHECK_INT(json_whole(r, "other", 0), 4);
  CHECK_INT(json_whole(r, "aborted", 0), 5);
  CHECK_INT(json_whole(r, "blocked", 0), 2);
  stored_free(&s);
  put_file(directory, REPLAYED_FILE, "{\n]");
  CHECK_INT(stored_of_directory(&s, directory, &error), -1);
  char *wanted = xasprintf("%s/" REPLAYED_FILE ": line 2: ", directory);
  CHECK(!strncmp(error.text, wanted, strlen(wanted)));
  free(wanted);
  stored_free(&s);
  drop_file(directory, "report.json");
  drop_file(directory, REPLAYED_FILE);
  drop_directory(directory);
}

// A picture for each counterexample, up to the most that are drawn.
static void pictures(void) {
  enum { OTHERS = STORED_MAX_PICTURES + 2 };
  char *directory = make_directory(), *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fputs("{\"schema\": \"isostress-report/1\", \"verdict\": {\"verdict\": "
        "\"violation\", \"counterexample\": " EXAMPLE ", \"others\": [" EXAMPLE,
        out);
  for (int i = 1; i < OTHERS; i++)
    fputs("," EXAMPLE, out);
  fputs("]}}", out);
  fclose(out);
  struct stored s;
  struct error error = {0};
  if (opens(&s, text)) {
    CHECK_INT(s.nexamples, OTHERS + 1);
    CHECK_INT(stored_draw(&s, directory, &error), 0);
    for (int i = 1; i <= STORED_MAX_PICTURES; i++) {
      char *name = xasprintf("counterexample-%d.svg", i);
      drop_file(directory, name);
      free(name);
    }
  }
  drop_directory(directory); // which is empty: no other was drawn
  CHECK_INT(stored_draw(&s, "no such directory", &error), -1);
  CHECK(strstr(error.text, "no such directory/counterexample-1.svg"));
  stored_free(&s);
  free(text);
}

int main(void) {
  return TAP_RUN(
      {"what is no report is refused by its name", no_report},
      {"a run that was not checked", nothing_checked},
      {"a pass has no counterexample", a_pass_has_no_example},
      {"every member of a counterexample is read", every_member},
      {"edges lead to their operations", the_cycle},
      {"edges beside the cycle, reasons and statements",
       edges_beside_the_cycle},
      {"members that an old report lacks", an_old_report},
      {"times that are null are unknown", times_that_are_null},
      {"other counterexamples, and of a stronger level", more_examples},
      {"a sentence names what a counterexample lacks", what_an_example_lacks},
      {"edges that lead nowhere are refused", edges_that_lead_nowhere},
      {"the report of a directory", a_directory}, {"a long file", a_long_file},
      {"figures of a replay are read again", a_replay},
      {"pictures of the first counterexamples", pictures});
}
