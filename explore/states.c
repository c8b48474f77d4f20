// SPDX-License-Identifier: GPL-3.0-or-later
// A hash table of states (explore/states.h).
#include "config.h"

#include "explore/states.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct state_bucket {
  uint32_t number; // of the state, from 1; 0: none
  uint32_t hash;
};

static uint32_t state_hash_of(const struct state *state) {
  return (uint32_t)(state->sum >> 32);
}

static uint16_t *state_place(const struct states *s, uint32_t number) {
  return s->all + (size_t)number * s->nchains;
}

bool states_has(const struct states *s, const struct state *state) {
  if (!s->nbuckets)
    return false;
  const uint32_t hash = state_hash_of(state);
  for (uint32_t at = hash;; at++) {
    const struct state_bucket b = s->buckets[at & (s->nbuckets - 1)];
    if (!b.number)
      return false;
    if (b.hash == hash && !memcmp(state_place(s, b.number - 1), state->at,
                                  s->nchains * sizeof *state->at))
      return true;
  }
}

static void put_explored_state(struct states *s, struct state_bucket b) {
  uint32_t at = b.hash;
  while (s->buckets[at & (s->nbuckets - 1)].number)
    at++;
  s->buckets[at & (s->nbuckets - 1)] = b;
}

static void make_state_room(struct states *s) {
  const uint32_t nold = s->nbuckets;
  struct state_bucket *old = s->buckets;
  s->room = s->room ? 2 * s->room : 64;
  s->all = xrealloc(s->all, (size_t)s->room * s->nchains, sizeof *s->all);
  s->nbuckets = 2 * s->room;
  s->buckets = xcalloc(s->nbuckets, sizeof *s->buckets);
  for (uint32_t i = 0; i < nold; i++)
    if (old[i].number)
      put_explored_state(s, old[i]);
  free(old);
}

void states_add(struct states *s, const struct state *state) {
  if (s->n == s->room)
    make_state_room(s);
  memcpy(state_place(s, s->n++), state->at, s->nchains * sizeof *state->at);
  put_explored_state(s, (struct state_bucket){s->n, state_hash_of(state)});
}

void states_free(struct states *s) {
  free(s->all);
  free(s->buckets);
}
