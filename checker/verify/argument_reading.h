// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of the verifier of arguments: a step is looked up in the history
// (checker/verify/argument.c), follows a path of earlier steps
// (checker/verify/argument_paths.c), or is what is left of a choice
// (checker/verify/argument_choices.c).
#ifndef CHECKER_VERIFY_ARGUMENT_READING_H
#define CHECKER_VERIFY_ARGUMENT_READING_H

#include "checker/verify/levels.h"
#include "checker/verify/look_up.h"
#include "checker/verify/verify.h"

struct side {
  uint32_t from, to;
  uint8_t kind;
  uint32_t from_op, to_op;
};

struct argument_reading {
  const struct history *h;
  const uint8_t *counted; // those that took effect, or may have
  const uint8_t *certain; // these did; NULL: all, and no read is open
  uint32_t *took;         // per transaction: the claim that it took effect
  struct side *sides;     // of the choice at hand
  uint32_t nsides, sides_room;
  const struct check_options *options;
  const struct argument *argument;
  struct error *error;
  struct patience *patience;
  uint32_t at;       // the step at hand
  uint32_t scope;    // first step of the lemma at hand, or `at` outside one
  uint8_t *in_lemma; // per step so far: it holds only inside a lemma
  uint32_t *began;   // per contradiction: the first step of its lemma, or
                     // itself if it is in none
  bool inside;       // a lemma
  // The history with rows that `h` has as registers, and the check of steps
  // about rows that did not come back.  Both are NULL for other histories.
  const struct history *rows;
  int (*check_unreturned)(const struct argument_reading *r,
                          const struct inference *step);
};

static inline uint32_t snapshot_of(uint32_t t) { return 2 * t; }
static inline uint32_t commit_of(uint32_t t) { return 2 * t + 1; }
static inline uint32_t txn_of_event(uint32_t event) { return event / 2; }

static inline bool step_has_op(const struct argument_reading *r, uint32_t op) {
  return op < r->h->nops;
}

static inline uint32_t txn_of_step(const struct argument_reading *r,
                                   uint32_t op) {
  assert(step_has_op(r, op));
  return history_txn(r->h, op);
}

static inline bool is_write(const struct argument_reading *r, uint32_t op) {
  return step_has_op(r, op) && op_writes(r->h->kind[op]) &&
         r->counted[txn_of_step(r, op)];
}

static inline bool step_reads_list(const struct argument_reading *r,
                                   uint32_t op) {
  return step_has_op(r, op) && r->h->kind[op] == OP_READ_LIST;
}

// Reads what another transaction wrote: so it has not written the key before.
static inline bool is_external(const struct argument_reading *r, uint32_t op) {
  if (!step_has_op(r, op) || !op_reads(r->h->kind[op]) ||
      !r->counted[txn_of_step(r, op)] ||
      proves_nothing(binding_level(r->h, r->options, txn_of_step(r, op))))
    return false;
  const uint32_t first = r->h->txn_first[txn_of_step(r, op)];
  return step_reads_list(r, op) ||
         last_write(r->h, first, op, r->h->key[op]) == op;
}

// A read of what somebody wrote, that may have seen any of several writes or
// not have been made.
static inline bool read_is_open(const struct argument_reading *r,
                                uint32_t read) {
  const uint32_t saw = r->h->saw[read];
  return r->certain && (saw < r->h->nops || saw == SAW_INITIAL) &&
         (!r->certain[txn_of_step(r, read)] ||
          history_is_ambiguous(r->h, r->h->key[read], saw));
}

// --- argument.c

// Refuses the step at hand; -1, with a sentence that says what the step is or
// does.
int argument_wrong(const struct argument_reading *r, const char *what);

// Checks all steps, of a reading whose first fields are filled in.
enum verified argument_check(struct argument_reading *r);

// --- argument_paths.c

// May the step at hand rest on this one?
bool argument_may_use(const struct argument_reading *r, uint32_t step);

// Walks along the path of the step from *i on until the path has led from one
// event to the other; -1 if the path does not.
int argument_walk(const struct argument_reading *r,
                  const struct inference *step, uint32_t *i, uint32_t from,
                  uint32_t to);

// Does the whole path lead from one event to the other?
bool argument_leads(const struct argument_reading *r,
                    const struct inference *step, uint32_t from, uint32_t to);

// --- argument_choices.c

// Each checks a step of one reason; -1 with a sentence if the step is wrong.
int argument_check_read(struct argument_reading *r,
                        const struct inference *step);
int argument_check_writers(struct argument_reading *r,
                           const struct inference *step);
int argument_check_seen(struct argument_reading *r,
                        const struct inference *step);
int argument_check_saw(struct argument_reading *r,
                       const struct inference *step);

#endif
