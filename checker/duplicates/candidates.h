// SPDX-License-Identifier: GPL-3.0-or-later
// The reads of a history that may have seen any of several writes of one value
// to their key, and which of these they are likely to have seen.
#ifndef CHECKER_DUPLICATES_CANDIDATES_H
#define CHECKER_DUPLICATES_CANDIDATES_H

#include "checker/verdict/verdict.h"

struct key_times;

// By version, which is an operation or, behind all of those, the initial state
// of a key: a number that is the same for the same value of the same key.  To
// be freed.
uint32_t *ambiguity_values(const struct history *history);

// Reads are places (struct assumed_read) and numbered in their order; the
// writes of one value to one key are a group.
struct ambiguity {
  const struct history *h;
  uint32_t nplaces;
  uint32_t *place;
  uint32_t *txn;       // of the place
  uint32_t *group;     // likewise
  uint32_t *likely;    // likewise: the most likely one of the group
  uint8_t *own;        // likewise: that one may be of the reader itself
  uint32_t *number_of; // of each place that there might be; UINT32_MAX: none

  uint32_t ngroups;
  uint32_t *first; // of each group: its first writer; ngroups + 1 entries
  uint32_t
      *writer; // operations, or SAW_INITIAL; those that nobody may see last

  const struct check_options *options;
  uint32_t *own_write; // of the place: its transaction's last one to the key
                       // before it, or UINT32_MAX
  uint8_t *hopeless;   // per operation: aborted, or overwritten by its own
  struct key_times *times; // per key; NULL where real time does not count
};

// Those of transactions that may count.  The history has `again`; the options
// are settled (checker/verdict/effective_options.h) and are kept.
void ambiguity_open(struct ambiguity *a, const struct history *history,
                    const struct check_options *options);
void ambiguity_close(struct ambiguity *a);

static inline uint32_t ambiguity_size(const struct ambiguity *a, uint32_t i) {
  return a->first[a->group[i] + 1] - a->first[a->group[i]];
}

// Is it out of the question that place i saw member c of its group, by what
// the two transactions and the times alone say?  checker/verify/facts.c has the
// reasons.
bool ambiguity_rules_out(const struct ambiguity *a, uint32_t i, uint32_t c);

// The most likely member of place i's group that is neither `excluded` nor
// ruled out; UINT32_MAX: all are.
uint32_t ambiguity_choose(const struct ambiguity *a, uint32_t i,
                          const uint32_t *excluded);

// The member of place i's group that is this writer.
uint32_t ambiguity_member(const struct ambiguity *a, uint32_t i,
                          uint32_t writer);

// The write that place i saw if it saw member c of its group.
static inline uint32_t ambiguity_writer(const struct ambiguity *a, uint32_t i,
                                        uint32_t c) {
  return a->writer[a->first[a->group[i]] + c];
}

#endif
