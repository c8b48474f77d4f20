// SPDX-License-Identifier: GPL-3.0-or-later
// Algorithms 1 to 4 of the paper (checker/rows/sobound.h), by its names.
//
// Two things are not taken to the letter.  The relation pco of algorithm 4 is
// the fixpoint of the extended history, not of the one that was given.  And the
// row Conflict of table 1, read literally, compares what a read saw with the
// last writer of the prefix whenever some writer is visible.  That would reject
// an order that SI allows: t1 writes x, t4 writes y, t0 writes x, and t reads x
// from t1 and writes y.  Only t4 and those before it are visible to t.  So the
// comparison is made where a writer of a key that t writes is placed, as the
// axiom has it.
#include "config.h"

#include "checker/rows/sobound.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "checker/verify/rows/row_reads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = SOBOUND_TXNS + 1, WORDS = MEMBERS / 64 + 1, LISTS = 1 << 12 };
#define NOBODY UINT32_MAX

struct set { // of members
  uint64_t word[WORDS];
};

// A prefix that leads nowhere: its members and, per key, the last writer.
struct prefix {
  struct set members;
  uint32_t *last; // NULL where it makes no difference
  uint32_t next;  // in its list, or NOBODY
};

struct deciding {
  const struct history *h;
  const struct referee_rows_options *options;
  struct sobound *sobound;
  struct row_reads r;
  uint32_t id[MEMBERS];
  uint8_t level[MEMBERS], is_bound[MEMBERS];
  uint32_t nmembers;
  bool has_si;
  struct set so[MEMBERS];     // before it in its session
  struct set shares[MEMBERS]; // others that write a key that it writes

  uint32_t *writer; // per read: wr, or NOBODY
  // Per member: so and wr, and the commit order as far as it is known (pco),
  // which is transitive.
  struct set direct[MEMBERS], before[MEMBERS];
  bool cyclic;

  struct set placed;
  uint32_t *last; // per key: M of the prefix
  struct prefix *seen;
  uint32_t nseen, seen_room, seen_list[LISTS]; // by hash: the last one
};

// --- Sets.

static bool set_has(const struct set *set, uint32_t m) {
  return set->word[m / 64] >> m % 64 & 1;
}

static void add_to_set(struct set *set, uint32_t m) {
  set->word[m / 64] |= UINT64_C(1) << m % 64;
}

static void unite_sets(struct set *set, const struct set *more) {
  for (unsigned i = 0; i < WORDS; i++)
    set->word[i] |= more->word[i];
}

static bool is_subset(const struct set *set, const struct set *all) {
  for (unsigned i = 0; i < WORDS; i++)
    if (set->word[i] & ~all->word[i])
      return false;
  return true;
}

static bool has_work(struct deciding *d, uint64_t work) {
  const bool ends =
      work >= d->sobound->work || stop_is_set(d->options->all.stop);
  d->sobound->work = ends ? 0 : d->sobound->work - work;
  return !ends;
}

// --- Visibility.

// Is t2 one of these, or before one in the commit order?
static bool reaches_txn(const struct deciding *d, uint32_t t2,
                        const struct set *members) {
  if (set_has(members, t2))
    return true;
  for (uint32_t m = 1; m < d->nmembers; m++)
    if (set_has(members, m) && set_has(&d->before[m], t2))
      return true;
  return false;
}

static bool was_read_before(const struct deciding *d, uint32_t t2, uint32_t i) {
  const struct row_read *read = &d->r.reads[i];
  for (uint32_t j = d->r.first_read[read->member];
       j < i && d->r.reads[j].event < read->event; j++)
    if (d->writer[j] == t2)
      return true;
  return false;
}

// Axiom Conflict: t2 is before some writer of a key of t that is before t.
static bool conflicts(const struct deciding *d, uint32_t t2, uint32_t t) {
  struct set earlier = d->shares[t];
  for (unsigned i = 0; i < WORDS; i++)
    earlier.word[i] &= d->before[t].word[i];
  return reaches_txn(d, t2, &earlier);
}

// vis(t2, read), by d->before as the commit order.
static bool is_visible_before(const struct deciding *d, uint32_t t2,
                              uint32_t i) {
  const uint32_t t = d->r.reads[i].member;
  switch ((enum isolation)d->level[t]) {
  case ISOLATION_RC:
    return was_read_before(d, t2, i) ||
           (d->options->rc_sees_session && set_has(&d->so[t], t2));
  case ISOLATION_RA:
    return set_has(&d->direct[t], t2);
  case ISOLATION_PC:
    return reaches_txn(d, t2, &d->direct[t]);
  case ISOLATION_SI:
    return reaches_txn(d, t2, &d->direct[t]) || conflicts(d, t2, t);
  default:
    return set_has(&d->before[t], t2);
  }
}

// --- Algorithm 1.

static void order(struct deciding *d, uint32_t a, uint32_t b) {
  struct set more = d->before[a];
  add_to_set(&more, a);
  for (uint32_t m = 0; m < d->nmembers; m++)
    if (m == b || set_has(&d->before[m], b))
      unite_sets(&d->before[m], &more);
  for (uint32_t m = 0; m < d->nmembers; m++)
    d->cyclic |= set_has(&d->before[m], m);
}

// Orders those before the writer that are visible to the read.  Returns whether
// anything was new.
static bool saturate_read(struct deciding *d, uint32_t i) {
  const struct row_read *read = &d->r.reads[i];
  const uint32_t t1 = d->writer[i];
  bool grew = false;
  for (uint32_t v = d->r.version_first[read->key];
       v < d->r.version_first[read->key + 1] && !d->cyclic; v++) {
    const uint32_t t2 = d->r.versions[v].member;
    if (t2 == t1 || t2 == read->member || set_has(&d->before[t1], t2) ||
        !is_visible_before(d, t2, i))
      continue;
    order(d, t2, t1);
    grew = true;
  }
  return grew;
}

// The transitive closure of so and wr.
static void close_order(struct deciding *d) {
  memset(d->before, 0, sizeof d->before);
  memcpy(d->direct, d->so, sizeof d->direct);
  d->cyclic = false;
  for (uint32_t i = 0; i < d->r.nreads; i++)
    if (d->writer[i] != NOBODY)
      add_to_set(&d->direct[d->r.reads[i].member], d->writer[i]);
  for (uint32_t m = 1; m < d->nmembers; m++)
    for (uint32_t o = 0; o < d->nmembers; o++)
      if (set_has(&d->direct[m], o) && !set_has(&d->before[m], o))
        order(d, o, m);
}

// The fixpoint of algorithm 1, of what is already known.
static void find_order(struct deciding *d) {
  close_order(d);
  for (bool more = true; more && !d->cyclic && has_work(d, d->r.nreads + 1);) {
    more = false;
    for (uint32_t i = 0; i < d->r.nreads && !d->cyclic; i++)
      if (d->writer[i] != NOBODY)
        more |= saturate_read(d, i);
  }
}

// --- Algorithm 4.

static bool member_writes_key(const struct deciding *d, uint32_t t,
                              uint32_t key) {
  for (uint32_t v = d->r.version_first[key]; v < d->r.version_first[key + 1];
       v++)
    if (d->r.versions[v].member == t)
      return true;
  return false;
}

// Is t visible to what reads in m, where t comes before all that is not placed?
static bool sees_by_prefix(const struct deciding *d, uint32_t t, uint32_t m,
                           const struct set *members) {
  return set_has(members, t) || (m != t && !is_subset(members, &d->placed));
}

// Table 1: does t overwrite what the read, of a transaction that is still to be
// placed, saw of those that are?
static bool overwrites(const struct deciding *d, uint32_t t, uint32_t i) {
  const struct row_read *read = &d->r.reads[i];
  const uint32_t m = read->member, t1 = d->writer[i];
  const enum isolation level = (enum isolation)d->level[m];
  if (t1 == NOBODY || !set_has(&d->placed, t1))
    return false;
  const bool writes_key = member_writes_key(d, t, read->key);
  if (level == ISOLATION_SI && set_has(&d->shares[m], t) &&
      (writes_key || d->last[read->key] != t1))
    return true;
  if (!writes_key)
    return false;
  if (level == ISOLATION_PC || level == ISOLATION_SI)
    return sees_by_prefix(d, t, m, &d->direct[m]);
  return level >= ISOLATION_SER || is_visible_before(d, t, i);
}

// Is the prefix with t a consistent extension of it?
static bool may_come(struct deciding *d, uint32_t t) {
  if (set_has(&d->placed, t) || !is_subset(&d->before[t], &d->placed))
    return false;
  for (uint32_t i = 0; i < d->r.nreads; i++)
    if (d->r.reads[i].member != t &&
        !set_has(&d->placed, d->r.reads[i].member) && overwrites(d, t, i))
      return false;
  return true;
}

// The list that the prefix belongs to.
static uint32_t list_of_reads(const struct deciding *d) {
  uint64_t hash = 0;
  for (unsigned i = 0; i < WORDS; i++)
    hash = (hash ^ d->placed.word[i]) * UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t key = 0; d->has_si && key < d->h->nkeys; key++)
    hash = (hash ^ d->last[key]) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(hash >> 32) % LISTS;
}

static bool prefix_was_seen(const struct deciding *d) {
  for (uint32_t i = d->seen_list[list_of_reads(d)]; i != NOBODY;
       i = d->seen[i].next)
    if (!memcmp(&d->seen[i].members, &d->placed, sizeof d->placed) &&
        (!d->has_si ||
         !memcmp(d->seen[i].last, d->last, d->h->nkeys * sizeof *d->last)))
      return true;
  return false;
}

static void note_seen(struct deciding *d) {
  ARRAY_RESERVE(d->seen, d->nseen, d->seen_room);
  uint32_t *list = &d->seen_list[list_of_reads(d)];
  d->seen[d->nseen] =
      (struct prefix){.members = d->placed,
                      .last = d->has_si ? ids_copy(d->last, d->h->nkeys) : NULL,
                      .next = *list};
  *list = d->nseen++;
}

static void forget_seen(struct deciding *d) {
  while (d->nseen)
    free(d->seen[--d->nseen].last);
}

// Puts t at the end of the prefix.
static void place_in_prefix(struct deciding *d, uint32_t t) {
  add_to_set(&d->placed, t);
  for (uint32_t key = 0; key < d->h->nkeys; key++)
    if (member_writes_key(d, t, key))
      d->last[key] = t;
}

static enum referee_answer explore_extensions(struct deciding *d,
                                              uint32_t nplaced) {
  if (nplaced == d->nmembers)
    return REFEREE_KEPT;
  const struct set placed = d->placed;
  uint32_t *last = ids_copy(d->last, d->h->nkeys);
  enum referee_answer answer = REFEREE_BROKEN;
  for (uint32_t t = 1; t < d->nmembers && answer == REFEREE_BROKEN; t++) {
    if (!has_work(d, d->r.nreads + 1)) {
      answer = REFEREE_TOO_LARGE;
      break;
    }
    if (!may_come(d, t))
      continue;
    place_in_prefix(d, t);
    if (!prefix_was_seen(d)) {
      answer = explore_extensions(d, nplaced + 1);
      if (answer == REFEREE_BROKEN)
        note_seen(d);
    }
    d->placed = placed;
    memcpy(d->last, last, d->h->nkeys * sizeof *last);
  }
  free(last);
  return answer;
}

static enum referee_answer explore_consistent_prefixes(struct deciding *d) {
  memset(&d->placed, 0, sizeof d->placed);
  add_to_set(&d->placed, FIRST_WRITER);
  memset(d->last, 0, d->h->nkeys * sizeof *d->last);
  memset(d->seen_list, 0xff, sizeof d->seen_list);
  const enum referee_answer answer = explore_extensions(d, 1);
  forget_seen(d);
  return answer;
}

// --- The baseline.

static bool extension_keeps_axioms(const struct deciding *d) {
  for (uint32_t i = 0; i < d->r.nreads; i++) {
    const struct row_read *read = &d->r.reads[i];
    for (uint32_t v = d->r.version_first[read->key];
         v < d->r.version_first[read->key + 1]; v++) {
      const uint32_t t2 = d->r.versions[v].member;
      if (t2 != read->member && t2 != d->writer[i] &&
          is_visible_before(d, t2, i) && !set_has(&d->before[d->writer[i]], t2))
        return false;
    }
  }
  return true;
}

// All executions of a full history: each commit order that has so and wr.
static enum referee_answer execute_all(struct deciding *d, uint32_t nplaced) {
  if (nplaced == d->nmembers) {
    has_work(d, d->r.nreads);
    return extension_keeps_axioms(d) ? REFEREE_KEPT : REFEREE_BROKEN;
  }
  const struct set placed = d->placed;
  enum referee_answer answer = REFEREE_BROKEN;
  for (uint32_t t = 1; t < d->nmembers && answer == REFEREE_BROKEN; t++) {
    if (!has_work(d, 1))
      return REFEREE_TOO_LARGE;
    if (set_has(&placed, t) || !is_subset(&d->direct[t], &placed))
      continue;
    d->before[t] = placed;
    add_to_set(&d->placed, t);
    answer = execute_all(d, nplaced + 1);
    d->placed = placed;
  }
  return answer;
}

// --- Algorithm 3.

// May the read have read the version, as far as the commit order is known?
static bool may_precede(const struct deciding *d, const struct row_read *read,
                        uint32_t version) {
  const uint32_t t = d->r.versions[version].member;
  return t != read->member && !set_has(&d->before[t], read->member);
}

// Is (r, x) a conflict: might a version that the read would find be visible?
static bool is_conflict(const struct deciding *d, uint32_t i) {
  const struct row_read *read = &d->r.reads[i];
  if (d->writer[i] != NOBODY)
    return false;
  for (uint32_t v = d->r.version_first[read->key];
       v < d->r.version_first[read->key + 1]; v++) {
    bool is_zero = false;
    for (uint32_t j = read->first; j < read->end; j++)
      is_zero |= d->r.writers.items[j] == v;
    if (!is_zero && may_precede(d, read, v))
      return true;
  }
  return false;
}

static enum referee_answer judge_extension(struct deciding *d) {
  d->sobound->nextensions++;
  if (!d->sobound->naive) {
    find_order(d);
    return d->cyclic ? REFEREE_BROKEN : explore_consistent_prefixes(d);
  }
  close_order(d);
  if (d->cyclic)
    return REFEREE_BROKEN;
  memset(&d->placed, 0, sizeof d->placed);
  add_to_set(&d->placed, FIRST_WRITER);
  return execute_all(d, 1);
}

// Tries all versions for the reads, which may be too many for a recursion.
// `next`, per read: the version to be tried, a place in d->r.writers.
static enum referee_answer extend_reads(struct deciding *d,
                                        const struct ids *reads,
                                        const struct set *before,
                                        uint32_t *next) {
  uint32_t k = 0; // so many are chosen
  for (uint32_t i = 0; i < reads->count; i++)
    next[i] = d->r.reads[reads->items[i]].first;
  for (;;) {
    if (k == reads->count) {
      const enum referee_answer answer = judge_extension(d);
      if (answer != REFEREE_BROKEN || k == 0)
        return answer;
      k--;
    }
    const uint32_t i = reads->items[k];
    const struct row_read *read = &d->r.reads[i];
    if (!has_work(d, 1))
      return REFEREE_TOO_LARGE;
    if (next[k] < read->end) {
      const uint32_t t = d->r.versions[d->r.writers.items[next[k]++]].member;
      if (set_has(&before[t], read->member)) // by pco of the history
        continue;
      d->writer[i] = t;
      k++;
    } else if (k-- == 0)
      return REFEREE_BROKEN;
    else
      next[k + 1] = read->first;
  }
}

static enum referee_answer check_consistency(struct deciding *d) {
  struct set *before = xmalloc(sizeof d->before);
  struct ids reads = {0};
  if (d->sobound->naive)
    close_order(d);
  else
    find_order(d);
  memcpy(before, d->before, sizeof d->before);
  for (uint32_t i = 0; i < d->r.nreads; i++)
    if (d->writer[i] == NOBODY && (d->sobound->naive || is_conflict(d, i)))
      ids_add(&reads, i);
  uint32_t *next = xmalloc(reads.count * sizeof *next);
  const enum referee_answer answer =
      d->cyclic ? REFEREE_BROKEN : extend_reads(d, &reads, before, next);
  free(next);
  free(reads.items);
  free(before);
  return answer;
}

// --- One choice of the transactions in doubt.

static void find_sessions(struct deciding *d) {
  const struct referee_options *all = &d->options->all;
  memset(d->so, 0, sizeof d->so);
  for (uint32_t m = 1; m < d->nmembers; m++) {
    const uint32_t u = d->id[m];
    add_to_set(&d->so[m], FIRST_WRITER);
    for (uint32_t o = 1; o < d->nmembers; o++) {
      const uint32_t t = d->id[o];
      if ((all->session_order && t < u && d->h->outcome[t] == OUTCOME_OK &&
           history_session(d->h, t) == history_session(d->h, u)) ||
          (all->real_time && history_ended(d->h, t) < history_began(d->h, u)))
        add_to_set(&d->so[m], o);
    }
  }
}

static void find_shares(struct deciding *d) {
  memset(d->shares, 0, sizeof d->shares);
  for (uint32_t key = 0; key < d->h->nkeys; key++)
    for (uint32_t v = d->r.version_first[key] + 1;
         v < d->r.version_first[key + 1]; v++)
      for (uint32_t o = d->r.version_first[key] + 1;
           o < d->r.version_first[key + 1]; o++)
        if (o != v)
          add_to_set(&d->shares[d->r.versions[v].member],
                     d->r.versions[o].member);
}

static enum referee_answer bound_members(struct deciding *d) {
  enum referee_answer answer = REFEREE_BROKEN;
  if (row_reads_open(&d->r, d->h, d->id, d->nmembers, d->is_bound, true,
                     d->options->by_items, false)) {
    find_sessions(d);
    find_shares(d);
    d->writer = xmalloc(d->r.nreads * sizeof *d->writer);
    d->last = xmalloc(d->h->nkeys * sizeof *d->last);
    for (uint32_t i = 0; i < d->r.nreads; i++) {
      const struct row_read *read = &d->r.reads[i];
      d->writer[i] =
          read->is_unseen
              ? NOBODY
              : d->r.versions[d->r.writers.items[read->first]].member;
    }
    answer = check_consistency(d);
    FREE_EACH(d->writer, d->last, d->seen);
    d->seen = NULL;
    d->seen_room = 0;
  }
  row_reads_close(&d->r);
  return answer;
}

static enum isolation level_asked(const struct referee_options *all,
                                  uint32_t t) {
  return all->levels ? (enum isolation)all->levels[t] : all->level;
}

// `out`: a set of those in doubt that did not commit, by their number.
static enum referee_answer bound_without(struct deciding *d, unsigned out) {
  unsigned doubt = 0;
  d->nmembers = 1;
  d->has_si = false;
  for (uint32_t t = 0; t < d->h->ntxns; t++) {
    if (d->h->outcome[t] == OUTCOME_ABORTED ||
        (d->h->outcome[t] == OUTCOME_UNKNOWN && out >> doubt++ & 1))
      continue;
    const uint32_t m = d->nmembers++;
    d->id[m] = t;
    d->level[m] = (uint8_t)level_asked(&d->options->all, t);
    d->is_bound[m] = d->level[m] != ISOLATION_NONE;
    d->has_si |= d->level[m] == ISOLATION_SI;
  }
  return bound_members(d);
}

static uint32_t count_with(const struct history *h, enum outcome outcome) {
  uint32_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    n += h->outcome[t] == outcome;
  return n;
}

// A level that the paper has no theorem for, or ISOLATION_NONE.
static enum isolation level_beyond(const struct history *h,
                                   const struct referee_options *all) {
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const enum isolation level = level_asked(all, t);
    if (h->outcome[t] != OUTCOME_ABORTED &&
        (level == ISOLATION_CC || level == ISOLATION_SSER))
      return level;
  }
  return ISOLATION_NONE;
}

bool sobound_covers(const struct history *h,
                    const struct referee_rows_options *options,
                    struct error *why) {
  const uint32_t ndoubt = count_with(h, OUTCOME_UNKNOWN),
                 ntxns = count_with(h, OUTCOME_OK) + ndoubt;
  const enum isolation beyond = level_beyond(h, &options->all);
  if (h->lists)
    error_set(why, "the mixed-isolation paper does not speak of lists");
  else if (!h->complete)
    error_set(why, "a part of the history is lost, and the mixed-isolation "
                   "paper does not speak of such histories");
  else if (beyond != ISOLATION_NONE)
    error_set(why,
              "the mixed-isolation paper has no theorem for %s: it covers rc, "
              "ra, pc, si and ser",
              isolation_name(beyond));
  else if (ntxns > SOBOUND_TXNS)
    error_set(why,
              "the algorithms take at most %d transactions that were not "
              "aborted, and the history has %" PRIu32,
              SOBOUND_TXNS, ntxns);
  else if (ndoubt > SOBOUND_DOUBT)
    error_set(why,
              "the algorithms take at most %d transactions of unknown outcome, "
              "and the history has %" PRIu32,
              SOBOUND_DOUBT, ndoubt);
  else
    return true;
  return false;
}

enum referee_answer sobound_decide(const struct history *h,
                                   const struct referee_rows_options *options,
                                   struct sobound *sobound) {
  struct error why;
  sobound->nextensions = 0;
  if (!sobound_covers(h, options, &why))
    return REFEREE_TOO_LARGE;
  struct deciding *d = xcalloc(1, sizeof *d);
  d->h = h;
  d->options = options;
  d->sobound = sobound;
  const unsigned all = (1u << count_with(h, OUTCOME_UNKNOWN)) - 1;
  enum referee_answer answer = REFEREE_BROKEN;
  unsigned out = all;
  for (bool more = true; more && answer == REFEREE_BROKEN;
       out = (out - 1) & all) {
    more = out != 0;
    answer = bound_without(d, out);
  }
  free(d);
  return answer;
}
