// SPDX-License-Identifier: GPL-3.0-or-later
// One row for each unknown transaction says from where on each session has
// observed it (checker/weak/unknown_observers.h).
#include "config.h"

#include "checker/weak/unknown_observers.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// In known_by: no member of the sessions at hand has observed the writer.
enum { NO_READERS = NO_ID - 1 };

struct unknown_writes {
  const struct history *h;
  struct ids ops;
};

static bool is_unknown(const struct unknowns *u, uint32_t t) {
  return u->session_of[t] == NO_ID;
}

static uint32_t *row_of(const struct unknowns *u, uint32_t t) {
  assert(is_unknown(u, t) && u->row[t] < u->nrows);
  return u->first_member + (size_t)u->row[t] * CLOCK_COLUMNS;
}

// Lists the unknown transactions that t has read from, as often as it has.
static void list_seen(struct unknowns *u, uint32_t t) {
  const struct model *m = u->s->m;
  u->seen.count = 0;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    const struct shown shown = shown_first_by(m, op);
    for (uint32_t i = 0; i < shown.count; i++)
      if (is_unknown(u, writer_of(m, shown.write[i])))
        ids_add(&u->seen, writer_of(m, shown.write[i]));
  }
}

static void note_reads(struct unknowns *u, uint32_t t) {
  list_seen(u, t);
  for (uint32_t i = 0; i < u->seen.count; i++) {
    ARRAY_RESERVE(u->reads, u->nreads, u->reads_room);
    u->reads[u->nreads++] = (struct observed_read){t, u->seen.items[i]};
  }
}

// --- Observing.

static bool observed_by_clock(const struct unknowns *u, uint32_t t,
                              uint32_t writer) {
  const uint32_t *clock = u->clocks + (size_t)t * CLOCK_COLUMNS;
  const uint32_t *first = row_of(u, writer);
  bool observed = false;
  for (int i = 0; i < CLOCK_COLUMNS; i++)
    observed |= clock[i] >= first[i];
  return observed;
}

static void meet_seen_by(struct unknowns *u, uint32_t t) {
  list_seen(u, t);
  for (uint32_t i = 0; i < u->seen.count; i++) {
    const uint32_t writer = u->seen.items[i];
    if (u->met[writer] == u->now)
      continue;
    u->met[writer] = u->now;
    ids_add(&u->queue, writer);
  }
}

// Meets what t, which is unknown, read without a member in between.
static void search_past(struct unknowns *u, uint32_t t) {
  assert(is_unknown(u, t));
  u->now++;
  u->queue.count = 0;
  meet_seen_by(u, t);
  for (uint32_t i = 0; i < u->queue.count; i++)
    meet_seen_by(u, u->queue.items[i]);
}

// --- Demands.

// Every write that the writer of the version had observed comes before the
// version anyhow.
static bool is_known_before(const struct unknowns *u, uint32_t writer,
                            uint32_t version) {
  const struct model *m = u->s->m;
  return !is_initial(m, version) &&
         observed_by_clock(u, writer_of(m, version), writer);
}

// The first write of the key of which the session does not know yet that it
// comes before what its members read.
static uint32_t first_open(struct unknowns *u, uint32_t key, uint32_t session) {
  struct known_first *known = &u->known_first[key];
  if (known->session != session)
    *known = (struct known_first){session, u->writes.first[key]};
  while (known->end < u->writes.first[key + 1] &&
         (u->known_by[known->end] == session ||
          u->known_by[known->end] == NO_READERS))
    known->end++;
  return known->end;
}

// Once a write is known to come before the version that a member of a session
// read, its later members need not demand it: what they read of the key comes
// after that version.
static void demand_of_read(struct unknowns *u, uint32_t t, uint32_t session,
                           uint32_t read) {
  const struct model *m = u->s->m;
  const uint32_t key = m->h->key[read], version = saturation_seen(m, read);
  for (uint32_t i = first_open(u, key, session); i < u->writes.first[key + 1];
       i++) {
    const uint32_t write = u->writes.items[i], writer = m->txn_of[write];
    if (u->row[writer] >= u->row[t])
      return;
    if (u->known_by[i] == session || !observed_by_clock(u, t, writer))
      continue;
    const uint32_t before = u->s->demands->count;
    const bool known = is_known_before(u, writer, version);
    if (!known)
      saturation_demand(u->s, write, read);
    if (!is_unknown(u, t) && (known || u->s->demands->count > before))
      u->known_by[i] = session;
  }
}

void unknowns_demand(struct unknowns *u, uint32_t t, uint32_t session) {
  if (is_unknown(u, t))
    search_past(u, t);
  for (uint32_t i = 0; is_unknown(u, t) && i < u->queue.count; i++)
    saturation_match_writer(u->s, t, 0, u->queue.items[i]);
  for (uint32_t i = 0; i < u->s->nreads; i++)
    demand_of_read(u, t, session, u->s->reads[i]);
}

// --- Public.

// Backwards in the order, where the row of a reader is ready before those that
// it read from.
static void set_rows(struct unknowns *u, uint32_t first_session) {
  const uint32_t *session_first = u->s->m->h->session_first;
  const size_t n = (size_t)u->nrows * CLOCK_COLUMNS;
  memset(u->first_member, 0xff, n * sizeof *u->first_member);
  for (uint32_t r = u->nreads; r-- > 0;) {
    const struct observed_read *read = &u->reads[r];
    const uint32_t session = u->session_of[read->reader];
    uint32_t *first = row_of(u, read->writer);
    for (int i = 0; session == NO_ID && i < CLOCK_COLUMNS; i++) {
      const uint32_t through = row_of(u, read->reader)[i];
      first[i] = through < first[i] ? through : first[i];
    }
    if (session - first_session >= CLOCK_COLUMNS)
      continue;
    const uint32_t place = read->reader - session_first[session] + 1;
    uint32_t *column = &first[session - first_session];
    *column = place < *column ? place : *column;
  }
}

static bool has_readers(const struct unknowns *u, uint32_t writer) {
  const uint32_t *first = row_of(u, writer);
  bool any = false;
  for (int i = 0; i < CLOCK_COLUMNS; i++)
    any |= first[i] != UINT32_MAX;
  return any;
}

void unknowns_begin(struct unknowns *u, uint32_t first_session) {
  const struct model *m = u->s->m;
  set_rows(u, first_session);
  for (uint32_t i = 0; i < u->writes.first[m->h->nkeys]; i++)
    u->known_by[i] =
        has_readers(u, m->txn_of[u->writes.items[i]]) ? NO_ID : NO_READERS;
  memset(u->known_first, 0xff, m->h->nkeys * sizeof *u->known_first);
}

static void number_rows(struct unknowns *u, const uint32_t *order,
                        uint32_t norder) {
  u->row = xmalloc(u->s->m->h->ntxns * sizeof *u->row);
  for (uint32_t i = 0; i < norder; i++) {
    u->row[order[i]] = u->nrows;
    u->nrows += is_unknown(u, order[i]);
  }
}

static uint32_t key_of_op(const void *context, uint32_t op) {
  const struct unknown_writes *writes = context;
  return writes->h->key[writes->ops.items[op]];
}

static void list_writes(struct unknowns *u, const uint32_t *order,
                        uint32_t norder) {
  const struct history *h = u->s->m->h;
  struct unknown_writes writes = {.h = h};
  for (uint32_t i = 0; i < norder; i++)
    for (uint32_t op = h->txn_first[order[i]];
         is_unknown(u, order[i]) && op < h->txn_first[order[i] + 1]; op++)
      if (is_final(u->s->m, op))
        ids_add(&writes.ops, op);
  u->writes = buckets_make(h->nkeys, writes.ops.count, key_of_op, &writes);
  for (uint32_t i = 0; i < writes.ops.count; i++)
    u->writes.items[i] = writes.ops.items[u->writes.items[i]];
  u->known_by = xmalloc(writes.ops.count * sizeof *u->known_by);
  u->known_first = xmalloc(h->nkeys * sizeof *u->known_first);
  free(writes.ops.items);
}

bool unknowns_open(struct unknowns *u, struct saturation *s,
                   const uint32_t *session_of, const uint32_t *clocks,
                   const uint32_t *order, uint32_t norder) {
  const struct history *h = s->m->h;
  *u = (struct unknowns){.s = s, .session_of = session_of, .clocks = clocks};
  number_rows(u, order, norder);
  if (!u->nrows)
    return false;
  list_writes(u, order, norder);
  u->first_member =
      xmalloc((size_t)u->nrows * CLOCK_COLUMNS * sizeof *u->first_member);
  u->met = xcalloc(h->ntxns, sizeof *u->met);
  for (uint32_t i = 0; i < norder; i++)
    note_reads(u, order[i]);
  return true;
}

void unknowns_close(struct unknowns *u) {
  buckets_free(&u->writes);
  FREE_EACH(u->row, u->first_member, u->reads, u->known_by, u->known_first,
            u->met, u->queue.items, u->seen.items);
}
