// SPDX-License-Identifier: GPL-3.0-or-later
// The thread that checks a run while it records (cli/jobs/watch.h).  All that
// it knows is in the file (recorder/record/window.h).
//
// What was done is in the file after INTERVAL, and looked at after another one
// and the check before.  As much of the past is checked along as takes about
// WORK: on most databases many seconds of it, on one that is faster than the
// check little more than what is new.  There the sessions wait
// (recorder/record/backpressure.h) once more than BEHIND is not looked at, or
// for longer than LAG; so that it is noticed within a second, whatever the
// database.  Memory is bounded by the window.
//
// Statements of SQL are looked at all together (cli/jobs/watch_rows.h), each
// time that the file has grown by a quarter, and nobody waits.
#include "config.h"

#include "cli/jobs/watch.h"

#include "base/clock.h"
#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "cli/jobs/watch_rows.h"
#include "recorder/record/backpressure.h"
#include "recorder/record/window.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MS_IN_NS (NS_PER_SECOND / 1000)
#define INTERVAL (80 * MS_IN_NS)
#define WORK (25 * MS_IN_NS)
#define LAG (350 * MS_IN_NS)
#define PATIENCE (500 * MS_IN_NS)

enum { TOGETHER = 1024 };   // transactions that a session hands over at most
enum { ROWS_FIRST = 4096 }; // bytes of statements that are worth a look
enum { BEHIND = 1 << 17, PAST_MAX = 4 << 20, PAST_STEP = 1 << 12 }; // bytes

struct watch {
  _Atomic int question;
  const struct settings *settings;
  struct tail_window *window;
  size_t past; // bytes that take about WORK to check
  const char *path;
  off_t looked; // of statements: so many bytes were there at the last look
  struct backpressure *backpressure;
  pthread_t thread;
  volatile sig_atomic_t flag; // a violation was seen
  struct notice notice;       // the thread's until it is joined
};

static uint64_t latest_end(const struct history *h) {
  uint64_t latest = 0;
  for (uint32_t t = 0; h->end && t < h->ntxns; t++)
    if (h->end[t] != TIME_UNKNOWN && h->end[t] > latest)
      latest = h->end[t];
  return latest;
}

static struct check_options question_of_watch(const struct watch *w) {
  const int question = w->question;
  return (struct check_options){
      .question = settings_question(w->settings, question),
      .stop = backpressure_hurry(w->backpressure),
  };
}

static void note_watched_verdict(struct watch *w, enum verdict_kind kind,
                                 uint64_t time) {
  w->notice.seen = kind == VERDICT_VIOLATION;
  w->notice.clock = clock_now();
  w->notice.time = time;
  w->notice.undecided +=
      kind == VERDICT_UNDECIDED && !backpressure_has_ended(w->backpressure);
}

static int check_recorded_part(struct watch *w, const struct history *history) {
  const struct check_options options = question_of_watch(w);
  struct verdict verdict = {0};
  if (check(history, &options, &verdict, &w->notice.trouble))
    return -1;
  note_watched_verdict(w, verdict.kind, latest_end(history));
  verdict_free(&verdict);
  return 0;
}

// Adjusts the size of the past to the `spent` ns that the last check took.
static void adjust_past(struct watch *w, uint64_t spent) {
  const double share = (double)WORK / (double)(spent + 1);
  const double past = (double)window_bytes(w->window) * share;
  if (share < 1)
    w->past = (size_t)past;
  else if (w->past < PAST_MAX)
    w->past += w->past / 4 + PAST_STEP;
}

// -1 if there is no use in looking again.
static int look_at_record(struct watch *w) {
  struct history history;
  const uint64_t begin = clock_now();
  const int fresh =
      window_advance(w->window, w->past, &history, &w->notice.trouble);
  if (fresh < 0)
    return -1;
  if (fresh) {
    const int failed = check_recorded_part(w, &history);
    history_free(&history);
    if (failed)
      return -1;
    adjust_past(w, clock_now() - begin);
  }
  backpressure_read(w->backpressure, window_offset(w->window), begin);
  return 0;
}

// Looks at all statements so far, if there are enough new ones.
static int look_at_rows(struct watch *w) {
  const struct check_options options = question_of_watch(w);
  struct rows_look seen;
  struct error error;
  struct stat st;
  if (stat(w->path, &st) || st.st_size < ROWS_FIRST ||
      st.st_size - w->looked < w->looked / 4)
    return 0;
  w->looked = st.st_size;
  if (rows_look(w->path, (uint32_t)w->settings->clients, &options, &seen,
                &error)) {
    w->notice.trouble = error;
    return -1;
  }
  note_watched_verdict(w, seen.kind, seen.time);
  return 0;
}

static void *look_again_and_again(void *context) {
  struct watch *w = context;
  const bool rows = w->settings->workload->programs != NULL;
  while (backpressure_rest(w->backpressure, clock_now() + INTERVAL))
    if ((rows ? look_at_rows(w) : look_at_record(w)) || w->notice.seen)
      break;
  if (w->notice.seen)
    __atomic_store_n(&w->flag, 1, __ATOMIC_RELAXED);
  backpressure_end(w->backpressure); // whatever became of it, the run goes on
  return NULL;
}

// Signals are for the threads of the run.
static int start_watch_thread(struct watch *w) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&w->thread, NULL, look_again_and_again, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

static void watch_free(struct watch *w) {
  window_close(w->window);
  backpressure_free(w->backpressure);
  free(w);
}

struct watch *watch_start(const char *path, int question,
                          const struct settings *settings,
                          struct error *error) {
  static const struct backpressure_limits limits = {.hand_over = INTERVAL,
                                                    .transactions = TOGETHER,
                                                    .bytes = BEHIND,
                                                    .lag = LAG,
                                                    .patience = PATIENCE};
  static const struct backpressure_limits of_rows = {.hand_over = INTERVAL,
                                                     .transactions = TOGETHER};
  const bool rows = settings->workload->programs != NULL;
  struct watch *w = xcalloc(1, sizeof *w);
  *w = (struct watch){.question = question,
                      .settings = settings,
                      .window = window_open(path),
                      .path = path,
                      .past = PAST_MAX / 4,
                      .backpressure =
                          backpressure_new(rows ? &of_rows : &limits)};
  const int failed = start_watch_thread(w);
  if (!failed)
    return w;
  watch_free(w);
  error_set(error,
            "the thread that checks during the run could not be "
            "started: %s",
            strerror(failed));
  return NULL;
}

void watch_ask(struct watch *w, int question) { w->question = question; }

struct backpressure *watch_backpressure(const struct watch *w) {
  return w->backpressure;
}

const volatile sig_atomic_t *watch_flag(const struct watch *w) {
  return &w->flag;
}

struct notice watch_end(struct watch *w) {
  if (!w)
    return (struct notice){0};
  backpressure_end(w->backpressure);
  pthread_join(w->thread, NULL);
  struct notice notice = w->notice;
  notice.waited = backpressure_waited(w->backpressure);
  watch_free(w);
  return notice;
}
