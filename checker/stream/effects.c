// SPDX-License-Identifier: GPL-3.0-or-later
// Goes through the operations of a transaction (checker/stream/effects.h).
#include "config.h"

#include "checker/stream/effects.h"

#include "base/memory.h"
#include "base/operation.h"

#include <assert.h>
#include <stdlib.h>

enum { FEW_KEYS = 16 }; // they are looked through one by one

static struct effect *add_effect(struct key_effects *e, uint64_t key) {
  ARRAY_RESERVE(e->effect, e->count, e->room);
  e->effect[e->count] = (struct effect){.key = key};
  return &e->effect[e->count++];
}

static struct effect *effect_among_few(struct key_effects *e, uint64_t key) {
  for (uint32_t i = 0; i < e->count; i++)
    if (e->effect[i].key == key)
      return &e->effect[i];
  return add_effect(e, key);
}

static struct effect *effect_among_many(struct key_effects *e, uint64_t key) {
  const uint32_t i = value_map_get(&e->place, key);
  if (i != UINT32_MAX)
    return &e->effect[i];
  value_map_set(&e->place, key, e->count);
  return add_effect(e, key);
}

static void note_read(struct effect *effect, uint64_t saw) {
  if (effect->writes)
    effect->odd |= saw != effect->wrote;
  else if (effect->reads)
    effect->odd |= saw != effect->saw;
  else
    effect->saw = saw;
  effect->reads |= !effect->writes;
}

void effects_of(struct key_effects *e, const struct flow_txn *txn) {
  const bool few = txn->nops <= FEW_KEYS;
  uint64_t write = txn->first_write;
  e->count = 0;
  value_map_clear(&e->place);
  for (uint32_t op = 0; op < txn->nops; op++) {
    const unsigned kind = txn->kind[op];
    assert(!op_is_list(kind));
    struct effect *effect =
        (few ? effect_among_few : effect_among_many)(e, txn->key[op]);
    if (op_reads(kind))
      note_read(effect, txn->saw[op]);
    if (op_writes(kind)) {
      effect->wrote = value_of_write(txn->session, write++);
      effect->writes = true;
    }
  }
}

void effects_free(struct key_effects *e) {
  free(e->effect);
  value_map_free(&e->place);
  *e = (struct key_effects){0};
}
