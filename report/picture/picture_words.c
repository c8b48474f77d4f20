// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a picture (report/picture/picture_laying.h): statements cut into
// rows, names, ends and times.
#include "config.h"

#include "report/picture/picture_laying.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHARACTER 7.85 // width of one, at 13 px
#define SMALL 6.7      // at 11 px

static void add_picture_word(struct laying *l, enum word_kind kind,
                             const char *text, double y, uint32_t txn,
                             uint32_t op) {
  const bool small =
      kind == WORD_TIME || kind == WORD_CONDITION || kind == WORD_FAULT;
  const double width = small ? SMALL : CHARACTER;
  l->p->words[l->p->nwords++] =
      (struct picture_word){.kind = kind,
                            .text = arena_strdup(&l->p->arena, text),
                            .y = y,
                            .width = width * (double)utf8_count(text),
                            .txn = txn,
                            .op = op};
}

// "b = 3" stays in one row.
static bool is_beside_sign(const char *label, size_t space) {
  return label[space + 1] == '=' || (space && label[space - 1] == '=');
}

// Bytes of the part of a label that stands in a row of so many characters.
static size_t row_of_label(const char *label, size_t room) {
  size_t bytes = 0, space = 0, characters = 0;
  while (label[bytes] && characters < room) {
    const unsigned length = utf8_length(label + bytes);
    if (label[bytes] == ' ' && !is_beside_sign(label, bytes))
      space = bytes;
    bytes += length ? length : 1;
    characters++;
  }
  return label[bytes] && space ? space : bytes;
}

static uint32_t picture_rows_of(const char *label, size_t room) {
  uint32_t rows = 0;
  for (; label && *label; rows++) {
    label += row_of_label(label, room);
    label += *label == ' ';
  }
  return rows;
}

static uint32_t rows_of_label(const struct example_op *op) {
  const uint32_t rows = picture_rows_of(op->label, PICTURE_WRAP);
  return rows ? rows : 1;
}

// Small words in a row: as wide as the others.
enum { SMALL_WRAP = PICTURE_WRAP * 7 / 6 };

static uint32_t small_rows(const struct example_op *op) {
  return picture_rows_of(op->place, SMALL_WRAP) +
         picture_rows_of(op->condition, SMALL_WRAP) +
         picture_rows_of(op->fault, SMALL_WRAP);
}

uint32_t laying_rows_of_op(const struct example_op *op) {
  return rows_of_label(op) + small_rows(op);
}

double laying_height_of_op(const struct example_op *op) {
  const uint32_t small = small_rows(op);
  return rows_of_label(op) * PICTURE_ROW + small * PICTURE_NOTE +
         (small ? PICTURE_SPACE : 0);
}

// Adds small rows; returns the end of them.
static double add_small(struct laying *l, const struct picture_event *event,
                        enum word_kind kind, const char *text, double y) {
  for (; text && *text; y += PICTURE_NOTE) {
    const size_t bytes = row_of_label(text, SMALL_WRAP);
    add_picture_word(l, kind,
                     arena_printf(&l->p->arena, "%.*s", (int)bytes, text), y,
                     event->txn, event->op);
    text += bytes;
    text += *text == ' ';
  }
  return y;
}

static void add_picture_statement(struct laying *l,
                                  const struct picture_event *event) {
  const struct example_op *op = &l->e->ops[event->op];
  const char *label = op->label;
  double y = event->y;
  for (; *label; y += PICTURE_ROW) {
    const size_t bytes = row_of_label(label, PICTURE_WRAP);
    char *row = xasprintf("%.*s%s", (int)bytes, label,
                          event->op == l->e->read && !op->fault && !label[bytes]
                              ? " \xe2\x9c\x97"
                              : "");
    add_picture_word(l, WORD_STATEMENT, row, y, event->txn, event->op);
    free(row);
    label += bytes;
    label += *label == ' ';
  }
  y = add_small(l, event, WORD_CONDITION, op->place, y);
  y = add_small(l, event, WORD_CONDITION, op->condition, y);
  add_small(l, event, WORD_FAULT, op->fault, y);
}

static const char *picture_name_of(struct laying *l, uint32_t txn) {
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

void laying_add_words(struct laying *l, const struct picture_event *event) {
  switch (event->kind) {
  case EVENT_BEGIN:
    add_picture_word(l, WORD_NAME, picture_name_of(l, event->txn), event->y,
                     event->txn, EXAMPLE_NONE);
    break;
  case EVENT_WAIT:
    add_picture_word(l, WORD_WAITS, "waits", event->y, event->txn, event->op);
    break;
  case EVENT_STATEMENT:
    add_picture_statement(l, event);
    break;
  case EVENT_END:
    add_picture_word(l, WORD_END, word_of_end(&l->e->txns[event->txn]),
                     event->y, event->txn, EXAMPLE_NONE);
    break;
  }
}

void laying_add_commit(struct laying *l, uint32_t txn, uint32_t other,
                       double y) {
  add_picture_word(
      l, WORD_COMMITTED,
      arena_printf(&l->p->arena, "%s committed", l->e->txns[txn].name), y,
      other, EXAMPLE_NONE);
}

// Is the event's time known, and not only its place within its transaction?
static bool has_time(const struct laying *l,
                     const struct picture_event *event) {
  return event->time != TIME_UNKNOWN &&
         (event->op == EXAMPLE_NONE ||
          l->e->ops[event->op].end != TIME_UNKNOWN);
}

// The unit in which the times differ.
static const struct word_unit {
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

void laying_add_times(struct laying *l) {
  const double ns = span(l);
  size_t u = 0;
  while (u + 1 < sizeof units / sizeof *units && ns >= units[u + 1].ns)
    u++;
  const double most = ns / units[u].ns;
  char before[32] = "";
  add_picture_word(l, WORD_TIME, units[u].name, PICTURE_TOP, EXAMPLE_NONE,
                   EXAMPLE_NONE);
  for (uint32_t i = 0; i < l->nevents; i++) {
    const struct picture_event *event = &l->events[i];
    char text[32];
    if (!has_time(l, event))
      continue;
    snprintf(text, sizeof text, "%.*f",
             most >= 100  ? 0
             : most >= 10 ? 1
                          : 2,
             (double)(event->time - l->events[0].time) / units[u].ns);
    if (strcmp(text, before) != 0) // said once, at the first row that has it
      add_picture_word(l, WORD_TIME, text, event->y, EXAMPLE_NONE,
                       EXAMPLE_NONE);
    snprintf(before, sizeof before, "%s", text);
  }
}

void laying_add_session(struct laying *l, uint32_t txn, double y) {
  char text[32];
  snprintf(text, sizeof text, "session %" PRIu32, l->e->txns[txn].session);
  add_picture_word(l, WORD_SESSION, text, y, txn, EXAMPLE_NONE);
}
