// SPDX-License-Identifier: GPL-3.0-or-later
// Hash tables of lists and of keys (explore/value.h).
#include "config.h"

#include "explore/value.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 64, FIRST_ELEMENTS = 64 };

static uint64_t mixed_datum(uint64_t h, uint64_t v) {
  h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

static uint64_t datum_hash_of(uint64_t seed, const datum *values,
                              uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    seed = mixed_datum(seed, (uint64_t)values[i]);
  return mixed_datum(seed, count);
}

static uint64_t hash_of_list(const struct pool *pool, uint32_t i) {
  return datum_hash_of(1, pool->elements + pool->lists[i].first,
                       pool->lists[i].count);
}

static uint64_t hash_of_key(const struct pooled_key *key) {
  return datum_hash_of(key->name, key->args, key->nargs);
}

void pool_init(struct pool *pool) {
  *pool = (struct pool){0};
  pool->nlist_buckets = pool->nkey_buckets = FIRST_BUCKETS;
  pool->elements_room = FIRST_ELEMENTS;
  pool->elements = xcalloc(FIRST_ELEMENTS, sizeof(datum));
  pool->list_buckets = xcalloc(FIRST_BUCKETS, sizeof *pool->list_buckets);
  pool->key_buckets = xcalloc(FIRST_BUCKETS, sizeof *pool->key_buckets);
}

static void *copy_of(const void *from, size_t count, size_t size) {
  void *to = xcalloc(count + 1, size);
  if (count)
    memcpy(to, from, count * size);
  return to;
}

void pool_copy(struct pool *to, const struct pool *from) {
  *to = *from;
  to->elements = copy_of(from->elements, from->elements_room, sizeof(datum));
  to->lists = copy_of(from->lists, from->lists_room, sizeof *to->lists);
  to->keys = copy_of(from->keys, from->keys_room, sizeof *to->keys);
  to->list_buckets =
      copy_of(from->list_buckets, from->nlist_buckets, sizeof(uint32_t));
  to->key_buckets =
      copy_of(from->key_buckets, from->nkey_buckets, sizeof(uint32_t));
}

void pool_free(struct pool *pool) {
  free(pool->elements);
  free(pool->lists);
  free(pool->keys);
  free(pool->list_buckets);
  free(pool->key_buckets);
  *pool = (struct pool){0};
}

static void link_list_datum(struct pool *pool, uint32_t i) {
  const uint64_t at = hash_of_list(pool, i) & (pool->nlist_buckets - 1);
  pool->lists[i].next = pool->list_buckets[at];
  pool->list_buckets[at] = i + 1;
}

static void link_key_datum(struct pool *pool, uint32_t i) {
  const uint64_t at = hash_of_key(&pool->keys[i]) & (pool->nkey_buckets - 1);
  pool->keys[i].next = pool->key_buckets[at];
  pool->key_buckets[at] = i + 1;
}

static void more_buckets(uint32_t **buckets, uint32_t *nbuckets) {
  free(*buckets);
  *nbuckets *= 2;
  *buckets = xcalloc(*nbuckets, sizeof **buckets);
}

static uint32_t add_list_datum(struct pool *pool, const datum *elements,
                               uint32_t count) {
  while (pool->elements_room < pool->nelements + count) {
    pool->elements_room *= 2;
    pool->elements =
        xrealloc(pool->elements, pool->elements_room, sizeof(datum));
  }
  ARRAY_RESERVE(pool->lists, pool->nlists, pool->lists_room);
  pool->lists[pool->nlists] = (struct pooled_list){pool->nelements, count, 0};
  if (count)
    memcpy(pool->elements + pool->nelements, elements, count * sizeof(datum));
  pool->nelements += count;
  if (pool->nlists < pool->nlist_buckets) {
    link_list_datum(pool, pool->nlists);
  } else {
    more_buckets(&pool->list_buckets, &pool->nlist_buckets);
    for (uint32_t i = 0; i <= pool->nlists; i++)
      link_list_datum(pool, i);
  }
  return pool->nlists++;
}

datum pool_list(struct pool *pool, const datum *elements, uint32_t count) {
  const uint64_t at =
      datum_hash_of(1, elements, count) & (pool->nlist_buckets - 1);
  for (uint32_t i = pool->list_buckets[at]; i; i = pool->lists[i - 1].next) {
    const struct pooled_list *l = &pool->lists[i - 1];
    if (l->count == count &&
        (!count ||
         !memcmp(pool->elements + l->first, elements, count * sizeof(datum))))
      return VALUE_LISTS + (datum)(i - 1);
  }
  return VALUE_LISTS + (datum)add_list_datum(pool, elements, count);
}

uint32_t pool_key(struct pool *pool, uint32_t name, const datum *args,
                  uint32_t nargs) {
  struct pooled_key key = {.name = name, .nargs = nargs, .initial = VALUE_NONE};
  assert(nargs <= KEY_ARGS_MAX);
  for (uint32_t i = 0; i < nargs; i++)
    key.args[i] = args[i];
  const uint64_t at = hash_of_key(&key) & (pool->nkey_buckets - 1);
  for (uint32_t i = pool->key_buckets[at]; i; i = pool->keys[i - 1].next) {
    const struct pooled_key *k = &pool->keys[i - 1];
    if (k->name == name && k->nargs == nargs &&
        !memcmp(k->args, key.args, sizeof key.args))
      return i - 1;
  }
  ARRAY_RESERVE(pool->keys, pool->nkeys, pool->keys_room);
  pool->keys[pool->nkeys] = key;
  if (pool->nkeys < pool->nkey_buckets) {
    link_key_datum(pool, pool->nkeys);
  } else {
    more_buckets(&pool->key_buckets, &pool->nkey_buckets);
    for (uint32_t i = 0; i <= pool->nkeys; i++)
      link_key_datum(pool, i);
  }
  return pool->nkeys++;
}

bool list_has(const struct pool *pool, datum list, datum element) {
  uint32_t count;
  const datum *elements = list_elements(pool, list, &count);
  for (uint32_t i = 0; i < count; i++)
    if (elements[i] == element)
      return true;
  return false;
}

static int order_of_lists(const struct pool *pool, datum a, datum b) {
  uint32_t na, nb;
  const datum *as = list_elements(pool, a, &na);
  const datum *bs = list_elements(pool, b, &nb);
  for (uint32_t i = 0; i < na && i < nb; i++) {
    const int order = value_order(pool, as[i], bs[i]);
    if (order)
      return order;
  }
  return (na > nb) - (na < nb);
}

int value_order(const struct pool *pool, datum a, datum b) {
  const int kind_a = value_is_list(a) ? 2 : value_is_integer(a);
  const int kind_b = value_is_list(b) ? 2 : value_is_integer(b);
  if (kind_a != kind_b || kind_a < 2)
    return kind_a != kind_b ? kind_a - kind_b : (a > b) - (a < b);
  return a == b ? 0 : order_of_lists(pool, a, b);
}

uint64_t value_hash(const struct pool *pool, datum v) {
  if (!value_is_list(v))
    return mixed_datum(2, (uint64_t)v);
  uint32_t count;
  const datum *elements = list_elements(pool, v, &count);
  uint64_t h = 3;
  for (uint32_t i = 0; i < count; i++)
    h = mixed_datum(h, value_hash(pool, elements[i]));
  return mixed_datum(h, count);
}

uint64_t key_hash(const struct pool *pool, uint32_t key) {
  const struct pooled_key *k = &pool->keys[key];
  uint64_t h = k->name;
  for (uint32_t i = 0; i < k->nargs; i++)
    h = mixed_datum(h, value_hash(pool, k->args[i]));
  return mixed_datum(h, k->nargs);
}

void value_put(FILE *out, const struct pool *pool, datum v) {
  if (v == VALUE_NONE) {
    fputs("none", out);
  } else if (value_is_list(v)) {
    uint32_t count;
    const datum *elements = list_elements(pool, v, &count);
    fputc('[', out);
    for (uint32_t i = 0; i < count; i++) {
      fputs(i ? " " : "", out);
      value_put(out, pool, elements[i]);
    }
    fputc(']', out);
  } else {
    fprintf(out, "%" PRId64, v);
  }
}

char *value_text(const struct pool *pool, datum v) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = text_stream(&text, &bytes);
  value_put(out, pool, v);
  fclose(out);
  return text;
}
