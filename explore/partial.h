// SPDX-License-Identifier: GPL-3.0-or-later
// A partial history under construction: transactions in the order in which they
// were added, at most one of them pending, which is the last one.  This order
// extends so and wr ("dpor" below: Bouajjani, Enea and Roman-Calvo, "Dynamic
// partial order reduction for checking correctness against transaction
// isolation levels", PLDI 2023).
#ifndef EXPLORE_PARTIAL_H
#define EXPLORE_PARTIAL_H

#include "explore/interpret.h"
#include "explore/levels.h"
#include "explore/program.h"

enum {
  READ_SWAPPED = 1, // its writer was put before it by a swap
  READ_FAR = 2,     // its writer was outside its causal past when it was added
  READ_LOCKED = 4,  // for update, or for share
  READ_SHARED = 8,  // for share
  READ_NEWEST = 16, // at mysql-rr: it locks, whatever it returns, and sees what
                    // was committed last
  READ_WAITS = 32,  // an INSERT that ran into a row: it waited for whoever was
                    // changing the row
};

struct program_read {
  uint32_t key, line, statement;
  uint8_t writer; // transaction; 0: the initial value
  uint8_t flags;
  datum v;
  uint64_t causal; // the writers in its causal past that were valid then
};

struct program_block {
  uint8_t t;
  bool rolled_back;
  struct failure failure;
  datum told; // the list of its answers
  uint32_t first_read, end_read, first_write, end_write;
};

struct partial {
  const struct program *program;
  struct pool *pool;
  const uint8_t *levels; // enum level of each transaction: a base
  uint32_t nblocks;
  bool pending;      // the last block is
  uint64_t complete; // transactions, 0 included
  struct program_block blocks[PROGRAM_MAX_TXNS + 1];
  uint8_t position[PROGRAM_MAX_TXNS + 1]; // 1 + its block; of 0: 0
  struct program_read *reads;
  struct program_write *writes;
  datum *locals;     // at the end of each block
  uint64_t *writers; // by key: who is complete and wrote it, 0 included
  uint32_t nreads, nwrites, reads_room, writes_room, writers_room;
  // past: causal predecessors.  before: all that must commit before it, by so,
  // wr and what reads demand; of complete ones.
  uint64_t past[PROGRAM_MAX_TXNS + 1], before[PROGRAM_MAX_TXNS + 1];
};

static inline uint64_t bit(uint32_t t) { return UINT64_C(1) << t; }

// Runs `body` for each t in a set.
#define FOR_EACH_BIT(t, set)                                                   \
  for (uint64_t rest_##t = (set), t = 0;                                       \
       rest_##t && (t = (uint64_t)__builtin_ctzll(rest_##t), 1);               \
       rest_##t &= rest_##t - 1)

void partial_init(struct partial *partial, const struct program *program,
                  struct pool *pool, const uint8_t *levels);
void partial_free(struct partial *partial);
void partial_clear(struct partial *partial);

static inline datum *block_locals(const struct partial *p, uint32_t block) {
  return p->locals + (size_t)block * p->program->nlocals;
}
static inline struct program_block *pending_block(struct partial *p) {
  return &p->blocks[p->nblocks - 1];
}
// Everybody who wrote the key so far.
static inline uint64_t writers_of(const struct partial *p, uint32_t key) {
  return key < p->writers_room ? p->writers[key] : 1;
}
datum partial_written(const struct partial *partial, uint32_t writer,
                      uint32_t key);

// ---- Extending it

// Starts t, whose session predecessors are complete; its locals are as its
// session left them.
void partial_begin(struct partial *partial, uint32_t t);
// The machine of the pending transaction, before its first instruction.
void partial_start_machine(struct partial *partial, struct machine *machine);

// Adds to `before` what a read by the pending transaction demands; false if
// that is impossible (valid.c).
bool partial_demand(const struct partial *partial, uint64_t *before,
                    const struct program_read *read);
// Who may be read from, by the level of the pending transaction (valid.c); the
// writer of the read does not count.
uint64_t partial_valid(const struct partial *partial,
                       const struct program_read *read);
bool partial_is_valid(const struct partial *partial, struct program_read read,
                      uint32_t writer);
// Adds a read of the pending transaction, which must be valid.
void partial_read(struct partial *partial, const struct program_read *read);
// Is it valid?  Then it is added.
bool partial_try(struct partial *partial, const struct program_read *read);

// Ends the pending transaction, whose writes the machine put into place.
void partial_complete(struct partial *partial, const struct machine *machine,
                      bool rolled_back);

// Did a swap give the read its writer?
static inline bool partial_is_swapped(const struct partial *p, uint32_t r) {
  return p->reads[r].flags & READ_SWAPPED;
}

// Appends a complete block of another history; false, and it is pending, if a
// read of it is not valid here.
bool partial_take(struct partial *to, const struct partial *from,
                  uint32_t block);

// Back to so many complete blocks.
void partial_cut(struct partial *partial, uint32_t nblocks);
// The block behind those is pending again, with so many reads and writes.
void partial_reopen(struct partial *partial, uint32_t nreads, uint64_t past);

// `to` becomes `from` without the block of read `r` from this read on, and
// without the blocks behind it that are not in `kept`; that block comes last,
// and is pending.  No locals, unless `with_locals`; no writes of the pending
// block.
void partial_without(struct partial *to, const struct partial *from,
                     uint32_t block, uint32_t r, uint64_t kept,
                     bool with_locals);

#endif
