// SPDX-License-Identifier: GPL-3.0-or-later
// The widths of a picture (report/picture/picture_laying.h): where columns,
// words, arrows and the numbers of arrows are.
#include "config.h"

#include "report/picture/picture_laying.h"

enum {
  LEAST_CHANNEL = 14,
  PAD = 9,           // in a box, left of its words
  COMMIT_WIDTH = 53, // of the word, with the space behind it
  DISC_APART = 12,   // a number from a line that crosses its arrow
  DISCS_APART = 28,  // a number from another one, where there is room for that
};

static void measure_columns(struct laying *l) {
  for (uint32_t i = 0; i < l->p->nwords; i++) {
    const struct picture_word *word = &l->p->words[i];
    if (word->txn == EXAMPLE_NONE)
      continue;
    struct picture_column *column = &l->columns[l->p->boxes[word->txn].column];
    const double width = word->width + 2 * PAD;
    column->width = width > column->width ? width : column->width;
  }
}

static double width_of_channel(const struct laying *l, uint32_t channel) {
  const uint32_t lanes = l->lanes[channel];
  const double width = lanes * PICTURE_LANE + 12;
  return lanes ? width : channel + 1 < l->p->ncolumns ? LEAST_CHANNEL : PAD;
}

static void place_in_width(struct laying *l) {
  double x = 4;
  for (uint32_t i = 0; i < l->p->nwords; i++)
    if (l->p->words[i].kind == WORD_TIME && l->p->words[i].width + 12 > x)
      x = l->p->words[i].width + 12;
  for (uint32_t i = 0; i < l->p->nwords; i++)
    if (l->p->words[i].kind == WORD_TIME)
      l->p->words[i].x = x - 8 - l->p->words[i].width;
  for (uint32_t c = 0; c < l->p->ncolumns; c++) {
    l->columns[c].x = x;
    x += l->columns[c].width + width_of_channel(l, c);
  }
  l->p->width = x;
}

static void place_word(struct laying *l, struct picture_word *word) {
  if (word->txn != EXAMPLE_NONE)
    word->x = l->columns[l->p->boxes[word->txn].column].x +
              (word->kind == WORD_SESSION ? 2 : PAD);
}

static void place_arrow(struct laying *l, struct picture_arrow *a) {
  const struct example_edge *edge = &l->e->edges[a->edge];
  const struct picture_box *from = &l->p->boxes[edge->from];
  const struct picture_box *to = &l->p->boxes[edge->to];
  const struct picture_column *channel = &l->columns[a->channel];
  if (a->straight) {
    a->x1 = a->x2 = a->lane_x = from->x + from->width / 2;
    return;
  }
  a->lane_x = channel->x + channel->width + 6 + PICTURE_LANE * (a->lane + 0.5);
  a->x1 = a->lane_x > from->x ? from->x + from->width : from->x;
  a->x2 = a->lane_x > to->x ? to->x + to->width : to->x;
}

static bool is_between(double y, double a, double b) {
  return (a <= y && y <= b) || (b <= y && y <= a);
}

// Is a number there too near to a line of another arrow that crosses the lane?
static bool is_crossed(const struct laying *l, const struct picture_arrow *a,
                       double y) {
  for (uint32_t i = 0; i < l->p->narrows; i++) {
    const struct picture_arrow *o = &l->p->arrows[i];
    if (o == a || o->straight)
      continue;
    if ((is_between(a->lane_x, o->x1, o->lane_x) &&
         is_between(o->y1, y - DISC_APART, y + DISC_APART)) ||
        (is_between(a->lane_x, o->x2, o->lane_x) &&
         is_between(o->y2, y - DISC_APART, y + DISC_APART)))
      return true;
  }
  return false;
}

// Is a number there beside that of an earlier arrow, so that a reader could
// take both for one?
static bool is_beside(const struct laying *l, const struct picture_arrow *a,
                      double y) {
  for (const struct picture_arrow *o = l->p->arrows; o < a; o++) {
    const double across = o->disc_x - a->lane_x, down = o->disc_y - y;
    if (across * across + down * down < DISCS_APART * DISCS_APART)
      return true;
  }
  return false;
}

// In the middle of the lane, or the nearest place that no line crosses and, if
// there is one, that is not beside another number.
static bool find_disc(const struct laying *l, struct picture_arrow *a,
                      bool apart) {
  const double middle = (a->y1 + a->y2) / 2, half = laying_length(a) / 2;
  for (double off = 0; off <= half; off += 1) {
    const double sides[] = {middle - off, middle + off};
    for (int s = 0; s < 2; s++)
      if (!is_crossed(l, a, sides[s]) &&
          !(apart &&
            (off > half - PICTURE_DISC || is_beside(l, a, sides[s])))) {
        a->disc_y = sides[s];
        return true;
      }
  }
  return false;
}

static void place_disc(struct laying *l, struct picture_arrow *a) {
  a->disc_x = a->lane_x;
  a->disc_y = (a->y1 + a->y2) / 2;
  if (!a->straight && !find_disc(l, a, true))
    find_disc(l, a, false);
}

// From the end of the transaction's word to the box of the other one.
static void place_width_of_commit(const struct laying *l,
                                  struct picture_commit *c) {
  const struct picture_box *from = &l->p->boxes[c->txn];
  const struct picture_box *to = &l->p->boxes[c->other];
  const bool right = to->x > from->x;
  c->x1 = right ? from->x + PAD + COMMIT_WIDTH : from->x;
  c->x2 = right ? to->x : to->x + to->width;
}

void laying_place_widths(struct laying *l) {
  struct picture *p = l->p;
  measure_columns(l);
  place_in_width(l);
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    if (p->boxes[t].drawn) {
      p->boxes[t].x = l->columns[p->boxes[t].column].x;
      p->boxes[t].width = l->columns[p->boxes[t].column].width;
    }
  for (uint32_t i = 0; i < p->nwords; i++)
    place_word(l, &p->words[i]);
  for (uint32_t i = 0; i < p->nwaits; i++)
    p->waits[i].x = l->columns[(uint32_t)p->waits[i].x].x + 5;
  for (uint32_t i = 0; i < p->narrows; i++)
    place_arrow(l, &p->arrows[i]);
  for (uint32_t i = 0; i < p->ncommits; i++)
    place_width_of_commit(l, &p->commits[i]);
  for (uint32_t i = 0; i < p->narrows; i++)
    place_disc(l, &p->arrows[i]);
}
