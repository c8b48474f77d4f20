// SPDX-License-Identifier: GPL-3.0-or-later
// Plots over time and small multiples: the values at their axes, and where
// points and lines are.
#include "config.h"

#include "report/picture/multiples.h"
#include "report/picture/plot.h"
#include "tests/kit/markup.h"
#include "tests/tap.h"

#include <math.h>

static void values(void) {
  static const struct {
    double value;
    enum plot_unit unit;
    const char *wanted;
  } rows[] = {{0, PLOT_NUMBER, "0"},
              {0.5, PLOT_NUMBER, "0.5"},
              {999, PLOT_NUMBER, "999"},
              {1000, PLOT_NUMBER, "1 k"},
              {2500, PLOT_NUMBER, "2.5 k"},
              {2e6, PLOT_NUMBER, "2 M"},
              {5e9, PLOT_NUMBER, "5 G"},
              {0, PLOT_PERCENT, "0 %"},
              {2.5, PLOT_PERCENT, "2.5 %"},
              {100, PLOT_PERCENT, "100 %"},
              {0, PLOT_DURATION, "0"},
              {1, PLOT_DURATION, "1 ns"},
              {1e3, PLOT_DURATION, "1 \xc2\xb5s"},
              {1e5, PLOT_DURATION, "100 \xc2\xb5s"},
              {2.5e6, PLOT_DURATION, "2.5 ms"},
              {1e10, PLOT_DURATION, "10 s"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK_MARKUP(plot_put_value(out, rows[i].value, rows[i].unit),
                 rows[i].wanted);
}

// Not inlined, since gcc at -O3 takes the text for the local variable then.
__attribute__((noinline)) static char *drawn(const struct plot *plot) {
  char *text = NULL;
  MARKUP_OF(text, plot_put_lines(out, plot));
  CHECK_SOUND(text);
  return text;
}

// The number that stands behind the `n`th `mark`.
static double number_behind(const char *text, const char *mark, unsigned n) {
  for (; (text = strstr(text, mark)); n--) {
    text += strlen(mark);
    if (!n)
      return strtod(text, NULL);
  }
  return NAN;
}

// Where the text that ends in `end` is; NAN: there is none.
static double height_of_text(const char *text, const char *end) {
  const char *at = strstr(text, end);
  while (at && at > text && strncmp(at, "<text", 5) != 0)
    at--;
  return at ? number_behind(at, " y=\"", 0) : NAN;
}

// From 0 to a round number above the greatest, each step with its value.
static void the_axes(void) {
  static const double y[] = {100, 480};
  const struct plot_line line = {"commits", y, NULL};
  char *text = drawn(&(struct plot){.id = "plot-a",
                                    .title = "A & B",
                                    .lines = &line,
                                    .nlines = 1,
                                    .npoints = 2,
                                    .step = 0.5});
  CHECK_COUNT(text, "id=\"plot-a\"", 1);
  CHECK_COUNT(text, "aria-label=\"A &amp; B\"", 1);
  CHECK_COUNT(text, ">500</text>", 1);
  CHECK_COUNT(text, ">600</text>", 0);
  CHECK_COUNT(text, "<line ", 6); // 0, 100... 500
  // A second in steps of 0.2.
  CHECK_COUNT(text, "text-anchor=\"middle\">", 6);
  CHECK_COUNT(text, "text-anchor=\"middle\">0.2</text>", 1);
  CHECK_COUNT(text, "text-anchor=\"middle\">1</text>", 1);
  free(text);
}

// A point stands in the middle of its interval and, on this scale, at its share
// of the height: the greatest value is the upper end of the axis.
static void points_are_at_their_values(void) {
  static const double y[] = {0, 250, 500, 1000};
  const struct plot_line line = {"commits", y, "var(--a)"};
  char *text = drawn(&(struct plot){.id = "p",
                                    .title = "t",
                                    .lines = &line,
                                    .nlines = 1,
                                    .npoints = 4,
                                    .step = 1});
  const double low = number_behind(text, "y1=\"", 0);
  const double high = number_behind(text, "y1=\"", 5);
  const double left = number_behind(text, "x1=\"", 0);
  const double right = number_behind(text, "x2=\"", 0);
  double x[4], at[4];
  CHECK_INT(sscanf(strstr(text, "<path d=\""),
                   "<path d=\"M%lf %lfL%lf %lfL%lf %lfL%lf %lf\"", &x[0],
                   &at[0], &x[1], &at[1], &x[2], &at[2], &x[3], &at[3]),
            8);
  CHECK(high < low && left < right);
  for (int i = 0; i < 4; i++) {
    CHECK(fabs(x[i] - (left + (right - left) * (i + 0.5) / 4)) < 0.11);
    CHECK(fabs(at[i] - (low + (high - low) * y[i] / 1000)) < 0.11);
  }
  CHECK_COUNT(text, "stroke=\"var(--a)\"", 1);
  CHECK_COUNT(text, "fill=\"var(--a)\">commits</text>", 1);
  free(text);
}

// From a power of ten to a power of ten, each decade as high as the next.
static void logarithms(void) {
  static const double y[] = {2e5, 1e6, 5e6};
  const struct plot_line line = {"p50", y, NULL};
  char *text = drawn(&(struct plot){.id = "p",
                                    .title = "t",
                                    .lines = &line,
                                    .nlines = 1,
                                    .npoints = 3,
                                    .step = 1,
                                    .unit = PLOT_DURATION,
                                    .logarithmic = true});
  CHECK_COUNT(text, "<line ", 3);
  CHECK_COUNT(text, ">100 \xc2\xb5s</text>", 1);
  CHECK_COUNT(text, ">1 ms</text>", 1);
  CHECK_COUNT(text, ">10 ms</text>", 1);
  const double first = number_behind(text, "y1=\"", 0);
  const double second = number_behind(text, "y1=\"", 1);
  const double third = number_behind(text, "y1=\"", 2);
  CHECK(fabs(2 * second - first - third) < 0.11);
  double x, a, b, c;
  CHECK_INT(sscanf(strstr(text, "<path d=\""),
                   "<path d=\"M%lf %lfL%lf %lfL%lf %lf\"", &x, &a, &x, &b, &x,
                   &c),
            6);
  CHECK(fabs(b - second) < 0.11);                        // 1 ms
  CHECK(fabs(a - c - (first - second) * 1.39794) < 0.2); // log10(25)
  free(text);
}

// Many decades: not every one has a value.
static void decades_are_left_out(void) {
  static const double y[] = {1, 1e10};
  const struct plot_line line = {"p50", y, NULL};
  char *text = drawn(&(struct plot){.id = "p",
                                    .title = "t",
                                    .lines = &line,
                                    .nlines = 1,
                                    .npoints = 2,
                                    .step = 1,
                                    .unit = PLOT_DURATION,
                                    .logarithmic = true});
  CHECK_COUNT(text, "<line ", 6); // 1 ns, 100 ns... 10 s
  CHECK_COUNT(text, ">100 ns</text>", 1);
  CHECK_COUNT(text, ">10 ns</text>", 0);
  free(text);
}

// A logarithm has no place for 0: the line has a gap there.
static void gaps(void) {
  static const double y[] = {0, 10, 20, 0, 30, 0};
  const struct plot_line line = {"p50", y, NULL};
  struct plot plot = {.id = "p",
                      .title = "t",
                      .lines = &line,
                      .nlines = 1,
                      .npoints = 6,
                      .step = 1,
                      .logarithmic = true};
  char *text = drawn(&plot);
  const char *path = strstr(text, "<path d=\"");
  char *line_of = strndup(path, strcspn(path + 9, "\"") + 9);
  CHECK_COUNT(line_of, "M", 2);
  CHECK_COUNT(line_of, "L", 1);
  free(line_of);
  free(text);
  plot.logarithmic = false;
  text = drawn(&plot);
  CHECK_COUNT(text, "nan", 0);
  CHECK_COUNT(text, "inf", 0);
  free(text);
}

// Nothing but zeros, and one value for all: there is an axis all the same.
static void flat_lines(void) {
  static const double zeros[] = {0, 0}, ones[] = {1, 1};
  for (int logarithmic = 0; logarithmic < 2; logarithmic++)
    for (int one = 0; one < 2; one++) {
      const struct plot_line line = {"x", one ? ones : zeros, NULL};
      char *text = drawn(&(struct plot){.id = "p",
                                        .title = "t",
                                        .lines = &line,
                                        .nlines = 1,
                                        .npoints = 2,
                                        .step = 1,
                                        .logarithmic = logarithmic});
      CHECK_COUNT(text, "nan", 0);
      CHECK_COUNT(text, "inf", 0);
      CHECK(markup_count(text, "<line ") >= 2);
      CHECK_COUNT(text,
                  logarithmic ? "text-anchor=\"end\">10</text>"
                              : "text-anchor=\"end\">1</text>",
                  1);
      free(text);
    }
}

// Lines of the same values: their names do not lie on each other, and each has
// its own dashes.
static void names_keep_clear(void) {
  static const double y[] = {5, 5};
  const struct plot_line lines[] = {
      {"p50", y, NULL}, {"<a name that is long>", y, NULL}, {"p99", y, NULL}};
  char *text = drawn(&(struct plot){.id = "p",
                                    .title = "t",
                                    .lines = lines,
                                    .nlines = 3,
                                    .npoints = 2,
                                    .step = 1});
  const double first = height_of_text(text, ">p50</text>");
  const double second =
      height_of_text(text, ">&lt;a name that\xe2\x80\xa6</text>");
  const double third = height_of_text(text, ">p99</text>");
  CHECK(first - second >= 12 && second - third >= 12);
  CHECK_COUNT(text, "stroke-dasharray=\"none\"", 1);
  CHECK_COUNT(text, "stroke-dasharray=\"7 4\"", 1);
  CHECK_COUNT(text, "stroke-dasharray=\"2 3\"", 1);
  free(text);
}

// ---- Small multiples

static const char *const places[] = {"1", "2", "4"};
static const char *const labels[] = {"pg", "my<"};

static struct multiples two_series(void) {
  return (struct multiples){.title = "Aborts & more",
                            .places = places,
                            .nplaces = 3,
                            .x_label = "sessions <n>",
                            .labels = labels,
                            .nseries = 2,
                            .unit = PLOT_PERCENT,
                            .top = 28};
}

static void a_panel(void) {
  const struct multiple points[] = {{true, 5, 4, 6},    {true, 10, 10, 10},
                                    {true, 30, 20, 40}, {false, 0, 0, 0},
                                    {true, 7, 6, 8},    {false, 0, 0, 0}};
  const struct multiples multiples = two_series();
  char *text;
  MARKUP_OF(text, multiples_put_panel(out, &multiples, "level <si>", points));
  CHECK_SOUND(text);
  CHECK_COUNT(text, "<figcaption>level &lt;si&gt;</figcaption>", 1);
  CHECK_COUNT(text, "aria-label=\"Aborts &amp; more: level &lt;si&gt;\"", 1);
  CHECK_COUNT(text, ">sessions &lt;n&gt;</p>", 1);
  // 28 / 3 is not above 10: up to 30 in steps of 10, with the axis at 0.
  CHECK_COUNT(text, "<path class=\"x\"", 1);
  CHECK_COUNT(text, "<path class=\"g\"", 3);
  CHECK_COUNT(text, ">30 %</text>", 1);
  CHECK_COUNT(text, ">40 %</text>", 0);
  CHECK_COUNT(text, "<circle ", 4);
  CHECK_COUNT(text, "<path class=\"i\"", 3); // an interval of no length is none
  CHECK_COUNT(text, "<path class=\"l\"", 2);
  CHECK_COUNT(text, "<text class=\"s0\"", 1);
  CHECK_COUNT(text, ">my&lt;</text>", 1);
  free(text);
}

// A place that was not measured leaves a gap in the line, and no point.
static void gaps_of_a_series(void) {
  const struct multiple points[] = {
      {true, 5, 5, 5}, {false, 9, 0, 0}, {true, 7, 7, 7}};
  struct multiples multiples = two_series();
  multiples.nseries = 1;
  char *text;
  MARKUP_OF(text, multiples_put_svg(out, &multiples, "", points));
  CHECK_SOUND(text);
  const char *path = strstr(text, "<path class=\"l\" d=\"") + 19;
  char *line = strndup(path, strcspn(path, "\""));
  CHECK_COUNT(line, "M", 2);
  CHECK_COUNT(line, "L", 0);
  CHECK_COUNT(text, "<circle ", 2);
  CHECK_COUNT(text, "aria-label=\"Aborts &amp; more\"", 1);
  CHECK_COUNT(text, "<text class=\"s0\"", 0); // alone it needs no name
  free(line);
  free(text);
}

static void nothing_measured(void) {
  const struct multiple points[6] = {{0}};
  struct multiples multiples = two_series();
  multiples.top = 0;
  char *text;
  MARKUP_OF(text, multiples_put_panel(out, &multiples, "", points));
  CHECK_SOUND(text);
  CHECK_COUNT(text, "figcaption", 0);
  CHECK_COUNT(text, "<circle ", 0);
  CHECK_COUNT(text, "<text class=\"s", 0);
  CHECK_COUNT(text, "nan", 0);
  free(text);
}

// A value above the top stays in the panel.
static void what_is_too_high_is_cut_off(void) {
  const struct multiple high = {true, 30, 30, 30}, higher = {true, 99, 99, 99};
  struct multiples multiples = two_series();
  multiples.nseries = multiples.nplaces = 1;
  char *a, *b;
  MARKUP_OF(a, multiples_put_svg(out, &multiples, "", &high));
  MARKUP_OF(b, multiples_put_svg(out, &multiples, "", &higher));
  CHECK_STR(b, a);
  free(a);
  free(b);
}

// Series that end in one point are named apart from each other, and within the
// panel.
static void labels_keep_clear(void) {
  enum { SERIES = 8 };
  static const char *const names[SERIES] = {"A", "B", "C", "D",
                                            "E", "F", "G", "H"};
  struct multiple points[SERIES];
  for (int s = 0; s < SERIES; s++)
    points[s] = (struct multiple){true, 1, 1, 1};
  const struct multiples multiples = {.title = "t",
                                      .places = places,
                                      .nplaces = 1,
                                      .labels = names,
                                      .nseries = SERIES,
                                      .top = 30};
  char *text;
  MARKUP_OF(text, multiples_put_svg(out, &multiples, "", points));
  const char *at = text;
  double y[SERIES];
  for (int s = 0; s < SERIES; s++) {
    at = strstr(at, "<text class=\"s");
    if (!CHECK(at != NULL))
      break;
    y[s] = number_behind(at++, "y=\"", 0);
    CHECK(y[s] > 0 && y[s] < MULTIPLES_HEIGHT);
    CHECK(s == 0 || fabs(y[s] - y[s - 1]) >= 12);
  }
  CHECK_COUNT(text, "<g class=\"s0\">", 2); // styles begin again
  CHECK_COUNT(text, "<g class=\"s5\">", 1);
  free(text);
}

// Not each of many places has its name, and a long one is cut.
static void names_of_places(void) {
  enum { PLACES = 20 };
  static const char *names[PLACES];
  struct multiple points[PLACES] = {{0}};
  for (int i = 0; i < PLACES; i++)
    names[i] = "REPEATABLE READ";
  const struct multiples multiples = {
      .title = "t", .places = names, .nplaces = PLACES, .nseries = 1, .top = 1};
  char *text;
  MARKUP_OF(text, multiples_put_svg(out, &multiples, "", points));
  CHECK_COUNT(text, ">REPEATABLE R\xe2\x80\xa6</text>", 7);
  free(text);
}

// The swatch has the style of its series.
static void swatches(void) {
  char *first, *seventh, *second;
  MARKUP_OF(first, multiples_put_swatch(out, 0));
  MARKUP_OF(second, multiples_put_swatch(out, 1));
  MARKUP_OF(seventh, multiples_put_swatch(out, MULTIPLES_STYLES));
  CHECK_SOUND(first);
  CHECK(strcmp(first, second) != 0);
  CHECK_STR(seventh, first);
  free(first);
  free(second);
  free(seventh);
}

int main(void) {
  return TAP_RUN({"values at an axis", values}, {"the axes", the_axes},
                 {"points are at their values", points_are_at_their_values},
                 {"logarithms", logarithms},
                 {"decades are left out", decades_are_left_out}, {"gaps", gaps},
                 {"flat lines", flat_lines},
                 {"names keep clear", names_keep_clear}, {"a panel", a_panel},
                 {"gaps of a series", gaps_of_a_series},
                 {"nothing measured", nothing_measured},
                 {"what is too high is cut off", what_is_too_high_is_cut_off},
                 {"labels keep clear", labels_keep_clear},
                 {"names of places", names_of_places}, {"swatches", swatches});
}
