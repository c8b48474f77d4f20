// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as plain sentences (report/tale/story.h): why one
// transaction comes before another one, and what is wrong.
#include "config.h"

#include "report/tale/story.h"

#include "base/memory.h"
#include "recorder/row_words.h"
#include "report/tale/sentence.h"
#include "report/words/title.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static void add_row_read(struct sentence *text, const struct names *n,
                         const struct edge *edge, const char *from,
                         const char *to) {
  const bool replaces = op_writes(n->history->kind[edge->to_op]);
  const uint32_t told = replaces ? edge->from_op : edge->to_op;
  sentence_add(text, "%s ", replaces ? from : to);
  sentence_add_row(text, n, told);
  if (!replaces) {
    sentence_add(text, ", which %s had written", from);
    return;
  }
  sentence_add(text, ". %s replaced that: it ", to);
  sentence_add_row(text, n, edge->to_op);
}

static void add_write_read(struct sentence *text, const struct names *n,
                           const struct edge *edge, const char *from,
                           const char *to) {
  if (op_is_row(n->history->kind[edge->to_op])) {
    add_row_read(text, n, edge, from, to);
    return;
  }
  if (history_is_of_set(n->history, edge->to_op)) {
    sentence_add(text, "%s ", to);
    sentence_add_set_step(text, n, edge->to_op);
    sentence_add(text, ", which %s had added", from);
    return;
  }
  sentence_add(text, "%s read ", to);
  sentence_add_raw_key(text, n, edge->to_op);
  sentence_add_seen(text, n, edge->to_op);
  if (op_is_list(n->history->kind[edge->to_op])) {
    sentence_add(text, ", and %s had appended ", from);
    sentence_add_written(text, n, edge->from_op);
  } else
    sentence_add(text, ", which %s had written", from);
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
static void add_replacement(struct sentence *text, const struct names *n,
                            const struct edge *edge, const char *to) {
  const struct history *h = n->history;
  const uint32_t version =
      edge->kind == EDGE_RW ? h->saw[edge->from_op] : edge->from_op;
  const bool list = op_is_list(h->kind[edge->to_op]);
  const bool next =
      !list && story_has_read(h, edge->to_op, version) != UINT32_MAX;
  if (op_is_row(h->kind[edge->to_op])) {
    sentence_add(text,
                 next ? ". %s replaced that: it "
                 : version == SAW_INITIAL
                     ? ". That was there before %s "
                     : ". That is older than the row of %s, which ",
                 to);
    sentence_add_row(text, n, edge->to_op);
    return;
  }
  sentence_add(text,
               list                     ? ". %s appended "
               : next                   ? ". %s replaced it by "
               : version == SAW_INITIAL ? ", which was there before %s wrote "
                                        : ", which is older than %s's ",
               to);
  sentence_add_written(text, n, edge->to_op);
  if (list)
    sentence_add(text, " only after that");
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

static void add_overwrite(struct sentence *text, const struct names *n,
                          const struct edge *edge, const char *from,
                          const char *to, const char *verb) {
  if (history_is_of_set(n->history, edge->from_op)) {
    sentence_add(text, "%s ", from);
    sentence_add_set_step(text, n, edge->from_op);
    sentence_add(
        text, edge->kind == EDGE_RW ? ", which %s added" : " before %s did it",
        to);
    return;
  }
  if (op_is_row(n->history->kind[edge->from_op])) {
    sentence_add(text, "%s ", from);
    sentence_add_row(text, n, edge->from_op);
    add_replacement(text, n, edge, to);
    return;
  }
  sentence_add(text, "%s %s ", from, verb);
  sentence_add_raw_key(text, n, edge->from_op);
  if (op_reads(n->history->kind[edge->from_op]) && edge->kind == EDGE_RW)
    sentence_add_seen(text, n, edge->from_op);
  else
    sentence_add_written(text, n, edge->from_op);
  add_replacement(text, n, edge, to);
}

void story_edge(const struct names *n, const struct edge *edge,
                char *sentence) {
  struct sentence text = sentence_at(sentence);
  char from[NAME_ROOM], to[NAME_ROOM];
  assert(edge->from != edge->to);
  names_txn(n, edge->from, from);
  names_txn(n, edge->to, to);
  switch ((enum edge_kind)edge->kind) {
  case EDGE_SO:
    sentence_add(&text, "%s and %s ran one after the other in session %" PRIu32,
                 from, to, history_session(n->history, edge->from));
    break;
  case EDGE_RT:
    sentence_add(&text, "%s had ended when %s began", from, to);
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
  sentence_add(&text, ". So %s comes before %s.", from, to);
}

static char *condition_text(const struct rows *rows,
                            const struct recorded_statement *statement) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  row_words_put_condition(out, rows, statement);
  fclose(out);
  return text;
}

void story_row_edge(const struct names *n, const struct verdict *v, uint32_t i,
                    char *sentence) {
  assert(i < v->nrow_edges);
  const struct edge *edge = &v->row_edges[i];
  const struct rows *rows = v->rows_part->rows;
  if (v->row_statements[i] == UINT32_MAX) {
    story_edge(n, edge, sentence);
    return;
  }
  const bool after = edge->kind == EDGE_WR;
  const uint32_t op = after ? edge->from_op : edge->to_op;
  assert(op < n->history->nops);
  struct sentence text = sentence_at(sentence);
  char from[NAME_ROOM], to[NAME_ROOM], leaver[NAME_ROOM], key[24];
  names_txn(n, edge->from, from);
  names_txn(n, edge->to, to);
  char *condition =
      condition_text(rows, &rows->statements[v->row_statements[i]]);
  sentence_add(&text, "%s looked for %s and did not find row %s. %s ",
               after ? to : from, condition,
               history_key(n->history, n->history->key[op], key),
               after ? from : to);
  sentence_add_row(&text, n, op);
  if (v->row_leavers[i] != UINT32_MAX)
    sentence_add(
        &text,
        ". %s, which took it away again, found what %s wrote and comes after "
        "%s",
        names_txn(n, v->row_leavers[i], leaver), after ? to : from,
        after ? to : from);
  sentence_add(&text, ". So %s comes before %s.", from, to);
  free(condition);
}

// A transaction changed a row over another one's change, which it had not seen
// when it read the row.
static void add_loss(struct sentence *text, const struct names *n,
                     const struct verdict *v) {
  const struct history *h = n->history;
  char last[NAME_ROOM], first[NAME_ROOM];
  sentence_add(
      text,
      "Each would have to come before the other. %s wrote last, and had read "
      "the row before %s changed it: unless the database calculated what it "
      "wrote, the change of %s is lost.",
      names_txn(n, history_txn(h, v->op), last),
      names_txn(n, history_txn(h, h->saw[v->op]), first), first);
}

void story_contradiction(const struct names *n, const struct verdict *verdict,
                         char *sentence) {
  struct sentence text = sentence_at(sentence);
  char name[NAME_ROOM], title[TITLE_ROOM];
  title_of(verdict, title);
  assert(verdict->nedges + verdict->nrow_edges > 0);
  if (verdict->anomaly == ANOMALY_LOST_UPDATE && verdict->op != UINT32_MAX)
    add_loss(&text, n, verdict);
  else if (verdict->anomaly == ANOMALY_LOST_UPDATE)
    sentence_add(&text,
                 "Each would have to come before the other. Whichever came "
                 "last, the change of the other one is lost.");
  else if (verdict->nedges + verdict->nrow_edges == 2)
    sentence_add(
        &text,
        "Each would have to come before the other: no order of the two keeps "
        "%s.",
        title);
  else
    sentence_add(&text,
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

// A statement that says no rows wrote what was read: no operation did.
static const char *const rolled_back_phrase =
    "which a transaction wrote that aborted.";

static const char *phrase_of(const struct history *h,
                             const struct verdict *verdict) {
  if (verdict->anomaly == ANOMALY_ABORTED_READ && verdict->other_op >= h->nops)
    return rolled_back_phrase;
  const char *const *of_set =
      story_misses(h, verdict->op) ? missed_phrase : found_phrase;
  return history_is_of_set(h, verdict->op) && of_set[verdict->anomaly]
             ? of_set[verdict->anomaly]
             : read_phrase[verdict->anomaly];
}

static bool phrase_names_other(const char *phrase) {
  return strstr(phrase, "%s") != NULL;
}

// Replaces each %s of a phrase of the table by the name.
static void add_phrase(struct sentence *text, const char *phrase,
                       const char *other) {
  for (const char *mark; (mark = strstr(phrase, "%s")); phrase = mark + 2)
    sentence_add(text, "%.*s%s", (int)(mark - phrase), phrase, other);
  sentence_add(text, "%s", phrase);
}

void story_read(const struct names *n, const struct verdict *verdict,
                char *sentence) {
  struct sentence text = sentence_at(sentence);
  const struct history *h = n->history;
  char name[NAME_ROOM], other[NAME_ROOM] = "another transaction";
  assert(verdict->op < h->nops);
  const char *phrase = phrase_of(h, verdict);
  assert(phrase);
  if (phrase_names_other(phrase) && verdict->other_op < h->nops)
    names_txn(n, history_txn(h, verdict->other_op), other);
  char operation[STORY_SENTENCE];
  story_operation(n, verdict->op, operation);
  sentence_add(&text, "%s %s, ",
               names_txn(n, history_txn(h, verdict->op), name), operation);
  add_phrase(&text, phrase, other);
}
