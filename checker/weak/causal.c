// SPDX-License-Identifier: GPL-3.0-or-later
// The demands of causal consistency (checker/weak/saturation.h).  Vector clocks
// say which transactions of each session a reader has observed, and one pointer
// per key and session follows along as the clocks of a session grow: O(n k)
// time, and O(n) memory since only some sessions are looked at at once.  What
// stands apart in its session is left to checker/weak/unknown_observers.h.
#include "config.h"

#include "checker/weak/saturation.h"

#include "base/memory.h"
#include "base/pick.h"
#include "checker/weak/unknown_observers.h"

#include <stdlib.h>
#include <string.h>

// The writes of one session to one key.
struct run {
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
  uint32_t *session_of;  // per transaction; NO_ID: stands apart
  struct apart apart;
  bool some_apart;

  // Final writes per key and session, in session order: `runs` of one key are
  // key_first[k] to key_first[k + 1], and from key_at[k] on those of the
  // sessions at hand and after them.
  uint32_t *key_first, *key_at;
  struct run *runs;
  uint32_t *writes;
};

static uint32_t *clock_of(const struct causal *c, uint32_t t) {
  return c->clocks + (size_t)t * CLOCK_COLUMNS;
}

static uint32_t place_in_session(const struct causal *c, uint32_t t,
                                 uint32_t session) {
  return t - c->s->m->h->session_first[session] + 1;
}

static void join_clock(const struct causal *c, uint32_t *clock, uint32_t past) {
  const uint32_t *other = clock_of(c, past);
  for (int i = 0; i < CLOCK_COLUMNS; i++)
    clock[i] = other[i] > clock[i] ? other[i] : clock[i];
}

// Who has observed a transaction has observed all that it had.  Of one that
// stands apart it is not known.
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

static bool is_in_run(const struct causal *c, uint32_t op) {
  const struct model *m = c->s->m;
  return is_final(m, op) && c->session_of[m->txn_of[op]] != NO_ID;
}

// Sorts the final writes by key and session.
static void find_runs(struct causal *c) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  uint32_t *place = xcalloc((size_t)h->nkeys + 2, sizeof *place);
  for (uint32_t op = 0; op < h->nops; op++)
    place[h->key[op] + 2] += is_in_run(c, op);
  for (uint32_t k = 0; k < h->nkeys; k++)
    place[k + 2] += place[k + 1];
  c->writes = xmalloc(h->nops * sizeof *c->writes);
  for (uint32_t op = 0; op < h->nops; op++)
    if (is_in_run(c, op))
      c->writes[place[h->key[op] + 1]++] = op;
  c->key_first = xmalloc(((size_t)h->nkeys + 1) * sizeof *c->key_first);
  uint32_t nruns = 0, room = 0;
  for (uint32_t key = 0; key < h->nkeys; key++) {
    c->key_first[key] = nruns;
    for (uint32_t i = place[key]; i < place[key + 1]; i++) {
      const uint32_t t = m->txn_of[c->writes[i]], session = c->session_of[t];
      if (!same_run(c, key, nruns, session)) {
        ARRAY_RESERVE(c->runs, nruns, room);
        c->runs[nruns++] = (struct run){
            session, i, i, place_in_session(c, t, session), i, NO_ID};
      }
      c->runs[nruns - 1].end = i + 1;
    }
  }
  c->key_first[h->nkeys] = nruns;
  c->key_at = xmalloc(h->nkeys * sizeof *c->key_at);
  memcpy(c->key_at, c->key_first, h->nkeys * sizeof *c->key_at);
  free(place);
}

// The last write of the run by a transaction that t, of the session, has
// observed; t itself is no past of it.
static uint32_t last_observed(const struct causal *c, struct run *run,
                              uint32_t t, uint32_t session) {
  const struct model *m = c->s->m;
  const uint32_t first = m->h->session_first[run->session];
  const bool own = run->session == c->session_of[t];
  const uint32_t observed =
      clock_of(c, t)[run->session - c->first_column] - own;
  if (observed < run->place)
    return NO_ID;
  if (run->of != session) {
    run->of = session;
    run->at = run->first + 1;
  }
  uint32_t at = run->at;
  while (at < run->end && m->txn_of[c->writes[at]] - first < observed)
    at++;
  // What comes next in the session may have observed less than one that stands
  // apart.
  if (c->session_of[t] != NO_ID)
    run->at = at;
  return c->writes[at - 1];
}

static bool is_at_hand(const struct causal *c, uint32_t run) {
  return c->runs[run].session - c->first_column < CLOCK_COLUMNS;
}

// What the writer of the version had observed comes before it anyhow.
static bool is_known_before(const struct causal *c, uint32_t write,
                            uint32_t version) {
  const struct model *m = c->s->m;
  return !is_initial(m, version) &&
         has_observed(c, clock_of(c, writer_of(m, version)), m->txn_of[write]);
}

static void demand_causally(const struct causal *c, uint32_t t,
                            uint32_t session) {
  saturation_note_reads(c->s, t);
  for (uint32_t i = 0; i < c->s->nreads; i++) {
    const uint32_t read = c->s->reads[i], key = c->s->m->h->key[read];
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

// What comes last in its session leads nobody anyhow, and counts there.
static void find_sessions(struct causal *c) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  c->session_of = xmalloc(h->ntxns * sizeof *c->session_of);
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      const bool apart = m->counted[t] && !leads_session(m, t) &&
                         t + 1 < h->session_first[s + 1];
      c->session_of[t] = apart ? NO_ID : s;
    }
}

static void demand_of(struct causal *c, uint32_t t, uint32_t session) {
  const bool bound = is_bound_at(c->s->m, t, c->s->level);
  if (bound)
    demand_causally(c, t, session);
  if (c->some_apart)
    apart_observe(&c->apart, t);
  if (c->some_apart && bound)
    apart_demand(&c->apart, t);
}

static void demand_of_those_behind(struct causal *c, uint32_t t,
                                   uint32_t session) {
  uint32_t other = c->some_apart ? c->apart.first_behind[t] : NO_ID;
  for (; other != NO_ID; other = c->apart.next_behind[other])
    demand_of(c, other, session);
}

static void demand_of_sessions(struct causal *c) {
  const struct model *m = c->s->m;
  const struct history *h = m->h;
  for (uint32_t s = 0; s < h->nsessions; s++) {
    if (c->some_apart)
      apart_begin_session(&c->apart);
    if (s == 0)
      demand_of_those_behind(c, h->ntxns, s);
    for (uint32_t t = h->session_first[s];
         t < h->session_first[s + 1] && !model_is_stopped(m); t++) {
      if (!m->counted[t] || c->session_of[t] == NO_ID)
        continue;
      demand_of(c, t, s);
      demand_of_those_behind(c, t, s);
    }
  }
}

static void begin_columns(struct causal *c, const uint32_t *order,
                          uint32_t norder) {
  const uint32_t nsessions = c->s->m->h->nsessions;
  const uint32_t end = c->first_column + CLOCK_COLUMNS;
  forget_readers(c->s);
  if (c->some_apart)
    apart_begin(&c->apart, c->first_column, end < nsessions ? end : nsessions);
  for (uint32_t i = 0; i < norder; i++) {
    set_clock(c, order[i]);
    if (c->some_apart)
      apart_place(&c->apart, order[i], i);
  }
}

void saturate_causally(struct saturation *s, const uint32_t *order,
                       uint32_t norder) {
  const struct history *h = s->m->h;
  struct causal c = {.s = s};
  find_sessions(&c);
  c.clocks = xmalloc((size_t)h->ntxns * CLOCK_COLUMNS * sizeof *c.clocks);
  c.some_apart = apart_open(&c.apart, s, c.session_of, c.clocks);
  find_runs(&c);
  for (; c.first_column < h->nsessions && !model_is_stopped(s->m);
       c.first_column += CLOCK_COLUMNS) {
    begin_columns(&c, order, norder);
    demand_of_sessions(&c);
    pass_over_runs(&c);
  }
  apart_close(&c.apart);
  free(c.session_of);
  free(c.clocks);
  free(c.key_first);
  free(c.key_at);
  free(c.runs);
  free(c.writes);
}
