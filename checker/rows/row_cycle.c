// SPDX-License-Identifier: GPL-3.0-or-later
// Cycles of transactions in a part of a history with rows
// (checker/rows/row_cycle.h).  In a serial order a transaction finds one
// version of each row.  Where the versions of a row follow each other in a
// known chain, those that a statement may have found although the row did not
// come back say what comes before the transaction, and what after it.
#include "config.h"

#include "checker/rows/row_cycle.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_TXNS = 64 };

#define NO_EDGE UINT32_MAX

struct cycle_making {
  const struct history *h;
  const struct check_options *options;
  struct edge *edges;
  uint32_t *statements, *leavers; // per edge
  uint32_t nedges, edges_room, statements_room, leavers_room;
  uint32_t between[MOST_TXNS][MOST_TXNS]; // from, to: an edge, or NO_EDGE
  // The versions of the key at hand, the one at first before them: nops + key,
  // then each transaction's last write.
  uint32_t *chain, length;
};

static void add_because(struct cycle_making *m, struct edge edge,
                        uint32_t statement, uint32_t leaver) {
  assert(edge.from < m->h->ntxns && edge.to < m->h->ntxns);
  uint32_t *between = &m->between[edge.from][edge.to];
  if (edge.from == edge.to || *between != NO_EDGE)
    return;
  *between = m->nedges;
  ARRAY_RESERVE(m->edges, m->nedges, m->edges_room);
  ARRAY_RESERVE(m->statements, m->nedges, m->statements_room);
  ARRAY_RESERVE(m->leavers, m->nedges, m->leavers_room);
  m->leavers[m->nedges] = leaver;
  m->statements[m->nedges] = statement;
  m->edges[m->nedges++] = edge;
}

static void add_row_edge(struct cycle_making *m, struct edge edge,
                         uint32_t statement) {
  add_because(m, edge, statement, UINT32_MAX);
}

// --- What is known without conditions.

static void add_session_edges(struct cycle_making *m) {
  const struct history *h = m->h;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t u = t + 1; u < h->ntxns; u++)
      if (m->options->question.session_order && h->outcome[t] == OUTCOME_OK &&
          history_session(h, t) == history_session(h, u))
        add_row_edge(m, (struct edge){EDGE_SO, t, u, UINT32_MAX, UINT32_MAX},
                     UINT32_MAX);
}

static void add_times(struct cycle_making *m) {
  const struct history *h = m->h;
  if (!m->options->question.real_time &&
      !level_keeps_time(m->options->question.level))
    return;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t u = 0; u < h->ntxns; u++)
      if (h->outcome[t] == OUTCOME_OK &&
          history_ended(h, t) < history_began(h, u))
        add_row_edge(m, (struct edge){EDGE_RT, t, u, UINT32_MAX, UINT32_MAX},
                     UINT32_MAX);
}

static bool is_version(const struct history *h, uint32_t saw) {
  return saw < h->nops || saw == SAW_INITIAL;
}

static void add_cycle_read(struct cycle_making *m, uint32_t t, uint32_t read) {
  const struct history *h = m->h;
  const uint32_t saw = h->saw[read];
  assert(op_reads(h->kind[read]));
  if (!is_version(h, saw))
    return;
  if (saw < h->nops)
    add_row_edge(m, (struct edge){EDGE_WR, history_txn(h, saw), t, saw, read},
                 UINT32_MAX);
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->key[op] == h->key[read] && op_reads(h->kind[op]) &&
        op_writes(h->kind[op]) && h->saw[op] == saw)
      add_row_edge(m, (struct edge){EDGE_RW, t, history_txn(h, op), read, op},
                   UINT32_MAX);
}

static void add_cycle_reads(struct cycle_making *m) {
  const struct history *h = m->h;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (op_reads(h->kind[op]))
        add_cycle_read(m, t, op);
}

// --- Rows that did not come back.

// The last write of the key by the transaction of `write`.
static uint32_t final_write(const struct history *h, uint32_t write) {
  assert(op_writes(h->kind[write]));
  const uint32_t end = h->txn_first[history_txn(h, write) + 1];
  uint32_t last = write;
  for (uint32_t op = write; op < end; op++)
    if (h->key[op] == h->key[write] && op_writes(h->kind[op]))
      last = op;
  return last;
}

static bool writes_first(const struct history *h, uint32_t op) {
  uint32_t before = h->txn_first[history_txn(h, op)];
  while (h->key[before] != h->key[op] || !op_writes(h->kind[before]))
    before++;
  return before == op;
}

static bool is_in_chain(const struct cycle_making *m, uint32_t version) {
  bool found = false;
  for (uint32_t i = 0; i < m->length; i++)
    found |= m->chain[i] == version;
  return found;
}

// The only transaction's first write of the key that can follow the version, of
// those that are not in the chain yet; false: there are several.
static bool find_next(const struct cycle_making *m, uint32_t key,
                      uint32_t version, uint32_t *next) {
  const struct history *h = m->h;
  const bool absent = !rows_version(h, version);
  const uint32_t saw = version < h->nops ? version : SAW_INITIAL;
  *next = UINT32_MAX;
  for (uint32_t op = 0; op < h->nops; op++) {
    if (h->key[op] != key || !op_writes(h->kind[op]) || !writes_first(h, op) ||
        is_in_chain(m, final_write(h, op)))
      continue;
    const bool follows =
        h->kind[op] == OP_ROW_INSERT ? absent : h->saw[op] == saw;
    if (follows && *next != UINT32_MAX)
      return false;
    *next = follows ? op : *next;
  }
  return true;
}

// Fills in the chain of the key's versions; false: it is not known, or a key
// was used again.
static bool find_chain(struct cycle_making *m, uint32_t key) {
  const struct history *h = m->h;
  uint32_t nwriters = 0, next;
  assert(h->rows->key_table[key] != ROWS_NONE);
  for (uint32_t op = 0; op < h->nops; op++)
    nwriters +=
        h->key[op] == key && op_writes(h->kind[op]) && writes_first(h, op);
  m->length = 0;
  m->chain[m->length++] = h->nops + key;
  while (find_next(m, key, m->chain[m->length - 1], &next) &&
         next != UINT32_MAX && m->length <= nwriters)
    m->chain[m->length++] = final_write(h, next);
  return m->length == nwriters + 1 && next == UINT32_MAX;
}

// Did the statement's transaction write the key before it, or did the statement
// meet the row?
static bool statement_saw_row(const struct history *h, uint32_t t, uint32_t s,
                              uint32_t key) {
  const struct recorded_statement *statement = &h->rows->statements[s];
  bool seen = false;
  for (uint32_t op = h->txn_first[t]; op < statement->end; op++)
    seen |=
        h->key[op] == key && (op >= statement->first || op_writes(h->kind[op]));
  return seen;
}

// Did the other one find what the transaction wrote, so that it comes after it?
static bool found_its_write(const struct cycle_making *m, uint32_t t,
                            uint32_t other) {
  const struct history *h = m->h;
  bool found = false;
  for (uint32_t op = h->txn_first[other]; op < h->txn_first[other + 1]; op++)
    found |= op_reads(h->kind[op]) && h->saw[op] < h->nops &&
             history_txn(h, h->saw[op]) == t;
  return found && t != other;
}

// The statement found one of the versions that do not satisfy its condition,
// as far as they come before what its own transaction wrote, and are not of a
// transaction that comes after it.
static void add_leaver(struct cycle_making *m, uint32_t t, uint32_t s,
                       uint32_t key) {
  const struct history *h = m->h;
  uint32_t first = UINT32_MAX, last = 0, end = 1, leaver = UINT32_MAX;
  assert(m->length > 0 && m->chain[0] == h->nops + key);
  while (end < m->length && history_txn(h, m->chain[end]) != t)
    end++;
  for (uint32_t i = 0; i < end; i++) {
    const int64_t *row = rows_version(h, m->chain[i]);
    if (row && rows_satisfies(h, s, key, row))
      continue;
    if (i > 0 && found_its_write(m, t, history_txn(h, m->chain[i]))) {
      leaver = history_txn(h, m->chain[i]);
      break; // so do those behind it
    }
    first = first == UINT32_MAX ? i : first;
    last = i;
  }
  if (first == UINT32_MAX)
    return;
  if (first > 0)
    add_row_edge(m,
                 (struct edge){EDGE_WR, history_txn(h, m->chain[first]), t,
                               m->chain[first], UINT32_MAX},
                 s);
  if (last + 1 < end)
    add_because(m,
                (struct edge){EDGE_RW, t, history_txn(h, m->chain[last + 1]),
                              UINT32_MAX, m->chain[last + 1]},
                s, leaver);
}

static void add_unseen_of_key(struct cycle_making *m, uint32_t key) {
  const struct rows *rows = m->h->rows;
  for (uint32_t t = 0; t < m->h->ntxns; t++)
    for (uint32_t s = rows->txn_statement[t]; s < rows->txn_statement[t + 1];
         s++) {
      const struct recorded_statement *statement = &rows->statements[s];
      if (statement->condition != NO_CONDITION &&
          statement->sort != STATEMENT_INSERT_NEW &&
          statement->table == rows->key_table[key] &&
          !statement_saw_row(m->h, t, s, key))
        add_leaver(m, t, s, key);
    }
}

// --- The cycle.

// Breadth first from a transaction back to it: the edges in their order go to
// `path`.  Returns how many; 0: there is no way of fewer than `most`.
static uint32_t way_back(const struct cycle_making *m, uint32_t start,
                         uint32_t most, uint32_t path[MOST_TXNS]) {
  uint32_t by[MOST_TXNS], depth[MOST_TXNS], queue[MOST_TXNS], n = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++)
    by[t] = NO_EDGE;
  queue[n++] = start;
  depth[start] = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t t = 0; t < m->h->ntxns; t++) {
      const uint32_t edge = m->between[queue[i]][t];
      if (edge == NO_EDGE || by[t] != NO_EDGE || depth[queue[i]] + 1 >= most)
        continue;
      by[t] = edge;
      if (t == start) {
        const uint32_t length = depth[queue[i]] + 1;
        uint32_t at = start;
        for (uint32_t k = length; k-- > 0; at = m->edges[by[at]].from)
          path[k] = by[at];
        return length;
      }
      depth[t] = depth[queue[i]] + 1;
      queue[n++] = t;
    }
  return 0;
}

static void take_shortest(struct cycle_making *m, struct row_cycle *cycle) {
  uint32_t path[MOST_TXNS], best[MOST_TXNS], length = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++) {
    const uint32_t n = way_back(m, t, length ? length : MOST_TXNS, path);
    for (uint32_t i = 0; i < n; i++)
      best[i] = path[i];
    length = n ? n : length;
  }
  assert(length < MOST_TXNS);
  cycle->edges = xmalloc((length + (size_t)1) * sizeof *cycle->edges);
  cycle->statements = xmalloc((length + (size_t)1) * sizeof *cycle->statements);
  cycle->leavers = xmalloc((length + (size_t)1) * sizeof *cycle->leavers);
  for (; cycle->nedges < length; cycle->nedges++) {
    cycle->edges[cycle->nedges] = m->edges[best[cycle->nedges]];
    cycle->statements[cycle->nedges] = m->statements[best[cycle->nedges]];
    cycle->leavers[cycle->nedges] = m->leavers[best[cycle->nedges]];
  }
}

void row_cycle_find(struct row_cycle *cycle, const struct history *h,
                    const struct check_options *options) {
  struct cycle_making m = {.h = h, .options = options};
  *cycle = (struct row_cycle){0};
  if (h->ntxns > MOST_TXNS || options->question.plain_reads)
    return;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t u = 0; u < h->ntxns; u++)
      m.between[t][u] = NO_EDGE;
  m.chain = xmalloc((h->nops + (size_t)2) * sizeof *m.chain);
  add_session_edges(&m);
  add_cycle_reads(&m);
  for (uint32_t key = 0; key < h->nkeys && !options->question.by_items; key++)
    if (h->rows->key_table[key] != ROWS_NONE && find_chain(&m, key))
      add_unseen_of_key(&m, key);
  add_times(&m);
  take_shortest(&m, cycle);
  FREE_EACH(m.chain, m.edges, m.statements, m.leavers);
}
