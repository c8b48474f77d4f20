// SPDX-License-Identifier: GPL-3.0-or-later
// Finds who met whom (checker/chances/meeting.h).  In a session transactions
// follow one another, so that the first one to meet is found by their ends.
#include "config.h"

#include "checker/chances/meeting.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void calendar_open(struct calendar *c, const struct history *history,
                   struct footprints *footprints) {
  *c = (struct calendar){
      .history = history,
      .footprints = footprints,
      .cursor = xmalloc((history->nsessions + (size_t)1) * sizeof *c->cursor)};
  calendar_rewind(c);
}

void calendar_close(struct calendar *c) {
  free(c->cursor);
  *c = (struct calendar){0};
}

void calendar_rewind(struct calendar *c) {
  c->steps += c->history->nsessions / 8;
  memcpy(c->cursor, c->history->session_first,
         c->history->nsessions * sizeof *c->cursor);
}

// The end of t's time, at most the begin of the session's next transaction up
// to `last`.
static uint64_t end_of(const struct history *h, uint32_t t, uint32_t last) {
  return t < last && h->begin[t + 1] < h->end[t] ? h->begin[t + 1] : h->end[t];
}

// The first transaction of a session from `t` on that has not ended before the
// time; `end` if all have.  In steps that double, and back.
static uint32_t first_open(struct calendar *c, uint32_t t, uint32_t end,
                           uint64_t time) {
  const struct history *h = c->history;
  uint32_t step = 1, low = t; // all before `low` have ended
  while (low < end && end_of(h, low, end - 1) < time) {
    low += 1;
    step *= 2;
    c->steps++;
    const uint32_t far = end - low > step ? low + step : end - 1;
    if (far > low && far < end && end_of(h, far, end - 1) < time)
      low = far;
    else
      step = 1;
  }
  return low;
}

// Compares the uses of the keys that both transactions touched.
static void compare(struct calendar *c, const struct footprint *own,
                    struct meeting *m) {
  const struct footprint other = footprint_of(c->footprints, m->other);
  uint32_t i = 0, j = 0;
  while (i < own->count && j < other.count) {
    const uint32_t key = own->key[i], theirs = other.key[j];
    if (key == theirs) {
      const uint64_t bit = UINT64_C(1) << i;
      m->other_reads |= other.use[j] & USE_READ ? bit : 0;
      m->other_writes |= other.use[j] & USE_WRITE ? bit : 0;
      m->other_rewrites |= other.use[j] & USE_REWRITE ? bit : 0;
      m->other_leaves |= other.use[j] & USE_LEAVE ? bit : 0;
    }
    i += key <= theirs;
    j += theirs <= key;
  }
  c->steps += i + j;
}

static struct meeting meeting_of(const struct footprint *own, uint32_t txn) {
  struct meeting m = {.txn = txn};
  for (uint32_t i = 0; i < own->count; i++) {
    const uint64_t bit = UINT64_C(1) << i;
    m.reads |= own->use[i] & USE_READ ? bit : 0;
    m.rereads |= own->use[i] & USE_REREAD ? bit : 0;
    m.writes |= own->use[i] & USE_WRITE ? bit : 0;
    m.lists |= own->use[i] & USE_READ_LIST ? bit : 0;
  }
  return m;
}

static void keep(struct meetings *meetings, const struct meeting *meeting) {
  if (meetings->count == meetings->room) {
    meetings->room = 2 * meetings->room + 16;
    meetings->items =
        xrealloc(meetings->items, meetings->room, sizeof *meetings->items);
  }
  meetings->items[meetings->count++] = *meeting;
}

// Those with the transactions of one other session.
static void find_in_session(struct calendar *c, const struct footprint *own,
                            struct meeting *m, uint64_t ended,
                            struct meetings *meetings) {
  const struct history *h = c->history;
  const uint32_t end = h->session_first[m->session + 1];
  uint32_t *cursor = &c->cursor[m->session];
  *cursor = first_open(c, *cursor, end, h->begin[m->txn]);
  c->steps++;
  for (uint32_t u = *cursor; u < end && h->begin[u] <= ended; u++) {
    m->other = u;
    m->other_reads = m->other_writes = 0;
    m->other_rewrites = m->other_leaves = 0;
    compare(c, own, m);
    if (m->other_writes || (m->other_reads & m->writes))
      keep(meetings, m);
  }
}

void calendar_find(struct calendar *c, uint32_t session, uint32_t txn,
                   struct meetings *meetings) {
  const struct history *h = c->history;
  const struct footprint own = footprint_of(c->footprints, txn);
  struct meeting m = meeting_of(&own, txn);
  const uint64_t ended = end_of(h, txn, h->session_first[session + 1] - 1);
  meetings->count = 0;
  for (m.session = 0; m.session < h->nsessions; m.session++)
    if (m.session != session)
      find_in_session(c, &own, &m, ended, meetings);
}
