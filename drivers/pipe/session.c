// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions by a pipe: all in one process, or each in one of its own, which
// waits for the next session afterwards (drivers/pipe/pipe.h).
#include "config.h"

#include "drivers/pipe/pipe.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define CLOSE_PATIENCE NS_PER_SECOND

static int refuse_greeting(struct pipe *pipe, struct process *process,
                           enum reply reply, struct error *error) {
  if (pipe_is_broken(pipe, error))
    return -1;
  if (reply == REPLY_LATE)
    return error_set(error,
                     "the driver %s did not answer hello in %.3g s; "
                     "--driver-timeout gives it more time",
                     pipe->command.name,
                     (double)pipe->command.patience / NS_PER_SECOND);
  return error_set(error, "%s", process->end);
}

static int read_greeting(struct pipe *pipe, struct process *process,
                         struct hello *hello, struct error *error) {
  struct request request = {0};
  struct pipe_answer answer = {0};
  int failed;
  request_begin(&request, "hello");
  request_number(&request, "isostress", 1);
  const enum reply reply =
      process_ask(process, &request, pipe->command.patience, &answer);
  if (reply != REPLY_HERE) {
    failed = refuse_greeting(pipe, process, reply, error);
  } else {
    failed = hello_read(hello, answer.root, error);
    if (failed) {
      error_prefix(error, "the driver %s", pipe->command.name);
      hello_free(hello);
    }
  }
  request_free(&request);
  answer_free(&answer);
  return failed;
}

struct process *pipe_greet(struct pipe *pipe, struct hello *hello,
                           struct error *error) {
  struct process *process = process_start(&pipe->command, error);
  if (process && read_greeting(pipe, process, hello, error)) {
    process_stop(process, 0);
    process = NULL;
  }
  if (process)
    process->greeted = true;
  return process;
}

int pipe_start_again(struct pipe *pipe, struct error *error) {
  struct hello hello;
  struct process *again = pipe_greet(pipe, &hello, error);
  if (!again)
    return -1;
  hello_free(&hello);
  again->before = pipe->many;
  pipe->many = again;
  pipe->started++;
  return 0;
}

// The process of all sessions; another one only if values survive that.
static struct process *take_many(struct pipe *pipe, struct error *error) {
  if (!process_is_dead(pipe->many))
    return pipe->many;
  if (pipe->hello.survives)
    return pipe_start_again(pipe, error) ? NULL : pipe->many;
  error_set(error, "%s", pipe->many->end);
  return NULL;
}

// A process for a session; NULL with a sentence.
static struct process *take_process(struct pipe *pipe, struct error *error) {
  struct process *process = NULL;
  struct hello hello;
  pthread_mutex_lock(&pipe->mutex);
  if (pipe->hello.many)
    process = take_many(pipe, error);
  else if (pipe->nidle)
    process = pipe->idle[--pipe->nidle];
  pthread_mutex_unlock(&pipe->mutex);
  if (!process && !pipe->hello.many &&
      (process = pipe_greet(pipe, &hello, error)))
    hello_free(&hello);
  return process;
}

static void leave_process(struct pipe_session *session, bool usable) {
  struct pipe *pipe = session->pipe;
  if (pipe->hello.many)
    return;
  pthread_mutex_lock(&pipe->mutex);
  const bool kept = usable && pipe->nidle < PIPE_IDLE;
  if (kept)
    pipe->idle[pipe->nidle++] = session->process;
  pthread_mutex_unlock(&pipe->mutex);
  if (!kept)
    process_stop(session->process, usable ? clock_now() + CLOSE_PATIENCE : 0);
}

static void free_session(struct pipe_session *session) {
  request_free(&session->request);
  answer_free(&session->answer);
  sql_rows_free(&session->rows);
  free(session);
}

// A session that is broken is told to close and not waited for: its last call
// may still be under way.
void pipe_disconnect(struct connection *connection) {
  struct pipe_session *session = (struct pipe_session *)connection;
  const bool broken = connection->broken;
  bool usable = false;
  if (!broken || session->pipe->hello.many) {
    pipe_request(session, "close");
    usable = pipe_send(session, broken ? 0 : CLOSE_PATIENCE) == REPLY_HERE &&
             !json_member(session->answer.root, "fail");
  }
  leave_process(session, usable);
  free_session(session);
}

static uint64_t next_session(struct pipe *pipe) {
  pthread_mutex_lock(&pipe->mutex);
  const uint64_t number = pipe->nsessions++;
  pthread_mutex_unlock(&pipe->mutex);
  return number;
}

// A process that serves all and opens no session hangs.
static int refuse_session(struct pipe_session *session, struct error *error) {
  const bool late = session->base.broken && !session->answer.root &&
                    !process_is_dead(session->process);
  if (late && session->pipe->hello.many)
    process_kill(session->process, "did not answer `open` in time");
  leave_process(session, false);
  free_session(session);
  return error_prefix(error, "open");
}

int pipe_connect(struct target *target, uint32_t number,
                 struct connection **connection, struct error *error) {
  struct pipe *pipe = pipe_of(target);
  const struct pipe_target *open = (const struct pipe_target *)target;
  if (pipe_is_broken(pipe, error))
    return -1;
  struct process *process = take_process(pipe, error);
  if (!process)
    return -1;
  struct pipe_session *session = xcalloc(1, sizeof *session);
  session->base.target = target;
  session->base.session = number;
  session->pipe = pipe;
  session->process = process;
  session->number = next_session(pipe);
  pipe_request(session, "open");
  request_text(&session->request, "place", open->place);
  if (pipe_order(session, error))
    return refuse_session(session, error);
  *connection = &session->base;
  return 0;
}
