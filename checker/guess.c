// SPDX-License-Identifier: GPL-3.0-or-later
// Guesses the order in which transactions committed: that in which they ended.
#include "config.h"

#include "checker/order.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, NDIGITS = 1 << DIGIT_BITS };

struct instant {
  uint64_t time;
  uint32_t txn;
};

static unsigned digit(uint64_t time, unsigned shift) {
  return (unsigned)(time >> shift) & (NDIGITS - 1);
}

// One pass of a radix sort.
static void sort_by_digit(const struct instant *from, struct instant *to,
                          uint32_t n, unsigned shift) {
  uint32_t place[NDIGITS] = {0};
  for (uint32_t i = 0; i < n; i++)
    place[digit(from[i].time, shift)]++;
  uint32_t sum = 0;
  for (unsigned d = 0; d < NDIGITS; d++) {
    const uint32_t count = place[d];
    place[d] = sum;
    sum += count;
  }
  for (uint32_t i = 0; i < n; i++)
    to[place[digit(from[i].time, shift)]++] = from[i];
}

// Returns whichever of the two arrays holds the result.
static struct instant *sort(struct instant *instants, struct instant *spare,
                            uint32_t n) {
  uint64_t low = UINT64_MAX, high = 0;
  for (uint32_t i = 0; i < n; i++) {
    low = instants[i].time < low ? instants[i].time : low;
    high = instants[i].time > high ? instants[i].time : high;
  }
  for (uint32_t i = 0; i < n; i++)
    instants[i].time -= low;
  for (unsigned shift = 0; n && shift < 64 && (high - low) >> shift;
       shift += DIGIT_BITS) {
    sort_by_digit(instants, spare, n, shift);
    struct instant *sorted = spare;
    spare = instants;
    instants = sorted;
  }
  return instants;
}

static void guess_by_time(const struct model *m, uint32_t *guess, uint32_t n) {
  struct instant *one = xmalloc(n * sizeof *one);
  struct instant *other = xmalloc(n * sizeof *other);
  uint32_t nknown = 0, nunknown = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++) {
    if (!m->counted[t])
      continue;
    const uint64_t end = ended(m->h, t);
    if (end == TIME_UNKNOWN)
      guess[n - ++nunknown] = t;
    else
      one[nknown++] = (struct instant){end, t};
  }
  const struct instant *sorted = sort(one, other, nknown);
  for (uint32_t i = 0; i < nknown; i++)
    guess[i] = sorted[i].txn;
  free(one);
  free(other);
}

// The first of every session, then the second of every session...
static void guess_by_place(const struct model *m, uint32_t *guess) {
  const struct history *h = m->h;
  uint32_t n = 0;
  bool more = true;
  for (uint32_t i = 0; more; i++) {
    more = false;
    for (uint32_t s = 0; s < h->nsessions; s++) {
      if (i >= h->session_first[s + 1] - h->session_first[s])
        continue;
      more = true;
      if (m->counted[h->session_first[s] + i])
        guess[n++] = h->session_first[s] + i;
    }
  }
}

uint32_t *order_guess(const struct model *m, uint32_t *n) {
  *n = 0;
  for (uint32_t t = 0; t < m->h->ntxns; t++)
    *n += m->counted[t];
  uint32_t *guess = xmalloc(*n * sizeof *guess);
  if (m->h->end)
    guess_by_time(m, guess, *n);
  else
    guess_by_place(m, guess);
  return guess;
}
