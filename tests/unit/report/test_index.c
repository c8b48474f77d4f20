// SPDX-License-Identifier: GPL-3.0-or-later
// The page of all results: what each row says of a report, the order of the
// rows, and the sentence that counts them.
#include "config.h"

#include "report/page/index.h"
#include "tests/kit/markup.h"
#include "tests/kit/report_text.h"

#include <math.h>
#include <stdint.h>

enum { DAY = 86400 };
#define NS UINT64_C(1000000000)

#define RUN                                                                    \
  "'run': {'target': 'postgresql://host/db', 'server': 'PostgreSQL 15.18 "     \
  "(Debian), compiled', 'level': 'serializable', 'claimed': 'ser', "           \
  "'workload': 'mt', 'clients': 8, 'committed': 1500, 'begun': 2000, "         \
  "'aborted': 500, 'measured_ns': 3000000000}"
#define KEPT                                                                   \
  RUN ", 'history': {'committed': 9}, 'verdict': {'verdict': 'pass', "         \
      "'level': 'ser', 'title': 'serializability'}"
#define BROKEN                                                                 \
  RUN ", 'history': {'committed': 9}, 'verdict': {'verdict': 'violation', "    \
      "'level': 'ser', 'title': 'serializability', 'found': "                  \
      "{'LostUpdate': 3, 'WriteSkew': 1}, " REPORT_EXAMPLE("LostUpdate",       \
                                                           "ser") "}"

static void add_run(struct index *index, const char *members, const char *link,
                    uint64_t date) {
  struct stored stored = report_of_text(members);
  index_add_run(index, &stored, link, date);
  stored_free(&stored); // a row keeps nothing of it
}

// The row of a report, as long as the next one is not asked for.
static const struct index_row *row_of(const char *members) {
  static struct index index;
  index_free(&index);
  if (!members)
    return NULL;
  add_run(&index, members, "a/report.html", 7);
  CHECK_INT(index.nrows, 1);
  return &index.rows[0];
}

static void a_run_that_kept_its_level(void) {
  const struct index_row *row = row_of(KEPT);
  CHECK_INT(row->kind, INDEX_RUN);
  CHECK_INT(row->badge, BADGE_KEPT);
  CHECK_STR(row->colour, "good");
  CHECK_STR(row->tag, "Kept in this run");
  CHECK_STR(row->detail, "");
  CHECK_STR(row->name, "PostgreSQL 15.18");
  CHECK_STR(row->link, "a/report.html");
  CHECK_STR(row->about, "serializable; workload mt, 8 sessions");
  CHECK_STR(row->target, "postgresql://host/db");
  CHECK_INT(row->date, 7);
  CHECK_INT(row->committed, 1500); // by the run, not by the history
  CHECK(fabs(row->aborted - 25) < 1e-9);
  CHECK_INT(row->measured, 3 * NS);
  CHECK_STR(row->course, "");
  row_of(NULL);
}

static void a_violation(void) {
  const struct index_row *row = row_of(BROKEN);
  CHECK_INT(row->badge, BADGE_FORBIDDEN);
  CHECK_STR(row->colour, "bad");
  CHECK_STR(row->detail, "lost update, write skew");
  row = row_of(RUN ", 'verdict': {'verdict': 'violation', 'level': 'sser', "
                   "'title': 'strict serializability', 'found': "
                   "{'NoSuchName': 1}}");
  CHECK_STR(row->detail, "NoSuchName");
  CHECK_STR(row->about, "serializable, asked for strict serializability; "
                        "workload mt, 8 sessions");
  row_of(NULL);
}

// The detail says why nobody knows, or what was broken beyond the promise.
static void details(void) {
  const struct index_row *row =
      row_of(RUN ", 'verdict': {'verdict': 'undecided', 'level': 'ser', "
                 "'why': 'The time was over.'}");
  CHECK_STR(row->detail, "The time was over.");
  CHECK_STR(row->colour, "open");
  row = row_of(RUN ", 'trouble': 'The server went away.', 'verdict': "
                   "{'verdict': 'undecided', 'why': 'No history.'}");
  CHECK_STR(row->detail, "The server went away.");
  row = row_of(KEPT ", 'beyond': {'title': 'strict serializability', 'found': "
                    "{'StaleRead': 2}}");
  CHECK_STR(row->detail, "beyond its promise, strict serializability was "
                         "broken by stale read");
  row = row_of(RUN);
  CHECK_INT(row->badge, BADGE_UNCHECKED);
  CHECK_STR(row->detail, "");
  row_of(NULL);
}

// Reports of a history alone, and of an exploration; and one of an older
// version, which lacks nearly all.
static void reports_without_a_run(void) {
  const struct index_row *row =
      row_of("'history': {'committed': 12, 'path': 'a/h.edn'}, 'verdict': "
             "{'verdict': 'pass', 'title': 'snapshot isolation'}");
  CHECK_STR(row->name, "A history that was checked");
  CHECK_STR(row->about, "snapshot isolation");
  CHECK_STR(row->target, "a/h.edn");
  CHECK_INT(row->committed, 12);
  CHECK_INT(row->measured, 0);
  row = row_of("'explored': {'program': 'apps/bank/transfer.sql'}");
  CHECK_STR(row->name, "A history that transfer.sql can have");
  row = row_of("'explored': {'program': 'apps/bank/'}");
  CHECK_STR(row->name, "A history that apps/bank/ can have");
  row = row_of("'explored': {}");
  CHECK_STR(row->name, "A history that a program can have");
  row = row_of("'run': {}");
  CHECK_STR(row->name, "");
  CHECK_STR(row->about, "?; workload ?, 0 sessions");
  CHECK_STR(row->target, "");
  CHECK(row->aborted == 0);
  row_of(NULL);
}

// Commits of these intervals as the course of a run.
static const struct index_row *course_of(unsigned n, uint64_t first,
                                         uint64_t others) {
  char *members;
  size_t bytes;
  FILE *out = open_memstream(&members, &bytes);
  fputs("'run': {'series': {'interval_ns': 1000000000, 'intervals': [", out);
  for (unsigned i = 0; i < n; i++)
    fprintf(out, "%s{'committed': %llu}", i ? ", " : "",
            (unsigned long long)(i ? others : first));
  fputs("]}}", out);
  fclose(out);
  const struct index_row *row = row_of(members);
  free(members);
  return row;
}

// From edge to edge, the greatest at the top; a line of two points says
// nothing.
static void courses(void) {
  CHECK_STR(course_of(3, 5, 10)->course, "M2.0 10.0 45.0 2.0 88.0 2.0");
  CHECK_STR(course_of(3, 10, 0)->course, "M2.0 2.0 45.0 18.0 88.0 18.0");
  CHECK_STR(course_of(0, 0, 0)->course, "");
  CHECK_STR(course_of(2, 5, 10)->course, "");
  CHECK_STR(course_of(3, 0, 0)->course, "");
  // Each point has three of 100 intervals, and the last one is left out: it
  // would be a third of a point.
  const char *many = course_of(100, 1, 1)->course;
  CHECK_COUNT(many, " 2.0", 33);
  CHECK_COUNT(many, "88.0 2.0", 1);
  row_of(NULL);
}

// ---- Sweeps, scorecards and pages

static void sweeps(void) {
  struct index index = {0};
  struct index_sweep sweep = {"pg", "postgresql:", 1, 1, 0, 0};
  index_add_sweep(&index, &sweep, "s/sweep.html", 1);
  sweep = (struct index_sweep){"my", "mysql:", 4, 12, 2, 0};
  index_add_sweep(&index, &sweep, NULL, 2);
  sweep.nunmet = 1;
  index_add_sweep(&index, &sweep, NULL, 3);
  sweep.nbroken = 0;
  index_add_sweep(&index, &sweep, NULL, 4);
  CHECK_STR(index.rows[0].detail, "");
  CHECK_STR(index.rows[0].about, "1 combination of settings, 1 run");
  CHECK_STR(index.rows[1].about, "4 combinations of settings, 12 runs");
  CHECK_STR(index.rows[1].detail, "violations in 2 of the runs");
  CHECK(index.rows[1].link == NULL);
  CHECK_STR(index.rows[2].detail, "violations in 2 of the runs; a requirement "
                                  "is not met in 1 of the runs");
  CHECK_STR(index.rows[3].detail, "a requirement is not met in 1 of the runs");
  index_free(&index);
}

static void expect_scorecard(const char *members, const char *colour,
                             const char *tag, const char *detail,
                             const char *about) {
  struct index index = {0};
  struct stored card = report_of_text(members);
  index_add_scorecard(&index, card.document, "c.html", 1);
  stored_free(&card);
  CHECK_STR(index.rows[0].colour, colour);
  CHECK_STR(index.rows[0].tag, tag);
  CHECK_STR(index.rows[0].detail, detail);
  CHECK_STR(index.rows[0].about, about);
  CHECK_STR(index.rows[0].name, "MariaDB 10");
  CHECK_STR(index.rows[0].target, "mysql://h");
  index_free(&index);
}

#define CARD "'target': 'mysql://h', 'server': 'MariaDB 10', 'levels': "

static void scorecards(void) {
  expect_scorecard(CARD "[{'level': 'serializable'}]", "good",
                   "Every promise kept", "",
                   "scorecard of 1 level: serializable");
  expect_scorecard(
      CARD "[{'level': 'read committed'}, {'level': 'b', 'violated': true}, "
           "{'level': 'c', 'violated': true}], 'interrupted': true",
      "bad", "Broken promise", "at level b, c",
      "scorecard of 3 levels: read committed, b, c");
  expect_scorecard(CARD
                   "[{'level': 'a', 'violated': true, 'endpoints': 'hop'}]",
                   "warn", "Seen, and allowed across servers", "at level a",
                   "scorecard of 1 level: a");
  expect_scorecard(CARD "[{'level': 'a'}], 'interrupted': true", "open",
                   "Interrupted", "", "scorecard of 1 level: a");
  expect_scorecard(CARD "[]", "good", "Every promise kept", "",
                   "scorecard of 0 levels");
}

// ---- The page

static char *page_of_index(const struct index *index) {
  char *text;
  MARKUP_OF(text, index_put_page(out, index, "isostress 1"));
  CHECK_SOUND(text);
  return text;
}

static void an_empty_directory(void) {
  struct index index = {0};
  char *text = page_of_index(&index);
  CHECK_COUNT(text, "<p class=\"lede\">0 runs.</p>", 1);
  CHECK_COUNT(text, "<table", 0);
  free(text);
}

static void add_many(struct index *index) {
  add_run(index, KEPT, "kept/report.html", 0);
  add_run(index, RUN, "unchecked/report.html", 19000 * DAY * NS);
  add_run(index, BROKEN, "broken-1/report.html", 0);
  add_run(index,
          RUN ", 'verdict': {'verdict': 'violation', 'found': "
              "{'LostUpdate': 1}}",
          "undocumented/report.html", 0);
  add_run(index, BROKEN, "broken-2/report.html", 0);
}

// The worst first; those that are equally bad stay in their order; what no
// document is about stands before what is not known.
static void the_worst_first(void) {
  struct index index = {0};
  add_many(&index);
  char *text = page_of_index(&index);
  CHECK(markup_in_order(text, "broken-1/", "broken-2/"));
  CHECK(markup_in_order(text, "broken-2/", "undocumented/"));
  CHECK(markup_in_order(text, "undocumented/", "unchecked/"));
  CHECK(markup_in_order(text, "unchecked/", "kept/"));
  CHECK_COUNT(text,
              "5 runs: <b class=\"bad\">2 broken promises</b>, <b "
              "class=\"open\">1 seen and not documented</b>, <b "
              "class=\"open\">1 not checked</b>, <b class=\"good\">1 kept</b>.",
              1);
  CHECK_COUNT(text, "<tr data-v=\"bad\">", 2);
  CHECK_COUNT(text, "id=\"others\"", 0);
  CHECK_COUNT(text, ">2022-01-08 00:00</td>", 1); // day 19000 of Unix
  CHECK_COUNT(text, ">1970-01-01 00:00</td>", 4);
  // 1500 in 3 s, 500 of 2000.
  CHECK_COUNT(text, "data-l=\"aborted\">25.0&nbsp;%</td>", 5);
  CHECK_COUNT(text, "data-l=\"per second\">500</td>", 5);
  CHECK_COUNT(text, "data-l=\"committed\">1,500</td>", 5);
  free(text);
  index_free(&index);
}

static void others_have_a_table_of_their_own(void) {
  struct index index = {0};
  struct stored card = report_of_text(CARD "[{'level': 'a'}]");
  const struct index_sweep sweep = {"pg", "", 2, 4, 0, 0};
  index_add_page(&index, "Comparison", "A & B", "<2> runs", "c d.html", 0);
  index_add_sweep(&index, &sweep, NULL, 0);
  index_add_scorecard(&index, card.document, "card.html", 0);
  index_add_page(&index, "Steps", "p4", "", "p4.html", 0);
  stored_free(&card);
  char *text = page_of_index(&index);
  CHECK_COUNT(text, "0 runs; 1 sweep; 1 scorecard; 2 other pages.", 1);
  CHECK_COUNT(text, "id=\"runs\"", 0);
  CHECK_COUNT(text, "id=\"others\"", 1);
  CHECK_COUNT(text, "<a href=\"c%20d.html\">A &amp; B</a>", 1);
  CHECK_COUNT(text, "<small>&lt;2&gt; runs</small>", 1);
  CHECK_COUNT(text, "<th scope=\"row\">pg<small>", 1); // it has no page
  CHECK(markup_in_order(text, "Every promise kept", "A &amp; B"));
  CHECK(markup_in_order(text, "A &amp; B", ">pg<"));
  CHECK_COUNT(text, "<small></small>", 0);
  free(text);
  index_free(&index);
}

// A share that would round to none has two more digits; a run that measured no
// time has no rates.
static void small_shares(void) {
  struct index index = {0};
  add_run(&index,
          "'run': {'committed': 3, 'begun': 10000, 'aborted': 4, "
          "'measured_ns': 2000000000}",
          NULL, 0);
  add_run(&index, "'run': {'committed': 77}", NULL, 0);
  char *text = page_of_index(&index);
  CHECK_COUNT(text, ">0.04&nbsp;%</td>", 1);
  CHECK_COUNT(text, ">2</td>", 1); // 1.5 per second
  CHECK_COUNT(text, ">77</td><td></td><td></td>", 1);
  free(text);
  index_free(&index);
}

static void content_of_rows_is_escaped(void) {
  struct index index = {0};
  add_run(&index,
          "'run': {'target': 'x:<i>', 'server': '<b>&', 'level': '<l>', "
          "'workload': '<w>'}, 'trouble': '<t>'",
          "a\"b/<c>.html", 0);
  index_add_trouble(&index, "cannot read <dir> & more");
  char *text = page_of_index(&index);
  CHECK_COUNT(text, "<a href=\"a%22b/%3Cc%3E.html\">&lt;b&gt;&amp;</a>", 1);
  CHECK_COUNT(text, "<small>&lt;t&gt;</small>", 1);
  CHECK_COUNT(text, "&lt;l&gt;; workload &lt;w&gt;", 1);
  CHECK_COUNT(text, "x:&lt;i&gt;", 1);
  CHECK_COUNT(text, "<p class=\"note\">cannot read &lt;dir&gt; &amp; more</p>",
              1);
  free(text);
  index_free(&index);
  CHECK(index.nrows == 0 && index.ntroubles == 0);
}

int main(void) {
  return TAP_RUN(
      {"a run that kept its level", a_run_that_kept_its_level},
      {"a violation", a_violation}, {"details", details},
      {"reports without a run", reports_without_a_run}, {"courses", courses},
      {"sweeps", sweeps}, {"scorecards", scorecards},
      {"an empty directory", an_empty_directory},
      {"the worst first", the_worst_first},
      {"others have a table of their own", others_have_a_table_of_their_own},
      {"small shares", small_shares},
      {"content of rows is escaped", content_of_rows_is_escaped});
}
