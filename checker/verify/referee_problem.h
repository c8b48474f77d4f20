// SPDX-License-Identifier: GPL-3.0-or-later
// The problem that the referee makes of a history before it tries commit
// orders: the transactions that count, what each reads from whom, and what any
// commit order must keep.  Private to the referee.
#ifndef CHECKER_VERIFY_REFEREE_PROBLEM_H
#define CHECKER_VERIFY_REFEREE_PROBLEM_H

#include "checker/verify/referee.h"

#include "base/stop.h"

typedef uint16_t set; // of members, one bit each

// The initial transaction is member 0; it writes every key.
enum { INITIAL = 0, MAX_MEMBERS = REFEREE_MAX_TXNS + 1 };

struct referee_read {
  uint8_t reader, writer; // members
  uint32_t key;
  uint32_t event; // the first operation of those made at once with it
  set others;     // the other writers of the key
  set shown;      // the writer and, of a list, those of its other elements
  set earlier;    // what the reader's reads before this event have shown
};

struct referee_problem {
  const struct history *history;
  struct patience *patience;
  unsigned nmembers;
  uint32_t id[MAX_MEMBERS];   // transaction; id[INITIAL] is unused
  uint8_t level[MAX_MEMBERS]; // enum isolation
  set observed[MAX_MEMBERS];  // what its reads show or it follows in its
                              // session, or in time where that counts as well
  set causes[MAX_MEMBERS];    // transitive closure of that
  set conflicts[MAX_MEMBERS]; // others that write a key that it writes
  set before[MAX_MEMBERS];    // what any commit order must have before it
  set *writers;               // per key
  struct referee_read *reads;
  unsigned nreads;
};

static inline set only(unsigned member) { return (set)(1u << member); }

static inline bool has(set members, unsigned member) {
  return members >> member & 1;
}

static inline set all_of(const struct referee_problem *p) {
  return (set)(only(p->nmembers) - 1);
}

static inline unsigned size_of(set members) {
  return (unsigned)__builtin_popcount(members);
}

// Adds to `relation`, where relation[m] holds what comes directly before m,
// what does indirectly.
void relation_close(unsigned nmembers, set relation[]);

// The transactions that may count: not aborted, and not dependent on a lost
// write.  At most one more than REFEREE_MAX_TXNS, for which there is room.
unsigned problem_candidates(const struct history *history,
                            uint32_t *candidates);

// A problem without members; add them, then state it.
void problem_open(struct referee_problem *problem,
                  const struct history *history, struct patience *patience);
void problem_close(struct referee_problem *problem);
void problem_add_member(struct referee_problem *problem, uint32_t txn,
                        const struct referee_options *options);

// Finds out all that is said above about the members.  False: some read is
// wrong whatever the commit order, or the patience ended.
bool problem_state(struct referee_problem *problem,
                   const struct referee_options *options);

#endif
