// SPDX-License-Identifier: GPL-3.0-or-later
// The columns about an anomaly: is it promised, what does it do, what helps.
#include "config.h"

#include "report/page/columns.h"
#include "tests/kit/markup.h"
#include "tests/tap.h"

static struct subject on_postgresql(enum anomaly anomaly, enum badge badge) {
  return (struct subject){.level = {"postgresql://h", "PostgreSQL 15",
                                    "repeatable read", ISOLATION_SI, false},
                          .anomaly = anomaly,
                          .badge = badge};
}

static void answers(void) {
  CHECK_STR(columns_answer(BADGE_FORBIDDEN), "Yes.");
  CHECK_STR(columns_answer(BADGE_ALLOWED), "No.");
  CHECK_STR(columns_answer(BADGE_SERVERS), "No.");
  CHECK_STR(columns_answer(BADGE_UNDOCUMENTED), "Unknown.");
}

static void expect_promise(struct subject subject, const char *open,
                           const char *part) {
  char *text;
  MARKUP_OF(text, columns_put_promise(out, &subject));
  CHECK_SOUND(text);
  CHECK_INT(strncmp(text, open, strlen(open)), 0);
  CHECK_COUNT(text, part, 1);
  free(text);
}

// It was seen and is promised, is not, is not across servers, or nobody knows.
static void promises(void) {
  expect_promise(on_postgresql(ANOMALY_LOST_UPDATE, BADGE_FORBIDDEN),
                 "<div class=\"bad\"><h2>Does PostgreSQL promise it?</h2><p>"
                 "<b>Yes.</b> ",
                 " This is a bug in the database or in how it is set up.");
  expect_promise(on_postgresql(ANOMALY_WRITE_SKEW, BADGE_ALLOWED),
                 "<div class=\"warn\"><h2>Does PostgreSQL promise it?</h2><p>"
                 "<b>No.</b> ",
                 "it is no bug: the application has to expect it.");
  expect_promise(on_postgresql(ANOMALY_LONG_FORK, BADGE_SERVERS),
                 "<div class=\"warn\">", "sessions that stay with one server");
  expect_promise(on_postgresql(ANOMALY_LONG_FORK, BADGE_UNDOCUMENTED),
                 "<div class=\"open\">",
                 "<b>Unknown.</b> isostress knows no sentence of a manual");
}

static void promises_that_were_kept(void) {
  struct subject subject = on_postgresql(ANOMALY_LOST_UPDATE, BADGE_FORBIDDEN);
  subject.unseen = true;
  expect_promise(subject, "<div class=\"good\">", " That rules this out.");
  char *text;
  MARKUP_OF(text, columns_put_promise(out, &subject));
  CHECK_COUNT(text, "This is a bug", 0);
  free(text);
}

// A bug that the run asked for is not the database's.
static void bugs_on_purpose(void) {
  struct subject subject = {
      .level = {"memory:", "memory bug=lost-update", "si", ISOLATION_SI, false},
      .anomaly = ANOMALY_LOST_UPDATE,
      .badge = BADGE_FORBIDDEN};
  expect_promise(subject, "<div class=\"bad\">",
                 "Here it was asked for: the run says <code>--bug</code>.");
  subject.level.server = "memory";
  char *text;
  MARKUP_OF(text, columns_put_promise(out, &subject));
  CHECK_COUNT(text, "asked for", 0);
  free(text);
}

// A database that isostress does not know has the words of the level alone.
static void levels_without_a_manual(void) {
  struct promised_level level = {"other://h", "Other 1", "si", ISOLATION_SI,
                                 false};
  char *text;
  MARKUP_OF(text, columns_put_documented(out, &level));
  CHECK_INT(strncmp(text, "The level promises snapshot isolation: ", 39), 0);
  CHECK_COUNT(text, "manual", 0);
  free(text);
  level.claimed = ISOLATION_NONE;
  CHECK_MARKUP(columns_put_documented(out, &level),
               "The level promises none of what is checked.");
}

// A bug is to be reported, with the files that show it; what a level allows is
// met in the application, and not reported.
static void help(void) {
  struct subject subject = on_postgresql(ANOMALY_LOST_UPDATE, BADGE_FORBIDDEN);
  const char *helps[COLUMNS_HELPS];
  columns_help(&subject, helps);
  CHECK(helps[0] && !strncmp(helps[0], "Report it: ", 11));
  CHECK(!helps[1] || strncmp(helps[1], "Report ", 7) != 0);
  subject = on_postgresql(ANOMALY_WRITE_SKEW, BADGE_ALLOWED);
  columns_help(&subject, helps);
  CHECK(helps[0] && strncmp(helps[0], "Report it: ", 11) != 0);
  char *text;
  MARKUP_OF(text, columns_put_help(out, &subject); fputs("</div>\n", out));
  CHECK_SOUND(text);
  unsigned n = 0;
  while (n < COLUMNS_HELPS && helps[n])
    n++;
  CHECK_COUNT(text, "<p>", n);
  free(text);
  MARKUP_OF(text, columns_put_application(out, ANOMALY_WRITE_SKEW));
  CHECK_SOUND(text);
  CHECK_COUNT(text, "<h2>In your application</h2><p>", 1);
  CHECK_COUNT(text, "<p></p>", 0);
  free(text);
}

int main(void) {
  return TAP_RUN({"answers", answers}, {"promises", promises},
                 {"promises that were kept", promises_that_were_kept},
                 {"bugs on purpose", bugs_on_purpose},
                 {"levels without a manual", levels_without_a_manual},
                 {"help", help});
}
