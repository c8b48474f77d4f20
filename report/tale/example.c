// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a counterexample that can be told and drawn from a verdict
// (report/tale/example.h).
#include "config.h"

#include "report/tale/example.h"

#include "base/anomaly_names.h"
#include "recorder/row_words.h"
#include "report/tale/example_making.h"
#include "report/tale/example_names.h"
#include "report/tale/example_rows.h"
#include "report/tale/loss.h"
#include "report/tale/reread.h"
#include "report/tale/statements.h"
#include "report/tale/story.h"
#include "report/words/title.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_once(struct taken_items *list, uint32_t item) {
  assert(item < list->nplaces);
  if (has_taken(list, item))
    return;
  ARRAY_RESERVE(list->items, list->count, list->room);
  list->items[list->count++] = item;
  list->place[item] = list->count;
}

// A list of items below n.
static struct taken_items make_taken_items(uint32_t n) {
  return (struct taken_items){.place = xcalloc(n, sizeof(uint32_t)),
                              .nplaces = n};
}

static void list_free(struct taken_items *list) {
  free(list->items);
  free(list->place);
}

// --- What belongs to it.

static void show_example(struct example_making *m, uint32_t op) {
  add_once(&m->shown, op);
  add_once(&m->txns, history_txn(m->h, op));
}

static void take_op(struct example_making *m, uint32_t op) {
  if (op >= m->h->nops)
    return;
  show_example(m, op);
  add_once(&m->matters, op);
}

// The values of rows speak for themselves: who wrote the older one is not told.
static bool is_reread(const struct verdict *v) {
  return v->op != UINT32_MAX && v->nedges;
}

// Shows what the transactions of the cycle did with the row: who changed it had
// mostly read it, too.
static void show_row_of(struct example_making *m, uint32_t read) {
  const struct history *h = m->h;
  for (uint32_t i = 0; i < m->v->nedges; i++) {
    const uint32_t t = m->v->edges[i].from;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (h->key[op] == h->key[read])
        show_example(m, op);
  }
}

static void take_example_txn(struct example_making *m, uint32_t t) {
  if (t < m->h->ntxns)
    add_once(&m->txns, t);
}

// Without a part, which tiny histories may lack, all statements are concerned.
static void take_searches(struct example_making *m) {
  const struct verdict *v = m->v;
  const struct history *part = v->rows_part ? v->rows_part : m->h;
  for (uint32_t t = 0; v->tried && part->rows && t < part->ntxns; t++)
    for (uint32_t s = part->rows->txn_statement[t];
         s < part->rows->txn_statement[t + 1]; s++)
      if (part->outcome[t] != OUTCOME_ABORTED &&
          statement_meets_nothing(part->rows, s))
        add_once(&m->searches, v->rows_part ? v->rows_statements[s] : s);
}

static void take_example_all(struct example_making *m) {
  const struct verdict *v = m->v;
  for (uint32_t i = 0; i < v->nedges; i++) {
    add_once(&m->txns, v->edges[i].from);
    take_op(m, v->edges[i].from_op);
    take_op(m, v->edges[i].to_op);
  }
  const struct history *part = v->rows_part;
  for (uint32_t t = 0; v->tried && !part && t < m->h->ntxns; t++)
    if (m->h->outcome[t] != OUTCOME_ABORTED)
      take_example_txn(m, t);
  for (uint32_t t = 0; part && t < part->ntxns; t++)
    take_example_txn(m, v->rows_txns[t]);
  take_searches(m);
  if (is_reread(v))
    show_row_of(m, v->op);
  for (uint32_t i = 0; i < v->npart && !is_reread(v); i++)
    (verdict_by_argument(v) ? take_op : show_example)(m, v->part[i]);
  if (v->op != UINT32_MAX) {
    take_op(m, v->op);
    take_op(m, v->other_op);
  }
  for (uint32_t s = 0; s < v->argument.nsteps; s++) {
    take_example_txn(m, v->argument.steps[s].from / 2);
    take_example_txn(m, v->argument.steps[s].to / 2);
  }
}

// --- Its transactions, in the order in which they began.

static uint64_t begin_of(const struct history *h, uint32_t t) {
  return h->begin ? h->begin[t] : TIME_UNKNOWN;
}

static uint64_t example_end_of(const struct history *h, uint32_t t) {
  return h->end ? h->end[t] : TIME_UNKNOWN;
}

static bool began_before(const struct history *h, uint32_t a, uint32_t b) {
  const uint64_t one = begin_of(h, a), other = begin_of(h, b);
  return one != other ? one < other : a < b;
}

static int by_begin(const void *a, const void *b, void *making) {
  const struct example_making *m = making;
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return began_before(m->h, x, y) ? -1 : began_before(m->h, y, x);
}

static void sort_example_txns(struct example_making *m) {
  uint32_t *t = m->txns.items;
  if (t)
    qsort_r(t, m->txns.count, sizeof *t, by_begin, m);
  for (uint32_t i = 0; i < m->txns.count; i++)
    m->txns.place[t[i]] = i + 1;
}

static const char *
text_of_op(struct example_making *m, uint32_t op, const struct names *names,
           void (*tell)(const struct names *, uint32_t, char *)) {
  char text[STORY_SENTENCE];
  tell(names, op, text);
  return arena_strdup(&m->e->arena, text);
}

// When it was sent and answered.
static struct statement_times times_of(const struct history *h, uint32_t t,
                                       uint32_t op) {
  const struct statement_times unknown = {TIME_UNKNOWN, TIME_UNKNOWN};
  return h->op_begin && h->op_end
             ? (struct statement_times){h->op_begin[op], h->op_end[op]}
         : h->rows ? rows_times(h->rows, t, op)
                   : unknown;
}

// `since`: behind the operation of the transaction that is shown before it.
static void make_example_op(struct example_making *m, uint32_t t, uint32_t op,
                            uint32_t since) {
  const struct history *h = m->h;
  const struct statement_times times = times_of(h, t, op);
  char key[24];
  m->op_place[op] = m->e->nops + 1;
  m->e->ops[m->e->nops++] = (struct example_op){
      .position = op - h->txn_first[t],
      .begin = times.begin,
      .end = times.end,
      .kind = history_is_of_set(h, op)
                  ? op_writes(h->kind[op]) ? "add" : "read set"
                  : op_kind_name(h->kind[op]),
      .key = arena_strdup(&m->e->arena, history_key(h, h->key[op], key)),
      .label = text_of_op(m, op, &m->names, story_label),
      .sentence = text_of_op(m, op, &m->names, story_operation),
      .raw = text_of_op(m, op, &m->raw, story_operation),
      .matters = has_taken(&m->matters, op),
      .place = row_words_place(h, op),
      .condition = row_words_place(h, op)
                       ? NULL
                       : example_condition(&m->e->arena, h, t, op, since),
  };
}

// Those of the transaction's searches from statement `s` on that come before
// the operation.  Returns the statement behind them.
static uint32_t make_searches(struct example_making *m, uint32_t t, uint32_t s,
                              uint32_t op) {
  const struct rows *rows = m->h->rows;
  for (; rows && s < rows->txn_statement[t + 1] &&
         rows->statements[s].first <= op;
       s++) {
    const uint32_t place = place_of_taken(&m->searches, s);
    if (place == EXAMPLE_NONE)
      continue;
    m->search_op[place] = m->e->nops;
    m->e->ops[m->e->nops++] = example_search(&m->e->arena, m->h, t, s);
  }
  return s;
}

static void make_txn(struct example_making *m, uint32_t t) {
  struct example *e = m->e;
  const struct history *h = m->h;
  const uint32_t first = h->txn_first[t], end = h->txn_first[t + 1];
  const uint32_t session = history_session(h, t);
  struct example_txn *txn = &e->txns[e->ntxns++];
  char name[NAME_ROOM], id[NAME_ROOM], host[STORY_ENDPOINT];
  const char *endpoint = story_endpoint(h, t, host);
  *txn = (struct example_txn){
      .name = arena_strdup(&e->arena, names_txn(&m->names, t, name)),
      .id = arena_strdup(&e->arena, names_raw_txn(h, t, id)),
      .session = session,
      .number = history_number(h, session, t),
      .outcome = outcome_name(h->outcome[t]),
      .endpoint = endpoint ? arena_strdup(&e->arena, endpoint) : NULL,
      .level = m->v->question.recorded ? isolation_name(h->level[t]) : NULL,
      .begin = begin_of(h, t),
      .end = example_end_of(h, t),
      .first_op = e->nops,
  };
  e->timed &= txn->begin != TIME_UNKNOWN;
  uint32_t s = h->rows ? h->rows->txn_statement[t] : 0, since = first;
  txn->nleft_out = end - first;
  for (uint32_t op = first; op < end; op++) {
    if (!has_taken(&m->shown, op))
      continue;
    s = make_searches(m, t, s, op);
    make_example_op(m, t, op, since);
    since = op + 1;
    txn->nleft_out--;
  }
  make_searches(m, t, s, end);
  txn->end_op = e->nops;
}

static void make_txns(struct example_making *m) {
  struct example *e = m->e;
  const uint32_t nops = m->shown.count + m->searches.count;
  e->txns = arena_take(&e->arena, (m->txns.count + 1) * sizeof *e->txns);
  e->ops = arena_take(&e->arena, (nops + 1) * sizeof *e->ops);
  e->timed = m->txns.count > 0;
  for (uint32_t i = 0; i < m->txns.count; i++)
    make_txn(m, m->txns.items[i]);
}

// --- Its sentences.

static const char *with_doubt(struct example_making *m, const char *sentence) {
  int64_t found, left;
  if (!reread_may_add(m->h, m->v, &found, &left))
    return arena_strdup(&m->e->arena, sentence);
  const bool less = left < found;
  const uint64_t by = less ? (uint64_t)found - (uint64_t)left
                           : (uint64_t)left - (uint64_t)found;
  return arena_printf(&m->e->arena,
                      "%s Unless that UPDATE calculated from the row, %" PRId64
                      " = %" PRId64 " %c %" PRIu64
                      ": then the history has to say add, not upd.",
                      sentence, left, found, less ? '-' : '+', by);
}

static const char *contradiction_of(struct example_making *m) {
  const struct verdict *v = m->v;
  char sentence[STORY_SENTENCE], title[TITLE_ROOM];
  if (v->nedges || v->nrow_edges)
    story_contradiction(&m->names, v, sentence);
  else if (v->op != UINT32_MAX)
    story_read(&m->names, v, sentence);
  else if (m->e->ntxns == 1)
    snprintf(sentence, sizeof sentence, "The transaction breaks %s by itself.",
             title_of(v, title));
  else
    snprintf(sentence, sizeof sentence,
             "Of all commit orders of these %" PRIu32
             " transactions none keeps %s%s.",
             m->e->ntxns, title_of(v, title),
             m->argue.too_long ? ", by an argument too long to be told" : "");
  return with_doubt(m, sentence);
}

// Tells the edges of the cycle from the transaction that began first.
static void tell_from_first(struct verdict *told, struct arena *arena,
                            const struct history *h, const struct edge *edges) {
  const uint32_t n = told->nedges;
  uint32_t first = 0;
  told->edges = arena_take(arena, (n + 1) * sizeof *told->edges);
  for (uint32_t i = 1; i < n; i++)
    if (began_before(h, edges[i].from, edges[first].from))
      first = i;
  for (uint32_t i = 0; i < n; i++)
    told->edges[i] = edges[(first + i) % n];
}

// The verdict as it is told: a transaction that looked at a row twice, and at
// two versions of it, is a cycle to a reader.
static struct verdict told_verdict(struct arena *arena, const struct history *h,
                                   const struct verdict *v) {
  struct verdict told = *v;
  told.argument = argue_of_whole(arena, h, v);
  struct edge *edges = arena_take(arena, REREAD_EDGES * sizeof *edges);
  if (reread_edges(h, v, edges)) {
    told.nedges = REREAD_EDGES;
    told.edges = edges;
  } else {
    tell_from_first(&told, arena, h, v->edges);
  }
  return told;
}

// A part may break a weaker level than the cycle does that gave it the name.
static enum isolation example_weakest_of(const struct verdict *v) {
  const enum isolation weakest = violation_weakest(v);
  if (v->tried)
    return v->broken;
  if (v->nassumed_reads) // other cases, and what is ruled out, may need more
    return v->question.level;
  if (v->anomaly == ANOMALY_LOST_WRITE)
    return loss_weakest(v);
  return v->question.recorded || v->question.real_time || v->broken > weakest
             ? weakest
             : v->broken;
}

// The level that was checked, or a weaker one that is broken already.
static enum isolation minimal_of(const struct verdict *v) {
  if (v->has_more)
    return ISOLATION_NONE;
  return v->minimal < v->question.level && v->minimal ? v->minimal
                                                      : v->question.level;
}

static void make_names(struct example_making *m, bool raw) {
  names_init(&m->names, m->h, raw, m->txns.items, m->txns.count, m->shown.items,
             m->shown.count);
  m->raw = m->names;
  m->raw.raw = m->raw.raw_rows = m->raw.whole = true;
  m->argue.names = &m->names;
}

static struct example_making start_making(struct example *e,
                                          const struct history *h,
                                          const struct verdict *told) {
  struct example_making m = {
      .e = e,
      .h = h,
      .v = told,
      .txns = make_taken_items(h->ntxns),
      .shown = make_taken_items(h->nops),
      .matters = make_taken_items(h->nops),
      .searches = make_taken_items(h->rows ? h->rows->nstatements : 0),
      .op_place = xcalloc(h->nops, sizeof(uint32_t))};
  argue_init(&m.argue, h, told);
  take_example_all(&m);
  m.search_op = xcalloc(m.searches.count + (size_t)1, sizeof *m.search_op);
  sort_example_txns(&m);
  return m;
}

static void end_making(struct example_making *m) {
  list_free(&m->txns);
  list_free(&m->matters);
  list_free(&m->shown);
  list_free(&m->searches);
  FREE_EACH(m->search_op, m->op_place);
  argue_free(&m->argue);
}

void example_names(struct names *names, const struct history *history,
                   const struct verdict *verdict) {
  struct example example = {0};
  const struct verdict told = told_verdict(&example.arena, history, verdict);
  struct example_making m = start_making(&example, history, &told);
  make_names(&m, false);
  *names = m.names;
  end_making(&m);
  example_free(&example);
}

void example_of_verdict(struct example *example, const struct history *history,
                        const struct verdict *verdict, bool raw) {
  assert(verdict->kind == VERDICT_VIOLATION);
  const struct anomaly_info *info = anomaly_info(verdict->anomaly);
  *example = (struct example){.anomaly = info->name,
                              .also = anomaly_also(info->name),
                              .weakest = example_weakest_of(verdict),
                              .minimal = minimal_of(verdict),
                              .level = verdict->question.recorded
                                           ? ISOLATION_NONE
                                           : verdict->question.level,
                              .read = EXAMPLE_NONE,
                              .other = EXAMPLE_NONE};
  example->meaning = loss_meaning(&example->arena, history, verdict);
  const struct verdict told = told_verdict(&example->arena, history, verdict);
  struct example_making m = start_making(example, history, &told);
  make_names(&m, raw);
  make_txns(&m);
  example_make_edges(&m);
  if (verdict->op != UINT32_MAX) {
    example->read = op_in(&m, verdict->op);
    example->other = op_in(&m, verdict->other_op);
  }
  example_find_faults(example);
  example_tell(example);
  statements_tell(example, &m.names, verdict);
  example->contradiction = contradiction_of(&m);
  names_free(&m.names);
  end_making(&m);
}

const char *example_mark(const struct example *example, uint32_t number,
                         char *buffer) {
  return argue_mark(number, example->ncycle, buffer);
}

bool example_names_value(const struct example *e, char end) {
  for (uint32_t i = 0; i < e->nops; i++) {
    const char *space = strrchr(e->ops[i].label, ' ');
    const size_t length = space ? strlen(space) : 0;
    if (length > 2 && space[length - 1] == end)
      return true;
  }
  return false;
}

bool example_times_statements(const struct example *e) {
  bool all = true;
  for (uint32_t op = 0; op < e->nops; op++)
    all &= e->ops[op].end != TIME_UNKNOWN;
  return all;
}

bool example_has_rows(const struct example *e) {
  for (uint32_t i = 0; i < e->nops; i++)
    if (!strncmp(e->ops[i].kind, "row", strlen("row")))
      return true;
  return false;
}

static bool is_of_set(const struct example_op *op) {
  return !strcmp(op->kind, "add") || !strcmp(op->kind, "read set");
}

bool example_has_short_values(const struct example *e) {
  for (uint32_t i = 0; i < e->nops; i++)
    if (strchr(e->ops[i].label, '=') || is_of_set(&e->ops[i]))
      return false;
  return !example_has_rows(e) && e->txns[e->ntxns - 1].name[0] == 'T' &&
         !e->nstatements;
}
