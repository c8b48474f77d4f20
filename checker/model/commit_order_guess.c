// SPDX-License-Identifier: GPL-3.0-or-later
// Guesses the order in which transactions committed: that in which they ended.
#include "config.h"

#include "checker/model/model.h"

#include "base/memory.h"
#include "checker/model/time_events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  SPAN_TXNS = 1 << 12, // in a span, about: what the cache can hold
  TIME_BITS = 64
};

// The time of the run cut into spans of the same length.
struct spans {
  uint64_t low;   // when the first begins
  unsigned shift; // the binary logarithm of their length
  uint32_t count;
  uint32_t *place; // per span: where its next transaction goes
};

static uint32_t span_of(const struct spans *s, uint64_t time) {
  return (uint32_t)((time - s->low) >> s->shift);
}

static struct spans cut_time(const struct model *m) {
  struct spans s = {.low = UINT64_MAX};
  uint64_t high = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++) {
    const uint64_t end = history_ended(m->h, t);
    if (!m->counted[t] || end == TIME_UNKNOWN)
      continue;
    s.low = end < s.low ? end : s.low;
    high = end > high ? end : high;
  }
  const uint64_t length = high > s.low ? high - s.low : 0;
  while (s.shift < TIME_BITS - 1 && length >> s.shift > m->nguess / SPAN_TXNS)
    s.shift++;
  s.count = (uint32_t)(length >> s.shift) + 1;
  s.place = xcalloc((size_t)s.count + 1, sizeof *s.place);
  return s;
}

// Deals the transactions out to their spans, and those whose end is not known
// behind all others.  Returns how many of these there are.
static uint32_t deal_out(const struct model *m, struct spans *s) {
  uint32_t nunknown = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++) {
    const uint64_t end = history_ended(m->h, t);
    if (m->counted[t] && end != TIME_UNKNOWN)
      s->place[span_of(s, end) + 1]++;
  }
  for (uint32_t i = 0; i < s->count; i++)
    s->place[i + 1] += s->place[i];
  for (uint32_t t = 0; t < m->h->ntxns; t++) {
    if (!m->counted[t])
      continue;
    const uint64_t end = history_ended(m->h, t);
    if (end == TIME_UNKNOWN)
      m->guess[m->nguess - ++nunknown] = t;
    else
      m->guess[s->place[span_of(s, end)]++] = t;
  }
  return nunknown;
}

static void sort_span(const struct model *m, uint32_t *txn, uint32_t n,
                      struct instant *one, struct instant *other) {
  for (uint32_t i = 0; i < n; i++)
    one[i] = (struct instant){m->h->end[txn[i]], txn[i]};
  const struct instant *sorted = instants_sort(one, other, n);
  for (uint32_t i = 0; i < n; i++)
    txn[i] = sorted[i].id;
}

// Span by span: sorting all of them at once would move each through memory as
// often as its time has digits.
static void guess_by_time(struct model *m) {
  struct spans s = cut_time(m);
  const uint32_t nknown = m->nguess - deal_out(m, &s);
  uint32_t longest = 0; // every place has moved to the end of its span
  for (uint32_t i = 0, first = 0; i < s.count; first = s.place[i++])
    if (s.place[i] - first > longest)
      longest = s.place[i] - first;
  struct instant *one = xmalloc(longest * sizeof *one);
  struct instant *other = xmalloc(longest * sizeof *other);
  for (uint32_t i = 0, first = 0;
       i < s.count && !patience_ends(&m->patience, 1 + s.place[i] - first);
       first = s.place[i++])
    sort_span(m, m->guess + first, s.place[i] - first, one, other);
  assert(s.place[s.count - 1] == nknown);
  FREE_EACH(one, other, s.place);
}

// The first of every session, then the second of every session that has one...
static void guess_by_place(const struct model *m) {
  const struct history *h = m->h;
  uint32_t n = 0, nleft = h->nsessions;
  uint32_t *left = xmalloc(nleft * sizeof *left); // those with more
  for (uint32_t s = 0; s < nleft; s++)
    left[s] = s;
  for (uint32_t i = 0; nleft; i++) {
    const uint32_t nbefore = nleft;
    nleft = 0;
    for (uint32_t k = 0; k < nbefore; k++) {
      const uint32_t s = left[k], t = h->session_first[s] + i;
      if (t >= h->session_first[s + 1])
        continue;
      left[nleft++] = s;
      if (m->counted[t])
        m->guess[n++] = t;
    }
  }
  free(left);
}

void guess_make(struct model *m) {
  m->nguess = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++)
    m->nguess += m->counted[t];
  m->guess = xmalloc(m->nguess * sizeof *m->guess);
  if (m->h->end)
    guess_by_time(m);
  else
    guess_by_place(m);
}
