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

// The writes of one value to one key are a group.
struct ambiguous_read {
  uint32_t place; // as in struct assumed_read
  uint32_t txn, group;
  uint32_t guess;     // the member of the group that it is most likely to have
                      // seen
  uint32_t own_write; // the last one of its transaction to the key before it,
                      // or UINT32_MAX
  bool sees_own;      // the guess may be a write of the transaction itself
};

struct ambiguity {
  const struct history *h;
  uint32_t nreads, room;
  struct ambiguous_read *reads; // by place
  uint32_t *number_of; // of each place that there might be; UINT32_MAX: none

  uint32_t ngroups;
  uint32_t *first; // of each group: its first writer; ngroups + 1 entries
  uint32_t
      *writer; // operations, or SAW_INITIAL; those that nobody may see last

  const struct check_options *options;
  uint8_t *never_visible;  // per operation: aborted, or overwritten by its own
  struct key_times *times; // per key; NULL where real time does not count
};

// Those of transactions that may count.  The history has `again`; the options
// are settled (checker/verdict/effective_options.h) and are kept.
void ambiguity_open(struct ambiguity *a, const struct history *history,
                    const struct check_options *options);
void ambiguity_close(struct ambiguity *a);

static inline uint32_t ambiguity_size(const struct ambiguity *a, uint32_t i) {
  const uint32_t group = a->reads[i].group;
  return a->first[group + 1] - a->first[group];
}

// Is it out of the question that read i saw member c of its group, by what
// the two transactions and the times alone say?  checker/verify/facts.c has the
// reasons.
bool ambiguity_rules_out(const struct ambiguity *a, uint32_t i, uint32_t c);

// The most likely member of read i's group that is neither `excluded` nor
// ruled out; UINT32_MAX: all are.
uint32_t ambiguity_choose(const struct ambiguity *a, uint32_t i,
                          const uint32_t *excluded);

// The member of read i's group that is this writer.
uint32_t ambiguity_member(const struct ambiguity *a, uint32_t i,
                          uint32_t writer);

// The write that read i saw if it saw member c of its group.
static inline uint32_t ambiguity_writer(const struct ambiguity *a, uint32_t i,
                                        uint32_t c) {
  return a->writer[a->first[a->reads[i].group] + c];
}

#endif
