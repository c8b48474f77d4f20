// SPDX-License-Identifier: GPL-3.0-or-later
// Runs side by side: the figures as text and as a table, the headline, the
// difference with its interval, and the plots that lie over each other.
#include "config.h"

#include "base/memory.h"
#include "report/page/page.h"
#include "tests/kit/markup.h"
#include "tests/kit/report_text.h"

enum { MOST = 30 };

#define VERDICT_PASS                                                           \
  "'history': {'committed': 9}, 'verdict': {'verdict': 'pass', 'level': "      \
  "'ser', 'title': 'serializability'}"
#define VERDICT_BROKEN                                                         \
  "'history': {'committed': 9}, 'verdict': {'verdict': 'violation', "          \
  "'level': 'ser', 'title': 'serializability', 'found': {'LostUpdate': 3, "    \
  "'WriteSkew': 1}, " REPORT_EXAMPLE("LostUpdate", "ser") "}"
#define RUN_ON                                                                 \
  "'target': 'postgresql://h', 'level': 'serializable', "                      \
  "'claimed': 'ser'"
#define RUN_A                                                                  \
  "'run': {" RUN_ON ", 'server': 'PostgreSQL 15', 'workload': 'mt', "          \
  "'clients': 4, 'elapsed_ns': 4000000000, 'measured_ns': 4000000000, "        \
  "'begun': 500, 'committed': 400, 'aborted': 100, 'unknown': 0, "             \
  "'given_up': 2, 'wasted_ns': 1, 'attempt_ns': 4, 'shapes': [{'latency': "    \
  "{'p50_ns': 1000, 'p99_ns': 5000000, 'max_ns': 7000000}}, {'latency': "      \
  "{'p50_ns': 2000, 'p99_ns': 4000000, 'max_ns': 9000000}}], 'settings': "     \
  "{'keys': '5', 'seed': '1'}}, "
#define RUN_B                                                                  \
  "'run': {" RUN_ON ", 'server': 'PostgreSQL 16', 'workload': 'mt', "          \
  "'clients': 8, 'elapsed_ns': 4000000000, 'measured_ns': 4000000000, "        \
  "'begun': 1000, 'committed': 800, 'aborted': 200, 'unknown': 0, "            \
  "'settings': {'keys': '9', 'seed': '1'}}, "

struct compared {
  struct stored runs[MOST];
  const char *names[MOST], *links[MOST];
  uint32_t n;
};

static void add_compared(struct compared *c, const char *members) {
  static const char *const names[] = {"a", "b c", "<d>"};
  c->names[c->n] = names[c->n % 3];
  c->links[c->n] = c->n ? NULL : "a b/report.html";
  c->runs[c->n++] = report_of_text(members);
}

static void free_compared(struct compared *c) {
  for (uint32_t i = 0; i < c->n; i++)
    stored_free(&c->runs[i]);
  c->n = 0;
}

static char *page_of_compared(const struct compared *c) {
  char *text;
  MARKUP_OF(text, compare_put_page(out, c->runs, c->names, c->links, c->n,
                                   "../index.html"));
  CHECK_SOUND(text);
  CHECK_COUNT(text, "nan", 0);
  return text;
}

// A line for each run, no row of which nothing is known, and the settings that
// differ.
static void figures_as_text(void) {
  struct compared c = {.n = 0};
  add_compared(&c, RUN_A VERDICT_BROKEN);
  add_compared(&c, RUN_B VERDICT_PASS);
  char *text;
  MARKUP_OF(text, compare_put_text(out, c.runs, c.names, c.n));
  CHECK_INT(strncmp(text, " 1  a\n 2  b c\nverdict\n", 22), 0);
  CHECK_COUNT(text, "   1  VIOLATION: serializability was broken by LostUpdate",
              1);
  CHECK_COUNT(text, "   2  PASS: serializability was kept\n", 1);
  CHECK_COUNT(text, "anomalies\n   1  3 LostUpdate, 1 WriteSkew\n   2  \n", 1);
  CHECK_COUNT(text, "sessions\n   1  4\n   2  8\n", 1);
  CHECK_COUNT(text, "duration\n   1  4.0 s\n   2  4.0 s\n", 1);
  CHECK_COUNT(text, "throughput\n   1  100 /s\n   2  200 /s\n", 1);
  CHECK_COUNT(text, "abort rate\n   1  20.00 %\n   2  20.00 %\n", 1);
  CHECK_COUNT(text, "given up\n   1  2\n   2  0\n", 1);
  // The slowest of all kinds, each figure for itself.
  CHECK_COUNT(text, "p50, slowest shape\n   1  2.00 us\n   2  \n", 1);
  CHECK_COUNT(text, "p99, slowest shape\n   1  5.00 ms\n   2  \n", 1);
  CHECK_COUNT(text, "longest\n   1  9.00 ms\n   2  \n", 1);
  CHECK_COUNT(text, "strongest level kept", 0);
  CHECK_COUNT(text, "--keys\n   1  5\n   2  9\n", 1);
  CHECK_COUNT(text, "--seed", 0);
  free(text);
  free_compared(&c);
}

// A figure that an older report lacks stays empty, and so do all figures of a
// history that no run recorded.
static void figures_that_are_missing(void) {
  struct compared c = {.n = 0};
  add_compared(&c, "'all_levels': {'strongest': 'si'}");
  add_compared(&c, "'run': {}");
  char *text;
  MARKUP_OF(text, compare_put_text(out, c.runs, c.names, c.n));
  CHECK_COUNT(text, "verdict\n   1  NOT CHECKED\n   2  NOT CHECKED\n", 1);
  CHECK_COUNT(text, "strongest level kept\n   1  si\n   2  \n", 1);
  CHECK_COUNT(text, "attempts\n   1  \n   2  0\n", 1);
  CHECK_COUNT(text, "abort rate\n   1  \n   2  0.00 %\n", 1);
  CHECK_COUNT(text, "throughput", 0);
  CHECK_COUNT(text, "database", 0);
  free(text);
  free_compared(&c);
}

static void figures_as_a_table(void) {
  struct compared c = {.n = 0};
  add_compared(&c, "'run': {'server': '<b>', 'settings': {'<s>': '<1>'}}");
  add_compared(&c, "'run': {'server': 'b'}");
  add_compared(&c, "'run': {}");
  char *text;
  MARKUP_OF(text, compare_put_figures(out, c.runs, c.names, c.n));
  CHECK_SOUND(text);
  CHECK_COUNT(text,
              "<th scope=\"col\">a</th><th scope=\"col\">b c</th><th "
              "scope=\"col\">&lt;d&gt;</th>",
              1);
  CHECK_COUNT(text,
              "<tr><th scope=\"row\">database</th><td>&lt;b&gt;</td>"
              "<td>b</td><td></td></tr>",
              1);
  CHECK_COUNT(text,
              "<tr><th scope=\"row\">--&lt;s&gt;</th><td>&lt;1&gt;</td>"
              "<td></td><td></td></tr>",
              1);
  free(text);
  free_compared(&c);
}

// ---- The headline

static void expect_headline(const char *const *reports, uint32_t n,
                            const char *headline) {
  struct compared c = {.n = 0};
  for (uint32_t i = 0; i < n; i++)
    add_compared(&c, reports[i]);
  char *text = page_of_compared(&c), *wanted = xasprintf("<h1>%s", headline);
  if (!CHECK(strstr(text, wanted)))
    printf("#   %.200s\n", strstr(text, "<h1>"));
  free(wanted);
  free(text);
  free_compared(&c);
}

static void headlines(void) {
  static const char pass[] = RUN_A VERDICT_PASS;
  static const char broken[] = RUN_A VERDICT_BROKEN;
  static const char unknown[] = RUN_A "'trouble': 'None.'";
  expect_headline((const char *[]){broken, pass}, 2,
                  "Run A showed lost update, write skew; run B did not.</h1>");
  expect_headline((const char *[]){pass, broken}, 2,
                  "Run B showed lost update, write skew; run A did not.</h1>");
  expect_headline((const char *[]){pass, pass}, 2,
                  "Both runs kept what was asked.</h1>");
  expect_headline((const char *[]){pass, pass, pass}, 3,
                  "All runs kept what was asked.</h1>");
  expect_headline((const char *[]){broken, pass, unknown}, 3,
                  "1 of 3 runs showed a violation, 1 kept what was "
                  "asked.</h1>");
  expect_headline((const char *[]){broken, broken}, 2,
                  "2 of 2 runs showed a violation, 0 kept what was "
                  "asked.</h1>");
}

// A run of four seconds that committed and aborted so many in each of them.
static void add_steady(struct compared *c, unsigned committed,
                       unsigned aborted) {
  char second[80];
  snprintf(second, sizeof second, "{'committed': %u, 'aborted': %u}", committed,
           aborted);
  char *members = xasprintf(
      "'run': {" RUN_ON ", 'elapsed_ns': 4000000000, 'measured_ns': "
      "4000000000, 'begun': %u, 'committed': %u, 'aborted': %u, 'seconds': "
      "[%s, %s, %s, %s]}, " VERDICT_PASS,
      4 * (committed + aborted), 4 * committed, 4 * aborted, second, second,
      second, second);
  add_compared(c, members);
  free(members);
}

// Seconds without any spread: the interval has no length.
static void steady_runs(void) {
  struct compared c = {.n = 0};
  add_steady(&c, 1000, 0);
  add_steady(&c, 1500, 0);
  char *text = page_of_compared(&c);
  CHECK_COUNT(text, " B committed 50&nbsp;% more per second.</h1>", 1);
  CHECK_COUNT(text,
              "Committed per second: 1,500 by B, 1,000 by A, a difference of "
              "+50&nbsp;% (95&nbsp;% interval +50&nbsp;% to +50&nbsp;%). The "
              "interval leaves chance out.",
              1);
  CHECK_COUNT(text,
              "<th scope=\"row\">committed per second</th><td "
              "class=\"n\">1,000</td><td class=\"n\">1,500</td><td "
              "class=\"n\"><b>+50&nbsp;%</b> \xc2\xb1 0</td>",
              1);
  free(text);
  free_compared(&c);
  add_steady(&c, 1000, 0);
  add_steady(&c, 800, 0);
  text = page_of_compared(&c);
  CHECK_COUNT(text, " B committed 20&nbsp;% fewer per second.</h1>", 1);
  CHECK_COUNT(text,
              "a difference of \xe2\x88\x92"
              "20&nbsp;% ",
              1);
  free(text);
  free_compared(&c);
  add_steady(&c, 1000, 0);
  add_steady(&c, 1000, 0);
  text = page_of_compared(&c);
  CHECK_COUNT(text, "kept what was asked.</h1>", 1);
  CHECK_COUNT(text, "): that can be chance.", 1);
  free(text);
  free_compared(&c);
}

// Aborts say more than commits, from one of a hundred on.
static void aborts_in_the_headline(void) {
  struct compared c = {.n = 0};
  add_steady(&c, 900, 100);
  add_steady(&c, 600, 400);
  char *text = page_of_compared(&c);
  CHECK_COUNT(text, " B aborted 40 of 100 attempts, A 10.</h1>", 1);
  CHECK_COUNT(
      text,
      "<th scope=\"row\">aborted attempts</th><td "
      "class=\"n\">10.00&nbsp;%</td><td class=\"n\">40.00&nbsp;%</td><td "
      "class=\"n\"><b>+30.0 points</b> \xc2\xb1 0.0</td>",
      1);
  free(text);
  free_compared(&c);
  add_steady(&c, 995, 5);
  add_steady(&c, 500, 1);
  text = page_of_compared(&c);
  CHECK_COUNT(text, " B committed 50&nbsp;% fewer per second.</h1>", 1);
  CHECK_COUNT(text, "0.50&nbsp;%</td>", 1);
  free(text);
  free_compared(&c);
}

// Seconds of 90, 110, 90 and 110 against 100 each: the means are equal.
static void unsteady_runs(void) {
  struct compared c = {.n = 0};
  add_steady(&c, 100, 0);
  add_compared(&c, "'run': {" RUN_ON
                   ", 'elapsed_ns': 4000000000, 'measured_ns': 4000000000, "
                   "'begun': 400, 'committed': 400, 'seconds': [{'committed': "
                   "90}, {'committed': 110}, {'committed': 90}, {'committed': "
                   "110}]}, " VERDICT_PASS);
  char *text = page_of_compared(&c);
  // sqrt(400 / 3 / 4) = 5.77, times 3.18 of Student's t for 3 degrees: 18.4.
  CHECK_COUNT(text,
              "+0&nbsp;% (95&nbsp;% interval \xe2\x88\x92"
              "18&nbsp;% to +18&nbsp;%): that can be chance.",
              1);
  CHECK_COUNT(text, "<b>+0&nbsp;%</b> \xc2\xb1 18<", 1);
  free(text);
  free_compared(&c);
}

// The warm-up does not count, and neither does the last second where it is no
// whole one.
static void seconds_that_count(void) {
  struct compared c = {.n = 0};
  for (int i = 0; i < 2; i++)
    add_compared(&c, "'run': {" RUN_ON
                     ", 'elapsed_ns': 4500000000, 'measured_ns': 3500000000, "
                     "'committed': 350, 'seconds': [{'committed': 7}, "
                     "{'committed': 100}, {'committed': 100}, {'committed': "
                     "100}, {'committed': 50}]}, " VERDICT_PASS);
  char *text = page_of_compared(&c);
  CHECK_COUNT(text,
              "100 by B, 100 by A, a difference of +0&nbsp;% (95&nbsp;% "
              "interval +0&nbsp;% to +0&nbsp;%)",
              1);
  free(text);
  free_compared(&c);
}

static void runs_too_short_for_an_interval(void) {
  struct compared c = {.n = 0};
  add_compared(&c, RUN_A VERDICT_PASS);
  add_compared(&c, RUN_B VERDICT_PASS);
  char *text = page_of_compared(&c);
  CHECK_COUNT(text,
              "200 by B, 100 by A; one of the runs is too short for an "
              "interval.</p>",
              1);
  CHECK_COUNT(text, "<b>+100&nbsp;%</b></td>", 1);
  CHECK_COUNT(text, " \xc2\xb1 ", 0);
  CHECK_COUNT(text, "id=\"course\"", 0);
  free(text);
  free_compared(&c);
}

// ---- The runs, and what else the page has

static void each_run_has_its_part(void) {
  struct compared c = {.n = 0};
  add_compared(&c, RUN_A VERDICT_BROKEN);
  add_compared(&c, RUN_B VERDICT_PASS);
  char *text = page_of_compared(&c);
  CHECK_COUNT(text, "<a href=\"../index.html\">All results</a>", 1);
  CHECK_COUNT(text, "A: Broken promise</p>", 1);
  CHECK_COUNT(text, "B: Kept in this run</p>", 1);
  CHECK_COUNT(text,
              "<b>PostgreSQL 15</b>, level serializable. 4 anomalies among 400 "
              "committed.",
              1);
  CHECK_COUNT(text, "No anomaly among 800 committed.", 1);
  CHECK_COUNT(text, "<a href=\"a%20b/report.html\"><code>a</code></a>", 1);
  CHECK_COUNT(text, "<p><code>b c</code></p>", 1);
  CHECK_COUNT(text, "--compare=compare.html a &#39;b c&#39;</code>", 1);
  // 4 anomalies became none, a quarter of the time was wasted.
  CHECK_COUNT(text,
              "<b>\xe2\x88\x92"
              "4</b>",
              1);
  CHECK_COUNT(text,
              "25.00&nbsp;%</td><td class=\"n\">0.00&nbsp;%</td><td "
              "class=\"n\"><b>\xe2\x88\x92"
              "25.0 points</b></td>",
              1);
  free(text);
  free_compared(&c);
}

static void levels_that_do_not_compare(void) {
  struct compared c = {.n = 0};
  add_compared(&c, RUN_A VERDICT_PASS);
  add_compared(&c, RUN_A "'history': {'committed': 1}, 'verdict': {'verdict': "
                         "'pass', 'title': 'snapshot <isolation>'}");
  add_compared(&c, "'run': {}");
  char *text = page_of_compared(&c);
  CHECK_COUNT(text,
              "A at serializability, B at snapshot &lt;isolation&gt;, C at no "
              "level. Their verdicts do not compare.",
              1);
  CHECK_COUNT(text, ">change</th>", 0); // there are three
  CHECK_COUNT(text, "id=\"numbers\"", 1);
  free(text);
  free_compared(&c);
  add_compared(&c, RUN_A VERDICT_PASS);
  add_compared(&c, RUN_B VERDICT_PASS);
  text = page_of_compared(&c);
  CHECK_COUNT(text, "do not compare", 0);
  free(text);
  free_compared(&c);
}

// A run with intervals of `ms` milliseconds.
static void add_course(struct compared *c, unsigned ms, unsigned n) {
  char *members;
  MARKUP_OF(members, {
    fprintf(out,
            "'run': {" RUN_ON ", 'elapsed_ns': %u000000, 'series': "
            "{'interval_ns': %u000000, 'intervals': [",
            ms * n, ms);
    for (unsigned i = 0; i < n; i++)
      fprintf(out, "%s{'committed': %u, 'p99_ns': 1000}", i ? ", " : "",
              i % 2 ? ms : 3 * ms);
    fputs("]}}", out);
  });
  add_compared(c, members);
  free(members);
}

// Intervals of one run are put together until they are as long as the other's:
// the means of 3000 and 1000 per second lie in the middle.
static void courses_of_other_intervals(void) {
  struct compared c = {.n = 0};
  add_course(&c, 1000, 4);
  add_course(&c, 500, 6);
  char *text = page_of_compared(&c);
  const char *plot = strstr(text, "id=\"plot-throughput\"");
  double x[3], a[3], b[3];
  if (CHECK(plot)) {
    // Three intervals: the shorter run has no more.
    plot = strstr(plot, "<path d=\"");
    CHECK_INT(sscanf(plot, "<path d=\"M%lf %lfL%lf %lfL%lf %lf\"", &x[0], &a[0],
                     &x[1], &a[1], &x[2], &a[2]),
              6);
    plot = strstr(plot + 1, "<path d=\"");
    CHECK_INT(sscanf(plot, "<path d=\"M%lf %lfL%lf %lfL%lf %lf\"", &x[0], &b[0],
                     &x[1], &b[1], &x[2], &b[2]),
              6);
    CHECK(a[0] < b[0] && b[0] < a[1] && a[2] == a[0]);
    CHECK(b[0] == b[1] && b[1] == b[2]);
    CHECK(2 * b[0] - a[0] - a[1] < 0.11 && a[0] + a[1] - 2 * b[0] < 0.11);
  }
  CHECK_COUNT(text, "<svg class=\"plot\"", 3);
  CHECK_COUNT(text, "runs are drawn", 0);
  free(text);
  free_compared(&c);
}

// More runs than letters, and than lines that a plot can tell apart.
static void many_runs(void) {
  struct compared c = {.n = 0};
  for (int i = 0; i < 28; i++)
    add_course(&c, 1000, 2);
  char *text = page_of_compared(&c);
  CHECK_COUNT(text, "Comparison of 28 runs</p>", 1);
  CHECK_COUNT(text, ">Z: Not checked</p>", 1);
  CHECK_COUNT(text, ">27: Not checked</p>", 1);
  CHECK_COUNT(text, ">28: Not checked</p>", 1);
  CHECK_COUNT(text, "The first 6 runs are drawn.", 1);
  CHECK_COUNT(text, ">F</text>", 3);
  CHECK_COUNT(text, ">G</text>", 0);
  free(text);
  free_compared(&c);
}

int main(void) {
  return TAP_RUN(
      {"figures as text", figures_as_text},
      {"figures that are missing", figures_that_are_missing},
      {"figures as a table", figures_as_a_table}, {"headlines", headlines},
      {"steady runs", steady_runs},
      {"aborts in the headline", aborts_in_the_headline},
      {"unsteady runs", unsteady_runs},
      {"seconds that count", seconds_that_count},
      {"runs too short for an interval", runs_too_short_for_an_interval},
      {"each run has its part", each_run_has_its_part},
      {"levels that do not compare", levels_that_do_not_compare},
      {"courses of other intervals", courses_of_other_intervals},
      {"many runs", many_runs});
}
