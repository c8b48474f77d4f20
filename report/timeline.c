// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as a time line of sessions (report/pictures.h).  Every
// session is a lane, every transaction a bar from its begin to its end, with
// its operations in it.  The instants are in the order of real time but not to
// scale: microseconds and hours may stand side by side.
#include "config.h"

#include "report/pictures.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEAST_WIDTH = 340,
  LEFT = 92,      // where the first instant is
  TOP = 66,       // of the first lane
  ROW = 19,       // height of a line of text
  GAP = 74,       // between lanes, for arrows and their labels
  PAD = 8,        // inside a bar
  COLUMN = 20,    // least distance of two instants
  LABEL_MAX = 36, // characters
  KEY_MAX = 20
};
#define CHARACTER 7.4 // width of one

struct bar {
  uint32_t lane;
  uint32_t begin, end; // columns
  uint32_t rows;
  double width; // that its text needs
  double x, y, w, h;
  uint32_t narrows, arrow; // at its upper and lower edge; the next one
};

struct label {
  double x, y, width; // of its middle
};

struct drawing {
  const struct example *e;
  const char *prefix;
  FILE *out;
  struct bar *bars; // per transaction
  uint32_t *lane_session, nlanes;
  double *lane_y, *column_x;
  uint32_t ncolumns;
  double width, height;
  struct label *labels; // per edge, those placed so far
  uint32_t nlabels;
};

struct instant {
  uint64_t time;
  uint32_t order, txn;
  bool is_end;
};

static int by_time(const void *a, const void *b) {
  const struct instant *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

// --- Where everything is.

// Without times, the transactions stand one after another.
static void place_in_time(struct drawing *d) {
  const struct example *e = d->e;
  struct instant *instants = xcalloc(2 * (size_t)e->ntxns, sizeof *instants);
  for (uint32_t t = 0; t < e->ntxns; t++)
    for (uint32_t end = 0; end < 2; end++)
      instants[2 * t + end] = (struct instant){.time = !e->timed ? 0
                                                       : end ? e->txns[t].end
                                                             : e->txns[t].begin,
                                               .order = 2 * t + end,
                                               .txn = t,
                                               .is_end = end};
  d->ncolumns = 2 * e->ntxns;
  qsort(instants, d->ncolumns, sizeof *instants, by_time);
  for (uint32_t i = 0; i < d->ncolumns; i++) {
    struct bar *bar = &d->bars[instants[i].txn];
    *(instants[i].is_end ? &bar->end : &bar->begin) = i;
  }
  free(instants);
}

// A transaction whose end is not known goes on until its session does.
static void end_where_next_begins(struct drawing *d) {
  for (uint32_t a = 0; a < d->e->ntxns; a++)
    for (uint32_t b = 0; b < d->e->ntxns; b++)
      if (d->bars[a].lane == d->bars[b].lane &&
          d->bars[b].begin > d->bars[a].begin &&
          d->bars[b].begin < d->bars[a].end)
        d->bars[a].end = d->bars[b].begin;
}

static uint32_t lane_of(struct drawing *d, uint32_t session) {
  uint32_t lane = 0;
  while (lane < d->nlanes && d->lane_session[lane] != session)
    lane++;
  if (lane == d->nlanes)
    d->lane_session[d->nlanes++] = session;
  return lane;
}

static size_t label_length(const char *label) {
  const size_t n = utf8_count(label);
  return n > LABEL_MAX ? LABEL_MAX + 1 : n;
}

// "0.004021 s - 0.004052 s", or nothing; `text` has 72 bytes.
static void span_of(const struct example *e, const struct example_txn *txn,
                    char *text) {
  char begin[32], end[32];
  text[0] = '\0';
  if (e->timed)
    snprintf(text, 72, "%s to %s", example_time(e, txn->begin, begin),
             example_time(e, txn->end, end));
}

static void measure_bar(struct drawing *d, uint32_t t) {
  const struct example_txn *txn = &d->e->txns[t];
  struct bar *bar = &d->bars[t];
  char span[72];
  span_of(d->e, txn, span);
  size_t longest = strlen(txn->name) + strlen(txn->outcome) + 2;
  longest = strlen(span) > longest ? strlen(span) : longest;
  for (uint32_t op = txn->first_op; op < txn->end_op; op++) {
    const size_t mark = op == d->e->read ? strlen(" x") : 0;
    const size_t n = label_length(d->e->ops[op].label) + mark;
    longest = n > longest ? n : longest;
  }
  bar->lane = lane_of(d, txn->session);
  bar->rows = 1 + (span[0] != '\0') + txn->end_op - txn->first_op +
              (txn->nleft_out > 0);
  bar->width = (double)longest * CHARACTER + 2 * PAD;
  bar->h = bar->rows * ROW + 2 * PAD;
}

// Moves instants apart until every bar has room for its text, short bars first.
static void place_columns(struct drawing *d) {
  for (uint32_t i = 1; i < d->ncolumns; i++)
    d->column_x[i] = COLUMN;
  for (uint32_t length = 1; length < d->ncolumns; length++)
    for (uint32_t t = 0; t < d->e->ntxns; t++) {
      const struct bar *bar = &d->bars[t];
      double width = 0;
      if (bar->end - bar->begin != length)
        continue;
      for (uint32_t i = bar->begin + 1; i <= bar->end; i++)
        width += d->column_x[i];
      for (uint32_t i = bar->begin + 1; i <= bar->end; i++)
        if (width < bar->width)
          d->column_x[i] += (bar->width - width) / length;
    }
  d->column_x[0] = LEFT;
  for (uint32_t i = 1; i < d->ncolumns; i++)
    d->column_x[i] += d->column_x[i - 1];
  d->width = d->column_x[d->ncolumns - 1] + 24;
  if (d->width < LEAST_WIDTH)
    d->width = LEAST_WIDTH;
}

static void place_bars(struct drawing *d) {
  double y = TOP;
  for (uint32_t lane = 0; lane < d->nlanes; lane++) {
    double height = 0;
    d->lane_y[lane] = y;
    for (uint32_t t = 0; t < d->e->ntxns; t++) {
      struct bar *bar = &d->bars[t];
      if (bar->lane != lane)
        continue;
      bar->x = d->column_x[bar->begin];
      bar->w = d->column_x[bar->end] - bar->x;
      bar->y = y;
      height = bar->h > height ? bar->h : height;
    }
    y += height + GAP;
  }
  d->height = y - GAP + 40;
}

static void lay_out(struct drawing *d) {
  const uint32_t n = d->e->ntxns;
  d->bars = xcalloc(n, sizeof *d->bars);
  d->lane_session = xcalloc(n, sizeof *d->lane_session);
  d->lane_y = xcalloc(n, sizeof *d->lane_y);
  d->labels = xcalloc(d->e->nedges, sizeof *d->labels);
  d->column_x = xcalloc(2 * (size_t)n, sizeof *d->column_x);
  for (uint32_t t = 0; t < n; t++)
    measure_bar(d, t);
  place_in_time(d);
  end_where_next_begins(d);
  place_columns(d);
  place_bars(d);
  for (uint32_t i = 0; i < d->e->nedges; i++) {
    d->bars[d->e->edges[i].from].narrows++;
    d->bars[d->e->edges[i].to].narrows++;
  }
}

// --- Drawing.

static void put_lanes(struct drawing *d) {
  for (uint32_t i = 0; i < d->ncolumns; i++)
    fprintf(d->out,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\" "
            "stroke=\"currentColor\" stroke-opacity=\"0.18\"/>\n",
            d->column_x[i], d->column_x[i], TOP - 34, d->height - 24);
  for (uint32_t lane = 0; lane < d->nlanes; lane++)
    fprintf(d->out,
            "<text x=\"8\" y=\"%.1f\" font-weight=\"bold\">session %" PRIu32
            "</text>\n"
            "<line x1=\"8\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
            "stroke=\"currentColor\" stroke-opacity=\"0.35\"/>\n",
            d->lane_y[lane] + PAD + ROW - 5, d->lane_session[lane],
            d->width - 8, d->lane_y[lane], d->lane_y[lane]);
  fprintf(d->out, "<text x=\"8\" y=\"%.1f\" opacity=\"0.85\">%s</text>\n",
          d->height - 8,
          d->e->timed ? "time \xe2\x86\x92 (in order, not to scale)"
                      : "order in each session \xe2\x86\x92 (no times known)");
}

static void put_row(struct drawing *d, const struct bar *bar, uint32_t row,
                    bool bold, const char *text, const char *rest) {
  fprintf(d->out, "<text x=\"%.1f\" y=\"%.1f\"%s>", bar->x + PAD,
          bar->y + PAD + (row + 1) * ROW - 5,
          bold ? " font-weight=\"bold\"" : "");
  put_markup_clipped(d->out, text, LABEL_MAX);
  fputs(rest, d->out);
  fputs("</text>\n", d->out);
}

static void put_bar(struct drawing *d, uint32_t t) {
  const struct example *e = d->e;
  const struct example_txn *txn = &e->txns[t];
  const struct bar *bar = &d->bars[t];
  const bool committed = !strcmp(txn->outcome, "committed");
  char span[72], more[32];
  uint32_t row = 0;
  span_of(e, txn, span);
  fprintf(d->out,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" "
          "stroke=\"currentColor\" stroke-width=\"1.3\"%s "
          "style=\"fill:var(--bar,#eef2f7)\"/>\n",
          bar->x, bar->y, bar->w, bar->h,
          committed ? "" : " stroke-dasharray=\"5 4\"");
  fprintf(d->out, "<text x=\"%.1f\" y=\"%.1f\"><tspan font-weight=\"bold\">",
          bar->x + PAD, bar->y + PAD + ROW - 5);
  put_markup(d->out, txn->name);
  fputs("</tspan> ", d->out);
  put_markup(d->out, txn->outcome);
  fputs("</text>\n", d->out);
  if (span[0])
    fprintf(d->out, "<text x=\"%.1f\" y=\"%.1f\" opacity=\"0.85\">%s</text>\n",
            bar->x + PAD, bar->y + PAD + (++row + 1) * ROW - 5, span);
  for (uint32_t op = txn->first_op; op < txn->end_op; op++)
    put_row(d, bar, ++row, e->ops[op].matters, e->ops[op].label,
            op == e->read ? " \xe2\x9c\x97" : "");
  snprintf(more, sizeof more, "and %" PRIu32 " more", txn->nleft_out);
  if (txn->nleft_out)
    put_row(d, bar, ++row, false, more, "");
}

// Where the next arrow touches the upper or lower edge of a bar.
static double next_x(struct bar *bar) {
  bar->arrow++;
  return bar->x + bar->w * bar->arrow / (bar->narrows + 1);
}

static double apart(double a, double b) { return a > b ? a - b : b - a; }

// Would a label there cover another one, or a bar?
static bool is_free(const struct drawing *d, const struct label *label) {
  for (uint32_t i = 0; i < d->nlabels; i++)
    if (apart(label->x, d->labels[i].x) <
            (label->width + d->labels[i].width) / 2 &&
        apart(label->y, d->labels[i].y) < ROW - 3)
      return false;
  for (uint32_t t = 0; t < d->e->ntxns; t++) {
    const struct bar *bar = &d->bars[t];
    if (label->x + label->width / 2 > bar->x &&
        label->x - label->width / 2 < bar->x + bar->w &&
        label->y + ROW / 2.0 > bar->y && label->y - ROW / 2.0 < bar->y + bar->h)
      return false;
  }
  return label->x - label->width / 2 > 0;
}

static struct label on_curve(const double p[8], double at, double width) {
  const double s = 1 - at;
  const double b[4] = {s * s * s, 3 * s * s * at, 3 * s * at * at,
                       at * at * at};
  return (struct label){
      .x = b[0] * p[0] + b[1] * p[2] + b[2] * p[4] + b[3] * p[6],
      .y = b[0] * p[1] + b[1] * p[3] + b[2] * p[5] + b[3] * p[7],
      .width = width};
}

// On the curve where it covers nothing, as near to the middle as possible.
static void place_label(struct drawing *d, uint32_t i, const double p[8]) {
  const struct example_edge *edge = &d->e->edges[i];
  size_t length = strlen(edge->number > 9 ? "10. RW "
                         : edge->number   ? "1. RW "
                                          : "RW ");
  if (edge->key)
    length++;
  if (edge->key)
    length +=
        utf8_count(edge->key) > KEY_MAX ? KEY_MAX + 1 : utf8_count(edge->key);
  const double width = (double)length * CHARACTER + 6;
  struct label label = on_curve(p, 0.5, width);
  for (int step = 1; step < 18 && !is_free(d, &label); step++)
    label = on_curve(p, 0.5 + (step % 2 ? 0.025 : -0.025) * (step + 1), width);
  d->labels[d->nlabels++] = label;
}

// A curve that leaves and arrives upright.
static void put_curve(struct drawing *d, uint32_t i, const double p[8]) {
  const struct example_edge *edge = &d->e->edges[i];
  fprintf(d->out,
          "<path d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f\" fill=\"none\" "
          "stroke=\"currentColor\" stroke-width=\"%s\"%s "
          "marker-end=\"url(#%s-head)\"/>\n",
          p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7],
          edge->on_cycle ? "1.8" : "1",
          edge->inferred ? " stroke-dasharray=\"7 5\"" : "", d->prefix);
  place_label(d, i, p);
}

static void put_arrow(struct drawing *d, uint32_t i) {
  const struct example_edge *edge = &d->e->edges[i];
  struct bar *from = &d->bars[edge->from], *to = &d->bars[edge->to];
  const double x1 = next_x(from), x2 = next_x(to);
  if (from->lane == to->lane) { // an arc above both, higher the other way round
    const double bend = x1 < x2 ? 30 : 62;
    put_curve(d, i,
              (double[]){x1, from->y, x1, from->y - bend, x2, to->y - bend, x2,
                         to->y - 3});
    return;
  }
  const bool down = from->lane < to->lane;
  const double y1 = down ? from->y + from->h : from->y;
  const double y2 = down ? to->y - 3 : to->y + to->h + 3;
  const double bend = (down ? 1 : -1) * GAP * 0.5;
  put_curve(d, i, (double[]){x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2});
}

static void put_label(struct drawing *d, uint32_t i) {
  const struct example_edge *edge = &d->e->edges[i];
  const struct label *label = &d->labels[i];
  fprintf(d->out,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
          "style=\"fill:var(--page,#fff)\"/>"
          "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
          label->x - label->width / 2, label->y - 8, label->width, ROW - 3,
          label->x, label->y + 4);
  if (edge->number)
    fprintf(d->out, "%" PRIu32 ". ", edge->number);
  put_markup(d->out, edge->kind);
  if (edge->key) {
    fputc(' ', d->out);
    put_markup_clipped(d->out, edge->key, KEY_MAX);
  }
  fputs("</text>\n", d->out);
}

static void put_start(struct drawing *d, bool on_its_own) {
  fprintf(d->out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
          "width=\"%.0f\" height=\"%.0f\" role=\"img\" "
          "style=\"fill:currentColor;font:12px ui-monospace,'DejaVu Sans "
          "Mono',monospace",
          d->width, d->height, d->width, d->height);
  if (on_its_own)
    fputs(";background:#fff;color:#111", d->out);
  else
    fprintf(d->out, ";--least:%.0fpx", PICTURE_LEAST_SCALE * d->width);
  fputs("\" aria-label=\"Time line of the sessions of a ", d->out);
  put_markup(d->out, d->e->anomaly);
  fprintf(d->out,
          "\">\n<defs><marker id=\"%s-head\" viewBox=\"0 0 10 10\" "
          "refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" "
          "markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
          "<path d=\"M0 0 L10 5 L0 10 Z\"/></marker></defs>\n",
          d->prefix);
}

void timeline_put_svg(FILE *out, const struct example *example,
                      const char *prefix, bool on_its_own) {
  struct drawing d = {.e = example, .prefix = prefix, .out = out};
  lay_out(&d);
  put_start(&d, on_its_own);
  put_lanes(&d);
  for (uint32_t i = 0; i < example->nedges; i++)
    put_arrow(&d, i); // behind the bars that are in its way
  for (uint32_t t = 0; t < example->ntxns; t++)
    put_bar(&d, t);
  for (uint32_t i = 0; i < example->nedges; i++)
    put_label(&d, i);
  fputs("</svg>\n", out);
  free(d.bars);
  free(d.lane_session);
  free(d.lane_y);
  free(d.column_x);
  free(d.labels);
}
