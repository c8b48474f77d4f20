// SPDX-License-Identifier: GPL-3.0-or-later
// Values and keys of a program that is explored, as numbers: equal ones have
// the same number, so that comparing and copying them costs nothing.
//
// A value is an integer, `none` or a list.  Integers stand for themselves;
// numbers near INT64_MIN stand for the rest.  A key is a name with arguments.
#ifndef EXPLORE_VALUE_H
#define EXPLORE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef int64_t datum;

#define VALUE_NONE INT64_MIN
#define VALUE_LISTS (INT64_MIN + 1)       // the first list
#define VALUE_LEAST (-(INT64_C(1) << 62)) // of all integers
#define VALUE_MOST (INT64_C(1) << 62)

enum { KEY_ARGS_MAX = 4, KEY_NONE = UINT32_MAX };

static inline bool value_is_integer(datum v) { return v >= VALUE_LEAST; }
static inline bool value_is_list(datum v) {
  return v >= VALUE_LISTS && v < VALUE_LEAST;
}

struct pooled_list {
  uint32_t first, count; // in pool.elements
  uint32_t next;         // in its bucket; 0: none, else index + 1
};

struct pooled_key {
  uint32_t name; // the caller's number
  uint32_t nargs;
  datum args[KEY_ARGS_MAX];
  datum initial;
  uint32_t next;
};

// Grows only.  One thread at a time; pool_copy gives another thread its own,
// in which what was there keeps its number.
struct pool {
  datum *elements;
  struct pooled_list *lists;
  struct pooled_key *keys;
  uint32_t nelements, nlists, nkeys;
  uint32_t elements_room, lists_room, keys_room;
  uint32_t *list_buckets, *key_buckets;
  uint32_t nlist_buckets, nkey_buckets; // powers of two
};

void pool_init(struct pool *pool);
void pool_copy(struct pool *to, const struct pool *from);
void pool_free(struct pool *pool);

datum pool_list(struct pool *pool, const datum *elements, uint32_t count);
uint32_t pool_key(struct pool *pool, uint32_t name, const datum *args,
                  uint32_t nargs);

// Elements of a list; valid until the pool grows.
static inline const datum *list_elements(const struct pool *pool, datum list,
                                         uint32_t *count) {
  const struct pooled_list *l = &pool->lists[list - VALUE_LISTS];
  *count = l->count;
  return pool->elements + l->first;
}

bool list_has(const struct pool *pool, datum list, datum element);

// Below 0, 0 or above 0: none, then integers, then lists, element by element.
int value_order(const struct pool *pool, datum a, datum b);

// A number that depends on what the value is and not on its number.
uint64_t value_hash(const struct pool *pool, datum v);
uint64_t key_hash(const struct pool *pool, uint32_t key);

// As it could be typed.
void value_put(FILE *out, const struct pool *pool, datum v);
// The text of value_put; the caller frees it.
char *value_text(const struct pool *pool, datum v);

#endif
