// SPDX-License-Identifier: GPL-3.0-or-later
// Directly at RC and RA, by a search of the reader's past at CC
// (checker/weak/observed.h).
#include "config.h"

#include "checker/weak/observed.h"

#include "base/memory.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>

// --- CC.

static void begin_past_search(struct observed *o, uint32_t t, uint32_t from) {
  assert(t < o->m->h->ntxns);
  const uint32_t n = o->m->h->ntxns;
  if (!o->met) {
    o->met = xcalloc(n, sizeof *o->met);
    o->queue = xmalloc(n * sizeof *o->queue);
  }
  o->now++;
  o->reader = t;
  o->from = from;
}

static void meet_in_past(struct observed *o, uint32_t t, uint32_t *n) {
  if (o->met[t] == o->now || o->place[t] < o->from)
    return;
  o->met[t] = o->now;
  o->queue[(*n)++] = t;
}

// Marks all that t follows by session order and write-read.
uint64_t observed_search(struct observed *o, uint32_t t, uint32_t from,
                         uint64_t limit) {
  assert(level_is_causal(o->level));
  const struct model *m = o->m;
  uint64_t looks = 0;
  uint32_t n = 0;
  if (o->reader == t && o->from <= from)
    return 0;
  begin_past_search(o, t, from);
  o->queue[n++] = t;
  for (uint32_t i = 0; i < n && looks <= limit; i++) {
    const uint32_t at = o->queue[i];
    if (m->previous[at] != NO_ID)
      meet_in_past(o, m->previous[at], &n);
    for (uint32_t op = m->h->txn_first[at]; op < m->h->txn_first[at + 1]; op++)
      if (m->sees[op] < m->h->nops)
        meet_in_past(o, writer_of(m, m->sees[op]), &n);
    looks += m->h->txn_first[at + 1] - m->h->txn_first[at];
  }
  return looks;
}

// --- RC and RA.

static bool reads_from(const struct model *m, uint32_t t, uint32_t end,
                       uint32_t writer) {
  for (uint32_t op = m->h->txn_first[t]; op < end; op++)
    if (m->sees[op] < m->h->nops && writer_of(m, m->sees[op]) == writer)
      return true;
  return false;
}

// One of unknown outcome may be placed behind what comes later in its session.
static bool is_led_by(const struct model *m, uint32_t t, uint32_t other) {
  return m->session_order && other < t && leads_session(m, other) &&
         history_session(m->h, t) == history_session(m->h, other);
}

// The last of the transaction's reads that saw the same as this one, of which
// the model knows the first only.
static uint32_t last_repetition(const struct history *h, uint32_t t,
                                uint32_t read) {
  uint32_t op = h->txn_first[t + 1] - 1;
  while (op > read && !(h->key[op] == h->key[read] && op_reads(h->kind[op]) &&
                        h->saw[op] == h->saw[read]))
    op--;
  return op;
}

bool had_observed(const struct observed *o, uint32_t t, uint32_t read,
                  uint32_t other) {
  const struct model *m = o->m;
  switch (level_rules(o->level)->visible) {
  case VISIBLE_DIRECTLY:
    return reads_from(m, t, history_event(m->h, last_repetition(m->h, t, read)),
                      other);
  case VISIBLE_OBSERVED:
    return reads_from(m, t, m->h->txn_first[t + 1], other) ||
           is_led_by(m, t, other);
  default:
    return o->met[other] == o->now;
  }
}
