// SPDX-License-Identifier: GPL-3.0-or-later
// A history as the engine sees it: which operations matter to others, what each
// external read saw, which version each write replaced, who read a version.
// The edges of DESIGN section 6 are derived from these arrays while walking and
// never stored.
//
// A version of a key is named by the operation that wrote it (for a list: by
// the last append it contains), the initial version of key k by nops + k.  Only
// the last write of a transaction to a key makes a version; only its first read
// of a key before it writes it is an external read (a list read always is one,
// of the list without the appends of its own).
#ifndef CHECKER_MODEL_MODEL_H
#define CHECKER_MODEL_MODEL_H

#include "checker/verdict/level_rules.h"
#include "checker/verdict/verdict.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define NO_ID UINT32_MAX

enum { MANY_READERS = UINT8_MAX }; // so many readers of a version or more

// So many operations that count, among at most so many that do not, are
// understood, and an order of them verified, in some hundredths of a second:
// nobody stops that.
enum { OPS_IN_A_MOMENT = 1 << 17, OTHERS_IN_A_MOMENT = 1 << 20 };

enum role {             // set per version
  ROLE_COUNTED = 1,     // by a transaction that counts
  ROLE_FINAL = 2,       // that transaction's last write to the key
  ROLE_BLIND = 4,       // without a read of the key before it
  ROLE_OVERWRITTEN = 8, // a transaction that read it wrote the next one
  ROLE_DIVERGED = 16,   // not the first to overwrite what it read
  ROLE_TAIL = 32,       // comes after `over`, perhaps not directly
  ROLE_LISTED = 64,     // stands in a list that another transaction read
};

// A read that is wrong in itself.
struct wrong_read {
  enum anomaly anomaly; // ANOMALY_NONE: all reads are right
  uint32_t op, other_op;
};

// All of them, if they are wanted.
struct wrong_reads {
  struct wrong_read *items;
  uint32_t count, room;
};

// How far a model is made; each stage includes those before.
enum model_stage {
  MODEL_UNDERSTOOD, // each transaction by itself: roles, sees, over, wrong
                    // reads
  MODEL_JUDGED,     // wrong reads by what they saw of other transactions, too
  MODEL_LINKED,     // readers of versions, and which are overwritten
  MODEL_ANCHORED,   // writes without a read placed, as far as that is known:
                    // their over and role, has_tails, open_versions
  MODEL_WALKABLE,   // edges can be walked forward
};

struct model {
  const struct history *h;
  enum model_stage stage;
  bool session_order;
  bool real_time;        // counts as session order does
  const uint8_t *levels; // per transaction: the level that binds its reads;
                         // NULL: the level that is asked for binds all
  uint8_t *counted;      // per transaction
  uint32_t *previous;    // per transaction: the last one that counts and leads
                      // it in its session; NO_ID for none, or without session
                      // order
  uint32_t *guess; // the transactions that count, sorted by when they ended,
                   // those of which that is not known at the end; without
                   // times by their place in the session
  uint32_t nguess;
  uint32_t *txn_of;       // per operation
  uint32_t *sees;         // per operation: version, if it is an external read
  uint32_t *over;         // per operation: if it is final, the version that it
                          // follows, where that is known
  uint8_t *role;          // per version: set of enum role
  uint8_t *nreaders;      // per version: external reads of it, or MANY_READERS
  uint32_t *first_reader; // per version: an external read of it...
  uint32_t *next_reader;  // ...and per operation the next read of that version
  uint32_t nversions;
  bool has_tails;         // some version has ROLE_TAIL
  uint32_t diverged;      // a version with ROLE_DIVERGED, or NO_ID
  uint32_t open_versions; // versions whose place in the order is not known

  // From MODEL_WALKABLE on.
  uint32_t *first_over; // per version: a version that follows it...
  uint32_t *next_over;  // ...and per operation another that follows the same;
                        // NULL: none does (model_next_over)
  uint32_t *next;       // per transaction: the next in the session that counts,
                        // which it may lead; NO_ID as above

  struct wrong_read wrong_read;
  bool wants_wrong_reads; // collect all, not only the gravest one
  struct wrong_reads wrong_reads;
  struct verdict_counts counts;
  volatile const bool *stop; // of struct check_options
  struct patience patience;  // while it is made; ended: it is left unfinished,
                             // and nothing may be asked of it
};

// Once m->counts is there.
static inline bool model_takes_a_moment(const struct model *m) {
  return m->counts.operations <= OPS_IN_A_MOMENT &&
         m->h->nops <= OTHERS_IN_A_MOMENT;
}

// Understands the history; -1 with a sentence if it is too large.  A model that
// takes longer than a moment may be left unfinished once the flag is set.
int model_understand(struct model *m, const struct history *history,
                     const struct check_options *options, struct error *error);

// As model_understand, as if all transactions of unknown outcome had taken
// effect.
int model_understand_all(struct model *m, const struct history *history,
                         const struct check_options *options,
                         struct error *error);

// Makes the model at least up to this stage.  Later ones cost time that a
// verdict may do without.  If m->wrong_read is an anomaly that breaks the
// level, the rest of the model is not to be relied on.  False: it is left
// unfinished.
bool model_reach(struct model *m, enum model_stage stage);

// Both, up to MODEL_LINKED.
int model_build(struct model *m, const struct history *history,
                const struct check_options *options, struct error *error);

// For who asks no longer who read what: frees `sees`, `nreaders`,
// `first_reader` and `next_reader`, a third of a model.
void model_forget_readers(struct model *m);
void model_free(struct model *m);

// Keeps the wrong read that breaks the weaker level, or else is earlier; none
// that the reader's own level allows.
void wrong_read_note(struct model *m, enum anomaly anomaly, uint32_t op,
                     uint32_t other_op);

// The steps of model_understand: the guess; roles, sees, over and wrong reads
// of registers; sees and over of lists.
void guess_make(struct model *m);
void reads_understand(struct model *m);
void lists_understand(struct model *m);

// The steps of model_reach.  reads_link judges as well if that was not done.
void reads_judge(struct model *m);
void reads_link(struct model *m);
void chains_anchor(struct model *m);

static inline bool is_initial(const struct model *m, uint32_t version) {
  return version >= m->h->nops;
}

static inline bool is_final(const struct model *m, uint32_t op) {
  return m->role[op] & ROLE_FINAL;
}

// Does the level bind the reads of the transaction?
static inline bool is_bound_at(const struct model *m, uint32_t t,
                               enum isolation level) {
  return !m->levels || m->levels[t] == level;
}

// From SI up, no version comes between the version that a transaction read and
// the one that it wrote to the same key.  Below SI one may: both of
//
//   [x==0 x:=1]  [x==0 x:=2]
//
// follow 0 at once.  Where all transactions have one level, the model is made
// before a level is decided, and `over` has these versions as from SI up. Below
// SI, an order that keeps them is good enough, and none of them breaks a level.
static inline bool chains_up_at_its_level(const struct model *m, uint32_t t) {
  return !m->levels || level_conflicts((enum isolation)m->levels[t]);
}

// The next version after this one, or NO_ID, among those that follow the same
// one at once: m->first_over is the first.
static inline uint32_t model_next_over(const struct model *m, uint32_t op) {
  return m->next_over ? m->next_over[op] : NO_ID;
}

// The transaction that wrote a version that is not initial.
static inline uint32_t writer_of(const struct model *m, uint32_t version) {
  assert(version < m->h->nops);
  return m->txn_of[version];
}

// Is what long work makes no longer wanted?  Then it may end early, with less.
static inline bool model_is_stopped(const struct model *m) {
  return m->patience.ended || stop_is_set(m->stop);
}

// Does session order put it before those that come later in its session?  An
// unknown one may take effect at any time after its answer was lost:
//
//   [x:=1]? [x==?]    [x==1]
static inline bool leads_session(const struct model *m, uint32_t t) {
  return m->h->outcome[t] == OUTCOME_OK;
}

// The writes of others that a read shows: of a register the one that it saw, of
// a list all appends but the reader's own at its end, the last of each
// transaction among them.
struct shown {
  const uint32_t *write;
  uint32_t count;
};

static inline struct shown shown_by_list(const struct model *m, uint32_t read) {
  assert(op_is_list(m->h->kind[read]));
  const struct seen_list list = m->h->list[m->h->saw[read]];
  const uint32_t *element = m->h->element + list.first;
  uint32_t count = list.count;
  while (count && m->txn_of[element[count - 1]] == m->txn_of[read])
    count--;
  return (struct shown){element, count};
}

// The writes that an external read shows.
static inline struct shown shown_by(const struct model *m, uint32_t read) {
  const uint32_t *saw = &m->h->saw[read];
  return op_is_list(m->h->kind[read]) ? shown_by_list(m, read)
                                      : (struct shown){saw, *saw < m->h->nops};
}

// The writes that any operation shows: none if it is no external read, or not
// the first read of that version.
static inline struct shown shown_first_by(const struct model *m, uint32_t op) {
  const uint32_t *sees = &m->sees[op];
  if (*sees >= m->h->nops)
    return (struct shown){NULL, 0};
  return m->h->lists && op_is_list(m->h->kind[op]) ? shown_by_list(m, op)
                                                   : (struct shown){sees, 1};
}

#endif
