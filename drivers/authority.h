// SPDX-License-Identifier: GPL-3.0-or-later
// Places written as //USER:PASSWORD@HOST:PORT,HOST:PORT/PATH, for drivers whose
// client library reads no URIs.
#ifndef DRIVERS_AUTHORITY_H
#define DRIVERS_AUTHORITY_H

#include "base/error.h"
#include "base/memory.h"

#include <stdint.h>

enum { AUTHORITY_MOST_HOSTS = 16 };

struct authority_host {
  const char *name; // of a host, or an address; one of IPv6 without brackets
  uint16_t port;
};

struct authority {
  struct arena arena;          // holds the texts; free with arena_free
  const char *user, *password; // NULL if not given
  struct authority_host hosts[AUTHORITY_MOST_HOSTS];
  uint32_t nhosts;
  const char *path; // what follows the slash behind the hosts; "" if nothing
};

// Reads a place.  A host or port that is not given is the default, which may be
// NULL or 0.  Returns 0, or -1 with a sentence, which never repeats what may be
// part of a password, and nothing to be freed.
int authority_read(struct authority *authority, const char *place,
                   const char *default_host, uint16_t default_port,
                   struct error *error);

// The host and its port as they are written in a place, such as [::1]:6379;
// free with free().
char *authority_host_text(const struct authority_host *host);

#endif
