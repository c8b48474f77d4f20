// SPDX-License-Identifier: GPL-3.0-or-later
// Finds lost appends (checker/graph/lost_writes.h): those that stand in no list
// that was read, beside a later one of their key that does.
#include "config.h"

#include "checker/graph/lost_writes.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

struct lost_write_search {
  const struct model *m;
  lost_write_visitor *visit;
  void *context;
  bool more;       // visit said so
  uint32_t *after; // per key: an append of the session that was read, the
                   // first one after those still to be looked at; or an
                   // operation of an earlier session, or NO_ID
  uint32_t *last;  // per key: of the appends that were read one whose
                   // transaction began last, or NO_ID; NULL: time is no reason
};

static bool version_was_read(const struct model *m, uint32_t op) {
  return m->h->kind[op] == OP_APPEND && (m->role[op] & ROLE_LISTED);
}

static bool may_be_lost(const struct model *m, uint32_t op) {
  return m->h->kind[op] == OP_APPEND && is_final(m, op) &&
         !version_was_read(m, op) && m->h->outcome[m->txn_of[op]] == OUTCOME_OK;
}

// Did the transaction read the append?
static bool has_read(const struct model *m, uint32_t t, uint32_t append) {
  const struct history *h = m->h;
  bool found = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (h->kind[op] != OP_READ_LIST || h->key[op] != h->key[append])
      continue;
    const struct shown shown = shown_by_list(m, op);
    for (uint32_t i = 0; i < shown.count; i++)
      found |= shown.write[i] == append;
  }
  return found;
}

bool write_is_lost(const struct model *m, uint32_t lost, uint32_t later) {
  return may_be_lost(m, lost) && version_was_read(m, later) &&
         !has_read(m, m->txn_of[lost], later);
}

static void tell_lost_write(struct lost_write_search *l, uint32_t lost,
                            uint32_t later, enum edge_kind why) {
  const uint32_t t = l->m->txn_of[lost], u = l->m->txn_of[later];
  assert(l->m->h->key[lost] == l->m->h->key[later]);
  struct cycle cycle = {ANOMALY_LOST_WRITE, 2, NULL};
  cycle.edges = xmalloc(2 * sizeof *cycle.edges);
  cycle.edges[0] = (struct edge){(uint8_t)why, t, u, NO_ID, NO_ID};
  cycle.edges[1] = (struct edge){EDGE_WW, u, t, later, lost};
  l->more = l->visit(l->context, &cycle);
}

// `first`: the first operation of the session.
static void judge_write(struct lost_write_search *l, uint32_t op,
                        uint32_t first) {
  const struct model *m = l->m;
  const uint32_t key = m->h->key[op], after = l->after[key];
  if (m->session_order && after != NO_ID && after >= first &&
      write_is_lost(m, op, after))
    tell_lost_write(l, op, after, EDGE_SO);
  else if (l->last && l->last[key] != NO_ID &&
           m->h->end[m->txn_of[op]] < m->h->begin[m->txn_of[l->last[key]]] &&
           write_is_lost(m, op, l->last[key]))
    tell_lost_write(l, op, l->last[key], EDGE_RT);
}

// The session backwards, so that what came later is known.
static void look_at_session(struct lost_write_search *l, uint32_t session) {
  const struct history *h = l->m->h;
  assert(session < h->nsessions);
  const uint32_t first = h->txn_first[h->session_first[session]];
  uint32_t op = h->txn_first[h->session_first[session + 1]];
  while (op-- > first && l->more)
    if (version_was_read(l->m, op))
      l->after[h->key[op]] = op;
    else if (may_be_lost(l->m, op))
      judge_write(l, op, first);
}

// See struct look.
static uint32_t *last_begun(const struct model *m) {
  const struct history *h = m->h;
  uint32_t *last = ids_none(h->nkeys);
  for (uint32_t op = 0; op < h->nops; op++) {
    const uint64_t begin = h->begin[m->txn_of[op]];
    uint32_t *of_key = &last[h->key[op]];
    if (version_was_read(m, op) && begin != TIME_UNKNOWN &&
        (*of_key == NO_ID || begin > h->begin[m->txn_of[*of_key]]))
      *of_key = op;
  }
  return last;
}

// Cycles with real time break no level below these.
static bool level_counts_time(const struct model *m, enum isolation level) {
  return (m->real_time || level_keeps_time(level)) && level_conflicts(level) &&
         m->h->begin && m->h->end;
}

void lost_writes_each(const struct model *m, enum isolation level,
                      lost_write_visitor *visit, void *context) {
  if (!m->h->lists)
    return;
  struct lost_write_search l = {
      .m = m,
      .visit = visit,
      .context = context,
      .more = true,
      .after = ids_none(m->h->nkeys),
      .last = level_counts_time(m, level) ? last_begun(m) : NULL};
  for (uint32_t s = 0; s < m->h->nsessions && l.more; s++)
    look_at_session(&l, s);
  FREE_EACH(l.after, l.last);
}

static bool keep_one(void *context, struct cycle *cycle) {
  struct cycle *kept = context;
  *kept = *cycle;
  return false;
}

void lost_writes_first(const struct model *m, enum isolation level,
                       struct cycle *cycle) {
  *cycle = (struct cycle){0};
  lost_writes_each(m, level, keep_one, cycle);
}
