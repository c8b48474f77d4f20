// SPDX-License-Identifier: GPL-3.0-or-later
// The place where rank 0 waits for the others (ranks/parts.h).
#include "config.h"

#include "ranks/parts.h"

#include "base/clock.h"
#include "base/memory.h"
#include "ranks/hello.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024, HELLO_MS = 2000 };

static int meeting_listen(const struct addrinfo *at) {
  const int one = 1;
  const int s = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0)
    return -1;
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (!bind(s, at->ai_addr, at->ai_addrlen) && !listen(s, BACKLOG))
    return s;
  const int why = errno;
  close(s);
  errno = why;
  return -1;
}

static int listen_at(const char *place, struct rendezvous *meeting,
                     struct error *error) {
  struct addrinfo *all = place_find(place, error);
  if (!all)
    return -1;
  int why = 0;
  for (const struct addrinfo *at = all; at && meeting->listener < 0;
       at = at->ai_next)
    if ((meeting->listener = meeting_listen(at)) < 0)
      why = errno;
  freeaddrinfo(all);
  if (meeting->listener >= 0)
    return 0;
  return error_set(error,
                   "rank 0 cannot wait at %s: %s; --meet names an address of "
                   "its machine and a free port",
                   place, strerror(why));
}

// The port that the system chose.
static int port_of(int socket) {
  struct sockaddr_storage address;
  socklen_t n = sizeof address;
  char port[16] = "";
  if (getsockname(socket, (struct sockaddr *)&address, &n) ||
      getnameinfo((struct sockaddr *)&address, n, NULL, 0, port, sizeof port,
                  NI_NUMERICSERV))
    return -1;
  return atoi(port);
}

// Writes the numeric addresses of this machine, as many as there is room for.
static void write_addresses(int port, char *text, size_t room) {
  struct ifaddrs *all = NULL;
  size_t at = 0;
  if (getifaddrs(&all))
    all = NULL;
  for (const struct ifaddrs *i = all; i && at < room; i = i->ifa_next) {
    char host[NI_MAXHOST];
    if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET &&
        !getnameinfo(i->ifa_addr, sizeof(struct sockaddr_in), host, sizeof host,
                     NULL, 0, NI_NUMERICHOST))
      at += (size_t)snprintf(text + at, room - at, "%s:%d\n", host, port);
  }
  if (all)
    freeifaddrs(all);
}

static int listen_anywhere(struct rendezvous *meeting, struct error *error) {
  const struct addrinfo hints = {
      .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
  struct addrinfo *all = NULL;
  if (getaddrinfo(NULL, "0", &hints, &all))
    return error_set(error, "rank 0 has no address to wait at");
  meeting->listener = meeting_listen(all);
  const int why = errno;
  freeaddrinfo(all);
  if (meeting->listener < 0)
    return error_set(error, "rank 0 cannot wait for the others: %s",
                     strerror(why));
  write_addresses(port_of(meeting->listener), meeting->addresses,
                  sizeof meeting->addresses);
  return 0;
}

int meeting_open(const char *place, struct rendezvous *meeting,
                 struct error *error) {
  meeting->listener = -1;
  return place ? listen_at(place, meeting, error)
               : listen_anywhere(meeting, error);
}

// ---- Those who come

// Which of them are not there: "rank 2", "ranks 1 and 3 (and 4 more)".
static void name_missing(const struct ranks *ranks, char *text, size_t room) {
  uint32_t n = 0, first[2] = {0};
  for (uint32_t i = 1; i < ranks->n; i++)
    if (ranks->sockets[i] < 0 && n++ < 2)
      first[n - 1] = i;
  if (n == 1)
    snprintf(text, room, "rank %u", first[0]);
  else
    snprintf(text, room, n > 2 ? "ranks %u, %u and %u more" : "ranks %u and %u",
             first[0], first[1], n - 2);
}

static void refuse(int socket, const char *sentence) {
  wire_send(socket, WIRE_REFUSAL, sentence, strlen(sentence));
}

static uint32_t count_missing(const struct ranks *ranks) {
  uint32_t n = 0;
  for (uint32_t i = 1; i < ranks->n; i++)
    n += ranks->sockets[i] < 0;
  return n;
}

// A stranger gets no answer.  -1 with a sentence about a rank that cannot take
// part, which gets it, too.
static int take_guest(struct ranks *ranks, const struct rendezvous *meeting,
                      int guest, struct error *error) {
  struct rank_hello hello;
  const enum hello_is is =
      hello_receive(guest, meeting->token, HELLO_MS, &hello);
  if (is == HELLO_STRANGE) {
    close(guest);
    return 0;
  }
  if (is == HELLO_OTHER_VERSION)
    error_set(error,
              "rank %u is isostress %.60s, and rank 0 is isostress %s: "
              "install one version everywhere",
              hello.rank, hello.version, PACKAGE_VERSION);
  else if (hello.n != ranks->n)
    error_set(error,
              "rank %u is one of %u, and rank 0 is one of %u: give all ranks "
              "the same N in --rank=R/N",
              hello.rank, hello.n, ranks->n);
  else if (!hello.rank || hello.rank >= ranks->n ||
           ranks->sockets[hello.rank] >= 0)
    error_set(error,
              "two ranks are number %u: give each its own R in --rank=R/N",
              hello.rank);
  else {
    ranks->sockets[hello.rank] = guest;
    return 0;
  }
  refuse(guest, error->text);
  close(guest);
  return -1;
}

static void tell_waiting(const struct ranks *ranks, const char *sentence) {
  for (uint32_t i = 1; i < ranks->n; i++)
    if (ranks->sockets[i] >= 0)
      refuse(ranks->sockets[i], sentence);
}

static int welcome_all(struct ranks *ranks, struct error *error) {
  for (uint32_t i = 1; i < ranks->n; i++)
    if (wire_send(ranks->sockets[i], WIRE_WELCOME, NULL, 0))
      return ranks_tell_loss(error, i);
  return 0;
}

int meeting_hold(struct ranks *ranks, struct rendezvous *meeting,
                 uint64_t patience, struct error *error) {
  struct pollfd poller = {.fd = meeting->listener, .events = POLLIN};
  const uint64_t end = clock_now() + patience;
  int failed = 0;
  while (!failed && count_missing(ranks) && clock_now() < end &&
         !(ranks->stop && *ranks->stop)) {
    if (poll(&poller, 1, 100) <= 0)
      continue;
    const int guest = accept(meeting->listener, NULL, NULL);
    if (guest >= 0)
      failed = take_guest(ranks, meeting, guest, error);
  }
  if (!failed && count_missing(ranks)) {
    char missing[96];
    name_missing(ranks, missing, sizeof missing);
    failed = error_set(error,
                       "%s of %u did not come to rank 0 within %u s: start all "
                       "of them, with the same --meet",
                       missing, ranks->n, (unsigned)(patience / NS_PER_SECOND));
  }
  if (failed) {
    tell_waiting(ranks, error->text);
    return -1;
  }
  return welcome_all(ranks, error);
}
