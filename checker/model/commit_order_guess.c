// SPDX-License-Identifier: GPL-3.0-or-later
// Guesses the order in which transactions committed: that in which they ended.
#include "config.h"

#include "checker/model/model.h"

#include "base/memory.h"
#include "checker/model/time_events.h"

#include <assert.h>
#include <stdlib.h>

static void guess_by_time(struct model *m) {
  struct instant *ends = xmalloc(m->nguess * sizeof *ends);
  struct instant *spare = xmalloc(m->nguess * sizeof *spare);
  uint32_t nknown = 0, nunknown = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++) {
    const uint64_t end = history_ended(m->h, t);
    if (m->counted[t] && end == TIME_UNKNOWN)
      m->guess[m->nguess - ++nunknown] = t;
    else if (m->counted[t])
      ends[nknown++] = (struct instant){end, t};
  }
  assert(nknown + nunknown == m->nguess);
  const struct instant *sorted = instants_sort(ends, spare, nknown);
  for (uint32_t i = 0; i < nknown; i++)
    m->guess[i] = sorted[i].id;
  FREE_EACH(ends, spare);
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
