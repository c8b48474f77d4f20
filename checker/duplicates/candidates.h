// SPDX-License-Identifier: GPL-3.0-or-later
// The reads of a history that may have seen any of several writes of one value
// to their key, and which of these they are likely to have seen.
#ifndef CHECKER_DUPLICATES_CANDIDATES_H
#define CHECKER_DUPLICATES_CANDIDATES_H

#include "checker/verdict/verdict.h"

struct key_times;

// The writes of one value to one key are a group.  Those of unknown outcome
// that read but one write are told as well: they may not have been made.
struct ambiguous_read {
  uint32_t place; // as in struct assumed_read
  uint32_t txn, group;
  uint32_t guess;     // the member of the group that it is most likely to have
                      // seen
  uint32_t own_write; // the last one of its transaction to the key before it,
                      // or UINT32_MAX
  bool sees_own;      // the guess may be a write of the transaction itself
  bool known;         // no member is possible but the one that is chosen
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

// The most likely member of read i's group that is not ruled out; or, if all
// are, its guess.
uint32_t ambiguity_choose(const struct ambiguity *a, uint32_t i);

// Kinds of the operations without the ambiguous reads, those that are known
// among them or not, to be freed.
uint8_t *ambiguity_hidden(const struct ambiguity *a, bool known);

// The write that read i saw if it saw member c of its group.
static inline uint32_t ambiguity_writer(const struct ambiguity *a, uint32_t i,
                                        uint32_t c) {
  return a->writer[a->first[a->reads[i].group] + c];
}

#endif
