// SPDX-License-Identifier: GPL-3.0-or-later
// Derives from the axioms (checker/rows/rows_known.h).
//
// Where r reads x from t1, each t2 that writes x, too, and is visible to r
// comes before t1.  A version drops out of those that a read may have read if
// its writer comes too late, or if another one that is visible comes after it.
#include "config.h"

#include "checker/rows/rows_known.h"

#include "base/stop.h"

#include <string.h>

// --- What is known.

void known_put(struct known *k, uint32_t a, uint32_t b) {
  if (k->contradiction || event_precedes(&k->order, a, b))
    return;
  uint64_t work = 0;
  k->grew = true;
  k->contradiction = !event_order_add(&k->order, a, b, &work);
  k->cases->work -= work < k->cases->work ? work : k->cases->work;
}

uint32_t known_left(const struct known *k, const struct row_read *read,
                    uint32_t *last) {
  uint32_t n = 0;
  for (uint32_t i = read->first; i < read->end; i++)
    if (!k->is_out[i]) {
      *last = k->r.writers.items[i];
      n++;
    }
  return n;
}

bool known_visible(const struct known *k, const struct row_read *read,
                   uint32_t version) {
  return known_prefix(k, read->member)
             ? event_precedes(&k->order, known_commit(k, version),
                              k->snapshot[read->member])
             : event_set_has(k->visible, known_writer(k, version));
}

// Can the version not have been read, as far as is known?
static bool drops_out(const struct known *k, const struct row_read *read,
                      uint32_t version) {
  if (event_precedes(&k->order, k->snapshot[read->member],
                     known_commit(k, version)))
    return true;
  for (uint32_t v = k->r.version_first[read->key];
       v < k->r.version_first[read->key + 1]; v++)
    if (v != version && !known_own(k, read, v) && known_before(k, version, v) &&
        known_visible(k, read, v))
      return true;
  return false;
}

// --- What follows.

static void judge_only(struct known *k, const struct row_read *read,
                       uint32_t version) {
  const uint32_t snapshot = k->snapshot[read->member];
  known_put(k, known_commit(k, version), snapshot);
  for (uint32_t v = k->r.version_first[read->key];
       v < k->r.version_first[read->key + 1] && !k->contradiction; v++) {
    if (v == version || known_own(k, read, v))
      continue;
    if (known_visible(k, read, v))
      known_put(k, known_commit(k, v), known_commit(k, version));
    else if (known_prefix(k, read->member) && known_before(k, version, v))
      known_put(k, snapshot, known_commit(k, v));
  }
}

// A version that was not read and all of these are before: it is not visible.
static void judge_later(struct known *k, const struct row_read *read,
                        uint32_t version) {
  for (uint32_t i = read->first; i < read->end; i++) {
    const uint32_t left = k->r.writers.items[i];
    if (!k->is_out[i] && (left == version || !known_before(k, left, version)))
      return;
  }
  known_put(k, k->snapshot[read->member], known_commit(k, version));
}

uint32_t known_first(const struct known *k, const struct row_read *read) {
  uint32_t first = NOTHING;
  for (uint32_t i = read->first; i < read->end; i++) {
    const uint32_t v = k->r.writers.items[i];
    if (!k->is_out[i] && (first == NOTHING || known_before(k, v, first)))
      first = v;
  }
  for (uint32_t i = read->first; i < read->end; i++)
    if (!k->is_out[i] && k->r.writers.items[i] != first &&
        !known_before(k, first, k->r.writers.items[i]))
      return NOTHING;
  return first;
}

static void judge_several(struct known *k, const struct row_read *read) {
  const uint32_t first = known_first(k, read);
  if (first != NOTHING)
    known_put(k, known_commit(k, first), k->snapshot[read->member]);
  for (uint32_t v = k->r.version_first[read->key];
       v < k->r.version_first[read->key + 1] && !k->contradiction; v++)
    if (!known_own(k, read, v))
      judge_later(k, read, v);
}

static void judge_known_read(struct known *k, const struct row_read *read) {
  uint32_t version = NOTHING;
  if (read->is_latest) {
    known_put(k, known_commit(k, k->r.writers.items[read->first]),
              k->commit[read->member]);
    return;
  }
  for (uint32_t i = read->first; i < read->end; i++)
    if (!k->is_out[i] && drops_out(k, read, k->r.writers.items[i])) {
      k->is_out[i] = 1;
      k->grew = true;
    }
  const uint32_t left = known_left(k, read, &version);
  k->contradiction |= left == 0;
  if (left == 1)
    judge_only(k, read, version);
  else if (left > 1 && known_prefix(k, read->member))
    judge_several(k, read);
}

// --- What is visible below PC.

static void unite_events(uint64_t *set, const uint64_t *more) {
  for (unsigned w = 0; w < SET_WORDS; w++)
    set[w] |= more[w];
}

// The writers that reads of the member are known to have read, of the events
// before one.
static void add_known_sources(const struct known *k, uint32_t m, uint32_t event,
                              uint64_t *set) {
  uint32_t version = NOTHING;
  for (uint32_t i = k->r.first_read[m];
       i < k->r.first_read[m + 1] && k->r.reads[i].event < event; i++)
    if (!k->r.reads[i].is_latest &&
        known_left(k, &k->r.reads[i], &version) == 1)
      event_set_add(set, known_writer(k, version));
}

static void add_pasts(const struct known *k, uint64_t *set) {
  uint64_t all[SET_WORDS];
  memcpy(all, set, sizeof all);
  for (uint32_t m = 1; m < k->nmembers; m++)
    if (event_set_has(set, m))
      unite_events(all, k->past[m]);
  memcpy(set, all, sizeof all);
}

// Pasts grow along the order, until nothing is added.
static void find_known_pasts(struct known *k) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t m = 1; m < k->nmembers; m++) {
      uint64_t set[SET_WORDS];
      memcpy(set, k->session[m], sizeof set);
      add_known_sources(k, m, UINT32_MAX, set);
      add_pasts(k, set);
      more |= memcmp(set, k->past[m], sizeof set) != 0;
      memcpy(k->past[m], set, sizeof set);
    }
  }
}

void known_find_visible(struct known *k, const struct row_read *read) {
  const enum isolation level = (enum isolation)k->level[read->member];
  memset(k->visible, 0, sizeof k->visible);
  if (must_see_causes(level)) {
    unite_events(k->visible, k->past[read->member]);
    return;
  }
  const bool all = must_see_reads_and_session(level);
  if (all || k->options->rc_sees_session)
    unite_events(k->visible, k->session[read->member]);
  add_known_sources(k, read->member, all ? UINT32_MAX : read->event,
                    k->visible);
}

// Are the writers visible to this read those of the one before?
static bool sees_as_before(const struct known *k, uint32_t i) {
  const struct row_read *read = &k->r.reads[i];
  return i > k->r.first_read[read->member] &&
         k->r.reads[i - 1].event == read->event;
}

// --- Writers of one key at SI.

// At SI a writer commits before the snapshot or after the commit; at SER that
// is no choice.
static bool is_at_si(const struct known *k, uint32_t m) {
  const enum isolation level = (enum isolation)k->level[m];
  return forbids_concurrent_writes(level) && may_read_before_commit(level);
}

void known_conflicts(struct known *k) {
  memset(k->conflicts, 0, sizeof k->conflicts);
  for (uint32_t key = 0; key < k->h->nkeys; key++)
    for (uint32_t v = k->r.version_first[key] + 1;
         v < k->r.version_first[key + 1]; v++)
      for (uint32_t o = k->r.version_first[key] + 1;
           o < k->r.version_first[key + 1]; o++)
        if (v != o && is_at_si(k, known_writer(k, v)))
          event_set_add(k->conflicts[known_writer(k, v)], known_writer(k, o));
}

static void judge_conflicts(struct known *k, uint32_t m) {
  for (uint32_t o = 1; o < k->nmembers && !k->contradiction; o++) {
    if (!event_set_has(k->conflicts[m], o))
      continue;
    if (event_precedes(&k->order, k->commit[o], k->commit[m]))
      known_put(k, k->commit[o], k->snapshot[m]);
    else if (event_precedes(&k->order, k->snapshot[m], k->commit[o]))
      known_put(k, k->commit[m], k->commit[o]);
  }
}

bool known_work(struct known *k, uint64_t work) {
  const bool ends = work >= k->cases->work || stop_is_set(k->options->all.stop);
  k->cases->work = ends ? 0 : k->cases->work - work;
  return !ends;
}

void known_derive(struct known *k) {
  k->grew = true;
  while (k->grew && !k->contradiction && known_work(k, k->r.nreads + 1)) {
    k->grew = false;
    if (k->is_causal)
      find_known_pasts(k);
    for (uint32_t i = 0; i < k->r.nreads && !k->contradiction; i++) {
      const struct row_read *read = &k->r.reads[i];
      if (!known_prefix(k, read->member) && !sees_as_before(k, i))
        known_find_visible(k, read);
      judge_known_read(k, read);
      known_work(k, read->end - read->first);
    }
    for (uint32_t m = 1; m < k->nmembers && !k->contradiction; m++)
      judge_conflicts(k, m);
  }
}
