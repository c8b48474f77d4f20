// SPDX-License-Identifier: GPL-3.0-or-later
// Targets with several hosts (drivers/endpoints.h): taken apart as text, since
// whatever stands around the hosts is the same for all of them.
#include "config.h"

#include "drivers/endpoints.h"

#include "base/clock.h"
#include "base/memory.h"
#include "drivers/drivers.h"
#include "drivers/instrument.h"

#include <stdlib.h>
#include <string.h>

#define FOLLOW_PATIENCE (30 * NS_PER_SECOND)
#define FOLLOW_PAUSE (NS_PER_SECOND / 50)

// Where the hosts stand in a target, commas and all.  What stands before the
// last @ is a login, which may hold a comma.
struct hosts {
  const char *first, *end;
};

static struct hosts hosts_in(const char *text) {
  const char *slashes = strstr(text, "://");
  if (!slashes || slashes > text + strcspn(text, "?"))
    return (struct hosts){text, text};
  const char *first = slashes + 3, *end = first + strcspn(first, "/?");
  const char *at = memrchr(first, '@', (size_t)(end - first));
  return (struct hosts){at ? at + 1 : first, end};
}

static uint32_t count_hosts_in_place(const struct hosts *hosts) {
  uint32_t count = 1;
  for (const char *c = hosts->first; c < hosts->end; c++)
    count += *c == ',';
  return count;
}

uint32_t endpoints_listed(const char *text) {
  const struct hosts hosts = hosts_in(text);
  return count_hosts_in_place(&hosts);
}

// Opens the target with one host in the place of all.
static int open_host(const char *text, const struct hosts *hosts,
                     const char *host, size_t length,
                     const struct driver *loaded, const char *const *extra,
                     uint32_t nsessions, uint64_t seed,
                     struct endpoints *endpoints, struct error *error) {
  struct target **target = &endpoints->targets[endpoints->count];
  char *one = xasprintf("%.*s%.*s%s", (int)(hosts->first - text), text,
                        (int)length, host, hosts->end);
  const int failed =
      target_open(one, loaded, extra, nsessions, seed, target, error);
  free(one);
  if (!failed)
    endpoints->names[endpoints->count++] = xasprintf("%.*s", (int)length, host);
  return failed;
}

int endpoints_open(const char *text, const struct driver *loaded,
                   const char *const *extra, uint32_t nsessions, uint64_t seed,
                   struct endpoints *endpoints, struct error *error) {
  *endpoints = (struct endpoints){0};
  const struct driver *driver = target_driver(text, loaded, extra, error);
  if (!driver)
    return -1;
  struct hosts hosts = hosts_in(text);
  const uint32_t count = driver->hosts ? count_hosts_in_place(&hosts) : 1;
  if (count > ENDPOINTS_MOST)
    return error_set_usage(error, "a target can list %d hosts, and not %u",
                           ENDPOINTS_MOST, count);
  const char *host = hosts.first;
  for (uint32_t i = 0; i < count; i++) {
    const char *comma =
        count > 1 ? memchr(host, ',', (size_t)(hosts.end - host)) : NULL;
    const char *end = comma ? comma : hosts.end;
    if (open_host(text, &hosts, host, (size_t)(end - host), loaded, extra,
                  nsessions, seed, endpoints, error)) {
      endpoints_close(endpoints);
      return -1;
    }
    host = end + (comma != NULL);
  }
  return 0;
}

void endpoints_close(struct endpoints *endpoints) {
  for (uint32_t i = 0; i < endpoints->count; i++) {
    target_close(endpoints->targets[i]);
    free(endpoints->names[i]);
  }
  *endpoints = (struct endpoints){0};
}

struct following {
  const struct keyspace *keys;         // that were made; or
  const struct instrument *instrument; // whose tables were, at
  const struct target *first;
};

// As `follow` of drivers and of instruments.
static int has_followed(struct target *target, const struct following *f,
                        struct error *error) {
  return f->instrument ? f->instrument->follow(target, f->first, error)
         : target->driver->follow
             ? target->driver->follow(target, f->keys, error)
             : 1;
}

// Until a host that follows the first one has got what was set up there.
static int await_follower(struct target *target, const struct following *f,
                          const char *name, struct error *error) {
  const uint64_t start = clock_now();
  int answer;
  while (!(answer = has_followed(target, f, error)) &&
         clock_now() - start < FOLLOW_PATIENCE)
    clock_sleep_until(clock_now() + FOLLOW_PAUSE);
  if (answer > 0)
    return 0;
  if (!answer)
    error_set(error,
              "%s has not received the %s that were made at the first host "
              "for %d s: does it replicate that host?",
              name, f->instrument ? "tables" : "keys",
              (int)(FOLLOW_PATIENCE / NS_PER_SECOND));
  return -1;
}

enum isolation endpoints_claim(const struct endpoints *endpoints,
                               const struct driver_level *level) {
  enum isolation least = level->claimed;
  for (uint32_t i = 0; i < endpoints->count; i++) {
    const enum isolation claim = target_claim(endpoints->targets[i], level);
    if (claim < least)
      least = claim;
  }
  return least;
}

static int await_all(const struct endpoints *endpoints,
                     const struct following *f, uint32_t first,
                     struct error *error) {
  for (uint32_t i = first; endpoints && i < endpoints->count; i++)
    if (await_follower(endpoints->targets[i], f, endpoints->names[i], error))
      return -1;
  return 0;
}

int endpoints_await(const struct endpoints *endpoints,
                    const struct keyspace *keys, bool first,
                    struct error *error) {
  const struct following f = {.keys = keys};
  return await_all(endpoints, &f, first ? 0 : 1, error);
}

int endpoints_await_own(const struct endpoints *endpoints,
                        const struct instrument *instrument,
                        struct error *error) {
  const struct following f = {.instrument = instrument,
                              .first =
                                  endpoints ? endpoints->targets[0] : NULL};
  return await_all(endpoints, &f, 1, error);
}
