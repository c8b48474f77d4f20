// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of a report: each is written and then read as programs read it, and
// told as people read it.
#include "config.h"

#include "base/json_read.h"
#include "base/memory.h"
#include "recorder/builder/builder.h"
#include "report/auto_level.h"
#include "report/excerpt.h"
#include "report/explored.h"
#include "report/model.h"
#include "report/own_scripts.h"
#include "report/question_members.h"
#include "report/report.h"
#include "tests/tap.h"

// A document with the members that `put` writes; NULL if it is no JSON.
static const struct json_value *
document_of(struct arena *arena, void (*put)(struct json *, const void *),
            const void *what) {
  struct json json;
  struct error error = {0};
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  json_begin(&json, out);
  json_put_object(&json, NULL);
  put(&json, what);
  json_close(&json, '}');
  json_end(&json);
  fclose(out);
  const struct json_value *document = json_read(arena, text, bytes, &error);
  if (!CHECK(document != NULL))
    printf("# %s\n", error.text);
  free(text);
  return document;
}

static void expect_text(void (*put)(FILE *, const void *), const void *what,
                        const char *wanted) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  put(out, what);
  fclose(out);
  CHECK_STR(text, wanted);
  free(text);
}

static const struct json_value *element_at(const struct json_value *object,
                                           const char *name, int i) {
  const struct json_value *v = json_first(object, name);
  while (v && i--)
    v = v->next;
  return v;
}

// ---- The question

static void put_question(struct json *json, const void *question) {
  question_put_members(json, question);
}

// Every set of terms comes back, and those of rows stand there only where they
// are asked for.
static void terms_of_a_question(void) {
  for (unsigned set = 0; set < 1U << QUESTION_TERMS; set++) {
    struct arena arena = {0};
    struct question asked = question_usual();
    for (int i = 0; i < QUESTION_TERMS; i++)
      question_set(&asked, &question_terms[i], set >> i & 1);
    const struct json_value *v = document_of(&arena, put_question, &asked);
    const struct question read = question_of_members(v);
    for (int i = 0; i < QUESTION_TERMS; i++) {
      const struct question_term *term = &question_terms[i];
      CHECK_INT(question_value(&read, term), set >> i & 1);
      CHECK_INT(json_member(v, term->key) != NULL,
                !term->of_rows || question_asks(&asked, term));
    }
    arena_free(&arena);
  }
}

static void a_question_of_old(void) {
  static const char text[] = "{\"real_time\": true, \"rc\": \"mixed\"}";
  struct arena arena = {0};
  struct error error;
  const struct json_value *v = json_read(&arena, text, strlen(text), &error);
  const struct question old = question_of_members(v),
                        none = question_of_members(NULL);
  CHECK(old.real_time && old.session_order && old.rc_sees_session);
  CHECK(!old.by_items && !old.plain_reads);
  CHECK(none.session_order && !none.real_time && !none.rc_sees_session);
  arena_free(&arena);
}

// ---- Models

static const struct log_model bank = {.name = "bank", .summary = "sums stay"};

static void put_model(struct json *json, const void *answer) {
  model_put_json(json, answer);
}

static void tell_model(FILE *out, const void *answer) {
  model_put_text(out, answer);
}

static void tell_model_details(FILE *out, const void *answer) {
  model_put_details(out, answer);
}

static struct test_answer broken_bank(void) {
  static char sentence[] = "The sum was 7, not 8.", start[] = "{1 8}",
              value[] = "{1 7}";
  return (struct test_answer){
      .model = &bank,
      .is = {.kind = VERDICT_VIOLATION,
             .name = "WrongTotal",
             .sentence = sentence,
             .broken = 3,
             .checked = 40,
             .nshown = 2},
      .part = "batch",
      .number = -2,
      .operations = 90,
      .shown = {{.at_first = true, .function = "init", .value = start},
                {.session = 4,
                 .number = 11,
                 .begun = 1500000,
                 .function = "read",
                 .value = value,
                 .outcome = OUTCOME_UNKNOWN}}};
}

static void a_broken_model_in_words(void) {
  struct test_answer a = broken_bank();
  expect_text(tell_model, &a,
              "\nVIOLATION of the model bank: WrongTotal, in batch -2. The sum "
              "was 7, not 8.\n"
              "    at first: {1 8}.\n"
              "    0.001500 s: session 4, transaction 11: read {1 7}; nobody "
              "knows whether it committed.\n"
              "  Broken 3 times in all; this is the first.\n");
  a.part = NULL;
  a.is.broken = 1;
  a.is.nshown = 1;
  expect_text(tell_model_details, &a,
              "  This is WrongTotal, which the test bank looks for:\n"
              "    at first: {1 8}.\n");
  a.is.kind = VERDICT_PASS;
  expect_text(tell_model, &a,
              "model       bank: kept, by 40 reads: sums stay\n");
  a.is.kind = VERDICT_UNDECIDED;
  expect_text(tell_model, &a,
              "model       bank: undecided: The sum was 7, not 8.\n");
}

static void a_broken_model_for_programs(void) {
  const struct test_answer a = broken_bank();
  struct arena arena = {0};
  const struct json_value *v =
      json_member(document_of(&arena, put_model, &a), "model");
  CHECK_STR(json_text(v, "name", ""), "bank");
  CHECK_STR(json_text(v, "promise", ""), "sums stay");
  CHECK_STR(json_text(v, "verdict", ""), "violation");
  CHECK_STR(json_text(v, "anomaly", ""), "WrongTotal");
  CHECK_STR(json_text(v, "part", ""), "batch");
  CHECK_STR(json_text(v, "meaning", ""), "The sum was 7, not 8.");
  CHECK_INT(json_real(v, "number", 0), -2);
  CHECK_INT(json_whole(v, "checked", 0), 40);
  CHECK_INT(json_whole(v, "operations", 0), 90);
  CHECK_INT(json_whole(v, "broken", 0), 3);
  CHECK_INT(json_count(v, "shown"), 2);
  const struct json_value *first = element_at(v, "shown", 0),
                          *read = element_at(v, "shown", 1);
  CHECK(!json_member(first, "session")); // nobody's
  CHECK_STR(json_text(first, "value", ""), "{1 8}");
  CHECK_INT(json_whole(read, "session", 0), 4);
  CHECK_INT(json_whole(read, "transaction", 0), 11);
  CHECK_INT(json_whole(read, "time_ns", 0), 1500000);
  CHECK_STR(json_text(read, "outcome", ""), "unknown");
  CHECK_STR(json_text(read, "function", ""), "read");
  arena_free(&arena);
}

static void a_kept_model_shows_nothing(void) {
  struct test_answer a = broken_bank();
  struct arena arena = {0};
  a.is.kind = VERDICT_PASS;
  a.is.sentence = NULL;
  const struct json_value *v =
      json_member(document_of(&arena, put_model, &a), "model");
  CHECK_STR(json_text(v, "verdict", ""), "pass");
  CHECK_INT(json_count(v, "shown"), 0);
  CHECK(!json_member(v, "anomaly") && !json_member(v, "part") &&
        !json_member(v, "broken") && !json_member(v, "meaning"));
  arena_free(&arena);
}

// ---- Own scripts

static void put_scripts(struct json *json, const void *scripts) {
  own_scripts_put_json(json, scripts);
}

static void tell_scripts(FILE *out, const void *scripts) {
  own_scripts_put(out, scripts, "read committed");
}

static void tell_case(FILE *out, const void *scripts) {
  own_scripts_put_case(out, scripts);
}

static void tell_findings(FILE *out, const void *scripts) {
  own_scripts_put_findings(out, scripts);
}

static void tell_judged(FILE *out, const void *scripts) {
  own_scripts_put_judged(out, scripts);
}

static void tell_changes(FILE *out, const void *scripts) {
  own_scripts_put_changes(out, scripts);
}

static const struct own_finding sell_findings[] = {
    {ANOMALY_LOST_UPDATE, 1113, "repeatable read"},
    {ANOMALY_WRITE_SKEW, 0, NULL}};
static const struct own_statement sell_statements[] = {
    {.place = "sell.pgbench:3", .text = "SELECT n FROM a WHERE n < 5"},
    {.place = "a&b.sql:4",
     .text = "UPDATE a",
     .judged = "by its key",
     .executed = 77,
     .findings = sell_findings,
     .nfindings = 2}};
static const struct own_change sell_changes[] = {
    {"a&b.sql:4", "UPDATE a SET n = n - 1 WHERE n > 0"}, {"c.sql:1", "COMMIT"}};

static void scripts_in_words(void) {
  struct verdict v = {.kind = VERDICT_VIOLATION};
  struct own_scripts s = {.serializable = &v,
                          .ruled_out_from = "repeatable read"};
  v.found[ANOMALY_WRITE_SKEW] = 1;
  v.found[ANOMALY_LOST_UPDATE] = 1229;
  expect_text(tell_scripts, &s,
              " But these scripts are \bnot serializable\b at READ "
              "COMMITTED: lost update in 1,229 writes, write skew 1 time. "
              "REPEATABLE READ rules that out.");
  v.found[ANOMALY_WRITE_SKEW] = 0;
  v.found_more = true;
  s.ruled_out_from = NULL;
  expect_text(tell_scripts, &s,
              " But these scripts are \bnot serializable\b at READ "
              "COMMITTED: lost update in 1,229 writes, and perhaps more. No "
              "level rules that out.");
  v.kind = VERDICT_PASS;
  expect_text(tell_scripts, &s,
              " The scripts ran as if one after another, too: serializability "
              "was kept.");
  v.kind = VERDICT_UNDECIDED;
  snprintf(v.why, sizeof v.why, "time < 5 s");
  expect_text(tell_scripts, &s,
              " Whether the scripts were serializable was not decided: time "
              "< 5 s.");
}

static void statements_in_words(void) {
  struct own_scripts s = {.statements = sell_statements,
                          .nstatements = 2,
                          .changes = sell_changes,
                          .nchanges = 2,
                          .headline = "n < 0"};
  expect_text(tell_case, &s, "n < 0.");
  expect_text(tell_findings, &s,
              "\fa&b.sql:4\f: lost update in 1,113 writes, none "
              "from REPEATABLE READ on; write skew, "
              "at every level");
  expect_text(tell_judged, &s, "2 of 2 statements in full");
  expect_text(tell_changes, &s,
              "In \fa&b.sql:4\f: \fUPDATE a SET n = n - 1 "
              "WHERE n > 0\f In \fc.sql:1\f: "
              "\fCOMMIT\f");
  s.nstatements = 1;
  expect_text(tell_judged, &s, "1 of 1 statement in full");
  s = (struct own_scripts){.nstatements = 0};
  expect_text(tell_case, &s, "");
  expect_text(tell_findings, &s, "");
  expect_text(tell_judged, &s, "");
  expect_text(tell_changes, &s, "");
}

static void scripts_for_programs(void) {
  const struct verdict verdict = {.kind = VERDICT_VIOLATION};
  const struct own_scripts s = {.serializable = &verdict,
                                .statements = sell_statements,
                                .nstatements = 2,
                                .changes = sell_changes,
                                .nchanges = 1,
                                .headline = "\"n\" < 0"};
  struct arena arena = {0};
  const struct json_value *v =
      json_member(document_of(&arena, put_scripts, &s), "own_scripts");
  CHECK_STR(json_text(v, "serializable", ""), "violation");
  CHECK_STR(json_text(v, "headline", ""), "\"n\" < 0");
  CHECK_STR(json_text(v, "ruled_out_from", "none"), "none"); // it is null
  CHECK_INT(json_count(v, "statements"), 2);
  CHECK_INT(json_count(element_at(v, "statements", 0), "findings"), 0);
  const struct json_value *statement = element_at(v, "statements", 1);
  CHECK_STR(json_text(statement, "place", ""), "a&b.sql:4");
  CHECK_STR(json_text(statement, "judged", ""), "by its key");
  CHECK_INT(json_whole(statement, "executed", 0), 77);
  const struct json_value *finding = json_first(statement, "findings");
  CHECK_STR(json_text(finding, "anomaly", ""), "LostUpdate");
  CHECK_INT(json_whole(finding, "found", 0), 1113);
  CHECK_STR(json_text(finding, "ruled_out_from", ""), "repeatable read");
  CHECK_INT(json_count(v, "changes"), 1);
  CHECK_STR(json_text(element_at(v, "changes", 0), "text", ""),
            "UPDATE a SET n = n - 1 WHERE n > 0");
  arena_free(&arena);
}

// ---- Explorations

static void put_explored(struct json *json, const void *explored) {
  explored_put_json(json, explored);
}

static void an_exploration(void) {
  static char repair[] = "FOR UPDATE";
  char *const repairs[] = {repair};
  struct explored e = {
      .program = "a.sql",
      .story = "T1 reads",
      .nlevels = 2,
      .levels = {{"rc", 9, 4, 3, 1, true}, {"si", 5, 0, 2, 0, false}},
      .counts_outcomes = true,
      .level = "rc",
      .failure = "n < 0",
      .kind = "assertion",
      .line = 12,
      .repairs = repairs,
      .nrepairs = 1,
      .database = "PostgreSQL 15",
      .target = "postgresql://h",
      .level_in_effect = "read committed",
      .claimed = ISOLATION_RC,
      .performed = 8,
      .seen = 7};
  struct arena arena = {0};
  const struct json_value *v =
      json_member(document_of(&arena, put_explored, &e), "explored");
  CHECK_STR(json_text(v, "program", ""), "a.sql");
  CHECK_INT(json_count(v, "levels"), 2);
  const struct json_value *rc = element_at(v, "levels", 0);
  CHECK_STR(json_text(rc, "level", ""), "rc");
  CHECK(json_is_true(rc, "complete"));
  CHECK_INT(json_whole(rc, "histories", 0), 9);
  CHECK_INT(json_whole(rc, "failing", 0), 4);
  CHECK_INT(json_whole(rc, "outcomes", 0), 3);
  CHECK_INT(json_whole(rc, "not_serializable", 0), 1);
  CHECK(!json_is_true(element_at(v, "levels", 1), "complete"));
  const struct json_value *failure = json_member(v, "failure");
  CHECK_STR(json_text(failure, "text", ""), "n < 0");
  CHECK_STR(json_text(failure, "kind", ""), "assertion");
  CHECK_INT(json_whole(failure, "line", 0), 12);
  CHECK_STR(json_first(v, "repairs")->text, "FOR UPDATE");
  CHECK_STR(json_text(v, "claimed", ""), "rc");
  CHECK_INT(json_whole(v, "performed", 0), 8);
  CHECK_INT(json_whole(v, "seen", 0), 7);
  // On no database, without outcomes, and no repair was looked for.
  e.database = NULL;
  e.repairs = NULL;
  e.counts_outcomes = false;
  v = json_member(document_of(&arena, put_explored, &e), "explored");
  CHECK(!json_member(v, "seen") && !json_member(v, "target"));
  CHECK(!json_member(v, "repairs"));
  CHECK(!json_member(element_at(v, "levels", 0), "outcomes"));
  arena_free(&arena);
}

// ---- Excerpts

static void put_excerpt(struct json *json, const void *report) {
  excerpt_put_json(json, report);
}

// So many transactions of a session, one after another, each as long as that;
// the middle one begins at its number times that.
static void a_session(struct builder *b, uint64_t session, uint32_t n,
                      uint64_t length) {
  for (uint32_t i = 0; i < n; i++) {
    builder_txn(b, session, i % 2 ? OUTCOME_ABORTED : OUTCOME_OK,
                ISOLATION_NONE, i * length, (i + 1) * length);
    if (session)
      builder_op(b, OP_READ, 0, VALUE_INITIAL);
    else
      builder_op(b, OP_WRITE, 0, i + 1);
  }
}

static const struct json_value *excerpt_of(struct arena *arena,
                                           struct builder *b) {
  struct history history;
  struct error error = {0};
  CHECK_INT(builder_finish(b, &history, &error), 0);
  const struct report report = {.command = "run", .history = &history};
  const struct json_value *v = document_of(arena, put_excerpt, &report);
  history_free(&history);
  return json_member(v, "excerpt");
}

static void no_excerpt(void) {
  struct arena arena = {0};
  struct builder *b = builder_open();
  CHECK(!excerpt_of(&arena, b)); // of an empty history
  b = builder_open();
  builder_txn(b, 0, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  builder_op(b, OP_WRITE, 0, 1);
  CHECK(!excerpt_of(&arena, b));
  arena_free(&arena);
}

// From the middle of the first session, 25 ms: five transactions of 5 ms each
// in both sessions.
static void a_middle(void) {
  enum { MS = 1000000 };
  struct arena arena = {0};
  struct builder *b = builder_open();
  a_session(b, 0, 20, 5 * MS);
  a_session(b, 1, 20, 5 * MS);
  const struct json_value *v = excerpt_of(&arena, b);
  CHECK_INT(json_whole(v, "begin_ns", 0), 50 * MS);
  CHECK_INT(json_whole(v, "end_ns", 0), 75 * MS);
  CHECK_INT(json_whole(v, "clients", 0), 2);
  CHECK_INT(json_count(v, "transactions"), 10);
  const struct json_value *first = element_at(v, "transactions", 0),
                          *sixth = element_at(v, "transactions", 5);
  CHECK_INT(json_whole(first, "session", 9), 0);
  CHECK_INT(json_whole(first, "begin_ns", 0), 50 * MS);
  CHECK_INT(json_whole(first, "end_ns", 0), 55 * MS);
  CHECK_STR(json_text(first, "outcome", ""), "committed");
  CHECK(json_is_true(first, "writes"));
  CHECK_STR(json_text(first->next, "outcome", ""), "aborted");
  CHECK_INT(json_whole(sixth, "session", 9), 1);
  CHECK(!json_is_true(sixth, "writes"));
  arena_free(&arena);
}

// A shorter time, and no more sessions than the page draws.
static void a_crowd(void) {
  struct arena arena = {0};
  struct builder *b = builder_open();
  for (uint64_t session = 0; session < 30; session++)
    a_session(b, session, 200, 100000); // 250 transactions in 25 ms, if it had
  const struct json_value *v = excerpt_of(&arena, b);
  // 24 sessions: 600 transactions are 25 of each, in 2.5 ms.  The half of 25 ms
  // is taken again and again, until it is 1.5625 ms.
  CHECK_INT(json_whole(v, "clients", 0), EXCERPT_MAX_SESSIONS);
  CHECK_INT(json_whole(v, "end_ns", 0) - json_whole(v, "begin_ns", 0), 1562500);
  CHECK_INT(json_count(v, "transactions"), 24 * 16);
  arena_free(&arena);
}

// ---- All levels

static void put_levels(struct json *json, const void *report) {
  auto_level_put_json(json, report);
}

static void tell_levels(FILE *out, const void *report) {
  auto_level_put_text(out, report);
}

// A write skew: snapshot isolation is kept and serializability is not.
static void write_skew(struct history *history) {
  struct builder *b = builder_open();
  struct error error = {0};
  for (uint64_t session = 0; session < 2; session++) {
    builder_txn(b, session, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN,
                TIME_UNKNOWN);
    builder_op(b, OP_READ, 0, VALUE_INITIAL);
    builder_op(b, OP_READ, 1, VALUE_INITIAL);
    builder_op(b, OP_WRITE, session, 7);
  }
  CHECK_INT(builder_finish(b, history, &error), 0);
}

static void all_levels(void) {
  const struct check_options options = {.question = {.session_order = true}};
  struct history history;
  struct auto_level card;
  struct error error = {0};
  struct arena arena = {0};
  write_skew(&history);
  CHECK_INT(auto_level_fill(&card, &history, &options, &error), 0);
  const struct report report = {.command = "run",
                                .claimed = ISOLATION_RC,
                                .history = &history,
                                .auto_level = &card};
  expect_text(tell_levels, &report,
              "\nALL LEVELS: the strongest level kept is snapshot isolation.\n"
              "  sser strict serializability  broken     WriteSkew (breaks "
              "ser)\n"
              "  ser  serializability         broken     WriteSkew\n"
              "  si   snapshot isolation      kept       2 in an order with "
              "snapshots\n"
              "  pc   prefix consistency      kept       since si is\n"
              "  cc   causal consistency      kept       since si is\n"
              "  ra   read atomic             kept       since si is\n"
              "  rc   read committed          kept       since si is  <- what "
              "was claimed\n\n");
  const struct json_value *v =
      json_member(document_of(&arena, put_levels, &report), "all_levels");
  CHECK_STR(json_text(v, "strongest", ""), "si");
  CHECK_STR(json_text(v, "claimed", ""), "rc");
  CHECK_INT(json_count(v, "levels"), 7);
  const struct json_value *sser = element_at(v, "levels", 0),
                          *rc = element_at(v, "levels", 6);
  CHECK_STR(json_text(sser, "level", ""), "sser");
  CHECK_STR(json_text(sser, "verdict", ""), "violation");
  CHECK_STR(json_text(sser, "by", ""), "ser");
  CHECK_STR(json_text(sser, "anomaly", ""), "WriteSkew");
  CHECK_STR(json_text(rc, "title", ""), "read committed");
  CHECK_STR(json_text(rc, "verdict", ""), "pass");
  CHECK_STR(json_text(rc, "by", ""), "si");
  CHECK_STR(json_text(rc, "anomaly", "none"), "none");
  CHECK_STR(json_text(rc, "why", "none"), "none");
  arena_free(&arena);
  auto_level_free(&card);
  history_free(&history);
}

// A check that was given up before it reached any level.
static void no_level_is_known(void) {
  struct verdict undecided = {.kind = VERDICT_UNDECIDED};
  struct auto_level card = {.strongest = ISOLATION_NONE};
  struct arena arena = {0};
  snprintf(undecided.why, sizeof undecided.why, "time limit reached");
  auto_level_give_up(&card, &undecided);
  const struct report report = {.command = "check", .auto_level = &card};
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  auto_level_put_text(out, &report);
  fclose(out);
  CHECK(strstr(text, "\nALL LEVELS: no level is known to be kept.\n"));
  CHECK(strstr(text, "\n  ser  serializability         undecided  time limit "
                     "reached\n"));
  CHECK(!strstr(text, "claimed"));
  const struct json_value *v =
      json_member(document_of(&arena, put_levels, &report), "all_levels");
  CHECK_STR(json_text(element_at(v, "levels", 3), "verdict", ""), "undecided");
  CHECK_STR(json_text(element_at(v, "levels", 3), "why", ""),
            "time limit reached");
  arena_free(&arena);
  free(text);
}

int main(void) {
  return TAP_RUN(
      {"every set of terms of a question comes back", terms_of_a_question},
      {"terms that an old report lacks are usual", a_question_of_old},
      {"a broken model in words", a_broken_model_in_words},
      {"a broken model for programs", a_broken_model_for_programs},
      {"a kept model shows nothing", a_kept_model_shows_nothing},
      {"own scripts in words", scripts_in_words},
      {"their statements in words", statements_in_words},
      {"own scripts for programs", scripts_for_programs},
      {"an exploration for programs", an_exploration},
      {"no excerpt without times", no_excerpt},
      {"an excerpt from the middle", a_middle},
      {"an excerpt of a crowd", a_crowd},
      {"all levels of a write skew", all_levels},
      {"no level is known", no_level_is_known});
}
