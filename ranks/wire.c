// SPDX-License-Identifier: GPL-3.0-or-later
// Messages over a socket (ranks/wire.h).  Ranks are the same program: numbers
// go as they lie in memory.
#include "config.h"

#include "ranks/wire.h"

#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
  WIRE_MAGIC = 0x4b4e4152, // "RANK"
  LOOK_MS = 100,           // at the flag
};
// The survey of an exploration is long; nothing is longer.
#define WIRE_MOST (UINT64_C(1) << 40)

struct wire_head {
  uint32_t magic, kind;
  uint64_t n;
};

void wire_message_free(struct wire_message *message) {
  free(message->bytes);
  *message = (struct wire_message){0};
}

static int send_fully(int socket, const char *bytes, size_t n) {
  while (n) {
    const ssize_t sent = send(socket, bytes, n, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      return -1;
    if (sent > 0) {
      bytes += sent;
      n -= (size_t)sent;
    }
  }
  return 0;
}

int wire_send(int socket, enum wire_kind kind, const void *bytes, size_t n) {
  const struct wire_head head = {WIRE_MAGIC, kind, n};
  char small[512];
  if (sizeof head + n > sizeof small)
    return send_fully(socket, (const char *)&head, sizeof head) ||
                   send_fully(socket, bytes, n)
               ? -1
               : 0;
  memcpy(small, &head, sizeof head);
  if (n)
    memcpy(small + sizeof head, bytes, n);
  return send_fully(socket, small, sizeof head + n);
}

static bool is_set(const volatile sig_atomic_t *stop) { return stop && *stop; }

static int await_bytes(int socket, const volatile sig_atomic_t *stop) {
  struct pollfd poller = {.fd = socket, .events = POLLIN};
  while (!is_set(stop)) {
    const int ready = poll(&poller, 1, LOOK_MS);
    if (ready > 0)
      return 0;
    if (ready < 0 && errno != EINTR)
      return -1;
  }
  errno = EINTR;
  return -1;
}

static int receive_fully(int socket, const volatile sig_atomic_t *stop,
                         char *bytes, size_t n) {
  while (n) {
    if (await_bytes(socket, stop))
      return -1;
    const ssize_t got = recv(socket, bytes, n, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      errno = ECONNRESET;
      return -1;
    }
    bytes += got;
    n -= (size_t)got;
  }
  return 0;
}

int wire_receive(int socket, const volatile sig_atomic_t *stop,
                 struct wire_message *message) {
  struct wire_head head;
  *message = (struct wire_message){0};
  if (receive_fully(socket, stop, (char *)&head, sizeof head))
    return -1;
  if (head.magic != WIRE_MAGIC || head.n > WIRE_MOST) {
    errno = EPROTO;
    return -1;
  }
  message->kind = head.kind;
  message->n = head.n;
  message->bytes = xmalloc(head.n + 1);
  message->bytes[head.n] = '\0';
  return receive_fully(socket, stop, message->bytes, head.n);
}
