// SPDX-License-Identifier: GPL-3.0-or-later
// Targets by a pipe: one place that a command stores in, from its setup to its
// end (drivers/pipe/pipe.h).
#include "config.h"

#include "drivers/pipe/pipe.h"

#include "base/memory.h"
#include "drivers/claim.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Values are session << VALUE_SEQUENCE_BITS, and no number is above 2^53 - 1:
// many languages have no larger integers.
enum { MOST_SESSIONS = 1 << (53 - VALUE_SEQUENCE_BITS) };

void pipe_target_close(struct target *target) {
  struct pipe_target *open = (struct pipe_target *)target;
  if (open->claim >= 0)
    close(open->claim);
  free(open->place);
  free(open);
}

int pipe_target_open(const struct target_spec *spec, struct target **target,
                     struct error *error) {
  if (spec->nsessions > MOST_SESSIONS)
    return error_set_usage(error,
                           "%u sessions are too many for a driver by a pipe: "
                           "it can have %d",
                           spec->nsessions, MOST_SESSIONS);
  struct pipe_target *open = xcalloc(1, sizeof *open);
  open->place = xstrdup(spec->place);
  open->claim = -1;
  *target = &open->base;
  const struct hello *hello =
      &((const struct pipe *)(const void *)spec->driver)->hello;
  if (!hello->sql.is || !pipe_sql_read(hello, open, spec->values[0], error))
    return 0;
  pipe_target_close(*target);
  return -1;
}

static uint64_t hash_of(const char *text, uint64_t hash) {
  for (; *text; text++) // FNV-1a
    hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
  return hash;
}

// A name of the system that stands for a command's place and is free again when
// its owner ends; it is in no directory.
static socklen_t name_claim(const struct pipe *pipe, const char *place,
                            struct sockaddr_un *address) {
  uint64_t hash = hash_of(pipe->text, UINT64_C(14695981039346656037));
  hash = hash_of(place, hash_of("\n", hash));
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  const int n =
      snprintf(address->sun_path + 1, sizeof address->sun_path - 1,
               "isostress-driver-%u-%016" PRIx64, (unsigned)getuid(), hash);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

// A store without a place, in the one process that all sessions share, is
// nobody else's.
static int claim_place(struct pipe *pipe, struct pipe_target *open,
                       struct error *error) {
  if (open->claim >= 0 || (pipe->hello.many && !*open->place))
    return 0;
  struct sockaddr_un address;
  const socklen_t length = name_claim(pipe, open->place, &address);
  struct claim_wait wait = {.server = pipe->command.name,
                            .names = "this place"};
  open->claim = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  while (bind(open->claim, (const struct sockaddr *)&address, length))
    if (errno != EADDRINUSE)
      return error_set(error, "the driver %s: its place cannot be claimed: %s",
                       pipe->command.name, strerror(errno));
    else if (!claim_again(&wait))
      return error_set(error,
                       "the driver %s: another run uses this place; wait "
                       "until it has ended, or name another place",
                       pipe->command.name);
  return 0;
}

// From here on the values are new, so that the process of all sessions may be a
// new one, too.
static int renew_many(struct pipe *pipe, struct pipe_target *open,
                      struct error *error) {
  pthread_mutex_lock(&pipe->mutex);
  const int failed =
      process_is_dead(pipe->many) ? pipe_start_again(pipe, error) : 0;
  open->started = pipe->started;
  pthread_mutex_unlock(&pipe->mutex);
  return failed;
}

static int order_setup(struct pipe_session *session,
                       const struct keyspace *keys, struct error *error) {
  pipe_request(session, "setup");
  request_number(&session->request, "keys", keys->nkeys);
  request_number(&session->request, "run", keys->run / 1000);
  return pipe_order(session, error);
}

int pipe_setup(struct target *target, const struct keyspace *keys,
               struct error *error) {
  struct pipe *pipe = pipe_of(target);
  struct pipe_target *open = (struct pipe_target *)target;
  struct connection *connection;
  if (claim_place(pipe, open, error) ||
      (pipe->hello.many && renew_many(pipe, open, error)) ||
      pipe_connect(target, 0, &connection, error))
    return -1;
  struct pipe_session *session = (struct pipe_session *)connection;
  open->tables = keys->tables;
  const int failed = pipe->hello.sql.is ? pipe_sql_setup(session, keys, error)
                                        : order_setup(session, keys, error);
  pipe_disconnect(connection);
  return failed ? error_prefix(error, "setup by %s", pipe->command.name) : 0;
}

void pipe_describe(struct target *target, char *text, size_t room) {
  const struct pipe *pipe = pipe_of(target);
  error_one_line(text, room, pipe->hello.version);
}

enum target_over pipe_target_over(struct target *target, struct error *error) {
  struct pipe *pipe = pipe_of(target);
  const struct pipe_target *open = (const struct pipe_target *)target;
  if (pipe_is_broken(pipe, error))
    return OVER_ANSWERS;
  if (!pipe->hello.many || pipe->hello.survives)
    return OVER_NOT;
  pthread_mutex_lock(&pipe->mutex);
  const struct process *first = pipe->many;
  for (uint64_t i = pipe->started; i > open->started; i--)
    first = first->before;
  const bool over = process_is_dead(pipe->many) || first != pipe->many;
  if (over)
    error_set(error, "%s", first->end);
  pthread_mutex_unlock(&pipe->mutex);
  return over ? OVER_STORE : OVER_NOT;
}
