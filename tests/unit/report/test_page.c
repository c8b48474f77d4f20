// SPDX-License-Identifier: GPL-3.0-or-later
// Pages and pictures: what came from a history or a server stays text, whatever
// it holds, and what was stored makes the same report again.
#include "config.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "recorder/builder/builder.h"
#include "report/page/blocks.h"
#include "report/page/page.h"
#include "report/picture/picture.h"
#include "report/report.h"
#include "tests/kit/markup.h"
#include "tests/tap.h"

#include <stdlib.h>

#define EVIL "</title><script>alert('x')</script>\\\"&\xff\x01 ]]>"

static struct history history;
static struct verdict verdict;

// A lost update on a key of that name.
static void make_violation(const char *key) {
  struct builder *b = builder_open();
  struct error error;
  for (uint64_t session = 0; session < 2; session++) {
    builder_txn(b, session, OUTCOME_OK, ISOLATION_SER, 10 + session,
                20 + session);
    builder_op(b, OP_READ, 0, VALUE_INITIAL);
    builder_op(b, OP_WRITE, 0, 7 + session);
  }
  builder_name_key(b, 0, key);
  CHECK(builder_finish(b, &history, &error) == 0);
  const struct check_options options = {
      .question = {.level = ISOLATION_SI, .session_order = true},
      .max_examples = 1};
  CHECK(check(&history, &options, &verdict, &error) == 0);
  CHECK(verdict.kind == VERDICT_VIOLATION);
}

static void free_violation(void) {
  verdict_free(&verdict);
  history_free(&history);
}

// Figures whose texts are markup, as a server could send them.
static struct run_figures evil_figures(struct code_count *code) {
  *code = (struct code_count){.cause = CAUSE_OTHER, .count = 1};
  snprintf(code->code, sizeof code->code, "%s", "<b>");
  snprintf(code->text, sizeof code->text, "%s", EVIL);
  struct run_figures figures = {.codes = code, .ncodes = 1};
  snprintf(figures.server, sizeof figures.server, "%s", EVIL);
  return figures;
}

static char *document(size_t *bytes) {
  static const struct report_setting settings[] = {{"<i>", EVIL, ""},
                                                   {NULL, NULL, NULL}};
  struct code_count code;
  const struct run_figures figures = evil_figures(&code);
  const struct report report = {.command = "run",
                                .directory = EVIL,
                                .history_path = EVIL,
                                .figures = &figures,
                                .target = EVIL,
                                .workload = EVIL,
                                .level = EVIL,
                                .settings = settings,
                                .trouble = EVIL,
                                .history = &history,
                                .salvage = EVIL,
                                .verdict = &verdict};
  char *text;
  FILE *out = open_memstream(&text, bytes);
  report_json(out, &report);
  fclose(out);
  return text;
}

static char *page_of(const struct stored *stored) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  page_put_report(out, stored);
  fclose(out);
  CHECK_SOUND(text);
  return text;
}

static void expect_no_markup(const char *text) {
  const char *script = strstr(text, "<script"); // the page's own
  CHECK(!script || !strncmp(script, "<script>(function(){", 20));
  CHECK(!script || strstr(script + 1, "<script") == NULL);
  CHECK(strstr(text, "<b>\xef") == NULL);
  CHECK(strstr(text, "\xff") == NULL && strstr(text, "\x01") == NULL);
}

static void content_stays_text(void) {
  struct stored stored;
  struct error error;
  size_t bytes;
  make_violation(EVIL);
  char *json = document(&bytes);
  if (!CHECK(stored_of_bytes(&stored, "test", json, bytes, &error) == 0))
    printf("# %s\n", error.text);
  char *page = page_of(&stored);
  expect_no_markup(page);
  CHECK(strstr(page, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\\"
                     "&quot;&amp;\xef\xbf\xbd\xef\xbf\xbd ]]&gt;") != NULL);
  free(page);
  const char *names[] = {EVIL, "b"};
  const struct stored runs[] = {stored, stored};
  char *text;
  FILE *out = open_memstream(&text, &bytes);
  compare_put_page(out, runs, names,
                   (const char *[]){"runs/a/report.html", NULL}, 2,
                   "../index.html");
  fclose(out);
  expect_no_markup(text);
  free(text);
  stored_free(&stored);
  free(json);
  free_violation();
}

static void pictures_escape_content(void) {
  struct example example;
  char *text;
  size_t bytes;
  make_violation(EVIL);
  example_of_verdict(&example, &history, &verdict, false);
  struct picture picture;
  picture_lay_out(&picture, &example);
  FILE *out = open_memstream(&text, &bytes);
  picture_put(out, &picture, "c1", true);
  fclose(out);
  CHECK_SOUND(text);
  expect_no_markup(text);
  CHECK(strstr(text, "&lt;/title&gt;&lt;script&gt;") != NULL);
  free(text);
  picture_free(&picture);
  example_free(&example);
  free_violation();
}

static char *json_of(const struct example *example) {
  struct json json;
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  json_begin(&json, out);
  example_put_json(&json, NULL, example);
  json_end(&json);
  fclose(out);
  return text;
}

static void an_example_is_read_back(void) {
  struct example example, again;
  struct arena arena = {0};
  struct error error;
  make_violation("account");
  example_of_verdict(&example, &history, &verdict, false);
  char *json = json_of(&example);
  const struct json_value *v = json_read(&arena, json, strlen(json), &error);
  CHECK(example_of_document(&again, v, &error) == 0);
  char *twice = json_of(&again);
  CHECK_STR(twice, json);
  free(twice);
  free(json);
  example_free(&again);
  example_free(&example);
  arena_free(&arena);
  free_violation();
}

static void what_is_no_report_is_refused(void) {
  static const char *const texts[] = {
      "",
      "{}",
      "[]",
      "{\"schema\": \"isostress-report/2\"}",
      "{\"schema\": \"isostress-report/1\", \"verdict\": "
      "{\"counterexample\": {}}}",
      "{\"schema\": \"isostress-report/1\", \"verdict\": "
      "{\"counterexample\": {\"anomaly\": \"x\", \"also\": \"\", "
      "\"meaning\": \"\", \"weakest_level_broken\": \"si\", \"level\": "
      "\"si\", \"sentence\": \"\", \"transactions\": [{\"name\": \"0:0\", "
      "\"outcome\": \"committed\"}], \"cycle\": [{\"from\": \"0:0\", "
      "\"to\": \"9:9\", \"kind\": \"SO\", \"sentence\": \"\"}]}}}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct stored stored;
    struct error error = {0};
    CHECK(stored_of_bytes(&stored, "test", texts[i], strlen(texts[i]),
                          &error) == -1);
    CHECK(strncmp(error.text, "test", 4) == 0);
    stored_free(&stored);
  }
}

// A report that lacks everything but its schema has a page all the same.
static void an_empty_report_has_a_page(void) {
  static const char text[] =
      "{\"schema\": \"isostress-report/1\", \"run\": {}, \"verdict\": {}}";
  struct stored stored;
  struct error error;
  CHECK(stored_of_bytes(&stored, "test", text, strlen(text), &error) == 0);
  char *page = page_of(&stored);
  CHECK(strstr(page, "</html>") != NULL);
  free(page);
  stored_free(&stored);
}

static void expect_page(const char *members, const char *tag,
                        const char *headline, const char *more) {
  struct stored stored;
  struct error error;
  char *text =
      xasprintf("{\"schema\": \"isostress-report/1\", \"run\": {\"target\": "
                "\"postgresql://host\", \"level\": \"serializable\", "
                "\"claimed\": \"ser\", %s}",
                members);
  CHECK(stored_of_bytes(&stored, "test", text, strlen(text), &error) == 0);
  char *page = page_of(&stored);
  if (!CHECK(strstr(page, tag)) || !CHECK(strstr(page, headline)) ||
      !CHECK(strstr(page, more)))
    printf("# %s\n", text);
  free(page);
  free(text);
  stored_free(&stored);
}

#define JUDGED(word, level, more)                                              \
  "\"end\": \"done\"}, \"history\": {\"committed\": 5}, \"verdict\": "         \
  "{\"verdict\": \"" word "\", \"level\": \"" level                            \
  "\", \"title\": \"T\"" more "}"

// Kept, promised or not; undecided; not checked; stopped early.
static void runs_without_a_violation(void) {
  expect_page(JUDGED("pass", "ser", ""), "Kept in this run",
              "PostgreSQL kept its promise in this run.", "<b>Yes.</b>");
  expect_page(JUDGED("pass", "sser", ""), "Kept in this run",
              "PostgreSQL kept T in this run.", "<b>No.</b>");
  expect_page(JUDGED("pass", "ser", ", \"real_time\": true"),
              "Kept in this run", "PostgreSQL kept T in this run.",
              "<b>No.</b>");
  expect_page(JUDGED("undecided", "ser", ", \"why\": \"Out of luck.\""),
              "Undecided", "Whether PostgreSQL kept T was not decided.",
              "Out of luck.");
  expect_page("\"end\": \"done\"}", "Not checked",
              "What PostgreSQL kept was not checked.", "What helps");
  expect_page("\"end\": \"stopped\", \"elapsed_ns\": 2000000000, "
              "\"planned_ns\": 9000000000}",
              "Not checked", "was not checked.",
              "stopped after 2.0 s of the 9 s asked for");
  expect_page("\"end\": \"done\"}, \"history\": {\"committed\": 0}, "
              "\"verdict\": {\"verdict\": \"pass\", \"level\": \"ser\"}",
              "Nothing was committed", "No transaction committed", "");
}

// A word of a command stays one word of a shell, and no markup.
static void words_of_a_shell(void) {
  static const char *const words[][2] = {
      {"plain=1", "plain=1"},
      {"", "&#39;&#39;"},
      {"repeatable read", "&#39;repeatable read&#39;"},
      {"it's", "&#39;it&#39;\\&#39;&#39;s&#39;"},
      {"<$(x)>", "&#39;&lt;$(x)&gt;&#39;"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    page_shell_word(out, words[i][0]);
    fclose(out);
    CHECK_STR(text, words[i][1]);
    free(text);
  }
}

static void texts_are_clipped_by_characters(void) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  put_markup_clipped(out,
                     "\xc3\xa9<\xe2\x82\xac"
                     "abc",
                     3);
  fclose(out);
  CHECK_STR(text, "\xc3\xa9&lt;\xe2\x82\xac\xe2\x80\xa6");
  free(text);
  CHECK_INT(utf8_count("\xc3\xa9\xff"), 2);
}

int main(void) {
  return TAP_RUN(
      {"content stays text", content_stays_text},
      {"pictures escape content", pictures_escape_content},
      {"an example is read back", an_example_is_read_back},
      {"what is no report is refused", what_is_no_report_is_refused},
      {"an empty report has a page", an_empty_report_has_a_page},
      {"runs without a violation", runs_without_a_violation},
      {"words of a shell", words_of_a_shell},
      {"texts are clipped by characters", texts_are_clipped_by_characters});
}
