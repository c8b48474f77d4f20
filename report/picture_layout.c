// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out the picture of a counterexample (report/picture.h): columns, then
// rows, then lanes for the arrows, then widths.
#include "config.h"

#include "report/picture.h"

#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  TOP = 6,          // above the head
  GAP = 10,         // between boxes of a column
  SESSION_GAP = 34, // the same, with an arrow in it
  LANE = 22,        // from one lane to the next
  LANE_APART = 4,   // two arrows of a lane
  LEAST_CHANNEL = 14,
  PAD = 9,           // in a box, left of its words
  DISC_APART = 12,   // a number from a line that crosses its arrow
  MOST_PERMUTED = 6, // sessions whose best order is looked for
};
#define CHARACTER 7.85 // width of one, at 13 px
#define SMALL 6.7      // at 11 px

enum event_kind { EVENT_BEGIN, EVENT_WAIT, EVENT_STATEMENT, EVENT_END };

struct event {
  uint64_t time;
  uint32_t txn, op, order; // of events of a transaction: as it did them
  enum event_kind kind;
  uint32_t nrows;
  double y;
};

struct column {
  double bottom;  // of the box above
  uint32_t above; // its transaction
  double x, width;
};

struct laying {
  struct picture *p;
  const struct example *e;
  struct event *events;
  uint32_t nevents, room;
  uint32_t *sessions, nsessions; // column by column, before any share one
  struct column *columns;
  uint32_t *lanes; // per channel
  double y;
};

// --- What is drawn.

static bool is_core(const struct example *e, uint32_t txn) {
  bool core = !e->ncycle && e->read == EXAMPLE_NONE;
  for (uint32_t i = 0; i < e->ncycle; i++)
    core |= e->edges[i].from == txn;
  const struct example_txn *t = &e->txns[txn];
  core |=
      e->read != EXAMPLE_NONE && e->read >= t->first_op && e->read < t->end_op;
  core |= e->other != EXAMPLE_NONE && e->other >= t->first_op &&
          e->other < t->end_op;
  return core;
}

static void choose_boxes(struct laying *l) {
  uint32_t ncore = 0;
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    ncore += l->p->boxes[t].core = is_core(l->e, t);
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    l->p->boxes[t].drawn =
        l->e->ntxns <= PICTURE_WHOLE || l->p->boxes[t].core || !ncore;
}

// --- Columns.

static uint32_t place_of_session(const struct laying *l, uint32_t session) {
  uint32_t i = 0;
  while (i < l->nsessions && l->sessions[i] != session)
    i++;
  return i;
}

static void list_sessions(struct laying *l, bool core) {
  for (uint32_t t = 0; t < l->e->ntxns; t++) {
    const uint32_t session = l->e->txns[t].session;
    if (l->p->boxes[t].drawn && l->p->boxes[t].core == core &&
        place_of_session(l, session) == l->nsessions)
      l->sessions[l->nsessions++] = session;
  }
}

// The columns that the arrows of the cycle pass over.
static uint32_t cost_of(const struct laying *l) {
  uint32_t cost = 0;
  for (uint32_t i = 0; i < l->e->nedges; i++) {
    const struct example_edge *edge = &l->e->edges[i];
    if (!edge->number || !l->p->boxes[edge->from].core ||
        !l->p->boxes[edge->to].core)
      continue;
    const uint32_t a = place_of_session(l, l->e->txns[edge->from].session);
    const uint32_t b = place_of_session(l, l->e->txns[edge->to].session);
    cost += a > b ? a - b : b - a;
  }
  return cost;
}

static void swap(uint32_t *a, uint32_t *b) {
  const uint32_t kept = *a;
  *a = *b;
  *b = kept;
}

// Tries every order of the sessions from `first` on.
static void permute(struct laying *l, uint32_t first, uint32_t *best,
                    uint32_t *least) {
  const uint32_t n = l->nsessions;
  const uint32_t cost = first == n ? cost_of(l) : 0;
  if (first == n && cost < *least) {
    *least = cost;
    memcpy(best, l->sessions, n * sizeof *best);
  }
  for (uint32_t i = first; i < n; i++) {
    swap(&l->sessions[first], &l->sessions[i]);
    permute(l, first + 1, best, least);
    swap(&l->sessions[first], &l->sessions[i]);
  }
}

static void order_sessions(struct laying *l) {
  uint32_t best[MOST_PERMUTED], least = UINT32_MAX;
  if (l->nsessions > MOST_PERMUTED || l->nsessions < 3)
    return;
  permute(l, 0, best, &least);
  memcpy(l->sessions, best, l->nsessions * sizeof *best);
}

// The times from the begin of a session's first box to the end of its last.
static void span_of(const struct laying *l, uint32_t session, uint64_t *first,
                    uint64_t *last) {
  *first = TIME_UNKNOWN;
  *last = 0;
  for (uint32_t t = 0; t < l->e->ntxns; t++) {
    const struct example_txn *txn = &l->e->txns[t];
    if (txn->session != session || !l->p->boxes[t].drawn)
      continue;
    *first = txn->begin < *first ? txn->begin : *first;
    *last = txn->end > *last ? txn->end : *last;
  }
}

static bool is_free(const struct laying *l, uint32_t column, uint64_t first,
                    uint64_t last, const uint32_t *column_of) {
  for (uint32_t t = 0; t < l->e->ntxns; t++) {
    const struct example_txn *txn = &l->e->txns[t];
    if (l->p->boxes[t].drawn &&
        column_of[place_of_session(l, txn->session)] == column &&
        txn->begin <= last && first <= txn->end)
      return false;
  }
  return true;
}

// A session that only gives reasons goes where there is room for it.
static void place_columns(struct laying *l, uint32_t ncore) {
  uint32_t *column_of = xcalloc(l->nsessions, sizeof *column_of);
  for (uint32_t s = 0; s < l->nsessions; s++) {
    uint64_t first, last;
    uint32_t column = 0;
    span_of(l, l->sessions[s], &first, &last);
    for (uint32_t k = s; k < l->nsessions; k++)
      column_of[k] = UINT32_MAX;
    if (s < ncore || l->nsessions <= 2 || !l->e->timed)
      column = l->p->ncolumns;
    while (column < l->p->ncolumns &&
           !is_free(l, column, first, last, column_of))
      column++;
    column_of[s] = column;
    l->p->ncolumns += column == l->p->ncolumns;
  }
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    if (l->p->boxes[t].drawn)
      l->p->boxes[t].column =
          column_of[place_of_session(l, l->e->txns[t].session)];
  free(column_of);
}

// --- Events, in the order of time.

static void happen(struct laying *l, uint32_t txn, uint32_t op,
                   enum event_kind kind, uint64_t time) {
  ARRAY_RESERVE(l->events, l->nevents, l->room);
  l->events[l->nevents] = (struct event){.time = time,
                                         .txn = txn,
                                         .op = op,
                                         .order = l->nevents,
                                         .kind = kind,
                                         .nrows = 1};
  l->nevents++;
}

// A transaction whose end is not known goes on until its session does.
static uint64_t end_of(const struct laying *l, uint32_t txn) {
  const struct example_txn *t = &l->e->txns[txn];
  uint64_t end = t->end;
  for (uint32_t u = txn + 1; u < l->e->ntxns && end == TIME_UNKNOWN; u++)
    if (l->e->txns[u].session == t->session && l->p->boxes[u].drawn)
      end = l->e->txns[u].begin;
  return end;
}

// Where it stands: at its answer or, where that is not known, at an even share
// of its transaction's time.
static uint64_t time_of_op(const struct laying *l, uint32_t txn, uint32_t op) {
  const struct example_txn *t = &l->e->txns[txn];
  const uint64_t answered = l->e->ops[op].end;
  const uint64_t nth = op - t->first_op + 1, of = t->end_op - t->first_op + 1;
  if (!l->e->timed)
    return txn;
  if (answered != TIME_UNKNOWN)
    return answered;
  const uint64_t end = end_of(l, txn);
  return end == TIME_UNKNOWN ? t->begin + nth
                             : t->begin + (end - t->begin) / of * nth;
}

// Did another transaction end while the statement was waiting for its answer?
static bool waits(const struct laying *l, uint32_t txn, uint32_t op) {
  const struct example_op *o = &l->e->ops[op];
  if (!l->e->timed || o->begin == TIME_UNKNOWN || o->end == TIME_UNKNOWN)
    return false;
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    if (t != txn && l->p->boxes[t].drawn && l->e->txns[t].end > o->begin &&
        l->e->txns[t].end < o->end)
      return true;
  return false;
}

static bool has_end(const struct laying *l, uint32_t txn) {
  return l->p->boxes[txn].core ||
         strcmp(l->e->txns[txn].outcome, "committed") != 0;
}

static void list_events(struct laying *l, uint32_t txn) {
  const struct example_txn *t = &l->e->txns[txn];
  const bool timed = l->e->timed;
  uint64_t last = timed ? t->begin : txn;
  happen(l, txn, EXAMPLE_NONE, EVENT_BEGIN, last);
  for (uint32_t op = t->first_op; op < t->end_op; op++) {
    if (waits(l, txn, op))
      happen(l, txn, op, EVENT_WAIT, l->e->ops[op].begin);
    const uint64_t time = time_of_op(l, txn, op);
    last = time > last ? time : last;
    happen(l, txn, op, EVENT_STATEMENT, last);
  }
  if (has_end(l, txn))
    happen(l, txn, EXAMPLE_NONE, EVENT_END, timed ? end_of(l, txn) : txn);
}

static int by_time(const void *a, const void *b) {
  const struct event *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

// --- Words.

static void add_word(struct laying *l, enum word_kind kind, const char *text,
                     double y, uint32_t txn, uint32_t op) {
  const double width = kind == WORD_TIME ? SMALL : CHARACTER;
  l->p->words[l->p->nwords++] =
      (struct picture_word){.kind = kind,
                            .text = arena_strdup(&l->p->arena, text),
                            .y = y,
                            .width = width * (double)utf8_count(text),
                            .txn = txn,
                            .op = op};
}

// Bytes of the part of a label that stands in a row.
static size_t row_of_label(const char *label) {
  size_t bytes = 0, space = 0, characters = 0;
  while (label[bytes] && characters < PICTURE_WRAP) {
    const unsigned length = utf8_length(label + bytes);
    if (label[bytes] == ' ')
      space = bytes;
    bytes += length ? length : 1;
    characters++;
  }
  return label[bytes] && space ? space : bytes;
}

static uint32_t rows_of_label(const char *label) {
  uint32_t rows = 0;
  for (; *label; rows++) {
    label += row_of_label(label);
    label += *label == ' ';
  }
  return rows ? rows : 1;
}

static void add_statement(struct laying *l, const struct event *event) {
  const char *label = l->e->ops[event->op].label;
  for (double y = event->y; *label; y += PICTURE_ROW) {
    const size_t bytes = row_of_label(label);
    char *row = xasprintf(
        "%.*s%s", (int)bytes, label,
        event->op == l->e->read && !label[bytes] ? " \xe2\x9c\x97" : "");
    add_word(l, WORD_STATEMENT, row, y, event->txn, event->op);
    free(row);
    label += bytes;
    label += *label == ' ';
  }
}

static const char *name_of(struct laying *l, uint32_t txn) {
  const struct example_txn *t = &l->e->txns[txn];
  return arena_printf(&l->p->arena, "%s%s%s%s%s", t->name,
                      t->endpoint ? " at " : "", t->endpoint ? t->endpoint : "",
                      t->level ? ", " : "", t->level ? t->level : "");
}

static const char *word_of_end(const struct example_txn *txn) {
  return !strcmp(txn->outcome, "committed") ? "commit"
         : !strcmp(txn->outcome, "aborted") ? "rolled back"
                                            : "no answer";
}

static void add_words(struct laying *l, const struct event *event) {
  switch (event->kind) {
  case EVENT_BEGIN:
    add_word(l, WORD_NAME, name_of(l, event->txn), event->y, event->txn,
             EXAMPLE_NONE);
    break;
  case EVENT_WAIT:
    add_word(l, WORD_WAITS, "waits", event->y, event->txn, event->op);
    break;
  case EVENT_STATEMENT:
    add_statement(l, event);
    break;
  case EVENT_END:
    add_word(l, WORD_END, word_of_end(&l->e->txns[event->txn]), event->y,
             event->txn, EXAMPLE_NONE);
    break;
  }
}

// The unit in which the times differ.
static const struct unit {
  const char *name;
  double ns;
} units[] = {{"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};

// The time from the first event to the last.
static double span(const struct laying *l) {
  uint64_t last = 0;
  for (uint32_t i = 0; i < l->nevents; i++)
    if (l->events[i].time != TIME_UNKNOWN && l->events[i].time > last)
      last = l->events[i].time;
  return (double)(last - l->events[0].time);
}

static void add_times(struct laying *l) {
  const double ns = span(l);
  size_t u = 0;
  while (u + 1 < sizeof units / sizeof *units && ns >= units[u + 1].ns)
    u++;
  const double most = ns / units[u].ns;
  add_word(l, WORD_TIME, units[u].name, TOP, EXAMPLE_NONE, EXAMPLE_NONE);
  for (uint32_t i = 0; i < l->nevents; i++) {
    const struct event *event = &l->events[i];
    char text[32];
    if (event->time == TIME_UNKNOWN)
      continue;
    snprintf(text, sizeof text, "%.*f",
             most >= 100  ? 0
             : most >= 10 ? 1
                          : 2,
             (double)(event->time - l->events[0].time) / units[u].ns);
    add_word(l, WORD_TIME, text, event->y, EXAMPLE_NONE, EXAMPLE_NONE);
  }
}

// --- Rows.

static bool has_session_arrow(const struct laying *l, uint32_t from,
                              uint32_t to) {
  for (uint32_t i = 0; i < l->e->nedges; i++)
    if (l->e->edges[i].number && l->e->edges[i].from == from &&
        l->e->edges[i].to == to && !strcmp(l->e->edges[i].kind, "SO"))
      return true;
  return false;
}

static void add_session(struct laying *l, uint32_t txn, double y) {
  char text[32];
  snprintf(text, sizeof text, "session %" PRIu32, l->e->txns[txn].session);
  add_word(l, WORD_SESSION, text, y, txn, EXAMPLE_NONE);
}

// The first session of a column is named in the head, a later one above its
// box.
static void begin_box(struct laying *l, uint32_t txn) {
  struct column *column = &l->columns[l->p->boxes[txn].column];
  const bool first = column->above == EXAMPLE_NONE;
  const bool same =
      !first && l->e->txns[column->above].session == l->e->txns[txn].session;
  const double least =
      column->bottom +
      (has_session_arrow(l, column->above, txn) ? SESSION_GAP : GAP);
  if (!first && l->y < least)
    l->y = least;
  if (first)
    add_session(l, txn, TOP);
  else if (!same) {
    add_session(l, txn, l->y);
    l->y += PICTURE_ROW;
  }
  column->above = txn;
  l->p->boxes[txn].y = l->y;
}

static void place_rows(struct laying *l) {
  l->y = TOP + PICTURE_ROW;
  for (uint32_t i = 0; i < l->nevents; i++) {
    struct event *event = &l->events[i];
    struct picture_box *box = &l->p->boxes[event->txn];
    if (event->kind == EVENT_BEGIN)
      begin_box(l, event->txn);
    if (event->kind == EVENT_STATEMENT)
      event->nrows = rows_of_label(l->e->ops[event->op].label);
    event->y = l->y;
    l->y += event->nrows * PICTURE_ROW;
    box->bottom = l->y;
    l->columns[box->column].bottom = l->y;
    add_words(l, event);
  }
  l->p->height = l->y + TOP;
}

static const struct event *event_of(const struct laying *l, uint32_t txn,
                                    uint32_t op, enum event_kind kind) {
  for (uint32_t i = 0; i < l->nevents; i++)
    if (l->events[i].txn == txn && l->events[i].op == op &&
        l->events[i].kind == kind)
      return &l->events[i];
  return NULL;
}

// A dotted line from where a statement was sent to where it was answered.
static void place_waits(struct laying *l) {
  for (uint32_t i = 0; i < l->nevents; i++) {
    const struct event *sent = &l->events[i];
    if (sent->kind != EVENT_WAIT)
      continue;
    const struct event *answered =
        event_of(l, sent->txn, sent->op, EVENT_STATEMENT);
    l->p->waits[l->p->nwaits++] =
        (struct picture_wait){.x = l->p->boxes[sent->txn].column,
                              .y = sent->y,
                              .bottom = answered->y};
  }
}

// --- Arrows.

static double middle_of(const struct laying *l, uint32_t txn, uint32_t op,
                        bool end) {
  const struct event *event =
      op == EXAMPLE_NONE ? NULL : event_of(l, txn, op, EVENT_STATEMENT);
  const struct picture_box *box = &l->p->boxes[txn];
  const double y = event ? event->y : end ? box->bottom - PICTURE_ROW : box->y;
  return y + PICTURE_ROW / 2.0;
}

static bool is_neighbor(const struct laying *l, uint32_t from, uint32_t to) {
  const struct picture_box *a = &l->p->boxes[from], *b = &l->p->boxes[to];
  if (a->column != b->column || a->y > b->y)
    return false;
  for (uint32_t t = 0; t < l->e->ntxns; t++)
    if (l->p->boxes[t].drawn && l->p->boxes[t].column == a->column &&
        l->p->boxes[t].y > a->y && l->p->boxes[t].y < b->y)
      return false;
  return true;
}

static void start_arrow(struct laying *l, uint32_t i) {
  const struct example_edge *edge = &l->e->edges[i];
  if (!edge->number || edge->from == edge->to ||
      !l->p->boxes[edge->from].drawn || !l->p->boxes[edge->to].drawn)
    return;
  const bool straight =
      !strcmp(edge->kind, "SO") && is_neighbor(l, edge->from, edge->to);
  l->p->arrows[l->p->narrows++] = (struct picture_arrow){
      .edge = i,
      .straight = straight,
      .y1 = straight ? l->p->boxes[edge->from].bottom
                     : middle_of(l, edge->from, edge->from_op, true) - 4,
      .y2 = straight ? l->p->boxes[edge->to].y
                     : middle_of(l, edge->to, edge->to_op, false) + 4};
}

static double length_of(const struct picture_arrow *a) {
  return a->y1 > a->y2 ? a->y1 - a->y2 : a->y2 - a->y1;
}

static void sort_arrows(struct laying *l) {
  struct picture_arrow *a = l->p->arrows;
  for (uint32_t i = 1; i < l->p->narrows; i++)
    for (uint32_t k = i; k > 0; k--) {
      const bool one = l->e->edges[a[k - 1].edge].on_cycle;
      const bool other = l->e->edges[a[k].edge].on_cycle;
      if (one > other ||
          (one == other && length_of(&a[k - 1]) <= length_of(&a[k])))
        break;
      const struct picture_arrow later = a[k - 1];
      a[k - 1] = a[k];
      a[k] = later;
    }
}

static bool meets(const struct picture_arrow *a,
                  const struct picture_arrow *b) {
  const double top = a->y1 < a->y2 ? a->y1 : a->y2;
  const double low = b->y1 < b->y2 ? b->y1 : b->y2;
  return top <= low + length_of(b) + LANE_APART &&
         low <= top + length_of(a) + LANE_APART;
}

// The first lane of a channel in which the arrow meets none of the `before`
// ones.
static uint32_t free_lane(const struct laying *l, uint32_t channel,
                          uint32_t before) {
  const struct picture_arrow *a = l->p->arrows;
  uint32_t lane = 0;
  for (uint32_t i = 0; i < before; i++)
    if (!a[i].straight && a[i].channel == channel && a[i].lane == lane &&
        meets(&a[i], &a[before])) {
      lane++;
      i = UINT32_MAX; // begin again
    }
  return lane;
}

// Channel c is to the right of column c.
static void choose_lane(struct laying *l, uint32_t i) {
  struct picture_arrow *a = &l->p->arrows[i];
  const struct example_edge *edge = &l->e->edges[a->edge];
  const uint32_t from = l->p->boxes[edge->from].column;
  const uint32_t to = l->p->boxes[edge->to].column;
  const uint32_t count = from < to ? to - from : from > to ? from - to : 1;
  const int step = from <= to ? 1 : -1;
  uint32_t channel = from <= to ? from : from - 1;
  a->channel = channel;
  for (uint32_t k = 1; k < count; k++) {
    channel += (uint32_t)step;
    if (l->lanes[channel] < l->lanes[a->channel])
      a->channel = channel;
  }
  a->lane = free_lane(l, a->channel, i);
  if (a->lane >= l->lanes[a->channel])
    l->lanes[a->channel] = a->lane + 1;
}

static void place_arrows(struct laying *l) {
  for (uint32_t i = 0; i < l->e->nedges; i++)
    start_arrow(l, i);
  sort_arrows(l);
  for (uint32_t i = 0; i < l->p->narrows; i++)
    if (!l->p->arrows[i].straight)
      choose_lane(l, i);
}

// --- Widths.

static void measure_columns(struct laying *l) {
  for (uint32_t i = 0; i < l->p->nwords; i++) {
    const struct picture_word *word = &l->p->words[i];
    if (word->txn == EXAMPLE_NONE)
      continue;
    struct column *column = &l->columns[l->p->boxes[word->txn].column];
    const double width = word->width + 2 * PAD;
    column->width = width > column->width ? width : column->width;
  }
}

static double width_of_channel(const struct laying *l, uint32_t channel) {
  const uint32_t lanes = l->lanes[channel];
  const double width = lanes * LANE + 12;
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
  const struct column *channel = &l->columns[a->channel];
  if (a->straight) {
    a->x1 = a->x2 = a->lane_x = from->x + from->width / 2;
    return;
  }
  a->lane_x = channel->x + channel->width + 6 + LANE * (a->lane + 0.5);
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

// In the middle of the lane, or the nearest place that no line crosses.
static void place_disc(struct laying *l, struct picture_arrow *a) {
  const double middle = (a->y1 + a->y2) / 2, half = length_of(a) / 2;
  a->disc_x = a->lane_x;
  a->disc_y = middle;
  for (double off = 0; off <= half; off += 1) {
    const double sides[] = {middle - off, middle + off};
    for (int s = 0; s < 2; s++)
      if (!a->straight && !is_crossed(l, a, sides[s])) {
        a->disc_y = sides[s];
        return;
      }
  }
}

static void place_all(struct laying *l) {
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
  for (uint32_t i = 0; i < p->narrows; i++)
    place_disc(l, &p->arrows[i]);
}

static void make_room(struct laying *l) {
  struct picture *p = l->p;
  const struct example *e = l->e;
  size_t nwords = 1;
  for (uint32_t op = 0; op < e->nops; op++)
    nwords += 3 + rows_of_label(e->ops[op].label);
  nwords += 6 * (size_t)e->ntxns;
  p->boxes = arena_take(&p->arena, (e->ntxns + 1) * sizeof *p->boxes);
  p->words = arena_take(&p->arena, nwords * sizeof *p->words);
  p->waits = arena_take(&p->arena, (e->nops + 1) * sizeof *p->waits);
  p->arrows = arena_take(&p->arena, (e->nedges + 1) * sizeof *p->arrows);
  l->sessions = xcalloc(e->ntxns, sizeof *l->sessions);
  l->columns = xcalloc(e->ntxns, sizeof *l->columns);
  l->lanes = xcalloc(e->ntxns, sizeof *l->lanes);
  for (uint32_t t = 0; t < e->ntxns; t++)
    l->columns[t].above = EXAMPLE_NONE;
}

void picture_lay_out(struct picture *picture, const struct example *example) {
  *picture = (struct picture){.example = example};
  struct laying l = {.p = picture, .e = example};
  make_room(&l);
  choose_boxes(&l);
  list_sessions(&l, true);
  order_sessions(&l);
  const uint32_t ncore = l.nsessions;
  list_sessions(&l, false);
  place_columns(&l, ncore);
  for (uint32_t t = 0; t < example->ntxns; t++)
    if (picture->boxes[t].drawn)
      list_events(&l, t);
  qsort(l.events, l.nevents, sizeof *l.events, by_time);
  place_rows(&l);
  if (example->timed)
    add_times(&l);
  place_waits(&l);
  place_arrows(&l);
  place_all(&l);
  free(l.events);
  free(l.sessions);
  free(l.columns);
  free(l.lanes);
}

void picture_free(struct picture *picture) { arena_free(&picture->arena); }
