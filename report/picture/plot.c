// SPDX-License-Identifier: GPL-3.0-or-later
// Plots as SVG (report/picture/plot.h).
#include "config.h"

#include "report/picture/plot.h"

#include "base/utf8.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <math.h>

enum {
  WIDTH = 420,
  HEIGHT = 220,
  LEFT = 66,
  RIGHT = 64, // for names
  TOP = 12,
  BOTTOM = 34,
  TICKS = 5,
  ROW = 26,
  NAME_MAX_LENGTH = 12
};

struct plot_scale {
  double low, high; // values at the ends
  double from, to;  // where these are
  bool logarithmic;
};

static double place_on_plot(const struct plot_scale *s, double value) {
  const double share = s->logarithmic
                           ? log(value / s->low) / log(s->high / s->low)
                           : (value - s->low) / (s->high - s->low);
  return s->from + share * (s->to - s->from);
}

// 1, 2 or 5 times a power of ten, not below `number`.
static double round_plot_limit(double number) {
  const double power = pow(10, floor(log10(number)));
  const double digit = number / power;
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static void put_open(FILE *out, const char *id, const char *title,
                     double height) {
  fprintf(out,
          "<svg class=\"plot\" id=\"%s\" viewBox=\"0 0 %d %.0f\" "
          "role=\"img\" style=\"fill:currentColor;font-size:12px\" "
          "aria-label=\"",
          id, WIDTH, height);
  put_markup(out, title);
  fputs("\">\n", out);
}

void plot_put_value(FILE *out, double value, enum plot_unit unit) {
  static const struct {
    double factor;
    const char *letter;
  } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
  int u = 0;
  if (value <= 0 && unit == PLOT_DURATION) {
    putc('0', out);
    return;
  }
  switch (unit) {
  case PLOT_PERCENT:
    fprintf(out, "%g %%", value);
    break;
  case PLOT_DURATION: {
    const double scales[] = {1e9, 1e6, 1e3, 1};
    static const char *const names[] = {"s", "ms", "\xc2\xb5s", "ns"};
    while (u < 3 && value < scales[u])
      u++;
    fprintf(out, "%g %s", value / scales[u], names[u]);
    break;
  }
  case PLOT_NUMBER:
    while (u < 3 && value < units[u].factor)
      u++;
    fprintf(out, "%g%s%s", value / units[u].factor, *units[u].letter ? " " : "",
            units[u].letter);
  }
}

static void put_grid_line(FILE *out, double y) {
  fprintf(out,
          "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
          "stroke=\"currentColor\" stroke-opacity=\"0.2\"/>",
          LEFT, WIDTH - RIGHT, y, y);
}

static void put_y_tick(FILE *out, const struct plot_scale *y, double value,
                       enum plot_unit unit) {
  const double at = place_on_plot(y, value);
  put_grid_line(out, at);
  fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6,
          at + 4);
  plot_put_value(out, value, unit);
  fputs("</text>\n", out);
}

// The least and greatest values that are shown.
static void find_range(const struct plot *p, double *low, double *high) {
  *low = INFINITY;
  *high = 0;
  for (uint32_t l = 0; l < p->nlines; l++)
    for (uint32_t i = 0; i < p->npoints; i++) {
      const double y = p->lines[l].y[i];
      if (y > 0 && y < *low)
        *low = y;
      if (y > *high)
        *high = y;
    }
}

static struct plot_scale y_scale(const struct plot *p) {
  struct plot_scale y = {
      .from = HEIGHT - BOTTOM, .to = TOP, .logarithmic = p->logarithmic};
  find_range(p, &y.low, &y.high);
  if (y.high <= 0) {
    y.low = p->logarithmic ? 1 : 0;
    y.high = p->logarithmic ? 10 : 1;
  } else if (p->logarithmic) {
    y.low = pow(10, floor(log10(y.low)));
    y.high = pow(10, ceil(log10(y.high)));
    if (y.high <= y.low)
      y.high = 10 * y.low;
  } else {
    y.low = 0;
    y.high = ceil(y.high / round_plot_limit(y.high / TICKS)) *
             round_plot_limit(y.high / TICKS);
  }
  return y;
}

static void put_y_axis(FILE *out, const struct plot *p,
                       const struct plot_scale *y) {
  if (p->logarithmic) {
    const double decades = ceil(log10(y->high / y->low) / TICKS);
    for (double v = y->low; v <= y->high * 1.01; v *= pow(10, decades))
      put_y_tick(out, y, v, p->unit);
    return;
  }
  const double step = round_plot_limit(y->high / TICKS);
  for (double v = 0; v <= y->high * 1.001; v += step)
    put_y_tick(out, y, v, p->unit);
}

static void put_x_axis(FILE *out, const struct plot_scale *x) {
  const double step = round_plot_limit(x->high / TICKS);
  for (double v = 0; v <= x->high * 1.001; v += step)
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
            place_on_plot(x, v), HEIGHT - BOTTOM + 17, v);
  fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">s</text>\n",
          WIDTH - 8, HEIGHT - BOTTOM + 17);
}

static void put_plot_line(FILE *out, const struct plot *p, uint32_t l,
                          const struct plot_scale *x,
                          const struct plot_scale *y, double *name_y) {
  static const char *const dashes[] = {"", "7 4", "2 3", "9 3 2 3"};
  const double *values = p->lines[l].y;
  bool pen_down = false;
  double last = y->from;
  fputs("<path d=\"", out);
  for (uint32_t i = 0; i < p->npoints; i++) {
    if (p->logarithmic && values[i] <= 0) {
      pen_down = false;
      continue;
    }
    last = place_on_plot(y, values[i]);
    fprintf(out, "%c%.1f %.1f", pen_down ? 'L' : 'M',
            place_on_plot(x, (i + 0.5) * p->step), last);
    pen_down = true;
  }
  fprintf(out,
          "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
          "stroke-linejoin=\"round\" stroke-dasharray=\"%s\"/>\n",
          p->lines[l].colour ? p->lines[l].colour : "currentColor",
          *dashes[l % 4] ? dashes[l % 4] : "none");
  // Names keep clear of each other; later lines are mostly the higher ones.
  *name_y = last + 4 > *name_y - ROW / 2.0 ? *name_y - ROW / 2.0 : last + 4;
  fprintf(out, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">", WIDTH - RIGHT + 6,
          *name_y, p->lines[l].colour ? p->lines[l].colour : "currentColor");
  put_markup_clipped(out, p->lines[l].name, NAME_MAX_LENGTH);
  fputs("</text>\n", out);
}

// At least so wide that it can be seen.
static void put_plot_band(FILE *out, const struct plot_band *band,
                          const struct plot_scale *x) {
  const double from = place_on_plot(x, band->from);
  const double to = place_on_plot(x, band->to < x->high ? band->to : x->high);
  fprintf(out,
          "<rect class=\"band\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
          "height=\"%d\" fill=\"currentColor\" fill-opacity=\"0.15\"><title>",
          from, TOP, to - from > 1.5 ? to - from : 1.5, HEIGHT - BOTTOM - TOP);
  put_markup(out, band->name);
  fputs("</title></rect>\n", out);
}

void plot_put_lines(FILE *out, const struct plot *p) {
  const struct plot_scale x = {.low = 0,
                               .high = p->npoints * p->step,
                               .from = LEFT,
                               .to = WIDTH - RIGHT};
  const struct plot_scale y = y_scale(p);
  put_open(out, p->id, p->title, HEIGHT);
  put_y_axis(out, p, &y);
  put_x_axis(out, &x);
  for (uint32_t b = 0; b < p->nbands; b++)
    if (p->bands[b].from < x.high)
      put_plot_band(out, &p->bands[b], &x);
  double name_y = HEIGHT;
  for (uint32_t l = 0; l < p->nlines; l++)
    put_plot_line(out, p, l, &x, &y, &name_y);
  fputs("</svg>\n", out);
}
