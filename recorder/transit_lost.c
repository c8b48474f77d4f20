// SPDX-License-Identifier: GPL-3.0-or-later
// Leaves out what depends on lost writes in a history in transit, as
// history_counted does in memory (recorder/history.h): what counts and saw one
// of them, and whatever read from that.
//
// Who read from whom is on a spool, session by session, and is gone through in
// the order of time, so that most writers come before their readers.  Of
// stretches of it all is known at once, however their transactions read from
// each other.  One that read from a later stretch is found when all is gone
// through again; then stretches are twice as long, so that soon there is one.
#include "config.h"

#include "recorder/transiting.h"

#include "base/memory.h"
#include "recorder/bytes.h"

#include <stdlib.h>

enum { STRETCH_EDGES = 1 << 15 }; // of the first ones

struct edge {
  uint64_t writer, reader; // transactions
};

// A session and the time of its next record; they are in a heap, the earliest
// on top.
struct lane {
  uint64_t time;
  uint32_t session;
};

struct leaving {
  struct transit *transit;
  struct spool *spool;
  bool any; // something that was lost was seen

  // Putting records on the spool.
  unsigned char *record;
  size_t room;
  uint32_t session;
  uint64_t last; // time in that session

  // Going through them.
  struct spool_cursor *cursors; // by session
  struct lane *heap;
  uint32_t nlanes;
  struct edge *edges; // of the stretch, of transactions that are not left out
  size_t nedges, edge_room;
  uint64_t *todo; // left out in this stretch: who read from them?
  size_t ntodo, todo_room;
  uint64_t nleft;
  size_t stretch; // edges and transactions to do, before it ends
  bool again;     // there was more than one stretch, and something was left out
};

// --- Who read from whom.

static int by_first(const void *value, const void *range) {
  const uint64_t v = *(const uint64_t *)value;
  const struct value_range *r = range;
  return v < r->first ? -1 : v >= r->end;
}

bool transit_is_lost(const struct transit *transit, uint64_t value) {
  return transit->nlost && value != VALUE_NOBODYS &&
         bsearch(&value, transit->lost, transit->nlost, sizeof *transit->lost,
                 by_first);
}

static bool saw_lost(const struct transit *transit, uint32_t saw,
                     uint64_t value) {
  return transit_is_nobodys(transit, saw) && transit_is_lost(transit, value);
}

static bool list_saw_lost(const struct transit *transit, uint32_t list) {
  const struct history *h = &transit->at_hand;
  bool lost = false;
  for (uint32_t i = h->list[list].first; i < history_list_end(h, list) && !lost;
       i++)
    lost = saw_lost(transit, h->element[i], h->element_value[i]);
  return lost;
}

static bool op_saw_lost(const struct transit *transit, uint32_t op) {
  const struct history *h = &transit->at_hand;
  const uint32_t saw = h->saw[op];
  if (h->kind[op] == OP_READ_LIST)
    return list_saw_lost(transit, saw);
  return op_reads(h->kind[op]) &&
         saw_lost(transit, saw, saw < h->nops ? h->value[saw] : h->value[op]);
}

static bool txn_saw_lost(const struct transit *transit) {
  bool lost = false;
  for (uint32_t op = 0; op < transit->at_hand.txn_first[1] && !lost; op++)
    lost = op_saw_lost(transit, op);
  return lost;
}

// Of the one at hand, never before the one before it in its session.
static uint64_t time_of(struct leaving *l) {
  const struct transit *transit = l->transit;
  const struct history *h = &transit->at_hand;
  uint64_t time = TIME_UNKNOWN;
  if (transit->times)
    time = h->end[0] == TIME_UNKNOWN ? h->begin[0] : h->end[0];
  if (l->session != transit->hand_session)
    l->last = 0;
  l->session = transit->hand_session;
  if (time != TIME_UNKNOWN && time > l->last)
    l->last = time;
  return l->last;
}

static void reserve_record(struct leaving *l, uint32_t nwriters) {
  const size_t bytes = (3 + (size_t)nwriters) * PACKED_MAX;
  if (bytes <= l->room)
    return;
  free(l->record);
  l->record = xmalloc(2 * bytes);
  l->room = 2 * bytes;
}

// A record has a time, a number, those of the transactions that were read from,
// if that is of interest, and 0.
static int put_record(struct transit *transit, void *context) {
  struct leaving *l = context;
  const struct history *h = &transit->at_hand;
  const uint64_t time = time_of(l);
  if (!transit_counts(transit))
    return 0;
  const bool lost = txn_saw_lost(transit);
  if (!lost && h->nops == h->txn_first[1])
    return 0;
  reserve_record(l, h->nops - h->txn_first[1]);
  unsigned char *p = store_packed(l->record, time);
  p = store_packed(p, transit->number << 1 | lost);
  uint64_t before = transit->number;
  for (uint32_t i = h->txn_first[1]; i < h->nops && !lost; i++) {
    if (transit->name[i] < UINT64_MAX && transit->name[i] != before)
      p = store_packed(p, transit->name[i] + 1);
    before = transit->name[i];
  }
  p = store_packed(p, 0);
  spool_put(l->spool, transit->hand_session, l->record,
            (size_t)(p - l->record));
  l->any |= lost;
  return 0;
}

// --- What depends on it.

static void leave_out(struct leaving *l, uint64_t number) {
  struct transit *transit = l->transit;
  if (transit_is_left_out(transit, number))
    return;
  transit->left_out[number / 8] |= (uint8_t)(1 << number % 8);
  transit->content.bereft += !transit_is_unknown(transit, number);
  l->nleft++;
  ARRAY_RESERVE(l->todo, l->ntodo, l->todo_room);
  l->todo[l->ntodo++] = number;
}

static int by_writer(const void *a, const void *b) {
  const struct edge *x = a, *y = b;
  return (x->writer > y->writer) - (x->writer < y->writer);
}

static size_t first_edge_of(const struct leaving *l, uint64_t writer) {
  size_t low = 0, high = l->nedges;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (l->edges[middle].writer < writer)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void end_stretch(struct leaving *l) {
  if (l->ntodo && l->nedges)
    qsort(l->edges, l->nedges, sizeof *l->edges, by_writer);
  while (l->ntodo) {
    const uint64_t writer = l->todo[--l->ntodo];
    for (size_t i = first_edge_of(l, writer);
         i < l->nedges && l->edges[i].writer == writer; i++)
      leave_out(l, l->edges[i].reader);
  }
  l->nedges = 0;
}

// --- In the order of time.

static void sink(struct leaving *l, uint32_t i) {
  const struct lane lane = l->heap[i];
  for (uint32_t child; (child = 2 * i + 1) < l->nlanes; i = child) {
    if (child + 1 < l->nlanes && l->heap[child + 1].time < l->heap[child].time)
      child++;
    if (lane.time <= l->heap[child].time)
      break;
    l->heap[i] = l->heap[child];
  }
  l->heap[i] = lane;
}

// Goes to the next record of a session: 1 with its time; 0: there is none.
static int next_record(struct leaving *l, struct lane *lane,
                       struct error *error) {
  struct spool_cursor *c = &l->cursors[lane->session];
  const int more =
      c->p < c->end ? 1 : spool_more(l->spool, lane->session, c, error);
  if (more > 0)
    c->p = load_packed(c->p, &lane->time);
  return more;
}

// Takes what is behind the time.
static void take_record(struct leaving *l, struct spool_cursor *c) {
  const size_t first = l->nedges;
  uint64_t reader, writer;
  c->p = load_packed(c->p, &reader);
  bool out = reader & 1;
  reader >>= 1;
  out |= transit_is_left_out(l->transit, reader);
  for (c->p = load_packed(c->p, &writer); writer;
       c->p = load_packed(c->p, &writer)) {
    out |= transit_is_left_out(l->transit, writer - 1);
    ARRAY_RESERVE(l->edges, l->nedges, l->edge_room);
    l->edges[l->nedges++] = (struct edge){writer - 1, reader};
  }
  if (!out)
    return;
  l->nedges = first;
  leave_out(l, reader);
}

static int open_lanes(struct leaving *l, struct error *error) {
  const uint32_t n = l->transit->at_hand.nsessions;
  l->nlanes = 0;
  for (uint32_t s = 0; s < n; s++) {
    struct lane lane = {.session = s};
    const int more = next_record(l, &lane, error);
    if (more < 0)
      return -1;
    if (more)
      l->heap[l->nlanes++] = lane;
  }
  for (uint32_t i = l->nlanes / 2; i-- > 0;)
    sink(l, i);
  return 0;
}

static void close_lanes(struct leaving *l) {
  for (uint32_t s = 0; s < l->transit->at_hand.nsessions; s++) {
    spool_cursor_free(&l->cursors[s]);
    l->cursors[s] = (struct spool_cursor){0};
  }
}

static int go_through(struct leaving *l, struct error *error) {
  const uint64_t nleft = l->nleft;
  bool several = false;
  int more = open_lanes(l, error);
  while (more >= 0 && l->nlanes) {
    struct lane *top = &l->heap[0];
    take_record(l, &l->cursors[top->session]);
    more = next_record(l, top, error);
    if (more == 0)
      l->heap[0] = l->heap[--l->nlanes];
    sink(l, 0);
    if (l->nedges + l->ntodo >= l->stretch) {
      end_stretch(l);
      several = true;
    }
  }
  end_stretch(l);
  close_lanes(l);
  l->again = several && l->nleft > nleft;
  return more < 0 ? -1 : 0;
}

static int leave_out_all(struct leaving *l, struct error *error) {
  struct transit *transit = l->transit;
  const uint32_t n = transit->at_hand.nsessions;
  int status = 0;
  transit->left_out = xcalloc(transit->first[n].txns / 8 + 1, 1);
  l->cursors = xcalloc(n, sizeof *l->cursors);
  l->heap = xcalloc(n, sizeof *l->heap);
  l->stretch = STRETCH_EDGES;
  for (l->again = true; l->again && status == 0; l->stretch *= 2)
    status = go_through(l, error);
  free(l->cursors);
  free(l->heap);
  free(l->edges);
  free(l->todo);
  return status;
}

int transit_leave_out(struct transit *transit, struct error *error) {
  struct leaving l = {.transit = transit, .session = UINT32_MAX};
  l.spool = spool_open(transit->beside, error);
  if (!l.spool)
    return -1;
  transit_rewind(transit);
  int status = transit_visit(transit, put_record, &l, error);
  if (status == 0)
    status = spool_finish(l.spool, error);
  if (status == 0 && l.any)
    status = leave_out_all(&l, error);
  spool_close(l.spool);
  free(l.record);
  return status;
}
