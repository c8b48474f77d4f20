// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as plain sentences (report/story.h).  A sentence that would
// be too long (a read of a long list) ends in dots.
#include "config.h"

#include "report/story.h"
#include "report/title.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// A sentence under construction.
struct text {
  char *end;
  size_t room;
};

static struct text text_at(char *sentence) {
  sentence[0] = '\0';
  return (struct text){sentence, STORY_SENTENCE};
}

static void __attribute__((format(printf, 2, 3)))
add(struct text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text->end, text->room, format, args);
  va_end(args);
  size_t used = n < 0 ? 0 : (size_t)n;
  if (used >= text->room) {
    if (text->room > 4)
      memcpy(text->end + text->room - 4, "...", 4);
    used = text->room - 1;
  }
  text->end += used;
  text->room -= used;
}

static void add_key(struct text *text, const struct history *history,
                    uint32_t op) {
  char buffer[24];
  add(text, "key %s", history_key(history, history->key[op], buffer));
}

static void add_value(struct text *text, const struct history *history,
                      uint64_t value) {
  char buffer[24];
  add(text, "%s", history_value(history, value, buffer));
}

static void add_list(struct text *text, const struct history *history,
                     uint32_t op) {
  uint32_t list = history->saw[op];
  uint32_t first = history->list[list].first;
  uint32_t end = history_list_end(history, list);
  add(text, "[");
  for (uint32_t i = first; i < end; i++) {
    add(text, "%s", i > first ? " " : "");
    add_value(text, history, history_element_value(history, i));
  }
  add(text, "]");
}

// Adds the value that a read saw.
static void add_seen(struct text *text, const struct history *history,
                     uint32_t op) {
  uint32_t saw = history->saw[op];
  if (history->kind[op] == OP_READ_LIST)
    add_list(text, history, op);
  else if (history->kind[op] == OP_READ && saw >= history->nops &&
           history_op_value(history, op) == VALUE_NOBODYS)
    add(text, "nothing");
  else if (history->kind[op] == OP_READ)
    add_value(text, history, history_op_value(history, op));
  else if (saw < history->nops)
    add_value(text, history, history_op_value(history, saw));
  else
    add(text,
        saw == SAW_INITIAL ? "the initial value" : "a value that nobody wrote");
}

// Adds what a statement did to a row.
static void add_row(struct text *text, const struct history *h, uint32_t op) {
  const unsigned kind = h->kind[op];
  const uint32_t saw = h->saw[op];
  const uint32_t version = op_writes(kind)      ? op
                           : saw < h->nops      ? saw
                           : saw == SAW_INITIAL ? h->nops + h->key[op]
                                                : UINT32_MAX;
  const int64_t *image =
      version == UINT32_MAX ? NULL : rows_version(h, version);
  const struct row_table *table =
      &h->rows->tables[h->rows->key_table[h->key[op]]];
  char key[24];
  add(text, "%s row %s",
      kind == OP_ROW          ? "found"
      : kind == OP_ROW_INSERT ? "inserted"
      : kind == OP_ROW_UPDATE ? "changed"
                              : "deleted",
      history_key(h, h->key[op], key));
  for (uint32_t i = 0; image && i < table->ncolumns; i++)
    add(text, "%s%s = %" PRId64,
        i                       ? ", "
        : kind == OP_ROW_UPDATE ? " to "
                                : " with ",
        table->columns[i], image[i]);
}

const char *story_txn(const struct history *history, uint32_t txn,
                      char *buffer) {
  uint32_t session = history_session(history, txn);
  snprintf(buffer, 32, "%" PRIu32 ":%" PRIu32, session,
           txn - history->session_first[session]);
  return buffer;
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

void story_operation(const struct history *history, uint32_t op,
                     char *sentence) {
  struct text text = text_at(sentence);
  uint64_t value = history_op_value(history, op);
  switch (history->kind[op]) {
  case OP_READ:
  case OP_READ_LIST:
    add(&text, "read ");
    add_key(&text, history, op);
    add(&text, " = ");
    add_seen(&text, history, op);
    break;
  case OP_WRITE:
    add(&text, "wrote ");
    add_key(&text, history, op);
    add(&text, " = ");
    add_value(&text, history, value);
    break;
  case OP_APPEND:
    add(&text, "appended ");
    add_value(&text, history, value);
    add(&text, " to ");
    add_key(&text, history, op);
    break;
  case OP_CAS:
    add(&text, "changed ");
    add_key(&text, history, op);
    add(&text, " from ");
    add_seen(&text, history, op);
    add(&text, " to ");
    add_value(&text, history, value);
    break;
  default:
    assert(op_is_row(history->kind[op]));
    add_row(&text, history, op);
  }
}

void story_label(const struct history *history, uint32_t op, char *sentence) {
  struct text text = text_at(sentence);
  char key[24], value[24];
  const unsigned kind = history->kind[op];
  if (op_is_row(kind)) {
    add_row(&text, history, op);
    return;
  }
  const char *written =
      history_value(history, history_op_value(history, op), value);
  const char *name = history_key(history, history->key[op], key);
  if (kind == OP_WRITE)
    add(&text, "write %s = %s", name, written);
  else if (kind == OP_APPEND)
    add(&text, "append %s to %s", written, name);
  else
    add(&text, "%s %s = ", kind == OP_CAS ? "cas" : "read", name);
  if (op_reads(kind))
    add_seen(&text, history, op);
  if (kind == OP_CAS)
    add(&text, " to %s", written);
}

const char *edge_kind_name(unsigned kind) {
  static const char *const names[] = {[EDGE_SO] = "SO",
                                      [EDGE_RT] = "RT",
                                      [EDGE_WR] = "WR",
                                      [EDGE_WW] = "WW",
                                      [EDGE_RW] = "RW"};
  assert(kind < sizeof names / sizeof *names);
  return names[kind];
}

static void add_instant(struct text *text, uint64_t ns) {
  add(text, "%" PRIu64 ".%09" PRIu64 " s", ns / 1000000000, ns % 1000000000);
}

static void add_write_read(struct text *text, const struct history *history,
                           const struct edge *edge, const char *from,
                           const char *to) {
  add(text, "%s read ", to);
  add_key(text, history, edge->to_op);
  add(text, " = ");
  add_seen(text, history, edge->to_op);
  if (op_is_list(history->kind[edge->to_op])) {
    add(text, ", in which %s had appended ", from);
    add_value(text, history, history_op_value(history, edge->from_op));
  } else
    add(text, ", which %s had written", from);
}

// Where the transaction of `write` read the version that was written by
// `version` (or is SAW_INITIAL) before it wrote its own; UINT32_MAX: nowhere.
static uint32_t read_before(const struct history *history, uint32_t write,
                            uint32_t version) {
  uint32_t op = history->txn_first[history_txn(history, write)];
  while (history->key[op] != history->key[write])
    op++;
  return op_reads(history->kind[op]) && history->saw[op] == version
             ? op
             : UINT32_MAX;
}

// Adds the version that replaced it, at once or after others.
static void add_replacement(struct text *text, const struct history *history,
                            const struct edge *edge, const char *to) {
  const uint32_t version =
      edge->kind == EDGE_RW ? history->saw[edge->from_op] : edge->from_op;
  const bool list = op_is_list(history->kind[edge->to_op]);
  const bool next =
      !list && read_before(history, edge->to_op, version) != UINT32_MAX;
  add(text,
      list                     ? ", to which %s then appended "
      : next                   ? ", which %s replaced by "
      : version == SAW_INITIAL ? ", which was there before %s wrote "
                               : ", a version older than %s's ",
      to);
  add_value(text, history, history_op_value(history, edge->to_op));
}

bool story_edge_is_evident(const struct history *history,
                           const struct edge *edge, uint32_t *read) {
  *read = UINT32_MAX;
  if (edge->kind == EDGE_SO || edge->kind == EDGE_RT || edge->kind == EDGE_WR)
    return true;
  if (op_is_list(history->kind[edge->to_op]))
    return edge->kind == EDGE_RW;
  const uint32_t version =
      edge->kind == EDGE_RW ? history->saw[edge->from_op] : edge->from_op;
  if (version == SAW_INITIAL)
    return true;
  *read = read_before(history, edge->to_op, version);
  return *read != UINT32_MAX;
}

static void add_overwrite(struct text *text, const struct history *history,
                          const struct edge *edge, const char *from,
                          const char *to, const char *did) {
  add(text, "%s %s ", from, did);
  add_key(text, history, edge->from_op);
  add(text, " = ");
  if (op_reads(history->kind[edge->from_op]) && edge->kind == EDGE_RW)
    add_seen(text, history, edge->from_op);
  else
    add_value(text, history, history_op_value(history, edge->from_op));
  add_replacement(text, history, edge, to);
}

void story_edge(const struct history *history, const struct edge *edge,
                char *sentence) {
  struct text text = text_at(sentence);
  char from[32], to[32];
  story_txn(history, edge->from, from);
  story_txn(history, edge->to, to);
  switch ((enum edge_kind)edge->kind) {
  case EDGE_SO:
    add(&text, "%s came before %s in the same session", from, to);
    break;
  case EDGE_RT:
    add(&text, "%s had ended at ", from);
    add_instant(&text, history->end[edge->from]);
    add(&text, " when %s began at ", to);
    add_instant(&text, history->begin[edge->to]);
    break;
  case EDGE_WR:
    add_write_read(&text, history, edge, from, to);
    break;
  case EDGE_WW:
    add_overwrite(&text, history, edge, from, to, "wrote");
    break;
  case EDGE_RW:
    add_overwrite(&text, history, edge, from, to, "read");
    break;
  }
  add(&text, ": so %s must come before %s.", from, to);
}

void story_contradiction(const struct history *history,
                         const struct verdict *verdict, char *sentence) {
  struct text text = text_at(sentence);
  char name[32], title[TITLE_ROOM];
  uint32_t first = verdict->edges[0].from;
  if (verdict->anomaly == ANOMALY_LOST_UPDATE)
    add(&text, "Each of the two should have seen the other's write: whichever "
               "came second, its update is lost.");
  else
    add(&text,
        "So %s would have to come before itself: no order of these "
        "transactions keeps %s.",
        story_txn(history, first, name), title_of(verdict, title));
}

// The phrase that follows "T read key K = V, ", by anomaly; %s is the
// transaction of other_op.
static const char *const read_phrase[ANOMALY_COUNT] = {
    [ANOMALY_THIN_AIR_READ] = "which no transaction ever wrote to it.",
    [ANOMALY_ABORTED_READ] = "which %s wrote, but %s aborted.",
    [ANOMALY_FUTURE_READ] = "which it wrote itself only later.",
    [ANOMALY_NOT_MY_LAST_WRITE] =
        "which it had written itself, but had already overwritten.",
    [ANOMALY_NOT_MY_OWN_WRITE] =
        "though it had itself written another value before.",
    [ANOMALY_INTERMEDIATE_READ] =
        "which %s itself overwrote before it committed.",
    [ANOMALY_NON_REPEATABLE_READS] =
        "though it had read another value of the same key before.",
    [ANOMALY_INCOMPATIBLE_ORDER] = "and %s read the same list, but neither "
                                   "result is a prefix of the other.",
    [ANOMALY_DUPLICATE_ELEMENT] =
        "in which an element stands twice that was appended once.",
    [ANOMALY_LOST_ELEMENT] =
        "which lacks an element that %s saw before an element that is there.",
};

static bool phrase_names_other(const char *phrase) {
  return strstr(phrase, "%s") != NULL;
}

// Replaces each %s of a phrase of the table by the name.
static void add_phrase(struct text *text, const char *phrase,
                       const char *other) {
  for (const char *mark; (mark = strstr(phrase, "%s")); phrase = mark + 2)
    add(text, "%.*s%s", (int)(mark - phrase), phrase, other);
  add(text, "%s", phrase);
}

void story_read(const struct history *history, const struct verdict *verdict,
                char *sentence) {
  struct text text = text_at(sentence);
  char name[32], other[32] = "another transaction";
  const char *phrase = read_phrase[verdict->anomaly];
  assert(phrase);
  if (phrase_names_other(phrase) && verdict->other_op < history->nops)
    story_txn(history, history_txn(history, verdict->other_op), other);
  char operation[STORY_SENTENCE];
  story_operation(history, verdict->op, operation);
  add(&text, "%s %s, ",
      story_txn(history, history_txn(history, verdict->op), name), operation);
  add_phrase(&text, phrase, other);
}
