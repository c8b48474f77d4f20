// SPDX-License-Identifier: GPL-3.0-or-later
// Each session goes once through what others saw of those that stand apart, as
// far as its clocks have come, so that all take O(n k) time and O(n) memory.
// Readers that stand apart themselves go on from there, each by itself.
#include "config.h"

#include "checker/weak/unknown_observers.h"

#include "base/ids.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t *clock_of(const struct apart *a, uint32_t t) {
  return a->clocks + (size_t)t * CLOCK_COLUMNS;
}

static bool stands_apart(const struct apart *a, uint32_t t) {
  return a->session_of[t] == NO_ID;
}

// Lists those that stand apart which t has read from, as often as it has.
static void list_seen(struct apart *a, uint32_t t) {
  const struct model *m = a->s->m;
  a->nseen = 0;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    const struct shown shown = shown_first_by(m, op);
    for (uint32_t i = 0; i < shown.count; i++) {
      if (!stands_apart(a, writer_of(m, shown.write[i])))
        continue;
      ARRAY_RESERVE(a->seen, a->nseen, a->seen_room);
      a->seen[a->nseen++] = writer_of(m, shown.write[i]);
    }
  }
}

// --- Sights.

static void note_sights(struct apart *a, uint32_t t) {
  list_seen(a, t);
  for (uint32_t i = 0; i < a->nseen; i++) {
    ARRAY_RESERVE(a->sights, a->nsights, a->sights_room);
    a->sights[a->nsights++] = (struct sight){t, a->seen[i]};
  }
}

static void find_sights(struct apart *a) {
  const struct model *m = a->s->m;
  const struct history *h = m->h;
  for (uint32_t s = 0; s < h->nsessions; s++) {
    a->sight_first[s] = a->nsights;
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++)
      if (m->counted[t] && !stands_apart(a, t))
        note_sights(a, t);
  }
  a->sight_first[h->nsessions] = a->nsights;
}

// --- What is observed.

static void meet(struct apart *a, uint32_t t, uint32_t search) {
  if (a->met[t] == search || a->met[t] == a->session)
    return;
  a->met[t] = search;
  a->queue[a->nqueue++] = t;
}

static void meet_seen_by(struct apart *a, uint32_t t, uint32_t search) {
  list_seen(a, t);
  for (uint32_t i = 0; i < a->nseen; i++)
    meet(a, a->seen[i], search);
}

static void pend(struct apart *a, uint32_t write, uint32_t by) {
  uint32_t *first = &a->pending_first[a->s->m->h->key[write]];
  ARRAY_RESERVE(a->pending, a->npending, a->pending_room);
  a->pending[a->npending] = (struct pending){write, by, *first};
  *first = a->npending++;
}

static void pend_writes(struct apart *a, uint32_t t, uint32_t by) {
  const struct model *m = a->s->m;
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
    if (is_final(m, op))
      pend(a, op, by);
}

// And those of its past that stand apart, too.
static void meet_with_past(struct apart *a, const struct sight *sight,
                           uint32_t search) {
  uint32_t i = a->nqueue;
  meet(a, sight->writer, search);
  for (; i < a->nqueue; i++) {
    meet_seen_by(a, a->queue[i], search);
    if (search == a->session)
      pend_writes(a, a->queue[i], sight->reader);
  }
}

// What the members of the session saw that come before `end`.  Returns the
// first sight after that.
static uint32_t meet_seen_in(struct apart *a, uint32_t session, uint32_t end,
                             uint32_t search) {
  uint32_t i = a->sight_at[session];
  for (; i < a->sight_first[session + 1] && a->sights[i].reader < end; i++)
    meet_with_past(a, &a->sights[i], search);
  return i;
}

void apart_observe(struct apart *a, uint32_t t) {
  const struct history *h = a->s->m->h;
  const bool member = !stands_apart(a, t);
  const uint32_t search = member ? a->session : ++a->now;
  const uint32_t *clock = clock_of(a, t);
  a->nqueue = 0;
  for (uint32_t s = a->first; s < a->end; s++) {
    const uint32_t end = h->session_first[s] + clock[s - a->first];
    const uint32_t at = meet_seen_in(a, s, end, search);
    if (member)
      a->sight_at[s] = at;
  }
  if (member)
    return;
  uint32_t i = a->nqueue;
  meet_seen_by(a, t, search);
  for (; i < a->nqueue; i++)
    meet_seen_by(a, a->queue[i], search);
}

// --- What is demanded.

// What the session reads next of the key comes after what it read now, and so
// after all that this comes after.
static void replace_pending(struct apart *a, uint32_t read) {
  const struct model *m = a->s->m;
  const uint32_t version = saturation_seen(m, read);
  a->pending_first[m->h->key[read]] = NO_ID;
  if (!is_initial(m, version) && stands_apart(a, writer_of(m, version)))
    pend(a, version, m->txn_of[read]);
}

// Had the writer of the version observed that member of a session at hand?
// Then it comes after all that this saw.
static bool is_known_before(const struct apart *a, uint32_t member,
                            uint32_t version) {
  const struct model *m = a->s->m;
  const uint32_t session = a->session_of[member];
  return !is_initial(m, version) && session >= a->first && session < a->end &&
         clock_of(a, writer_of(m, version))[session - a->first] >
             member - m->h->session_first[session];
}

static void demand_pending(struct apart *a, uint32_t read) {
  const uint32_t version = saturation_seen(a->s->m, read);
  for (uint32_t i = a->pending_first[a->s->m->h->key[read]]; i != NO_ID;
       i = a->pending[i].next)
    if (!is_known_before(a, a->pending[i].by, version))
      saturation_demand(a->s, a->pending[i].write, read);
}

void apart_demand(struct apart *a, uint32_t t) {
  const bool member = !stands_apart(a, t);
  for (uint32_t i = 0; i < a->s->nreads; i++) {
    demand_pending(a, a->s->reads[i]);
    if (member)
      replace_pending(a, a->s->reads[i]);
  }
  for (uint32_t i = 0; !member && i < a->nqueue; i++)
    saturation_match_writer(a->s, t, 0, a->queue[i]);
}

// --- Public.

void apart_begin(struct apart *a, uint32_t first, uint32_t end) {
  a->first_behind[a->s->m->h->ntxns] = NO_ID;
  memset(a->met, 0, a->s->m->h->ntxns * sizeof *a->met);
  a->now = 0;
  a->first = first;
  a->end = end;
}

// The last one at hand that was observed; if there is none, one more than all.
static uint32_t last_member(const struct apart *a, const uint32_t *clock) {
  const struct history *h = a->s->m->h;
  uint32_t last = h->ntxns;
  for (uint32_t s = a->first; s < a->end; s++) {
    const uint32_t t = h->session_first[s] + clock[s - a->first] - 1;
    if (clock[s - a->first] &&
        (last == h->ntxns || a->place[t] > a->place[last]))
      last = t;
  }
  return last;
}

void apart_place(struct apart *a, uint32_t t, uint32_t place) {
  a->place[t] = place;
  a->first_behind[t] = NO_ID;
  if (!stands_apart(a, t))
    return;
  uint32_t *behind = &a->first_behind[last_member(a, clock_of(a, t))];
  a->next_behind[t] = *behind;
  *behind = t;
}

void apart_begin_session(struct apart *a) {
  for (uint32_t s = a->first; s < a->end; s++)
    a->sight_at[s] = a->sight_first[s];
  for (uint32_t i = 0; i < a->npending; i++)
    a->pending_first[a->s->m->h->key[a->pending[i].write]] = NO_ID;
  a->npending = 0;
  a->session = ++a->now;
}

static uint32_t count_apart(const struct apart *a) {
  const struct history *h = a->s->m->h;
  uint32_t count = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    count += stands_apart(a, t);
  return count;
}

bool apart_open(struct apart *a, struct saturation *s,
                const uint32_t *session_of, const uint32_t *clocks) {
  const struct history *h = s->m->h;
  *a = (struct apart){.s = s, .session_of = session_of, .clocks = clocks};
  const uint32_t count = count_apart(a);
  if (!count)
    return false;
  a->sight_first = xmalloc(((size_t)h->nsessions + 1) * sizeof *a->sight_first);
  a->sight_at = xmalloc(h->nsessions * sizeof *a->sight_at);
  a->met = xmalloc(h->ntxns * sizeof *a->met);
  a->queue = xmalloc(count * sizeof *a->queue);
  a->place = xmalloc(h->ntxns * sizeof *a->place);
  a->first_behind = xmalloc(((size_t)h->ntxns + 1) * sizeof *a->first_behind);
  a->next_behind = xmalloc(h->ntxns * sizeof *a->next_behind);
  a->pending_first = ids_none(h->nkeys);
  find_sights(a);
  return true;
}

void apart_close(struct apart *a) {
  void *const owned[] = {a->sights,       a->sight_first, a->sight_at,
                         a->met,          a->queue,       a->place,
                         a->first_behind, a->next_behind, a->pending_first,
                         a->pending,      a->seen};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
}
