// SPDX-License-Identifier: GPL-3.0-or-later
// A report as a program reads it: each figure under its own name, and members
// that stand there only where something is known.
#include "config.h"

#include "base/json_read.h"
#include "base/memory.h"
#include "recorder/builder/builder.h"
#include "report/report.h"
#include "tests/tap.h"

static const struct json_value *read_back(struct arena *arena,
                                          const struct report *report) {
  struct error error = {0};
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  report_json(out, report);
  fclose(out);
  const struct json_value *v = json_read(arena, text, bytes, &error);
  if (!CHECK(v != NULL))
    printf("# %s\n", error.text);
  free(text);
  return v;
}

static void the_least(void) {
  const struct report report = {.command = "run"};
  struct arena arena = {0};
  const struct json_value *v = read_back(&arena, &report);
  CHECK_STR(json_text(v, "schema", ""), "isostress-report/1");
  CHECK_STR(json_text(v, "command", ""), "run");
  CHECK(json_member(v, "trouble")->type == JSON_NULL);
  CHECK(!json_member(v, "run") && !json_member(v, "verdict"));
  CHECK(!json_member(v, "history") && !json_member(v, "warnings"));
  CHECK(!json_member(v, "all_levels") && !json_member(v, "by_hand"));
  arena_free(&arena);
}

// Each figure has a value of its own, so that none can stand for another.
static void figures_of_a_run(void) {
  static const struct {
    const char *key;
    uint64_t value;
  } wanted[] = {{"clients", 101},     {"started_ns", 102},
                {"planned_ns", 103},  {"elapsed_ns", 104},
                {"measured_ns", 105}, {"transactions", 106},
                {"begun", 107},       {"committed", 108},
                {"aborted", 109},     {"refused", 30 + 4},
                {"unknown", 111},     {"resolved_committed", 112},
                {"given_up", 114},    {"resolved_aborted", 113},
                {"retries", 115},     {"attempt_ns", 116},
                {"wasted_ns", 117},   {"operations", 118}};
  const struct run_figures figures = {.started_wall = 102,
                                      .planned = 103,
                                      .elapsed = 104,
                                      .measured = 105,
                                      .transactions = 106,
                                      .begun = 107,
                                      .committed = 108,
                                      .aborted = 109,
                                      .unknown = 111,
                                      .resolved_committed = 112,
                                      .resolved_aborted = 113,
                                      .given_up = 114,
                                      .retries = 115,
                                      .attempt_time = 116,
                                      .wasted_time = 117,
                                      .operations = 118,
                                      .by_cause = {[CAUSE_SERIALIZATION] = 30,
                                                   [CAUSE_DEADLOCK] = 4,
                                                   [CAUSE_CLIENT] = 50,
                                                   [CAUSE_CONNECTION] = 5,
                                                   [CAUSE_OTHER] = 20}};
  struct report report = {
      .command = "run", .clients = 101, .figures = &figures};
  struct arena arena = {0};
  const struct json_value *run = json_member(read_back(&arena, &report), "run");
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (!CHECK(json_whole(run, wanted[i].key, 0) == wanted[i].value))
      printf("# %s\n", wanted[i].key);
  const struct json_value *by = json_member(run, "aborted_by");
  CHECK_INT(json_whole(by, "client", 0), 50);
  CHECK_INT(json_whole(by, "lost_connection", 0), 5);
  CHECK_INT(json_whole(by, "database", 0), 109 - 50 - 5);
  CHECK_STR(json_text(run, "end", ""), "done");
  CHECK_STR(json_text(run, "latency_from", ""), "actual");
  CHECK(!json_member(run, "level_in_effect") && !json_member(run, "happened"));
  CHECK(!json_member(run, "requirements") && !json_member(run, "excerpt"));
  report.rated = true;
  run = json_member(read_back(&arena, &report), "run");
  CHECK_STR(json_text(run, "latency_from", ""), "intended");
  arena_free(&arena);
}

// The default of a setting is there where it is known and was not chosen.
static void settings_and_defaults(void) {
  static const struct report_setting settings[] = {{"keys", "5", "1000"},
                                                   {"clients", "8", "8"},
                                                   {"seed", "7", NULL},
                                                   {"aim", "\"x\"", ""},
                                                   {NULL, NULL, NULL}};
  const struct run_figures figures = {.end = RUN_DATABASE_LOST};
  const struct report report = {
      .command = "run", .figures = &figures, .settings = settings};
  struct arena arena = {0};
  const struct json_value *run = json_member(read_back(&arena, &report), "run");
  const struct json_value *chosen = json_member(run, "settings"),
                          *usual = json_member(run, "defaults");
  CHECK_STR(json_text(chosen, "keys", ""), "5");
  CHECK_STR(json_text(chosen, "clients", ""), "8");
  CHECK_STR(json_text(chosen, "seed", ""), "7");
  CHECK_STR(json_text(chosen, "aim", ""), "\"x\"");
  CHECK_STR(json_text(usual, "keys", ""), "1000");
  CHECK_STR(json_text(usual, "aim", "none"), "");
  CHECK(!json_member(usual, "clients") && !json_member(usual, "seed"));
  CHECK_STR(json_text(run, "end", ""), "database lost");
  arena_free(&arena);
}

static void a_check_while_it_ran(void) {
  const struct run_figures figures = {.end = RUN_STOPPED};
  struct notice_figures notice = {.seen = true,
                                  .noticed = {.time = 9, .committed = 4},
                                  .held_back = 3,
                                  .undecided = 2};
  const struct report report = {
      .command = "run", .figures = &figures, .notice = &notice};
  struct arena arena = {0};
  const struct json_value *run = json_member(read_back(&arena, &report), "run");
  CHECK(!json_member(run, "happened")); // nobody knows when
  CHECK_INT(json_whole(json_member(run, "noticed"), "time_ns", 0), 9);
  CHECK_INT(json_whole(json_member(run, "noticed"), "committed", 0), 4);
  CHECK_INT(json_whole(run, "held_back_ns", 0), 3);
  CHECK_INT(json_whole(run, "undecided_parts", 0), 2);
  CHECK(!json_member(run, "shortfall")); // the violation ended it
  notice = (struct notice_figures){.happened = {.time = 6, .committed = 1}};
  run = json_member(read_back(&arena, &report), "run");
  CHECK_INT(json_whole(json_member(run, "happened"), "time_ns", 0), 6);
  CHECK(!json_member(run, "noticed"));
  CHECK_STR(json_text(json_member(run, "shortfall"), "kind", ""),
            "interrupted");
  arena_free(&arena);
}

static void hosts_and_codes(void) {
  static char name[] = "h:1";
  struct session_share share = {.session = 3, .begun = 8};
  struct endpoint_figures endpoint = {.name = name,
                                      .begun = 9,
                                      .committed = 6,
                                      .aborted = 2,
                                      .unknown = 1,
                                      .sessions = &share,
                                      .nsessions = 1};
  struct code_count code = {
      .cause = CAUSE_DEADLOCK, .code = "1213", .text = "a \"b\"", .count = 2};
  const struct run_figures figures = {
      .endpoints = &endpoint, .nendpoints = 1, .codes = &code, .ncodes = 1};
  const struct report report = {.command = "run", .figures = &figures};
  struct arena arena = {0};
  const struct json_value *run = json_member(read_back(&arena, &report), "run");
  const struct json_value *host = json_first(run, "endpoints"),
                          *cause = json_first(run, "causes");
  CHECK_STR(json_text(host, "name", ""), "h:1");
  CHECK_INT(json_whole(host, "begun", 0), 9);
  CHECK_INT(json_whole(host, "committed", 0), 6);
  CHECK_INT(json_whole(host, "aborted", 0), 2);
  CHECK_INT(json_whole(host, "unknown", 0), 1);
  CHECK_INT(json_whole(json_first(host, "sessions"), "session", 0), 3);
  CHECK_INT(json_whole(json_first(host, "sessions"), "begun", 0), 8);
  CHECK_STR(json_text(cause, "cause", ""), "deadlock");
  CHECK_STR(json_text(cause, "code", ""), "1213");
  CHECK_STR(json_text(cause, "text", ""), "a \"b\"");
  CHECK_INT(json_whole(cause, "count", 0), 2);
  arena_free(&arena);
}

// Each kind of verdict has members of its own.
static void verdicts(void) {
  struct history history;
  struct builder *b = builder_open();
  struct error error = {0};
  builder_txn(b, 0, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  builder_op(b, OP_WRITE, 0, 1);
  CHECK_INT(builder_finish(b, &history, &error), 0);
  struct verdict verdict = {
      .kind = VERDICT_PASS,
      .question = {.level = ISOLATION_SI, .session_order = true},
      .norder = 1,
      .counts = {.committed = 1, .operations = 1}};
  const struct report report = {.command = "check",
                                .history = &history,
                                .history_path = "h",
                                .verdict = &verdict,
                                .check_seconds = 0.5};
  struct arena arena = {0};
  const struct json_value *v = read_back(&arena, &report);
  const struct json_value *told = json_member(v, "verdict"),
                          *counts = json_member(v, "history");
  CHECK_STR(json_text(told, "verdict", ""), "pass");
  CHECK_STR(json_text(told, "level", ""), "si");
  CHECK_STR(json_text(told, "title", ""), "snapshot isolation");
  CHECK_INT(json_whole(told, "commit_order", 0), 1);
  CHECK(json_real(told, "seconds", 0) == 0.5);
  CHECK(!json_member(told, "why") && !json_member(told, "counterexample"));
  CHECK(json_member(v, "chances")->type == JSON_NULL); // not counted
  CHECK_STR(json_text(counts, "path", ""), "h");
  CHECK_INT(json_whole(counts, "committed", 0), 1);
  CHECK_INT(json_whole(counts, "keys", 0), 1);
  CHECK_INT(json_whole(counts, "sessions", 0), 1);
  CHECK_INT(json_count(v, "warnings"), 0);
  verdict.kind = VERDICT_UNDECIDED;
  verdict.anomaly = ANOMALY_LOST_UPDATE;
  snprintf(verdict.why, sizeof verdict.why, "time limit reached");
  v = read_back(&arena, &report);
  told = json_member(v, "verdict");
  CHECK_STR(json_text(told, "why", ""), "time limit reached");
  CHECK_STR(json_text(told, "suspected", ""), "LostUpdate");
  CHECK(!json_member(told, "commit_order") && !json_member(v, "chances"));
  CHECK(report_hit_limit("time limit reached") && !report_hit_limit("a time"));
  arena_free(&arena);
  history_free(&history);
}

int main(void) {
  return TAP_RUN({"a report of nothing", the_least},
                 {"figures of a run", figures_of_a_run},
                 {"settings and their defaults", settings_and_defaults},
                 {"a check while the run went on", a_check_while_it_ran},
                 {"hosts and codes", hosts_and_codes},
                 {"verdicts of each kind", verdicts});
}
