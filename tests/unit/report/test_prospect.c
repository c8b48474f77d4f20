// SPDX-License-Identifier: GPL-3.0-or-later
// How much a pass could have shown: which chances are told at which question,
// in what words, and the options that bring more of them.
#include "config.h"

#include "base/json_read.h"
#include "base/memory.h"
#include "report/more_chances.h"
#include "report/prospect.h"
#include "tests/tap.h"

static void expect_count(uint64_t low, uint64_t high, const char *unit,
                         const char *wanted) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  prospect_put_count(out, low, high, unit);
  fclose(out);
  CHECK_STR(text, wanted);
  free(text);
}

static void counts_in_words(void) {
  expect_count(7540, 7540, "pairs", "7,540 pairs");
  expect_count(1, 1, "transactions", "1 transaction");
  expect_count(0, 0, "reads", "0 reads");
  expect_count(600, 1900, "triples", "between 600 and 1,900 triples");
  expect_count(0, 5, "rows", "between 0 and 5 rows");
  expect_count(0, 1, "pairs", "between 0 and 1 pair");
  expect_count(5, UINT64_MAX, "pairs", "at least 5 pairs");
  expect_count(1, UINT64_MAX, "rows", "at least 1 row");
  expect_count(0, UINT64_MAX, "pairs", "not known");
  expect_count(7540, 7540, NULL, "7,540");
  expect_count(2, 3, NULL, "between 2 and 3");
  CHECK_STR(prospect_want(1, 1), "too few to say");
  CHECK_STR(prospect_want(0, UINT64_MAX), "none in the sample");
  CHECK_STR(prospect_want(0, 0), "no chance");
}

static void units(void) {
  static const struct {
    const char *anomaly, *unit;
  } wanted[] = {{"ThinAirRead", "reads"},
                {"ExtraRow", "rows"},
                {"LostWrite", "transactions"},
                {"LostUpdate", "pairs"},
                {"LongFork", "triples"}};
  uint32_t found = 0;
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
      if (!strcmp(chance_kind(i)->anomaly, wanted[k].anomaly)) {
        CHECK_STR(prospect_unit(chance_kind(i)), wanted[k].unit);
        found++;
      }
  CHECK_INT(found, sizeof wanted / sizeof *wanted);
}

static void places(void) {
  CHECK_INT(prospect_place("LostUpdate"), 0);
  CHECK_INT(prospect_place("WriteSkew"), 1);
  CHECK_INT(prospect_place("PhantomRead"), PROSPECTS_FIRST - 1);
  CHECK_INT(prospect_place("LongFork"), PROSPECTS_FIRST);
  CHECK_INT(prospect_place(""), PROSPECTS_FIRST);
}

// ---- Options

static void expect_option(const char *workload, const char *anomaly,
                          const char *wanted) {
  char option[MORE_CHANCES] = "";
  const char *found = more_chances(workload, anomaly, option);
  CHECK_INT(found != NULL, wanted != NULL);
  if (found && wanted)
    CHECK_STR(found, wanted);
}

static void options_that_bring_chances(void) {
  expect_option("mt", "LostUpdate", "--aim=LostUpdate");
  expect_option("mt", "WriteSkew", "--aim=WriteSkew");
  expect_option("mt", "G0", "--keys=5 --shares=rmw2:1");
  expect_option("mt", "G1c", "--keys=5 --shares=rmw1:1");
  expect_option("predicate", "PhantomRead", "--aim=PhantomRead");
  // The workload of rows has no such shares, that of registers no phantoms.
  expect_option("predicate", "G0", NULL);
  expect_option("mt", "PhantomRead", NULL);
  expect_option("append", "LostUpdate", NULL);
  expect_option("mt", "StaleRead", NULL);
  CHECK_INT(sessions_for(CHANCE_READ), 1);
  CHECK_INT(sessions_for(CHANCE_ROW), 1);
  CHECK_INT(sessions_for(CHANCE_ONE), 1);
  CHECK_INT(sessions_for(CHANCE_PAIR), 2);
  CHECK_INT(sessions_for(CHANCE_TRIPLE), 3);
}

// ---- Reports

struct passed {
  struct history history;
  struct verdict verdict;
  struct chances chances;
  struct report report;
};

// A pass in which every anomaly had so many chances.
static void pass(struct passed *p, enum isolation level, uint64_t chances) {
  *p = (struct passed){
      .history = {.ntxns = 100},
      .verdict = {.kind = VERDICT_PASS,
                  .question = {.level = level, .session_order = true}},
      .chances = {.timed = true, .all = true, .sampled = 100}};
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    p->chances.low[i] = p->chances.high[i] = chances;
  p->report = (struct report){.command = "check",
                              .history = &p->history,
                              .verdict = &p->verdict,
                              .chances = &p->chances};
}

static const struct prospect *find(const struct passed *p, const char *anomaly,
                                   struct prospect *room) {
  const uint32_t n = prospects_of(&p->report, room);
  for (uint32_t i = 0; i < n; i++)
    if (!strcmp(room[i].kind->anomaly, anomaly))
      return &room[i];
  return NULL;
}

static bool tells(const struct passed *p, const char *anomaly) {
  struct prospect room[CHANCE_KINDS];
  return find(p, anomaly, room) != NULL;
}

// Only what the level forbids was looked for.
static void by_level(void) {
  struct passed p;
  pass(&p, ISOLATION_RC, 9);
  CHECK(tells(&p, "AbortedRead"));
  CHECK(!tells(&p, "LostUpdate") && !tells(&p, "WriteSkew"));
  p.verdict.question.level = ISOLATION_SI;
  CHECK(tells(&p, "LostUpdate") && !tells(&p, "WriteSkew"));
  p.verdict.question.level = ISOLATION_SER;
  CHECK(tells(&p, "WriteSkew") && !tells(&p, "StaleRead"));
  p.verdict.question.real_time = true;
  CHECK(tells(&p, "StaleRead"));
  p.chances.timed = false; // real time and overlaps are unknown
  CHECK(!tells(&p, "StaleRead") && !tells(&p, "WriteSkew"));
  CHECK(tells(&p, "ThinAirRead"));
}

static void by_history(void) {
  static struct rows rows;
  struct passed p;
  pass(&p, ISOLATION_SER, 9);
  CHECK(tells(&p, "SessionGuaranteeViolation"));
  CHECK(!tells(&p, "LostElement") && !tells(&p, "LostWrite"));
  CHECK(!tells(&p, "PhantomRead"));
  p.history.lists = true;
  CHECK(tells(&p, "LostElement") && tells(&p, "LostWrite"));
  p.verdict.question.session_order = false;
  CHECK(!tells(&p, "SessionGuaranteeViolation") && !tells(&p, "LostWrite"));
  p.history.rows = &rows;
  CHECK(tells(&p, "PhantomRead") && tells(&p, "ExtraRow"));
  p.verdict.question.by_items = true;
  CHECK(!tells(&p, "PhantomRead") && tells(&p, "ExtraRow"));
}

static void no_prospects(void) {
  struct prospect room[CHANCE_KINDS];
  struct passed p;
  pass(&p, ISOLATION_SER, 9);
  p.verdict.kind = VERDICT_VIOLATION;
  CHECK_INT(prospects_of(&p.report, room), 0);
  p.verdict.kind = VERDICT_UNDECIDED;
  CHECK_INT(prospects_of(&p.report, room), 0);
  p.verdict.kind = VERDICT_PASS;
  p.report.chances = NULL;
  CHECK_INT(prospects_of(&p.report, room), 0);
}

// The rule of three, which says nothing of fewer than six chances.
static void one_in_so_many(void) {
  static const uint64_t counts[][2] = {
      {0, 0}, {5, 0}, {6, 2}, {8, 2}, {7540, 2513}};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    struct prospect room[CHANCE_KINDS];
    struct passed p;
    pass(&p, ISOLATION_SI, counts[i][0]);
    const struct prospect *lost = find(&p, "LostUpdate", room);
    if (CHECK(lost != NULL))
      CHECK_INT(lost->one_in, counts[i][1]);
  }
}

static void expect_text(const struct passed *p, const char *words, bool there) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  prospects_put_text(out, &p->report);
  fclose(out);
  if (!CHECK((strstr(text, words) != NULL) == there))
    printf("# \"%s\" in:\n%s\n", words, text);
  free(text);
}

static void a_table(void) {
  struct passed p;
  pass(&p, ISOLATION_SI, 7540);
  expect_text(&p, "  How much this history could have shown:\n", true);
  expect_text(&p,
              "\n    lost update                 7,540 pairs                 "
              "   1 in 2,513\n",
              true);
  expect_text(&p, "write skew", false);
  expect_text(&p, "sample", false);
  p.chances.sampled = 99;
  expect_text(&p, "these were counted in a sample of\n    99 transactions,",
              true);
  p.chances.crowded = true;
  expect_text(&p, "overlapped with more than 256 others", true);
  p.chances.left_out = true;
  expect_text(&p, "have more than 64 keys in common", true);
  p.chances.timed = false;
  expect_text(&p, "The history has no times, ", true);
  expect_text(&p, "64 keys", false);
  pass(&p, ISOLATION_SI, 0);
  expect_text(&p, "0 pairs                        no chance\n", true);
  p.report.chances = NULL;
  expect_text(&p,
              "  How much this history could have shown was not counted: the "
              "time was over.\n",
              true);
}

static const struct json_value *json_of(struct arena *arena,
                                        const struct report *report) {
  struct json json;
  struct error error = {0};
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  json_begin(&json, out);
  json_put_object(&json, NULL);
  prospects_put_json(&json, report);
  json_close(&json, '}');
  json_end(&json);
  fclose(out);
  const struct json_value *v = json_read(arena, text, bytes, &error);
  free(text);
  return json_member(v, "chances");
}

static const struct json_value *row_named(const struct json_value *chances,
                                          const char *anomaly) {
  const struct json_value *row = json_first(chances, "anomalies");
  while (row && strcmp(json_text(row, "anomaly", ""), anomaly) != 0)
    row = row->next;
  return row;
}

static void for_programs(void) {
  struct arena arena = {0};
  struct passed p;
  pass(&p, ISOLATION_SI, 12);
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    if (!strcmp(chance_kind(i)->anomaly, "LongFork")) {
      p.chances.low[i] = 2;
      p.chances.high[i] = UINT64_MAX;
    }
  const struct json_value *v = json_of(&arena, &p.report);
  CHECK(json_is_true(v, "timed") && json_is_true(v, "all"));
  CHECK_INT(json_whole(v, "sampled", 0), 100);
  const struct json_value *lost = row_named(v, "LostUpdate"),
                          *fork = row_named(v, "LongFork");
  CHECK_STR(json_text(lost, "of", ""), "pairs");
  CHECK_INT(json_whole(lost, "count", 0), 12);
  CHECK_INT(json_whole(lost, "high", 0), 12);
  CHECK_INT(json_whole(lost, "seen_if_one_in", 0), 4);
  CHECK_STR(json_text(fork, "of", ""), "triples");
  CHECK_INT(json_whole(fork, "low", 0), 2);
  CHECK(json_member(fork, "high")->type == JSON_NULL);
  CHECK(json_member(fork, "seen_if_one_in")->type == JSON_NULL);
  p.report.chances = NULL; // the time was over
  CHECK(json_of(&arena, &p.report)->type == JSON_NULL);
  p.verdict.kind = VERDICT_VIOLATION;
  CHECK(!json_of(&arena, &p.report));
  arena_free(&arena);
}

int main(void) {
  return TAP_RUN({"counts in words", counts_in_words},
                 {"units of chances", units},
                 {"what people ask about first", places},
                 {"options that bring chances", options_that_bring_chances},
                 {"chances by the level of the question", by_level},
                 {"chances by what the history has", by_history},
                 {"no chances are told", no_prospects},
                 {"the rule of three", one_in_so_many},
                 {"a table with its notes", a_table},
                 {"chances for programs", for_programs});
}
