// SPDX-License-Identifier: GPL-3.0-or-later
// A run of SQL statements is looked at while some transactions are under way:
// what these did may explain what others did not find.
#include "config.h"

#include "cli/jobs/watch_rows.h"

#include "recorder/files/writer.h"
#include "tests/kit/made_history.h"

#include <string.h>
#include <unistd.h>

static char text[] = "/tmp/isostress-watch-text.XXXXXX";
static char path[] = "/tmp/isostress-watch.XXXXXX";

static void record(const char *notation) {
  struct history h;
  struct error error = {0};
  FILE *file = fopen(text, "w");
  CHECK(file && fputs(notation, file) >= 0 && !fclose(file));
  CHECK_INT(history_read(text, "text", &h, &error), 0);
  CHECK_INT(history_write(path, history_format_named("isostress", &error), &h,
                          NULL, &error),
            0);
  CHECK_STR(error.text, "");
  history_free(&h);
}

#define TABLE "table t(b): 1{b=1}\n"

static void nothing_is_made_of_what_is_not_known(void) {
  static const struct {
    const char *history;
    uint32_t nsessions;
    enum verdict_kind kind;
    uint64_t time;
  } cases[] = {
      // The row that is missing, once all that had begun is there.
      {TABLE "[sel t{b = 1}:]@10..20 [sel t{b = 2}:]@30..31\n---\n"
             "[sel t{b = 2}:]@25..26",
       2, VERDICT_VIOLATION, 25},
      // Nothing is known of a third session, nor of what begins after 5.
      {TABLE "[sel t{b = 1}:]@10..20 [sel t{b = 2}:]@30..31\n---\n"
             "[sel t{b = 2}:]@25..26",
       3, VERDICT_PASS, 0},
      {TABLE "[sel t{b = 1}:]@10..20 [sel t{b = 2}:]@30..31\n---\n"
             "[sel t{b = 2}:]@5..6",
       2, VERDICT_PASS, 5},
      // It ended later than all that is known, and may have seen a DELETE.
      {TABLE "[sel t{b = 2}:]@5..6 [sel t{b = 2}:]@30..31\n---\n"
             "[sel t{b = 1}:]@10..40 [sel t{b = 2}:]@41..42",
       2, VERDICT_PASS, 30},
      // The DELETE explains it, though it ended later.
      {TABLE "[sel t{b = 1}:]@10..20 [sel t{b = 2}:]@30..31\n---\n"
             "[del t{b = 1}: 1@?]@9..40 [sel t{b = 2}:]@41..42",
       2, VERDICT_PASS, 30},
      // It saw what began too late, so that it ended too late itself.
      {TABLE "[upd t{b = 2}: 1@w2{b=1}]@9..40 [sel t{b = 2}:]@41..42\n---\n"
             "[sel t{b = 2}:]@10..20 [upd t{b = 1}: 1@?{b=2}]@30..31",
       2, VERDICT_PASS, 30},
  };
  const struct check_options options = {
      .question = {.level = ISOLATION_SI, .session_order = true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rows_look look = {0};
    struct error error = {0};
    record(cases[i].history);
    CHECK_INT(rows_look(path, cases[i].nsessions, &options, &look, &error), 0);
    if (!CHECK(look.kind == cases[i].kind && look.time == cases[i].time))
      printf("# in %s\n", cases[i].history);
  }
}

static void levels_of_their_own_are_asked_about(void) {
  static const char skew[] = TABLE "[sel t{b = 7}:, ins t/5{b=7}]@1..9%si "
                                   "[sel t{b = 2}:]@20..21%ser\n---\n"
                                   "[sel t{b = 7}:, ins t/6{b=7}]@1..9%si "
                                   "[sel t{b = 2}:]@20..21%ser";
  static const struct {
    struct check_options question;
    enum verdict_kind kind;
  } cases[] = {
      {{.question = {.level = ISOLATION_SER, .session_order = true}},
       VERDICT_VIOLATION},
      {{.question = {.recorded = true, .session_order = true}}, VERDICT_PASS},
      {{.question = {.level = ISOLATION_SI, .session_order = true}},
       VERDICT_PASS}};
  record(skew);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rows_look look = {0};
    struct error error = {0};
    CHECK_INT(rows_look(path, 2, &cases[i].question, &look, &error), 0);
    CHECK_INT(look.kind, cases[i].kind);
  }
}

int main(void) {
  close(mkstemp(text));
  close(mkstemp(path));
  const int status = TAP_RUN({"nothing is made of what is not known",
                              nothing_is_made_of_what_is_not_known},
                             {"transactions may have levels of their own",
                              levels_of_their_own_are_asked_about});
  unlink(text);
  unlink(path);
  return status;
}
