// SPDX-License-Identifier: GPL-3.0-or-later
// Joins reads with writes, pile by pile (recorder/join.h).  A pile is a session
// of a spool; the answers are on another one, in the order of the pile's reads,
// so that who goes through all reads again finds each answer next on its pile.
#include "config.h"

#include "recorder/join.h"

#include "base/memory.h"
#include "recorder/bytes.h"
#include "recorder/number_map.h"
#include "recorder/spool.h"

#include <assert.h>
#include <stdlib.h>

enum {
  PILE_WRITES = 1 << 15, // that one has
  PILES_MAX = JOIN_SUSPECTS_MAX,
};

struct pile {
  uint64_t nwrites;
  bool twice;          // something was written twice...
  struct item suspect; // ...first this, by the second write
};

struct join {
  struct spool *items, *answers;
  struct pile *piles;
  uint32_t npiles;
  uint64_t duplicates;
  struct spool_cursor *cursors; // in the answers
  bool failed;
  struct error failure;
};

// --- Onto the piles.

// Two halves that do not depend on each other: which pile, and where there.
static uint64_t hash_of(struct item item) {
  const uint64_t key = 2 * (uint64_t)item.key + item.list;
  return number_mix(number_mix(item.value) +
                    key * UINT64_C(0x9e3779b97f4a7c15));
}

static uint32_t pile_of(const struct join *join, uint64_t hash) {
  return (uint32_t)((hash >> 32) * join->npiles >> 32);
}

static bool same_item(struct item a, struct item b) {
  return a.value == b.value && a.key == b.key && a.list == b.list;
}

// A read has no name.
static unsigned char *store_item(unsigned char *p, struct item item,
                                 bool write) {
  *p++ = (unsigned char)(item.list | write << 1);
  p = store_packed(p, item.key);
  return store_packed(p, item.value);
}

static const unsigned char *load_item(const unsigned char *p, struct item *item,
                                      bool *write) {
  uint64_t key;
  *write = *p >> 1;
  item->list = *p++ & 1;
  p = load_packed(p, &key);
  item->key = (uint32_t)key;
  return load_packed(p, &item->value);
}

void join_write(struct join *join, struct item item, uint64_t name) {
  unsigned char record[1 + 3 * PACKED_MAX];
  const uint32_t pile = pile_of(join, hash_of(item));
  unsigned char *end = store_packed(store_item(record, item, true), name);
  join->piles[pile].nwrites++;
  spool_put(join->items, pile, record, (size_t)(end - record));
}

void join_read(struct join *join, struct item item) {
  unsigned char record[1 + 2 * PACKED_MAX];
  const unsigned char *end = store_item(record, item, false);
  spool_put(join->items, pile_of(join, hash_of(item)), record,
            (size_t)(end - record));
}

// --- A pile.

// The first write of an item, and how many there are.
struct written {
  struct item item;
  uint32_t count; // 0: free
  uint64_t name;
};

struct table {
  struct written *slots;
  uint64_t nslots;
};

static struct written *find(const struct table *table, struct item item) {
  uint64_t i = (hash_of(item) & UINT32_MAX) * table->nslots >> 32;
  while (table->slots[i].count && !same_item(table->slots[i].item, item))
    i = i + 1 < table->nslots ? i + 1 : 0;
  return &table->slots[i];
}

static void add_write(struct join *join, struct pile *pile,
                      const struct table *table, struct item item,
                      uint64_t name) {
  struct written *written = find(table, item);
  if (!written->count) {
    *written = (struct written){.item = item, .name = name};
  } else {
    join->duplicates += written->count == 1 ? 2 : 1;
    if (!pile->twice)
      pile->suspect = item;
    pile->twice = true;
  }
  if (written->count < 2)
    written->count++;
}

static void answer(struct join *join, uint32_t pile, const struct table *table,
                   struct item item) {
  unsigned char record[PACKED_MAX];
  const struct written *written = find(table, item);
  const unsigned char *end =
      store_packed(record, written->count ? written->name + 1 : 0);
  spool_put(join->answers, pile, record, (size_t)(end - record));
}

// Goes through a pile for its writes, or for its reads.
static int pass_pile(struct join *join, uint32_t pile,
                     const struct table *table, bool writes,
                     struct error *error) {
  struct spool_cursor c = {0};
  int more;
  while ((more = spool_more(join->items, pile, &c, error)) > 0)
    while (c.p < c.end) {
      struct item item;
      uint64_t name = 0;
      bool write;
      c.p = load_item(c.p, &item, &write);
      if (write)
        c.p = load_packed(c.p, &name);
      if (write && writes)
        add_write(join, &join->piles[pile], table, item, name);
      else if (!write && !writes)
        answer(join, pile, table, item);
    }
  spool_cursor_free(&c);
  return more;
}

static int match_pile(struct join *join, uint32_t pile, struct error *error) {
  const uint64_t n = join->piles[pile].nwrites;
  struct table table = {.nslots = n + n / 3 + 2};
  table.slots = xcalloc(table.nslots, sizeof *table.slots);
  const int status = pass_pile(join, pile, &table, true, error) ||
                             pass_pile(join, pile, &table, false, error)
                         ? -1
                         : 0;
  free(table.slots);
  return status;
}

int join_match(struct join *join, struct error *error) {
  if (spool_finish(join->items, error))
    return -1;
  for (uint32_t pile = 0; pile < join->npiles; pile++)
    if (match_pile(join, pile, error))
      return -1;
  spool_close(join->items);
  join->items = NULL;
  return spool_finish(join->answers, error);
}

uint64_t join_duplicates(const struct join *join) { return join->duplicates; }

bool join_is_suspect(const struct join *join, struct item item,
                     uint32_t *suspect) {
  *suspect = pile_of(join, hash_of(item));
  const struct pile *pile = &join->piles[*suspect];
  return pile->twice && same_item(pile->suspect, item);
}

// --- The answers.

void join_rewind(struct join *join) {
  for (uint32_t pile = 0; pile < join->npiles; pile++) {
    spool_cursor_free(&join->cursors[pile]);
    join->cursors[pile] = (struct spool_cursor){0};
  }
}

uint64_t join_writer(struct join *join, struct item item) {
  const uint32_t pile = pile_of(join, hash_of(item));
  struct spool_cursor *c = &join->cursors[pile];
  uint64_t name = 0;
  int more = c->p < c->end;
  if (!more)
    more = spool_more(join->answers, pile, c, &join->failure);
  assert(more); // or this read was not there before
  if (more > 0)
    c->p = load_packed(c->p, &name);
  join->failed |= more < 0;
  return name - 1;
}

int join_check(const struct join *join, struct error *error) {
  if (join->failed)
    *error = join->failure;
  return join->failed ? -1 : 0;
}

// --- All of it.

struct join *join_open(const char *path, uint64_t nwrites,
                       struct error *error) {
  struct join *join = xcalloc(1, sizeof *join);
  const uint64_t wanted = nwrites / PILE_WRITES + 1;
  join->npiles = wanted < PILES_MAX ? (uint32_t)wanted : PILES_MAX;
  join->piles = xcalloc(join->npiles, sizeof *join->piles);
  join->cursors = xcalloc(join->npiles, sizeof *join->cursors);
  join->items = spool_open(path, error);
  join->answers = join->items ? spool_open(path, error) : NULL;
  if (join->answers)
    return join;
  join_free(join);
  return NULL;
}

void join_free(struct join *join) {
  if (!join)
    return;
  join_rewind(join);
  if (join->items)
    spool_close(join->items);
  if (join->answers)
    spool_close(join->answers);
  free(join->piles);
  free(join->cursors);
  free(join);
}
