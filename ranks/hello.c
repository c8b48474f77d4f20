// SPDX-License-Identifier: GPL-3.0-or-later
// A rank introduces itself to rank 0 (ranks/hello.h).
#include "config.h"

#include "ranks/hello.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAUSE_OF_CALLS (NS_PER_SECOND / 20)
enum { SILENCE_MS = 30000 }; // of the network, after which a rank is gone

struct addrinfo *place_find(const char *place, struct error *error) {
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  const char *colon = strrchr(place, ':');
  struct addrinfo *all = NULL;
  if (!colon || !colon[1] || colon == place) {
    error_set_usage(error, "--meet=%s: give HOST:PORT of rank 0", place);
    return NULL;
  }
  const bool bracketed = place[0] == '[' && colon[-1] == ']';
  char *host = xasprintf("%.*s", (int)(colon - place) - 2 * bracketed,
                         place + bracketed);
  const int why = getaddrinfo(host, colon + 1, &hints, &all);
  free(host);
  if (!why)
    return all;
  error_set(error, "--meet=%s: %s", place, gai_strerror(why));
  return NULL;
}

// A rank whose machine is gone sends nothing more: the network notices.
static void tune(int socket) {
  const int one = 1, silence = SILENCE_MS;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
}

enum hello_is hello_receive(int socket, const char *token, int milliseconds,
                            struct rank_hello *hello) {
  struct pollfd poller = {.fd = socket, .events = POLLIN};
  struct wire_message message = {0};
  enum hello_is is = HELLO_STRANGE;
  tune(socket);
  if (poll(&poller, 1, milliseconds) > 0 &&
      !wire_receive(socket, NULL, &message) && message.kind == WIRE_HELLO &&
      message.n == sizeof *hello) {
    memcpy(hello, message.bytes, sizeof *hello);
    hello->token[RANKS_TOKEN] = hello->version[sizeof hello->version - 1] = 0;
    if (!strcmp(hello->token, token))
      is = strcmp(hello->version, PACKAGE_VERSION) ? HELLO_OTHER_VERSION
                                                   : HELLO_KNOWN;
  }
  wire_message_free(&message);
  return is;
}

static int call(const char *place, struct error *error) {
  struct addrinfo *all = place_find(place, error);
  int connected = -1;
  for (const struct addrinfo *at = all; at && connected < 0; at = at->ai_next) {
    const int s = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s >= 0 && !connect(s, at->ai_addr, at->ai_addrlen))
      connected = s;
    else if (s >= 0)
      close(s);
  }
  if (all)
    freeaddrinfo(all);
  return connected;
}

// At the first of the places where somebody answers.
static int call_any(const char *places, struct error *error) {
  int connected = -1;
  for (const char *p = places; *p && connected < 0; p += *p == '\n') {
    const size_t n = strcspn(p, "\n");
    char *place = xasprintf("%.*s", (int)n, p);
    connected = n ? call(place, error) : -1;
    free(place);
    p += n;
  }
  return connected;
}

static int await_welcome(const struct ranks *ranks, struct error *error) {
  struct wire_message message;
  int failed = wire_receive(ranks->sockets[0], ranks->stop, &message);
  if (failed)
    ranks_tell_loss(error, 0);
  else if (message.kind != WIRE_WELCOME)
    failed = error_set(error, "%s", message.bytes);
  wire_message_free(&message);
  return failed;
}

int hello_say(struct ranks *ranks, const char *places, const char *token,
              uint64_t patience, struct error *error) {
  struct rank_hello hello = {.rank = ranks->number, .n = ranks->n};
  snprintf(hello.token, sizeof hello.token, "%s", token);
  snprintf(hello.version, sizeof hello.version, "%s", PACKAGE_VERSION);
  const uint64_t end = clock_now() + patience;
  error->usage = false;
  int connected;
  while ((connected = call_any(places, error)) < 0 && !error->usage &&
         clock_now() < end && !(ranks->stop && *ranks->stop))
    clock_sleep_until(clock_now() + PAUSE_OF_CALLS);
  if (error->usage)
    return -1;
  if (connected < 0)
    return error_set(error,
                     "rank 0 does not answer at %.*s for %u s: is it "
                     "started, with the same --meet?",
                     (int)strcspn(places, "\n"), places,
                     (unsigned)(patience / NS_PER_SECOND));
  tune(connected);
  ranks->sockets[0] = connected;
  if (wire_send(connected, WIRE_HELLO, &hello, sizeof hello))
    return ranks_tell_loss(error, 0);
  return await_welcome(ranks, error);
}
