// SPDX-License-Identifier: GPL-3.0-or-later
// The versions that each key has had, oldest first, as far back as a permitted
// snapshot may look.  Knows commits by their sequence number (1, 2, 3...) and
// nothing of transactions or levels.
//
// A version of a register holds its value; a version of a list holds how many
// elements the list had, since lists only ever grow at the end.  The version
// with sequence number 0 is the initial one: value 0, no elements.
//
// Keys are spread over shards with a lock each.  One thread at a time installs
// versions (the holder of the commit lock, see commits.h); any may read.  What
// is being installed carries a sequence number above `published`, and readers
// look at nothing above that.
#ifndef DRIVERS_MEMORY_STORE_H
#define DRIVERS_MEMORY_STORE_H

#include "base/operation.h"

#include <stdbool.h>
#include <stdint.h>

// Sessions are grouped into so many sites, and what a snapshot holds is said by
// one bound per site: the commits of site i up to bound[i].  Equal bounds are a
// prefix of the commit order; others are what causal consistency is about.
enum { STORE_SITES = 8 };

struct version {
  uint64_t seq;
  uint64_t value;
  uint32_t session; // that committed it; meaningless in the initial version
};

static inline uint32_t site_of(uint32_t session) {
  return session % STORE_SITES;
}

// Some versions of a key in the order of their sequence numbers.
// Zero-initialised is empty; free the items.
struct version_window {
  struct version *items;
  uint32_t count, room;
};

struct store;

struct store *store_open(void);
void store_close(struct store *store);

// --- For any thread.

// The highest sequence number whose versions are all there.
uint64_t store_published(struct store *store);

// The newest version that the snapshot `bound[STORE_SITES]` holds.
struct version store_visible(struct store *store, uint64_t key,
                             const uint64_t *bound);

// The newest published version.
struct version store_newest(struct store *store, uint64_t key);

// Fills the window with the newest version up to `floor` and all published ones
// after that; with floor 0, with all there are.  The initial version counts as
// long as no version of the key was forgotten, so the window is never empty.
void store_window(struct store *store, uint64_t key, uint64_t floor,
                  struct version_window *window);

// Did commit `seq` write the key?  Only of versions that are still there.
bool store_wrote(struct store *store, uint64_t key, uint64_t seq);

// Adds the first `count` elements of a list to `list`.
void store_elements(struct store *store, uint64_t key, uint64_t count,
                    struct value_list *list);

// --- For the holder of the commit lock.

// Adds a version, or changes the one that the same commit added before.
// Versions older than the newest one up to `horizon` may be forgotten.  Returns
// true if the same commit had written the key before; `*overwritten` is then
// what it had stored.
bool store_put(struct store *store, uint64_t key, const struct version *version,
               uint64_t horizon, uint64_t *overwritten);

// Appends one element to a list; version->value is the element.
bool store_append(struct store *store, uint64_t key,
                  const struct version *version, uint64_t horizon,
                  uint64_t *overwritten);

// Lets readers see everything up to `seq`.
void store_publish(struct store *store, uint64_t seq);

#endif
