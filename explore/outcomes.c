// SPDX-License-Identifier: GPL-3.0-or-later
// A hash set of outcomes (explore/outcomes.h).
#include "config.h"

#include "explore/outcomes.h"

#include "base/memory.h"
#include "explore/serial.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 256 };

static uint64_t mixed_outcome(uint64_t h, uint64_t v) {
  h = (h ^ v) * UINT64_C(0xbf58476d1ce4e5b9);
  return h ^ h >> 31;
}

void outcome_mix(struct outcome_key *key, uint64_t value) {
  key->a = mixed_outcome(key->a, value);
  key->b = mixed_outcome(key->b + 1, value);
  key->a += !key->a; // 0 is a free slot
}

static void mix_answers(struct outcome_key *key, const struct partial *p,
                        const struct program_block *b) {
  if (p->program->answers)
    outcome_mix(key, value_hash(p->pool, b->told));
  for (uint32_t r = b->first_read; !p->program->answers && r < b->end_read; r++)
    outcome_mix(key, value_hash(p->pool, p->reads[r].v));
}

// The values that are left, and the keys of which the history does not say who
// wrote last.
struct rest {
  uint64_t a, b, open;
};

// Keys in the order of the pool differ between threads, so that what is left
// of them is added up.
static struct rest rest_of(const struct partial *p) {
  struct rest rest = {0, 0, 0};
  for (uint32_t key = 0; key < p->pool->nkeys; key++) {
    uint32_t last;
    if (!history_last_writer(p, key, &last)) {
      rest.open += key_hash(p->pool, key);
    } else if (last) {
      const uint64_t hash = key_hash(p->pool, key),
                     value = value_hash(p->pool, partial_written(p, last, key));
      rest.a += mixed_outcome(hash + 1, value);
      rest.b += mixed_outcome(hash + 2, value);
    }
  }
  return rest;
}

struct outcome_key outcome_of(const struct partial *p,
                              struct outcome_key *question) {
  struct outcome_key key = {1, 2};
  uint64_t open = 0;
  for (uint32_t t = 1; t <= p->program->ntxns; t++) {
    const struct program_block *b = &p->blocks[p->position[t] - 1];
    mix_answers(&key, p, b);
    key.a = mixed_outcome(key.a, b->rolled_back);
    key.b = mixed_outcome(key.b, 2 + b->rolled_back);
  }
  if (p->program->answers) {
    const struct rest rest = rest_of(p);
    key.a = mixed_outcome(key.a, rest.a);
    key.b = mixed_outcome(key.b, rest.b);
    open = rest.open;
  }
  key.a += !key.a; // 0 is a free slot
  if (question) {
    *question = key;
    outcome_mix(question, open);
  }
  return key;
}

static bool put_explored_outcome(struct outcomes *o, struct outcome_key key) {
  uint64_t at = key.a;
  for (;; at++) {
    struct outcome_key *slot = &o->slots[at & (o->nslots - 1)];
    if (slot->a == key.a && slot->b == key.b)
      return false;
    if (!slot->a) {
      *slot = key;
      return true;
    }
  }
}

static void grow_outcomes(struct outcomes *o) {
  struct outcomes larger = {.nslots = o->nslots ? 2 * o->nslots : FIRST_SLOTS};
  larger.slots = xcalloc(larger.nslots, sizeof *larger.slots);
  for (uint64_t i = 0; i < o->nslots; i++)
    if (o->slots[i].a)
      put_explored_outcome(&larger, o->slots[i]);
  free(o->slots);
  o->slots = larger.slots;
  o->nslots = larger.nslots;
}

static bool is_full(const struct outcomes *o) {
  return 2 * o->count >= o->nslots;
}

size_t outcomes_growth(const struct outcomes *o) {
  return is_full(o) ? 2 * o->nslots * sizeof *o->slots : 0;
}

bool outcomes_add(struct outcomes *o, struct outcome_key key) {
  if (is_full(o))
    grow_outcomes(o);
  const bool is_new = put_explored_outcome(o, key);
  o->count += is_new;
  return is_new;
}

void outcomes_free(struct outcomes *o) {
  free(o->slots);
  *o = (struct outcomes){0};
}
