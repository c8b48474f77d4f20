// SPDX-License-Identifier: GPL-3.0-or-later
// An exploration while it goes on: between explore.c, branch.c, frames.c and
// estimate.c.  No recursion: a stack of what is left to do.
#ifndef EXPLORE_EXPLORER_H
#define EXPLORE_EXPLORER_H

#include "base/memory.h"
#include "explore/explore.h"

#include <gsl/gsl_rng.h>
#include <stddef.h>

enum frame_kind {
  FRAME_READ,  // other writers that a read may read from
  FRAME_START, // other transactions that could be next (dfs)
  FRAME_SWAPS, // swaps with the transaction that was just completed, which come
               // before the history is extended, so that nothing need be
               // restored for them
  FRAME_SWAPPED // below it the history is another one, of the next level
};

struct explore_frame {
  enum frame_kind kind;
  uint32_t nblocks; // complete ones
  uint64_t choices; // writers, or transactions
  uint32_t next;    // FRAME_SWAPS: the read to try
  bool swaps_only;  // FRAME_SWAPS: somebody else extends the history
  uint32_t depth;   // choices on the path to here
  // FRAME_READ: the pending transaction, as it was.
  uint32_t nreads, pc, nops, nstatements, nwrites;
  struct failure failure;
  datum told;
  struct program_read read;
  uint64_t past;
  size_t saved; // in explorer.saved: `before`, locals, own writes
};

enum move { MOVE_RUN, MOVE_NEXT, MOVE_BACK, MOVE_END };

struct explorer {
  const struct program *program;
  const struct explore_options *options;
  struct explore_result *result;
  struct error *error;
  struct pool pool;
  uint8_t levels[PROGRAM_MAX_TXNS + 1], bases[PROGRAM_MAX_TXNS + 1];
  uint8_t oracle[PROGRAM_MAX_TXNS + 1];
  bool filters;
  struct partial **histories; // by level
  uint32_t level, nhistories, histories_room;
  struct explore_task task; // the choices that lead to what is to be explored
  uint32_t *path;           // the choices to here
  uint32_t depth, path_room;
  gsl_rng *random; // choices at random, one each; NULL: all of them
  uint32_t steps;
  struct explore_share *share;
  struct partial scratch;
  // With a base of one's own: the history at the base that the level implies.
  uint8_t implied[PROGRAM_MAX_TXNS + 1];
  struct partial strict;
  struct machine machine;
  struct explore_frame *frames;
  uint32_t nframes, frames_room;
  uint64_t *saved;
  size_t nsaved, saved_room;
};

static inline struct partial *now(const struct explorer *e) {
  return e->histories[e->level];
}

// Is the next choice that of the task?
static inline bool is_led(const struct explorer *e) {
  return e->depth < e->task.n;
}

static inline void choose(struct explorer *e, uint32_t choice) {
  ARRAY_RESERVE(e->path, e->depth, e->path_room);
  e->path[e->depth++] = choice;
}

void explorer_init(struct explorer *e, const struct program *program,
                   const struct explore_options *options,
                   struct explore_result *result, struct error *error);
void explorer_free(struct explorer *e);
// Explores what is below the task, or takes one walk there.
void explorer_run(struct explorer *e, const struct explore_task *task);

// ---- Where a path branches (branch.c)

enum move branch_read(struct explorer *e);
enum move branch_start(struct explorer *e); // dfs
enum move branch_commit(struct explorer *e);
// Goes on with the last frame.
enum move branch_back(struct explorer *e);

// ---- Frames (frames.c)

struct explore_frame *frame_push(struct explorer *e, enum frame_kind kind);
void frame_push_read(struct explorer *e, const struct program_read *read,
                     uint64_t choices);
void frame_push_start(struct explorer *e, uint64_t choices);
// The pending transaction waits at its read again.
void frame_restore_read(struct explorer *e, const struct explore_frame *f);
// The history is complete again, as it was.
void frame_restore_start(struct explorer *e, const struct explore_frame *f);
void frame_pop(struct explorer *e);

// Gives the nearest alternative to the beginning away, if there is one.
void frames_give_one(struct explorer *e);
// Gives all alternatives away and, if `here`, what is below the path to here.
void frames_give_all(struct explorer *e, bool here);

#endif
