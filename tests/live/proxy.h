// SPDX-License-Identifier: GPL-3.0-or-later
// A proxy between a driver and a real server on the loopback interface, which
// loses or spoils what passes it at a chosen moment: the only way to lose a
// connection exactly before, during or after a commit.
#ifndef TESTS_LIVE_PROXY_H
#define TESTS_LIVE_PROXY_H

#include "tests/tap.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum proxy_mode {
  PROXY_PASS,
  PROXY_LOSE_REQUESTS, // the next request does not arrive, nor does an answer
  PROXY_LOSE_ANSWERS,  // the next request arrives, its answer does not
  PROXY_SPOIL_ANSWERS, // the next answer is rubbish
  PROXY_HOLD,          // no request arrives, and the connection stays open
  PROXY_HOLD_ANSWERS,  // all requests arrive, no answer does; likewise
};

struct proxy {
  int listener;
  uint16_t port, server;
  _Atomic enum proxy_mode mode; // back to PROXY_PASS once it lost or spoiled
  atomic_int spared; // so many requests, or answers, pass before it counts
  atomic_int open;   // connections
  pthread_t thread;
};

struct proxy_pair {
  struct proxy *proxy;
  int client, server;
};

static inline struct sockaddr_in proxy_address(uint16_t port) {
  return (struct sockaddr_in){.sin_family = AF_INET,
                              .sin_port = htons(port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

// Decides the treatment of a request or an answer.
static inline enum proxy_mode proxy_choose(struct proxy *proxy, bool request) {
  const enum proxy_mode mode = atomic_load(&proxy->mode);
  const bool about_requests = mode == PROXY_HOLD || mode == PROXY_LOSE_REQUESTS;
  if (mode == PROXY_PASS || request != about_requests)
    return PROXY_PASS;
  return atomic_fetch_sub(&proxy->spared, 1) > 0 ? PROXY_PASS : mode;
}

// Passes on what came from one side; false: the connection is over.
static inline bool proxy_pass(struct proxy_pair *pair, int from, int to) {
  char bytes[65536];
  const ssize_t n = recv(from, bytes, sizeof bytes, 0);
  if (n <= 0)
    return false;
  const enum proxy_mode mode = proxy_choose(pair->proxy, from == pair->client);
  if (mode == PROXY_HOLD || mode == PROXY_HOLD_ANSWERS)
    return true;
  if (mode == PROXY_LOSE_REQUESTS || mode == PROXY_LOSE_ANSWERS) {
    atomic_store(&pair->proxy->mode, PROXY_PASS);
    return false;
  }
  if (mode == PROXY_SPOIL_ANSWERS) {
    atomic_store(&pair->proxy->mode, PROXY_PASS);
    memset(bytes, '!', (size_t)n);
  }
  return send(to, bytes, (size_t)n, MSG_NOSIGNAL) == n;
}

static inline void *proxy_serve(void *argument) {
  struct proxy_pair *pair = argument;
  struct pollfd polls[] = {{.fd = pair->client, .events = POLLIN},
                           {.fd = pair->server, .events = POLLIN}};
  bool open = true;
  while (open && poll(polls, 2, -1) > 0) {
    if (polls[0].revents)
      open = proxy_pass(pair, pair->client, pair->server);
    if (open && polls[1].revents)
      open = proxy_pass(pair, pair->server, pair->client);
  }
  close(pair->client);
  close(pair->server);
  atomic_fetch_sub(&pair->proxy->open, 1);
  free(pair);
  return NULL;
}

static inline void *proxy_accept(void *argument) {
  struct proxy *proxy = argument;
  const struct sockaddr_in server = proxy_address(proxy->server);
  int client;
  while ((client = accept(proxy->listener, NULL, NULL)) >= 0) {
    struct proxy_pair *pair = malloc(sizeof *pair);
    *pair = (struct proxy_pair){proxy, client, socket(AF_INET, SOCK_STREAM, 0)};
    pthread_t thread;
    atomic_fetch_add(&proxy->open, 1);
    if (connect(pair->server, (const struct sockaddr *)&server,
                sizeof server) ||
        pthread_create(&thread, NULL, proxy_serve, pair))
      abort();
    pthread_detach(thread);
  }
  return NULL;
}

// Listens on a port of its own in front of the server's port.
static inline void proxy_start(struct proxy *proxy, uint16_t server) {
  struct sockaddr_in address = proxy_address(0);
  socklen_t size = sizeof address;
  *proxy = (struct proxy){.listener = socket(AF_INET, SOCK_STREAM, 0),
                          .server = server};
  CHECK(!bind(proxy->listener, (struct sockaddr *)&address, size));
  CHECK(!listen(proxy->listener, 8));
  CHECK(!getsockname(proxy->listener, (struct sockaddr *)&address, &size));
  proxy->port = ntohs(address.sin_port);
  CHECK(!pthread_create(&proxy->thread, NULL, proxy_accept, proxy));
}

// All clients have closed their connections, whose threads look at the proxy
// until they have noticed it.
static inline void proxy_stop(struct proxy *proxy) {
  int tries = 10000;
  shutdown(proxy->listener, SHUT_RDWR);
  pthread_join(proxy->thread, NULL);
  while (atomic_load(&proxy->open) && tries--)
    usleep(1000);
  close(proxy->listener);
}

#endif
