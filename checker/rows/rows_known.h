// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of rows_cases.c: what is known of an order of the transactions of
// a history with SQL statements, and what follows from it.
//
// The events are the commits of the transactions and, at PC and SI, their
// snapshots; the order of commits is the paper's co.  At PC, SI and SER a
// writer is visible to a reader if it commits before the reader's snapshot
// (which at SER is its commit): a snapshot stands behind all that PC and SI
// make visible, and nothing is lost where it stands directly behind.  At RC, RA
// and CC the visible writers are those that the reads and the session show.
#ifndef CHECKER_ROWS_ROWS_KNOWN_H
#define CHECKER_ROWS_ROWS_KNOWN_H

#include "checker/rows/event_order.h"
#include "checker/rows/rows_cases.h"
#include "checker/verify/levels.h"
#include "checker/verify/rows/row_reads.h"

enum { MEMBERS = ROWS_CASES_TXNS + 1, SET_WORDS = MEMBERS / 64 + 1 };
#define NOTHING UINT32_MAX

struct known {
  const struct history *h;
  const struct referee_rows_options *options;
  struct rows_cases *cases;
  struct row_reads r;
  uint32_t id[MEMBERS];
  uint8_t level[MEMBERS], is_bound[MEMBERS];
  uint32_t nmembers;
  uint32_t snapshot[MEMBERS], commit[MEMBERS]; // events
  uint64_t session[MEMBERS][SET_WORDS]; // of members: what it sees anyway
  // Sets of members: those that write a key that this one, at SI, writes; and
  // (so + wr)+, as far as it is known.
  uint64_t conflicts[MEMBERS][SET_WORDS], past[MEMBERS][SET_WORDS];
  bool is_causal; // some member is at CC
  // Some is at PC or above besides: whatever such a one read is in the past of
  // others.
  bool all_reads;
  uint64_t visible[SET_WORDS]; // below PC: to the read at hand

  struct event_order order;
  uint8_t *is_out; // per place in r.writers: it was not read
  bool grew, contradiction;
};

static inline bool known_prefix(const struct known *k, uint32_t m) {
  return must_see_prefix((enum isolation)k->level[m]);
}

static inline uint32_t known_writer(const struct known *k, uint32_t version) {
  return k->r.versions[version].member;
}

static inline uint32_t known_commit(const struct known *k, uint32_t version) {
  return k->commit[known_writer(k, version)];
}

static inline bool known_before(const struct known *k, uint32_t a, uint32_t b) {
  return event_precedes(&k->order, known_commit(k, a), known_commit(k, b));
}

// Does the read's transaction itself write this version?
static inline bool known_own(const struct known *k, const struct row_read *read,
                             uint32_t version) {
  return known_writer(k, version) == read->member;
}

// Adds an edge; or else it is a contradiction.
void known_put(struct known *k, uint32_t a, uint32_t b);

// The versions left of a read: how many, and the last of these.
uint32_t known_left(const struct known *k, const struct row_read *read,
                    uint32_t *last);

// The version among those left that is before all others, or NOTHING.
uint32_t known_first(const struct known *k, const struct row_read *read);

// Is the writer of the version visible to the read?  Below PC the writers that
// are have to be found first, for one read at a time.
void known_find_visible(struct known *k, const struct row_read *read);
bool known_visible(const struct known *k, const struct row_read *read,
                   uint32_t version);

// Finds who writes the keys of those at SI.
void known_conflicts(struct known *k);

// Takes so much work; false: there is none left, or it is to be stopped.
bool known_work(struct known *k, uint64_t work);

// All that follows.
void known_derive(struct known *k);

#endif
