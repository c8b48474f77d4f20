// SPDX-License-Identifier: GPL-3.0-or-later
// Routing of sessions over hosts (runner/route.h).
#include "config.h"

#include "runner/route.h"

#include "base/memory.h"
#include "base/random.h"

#include <assert.h>

static uint32_t hosts_of(const struct run_options *options) {
  return options->endpoints ? options->endpoints->count : 1;
}

// The one that a session reads from.
static uint32_t replica_of(const struct route *route) {
  return 1 + route->session % (route->nhosts - 1);
}

void route_init(struct route *route, const struct run_options *options,
                uint32_t session) {
  *route = (struct route){.nhosts = hosts_of(options),
                          .session = session,
                          .routing = options->routing};
  route->random =
      random_stream(options->workload_options.seed, session, RANDOM_ROUTE);
  if (route->nhosts > 1 && route->routing != ROUTING_REPLICAS &&
      route->routing != ROUTING_PRIMARY)
    route->host = session % route->nhosts;
}

void route_fini(struct route *route) { gsl_rng_free(route->random); }

bool route_leads_to(const struct route *route, uint32_t host) {
  if (route->nhosts == 1)
    return true;
  switch (route->routing) {
  case ROUTING_PIN:
    return host == route->session % route->nhosts;
  case ROUTING_REPLICAS:
    return host == 0 || host == replica_of(route);
  case ROUTING_PRIMARY:
    return host == route->host;
  default:
    return true;
  }
}

bool route_closes(const struct route *route) {
  return route->routing == ROUTING_PRIMARY || route_leads_to(route, 0);
}

void route_next(struct route *route, bool reads_only, bool closing) {
  if (route->nhosts == 1 || route->routing == ROUTING_PIN ||
      route->routing == ROUTING_PRIMARY)
    return;
  if (closing)
    route->host = 0;
  else if (route->routing == ROUTING_HOP)
    route->host = (route->host + 1) % route->nhosts;
  else if (route->routing == ROUTING_RANDOM)
    route->host = (uint32_t)gsl_rng_uniform_int(route->random, route->nhosts);
  else
    route->host = reads_only ? replica_of(route) : 0;
}

bool route_detour(struct route *route) {
  if (route->nhosts == 1 || route->routing == ROUTING_PIN ||
      route->routing == ROUTING_REPLICAS)
    return false;
  route->host = (route->host + 1) % route->nhosts;
  return true;
}

void route_figures_init(struct run_figures *figures,
                        const struct run_options *options) {
  const uint32_t n = hosts_of(options);
  if (n == 1)
    return;
  figures->endpoints = xcalloc(n, sizeof *figures->endpoints);
  figures->nendpoints = n;
  for (uint32_t i = 0; i < n; i++) {
    figures->endpoints[i].name = xstrdup(options->endpoints->names[i]);
    figures->endpoints[i].sessions =
        xcalloc(options->workload_options.nsessions,
                sizeof *figures->endpoints[i].sessions);
  }
}

void route_merge(struct run_figures *into, const struct route *route) {
  for (uint32_t i = 0; i < into->nendpoints; i++) {
    struct endpoint_figures *figures = &into->endpoints[i];
    const struct endpoint_count *count = &route->count[i];
    if (!count->begun)
      continue;
    assert(count->begun == count->ended[OUTCOME_OK] +
                               count->ended[OUTCOME_ABORTED] +
                               count->ended[OUTCOME_UNKNOWN]);
    figures->begun += count->begun;
    figures->committed += count->ended[OUTCOME_OK];
    figures->aborted += count->ended[OUTCOME_ABORTED];
    figures->unknown += count->ended[OUTCOME_UNKNOWN];
    figures->sessions[figures->nsessions++] =
        (struct session_share){route->session, count->begun};
  }
}
