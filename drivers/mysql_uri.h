// SPDX-License-Identifier: GPL-3.0-or-later
// mysql://USER:PASSWORD@HOST:PORT/DATABASE taken apart; the client library does
// not know URIs.
#ifndef DRIVERS_MYSQL_URI_H
#define DRIVERS_MYSQL_URI_H

#include "base/error.h"

#include <stdint.h>

// What the URI does not say is NULL or 0.
struct mysqldb_uri {
  char *user, *password, *host, *database;
  uint16_t port;
};

// Reads what stands between the scheme and the options, with escapes such as
// %40; -1 with a sentence that does not repeat it, and nothing to be freed.
int mysqldb_uri_read(const char *place, struct mysqldb_uri *uri,
                     struct error *error);
void mysqldb_uri_free(struct mysqldb_uri *uri);

#endif
