// SPDX-License-Identifier: GPL-3.0-or-later
// The sections on the page of a run: its figures, courses, lanes, latencies and
// settings, and the commands that make it again; and the page of steps.
#include "config.h"

#include "report/excerpt.h"
#include "report/page/page.h"
#include "report/page/page_steps.h"
#include "report/page/sections.h"
#include "report/words/keys.h"
#include "tests/kit/markup.h"
#include "tests/kit/report_text.h"

typedef void put_section(FILE *out, const struct json_value *value);

// The text of a section about the member `run`, to be freed.
static char *section_of_run(put_section *put, const char *run) {
  char *members, *text;
  MARKUP_OF(members, fprintf(out, "'run': {%s}", run));
  struct stored stored = report_of_text(members);
  MARKUP_OF(text, put(out, json_member(stored.document, KEY(run))));
  CHECK_SOUND(text);
  stored_free(&stored);
  free(members);
  return text;
}

// About the whole report.
static char *section_of(put_section *put, const char *members) {
  struct stored stored = report_of_text(members);
  char *text;
  MARKUP_OF(text, put(out, stored.document));
  CHECK_SOUND(text);
  stored_free(&stored);
  return text;
}

// ---- Lanes

#define EXCERPT                                                                \
  "'excerpt': {'clients': 3, 'begin_ns': 1000, 'end_ns': 5000, "               \
  "'transactions': ["                                                          \
  "{'session': 0, 'outcome': 'committed', 'writes': true, 'begin_ns': 0, "     \
  "'end_ns': 2000}, "                                                          \
  "{'session': 1, 'outcome': 'committed', 'writes': false, 'begin_ns': 2000, " \
  "'end_ns': 9000}, "                                                          \
  "{'session': 2, 'outcome': 'unknown', 'begin_ns': 3000, 'end_ns': 3000}]}"

// Each bar is cut off at the ends of the time that is shown, and the shortest
// one can still be seen.
static void lanes(void) {
  char *text = section_of_run(page_put_lanes, EXCERPT);
  double width, x, length;
  CHECK_COUNT(text, "4.00&nbsp;\xc2\xb5s from the middle of the run", 1);
  CHECK_COUNT(text,
              "aria-label=\"Transactions of 3 sessions over 4.00 \xc2\xb5s", 1);
  CHECK_INT(sscanf(strstr(text, "viewBox"), "viewBox=\"0 0 %lf", &width), 1);
  const char *bar = strstr(text, "<path class=\"ok\" d=\"M");
  CHECK(bar &&
        sscanf(bar, "<path class=\"ok\" d=\"M%lf %*fh%lf", &x, &length) == 2 &&
        x == 0 && length == width / 4);
  bar = strstr(text, "<path class=\"ro\" d=\"M");
  CHECK(bar &&
        sscanf(bar, "<path class=\"ro\" d=\"M%lf %*fh%lf", &x, &length) == 2 &&
        x == width / 4 && x + length == width);
  bar = strstr(text, "<path class=\"un\" d=\"M");
  CHECK(bar &&
        sscanf(bar, "<path class=\"un\" d=\"M%lf %*fh%lf", &x, &length) == 2 &&
        length > 0);
  CHECK_COUNT(text, "<path class=\"no\"", 0);
  CHECK_COUNT(text, "<span><i class=", 3); // the legend names what is there
  free(text);
}

static void no_lanes(void) {
  char *text = section_of_run(page_put_lanes, "");
  CHECK_STR(text, "");
  free(text);
  char many[200];
  snprintf(many, sizeof many,
           "'excerpt': {'clients': %d, 'begin_ns': 1, 'end_ns': 2, "
           "'transactions': [{'outcome': 'aborted'}]}",
           EXCERPT_MAX_SESSIONS + 1);
  text = section_of_run(page_put_lanes, many);
  CHECK_STR(text, "");
  free(text);
}

// ---- Courses

// The unknown outcomes have a line if there are any; the last interval makes a
// rate of the time that the run lasted in it.
static void courses_of_a_run(void) {
  char *text = section_of_run(
      page_put_plots,
      "'elapsed_ns': 2600000000, 'series': {'interval_ns': 1000000000, "
      "'intervals': [{'committed': 100}, {'committed': 100}, {'committed': "
      "60}]}");
  double x, y[3];
  const char *line = strstr(text, "<path d=\"");
  CHECK(line &&
        sscanf(line, "<path d=\"M%lf %lfL%lf %lfL%lf %lf\"", &x, &y[0], &x,
               &y[1], &x, &y[2]) == 6 &&
        y[0] == y[1] && y[1] == y[2]);
  CHECK_COUNT(text, "<svg class=\"plot\"", 3);
  CHECK_COUNT(text, ">commits</text>", 1);
  CHECK_COUNT(text, ">unknown</text>", 0);
  CHECK_COUNT(text, ">p95</text>", 1);
  free(text);
  text = section_of_run(
      page_put_plots,
      "'elapsed_ns': 2000000000, 'series': {'interval_ns': 1000000000, "
      "'intervals': [{'committed': 100}, {'committed': 1, 'unknown': 1}]}");
  CHECK_COUNT(text, ">unknown</text>", 1);
  free(text);
}

// There are fewer than two intervals, or they have no length.
static void courses_that_are_too_short(void) {
  static const char *const runs[] = {
      "",
      "'series': {'interval_ns': 1000000000, 'intervals': [{'committed': 1}]}",
      "'series': {'interval_ns': 0, 'intervals': [{'committed': 1}, "
      "{'committed': 1}]}"};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char *text = section_of_run(page_put_plots, runs[i]);
    CHECK_STR(text, "<p>The run was too short to show how it went over "
                    "time.</p>\n");
    free(text);
  }
}

// ---- Figures

static void figures_of_a_run(void) {
  char *text = section_of(
      page_put_figures,
      "'run': {'begun': 2000, 'committed': 1500, 'aborted': 480, 'refused': "
      "400, 'unknown': 20, 'clients': 8, 'elapsed_ns': 5000000000, "
      "'measured_ns': 3000000000, 'given_up': 1, 'transactions': 1600, "
      "'retries': 300, 'wasted_ns': 1, 'attempt_ns': 8, 'aborted_by': "
      "{'database': 400, 'client': 80}, 'resolved_committed': 2, "
      "'resolved_aborted': 3, 'causes': [{'cause': '<c>', 'count': 1234, "
      "'code': '40001', 'text': 'could not & would not'}]}");
  CHECK_COUNT(text, "1,500 committed</b> (500 per second)", 1);
  CHECK_COUNT(text,
              "400 refused</b> (20.00&nbsp;%), 80 rolled back or ended "
              "in an error",
              1);
  CHECK_COUNT(text,
              "20 with an unknown outcome</b>, of 2,000 attempts by 8 "
              "sessions in 3.0&nbsp;s.</p>",
              1);
  CHECK_COUNT(text, "1 of 1,600 transactions were given up.", 1);
  CHECK_COUNT(text, "2 turned out to have committed and 3 to have aborted", 1);
  CHECK_COUNT(text, "The first 2.0&nbsp;s were the warm-up", 1);
  CHECK_COUNT(text,
              "&lt;c&gt;</th><td class=\"n\">1,234</td><td>40001</td>"
              "<td>could not &amp; would not</td>",
              1);
  // 480 of 2000, 1 of 1600, 300 of 1500, 1 of 8.
  CHECK_COUNT(text, "abort rate per attempt</th><td class=\"n\">24.00&nbsp;%",
              1);
  CHECK_COUNT(text, "per transaction</th><td class=\"n\">0.06&nbsp;%", 1);
  CHECK_COUNT(text, "retries</th><td class=\"n\">0.200</td>", 1);
  CHECK_COUNT(text, "wasted work</th><td class=\"n\">12.50&nbsp;%", 1);
  CHECK_COUNT(text, "<rect x=\"0.0\" width=\"525.0\"", 1); // 1500 / 2000 * 700
  free(text);
}

static void figures_of_an_older_report(void) {
  char *text = section_of(page_put_figures, "'run': {}");
  CHECK_COUNT(text, "0 committed</b> (0 per second)", 1);
  CHECK_COUNT(text, "<svg class=\"outcomes\"", 0);
  CHECK_COUNT(text, "Rates, and what they mean", 0);
  CHECK_COUNT(text, "warm-up", 0);
  CHECK_COUNT(text, "given up", 0);
  CHECK_COUNT(text, "The same run again", 0);
  CHECK_COUNT(text, "nan", 0);
  CHECK_COUNT(text, "inf", 0);
  free(text);
}

static void counted(void) {
  CHECK_MARKUP(page_put_counted(out, 5, 0), "");
  CHECK_MARKUP(page_put_counted(out, 5, 5), "");
  CHECK_MARKUP(page_put_counted(out, 5000, 4321),
               " The figures of the run count 4,321 of them: none of the "
               "warm-up, of closing reads or of unknown outcome.");
}

// A kind that never began has no row, and one that never committed no times.
static void latencies(void) {
  char *text = section_of_run(
      page_put_latency,
      "'shapes': [{'name': '<a>', 'begun': 9, 'committed': 8, 'aborted': 1, "
      "'latency': {'count': 8, 'p50_ns': 2000000, 'p95_ns': 30000000, "
      "'p99_ns': 40000000, 'p999_ns': 50000000, 'max_ns': 60000000}}, "
      "{'name': 'b', 'begun': 1}, {'name': 'c', 'begun': 0}]");
  CHECK_COUNT(text,
              "&lt;a&gt;</th><td class=\"n\">8</td><td class=\"n\">1</td><td "
              "class=\"n\">2.00&nbsp;ms</td><td class=\"n\">30.0&nbsp;ms</td>",
              1);
  CHECK_COUNT(text, "1&nbsp;ms to 100&nbsp;ms, logarithmic", 1);
  CHECK_COUNT(text, "<th scope=\"row\">b</th>", 1);
  CHECK_COUNT(text, "<th scope=\"row\">c</th>", 0);
  CHECK_COUNT(text, "<circle ", 1);
  CHECK_COUNT(text, "From the actual start", 1);
  free(text);
  text = section_of_run(page_put_latency, "'latency_from': 'planned <x>'");
  CHECK_COUNT(text, "From the planned &lt;x&gt; start", 1);
  CHECK_COUNT(text, "inf", 0);
  CHECK_COUNT(text, "nan", 0);
  free(text);
}

// ---- The same run again

#define SETTINGS                                                               \
  "'settings': {'target': 'pg://u:***@h/d', 'keys': '5', 'fast': 'on', "       \
  "'time': '9s', 'transactions': '70', 'out': '/tmp/x', 'name': 'it'}, "       \
  "'defaults': {'keys': '1000', 'fast': 'off', 'time': '10s', "                \
  "'transactions': '', 'out': '', 'name': ''}"

static void put_again(FILE *out, const struct json_value *run) {
  page_put_run_again(out, run, NULL, NULL);
}

static void put_for_longer(FILE *out, const struct json_value *run) {
  page_put_run_again(out, run, "time", "10m");
}

// Where results go is nothing of the run; another length takes the place of
// both that there were.
static void the_run_again(void) {
  char *text = section_of_run(put_again, SETTINGS);
  CHECK_COUNT(text,
              "isostress run --keys=5 --fast --time=9s --transactions=70 "
              "&#39;pg://u:***@h/d&#39;<",
              1);
  free(text);
  text = section_of_run(put_for_longer, SETTINGS);
  CHECK_COUNT(text,
              "isostress run --keys=5 --fast --time=10m "
              "&#39;pg://u:***@h/d&#39;<",
              1);
  free(text);
}

static void settings_of_a_run(void) {
  char *text = section_of(page_put_settings,
                          "'directory': 'a&b', 'run': {" SETTINGS "}");
  CHECK_COUNT(text, "Write the password in the place of <code>***</code>.", 1);
  CHECK_COUNT(text, "isostress run a&amp;b/job.ini</code>", 1);
  CHECK_COUNT(text,
              "<dt><code>--keys</code></dt><dd>5 <span "
              "class=\"soft\">(the default: 1000)</span>",
              1);
  CHECK_COUNT(text, "(the default: none)", 1); // --transactions
  CHECK_COUNT(text, "<dt><code>--out", 0);
  CHECK_COUNT(text, "<p>Nothing.</p>", 1); // the server said
  CHECK_COUNT(text, "isostress explore", 0);
  free(text);
  text = section_of(page_put_settings,
                    "'run': {'server': 'a < b', 'settings': {'schema': "
                    "'s.sql', 'workload': 'a b.sql@3,c.sql'}}");
  CHECK_COUNT(
      text, "isostress explore --schema s.sql &#39;a b.sql&#39;@2 c.sql@2<", 1);
  CHECK_COUNT(text, "<p>a &lt; b</p>", 1);
  free(text);
}

// The levels: which one was claimed, and what decided each of them.
static void all_levels(void) {
  char *text = section_of(
      page_put_auto_level,
      "'all_levels': {'claimed': 'si', 'levels': [{'level': 'ser', 'title': "
      "'serializability', 'verdict': 'violation', 'by': 'si', 'anomaly': "
      "'WriteSkew'}, {'level': 'si', 'title': 'snapshot <isolation>', "
      "'verdict': 'pass', 'by': 'si'}, {'level': 'rc', 'verdict': 'pass', "
      "'by': 'si'}, {'level': 'x', 'verdict': 'undecided', 'why': 'Time.', "
      "'by': 'si'}]}");
  CHECK_COUNT(text,
              "<td class=\"violation\">broken</td><td>WriteSkew, which "
              "breaks si already</td>",
              1);
  CHECK_COUNT(text,
              "snapshot &lt;isolation&gt; (what was claimed)</th><td "
              "class=\"pass\">kept</td><td></td>",
              1);
  CHECK_COUNT(text,
              "<th scope=\"row\">rc</th><td class=\"pass\">kept</td>"
              "<td>since si is</td>",
              1);
  CHECK_COUNT(text, "<td class=\"undecided\">undecided</td><td>Time.</td>", 1);
  free(text);
  text = section_of(page_put_auto_level, "'run': {}");
  CHECK_STR(text, "");
  free(text);
}

// ---- Steps

static const char *const sessions[] = {"a", "<b>"};
static const struct page_step steps[] = {
    {3, 0, "a: x < 1", "ok", true, false},
    {4, 1, "<b>: y", "waits", true, true},
    {5, 0, "commit", "error & more", false, false}};

static struct page_of_steps steps_page(void) {
  return (struct page_of_steps){.script = "my steps.txt",
                                .title = "",
                                .target = "postgresql://h",
                                .server = "PostgreSQL 15.18 (Debian)",
                                .level = "repeatable read",
                                .claimed = ISOLATION_SI,
                                .sessions = sessions,
                                .steps = steps,
                                .nsessions = 2,
                                .nsteps = 3,
                                .performances = 3,
                                .program = "isostress 1"};
}

static char *page_of(const struct page_of_steps *page) {
  char *text;
  MARKUP_OF(text, page_put_steps(out, page));
  CHECK_SOUND(text);
  return text;
}

static void steps_side_by_side(void) {
  const struct page_of_steps page = steps_page();
  char *text = page_of(&page);
  CHECK_COUNT(text, "<title>my steps.txt</title>", 1);
  CHECK_COUNT(text, "<span>PostgreSQL 15.18</span>", 1);
  CHECK_COUNT(text, "<th scope=\"col\">&lt;b&gt;</th>", 1);
  CHECK_COUNT(text,
              "<tr><th scope=\"row\" class=\"n\">3</th><td><code>x &lt; 1"
              "</code><br><span class=\"soft\">ok</span></td><td></td></tr>",
              1);
  CHECK_COUNT(text,
              "4</th><td></td><td><code>y</code><br><span "
              "class=\"warn\">waits</span></td></tr>",
              1);
  CHECK_COUNT(text,
              "<span class=\"bad\">error &amp; more (not expected)</span></td>"
              "<td></td></tr>",
              1);
  CHECK_COUNT(text,
              "isostress steps -i &#39;repeatable read&#39; --repeat=3 "
              "&#39;my steps.txt&#39; postgresql://h<",
              1);
  CHECK_COUNT(text, "As expected</p>", 1);
  CHECK_COUNT(text, "performed 3 times.</p>", 1);
  CHECK_COUNT(text, "Blocking is told by time", 0);
  free(text);
}

static void what_became_of_the_steps(void) {
  struct page_of_steps page = steps_page();
  page.title = "Two & two";
  page.anomaly = "prevented by an abort";
  page.by_time = true;
  char *text = page_of(&page);
  CHECK_COUNT(text, "<h1>Two &amp; two</h1>", 1);
  CHECK_COUNT(text, "Prevented</p>", 1);
  CHECK_COUNT(text, "The anomaly was <b>prevented by an abort</b>.", 1);
  CHECK_COUNT(text, "Blocking is told by time", 1);
  free(text);
  page.anomaly = NULL;
  page.unexpected = 2;
  text = page_of(&page);
  CHECK_COUNT(text, "Not as expected</p>", 1);
  CHECK_COUNT(text, "In <b>2</b> of 3 some step did something else", 1);
  free(text);
  page.seen = page.performances = 1;
  page.tried = ANOMALY_WRITE_SKEW; // snapshot isolation allows it
  text = page_of(&page);
  CHECK_COUNT(text, "Seen, and allowed at this level</p>", 1);
  CHECK_COUNT(text, "performed 1 time. The anomaly was seen <b>1 time</b>.", 1);
  free(text);
  page.tried = ANOMALY_LOST_UPDATE;
  text = page_of(&page);
  CHECK_COUNT(text, "Broken promise</p>", 1);
  free(text);
  page.tried = ANOMALY_NONE;
  text = page_of(&page);
  CHECK_COUNT(text, "Seen</p>", 1);
  CHECK_COUNT(text, "what was seen has no name here", 1);
  free(text);
}

int main(void) {
  return TAP_RUN({"lanes", lanes}, {"no lanes", no_lanes},
                 {"courses of a run", courses_of_a_run},
                 {"courses that are too short", courses_that_are_too_short},
                 {"figures of a run", figures_of_a_run},
                 {"figures of an older report", figures_of_an_older_report},
                 {"figures that count less", counted}, {"latencies", latencies},
                 {"the run again", the_run_again},
                 {"settings of a run", settings_of_a_run},
                 {"all levels", all_levels},
                 {"steps side by side", steps_side_by_side},
                 {"what became of the steps", what_became_of_the_steps});
}
