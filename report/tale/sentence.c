// SPDX-License-Identifier: GPL-3.0-or-later
// Tells single operations (report/tale/sentence.h, report/tale/story.h).
#include "config.h"

#include "report/tale/sentence.h"

#include "base/memory.h"
#include "recorder/row_words.h"
#include "report/tale/row_label.h"
#include "report/tale/story.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sentence sentence_at(char *sentence) {
  sentence[0] = '\0';
  return (struct sentence){sentence, STORY_SENTENCE};
}

void sentence_add(struct sentence *text, const char *format, ...) {
  va_list args;
  assert(text->room > 0 && text->room <= STORY_SENTENCE);
  va_start(args, format);
  int n = vsnprintf(text->end, text->room, format, args);
  va_end(args);
  size_t used = n < 0 ? 0 : (size_t)n;
  if (used >= text->room) {
    memcpy(text->end + text->room - 4, "...", 4); // perhaps over what stands
    used = text->room - 1;
  }
  text->end += used;
  text->room -= used;
}

static void add_key(struct sentence *text, const struct names *n, uint32_t op) {
  char buffer[NAME_ROOM];
  sentence_add(text, "%s", names_key(n, n->history->key[op], buffer));
}

void sentence_add_written(struct sentence *text, const struct names *n,
                          uint32_t op) {
  char buffer[NAME_ROOM];
  sentence_add(text, "%s", names_written(n, op, buffer));
}

// Elements of a list in a row that may be left out.
enum { FEWEST_LEFT_OUT = 6 };

static uint32_t list_length(const struct history *h, uint32_t list) {
  return history_list_end(h, list) - h->list[list].first;
}

// How many elements both lists begin with.
static uint32_t common_length(const struct history *h, uint32_t list,
                              uint32_t other) {
  const uint32_t *a = h->element + h->list[list].first;
  const uint32_t *b = h->element + h->list[other].first;
  const uint32_t na = list_length(h, list), nb = list_length(h, other);
  uint32_t same = 0;
  while (same < na && same < nb && a[same] == b[same])
    same++;
  return same;
}

// Marks where lists of the transactions that have a name part from this one.
static void mark_where_lists_part(const struct names *n, uint32_t op,
                                  uint8_t *interest) {
  const struct history *h = n->history;
  for (uint32_t t = 0; t < n->ntxns; t++)
    for (uint32_t o = h->txn_first[n->txns[t]];
         o < h->txn_first[n->txns[t] + 1]; o++)
      if (h->kind[o] == OP_READ_LIST && h->key[o] == h->key[op])
        interest[common_length(h, h->saw[op], h->saw[o])] = 1;
}

struct list_element {
  uint32_t writer, place;
};

static int by_writer(const void *a, const void *b) {
  const uint32_t x = ((const struct list_element *)a)->writer;
  const uint32_t y = ((const struct list_element *)b)->writer;
  return (x > y) - (x < y);
}

static void mark_what_stands_twice(const uint32_t *elements, uint32_t length,
                                   uint8_t *interest) {
  struct list_element *sorted = xmalloc(length * sizeof *sorted);
  for (uint32_t i = 0; i < length; i++)
    sorted[i] = (struct list_element){elements[i], i};
  qsort(sorted, length, sizeof *sorted, by_writer);
  for (uint32_t i = 1; i < length; i++)
    if (sorted[i].writer == sorted[i - 1].writer)
      interest[sorted[i].place] = interest[sorted[i - 1].place] = 1;
  free(sorted);
}

// Marks each element of the list that was read on which the counterexample
// depends, or for which a reader looks; to be freed, with one mark more than
// the list has elements.
static uint8_t *elements_of_interest(const struct names *n, uint32_t op) {
  const struct history *h = n->history;
  const uint32_t *elements = h->element + h->list[h->saw[op]].first;
  const uint32_t length = list_length(h, h->saw[op]);
  uint8_t *interest = xcalloc((size_t)length + 1, 1);
  for (uint32_t i = 0; i < length; i++)
    interest[i] = !i || i + 1 == length || elements[i] >= h->nops ||
                  n->txn_place[history_txn(h, elements[i])];
  mark_where_lists_part(n, op, interest);
  mark_what_stands_twice(elements, length, interest);
  return interest;
}

static void add_story_list(struct sentence *text, const struct names *n,
                           uint32_t op) {
  const struct history *h = n->history;
  char buffer[NAME_ROOM];
  const uint32_t list = h->saw[op], first = h->list[list].first;
  const uint32_t length = list_length(h, list);
  uint8_t *interest = elements_of_interest(n, op);
  sentence_add(text, "[");
  for (uint32_t i = 0; i < length; i++) {
    uint32_t next = i;
    while (!n->raw && next < length && !interest[next])
      next++;
    if (next - i >= FEWEST_LEFT_OUT) {
      sentence_add(text, " ... %" PRIu32 " more ...", next - i);
      i = next;
    }
    sentence_add(text, "%s%s", i ? " " : "",
                 names_seen(n, h->key[op], h->element[first + i],
                            history_element_value(h, first + i), buffer));
  }
  sentence_add(text, "]");
  free(interest);
}

// The value that a compare-and-set found has no place of its own.
static bool is_unknown(const struct names *n, uint32_t op) {
  return n->raw_rows && n->history->kind[op] == OP_CAS &&
         n->history->saw[op] >= n->history->nops;
}

void sentence_add_seen(struct sentence *text, const struct names *n,
                       uint32_t op) {
  const struct history *h = n->history;
  const uint32_t saw = h->saw[op];
  char buffer[NAME_ROOM];
  if (h->kind[op] == OP_READ_LIST)
    add_story_list(text, n, op);
  else if (h->kind[op] == OP_READ && saw >= h->nops &&
           history_op_value(h, op) == VALUE_NOBODYS)
    sentence_add(text, "nothing");
  else if (is_unknown(n, op))
    sentence_add(text, saw == SAW_INITIAL ? "the initial value"
                                          : "a value that nobody wrote");
  else
    sentence_add(text, "%s",
                 names_seen(n, h->key[op], saw,
                            h->kind[op] == OP_READ ? history_op_value(h, op)
                            : saw < h->nops        ? history_op_value(h, saw)
                                                   : 0,
                            buffer));
}

void sentence_add_raw_key(struct sentence *text, const struct names *n,
                          uint32_t op) {
  if (!n->raw_rows)
    return;
  sentence_add(text, "key ");
  add_key(text, n, op);
  sentence_add(text, " = ");
}

// The verbs for what is done to a set.
struct set_words {
  const char *add, *find, *read;
};
static const struct set_words did = {"added", "found", "read"};
static const struct set_words label = {"add", "find", "read"};

bool story_misses(const struct history *h, uint32_t op) {
  return op_reads(h->kind[op]) && history_op_value(h, op) == VALUE_NOBODYS;
}

// Adds what an operation did to an element of a set, or found of it.
static void add_of_set(struct sentence *text, const struct names *n,
                       uint32_t op, const struct set_words *words) {
  char key[NAME_ROOM], value[NAME_ROOM];
  const char *set = names_key(n, n->history->key[op], key);
  const char *element = names_element(n, n->history->key[op], value);
  if (op_writes(n->history->kind[op]))
    sentence_add(text, "%s %s to %s", words->add, element, set);
  else if (story_misses(n->history, op))
    sentence_add(text, "%s %s without %s", words->read, set, element);
  else
    sentence_add(text, "%s %s in %s", words->find, element, set);
}

void sentence_add_set_step(struct sentence *text, const struct names *n,
                           uint32_t op) {
  add_of_set(text, n, op, &did);
}

// Columns of a row that are told.
enum { MOST_COLUMNS = 8, FEW_COLUMNS = 2 };

// Which columns are told: those that differ, where a reader would lose sight of
// them among the others.
static uint64_t columns_told(const struct names *n, uint32_t op) {
  const struct history *h = n->history;
  const uint32_t table = h->rows->key_table[h->key[op]];
  const bool few = row_columns_shown(h, op) < FEW_COLUMNS;
  return few || n->raw || !n->columns[table] || h->kind[op] == OP_ROW_INSERT
             ? UINT64_MAX
             : n->columns[table];
}

static void add_columns(struct sentence *text, const struct names *n,
                        uint32_t op) {
  const struct history *h = n->history;
  const uint64_t told = columns_told(n, op);
  const uint32_t ncolumns = row_columns_shown(h, op);
  uint32_t all = 0, shown = 0;
  char value[ROW_VALUE];
  for (uint32_t i = 0; i < ncolumns; i++)
    all += told >> i & 1 && row_column_value(h, op, i, value);
  const uint32_t most = n->raw || all <= MOST_COLUMNS ? all : MOST_COLUMNS - 1;
  for (uint32_t i = 0; i < ncolumns && shown < most; i++)
    if (told >> i & 1 && row_column_value(h, op, i, value))
      sentence_add(text, "%s%s = %s",
                   shown++                        ? ", "
                   : h->kind[op] == OP_ROW_UPDATE ? " to "
                                                  : " with ",
                   row_column_name(h, op, i), value);
  if (shown < all)
    sentence_add(text, " and %" PRIu32 " more columns", all - shown);
}

void sentence_add_row(struct sentence *text, const struct names *n,
                      uint32_t op) {
  const struct history *h = n->history;
  assert(h->rows && op < h->nops && op_is_row(h->kind[op]));
  const unsigned kind = h->kind[op];
  const char *place = row_words_place(h, op);
  char key[24];
  sentence_add(text, "%s row %s",
               kind == OP_ROW          ? "found"
               : kind == OP_ROW_INSERT ? "inserted"
               : kind == OP_ROW_UPDATE ? "changed"
                                       : "deleted",
               history_key(h, h->key[op], key));
  if (kind != OP_ROW_DELETE)
    add_columns(text, n, op);
  if (place && !n->raw)
    sentence_add(text, " (%s)", place);
}

const char *story_endpoint(const struct history *history, uint32_t txn,
                           char buffer[STORY_ENDPOINT]) {
  char line[32];
  const char *found = NULL;
  if (!history->endpoint || history->endpoint[txn] == HISTORY_NO_ENDPOINT)
    return NULL;
  const unsigned number = history->endpoint[txn];
  snprintf(line, sizeof line, "; endpoint %u = ", number);
  if (history->about && (found = strstr(history->about, line)))
    found += strlen(line);
  if (found)
    snprintf(buffer, STORY_ENDPOINT, "%.*s", (int)strcspn(found, "\n"), found);
  else
    snprintf(buffer, STORY_ENDPOINT, "endpoint %u", number);
  return buffer;
}

void story_operation(const struct names *n, uint32_t op, char *sentence) {
  struct sentence text = sentence_at(sentence);
  assert(op < n->history->nops);
  const unsigned kind = n->history->kind[op];
  if (history_is_of_set(n->history, op)) {
    add_of_set(&text, n, op, &did);
    return;
  }
  if (op_is_row(kind)) {
    sentence_add_row(&text, n, op);
    return;
  }
  sentence_add(&text, kind == OP_WRITE    ? "wrote "
                      : kind == OP_APPEND ? "appended "
                      : kind == OP_CAS    ? "changed "
                                          : "read ");
  if (kind == OP_APPEND) {
    sentence_add_written(&text, n, op);
    sentence_add(&text, n->raw_rows ? " to key " : " to ");
    add_key(&text, n, op);
    return;
  }
  if (kind == OP_CAS && n->raw_rows) {
    sentence_add(&text, "key ");
    add_key(&text, n, op);
    sentence_add(&text, " from ");
  } else {
    sentence_add_raw_key(&text, n, op);
  }
  if (op_reads(kind))
    sentence_add_seen(&text, n, op);
  if (kind == OP_CAS)
    sentence_add(&text, " to ");
  if (op_writes(kind))
    sentence_add_written(&text, n, op);
}

void story_label(const struct names *n, uint32_t op, char *sentence) {
  struct sentence text = sentence_at(sentence);
  assert(op < n->history->nops);
  const unsigned kind = n->history->kind[op];
  if (history_is_of_set(n->history, op)) {
    add_of_set(&text, n, op, &label);
    return;
  }
  if (op_is_row(kind)) {
    row_label(n, op, sentence, STORY_SENTENCE);
    return;
  }
  sentence_add(&text, kind == OP_WRITE    ? "write "
                      : kind == OP_APPEND ? "append "
                      : kind == OP_CAS    ? "cas "
                                          : "read ");
  if (n->raw_rows && kind != OP_APPEND) {
    add_key(&text, n, op);
    sentence_add(&text, " = ");
  }
  if (op_reads(kind))
    sentence_add_seen(&text, n, op);
  if (kind == OP_CAS)
    sentence_add(&text, " to ");
  if (op_writes(kind))
    sentence_add_written(&text, n, op);
  if (kind == OP_APPEND && n->raw_rows) {
    sentence_add(&text, " to ");
    add_key(&text, n, op);
  }
}
