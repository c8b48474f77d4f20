// SPDX-License-Identifier: GPL-3.0-or-later
// The names of the ways between sessions and hosts (drivers/endpoints.h), apart
// from the drivers, so that settings can be read without any.
#include "config.h"

#include "drivers/endpoints.h"

#include "base/nearest.h"

#include <strings.h>

static const char *const names[ROUTING_COUNT + 1] = {
    [ROUTING_PIN] = "pin",         [ROUTING_HOP] = "hop",
    [ROUTING_RANDOM] = "random",   [ROUTING_REPLICAS] = "replica-reads",
    [ROUTING_PRIMARY] = "primary",
};

const char *routing_name(enum routing routing) { return names[routing]; }

int routing_parse(const char *text, enum routing *routing,
                  struct error *error) {
  for (int i = 0; i < ROUTING_COUNT; i++) {
    if (strcasecmp(text, names[i]))
      continue;
    *routing = (enum routing)i;
    return 0;
  }
  const char *near = nearest(text, names);
  return near ? error_set(
                    error,
                    "must be pin, hop, random, replica-reads or primary, not "
                    "\"%s\"; did you mean %s?",
                    text, near)
              : error_set(
                    error,
                    "must be pin, hop, random, replica-reads or primary, not "
                    "\"%s\"",
                    text);
}
