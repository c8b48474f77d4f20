// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as text (report/text/text.h): a column for each session, a
// line for each step or for the steps that one session took in a row.
#include "config.h"

#include "report/text/text.h"

#include "report/tale/example_order.h"
#include "report/words/plain.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TIMES = 11, CELL = 96, WIDEST = 34, GAP = 1 };

struct text_picture {
  FILE *out;
  const struct example *e;
  const struct example_order *order;
  unsigned width;       // of a column
  const char *unit;     // of the times
  double divisor;       // ns in a unit
  uint64_t start;       // ns, of the first step
  uint64_t time;        // of the line that is being filled
  uint32_t column, txn; // whose line it is
  char cell[CELL];      // empty: no line is being filled
};

static void choose_unit(struct text_picture *p, uint64_t span) {
  const bool long_one = span >= 10000000000, middle = span >= 1000000;
  p->unit = long_one ? "s" : middle ? "ms" : "us";
  p->divisor = long_one ? 1e9 : middle ? 1e6 : 1e3;
}

// Unknown within a transaction whose statements have no times.
static uint64_t end_of_column_step(const struct text_picture *p,
                                   const struct ordered_step *step) {
  const struct example_txn *txn = &p->e->txns[step->txn];
  return step->is_begin             ? txn->begin
         : step->op == EXAMPLE_NONE ? txn->end
                                    : p->e->ops[step->op].end;
}

// The answers to two statements that were under way at once may have come in
// another order than the statements took effect in, which is the order of the
// steps.  Such a step has taken effect by the time of those behind it.
static uint64_t time_of_column_step(const struct text_picture *p,
                                    uint32_t step) {
  uint64_t time = end_of_column_step(p, &p->order->steps[step]);
  for (uint32_t i = step + 1; i < p->order->nsteps && time != TIME_UNKNOWN;
       i++) {
    const uint64_t later = end_of_column_step(p, &p->order->steps[i]);
    time = later < time ? later : time;
  }
  return time;
}

static const char *words_of_step(const struct text_picture *p,
                                 const struct ordered_step *step) {
  return step->is_begin             ? "begin"
         : step->op != EXAMPLE_NONE ? p->e->ops[step->op].label
         : strcmp(p->e->txns[step->txn].outcome, "aborted") ? "commit"
                                                            : "rolled back";
}

static void put_column_line(struct text_picture *p) {
  if (!p->cell[0])
    return;
  if (p->time == TIME_UNKNOWN)
    fprintf(p->out, "%*s", TIMES, "");
  else
    fprintf(p->out, "  %7.*f  ", p->divisor < 1e6 ? 0 : 2,
            (double)(p->time - p->start) / p->divisor);
  fprintf(p->out, "%*s%s\n", (int)(p->column * p->width), "", p->cell);
  p->cell[0] = '\0';
}

// Adds a step to the line of its session, or starts one.
static void add_step_to_column(struct text_picture *p, uint32_t i) {
  const struct ordered_step *step = &p->order->steps[i];
  const char *words = words_of_step(p, step);
  const bool same = p->cell[0] && p->column == step->column &&
                    p->txn == step->txn &&
                    strlen(p->cell) + strlen(words) + 2 + GAP <= p->width;
  if (!same)
    put_column_line(p);
  const size_t used = strlen(p->cell);
  if (same)
    snprintf(p->cell + used, CELL - used, ", %s", words);
  else
    snprintf(p->cell, CELL, "%s: %s", p->e->txns[step->txn].name, words);
  if (!same)
    p->time = time_of_column_step(p, i);
  p->column = step->column;
  p->txn = step->txn;
}

static void put_heads(const struct text_picture *p) {
  fprintf(p->out, "  %7s  ", p->unit);
  for (uint32_t i = 0; i < p->order->ncolumns; i++) {
    const bool last = i + 1 == p->order->ncolumns;
    const int n = fprintf(p->out, "session %" PRIu32, p->order->sessions[i]);
    fprintf(p->out, "%*s", last ? 0 : (int)p->width - n, "");
  }
  fputc('\n', p->out);
}

static bool cells_fit(const struct text_picture *p) {
  for (uint32_t i = 0; i < p->order->nsteps; i++)
    if (strlen(words_of_step(p, &p->order->steps[i])) + strlen("T12: ") + GAP >
        p->width)
      return false;
  return true;
}

void text_put_picture(FILE *out, const struct example *e) {
  struct example_order order;
  if (example_order_steps(&order, e)) {
    struct text_picture p = {.out = out, .e = e, .order = &order};
    uint64_t last = 0;
    p.start = time_of_column_step(&p, 0);
    for (uint32_t t = 0; t < e->ntxns; t++)
      last = e->txns[t].end > last ? e->txns[t].end : last;
    choose_unit(&p, last - p.start);
    p.width = (PLAIN_WIDTH - TIMES) / order.ncolumns;
    p.width = p.width < WIDEST ? p.width : WIDEST;
    if (cells_fit(&p)) {
      put_heads(&p);
      for (uint32_t i = 0; i < order.nsteps; i++)
        add_step_to_column(&p, i);
      put_column_line(&p);
    }
  }
  example_order_free(&order);
}
