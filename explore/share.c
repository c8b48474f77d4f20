// SPDX-License-Identifier: GPL-3.0-or-later
// Gives tasks to workers (explore/share.h).
#include "config.h"

#include "explore/share.h"

void share_init(struct explore_share *share, struct tasks *tasks,
                uint32_t nworkers) {
  *share = (struct explore_share){.open = *tasks, .nworkers = nworkers};
  *tasks = (struct tasks){0};
  pthread_mutex_init(&share->lock, NULL);
  pthread_cond_init(&share->changed, NULL);
}

void share_end(struct explore_share *share, struct tasks *left) {
  *left = share->open;
  pthread_cond_destroy(&share->changed);
  pthread_mutex_destroy(&share->lock);
}

static void set_shared(bool *flag, bool value) {
  __atomic_store_n(flag, value, __ATOMIC_RELAXED);
}

bool share_take(struct explore_share *share, struct explore_task *task) {
  pthread_mutex_lock(&share->lock);
  share->nwaiting++;
  while (!share->over && !share->open.n) {
    if (share->nwaiting == share->nworkers) {
      set_shared(&share->over, true);
      pthread_cond_broadcast(&share->changed);
      break;
    }
    set_shared(&share->hungry, true);
    pthread_cond_wait(&share->changed, &share->lock);
  }
  const bool takes = !share->over && tasks_take(&share->open, task);
  share->nwaiting -= takes;
  set_shared(&share->hungry, share->nwaiting && !share->open.n);
  pthread_mutex_unlock(&share->lock);
  return takes;
}

void share_give(struct explore_share *share, struct tasks *tasks) {
  pthread_mutex_lock(&share->lock);
  tasks_move(&share->open, tasks);
  set_shared(&share->hungry, share->nwaiting && !share->open.n);
  pthread_cond_broadcast(&share->changed);
  pthread_mutex_unlock(&share->lock);
}

void share_stop(struct explore_share *share) {
  pthread_mutex_lock(&share->lock);
  set_shared(&share->over, true);
  pthread_cond_broadcast(&share->changed);
  pthread_mutex_unlock(&share->lock);
}
