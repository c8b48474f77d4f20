// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as plain sentences (report/tale/story.h).  A sentence that
// would be too long (a read of a long list) ends in dots.
#include "config.h"

#include "report/tale/story.h"

#include "base/memory.h"
#include "report/tale/row_label.h"
#include "report/words/title.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
add_story_text(struct text *text, const char *format, ...) {
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

static void add_key(struct text *text, const struct names *n, uint32_t op) {
  char buffer[NAME_ROOM];
  add_story_text(text, "%s", names_key(n, n->history->key[op], buffer));
}

static void add_written(struct text *text, const struct names *n, uint32_t op) {
  char buffer[NAME_ROOM];
  add_story_text(text, "%s", names_written(n, op, buffer));
}

// Elements of a list in a row that may be left out.
enum { FEWEST_LEFT_OUT = 6 };

// Do the lists of two reads part at element `i`?
static bool part_at(const struct history *h, uint32_t list, uint32_t other,
                    uint32_t i) {
  const uint32_t *a = h->element + h->list[list].first;
  const uint32_t *b = h->element + h->list[other].first;
  const uint32_t nb = history_list_end(h, other) - h->list[other].first;
  uint32_t same = 0;
  while (same < i && same < nb && a[same] == b[same])
    same++;
  return same == i && (i >= nb || a[i] != b[i]);
}

// Does another list of the transactions that have a name part from it here?
static bool is_where_lists_part(const struct names *n, uint32_t op,
                                uint32_t i) {
  const struct history *h = n->history;
  for (uint32_t t = 0; t < n->ntxns; t++)
    for (uint32_t o = h->txn_first[n->txns[t]];
         o < h->txn_first[n->txns[t] + 1]; o++)
      if (h->kind[o] == OP_READ_LIST && h->key[o] == h->key[op] &&
          part_at(h, h->saw[op], h->saw[o], i))
        return true;
  return false;
}

static bool stands_twice(const struct history *h, uint32_t list, uint32_t at) {
  uint32_t count = 0;
  for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++)
    count += h->element[i] == h->element[at];
  return count > 1;
}

// Does the counterexample depend on element `at`, or does a reader look for it?
static bool is_of_interest(const struct names *n, uint32_t op, uint32_t at) {
  const struct history *h = n->history;
  const uint32_t list = h->saw[op], i = at - h->list[list].first;
  const uint32_t writer = h->element[at];
  return !i || at + 1 == history_list_end(h, list) || writer >= h->nops ||
         n->txn_place[history_txn(h, writer)] || stands_twice(h, list, at) ||
         is_where_lists_part(n, op, i);
}

// How many elements from `at` on are left out of a long list.
static uint32_t count_left_out(const struct names *n, uint32_t op,
                               uint32_t at) {
  const uint32_t end = history_list_end(n->history, n->history->saw[op]);
  uint32_t next = at;
  while (next < end && !is_of_interest(n, op, next))
    next++;
  return next - at >= FEWEST_LEFT_OUT && !n->raw ? next - at : 0;
}

static void add_story_list(struct text *text, const struct names *n,
                           uint32_t op) {
  const struct history *h = n->history;
  char buffer[NAME_ROOM];
  const uint32_t list = h->saw[op], first = h->list[list].first;
  add_story_text(text, "[");
  for (uint32_t i = first; i < history_list_end(h, list); i++) {
    const uint32_t left_out = count_left_out(n, op, i);
    if (left_out)
      add_story_text(text, " ... %" PRIu32 " more ...", left_out);
    i += left_out;
    add_story_text(text, "%s%s", i > first ? " " : "",
                   names_seen(n, h->key[op], h->element[i],
                              history_element_value(h, i), buffer));
  }
  add_story_text(text, "]");
}

// The value that a compare-and-set found has no place of its own.
static bool is_unknown(const struct names *n, uint32_t op) {
  return n->raw_rows && n->history->kind[op] == OP_CAS &&
         n->history->saw[op] >= n->history->nops;
}

// Adds the value that a read saw.
static void add_story_seen(struct text *text, const struct names *n,
                           uint32_t op) {
  const struct history *h = n->history;
  const uint32_t saw = h->saw[op];
  char buffer[NAME_ROOM];
  if (h->kind[op] == OP_READ_LIST)
    add_story_list(text, n, op);
  else if (h->kind[op] == OP_READ && saw >= h->nops &&
           history_op_value(h, op) == VALUE_NOBODYS)
    add_story_text(text, "nothing");
  else if (is_unknown(n, op))
    add_story_text(text, saw == SAW_INITIAL ? "the initial value"
                                            : "a value that nobody wrote");
  else
    add_story_text(text, "%s",
                   names_seen(n, h->key[op], saw,
                              h->kind[op] == OP_READ ? history_op_value(h, op)
                              : saw < h->nops        ? history_op_value(h, saw)
                                                     : 0,
                              buffer));
}

// Raw values need the row beside them: "key 5 = 71".
static void add_row_and(struct text *text, const struct names *n, uint32_t op) {
  if (!n->raw_rows)
    return;
  add_story_text(text, "key ");
  add_key(text, n, op);
  add_story_text(text, " = ");
}

// The verbs for what is done to a set.
struct set_words {
  const char *add, *find, *read;
};
static const struct set_words did = {"added", "found", "read"};
static const struct set_words label = {"add", "find", "read"};

static bool is_missed(const struct history *h, uint32_t op) {
  return op_reads(h->kind[op]) && history_op_value(h, op) == VALUE_NOBODYS;
}

// Adds what an operation did to an element of a set, or found of it.
static void add_of_set(struct text *text, const struct names *n, uint32_t op,
                       const struct set_words *words) {
  char key[NAME_ROOM], value[NAME_ROOM];
  const char *set = names_key(n, n->history->key[op], key);
  const char *element = names_element(n, n->history->key[op], value);
  if (op_writes(n->history->kind[op]))
    add_story_text(text, "%s %s to %s", words->add, element, set);
  else if (is_missed(n->history, op))
    add_story_text(text, "%s %s without %s", words->read, set, element);
  else
    add_story_text(text, "%s %s in %s", words->find, element, set);
}

// Columns of a row that are told.
enum { MOST_COLUMNS = 8, FEW_COLUMNS = 2 };

// Which columns are told: those that differ, where a reader would lose sight of
// them among the others.
static uint64_t columns_told(const struct names *n, uint32_t op) {
  const struct history *h = n->history;
  const uint32_t table = h->rows->key_table[h->key[op]];
  const bool few = h->rows->tables[table].ncolumns < FEW_COLUMNS;
  return few || n->raw || !n->columns[table] || h->kind[op] == OP_ROW_INSERT
             ? UINT64_MAX
             : n->columns[table];
}

static void add_columns(struct text *text, const struct names *n, uint32_t op,
                        const int64_t *image) {
  const struct history *h = n->history;
  const struct row_table *table =
      &h->rows->tables[h->rows->key_table[h->key[op]]];
  const uint64_t told = columns_told(n, op);
  uint32_t all = 0, shown = 0;
  for (uint32_t i = 0; i < table->ncolumns; i++)
    all += told >> i & 1;
  const uint32_t most = n->raw || all <= MOST_COLUMNS ? all : MOST_COLUMNS - 1;
  for (uint32_t i = 0; i < table->ncolumns && shown < most; i++)
    if (told >> i & 1)
      add_story_text(text, "%s%s = %" PRId64,
                     shown++                        ? ", "
                     : h->kind[op] == OP_ROW_UPDATE ? " to "
                                                    : " with ",
                     table->columns[i], image[i]);
  if (shown < all)
    add_story_text(text, " and %" PRIu32 " more columns", all - shown);
}

// Adds what a statement did to a row.
static void add_story_row(struct text *text, const struct names *n,
                          uint32_t op) {
  const struct history *h = n->history;
  const unsigned kind = h->kind[op];
  const uint32_t saw = h->saw[op];
  const uint32_t version = op_writes(kind)      ? op
                           : saw < h->nops      ? saw
                           : saw == SAW_INITIAL ? h->nops + h->key[op]
                                                : UINT32_MAX;
  const int64_t *image =
      version == UINT32_MAX ? NULL : rows_version(h, version);
  char key[24];
  add_story_text(text, "%s row %s",
                 kind == OP_ROW          ? "found"
                 : kind == OP_ROW_INSERT ? "inserted"
                 : kind == OP_ROW_UPDATE ? "changed"
                                         : "deleted",
                 history_key(h, h->key[op], key));
  if (image)
    add_columns(text, n, op, image);
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
  struct text text = text_at(sentence);
  const unsigned kind = n->history->kind[op];
  if (history_is_of_set(n->history, op)) {
    add_of_set(&text, n, op, &did);
    return;
  }
  if (op_is_row(kind)) {
    add_story_row(&text, n, op);
    return;
  }
  add_story_text(&text, kind == OP_WRITE    ? "wrote "
                        : kind == OP_APPEND ? "appended "
                        : kind == OP_CAS    ? "changed "
                                            : "read ");
  if (kind == OP_APPEND) {
    add_written(&text, n, op);
    add_story_text(&text, n->raw_rows ? " to key " : " to ");
    add_key(&text, n, op);
    return;
  }
  if (kind == OP_CAS && n->raw_rows) {
    add_story_text(&text, "key ");
    add_key(&text, n, op);
    add_story_text(&text, " from ");
  } else {
    add_row_and(&text, n, op);
  }
  if (op_reads(kind))
    add_story_seen(&text, n, op);
  if (kind == OP_CAS)
    add_story_text(&text, " to ");
  if (op_writes(kind))
    add_written(&text, n, op);
}

void story_label(const struct names *n, uint32_t op, char *sentence) {
  struct text text = text_at(sentence);
  const unsigned kind = n->history->kind[op];
  if (history_is_of_set(n->history, op)) {
    add_of_set(&text, n, op, &label);
    return;
  }
  if (op_is_row(kind)) {
    row_label(n, op, sentence, STORY_SENTENCE);
    return;
  }
  add_story_text(&text, kind == OP_WRITE    ? "write "
                        : kind == OP_APPEND ? "append "
                        : kind == OP_CAS    ? "cas "
                                            : "read ");
  if (n->raw_rows && kind != OP_APPEND) {
    add_key(&text, n, op);
    add_story_text(&text, " = ");
  }
  if (op_reads(kind))
    add_story_seen(&text, n, op);
  if (kind == OP_CAS)
    add_story_text(&text, " to ");
  if (op_writes(kind))
    add_written(&text, n, op);
  if (kind == OP_APPEND && n->raw_rows) {
    add_story_text(&text, " to ");
    add_key(&text, n, op);
  }
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

// Adds that a statement found, or replaced, what another transaction wrote.
static void add_row_read(struct text *text, const struct names *n,
                         const struct edge *edge, const char *from,
                         const char *to) {
  const bool replaces = op_writes(n->history->kind[edge->to_op]);
  const uint32_t told = replaces ? edge->from_op : edge->to_op;
  add_story_text(text, "%s ", replaces ? from : to);
  add_story_row(text, n, told);
  if (!replaces) {
    add_story_text(text, ", which %s had written", from);
    return;
  }
  add_story_text(text, ". %s replaced that: it ", to);
  add_story_row(text, n, edge->to_op);
}

static void add_write_read(struct text *text, const struct names *n,
                           const struct edge *edge, const char *from,
                           const char *to) {
  if (op_is_row(n->history->kind[edge->to_op])) {
    add_row_read(text, n, edge, from, to);
    return;
  }
  if (history_is_of_set(n->history, edge->to_op)) {
    add_story_text(text, "%s ", to);
    add_of_set(text, n, edge->to_op, &did);
    add_story_text(text, ", which %s had added", from);
    return;
  }
  add_story_text(text, "%s read ", to);
  add_row_and(text, n, edge->to_op);
  add_story_seen(text, n, edge->to_op);
  if (op_is_list(n->history->kind[edge->to_op])) {
    add_story_text(text, ", and %s had appended ", from);
    add_written(text, n, edge->from_op);
  } else
    add_story_text(text, ", which %s had written", from);
}

// Where the transaction of `write` read the version that was written by
// `version` (or is SAW_INITIAL) before it wrote its own; UINT32_MAX: nowhere.
static uint32_t story_has_read(const struct history *history, uint32_t write,
                               uint32_t version) {
  uint32_t op = history->txn_first[history_txn(history, write)];
  while (history->key[op] != history->key[write])
    op++;
  if (op_is_row(history->kind[write]) && op_reads(history->kind[write]))
    op = write; // a row tells itself what it replaced
  return op_reads(history->kind[op]) && history->saw[op] == version
             ? op
             : UINT32_MAX;
}

// Adds the version that replaced it, at once or after others.
static void add_replacement(struct text *text, const struct names *n,
                            const struct edge *edge, const char *to) {
  const struct history *h = n->history;
  const uint32_t version =
      edge->kind == EDGE_RW ? h->saw[edge->from_op] : edge->from_op;
  const bool list = op_is_list(h->kind[edge->to_op]);
  const bool next =
      !list && story_has_read(h, edge->to_op, version) != UINT32_MAX;
  if (op_is_row(h->kind[edge->to_op])) {
    add_story_text(text,
                   next ? ". %s replaced that: it "
                   : version == SAW_INITIAL
                       ? ". That was there before %s "
                       : ". That is older than the row of %s, which ",
                   to);
    add_story_row(text, n, edge->to_op);
    return;
  }
  add_story_text(text,
                 list                     ? ". %s appended "
                 : next                   ? ". %s replaced it by "
                 : version == SAW_INITIAL ? ", which was there before %s wrote "
                                          : ", which is older than %s's ",
                 to);
  add_written(text, n, edge->to_op);
  if (list)
    add_story_text(text, " only after that");
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
  *read = story_has_read(history, edge->to_op, version);
  return *read != UINT32_MAX;
}

static void add_overwrite(struct text *text, const struct names *n,
                          const struct edge *edge, const char *from,
                          const char *to, const char *verb) {
  if (history_is_of_set(n->history, edge->from_op)) {
    add_story_text(text, "%s ", from);
    add_of_set(text, n, edge->from_op, &did);
    add_story_text(
        text, edge->kind == EDGE_RW ? ", which %s added" : " before %s did it",
        to);
    return;
  }
  if (op_is_row(n->history->kind[edge->from_op])) {
    add_story_text(text, "%s ", from);
    add_story_row(text, n, edge->from_op);
    add_replacement(text, n, edge, to);
    return;
  }
  add_story_text(text, "%s %s ", from, verb);
  add_row_and(text, n, edge->from_op);
  if (op_reads(n->history->kind[edge->from_op]) && edge->kind == EDGE_RW)
    add_story_seen(text, n, edge->from_op);
  else
    add_written(text, n, edge->from_op);
  add_replacement(text, n, edge, to);
}

void story_edge(const struct names *n, const struct edge *edge,
                char *sentence) {
  struct text text = text_at(sentence);
  char from[NAME_ROOM], to[NAME_ROOM];
  names_txn(n, edge->from, from);
  names_txn(n, edge->to, to);
  switch ((enum edge_kind)edge->kind) {
  case EDGE_SO:
    add_story_text(&text,
                   "%s and %s ran one after the other in session %" PRIu32,
                   from, to, history_session(n->history, edge->from));
    break;
  case EDGE_RT:
    add_story_text(&text, "%s had ended when %s began", from, to);
    break;
  case EDGE_WR:
    add_write_read(&text, n, edge, from, to);
    break;
  case EDGE_WW:
    add_overwrite(&text, n, edge, from, to,
                  op_is_list(n->history->kind[edge->from_op]) ? "appended"
                                                              : "wrote");
    break;
  case EDGE_RW:
    add_overwrite(&text, n, edge, from, to, "read");
    break;
  }
  add_story_text(&text, ". So %s comes before %s.", from, to);
}

static char *condition_text(const struct rows *rows,
                            const struct recorded_statement *statement) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  rows_write_condition(out, rows, statement);
  fclose(out);
  return text;
}

void story_row_edge(const struct names *n, const struct verdict *v, uint32_t i,
                    char *sentence) {
  const struct edge *edge = &v->row_edges[i];
  const struct rows *rows = v->rows_part->rows;
  if (v->row_statements[i] == UINT32_MAX) {
    story_edge(n, edge, sentence);
    return;
  }
  const bool after = edge->kind == EDGE_WR;
  const uint32_t op = after ? edge->from_op : edge->to_op;
  struct text text = text_at(sentence);
  char from[NAME_ROOM], to[NAME_ROOM], leaver[NAME_ROOM], key[24];
  names_txn(n, edge->from, from);
  names_txn(n, edge->to, to);
  char *condition =
      condition_text(rows, &rows->statements[v->row_statements[i]]);
  add_story_text(&text, "%s looked for %s and did not find row %s. %s ",
                 after ? to : from, condition,
                 history_key(n->history, n->history->key[op], key),
                 after ? from : to);
  add_story_row(&text, n, op);
  if (v->row_leavers[i] != UINT32_MAX)
    add_story_text(
        &text,
        ". %s, which took it away again, found what %s wrote and comes after "
        "%s",
        names_txn(n, v->row_leavers[i], leaver), after ? to : from,
        after ? to : from);
  add_story_text(&text, ". So %s comes before %s.", from, to);
  free(condition);
}

// A transaction changed a row over another one's change, which it had not seen
// when it read the row.
static void add_loss(struct text *text, const struct names *n,
                     const struct verdict *v) {
  const struct history *h = n->history;
  char last[NAME_ROOM], first[NAME_ROOM];
  add_story_text(
      text,
      "Each would have to come before the other. %s wrote last, and had read "
      "the row before %s changed it: the change of %s is lost.",
      names_txn(n, history_txn(h, v->op), last),
      names_txn(n, history_txn(h, h->saw[v->op]), first), first);
}

void story_contradiction(const struct names *n, const struct verdict *verdict,
                         char *sentence) {
  struct text text = text_at(sentence);
  char name[NAME_ROOM], title[TITLE_ROOM];
  title_of(verdict, title);
  if (verdict->anomaly == ANOMALY_LOST_UPDATE && verdict->op != UINT32_MAX)
    add_loss(&text, n, verdict);
  else if (verdict->anomaly == ANOMALY_LOST_UPDATE)
    add_story_text(&text,
                   "Each would have to come before the other. Whichever came "
                   "last, the change of the other one is lost.");
  else if (verdict->nedges + verdict->nrow_edges == 2)
    add_story_text(
        &text,
        "Each would have to come before the other: no order of the two keeps "
        "%s.",
        title);
  else
    add_story_text(&text,
                   "So %s would have to come before itself: no order of these "
                   "transactions keeps %s.",
                   names_txn(n,
                             verdict->nedges ? verdict->edges[0].from
                                             : verdict->row_edges[0].from,
                             name),
                   title);
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
        "though it had read another value there before.",
    [ANOMALY_LOST_UPDATE] =
        "though it had read another version of the row before.",
    [ANOMALY_INCOMPATIBLE_ORDER] = "and %s read the same list, but neither "
                                   "result is a prefix of the other.",
    [ANOMALY_DUPLICATE_ELEMENT] =
        "in which an element stands twice that was appended once.",
    [ANOMALY_LOST_ELEMENT] =
        "which lacks an element that %s saw before an element that is there.",
};

// Phrases for an element of a set that was found, and for one that was not.
static const char *const found_phrase[ANOMALY_COUNT] = {
    [ANOMALY_THIN_AIR_READ] = "which no transaction ever added.",
    [ANOMALY_ABORTED_READ] = "which %s added, but %s aborted.",
    [ANOMALY_FUTURE_READ] = "which it added itself only later.",
    [ANOMALY_NON_REPEATABLE_READS] = "though it had not found it before.",
};
static const char *const missed_phrase[ANOMALY_COUNT] = {
    [ANOMALY_THIN_AIR_READ] = "though it was there at first.",
    [ANOMALY_NOT_MY_OWN_WRITE] = "though it had added it itself before.",
    [ANOMALY_NON_REPEATABLE_READS] = "though it had found it before.",
};

static const char *phrase_of(const struct history *h,
                             const struct verdict *verdict) {
  const char *const *of_set =
      is_missed(h, verdict->op) ? missed_phrase : found_phrase;
  return history_is_of_set(h, verdict->op) && of_set[verdict->anomaly]
             ? of_set[verdict->anomaly]
             : read_phrase[verdict->anomaly];
}

static bool phrase_names_other(const char *phrase) {
  return strstr(phrase, "%s") != NULL;
}

// Replaces each %s of a phrase of the table by the name.
static void add_phrase(struct text *text, const char *phrase,
                       const char *other) {
  for (const char *mark; (mark = strstr(phrase, "%s")); phrase = mark + 2)
    add_story_text(text, "%.*s%s", (int)(mark - phrase), phrase, other);
  add_story_text(text, "%s", phrase);
}

void story_read(const struct names *n, const struct verdict *verdict,
                char *sentence) {
  struct text text = text_at(sentence);
  const struct history *h = n->history;
  char name[NAME_ROOM], other[NAME_ROOM] = "another transaction";
  const char *phrase = phrase_of(h, verdict);
  assert(phrase);
  if (phrase_names_other(phrase) && verdict->other_op < h->nops)
    names_txn(n, history_txn(h, verdict->other_op), other);
  char operation[STORY_SENTENCE];
  story_operation(n, verdict->op, operation);
  add_story_text(&text, "%s %s, ",
                 names_txn(n, history_txn(h, verdict->op), name), operation);
  add_phrase(&text, phrase, other);
}
