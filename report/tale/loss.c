// SPDX-License-Identifier: GPL-3.0-or-later
// Counts the reads that lack an append (report/tale/loss.h).
#include "config.h"

#include "report/tale/loss.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum { NUMBER = 24 };

// A lost append, and one that was made later and read.
struct loss_search {
  const struct history *h;
  uint8_t *counted; // per transaction
  uint32_t lost, later;
};

static bool read_shows_loss(const struct history *h, uint32_t read,
                            uint32_t append) {
  const uint32_t end = history_list_end(h, h->saw[read]);
  uint32_t i = h->list[h->saw[read]].first;
  while (i < end && h->element[i] != append)
    i++;
  return i < end;
}

// Did another transaction read the key?
static bool is_read_of_loss(const struct loss_search *l, uint32_t t,
                            uint32_t op) {
  return l->counted[t] && l->h->kind[op] == OP_READ_LIST &&
         l->h->key[op] == l->h->key[l->lost] && t != history_txn(l->h, l->lost);
}

// The reads that show an append of the key, or all.
static uint32_t count_lossy_reads(const struct loss_search *l,
                                  uint32_t append) {
  const struct history *h = l->h;
  uint32_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      n += is_read_of_loss(l, t, op) &&
           (append == UINT32_MAX || read_shows_loss(h, op, append));
  return n;
}

// Does the append come after the lost one, in its session or in time?
static bool is_later_read(const struct loss_search *l, uint32_t append) {
  const struct history *h = l->h;
  const uint32_t t = history_txn(h, l->lost), u = history_txn(h, append);
  if (t < u && history_session(h, t) == history_session(h, u))
    return true;
  return h->begin && h->end && h->begin[u] != TIME_UNKNOWN &&
         h->end[t] < h->begin[u];
}

// The last one that a read shows.
static uint32_t later_in(const struct loss_search *l, uint32_t read) {
  const struct history *h = l->h;
  const uint32_t first = h->list[h->saw[read]].first;
  uint32_t i = history_list_end(h, h->saw[read]);
  while (i > first && !is_later_read(l, h->element[i - 1]))
    i--;
  return i > first ? h->element[i - 1] : UINT32_MAX;
}

// The one that the first read of such shows.
static uint32_t later_read(const struct loss_search *l) {
  const struct history *h = l->h;
  uint32_t found = UINT32_MAX;
  for (uint32_t t = 0; t < h->ntxns && found == UINT32_MAX; t++)
    for (uint32_t op = h->txn_first[t];
         op < h->txn_first[t + 1] && found == UINT32_MAX; op++)
      if (is_read_of_loss(l, t, op))
        found = later_in(l, op);
  return found;
}

static const char *tell_lossy_read(struct arena *arena,
                                   const struct loss_search *l,
                                   const char *meaning) {
  const struct history *h = l->h;
  const uint32_t later = count_lossy_reads(l, l->later);
  char key[NUMBER], lost[NUMBER], value[NUMBER];
  const uint32_t all = count_lossy_reads(l, UINT32_MAX);
  return arena_printf(
      arena,
      "%s  Of %" PRIu32 " read%s of key %s none shows %s, and %" PRIu32
      " show%s %s, which was appended later.",
      meaning, all, all == 1 ? "" : "s", history_key(h, h->key[l->lost], key),
      history_value(h, history_op_value(h, l->lost), lost), later,
      later == 1 ? "s" : "",
      history_value(h, history_op_value(h, l->later), value));
}

// The only edge of the cycle that leads to a later version.
static const struct edge *edge_of(const struct verdict *v) {
  uint32_t i = 0;
  while (i < v->nedges && v->edges[i].kind != EDGE_WW &&
         v->edges[i].kind != EDGE_RW)
    i++;
  assert(i < v->nedges);
  return &v->edges[i];
}

const char *loss_meaning(struct arena *arena, const struct history *history,
                         const struct verdict *v) {
  const char *meaning = anomaly_info(v->anomaly)->sentence;
  if (v->anomaly != ANOMALY_LOST_WRITE)
    return meaning;
  const struct edge *edge = edge_of(v);
  uint32_t nlost;
  struct loss_search l = {.h = history,
                          .counted = history_counted(history, &nlost),
                          .lost = edge->to_op,
                          .later = edge->from_op};
  if (edge->kind == EDGE_RW) // the cycle shows a read that misses it
    l.later = later_read(&l);
  assert(l.later < history->nops);
  meaning = tell_lossy_read(arena, &l, meaning);
  free(l.counted);
  return meaning;
}

enum isolation loss_weakest(const struct verdict *v) {
  bool time = false;
  for (uint32_t i = 0; i < v->nedges; i++)
    time |= v->edges[i].kind == EDGE_RT;
  return time ? ISOLATION_SSER : v->broken;
}
