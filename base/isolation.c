// SPDX-License-Identifier: GPL-3.0-or-later
// Names of the isolation levels (base/isolation.h).
#include "config.h"

#include "base/isolation.h"

#include <assert.h>
#include <stddef.h>
#include <strings.h>

static const struct {
  const char *name, *title, *also;
} levels[ISOLATION_COUNT] = {
    [ISOLATION_NONE] = {"none", "no isolation", "no isolation"},
    [ISOLATION_RC] = {"rc", "read committed", "read-committed"},
    [ISOLATION_RA] = {"ra", "read atomic", "read-atomic"},
    [ISOLATION_CC] = {"cc", "causal consistency", "causal"},
    [ISOLATION_PC] = {"pc", "prefix consistency", "prefix"},
    [ISOLATION_SI] = {"si", "snapshot isolation", "snapshot"},
    [ISOLATION_SER] = {"ser", "serializability", "serializable"},
    [ISOLATION_SSER] = {"sser", "strict serializability", "linearizable"},
};

const char *isolation_name(enum isolation level) {
  assert(level < ISOLATION_COUNT);
  return levels[level].name;
}

const char *isolation_title(enum isolation level) {
  assert(level < ISOLATION_COUNT);
  return levels[level].title;
}

bool isolation_parse(const char *text, enum isolation *level) {
  for (int i = 0; i < ISOLATION_COUNT; i++)
    if (!strcasecmp(text, levels[i].name) ||
        !strcasecmp(text, levels[i].title) ||
        !strcasecmp(text, levels[i].also)) {
      *level = (enum isolation)i;
      return true;
    }
  return false;
}
