// SPDX-License-Identifier: GPL-3.0-or-later
// The thread that checks a run while it records (cli/watch.h).  It shares no
// lock with the sessions: all that it knows is in the file (recorder/window.h).
// Memory is bounded by the window; what has to be checked again is bounded by
// the number of times that the window keeps a chunk, and the thread rests as
// long as it works, so that it takes half a core at most.
#include "config.h"

#include "cli/watch.h"

#include "base/clock.h"
#include "base/memory.h"
#include "checker/checker.h"
#include "recorder/window.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct watch {
  int question;
  const struct settings *settings;
  struct window *window;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool ended;                 // under the lock
  volatile bool give_up;      // of the check that is going on
  volatile sig_atomic_t flag; // a violation was seen
  struct sight sight;         // the thread's until it is joined
};

// Until `time`; true if the watch has ended by then.
static bool wait_until(struct watch *w, uint64_t time) {
  const struct timespec t = {.tv_sec = (time_t)(time / NS_PER_SECOND),
                             .tv_nsec = (long)(time % NS_PER_SECOND)};
  pthread_mutex_lock(&w->lock);
  while (!w->ended && !pthread_cond_timedwait(&w->changed, &w->lock, &t))
    ;
  const bool ended = w->ended;
  pthread_mutex_unlock(&w->lock);
  return ended;
}

static uint64_t latest_end(const struct history *h) {
  uint64_t latest = 0;
  for (uint32_t t = 0; h->end && t < h->ntxns; t++)
    if (h->end[t] != TIME_UNKNOWN && h->end[t] > latest)
      latest = h->end[t];
  return latest;
}

static int check_part(struct watch *w, const struct history *history) {
  const struct check_options options = {
      .level = w->question < ISOLATION_COUNT ? (enum isolation)w->question
                                             : ISOLATION_NONE,
      .recorded = w->question == LEVEL_RECORDED,
      .session_order = !w->settings->no_session_order,
      .real_time = w->settings->real_time,
      .stop = &w->give_up,
  };
  struct verdict verdict = {0};
  if (check(history, &options, &verdict, &w->sight.trouble))
    return -1;
  w->sight.seen = verdict.kind == VERDICT_VIOLATION;
  w->sight.time = latest_end(history);
  verdict_free(&verdict);
  return 0;
}

// -1 if there is no use in looking again.
static int look(struct watch *w) {
  struct history history;
  const int fresh = window_advance(w->window, &history, &w->sight.trouble);
  if (fresh <= 0)
    return fresh;
  const int failed = check_part(w, &history);
  history_free(&history);
  return failed;
}

static void *look_again_and_again(void *context) {
  struct watch *w = context;
  uint64_t next = clock_now() + WATCH_DELAY;
  while (!wait_until(w, next)) {
    const uint64_t begin = clock_now();
    if (look(w) || w->sight.seen)
      break;
    const uint64_t end = clock_now(), spent = end - begin;
    next = end + (spent > WATCH_DELAY ? spent : WATCH_DELAY);
  }
  if (w->sight.seen)
    __atomic_store_n(&w->flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

// Signals are for the threads of the run.
static int start_without_signals(struct watch *w) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&w->thread, NULL, look_again_and_again, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

static void watch_free(struct watch *w) {
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
  window_close(w->window);
  free(w);
}

struct watch *watch_start(const char *path, int question,
                          const struct settings *settings,
                          struct error *error) {
  struct watch *w = xcalloc(1, sizeof *w);
  pthread_condattr_t monotonic;
  *w = (struct watch){
      .question = question, .settings = settings, .window = window_open(path)};
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  const int failed = start_without_signals(w);
  if (!failed)
    return w;
  watch_free(w);
  error_set(error,
            "the thread that checks during the run could not be "
            "started: %s",
            strerror(failed));
  return NULL;
}

const volatile sig_atomic_t *watch_flag(const struct watch *w) {
  return &w->flag;
}

struct sight watch_end(struct watch *w) {
  if (!w)
    return (struct sight){0};
  pthread_mutex_lock(&w->lock);
  w->ended = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
  __atomic_store_n(&w->give_up, true, __ATOMIC_RELAXED);
  pthread_join(w->thread, NULL);
  const struct sight sight = w->sight;
  watch_free(w);
  return sight;
}
