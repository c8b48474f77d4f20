// SPDX-License-Identifier: GPL-3.0-or-later
// Goes through the events of a history in the order of their times
// (recorder/formats/events.h).
#include "config.h"

#include "recorder/formats/events.h"

#include "base/memory.h"

#include <stdlib.h>

// A session and its next event; sessions are in a heap, the earliest on top.
struct event_session {
  uint64_t time;
  uint32_t id, txn;
  bool invoked, alone;
};

struct merging {
  struct export_writing *w;
  void (*tell)(void *context, const struct call_event *event);
  void *context;
  struct event_session *heap;
  uint32_t count;
  uint64_t index;
};

static bool session_is_earlier(const struct event_session *a,
                               const struct event_session *b) {
  if (a->time != b->time)
    return a->time < b->time;
  return !a->invoked && b->invoked; // so instants that touch overlap
}

static void sink(struct merging *m, uint32_t i) {
  for (;;) {
    uint32_t least = i;
    for (uint32_t child = 2 * i + 1; child <= 2 * i + 2; child++)
      if (child < m->count &&
          session_is_earlier(&m->heap[child], &m->heap[least]))
        least = child;
    if (least == i)
      return;
    const struct event_session s = m->heap[i];
    m->heap[i] = m->heap[least];
    m->heap[least] = s;
    i = least;
  }
}

// A completion stands somewhere, so that one of a committed transaction whose
// end is not known would say that it had ended before what comes behind it.
// Goes to the next transaction of the session; false if there is none.
static bool next_txn(struct export_writing *w, struct event_session *s) {
  const struct history *h = w->h;
  uint32_t t;
  if (!writing_next(w, s->id, &t))
    return false;
  s->txn = t;
  const uint64_t begin = h->begin ? h->begin[t] : TIME_UNKNOWN;
  const bool ends =
      h->outcome[t] != OUTCOME_OK || (h->end && h->end[t] != TIME_UNKNOWN);
  s->invoked = s->alone = begin == TIME_UNKNOWN || !ends;
  if (!s->alone)
    s->time = begin;
  return true;
}

static void tell_next(struct merging *m) {
  const struct history *h = m->w->h;
  struct event_session *s = &m->heap[0];
  const uint32_t t = s->txn;
  const uint64_t end = h->end ? h->end[t] : TIME_UNKNOWN;
  const struct call_event event = {.index = m->index++,
                                   .session = s->id,
                                   .txn = t,
                                   .invocation = !s->invoked,
                                   .alone = s->alone,
                                   .time = s->invoked ? end : s->time};
  m->tell(m->context, &event);
  if (!s->invoked) {
    s->invoked = true;
    s->time = end == TIME_UNKNOWN ? s->time : end;
  } else if (!next_txn(m->w, s))
    m->heap[0] = m->heap[--m->count];
  sink(m, 0);
}

void events_tell(struct export_writing *w,
                 void (*tell)(void *context, const struct call_event *event),
                 void *context) {
  const uint32_t nsessions = w->h->nsessions;
  struct merging m = {.w = w, .tell = tell, .context = context};
  m.heap = xmalloc(nsessions * sizeof *m.heap);
  for (uint32_t i = 0; i < nsessions; i++) {
    struct event_session s = {.id = i};
    writing_start(w, i);
    if (next_txn(w, &s))
      m.heap[m.count++] = s;
  }
  for (uint32_t i = m.count; i-- > 0;)
    sink(&m, i);
  while (m.count && !w->failed)
    tell_next(&m);
  free(m.heap);
}
