// SPDX-License-Identifier: GPL-3.0-or-later
// Panels of small multiples (report/picture/multiples.h).  The style of a page
// gives the series their colours and dashes (report/page/page_style.c).
#include "config.h"

#include "report/picture/multiples.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
  WIDTH = MULTIPLES_WIDTH,
  HEIGHT = MULTIPLES_HEIGHT,
  LEFT = 46,
  RIGHT = 36, // for labels
  TOP = 10,
  BOTTOM = 24,
  MARGIN = 14, // from the edges to the first and the last place
  APART = 4,   // from one series to the next at a place
  LETTERS = 12 // of a place that are written
};

static double x_of(const struct multiples *m, uint32_t place, uint32_t series) {
  const double from = LEFT + MARGIN, to = WIDTH - RIGHT - MARGIN;
  const double middle = m->nplaces > 1
                            ? from + place * (to - from) / (m->nplaces - 1)
                            : (from + to) / 2;
  return middle + APART * (series - (m->nseries - 1) / 2.0);
}

// Values above the top are cut off there.
static double y_of(double value, double top) {
  return HEIGHT - BOTTOM - fmin(1, value / top) * (HEIGHT - TOP - BOTTOM);
}

// 1, 2, 2.5 or 5 times a power of ten, not below `number`.
static double round_panel_limit(double number) {
  const double power = pow(10, floor(log10(number)));
  const double digit = number / power;
  return power * (digit <= 1     ? 1
                  : digit <= 2   ? 2
                  : digit <= 2.5 ? 2.5
                  : digit <= 5   ? 5
                                 : 10);
}

static void put_axes(FILE *out, const struct multiples *m, double step,
                     double top) {
  const uint32_t each = (m->nplaces + 7) / 8;
  for (double v = 0; v <= top * 1.001; v += step) {
    fprintf(out, "<path class=\"%s\" d=\"M%d %.1fH%d\"/>", v > 0 ? "g" : "x",
            LEFT, y_of(v, top), WIDTH - RIGHT);
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 5,
            y_of(v, top) + 4);
    plot_put_value(out, v, m->unit);
    fputs("</text>\n", out);
  }
  for (uint32_t i = 0; i < m->nplaces; i += each) {
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
            x_of(m, i, 0) + APART * (m->nseries - 1) / 2.0,
            HEIGHT - BOTTOM + 16);
    put_markup_clipped(out, m->places[i], LETTERS);
    fputs("</text>\n", out);
  }
}

static void put_panel_series(FILE *out, const struct multiples *m,
                             uint32_t series, const struct multiple *points,
                             double top) {
  bool known = false, pen_down = false;
  fprintf(out, "<g class=\"s%" PRIu32 "\">", series % MULTIPLES_STYLES);
  for (uint32_t i = 0; i < m->nplaces; i++)
    if (points[i].known && points[i].high > points[i].low)
      fprintf(out, "<path class=\"i\" d=\"M%.1f %.1fV%.1f\"/>",
              x_of(m, i, series), y_of(points[i].low, top),
              y_of(points[i].high, top));
  for (uint32_t i = 0; i < m->nplaces; i++) {
    if (points[i].known)
      fprintf(out, "%s%c%.1f %.1f", known ? "" : "<path class=\"l\" d=\"",
              pen_down ? 'L' : 'M', x_of(m, i, series),
              y_of(points[i].mean, top));
    pen_down = points[i].known;
    known |= points[i].known;
  }
  fputs(known ? "\"/>" : "", out);
  for (uint32_t i = 0; i < m->nplaces; i++)
    if (points[i].known)
      fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>",
              x_of(m, i, series), y_of(points[i].mean, top));
  fputs("</g>\n", out);
}

struct end {
  uint32_t series;
  double y; // of the last point that is known
};

static int compare_ends(const void *a, const void *b) {
  const struct end *x = a, *y = b;
  return (x->y > y->y) - (x->y < y->y);
}

// Beside their last points, and apart from each other.
static void put_labels(FILE *out, const struct multiples *m,
                       const struct multiple *points, double top) {
  struct end *ends = xcalloc(m->nseries, sizeof *ends);
  uint32_t n = 0;
  for (uint32_t s = 0; s < m->nseries; s++) {
    const struct multiple *of = points + (size_t)s * m->nplaces;
    uint32_t last = m->nplaces;
    while (last && !of[last - 1].known)
      last--;
    if (last)
      ends[n++] = (struct end){s, y_of(of[last - 1].mean, top) + 4};
  }
  qsort(ends, n, sizeof *ends, compare_ends);
  for (uint32_t i = n; i-- > 0;) {
    const double most = i + 1 < n ? ends[i + 1].y - 12.5 : HEIGHT - BOTTOM + 3;
    ends[i].y = fmin(ends[i].y, most);
  }
  for (uint32_t i = 0; i < n && m->nseries > 1; i++) {
    fprintf(out, "<text class=\"s%" PRIu32 "\" x=\"%d\" y=\"%.1f\">",
            ends[i].series % MULTIPLES_STYLES, WIDTH - RIGHT + 3, ends[i].y);
    put_markup(out, m->labels[ends[i].series]);
    fputs("</text>\n", out);
  }
  free(ends);
}

void multiples_put_svg(FILE *out, const struct multiples *m,
                       const char *caption, const struct multiple *points) {
  const double step = round_panel_limit((m->top > 0 ? m->top : 1) / 3);
  const double top = step * ceil((m->top > 0 ? m->top : 1) / step);
  fprintf(out,
          "<svg class=\"multiple\" viewBox=\"0 0 %d %d\" role=\"img\" "
          "aria-label=\"",
          WIDTH, HEIGHT);
  put_markup(out, m->title);
  fputs(*caption ? ": " : "", out);
  put_markup(out, caption);
  fputs("\">\n", out);
  put_axes(out, m, step, top);
  for (uint32_t s = 0; s < m->nseries; s++)
    put_panel_series(out, m, s, points + (size_t)s * m->nplaces, top);
  put_labels(out, m, points, top);
  fputs("</svg>\n", out);
}

void multiples_put_panel(FILE *out, const struct multiples *m,
                         const char *caption, const struct multiple *points) {
  fputs("<figure>\n", out);
  if (*caption) {
    fputs("<figcaption>", out);
    put_markup(out, caption);
    fputs("</figcaption>\n", out);
  }
  multiples_put_svg(out, m, caption, points);
  if (m->x_label) {
    fputs("<p class=\"soft\">", out);
    put_markup(out, m->x_label);
    fputs("</p>\n", out);
  }
  fputs("</figure>\n", out);
}

void multiples_put_swatch(FILE *out, uint32_t series) {
  fprintf(out,
          "<svg class=\"multiple swatch\" viewBox=\"0 0 30 10\" "
          "aria-hidden=\"true\"><g class=\"s%" PRIu32 "\"><path class=\"l\" "
          "d=\"M1 5H29\"/><circle cx=\"15\" cy=\"5\" r=\"3\"/></g></svg>",
          series % MULTIPLES_STYLES);
}
