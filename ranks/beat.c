// SPDX-License-Identifier: GPL-3.0-or-later
// The thread that keeps ranks in touch (ranks/beat.h).  It alone uses the
// sockets while it runs.
#include "config.h"

#include "ranks/beat.h"

#include "base/clock.h"
#include "base/memory.h"
#include "ranks/parts.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTIONS_IN_A_ROW = 3, LOOK_AT_SOCKETS_MS = 20 };

struct beat {
  struct beat_options options;
  struct ranks *ranks;
  pthread_t thread;
  volatile sig_atomic_t flag; // others stop
  _Atomic bool ended;         // the work of this rank
  // The others as they are known; the thread's but for the sums.
  struct beat_counts *of; // by rank; rank 0's
  bool *done;             // likewise
  pthread_mutex_t lock;
  struct beat_counts others;
  // The thread's.
  struct pollfd *pollers;
  uint64_t next_beat, next_question, asked;
  uint32_t questions; // left to ask in this row
  bool asking;
  struct clock_bound bound;
  bool told_done, told_stop, over;
  struct error error;
};

static void note_rank_lost(struct beat *beat, uint32_t rank) {
  errno = ECONNRESET;
  if (!beat->error.text[0])
    ranks_tell_loss(&beat->error, rank);
  ranks_note_loss(beat->ranks, rank);
  if (!rank) {
    beat->over = true;
    __atomic_store_n(&beat->flag, 1, __ATOMIC_RELAXED);
  } else if (!beat->options.goes_on) {
    __atomic_store_n(&beat->flag, 1, __ATOMIC_RELAXED);
  }
}

// Messages are short; who takes none now gets the next one.
static void say_to(struct beat *beat, uint32_t rank, enum wire_kind kind,
                   const void *bytes, size_t n) {
  struct pollfd poller = {.fd = beat->ranks->sockets[rank], .events = POLLOUT};
  if (poller.fd < 0)
    return;
  // A message that must arrive waits for room; one that comes again does not.
  const bool again = kind == WIRE_BEAT || kind == WIRE_OTHERS;
  if (again && poll(&poller, 1, 0) <= 0)
    return;
  if (wire_send(poller.fd, kind, bytes, n))
    note_rank_lost(beat, rank);
}

static void add_counts(struct beat_counts *sum,
                       const struct beat_counts *counts) {
  sum->committed += counts->committed;
  sum->aborted += counts->aborted;
  sum->unknown += counts->unknown;
  sum->refused += counts->refused;
  if (counts->slowest < sum->slowest)
    sum->slowest = counts->slowest;
}

static struct beat_counts count_here(struct beat *beat) {
  struct beat_counts mine = {.slowest = UINT64_MAX};
  beat->options.count(beat->options.context, &mine);
  return mine;
}

static void keep_others(struct beat *beat, const struct beat_counts *others) {
  pthread_mutex_lock(&beat->lock);
  beat->others = *others;
  pthread_mutex_unlock(&beat->lock);
}

// ---- Rank 0

static bool are_all_done(const struct beat *beat) {
  bool all = beat->ended;
  for (uint32_t i = 1; i < beat->ranks->n; i++)
    all &= beat->done[i] || beat->ranks->sockets[i] < 0;
  return all;
}

// A rank that is gone has nobody at work.
static void tell_each(struct beat *beat) {
  struct beat_counts sum = {.slowest = UINT64_MAX};
  for (uint32_t i = 1; i < beat->ranks->n; i++) {
    if (beat->ranks->sockets[i] < 0 || beat->done[i])
      beat->of[i].slowest = UINT64_MAX;
    add_counts(&sum, &beat->of[i]);
  }
  keep_others(beat, &sum);
  const struct beat_counts mine = count_here(beat);
  add_counts(&sum, &mine);
  for (uint32_t i = 1; i < beat->ranks->n; i++)
    say_to(beat, i, WIRE_OTHERS, &sum, sizeof sum);
}

static void tell_ranks(struct beat *beat, enum wire_kind kind) {
  for (uint32_t i = 1; i < beat->ranks->n; i++)
    say_to(beat, i, kind, NULL, 0);
}

static void hear_rank(struct beat *beat, uint32_t rank,
                      const struct wire_message *message) {
  const uint64_t now = clock_now();
  switch (message->kind) {
  case WIRE_PING:
    say_to(beat, rank, WIRE_PONG, &now, sizeof now);
    break;
  case WIRE_BEAT:
    if (message->n == sizeof *beat->of)
      memcpy(&beat->of[rank], message->bytes, sizeof *beat->of);
    break;
  case WIRE_STOP:
    __atomic_store_n(&beat->flag, 1, __ATOMIC_RELAXED);
    break;
  case WIRE_DONE:
    beat->done[rank] = true;
    break;
  default:
    break;
  }
}

// ---- The others

static void take_clock(struct beat *beat, uint64_t rank0s) {
  const struct clock_bound one =
      clock_bound_of(beat->asked, rank0s, clock_now());
  beat->asking = false;
  beat->bound = clock_bound_join(&beat->bound, &one);
  // Where it contradicts the one that was told before, the reader sees that.
  if (!beat->questions)
    beat->options.bounded(beat->options.bounded_context, &beat->bound);
}

static void hear_rank0(struct beat *beat, const struct wire_message *message) {
  struct beat_counts sum;
  uint64_t rank0s;
  switch (message->kind) {
  case WIRE_PONG:
    if (message->n == sizeof rank0s) {
      memcpy(&rank0s, message->bytes, sizeof rank0s);
      take_clock(beat, rank0s);
    }
    break;
  case WIRE_OTHERS:
    if (message->n == sizeof sum) {
      memcpy(&sum, message->bytes, sizeof sum);
      keep_others(beat, &sum);
    }
    break;
  case WIRE_STOP:
    __atomic_store_n(&beat->flag, 1, __ATOMIC_RELAXED);
    break;
  case WIRE_OVER:
    beat->over = true;
    break;
  default:
    break;
  }
}

static void ask_rank0(struct beat *beat, uint64_t now) {
  if (beat->bound.exact || beat->asking)
    return;
  if (!beat->questions && now >= beat->next_question) {
    beat->questions = QUESTIONS_IN_A_ROW;
    beat->next_question = now + NS_PER_SECOND;
  }
  if (!beat->questions)
    return;
  beat->questions--;
  beat->asking = true;
  beat->asked = clock_now();
  say_to(beat, 0, WIRE_PING, NULL, 0);
}

// ---- The thread

static void stop_others(struct beat *beat) {
  if (beat->told_stop ||
      (!beat->flag && !beat->options.stops(beat->options.context)))
    return;
  beat->told_stop = true;
  if (beat->ranks->number)
    say_to(beat, 0, WIRE_STOP, NULL, 0);
  else
    tell_ranks(beat, WIRE_STOP);
}

static void beat_now_and_then(struct beat *beat) {
  const uint64_t now = clock_now();
  stop_others(beat);
  if (now >= beat->next_beat) {
    beat->next_beat = now + BEAT_INTERVAL;
    if (beat->ranks->number) {
      const struct beat_counts mine = count_here(beat);
      say_to(beat, 0, WIRE_BEAT, &mine, sizeof mine);
    } else {
      tell_each(beat);
    }
  }
  if (beat->ranks->number)
    ask_rank0(beat, now);
}

static void hear(struct beat *beat, uint32_t rank) {
  struct wire_message message = {0};
  if (wire_receive(beat->ranks->sockets[rank], NULL, &message))
    note_rank_lost(beat, rank);
  else if (beat->ranks->number)
    hear_rank0(beat, &message);
  else
    hear_rank(beat, rank, &message);
  wire_message_free(&message);
}

static void hear_all(struct beat *beat) {
  const uint32_t n = beat->ranks->number ? 1 : beat->ranks->n;
  for (uint32_t i = 0; i < n; i++)
    beat->pollers[i] =
        (struct pollfd){.fd = beat->ranks->sockets[i], .events = POLLIN};
  if (poll(beat->pollers, n, LOOK_AT_SOCKETS_MS) <= 0)
    return;
  for (uint32_t i = 0; i < n; i++)
    if (beat->pollers[i].revents && !beat->over)
      hear(beat, i);
}

// The last counts of a rank come before it says that it is done.
static void tell_end(struct beat *beat) {
  if (!beat->ended || beat->told_done)
    return;
  if (beat->ranks->number) {
    const struct beat_counts mine = count_here(beat);
    say_to(beat, 0, WIRE_BEAT, &mine, sizeof mine);
    say_to(beat, 0, WIRE_DONE, NULL, 0);
    beat->told_done = true;
  } else if (are_all_done(beat)) {
    tell_ranks(beat, WIRE_OVER);
    beat->over = beat->told_done = true;
  }
}

static void *keep_in_touch(void *context) {
  struct beat *beat = context;
  while (!beat->over) {
    hear_all(beat);
    if (beat->over)
      break;
    beat_now_and_then(beat);
    tell_end(beat);
  }
  return NULL;
}

struct beat *beat_start(const struct beat_options *options) {
  struct beat *beat = xcalloc(1, sizeof *beat);
  sigset_t all, before;
  beat->options = *options;
  beat->ranks = options->ranks;
  beat->bound = options->bound;
  beat->others.slowest = UINT64_MAX;
  beat->of = xcalloc(beat->ranks->n, sizeof *beat->of);
  beat->done = xcalloc(beat->ranks->n, sizeof *beat->done);
  beat->pollers = xcalloc(beat->ranks->n, sizeof *beat->pollers);
  pthread_mutex_init(&beat->lock, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&beat->thread, NULL, keep_in_touch, beat))
    out_of_memory(0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return beat;
}

const volatile sig_atomic_t *beat_flag(const struct beat *beat) {
  return &beat->flag;
}

struct beat_counts beat_others(struct beat *beat) {
  pthread_mutex_lock(&beat->lock);
  const struct beat_counts others = beat->others;
  pthread_mutex_unlock(&beat->lock);
  return others;
}

void beat_end(struct beat *beat, struct error *error) {
  beat->ended = true;
  pthread_join(beat->thread, NULL);
  *error = beat->error;
  pthread_mutex_destroy(&beat->lock);
  FREE_EACH(beat->of, beat->done, beat->pollers, beat);
}
