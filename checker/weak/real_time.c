// SPDX-License-Identifier: GPL-3.0-or-later
// The demands of real time at RA and CC where it counts as session order does
// (checker/weak/saturate.h).
//
// RA: whoever ended before a reader began is visible to it.  CC: so is whatever
// led to such a transaction, and what is visible to one is visible to those it
// led to.  Let a transaction's `start` be the latest begin of those that led to
// it over session order and write-read, itself included, and its `finish` the
// earliest end of those that it leads to.  Since "ended before the other began"
// is an interval order, one transaction leads to another over real time if, and
// only if, its finish comes before the other's start.  At RA start and finish
// are the begin and the end of the transaction itself.
#include "config.h"

#include "checker/verdict/level_rules.h"
#include "checker/weak/saturate.h"

#include "base/buckets.h"
#include "base/memory.h"
#include "base/sort.h"
#include "checker/model/time_events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct timely {
  const struct model *m;
  enum isolation level;
  struct demands *demands;
  uint64_t *start, *finish; // per transaction

  // The final writes of each key, by the finish of their transactions.
  struct instant *writes;
  struct buckets by_key;
};

static void set_own_times(struct timely *w) {
  const struct history *h = w->m->h;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    w->start[t] = history_began(h, t);
    w->finish[t] = history_ended(h, t);
  }
}

static void raise_start(struct timely *w, uint32_t t, uint32_t before) {
  if (w->start[before] > w->start[t])
    w->start[t] = w->start[before];
}

// Calls `tell` for all that come directly before a transaction.
static void for_all_before(struct timely *w, uint32_t t,
                           void (*tell)(struct timely *w, uint32_t t,
                                        uint32_t before)) {
  const struct model *m = w->m;
  if (m->previous[t] != NO_ID)
    tell(w, t, m->previous[t]);
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    const struct shown shown = shown_first_by(m, op);
    for (uint32_t i = 0; i < shown.count; i++)
      tell(w, t, writer_of(m, shown.write[i]));
  }
}

static void pass_finish_back(struct timely *w, uint32_t t, uint32_t before) {
  if (w->finish[t] < w->finish[before])
    w->finish[before] = w->finish[t];
}

static void spread_times(struct timely *w, const uint32_t *order,
                         uint32_t norder) {
  for (uint32_t i = 0; i < norder; i++)
    for_all_before(w, order[i], raise_start);
  for (uint32_t i = norder; i-- > 0;)
    for_all_before(w, order[i], pass_finish_back);
}

static int by_finish(const void *a, const void *b) {
  const struct instant *x = a, *y = b;
  return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                            : (x->id > y->id) - (x->id < y->id);
}

static uint32_t key_of_timely_write(const void *context, uint32_t op) {
  const struct model *m = context;
  return is_final(m, op) ? m->h->key[op] : NO_BUCKET;
}

static void sort_writes(struct timely *w) {
  const struct model *m = w->m;
  const uint32_t nkeys = m->h->nkeys;
  w->by_key = buckets_make(nkeys, m->h->nops, key_of_timely_write, m);
  const uint32_t *first = w->by_key.first, n = first[nkeys];
  w->writes = xmalloc(n * sizeof *w->writes);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t op = w->by_key.items[i];
    w->writes[i] = (struct instant){w->finish[m->txn_of[op]], op};
  }
  struct patience patience = {.stop = m->stop};
  for (uint32_t key = 0; key < nkeys && !patience.ended; key++)
    sort_patiently(w->writes + first[key], first[key + 1] - first[key],
                   sizeof *w->writes, by_finish, &patience);
}

// The bound read of a version whose reader starts last, or NO_ID.
static uint32_t latest_read(const struct timely *w, uint32_t version) {
  const struct model *m = w->m;
  uint32_t latest = NO_ID;
  for (uint32_t r = m->first_reader[version]; r != NO_ID; r = m->next_reader[r])
    if (is_bound_at(m, m->txn_of[r], w->level) &&
        (latest == NO_ID ||
         w->start[m->txn_of[r]] > w->start[m->txn_of[latest]]))
      latest = r;
  return latest;
}

static uint32_t first_finish_from(const struct timely *w, uint32_t key,
                                  uint64_t instant) {
  uint32_t low = w->by_key.first[key], high = w->by_key.first[key + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (w->writes[middle].time < instant)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void demand_in_time(struct timely *w, struct demand demand) {
  struct demands *d = w->demands;
  ARRAY_RESERVE(d->items, d->count, d->room);
  d->items[d->count++] = demand;
}

// The initial version was read though some writer had led to the reader.
static void demand_of_initial(struct timely *w, uint32_t key) {
  const struct model *m = w->m;
  const uint32_t read = latest_read(w, m->h->nops + key);
  const uint32_t reader = read == NO_ID ? NO_ID : m->txn_of[read];
  for (uint32_t i = w->by_key.first[key];
       read != NO_ID && i < w->by_key.first[key + 1] &&
       w->writes[i].time < w->start[reader];
       i++) {
    const uint32_t write = w->writes[i].id;
    if (m->txn_of[write] == reader)
      continue;
    demand_in_time(w, (struct demand){reader, m->txn_of[write], write, read});
    return;
  }
}

// Whoever wrote the key and led to a reader of the version comes before the
// writer of the version.  Those that led to that writer are known to; one that
// it leads to is a contradiction, and enough.
static void demand_of_version(struct timely *w, uint32_t version) {
  assert(is_final(w->m, version));
  const struct model *m = w->m;
  const uint32_t read = latest_read(w, version), key = m->h->key[version];
  if (read == NO_ID)
    return;
  const uint32_t reader = m->txn_of[read], writer = m->txn_of[version];
  bool contradiction = false;
  for (uint32_t i = first_finish_from(w, key, w->start[writer]);
       i < w->by_key.first[key + 1] && w->writes[i].time < w->start[reader] &&
       !contradiction;
       i++) {
    const uint32_t write = w->writes[i].id, other = m->txn_of[write];
    if (other == writer || other == reader)
      continue;
    demand_in_time(w, (struct demand){other, writer, write, read});
    contradiction = w->finish[writer] < w->start[other];
  }
}

void saturate_in_time(const struct model *m, enum isolation level,
                      const uint32_t *order, uint32_t norder,
                      struct demands *demands) {
  assert(m->real_time && m->stage >= MODEL_LINKED);
  const struct history *h = m->h;
  struct timely w = {.m = m, .level = level, .demands = demands};
  w.start = xmalloc(h->ntxns * sizeof *w.start);
  w.finish = xmalloc(h->ntxns * sizeof *w.finish);
  set_own_times(&w);
  if (level_is_causal(level))
    spread_times(&w, order, norder);
  sort_writes(&w);
  for (uint32_t key = 0; key < h->nkeys && !model_is_stopped(m); key++)
    demand_of_initial(&w, key);
  for (uint32_t op = 0; op < h->nops && !model_is_stopped(m); op++)
    if (is_final(m, op))
      demand_of_version(&w, op);
  FREE_EACH(w.start, w.finish, w.writes);
  buckets_free(&w.by_key);
}
