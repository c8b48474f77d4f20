// SPDX-License-Identifier: GPL-3.0-or-later
// The versions of each key (drivers/memory/store.h): hash tables of chains.
#include "config.h"

#include "drivers/memory/store.h"

#include "base/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SHARD_BITS = 6, SHARDS = 1 << SHARD_BITS, FIRST_SLOTS = 16 };

// The versions of one key.  Most keys of a large keyspace have one version.
struct key_chain {
  uint64_t key;
  uint32_t count, room;
  bool forgot; // the initial version cannot be read any more
  struct version *versions;
  uint64_t *elements; // of a list: all that were ever appended
  uint64_t nelements, elements_room;
};

// An open hash table; the chains stay where they are.
struct shard {
  pthread_mutex_t lock;
  uint32_t nslots, nchains; // slots: a power of two, at most half in use
  struct key_chain **slots;
  struct arena arena;
} __attribute__((aligned(64)));

struct store {
  _Atomic uint64_t published;
  struct shard shards[SHARDS];
};

static const struct version initial_version = {0, VALUE_INITIAL, UINT32_MAX};

// The finaliser of MurmurHash3: every bit of a key reaches every bit.
static uint64_t hash(uint64_t key) {
  key = (key ^ (key >> 33)) * UINT64_C(0xff51afd7ed558ccd);
  key = (key ^ (key >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
  return key ^ (key >> 33);
}

static struct shard *lock_shard(struct store *store, uint64_t hashed) {
  struct shard *shard = &store->shards[hashed >> (64 - SHARD_BITS)];
  pthread_mutex_lock(&shard->lock);
  return shard;
}

static void unlock(struct shard *shard) { pthread_mutex_unlock(&shard->lock); }

// The slot that holds the key or would hold it.
static struct key_chain **slot_of_chain(const struct shard *shard, uint64_t key,
                                        uint64_t hashed) {
  const uint32_t mask = shard->nslots - 1;
  uint32_t i = (uint32_t)hashed & mask;
  while (shard->slots[i] && shard->slots[i]->key != key)
    i = (i + 1) & mask;
  return &shard->slots[i];
}

static void double_slots(struct shard *shard) {
  struct key_chain **old = shard->slots;
  const uint32_t nold = shard->nslots;
  shard->nslots *= 2;
  shard->slots = xcalloc(shard->nslots, sizeof *shard->slots);
  for (uint32_t i = 0; i < nold; i++)
    if (old[i])
      *slot_of_chain(shard, old[i]->key, hash(old[i]->key)) = old[i];
  free(old);
}

static struct key_chain *find_or_add_chain(struct shard *shard, uint64_t key,
                                           uint64_t hashed) {
  struct key_chain **slot = slot_of_chain(shard, key, hashed);
  if (*slot)
    return *slot;
  if (shard->nchains * 2 >= shard->nslots) {
    double_slots(shard);
    slot = slot_of_chain(shard, key, hashed);
  }
  shard->nchains++;
  *slot = arena_take(&shard->arena, sizeof **slot);
  (*slot)->key = key;
  return *slot;
}

// How many versions have a sequence number up to `seq`.
static uint32_t count_up_to(const struct key_chain *chain, uint64_t seq) {
  uint32_t low = 0, high = chain->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (chain->versions[middle].seq <= seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Makes room for one more version: first by forgetting what no snapshot may
// look at, and if that does not free half of the room, by more of it.
static void make_version_room(struct key_chain *chain, uint64_t horizon) {
  const uint32_t old = count_up_to(chain, horizon);
  if (old > 1) {
    chain->count -= old - 1;
    memmove(chain->versions, chain->versions + old - 1,
            chain->count * sizeof *chain->versions);
    chain->forgot = true;
  }
  if (chain->count * 2 > chain->room || !chain->room) {
    chain->room = chain->room ? chain->room * 2 : 1;
    chain->versions =
        xrealloc(chain->versions, chain->room, sizeof *chain->versions);
  }
}

static bool add_key_version(struct key_chain *chain,
                            const struct version *version, uint64_t horizon,
                            uint64_t *overwritten) {
  struct version *last =
      chain->count ? &chain->versions[chain->count - 1] : NULL;
  assert(!last || last->seq <= version->seq);
  if (last && last->seq == version->seq) {
    *overwritten = last->value;
    last->value = version->value;
    return true;
  }
  if (chain->count == chain->room)
    make_version_room(chain, horizon);
  chain->versions[chain->count++] = *version;
  return false;
}

struct store *store_open(void) {
  struct store *store = aligned_alloc(64, sizeof *store);
  if (!store)
    out_of_memory(sizeof *store);
  memset(store, 0, sizeof *store);
  for (struct shard *shard = store->shards; shard < store->shards + SHARDS;
       shard++) {
    pthread_mutex_init(&shard->lock, NULL);
    shard->nslots = FIRST_SLOTS;
    shard->slots = xcalloc(FIRST_SLOTS, sizeof *shard->slots);
  }
  return store;
}

void store_close(struct store *store) {
  for (struct shard *shard = store->shards; shard < store->shards + SHARDS;
       shard++) {
    for (uint32_t i = 0; i < shard->nslots; i++)
      if (shard->slots[i]) {
        free(shard->slots[i]->versions);
        free(shard->slots[i]->elements);
      }
    free(shard->slots);
    arena_free(&shard->arena);
    pthread_mutex_destroy(&shard->lock);
  }
  free(store);
}

uint64_t store_published(struct store *store) {
  return atomic_load_explicit(&store->published, memory_order_acquire);
}

struct version store_visible(struct store *store, uint64_t key,
                             const uint64_t *bound) {
  const uint64_t hashed = hash(key);
  struct version found = initial_version;
  struct shard *shard = lock_shard(store, hashed);
  const struct key_chain *chain = *slot_of_chain(shard, key, hashed);
  for (uint32_t i = chain ? chain->count : 0; i-- > 0;)
    if (chain->versions[i].seq <= bound[site_of(chain->versions[i].session)]) {
      found = chain->versions[i];
      break;
    }
  assert(found.seq || !chain || !chain->forgot);
  unlock(shard);
  return found;
}

struct version store_newest(struct store *store, uint64_t key) {
  const uint64_t published = store_published(store);
  uint64_t bound[STORE_SITES];
  for (int i = 0; i < STORE_SITES; i++)
    bound[i] = published;
  return store_visible(store, key, bound);
}

static void push_version(struct version_window *window,
                         const struct version *version) {
  ARRAY_RESERVE(window->items, window->count, window->room);
  window->items[window->count++] = *version;
}

void store_window(struct store *store, uint64_t key, uint64_t floor,
                  struct version_window *window) {
  const uint64_t hashed = hash(key), published = store_published(store);
  window->count = 0;
  struct shard *shard = lock_shard(store, hashed);
  const struct key_chain *chain = *slot_of_chain(shard, key, hashed);
  uint32_t i = chain ? count_up_to(chain, floor) : 0;
  if (i > 0)
    i--;
  else if (!chain || !chain->forgot)
    push_version(window, &initial_version);
  for (; chain && i < chain->count && chain->versions[i].seq <= published; i++)
    push_version(window, &chain->versions[i]);
  unlock(shard);
  assert(window->count);
}

bool store_wrote(struct store *store, uint64_t key, uint64_t seq) {
  const uint64_t hashed = hash(key);
  struct shard *shard = lock_shard(store, hashed);
  const struct key_chain *chain = *slot_of_chain(shard, key, hashed);
  const uint32_t n = chain ? count_up_to(chain, seq) : 0;
  const bool wrote = n && chain->versions[n - 1].seq == seq;
  unlock(shard);
  return wrote;
}

void store_elements(struct store *store, uint64_t key, uint64_t count,
                    struct value_list *list) {
  const uint64_t hashed = hash(key);
  struct shard *shard = lock_shard(store, hashed);
  const struct key_chain *chain = *slot_of_chain(shard, key, hashed);
  assert(chain ? count <= chain->nelements : !count);
  for (uint64_t i = 0; i < count; i++)
    value_list_push(list, chain->elements[i]);
  unlock(shard);
}

bool store_put(struct store *store, uint64_t key, const struct version *version,
               uint64_t horizon, uint64_t *overwritten) {
  const uint64_t hashed = hash(key);
  struct shard *shard = lock_shard(store, hashed);
  struct key_chain *chain = find_or_add_chain(shard, key, hashed);
  const bool again = add_key_version(chain, version, horizon, overwritten);
  unlock(shard);
  return again;
}

bool store_append(struct store *store, uint64_t key,
                  const struct version *version, uint64_t horizon,
                  uint64_t *overwritten) {
  const uint64_t hashed = hash(key);
  struct shard *shard = lock_shard(store, hashed);
  struct key_chain *chain = find_or_add_chain(shard, key, hashed);
  ARRAY_RESERVE(chain->elements, chain->nelements, chain->elements_room);
  chain->elements[chain->nelements++] = version->value;
  struct version longer = *version;
  longer.value = chain->nelements;
  const bool again = add_key_version(chain, &longer, horizon, overwritten);
  unlock(shard);
  return again;
}

void store_publish(struct store *store, uint64_t seq) {
  assert(seq == store->published + 1);
  atomic_store_explicit(&store->published, seq, memory_order_release);
}
