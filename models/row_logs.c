// SPDX-License-Identifier: GPL-3.0-or-later
// Makes logs of rows (models/row_logs.h).  What is seen of a row, and which log
// it belongs to, is a sighting.
#include "config.h"

#include "models/row_logs.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A row of a part, by its key.
struct known_row {
  int64_t id;
  bool written; // by a transaction that committed
};

// ---- Sightings

static void see_in_part(struct row_logs *m, uint64_t part, uint32_t rank,
                        uint32_t op) {
  const uint32_t number = number_map_id(&m->parts, part);
  ARRAY_RESERVE(m->sightings, m->count, m->room);
  m->sightings[m->count++] = (struct sighting){number, rank, op};
}

// The columns of the row as the operation wrote or saw it.  A history has those
// that were written: what was seen is the version whose stamp came back.
static const int64_t *columns_of_op(const struct history *h, uint32_t op) {
  const uint32_t saw = h->saw[op];
  if (h->kind[op] != OP_ROW)
    return rows_image(h->rows, h->rows->image[op]);
  if (saw == SAW_INITIAL)
    return rows_version(h, h->nops + h->key[op]);
  return saw < h->nops ? rows_version(h, saw) : NULL;
}

static void see_row(struct row_logs *m, uint32_t rank, uint32_t op) {
  const struct rows *rows = m->history->rows;
  const int64_t *image = columns_of_op(m->history, op);
  if (!image)
    return;
  const uint64_t part[] = {[PART_NONE] = 0,
                           [PART_KEY] =
                               (uint64_t)rows->key_id[m->history->key[op]],
                           [PART_BATCH] = (uint64_t)image[0]};
  see_in_part(m, part[m->test->part], rank, op);
}

// A condition names the part by its first parameter; without parameters it is
// about all parts.
static void see_statement(struct row_logs *m, uint32_t rank, uint32_t s,
                          bool all) {
  const struct rows *rows = m->history->rows;
  const struct recorded_statement *statement = &rows->statements[s];
  const bool bound =
      statement_has_condition(statement->sort) &&
      rows->templates[statement->condition].predicate.nparameters;
  if (!all)
    for (uint32_t op = statement->first; op < statement->end; op++)
      see_row(m, rank, op);
  if (!statement_has_condition(statement->sort))
    return;
  if (!all && (bound || m->test->part == PART_NONE))
    see_in_part(m,
                m->test->part == PART_NONE
                    ? 0
                    : (uint64_t)rows->parameters[statement->parameters],
                rank, NOTHING_SEEN);
  for (uint32_t p = 0; all && !bound && p < m->parts.count; p++)
    see_in_part(m, m->parts.numbers[p], rank, NOTHING_SEEN);
}

static void see_statements(struct row_logs *m, bool all) {
  const struct rows *rows = m->history->rows;
  for (uint32_t rank = 0; rank < m->history->ntxns; rank++) {
    const uint32_t t = m->txns[rank];
    for (uint32_t s = rows->txn_statement[t]; s < rows->txn_statement[t + 1];
         s++)
      see_statement(m, rank, s, all);
  }
}

static int by_place_in_log(const void *a, const void *b) {
  const struct sighting *x = a, *y = b;
  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  return (x->op > y->op) - (x->op < y->op);
}

static int by_first(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0] ? 1 : -1) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void rank_transactions(struct row_logs *m) {
  const struct history *h = m->history;
  uint64_t(*begun)[2] = xmalloc((h->ntxns + 1) * sizeof *begun);
  m->txns = xmalloc((h->ntxns + 1) * sizeof *m->txns);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    begun[t][0] = history_began(h, t);
    begun[t][1] = t;
  }
  qsort(begun, h->ntxns, sizeof *begun, by_first);
  for (uint32_t t = 0; t < h->ntxns; t++)
    m->txns[t] = (uint32_t)begun[t][1];
  free(begun);
}

void row_logs_see(struct row_logs *m) {
  rank_transactions(m);
  see_statements(m, false);
  if (m->test->part != PART_NONE)
    see_statements(m, true);
  if (m->count)
    qsort(m->sightings, m->count, sizeof *m->sightings, by_place_in_log);
}

// ---- Values of a log

static log_id put_log_value(struct row_logs *m, struct log_value value) {
  struct log *log = &m->log;
  ARRAY_RESERVE(log->values, log->nvalues, log->values_room);
  log->values[log->nvalues] = value;
  return log->nvalues++;
}

static log_id put_log_number(struct row_logs *m, int64_t number) {
  return put_log_value(
      m, (struct log_value){.kind = LOG_INTEGER, .integer = number});
}

static log_id put_nil(struct row_logs *m) {
  return put_log_value(m, (struct log_value){.kind = LOG_NIL});
}

static log_id put_log_word(struct row_logs *m, const char *word) {
  return put_log_value(
      m, (struct log_value){
             .kind = LOG_TEXT,
             .text = text_map_id(&m->log.texts, word, strlen(word))});
}

// A collection that is filled from its first element on.
struct filling {
  log_id whole, last;
};

static struct filling start_filling(struct row_logs *m, enum log_kind kind) {
  return (struct filling){
      .whole = put_log_value(m, (struct log_value){.kind = kind})};
}

static void fill_log_rows(struct row_logs *m, struct filling *f,
                          log_id element) {
  struct log_value *values = m->log.values;
  if (f->last)
    values[f->last].next = element;
  else
    values[f->whole].first = element;
  values[f->whole].count++;
  f->last = element;
}

// ---- Operations of a log

static int64_t id_of(const struct row_logs *m, const struct sighting *s) {
  return m->history->rows->key_id[m->history->key[s->op]];
}

// The sightings of one transaction in a part.
struct visit {
  const struct sighting *first, *end; // those of rows
  uint32_t txn;
  bool writes;
};

static bool saw_id(const struct row_logs *m, const struct visit *v,
                   int64_t id) {
  for (const struct sighting *s = v->first; s < v->end; s++)
    if (id_of(m, s) == id)
      return true;
  return false;
}

static log_id put_look(struct row_logs *m, const char *word, int64_t id,
                       bool seen) {
  struct filling look = start_filling(m, LOG_LIST);
  fill_log_rows(m, &look, put_log_word(m, word));
  fill_log_rows(m, &look, put_log_number(m, id));
  fill_log_rows(m, &look, seen ? put_log_number(m, 1) : put_nil(m));
  return look.whole;
}

static log_id put_looks(struct row_logs *m, const struct visit *v) {
  struct filling looks = start_filling(m, LOG_LIST);
  if (v->writes)
    fill_log_rows(m, &looks, put_look(m, ":w", id_of(m, v->first), true));
  for (uint32_t i = 0; !v->writes && i < m->nrows; i++)
    fill_log_rows(
        m, &looks,
        put_look(m, ":r", m->rows[i].id, saw_id(m, v, m->rows[i].id)));
  return looks.whole;
}

// Parts whose write did not commit may be missing, and say nothing then.
static log_id put_parts(struct row_logs *m, const struct visit *v,
                        uint64_t batch) {
  struct filling parts = start_filling(m, LOG_LIST);
  for (uint32_t i = m->nrows; i-- > 0;) {
    const bool seen = saw_id(m, v, m->rows[i].id);
    if (seen)
      fill_log_rows(m, &parts, put_log_number(m, m->rows[i].id));
    else if (m->rows[i].written)
      fill_log_rows(m, &parts, put_nil(m));
  }
  struct filling pair = start_filling(m, LOG_LIST);
  fill_log_rows(m, &pair, put_log_number(m, (int64_t)batch));
  fill_log_rows(m, &pair, parts.whole);
  return pair.whole;
}

static log_id put_log_list(struct row_logs *m, const struct visit *v) {
  const enum value value = m->test->value;
  struct filling list =
      start_filling(m, value == VALUE_BALANCES ? LOG_MAP : LOG_LIST);
  for (const struct sighting *s = v->first; s < v->end; s++) {
    if (value != VALUE_NUMBERS)
      fill_log_rows(m, &list, put_log_number(m, id_of(m, s)));
    if (value != VALUE_KEYS)
      fill_log_rows(m, &list,
                    put_log_number(m, columns_of_op(m->history, s->op)[0]));
  }
  return list.whole;
}

// The value, which is there if a row was, or a list may be empty.
static log_id put_visit(struct row_logs *m, const struct visit *v,
                        uint64_t part) {
  const bool empty = v->first == v->end;
  const enum value value = m->test->value;
  if (empty && (v->writes || value == VALUE_NUMBER))
    return LOG_NOTHING;
  if (value == VALUE_LOOKS)
    return m->nrows ? put_looks(m, v) : LOG_NOTHING;
  if (value == VALUE_NUMBER)
    return put_log_number(
        m, v->writes ? 1 : columns_of_op(m->history, v->first->op)[0]);
  if (!v->writes && value == VALUE_PARTS)
    return put_parts(m, v, part);
  if (!v->writes || value == VALUE_BALANCES)
    return put_log_list(m, v);
  return put_log_number(m, value == VALUE_NUMBERS
                               ? columns_of_op(m->history, v->first->op)[0]
                               : id_of(m, v->first));
}

// Where a transaction ended and another one began at one number of the clock,
// neither is said to come before the other.
static uint64_t end_of_row_txn(const struct history *h, uint32_t t) {
  const uint64_t end = history_ended(h, t);
  return end == TIME_UNKNOWN ? LOG_NEVER : 2 * end + 1;
}

static void add_row_op(struct row_logs *m, const char *function, log_id value,
                       uint32_t txn) {
  struct log *log = &m->log;
  const struct history *h = m->history;
  const uint32_t n = log->nops;
  struct log_op op = {.f = text_map_id(&log->texts, function, strlen(function)),
                      .process = UINT64_MAX,
                      .outcome = OUTCOME_OK,
                      .line = n,
                      .asked = value,
                      .answered = value};
  if (txn != AT_FIRST) {
    op.process = history_session(h, txn);
    op.invoked = 2 * history_began(h, txn);
    op.completed = end_of_row_txn(h, txn);
    op.outcome = h->outcome[txn];
  }
  ARRAY_RESERVE(log->ops, log->nops, log->ops_room);
  ARRAY_RESERVE(m->txn_of, n, m->txn_of_room);
  log->ops[log->nops++] = op;
  m->txn_of[n] = txn;
}

static bool is_writer(const struct history *h, uint32_t t) {
  const struct rows *rows = h->rows;
  for (uint32_t s = rows->txn_statement[t]; s < rows->txn_statement[t + 1]; s++)
    if (statement_writes(rows->statements[s].sort))
      return true;
  return false;
}

static bool writes_row(const struct row_logs *m, const struct sighting *s) {
  return s->op != NOTHING_SEEN && m->history->kind[s->op] != OP_ROW;
}

// Keeps the sightings of rows that count: what a writer wrote, what a reader
// read.  They are before those of nothing.
static struct visit make_visit(const struct row_logs *m,
                               const struct sighting *first,
                               const struct sighting *end) {
  struct visit v = {.first = first, .end = first, .txn = m->txns[first->rank]};
  v.writes = is_writer(m->history, v.txn);
  while (v.end < end && v.end->op != NOTHING_SEEN)
    v.end++;
  while (v.writes && v.first < v.end && !writes_row(m, v.first))
    v.first++;
  return v;
}

static int by_log_id(const void *a, const void *b) {
  const struct known_row *x = a, *y = b;
  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  return x->written < y->written ? 1 : -1;
}

// The rows that anybody wrote to the part, or saw in it, once each.
static void know_rows(struct row_logs *m, const struct sighting *first,
                      const struct sighting *end) {
  m->nrows = 0;
  for (const struct sighting *s = first; s < end; s++) {
    if (s->op == NOTHING_SEEN)
      continue;
    ARRAY_RESERVE(m->rows, m->nrows, m->rows_room);
    m->rows[m->nrows++] = (struct known_row){
        id_of(m, s), writes_row(m, s) &&
                         m->history->outcome[m->txns[s->rank]] == OUTCOME_OK};
  }
  if (!m->nrows)
    return;
  qsort(m->rows, m->nrows, sizeof *m->rows, by_log_id);
  uint32_t kept = 1;
  for (uint32_t i = 1; i < m->nrows; i++)
    if (m->rows[i].id != m->rows[kept - 1].id)
      m->rows[kept++] = m->rows[i];
  m->nrows = kept;
}

// The balances before any transfer.
static void put_first_balances(struct row_logs *m) {
  const struct rows *rows = m->history->rows;
  struct filling map = start_filling(m, LOG_MAP);
  for (uint32_t k = 0; k < m->history->nkeys; k++) {
    const int64_t *image = rows_image(rows, rows->key_image[k]);
    if (!image)
      continue;
    fill_log_rows(m, &map, put_log_number(m, rows->key_id[k]));
    fill_log_rows(m, &map, put_log_number(m, image[0]));
  }
  add_row_op(m, "read", map.whole, AT_FIRST);
}

void row_logs_make(struct row_logs *m, const struct sighting *first,
                   const struct sighting *end) {
  m->log = (struct log){0};
  put_nil(m); // LOG_NOTHING
  know_rows(m, first, end);
  if (m->test->value == VALUE_BALANCES)
    put_first_balances(m);
  while (first < end) {
    const struct sighting *next = first;
    while (next < end && next->rank == first->rank)
      next++;
    const struct visit v = make_visit(m, first, next);
    const log_id value = put_visit(m, &v, m->parts.numbers[first->part]);
    if (value)
      add_row_op(m, v.writes ? m->test->writes : "read", value, v.txn);
    first = next;
  }
}

void row_logs_free(struct row_logs *m) {
  FREE_EACH(m->txns, m->sightings, m->txn_of, m->rows);
  number_map_free(&m->parts);
}
