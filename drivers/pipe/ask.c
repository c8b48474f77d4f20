// SPDX-License-Identifier: GPL-3.0-or-later
// Asks a process (drivers/pipe/process.h).  One of those who wait reads for
// all, so that no thread stands between a session and its answer.  Who writes
// holds nothing that a reader needs, and every wait has an end: a process that
// reads nothing or answers nothing stops nobody for ever.
#include "config.h"

#include "drivers/pipe/process.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MOST = 16 << 20, READ_ROOM = 1 << 16, QUOTED = 200 };

struct waiter {
  uint64_t id;
  struct pipe_answer *answer;
  bool answered;
  pthread_cond_t ready;
  struct waiter *next;
};

// How long until `when`, for poll.
static int milliseconds_until(uint64_t when) {
  const uint64_t now = clock_now();
  return now >= when ? 0 : (int)((when - now + 999999) / 1000000);
}

// Until the process takes the whole line, or ends; false if it did neither in
// time.  A part of a line is of no use to anybody.
static bool send_line(struct process *process, const char *bytes, size_t nbytes,
                      uint64_t when) {
  bool in_time = true;
  pthread_mutex_lock(&process->writing);
  while (nbytes && in_time) {
    const ssize_t n = write(process->to, bytes, nbytes);
    if (n > 0) {
      bytes += n;
      nbytes -= (size_t)n;
    } else if (errno == EAGAIN) {
      struct pollfd fd = {.fd = process->to, .events = POLLOUT};
      in_time = poll(&fd, 1, milliseconds_until(when)) != 0;
    } else if (errno != EINTR) {
      break; // it has ended, which the reader sees
    }
  }
  pthread_mutex_unlock(&process->writing);
  return in_time;
}

static bool forget_late(struct process *process, uint64_t id) {
  for (uint32_t i = 0; i < process->nlate; i++)
    if (process->late[i] == id) {
      process->late[i] = process->late[--process->nlate];
      return true;
    }
  return false;
}

// Whoever waits takes the answer as it was read, and gives its memory for the
// next one.
static void hand_over(struct process *process, struct waiter *waiter) {
  const struct pipe_answer before = *waiter->answer;
  *waiter->answer = process->answer;
  process->answer = before;
  waiter->answered = true;
  pthread_cond_signal(&waiter->ready);
}

// One line that the process wrote.  -1: it is no answer.
static int take_answer(struct process *process, char *line, size_t length) {
  const bool is_object = answer_read(&process->answer, line, length);
  const uint64_t id = json_whole(process->answer.root, "id", 0);
  const int quoted = length < QUOTED ? (int)length : QUOTED;
  if (!id) {
    pipe_discredit(process->command,
                   "printed '%.*s' where an answer was expected%s", quoted,
                   line,
                   is_object ? ": an answer has the `id` of its request"
                             : "; write to stderr what is no answer");
    return -1;
  }
  struct waiter *waiter = process->waiters;
  while (waiter && waiter->id != id)
    waiter = waiter->next;
  if (waiter && !waiter->answered) {
    hand_over(process, waiter);
    return 0;
  }
  if (!waiter && forget_late(process, id))
    return 0;
  pipe_discredit(process->command,
                 "answered request %" PRIu64 ", for which nobody waits: '%.*s'",
                 id, quoted, line);
  return -1;
}

// All lines that are complete.
static int take_answers(struct process *process) {
  char *line = process->line, *end;
  const char *last = process->line + process->used;
  char *from = process->line + process->searched;
  int failed = 0;
  while (!failed && from < last &&
         (end = memchr(from, '\n', (size_t)(last - from)))) {
    failed = take_answer(process, line, (size_t)(end - line));
    from = line = end + 1;
  }
  process->used = (size_t)(last - line);
  memmove(process->line, line, process->used);
  process->searched = process->used;
  if (!failed && process->used > LINE_MOST) {
    pipe_discredit(process->command,
                   "printed more than 16 MB without an end of the line");
    failed = -1;
  }
  return failed;
}

// Reads what there is until `when`.  1: something; 0: nothing; -1: the end.
static int read_some(struct process *process, uint64_t when) {
  struct pollfd fd = {.fd = process->from, .events = POLLIN};
  while (process->room - process->used < READ_ROOM) {
    process->room = 2 * process->room + READ_ROOM;
    process->line = xrealloc(process->line, process->room, 1);
  }
  if (poll(&fd, 1, milliseconds_until(when)) <= 0)
    return 0;
  const ssize_t n = read(process->from, process->line + process->used,
                         process->room - process->used);
  process->used += n > 0 ? (size_t)n : 0;
  return n > 0 ? 1 : n < 0 && errno == EINTR ? 0 : -1;
}

static void end_for_all(struct process *process) {
  process->dead = true;
  for (struct waiter *w = process->waiters; w; w = w->next)
    pthread_cond_signal(&w->ready);
}

// Reads for all, with the mutex held but while it waits.
static void read_for_all(struct process *process, uint64_t when) {
  process->reading = true;
  pthread_mutex_unlock(&process->mutex);
  const int n = read_some(process, when);
  if (n < 0)
    process_note_end(process);
  pthread_mutex_lock(&process->mutex);
  process->reading = false;
  if (n > 0 && take_answers(process)) {
    pthread_mutex_unlock(&process->mutex);
    process_kill(process, "gave an answer that means nothing");
    pthread_mutex_lock(&process->mutex);
    end_for_all(process);
  } else if (n < 0) {
    end_for_all(process);
  }
}

static void await_answer(struct process *process, struct waiter *waiter,
                         uint64_t when) {
  const struct timespec t = clock_timespec(when);
  while (!waiter->answered && !process->dead && clock_now() < when)
    if (process->reading)
      pthread_cond_timedwait(&waiter->ready, &process->mutex, &t);
    else
      read_for_all(process, when);
}

// Nobody waits for this answer any more; another one reads instead.
static void stop_waiting(struct process *process, struct waiter *waiter) {
  struct waiter **at = &process->waiters;
  while (*at != waiter)
    at = &(*at)->next;
  *at = waiter->next;
  if (!waiter->answered && !process->dead) {
    ARRAY_RESERVE(process->late, process->nlate, process->late_room);
    process->late[process->nlate++] = waiter->id;
  }
  if (process->waiters && !process->reading)
    pthread_cond_signal(&process->waiters->ready);
}

enum reply process_ask(struct process *process, struct request *request,
                       uint64_t patience, struct pipe_answer *answer) {
  const uint64_t when = clock_now() + patience;
  size_t length;
  pthread_mutex_lock(&process->mutex);
  struct waiter waiter = {
      .id = ++process->ids, .answer = answer, .next = process->waiters};
  clock_condition_init(&waiter.ready);
  process->waiters = &waiter;
  const bool alive = !process->dead;
  pthread_mutex_unlock(&process->mutex);
  const char *bytes = request_end(request, waiter.id, &length);
  if (alive && !send_line(process, bytes, length, when))
    process_kill(process, "does not read its requests");
  pthread_mutex_lock(&process->mutex);
  await_answer(process, &waiter, when);
  stop_waiting(process, &waiter);
  const bool dead = process->dead;
  pthread_mutex_unlock(&process->mutex);
  pthread_cond_destroy(&waiter.ready);
  return waiter.answered ? REPLY_HERE : dead ? REPLY_NEVER : REPLY_LATE;
}
