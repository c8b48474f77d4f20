// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that workers share: each is somebody's or in here.  A worker that finds
// none here waits until another one gives a part of its own away; when all
// wait, all is explored.
#ifndef EXPLORE_SHARE_H
#define EXPLORE_SHARE_H

#include "explore/task.h"

#include <pthread.h>

struct explore_share {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct tasks open; // nobody's
  uint32_t nworkers, nwaiting;
  bool hungry; // somebody waits, and there is nothing to take
  bool over;   // all is explored, or enough of it
};

// Starts with the tasks, which it takes over, for so many workers.
void share_init(struct explore_share *share, struct tasks *tasks,
                uint32_t nworkers);
// The tasks that are still open go into `left`, which is overwritten.
void share_end(struct explore_share *share, struct tasks *left);

// Waits for a task; false when nothing is left to do.
bool share_take(struct explore_share *share, struct explore_task *task);
void share_give(struct explore_share *share, struct tasks *tasks);
// All workers shall stop, and give what they have.
void share_stop(struct explore_share *share);

static inline bool share_is_over(struct explore_share *share) {
  return __atomic_load_n(&share->over, __ATOMIC_RELAXED);
}
static inline bool share_is_hungry(struct explore_share *share) {
  return __atomic_load_n(&share->hungry, __ATOMIC_RELAXED);
}

#endif
