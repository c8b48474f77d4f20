// SPDX-License-Identifier: GPL-3.0-or-later
// Types that the files of the memory driver share: a target, its sessions, a
// connection with its transaction.
#ifndef DRIVERS_MEMORY_INTERNAL_H
#define DRIVERS_MEMORY_INTERNAL_H

#include "drivers/driver.h"
#include "drivers/memory/bugs.h"
#include "drivers/memory/commits.h"
#include "drivers/memory/rows.h"
#include "drivers/memory/store.h"

#include <pthread.h>

struct memory_settings {
  enum bug bug;
  double bug_probability;
  double stale;   // probability that a snapshot is not the newest one...
  uint32_t lag;   // ...and how many commits it may be behind
  double abort;   // probability that a commit is refused for no reason
  double unknown; // probability that the answer to a commit is lost
  bool full;      // statements tell all rows that they found
  double lose;    // probability that a commit is acknowledged and then lost
};

// Outlives the connections of the session.  Used by one thread at a time.
struct memory_session {
  gsl_rng *random;
  uint64_t next_value;        // the value it will write next
  uint64_t floor;             // the newest commit it has seen
  uint64_t past[STORE_SITES]; // commits that causally precede what comes next
} __attribute__((aligned(64)));

// How many commits a snapshot may be behind for a bug.  Long, so that two keys
// that were written together are found together.
enum { BUG_LAG = 1000 };

// Writes that nobody should see, of the last transactions that made any:
// aborted or intermediate ones, for the bug that shows those.
enum { HIDDEN_WRITES = 256 };
struct hidden_writes {
  pthread_mutex_t lock;
  uint64_t count; // ever
  struct hidden_write {
    uint64_t key, value; // of a list's intermediate version: its length
  } writes[HIDDEN_WRITES];
};

struct memory_target {
  struct target base;
  struct memory_settings settings;
  uint32_t nsessions;
  struct memory_session *sessions;
  struct store *store;
  struct commits *commits;
  struct hidden_writes hidden;
  struct row_store *rows; // where setup made tables of rows; else NULL
};

// A read of a key from a committed version.
struct memory_read {
  uint64_t key;
  struct version version; // what was chosen; a bug may show something else
  bool list;
  uint64_t shown; // value, or how many elements of the list
  uint64_t extra; // element shown behind them; VALUE_INITIAL: none
};

struct memory_write {
  uint64_t key, value;
  bool append;
};

// How a version is chosen for a read.
enum view {
  VIEW_SNAPSHOT, // the newest one that `bound` holds
  VIEW_WINDOW,   // one of those since `floor` that the axiom permits
};

// The check that a commit makes.
enum check {
  CHECK_NOTHING,
  CHECK_WRITES, // no written key has a version since the snapshot
  CHECK_READS,  // no read key has a version since the one that was read
};

enum stale {
  STALE_SOMETIMES, // as the options say
  STALE_NEVER,
  STALE_ALWAYS, // by up to BUG_LAG commits, but never where SSER was asked for
  STALE_MOST,   // by BUG_LAG commits, even if the session has seen newer ones
};

// The rules of a level, or of a bug, for a transaction.
struct memory_rule {
  enum view view;
  enum check check;
  enum stale stale;
  bool repeatable;   // a second read of a key is answered as the first one
  bool sees_session; // VIEW_WINDOW: not older than the session's own writes
  bool unfractured;  // VIEW_WINDOW: no writer is seen in part
  bool causal;       // it sees a set of commits that is closed under causality
  bool must_show;    // it may be stale to show the anomaly, not for nothing
};

struct memory_transaction {
  bool open;
  struct memory_rule rule;
  bool weakened;  // the rule is a bug's
  bool showed;    // the anomaly
  bool torn;      // lists left it no version that shows no transaction in part
  uint64_t floor; // no version that this bound's newest one hides is read
  uint64_t bound[STORE_SITES];
  struct memory_read *reads;
  uint32_t nreads, reads_room;
  struct memory_write *writes;
  uint32_t nwrites, writes_room;
  bool foretold; // a read showed a value that the transaction has yet to write
  uint64_t foretold_key, foretold_value;
};

extern const struct driver memory_driver; // the driver itself

struct memory_connection {
  struct connection base;
  struct memory_session *session; // of the target
  struct memory_transaction txn;
  struct row_transaction rows;  // its part on tables of rows
  struct version_window window; // scratch
};

static inline struct memory_target *
target_of(const struct memory_connection *c) {
  return (struct memory_target *)c->base.target;
}

static inline const struct memory_settings *
settings_of(const struct memory_connection *c) {
  return &target_of(c)->settings;
}

// Throws the session's dice; a probability of 0 draws nothing.
static inline bool happens(struct memory_connection *c, double probability) {
  return probability > 0 && gsl_rng_uniform(c->session->random) < probability;
}

// Does the bug strike here?
static inline bool strikes(struct memory_connection *c, enum bug bug) {
  return settings_of(c)->bug == bug &&
         happens(c, settings_of(c)->bug_probability);
}

// --- view.c: which version a transaction sees.

// Starts a transaction at a level.
void view_begin(struct memory_connection *c, enum isolation level);

// Reads a key, whatever the transaction has written itself.  The answer is
// the transaction's and stays until the next read.
const struct memory_read *view_read(struct memory_connection *c, uint64_t key,
                                    bool list);

// Did the read show what that commit wrote to its key?  A list shows all that
// was appended up to its version.
bool view_shows(const struct memory_connection *c,
                const struct memory_read *read, uint64_t seq);

// --- forge.c: reads as a bug shows them.

// Changes what a first read of a key shows, if the bug strikes.
void forge_read(struct memory_connection *c, struct memory_read *read,
                bool list);

// How many of the transaction's own `nown` writes of a key a read is to see.
uint32_t forge_own(struct memory_connection *c, uint32_t nown);

// Does the transaction keep what a bug made it foretell?
bool forge_came_true(const struct memory_transaction *txn);

// Has the transaction read, from another key, a transaction that overwrote what
// it had read of this one, so that by RC another read of it must be newer?
// If so, `*version` is what that transaction wrote.
bool forge_overtaken(struct memory_connection *c,
                     const struct memory_read *read, struct version *version);

// Takes note of a write that nobody should see.
void forge_hide(struct memory_target *target, uint64_t key, uint64_t value);

// --- commit.c

// Says on the connection why a transaction did not commit; OUTCOME_ABORTED.
enum outcome memory_refuse(struct memory_connection *c, enum cause cause,
                           const char *code, const char *text);

// Ends the transaction; never leaves it open.
enum outcome commit_transaction(struct memory_connection *c);
void drop_transaction(struct memory_connection *c);

#endif
