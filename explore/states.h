// SPDX-License-Identifier: GPL-3.0-or-later
// A set of states of a search over chains of events (explore/schedule.c): how
// many events of each chain were taken.
#ifndef EXPLORE_STATES_H
#define EXPLORE_STATES_H

#include "explore/program.h"

struct state {
  uint64_t sum;                      // tells states apart, nearly always
  uint16_t at[PROGRAM_MAX_TXNS + 1]; // by chain
};

// How much an event of the chain adds to the sum: any large odd numbers.
static inline uint64_t state_weight(uint32_t chain) {
  const uint64_t h = (chain + 1) * UINT64_C(0x9e3779b97f4a7c15);
  return (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
}

// Moves a chain on or back.
static inline void state_move(struct state *s, uint32_t chain, int by) {
  s->at[chain] = (uint16_t)(s->at[chain] + by);
  s->sum += (uint64_t)by * state_weight(chain);
}

struct state_bucket;

// With the number of chains, and zero for the rest, ready to use.
struct states {
  uint32_t nchains;
  uint16_t *all; // nchains each
  uint32_t n, room;
  struct state_bucket *buckets;
  uint32_t nbuckets;
};

bool states_has(const struct states *states, const struct state *state);
// The state is not there.
void states_add(struct states *states, const struct state *state);
void states_free(struct states *states);

#endif
