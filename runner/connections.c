// SPDX-License-Identifier: GPL-3.0-or-later
// Opening connections, and replacing them (runner/connections.h).
#include "config.h"

#include "runner/connections.h"

#include "runner/session.h"

#define FIRST_PAUSE (NS_PER_SECOND / 1000)
#define LONGEST_PAUSE NS_PER_SECOND
#define PATIENCE (120 * NS_PER_SECOND)

static struct target *target_of(const struct session *s, uint32_t host) {
  const struct run_options *options = s->run->options;
  return options->endpoints ? options->endpoints->targets[host]
                            : options->target;
}

void connections_turn(struct session *s) {
  s->connection = s->connections[s->route.host];
}

static int connect_to(struct session *s, uint32_t host) {
  struct connection **connection = &s->connections[host];
  const int failed =
      s->driver->connect(target_of(s, host), s->number, connection, &s->error);
  if (failed)
    *connection = NULL;
  connections_turn(s);
  return failed;
}

static bool takes_no_writes(const struct session *s, uint32_t host) {
  return s->route.routing == ROUTING_PRIMARY && s->driver->takes_writes &&
         !s->driver->takes_writes(s->connections[host]);
}

static void disconnect_from(struct session *s, uint32_t host) {
  if (s->connections[host])
    s->driver->disconnect(s->connections[host]);
  s->connections[host] = NULL;
  connections_turn(s);
}

// To a host that takes writes, if that is asked for.
static int connect_where_it_leads(struct session *s, uint32_t host) {
  if (connect_to(s, host))
    return -1;
  if (!takes_no_writes(s, host))
    return 0;
  disconnect_from(s, host);
  return error_set(&s->error, "%s takes no writes now",
                   s->run->options->endpoints->names[host]);
}

int connections_open(struct session *s) {
  for (uint32_t host = 0; host < s->route.nhosts; host++)
    if (route_leads_to(&s->route, host) && connect_where_it_leads(s, host))
      return -1;
  return 0;
}

void connections_close(struct session *s) {
  for (uint32_t host = 0; host < ENDPOINTS_MOST; host++)
    disconnect_from(s, host);
}

void connections_lose(struct session *s, uint64_t now) {
  disconnect_from(s, s->route.host);
  s->lost_at = now;
  s->reconnect_pause = 0;
}

bool connections_regain(struct session *s) {
  if (s->connection || !connect_where_it_leads(s, s->route.host))
    return true;
  if (route_detour(&s->route))
    connections_turn(s);
  return false;
}

bool connections_are_over(struct session *s) {
  return s->driver->over &&
         s->driver->over(target_of(s, s->route.host), &s->error) != OVER_NOT;
}

uint64_t connections_next_pause(struct session *s) {
  s->reconnect_pause =
      s->reconnect_pause ? 2 * s->reconnect_pause : FIRST_PAUSE;
  if (s->reconnect_pause > LONGEST_PAUSE)
    s->reconnect_pause = LONGEST_PAUSE;
  return s->reconnect_pause;
}

bool connections_are_lost(const struct session *s, uint64_t now) {
  return !s->run->options->endures && now - s->lost_at >= PATIENCE;
}
