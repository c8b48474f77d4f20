// SPDX-License-Identifier: GPL-3.0-or-later
// Progress lines (cli/process/progress.h).
#include "config.h"

#include "cli/process/progress.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/process/terminal.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK = 2 }; // seconds

bool progress_on_terminal(void) { return isatty(STDERR_FILENO); }

static void __attribute__((format(printf, 2, 3)))
show_ticker(struct progress *progress, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (char *p = text; *p; p++)
    if ((unsigned char)*p < ' ')
      *p = '?'; // a path may hold commands to the terminal
  // A line that is wrapped could not be overwritten.
  if (progress->terminal)
    fprintf(stderr, "\r%.*s\033[K", (int)terminal_width(STDERR_FILENO) - 1,
            text);
  else
    fprintf(stderr, "%s\n", text);
  fflush(stderr);
  progress->shown = true;
}

void progress_end(struct progress *progress) {
  if (progress->terminal && progress->shown)
    fputs("\r\033[K", stderr);
  progress->shown = false;
}

// The share of the run that is over; below 0: nobody knows.
static double share_of_progress(const struct progress *progress,
                                const struct run_progress *now) {
  const double done = (double)(now->committed + now->aborted + now->unknown);
  const double by_time =
      progress->time ? (double)now->elapsed / (double)progress->time : -1;
  const double by_number =
      progress->transactions ? done / (double)progress->transactions : -1;
  const double share = by_time > by_number ? by_time : by_number;
  return share < 1 ? share : 1;
}

void progress_put_share(char *text, size_t room, double share,
                        uint64_t elapsed) {
  enum { BAR = 20 };
  static const char full[] = "####################";
  static const char none[] = "....................";
  const int marks = (int)(share * BAR);
  const double seconds = (double)elapsed / 1e9;
  const long left =
      share > 0 ? (long)(seconds * (1 - share) / share + 0.5) : -1;
  if (share < 0)
    snprintf(text, room, "%ld:%02ld", (long)seconds / 60, (long)seconds % 60);
  else if (left < 0)
    snprintf(text, room, "[%s]   0 %%", none);
  else
    snprintf(text, room, "[%.*s%.*s] %3.0f %%  %2ld:%02ld left", marks, full,
             BAR - marks, none, 100 * share, left / 60, left % 60);
}

const char *progress_put_grouped(char text[32], uint64_t number) {
  if (number < 1000) {
    snprintf(text, 32, "%" PRIu64, number);
    return text;
  }
  const size_t used = strlen(progress_put_grouped(text, number / 1000));
  snprintf(text + used, 32 - used, ",%03" PRIu64, number % 1000);
  return text;
}

static void show_bar(struct progress *progress, const struct run_progress *now,
                     double rate) {
  char share[80], number[32], unknown[32], more[64] = "";
  const uint64_t ended = now->committed + now->aborted + now->unknown;
  progress_put_share(share, sizeof share, share_of_progress(progress, now),
                     now->elapsed);
  if (now->unknown)
    snprintf(more, sizeof more, "   %s unknown",
             progress_put_grouped(unknown, now->unknown));
  show_ticker(progress, "%s   %s/s   refused %.2f %%%s", share,
              progress_put_grouped(number, (uint64_t)rate),
              ended ? 100.0 * (double)now->refused / (double)ended : 0.0, more);
}

void progress_of_run(void *context, const struct run_progress *now) {
  struct progress *progress = context;
  double seconds = (double)(now->elapsed - progress->before.elapsed) / 1e9;
  double committed = (double)(now->committed - progress->before.committed);
  if (progress->terminal) {
    show_bar(progress, now, seconds > 0 ? committed / seconds : 0.0);
    progress->before = *now;
    return;
  }
  char other[80] = "", unknown[64] = "";
  if (now->aborted > now->refused)
    snprintf(other, sizeof other,
             ", %" PRIu64 " rolled back or ended in an error",
             now->aborted - now->refused);
  if (now->unknown)
    snprintf(unknown, sizeof unknown, ", %" PRIu64 " unknown", now->unknown);
  show_ticker(
      progress,
      "%.1f s: %.0f per second; %" PRIu64 " committed, %" PRIu64 " refused%s%s",
      (double)now->elapsed / 1e9, seconds > 0 ? committed / seconds : 0.0,
      now->committed, now->refused, other, unknown);
  progress->before = *now;
}

void progress_of_work(struct progress *progress, double share, uint64_t elapsed,
                      const char *what) {
  char bar[80];
  if (!progress->terminal)
    return;
  progress_put_share(bar, sizeof bar, share < 1 ? share : 1, elapsed);
  show_ticker(progress, "%s   %s", bar, what);
}

struct ticker {
  const char *what; // NULL: `ask` says it
  void (*ask)(void *context, char text[TICKER_ROOM]);
  void *context;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ended_changed;
  bool ended; // under the lock
};

// Without the lock, since it may take a while.
static void show_asked(struct ticker *ticker, struct progress *progress) {
  char text[TICKER_ROOM] = "";
  pthread_mutex_unlock(&ticker->lock);
  ticker->ask(ticker->context, text);
  pthread_mutex_lock(&ticker->lock);
  if (!ticker->ended && *text)
    show_ticker(progress, "%s", text);
}

static void *tick(void *context) {
  struct ticker *ticker = context;
  struct progress progress = {.terminal = progress_on_terminal()};
  pthread_mutex_lock(&ticker->lock);
  for (int ticks = 1; !ticker->ended; ticks++) {
    const struct timespec next =
        clock_timespec(clock_now() + TICK * NS_PER_SECOND);
    while (!ticker->ended && !pthread_cond_timedwait(&ticker->ended_changed,
                                                     &ticker->lock, &next))
      ;
    if (!ticker->ended && ticker->what)
      show_ticker(&progress, "%s: %d s", ticker->what, ticks * TICK);
    else if (!ticker->ended)
      show_asked(ticker, &progress);
  }
  pthread_mutex_unlock(&ticker->lock);
  progress_end(&progress);
  return NULL;
}

// Signals are for the thread that does the work.
static int start_ticker_thread(struct ticker *ticker) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&ticker->thread, NULL, tick, ticker);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

static void ticker_free(struct ticker *ticker) {
  pthread_cond_destroy(&ticker->ended_changed);
  pthread_mutex_destroy(&ticker->lock);
  free(ticker);
}

static struct ticker *start_ticker(struct ticker how) {
  struct ticker *ticker = xcalloc(1, sizeof *ticker);
  *ticker = how;
  pthread_mutex_init(&ticker->lock, NULL);
  clock_condition_init(&ticker->ended_changed);
  if (start_ticker_thread(ticker)) {
    ticker_free(ticker); // no thread, no progress: the work goes on
    return NULL;
  }
  return ticker;
}

struct ticker *ticker_start(const char *what) {
  return start_ticker((struct ticker){.what = what});
}

struct ticker *ticker_start_asking(void (*ask)(void *context,
                                               char text[TICKER_ROOM]),
                                   void *context) {
  return start_ticker((struct ticker){.ask = ask, .context = context});
}

void ticker_end(struct ticker *ticker) {
  if (!ticker)
    return;
  pthread_mutex_lock(&ticker->lock);
  ticker->ended = true;
  pthread_cond_signal(&ticker->ended_changed);
  pthread_mutex_unlock(&ticker->lock);
  pthread_join(ticker->thread, NULL);
  ticker_free(ticker);
}
