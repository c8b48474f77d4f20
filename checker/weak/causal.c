// SPDX-License-Identifier: GPL-3.0-or-later
// The demands of causal consistency (checker/weak/saturation.h).  Vector clocks
// say which transactions of each session a reader has observed, and one pointer
// per key and session follows along as the clocks of a session grow: O(n k)
// time, and O(n) memory since only some sessions are looked at at once.  A
// transaction that leads nobody in its session counts as a session of its own,
// behind all others: one of unknown outcome and, without session order, each.
#include "config.h"

#include "checker/weak/saturation.h"

#include "base/buckets.h"
#include "base/ids.h"
#include "base/memory.h"
#include "base/pick.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The writes of one session to one key.
struct causal_run {
  uint32_t session, first, end; // in causal.writes
  uint32_t place;               // that of the first one's transaction
  uint32_t at; // first that the reader at hand has not observed
  uint32_t of; // session of readers that `at` belongs to
};

struct causal {
  struct saturation *s;
  uint32_t first_column; // of those at hand
  uint32_t *clocks;      // per transaction and column: how many of that
                         // session's transactions it has observed, itself
                         // included in its own
  uint32_t *session_of;  // per transaction
  uint32_t nsessions;    // with those of single transactions

  // Final writes per key and session, in session order: `runs` of one key are
  // key_first[k] to key_first[k + 1], and from key_at[k] on those of the
  // sessions at hand and after them.
  uint32_t *key_first, *key_at;
  struct causal_run *runs;
  struct buckets writes; // by key
  struct ids final;      // these writes by session
};

static uint32_t *clock_of(const struct causal *c, uint32_t t) {
  return c->clocks + (size_t)t * CLOCK_COLUMNS;
}

static bool is_session_alone(const struct causal *c, uint32_t session) {
  return session >= c->s->m->h->nsessions;
}

static uint32_t place_in_session(const struct causal *c, uint32_t t,
                                 uint32_t session) {
  return is_session_alone(c, session)
             ? 1
             : t - c->s->m->h->session_first[session] + 1;
}

static void join_clock(const struct causal *c, uint32_t *clock, uint32_t past) {
  assert(clock != clock_of(c, past));
  pick_larger(clock, clock_of(c, past), CLOCK_COLUMNS);
}

// Who has observed a transaction has observed all that it had.
static inline bool has_observed(const struct causal *c, const uint32_t *clock,
                                uint32_t past) {
  uint32_t column = c->session_of[past] - c->first_column;
  const bool at_hand = column < CLOCK_COLUMNS;
  column = pick_if(at_hand, column);
  return at_hand &
         (clock[column] >= place_in_session(c, past, c->first_column + column));
}

// Most of what is read has been observed before.
static void join_shown(const struct causal *c, uint32_t *clock,
                       struct shown shown) {
  for (uint32_t i = 0; i < shown.count; i++) {
    const uint32_t writer = writer_of(c->s->m, shown.write[i]);
    if (!has_observed(c, clock, writer))
      join_clock(c, clock, writer);
  }
}

static void join_read(const struct causal *c, uint32_t *clock, uint32_t op) {
  const struct model *m = c->s->m;
  const bool reads = m->sees[op] < m->h->nops; // no initial version
  const uint32_t writer = writer_of(m, pick(reads, m->sees[op], op));
  if (reads & !has_observed(c, clock, writer))
    join_clock(c, clock, writer);
}

static void set_clock(const struct causal *c, uint32_t t) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  const size_t bytes = CLOCK_COLUMNS * sizeof *c->clocks;
  uint32_t *const clock = clock_of(c, t);
  if (m->previous[t] != NO_ID)
    memcpy(clock, clock_of(c, m->previous[t]), bytes);
  else
    memset(clock, 0, bytes);
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (h->lists)
      join_shown(c, clock, shown_first_by(m, op));
    else
      join_read(c, clock, op);
  const uint32_t session = c->session_of[t], column = session - c->first_column;
  if (column < CLOCK_COLUMNS)
    clock[column] = place_in_session(c, t, session);
}

static bool same_run(const struct causal *c, uint32_t key, uint32_t nruns,
                     uint32_t session) {
  return nruns > c->key_first[key] && c->runs[nruns - 1].session == session;
}

static void list_final_writes(struct causal *c, bool alone) {
  const struct history *h = c->s->m->h;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         is_session_alone(c, c->session_of[t]) == alone &&
         op < h->txn_first[t + 1];
         op++)
      if (is_final(c->s->m, op))
        ids_add(&c->final, op);
}

static uint32_t key_of_final_write(const void *context, uint32_t i) {
  const struct causal *c = context;
  return c->s->m->h->key[c->final.items[i]];
}

static void find_runs(struct causal *c) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  list_final_writes(c, false);
  if (c->nsessions > h->nsessions)
    list_final_writes(c, true);
  c->writes = buckets_make(h->nkeys, c->final.count, key_of_final_write, c);
  c->key_first = xmalloc(((size_t)h->nkeys + 1) * sizeof *c->key_first);
  uint32_t nruns = 0, room = 0;
  for (uint32_t key = 0; key < h->nkeys; key++) {
    c->key_first[key] = nruns;
    for (uint32_t i = c->writes.first[key]; i < c->writes.first[key + 1]; i++) {
      c->writes.items[i] = c->final.items[c->writes.items[i]];
      const uint32_t t = m->txn_of[c->writes.items[i]];
      const uint32_t session = c->session_of[t];
      if (!same_run(c, key, nruns, session)) {
        ARRAY_RESERVE(c->runs, nruns, room);
        c->runs[nruns++] = (struct causal_run){
            session, i, i, place_in_session(c, t, session), i, NO_ID};
      }
      c->runs[nruns - 1].end = i + 1;
    }
  }
  c->key_first[h->nkeys] = nruns;
  c->key_at = ids_copy(c->key_first, h->nkeys);
  free(c->final.items);
}

// The last write of the run by a transaction that t, of the session, has
// observed; t itself is no past of it.  Readers of a session observe more and
// more, but what comes behind an unknown one may have observed less than that.
static uint32_t last_observed(const struct causal *c, struct causal_run *run,
                              uint32_t t, uint32_t session) {
  const struct history *h = c->s->m->h;
  const uint32_t *writes = c->writes.items;
  const bool own = run->session == c->session_of[t];
  const uint32_t observed =
      clock_of(c, t)[run->session - c->first_column] - own;
  if (observed < run->place)
    return NO_ID;
  if (is_session_alone(c, run->session))
    return writes[run->first];
  if (run->of != session) {
    run->of = session;
    run->at = run->first + 1;
  }
  const uint32_t end = h->txn_first[h->session_first[run->session] + observed];
  assert(run->first < run->at && run->at <= run->end);
  if (is_session_alone(c, c->session_of[t]))
    return writes[run->at - 1 +
                  ids_below(writes + run->at, run->end - run->at, end)];
  while (run->at < run->end && writes[run->at] < end)
    run->at++;
  return writes[run->at - 1];
}

static bool is_at_hand(const struct causal *c, uint32_t run) {
  return c->runs[run].session - c->first_column < CLOCK_COLUMNS;
}

// Every write that the writer of the version had observed comes before the
// version anyhow.
static bool is_known_before(const struct causal *c, uint32_t write,
                            uint32_t version) {
  const struct model *m = c->s->m;
  return !is_initial(m, version) &&
         has_observed(c, clock_of(c, writer_of(m, version)), m->txn_of[write]);
}

static void demand_causally(const struct causal *c, uint32_t t,
                            uint32_t session) {
  saturation_note_reads(c->s, t);
  for (uint32_t i = 0; i < c->s->reads.count; i++) {
    const uint32_t read = c->s->reads.items[i], key = c->s->m->h->key[read];
    const uint32_t version = saturation_seen(c->s->m, read);
    for (uint32_t r = c->key_at[key];
         r < c->key_first[key + 1] && is_at_hand(c, r); r++) {
      const uint32_t write = last_observed(c, &c->runs[r], t, session);
      if (write != NO_ID && !is_known_before(c, write, version))
        saturation_demand(c->s, write, read);
    }
  }
}

// The readers are gone through once more.
static void forget_readers(struct saturation *s) {
  memset(s->first_of_key, 0xff, s->m->h->nkeys * sizeof *s->first_of_key);
  memset(s->written, 0xff, s->m->h->nkeys * sizeof *s->written);
}

// The sessions at hand are done with.
static void pass_over_runs(struct causal *c) {
  for (uint32_t key = 0; key < c->s->m->h->nkeys; key++)
    while (c->key_at[key] < c->key_first[key + 1] &&
           is_at_hand(c, c->key_at[key]))
      c->key_at[key]++;
}

// An unknown one that comes last in its session leads nobody anyhow, and counts
// there.
static void find_causal_sessions(struct causal *c) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  c->session_of = xmalloc(h->ntxns * sizeof *c->session_of);
  c->nsessions = h->nsessions;
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      const bool unknown =
          !leads_session(m, t) && t + 1 < h->session_first[s + 1];
      c->session_of[t] =
          m->counted[t] && (unknown || !m->session_order) ? c->nsessions++ : s;
    }
}

static void demand_of_session(struct causal *c, uint32_t session) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  for (uint32_t t = h->session_first[session];
       t < h->session_first[session + 1] && !model_is_stopped(m); t++) {
    if (!m->counted[t] || !is_bound_at(m, t, c->s->level))
      continue;
    demand_causally(c, t, session);
  }
}

static void begin_columns(struct causal *c, const uint32_t *order,
                          uint32_t norder) {
  forget_readers(c->s);
  for (uint32_t i = 0; i < norder; i++)
    set_clock(c, order[i]);
}

void saturate_causally(struct saturation *s, const uint32_t *order,
                       uint32_t norder) {
  assert(norder <= s->m->h->ntxns);
  const struct history *h = s->m->h;
  struct causal c = {.s = s};
  find_causal_sessions(&c);
  c.clocks = xmalloc((size_t)h->ntxns * CLOCK_COLUMNS * sizeof *c.clocks);
  find_runs(&c);
  for (; c.first_column < c.nsessions && !model_is_stopped(s->m);
       c.first_column += CLOCK_COLUMNS) {
    begin_columns(&c, order, norder);
    for (uint32_t session = 0; session < h->nsessions; session++)
      demand_of_session(&c, session);
    pass_over_runs(&c);
  }
  FREE_EACH(c.session_of, c.clocks, c.key_first, c.key_at, c.runs);
  buckets_free(&c.writes);
}
