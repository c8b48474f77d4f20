// SPDX-License-Identifier: GPL-3.0-or-later
// URIs of MariaDB and MySQL (drivers/mysql_uri.h).
#include "config.h"

#include "drivers/mysql_uri.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A URI that can not be read is never repeated: it may hold a password.
static int refuse(struct error *error) {
  return error_set_usage(
      error, "this URI can not be read; it is written "
             "mysql://USER:PASSWORD@HOST:PORT/DATABASE, where / and @ in "
             "a password become %%2F and %%40");
}

// Text up to `end` without its escapes; NULL if it is empty or an escape is
// none.
static char *decode(const char *text, const char *end, bool *valid) {
  if (text >= end)
    return NULL;
  char *decoded = xcalloc((size_t)(end - text) + 1, 1), *to = decoded;
  while (text < end) {
    if (*text != '%') {
      *to++ = *text++;
      continue;
    }
    const bool escape = end - text >= 3 && isxdigit((unsigned char)text[1]) &&
                        isxdigit((unsigned char)text[2]);
    const char digits[] = {escape ? text[1] : '0', escape ? text[2] : '0', 0};
    *to = (char)strtol(digits, NULL, 16);
    *valid &= *to++ != 0;
    text += escape ? 3 : 1;
  }
  return decoded;
}

static void read_login(const char *text, const char *end,
                       struct mysqldb_uri *uri, bool *valid) {
  const char *colon = memchr(text, ':', (size_t)(end - text));
  uri->user = decode(text, colon ? colon : end, valid);
  if (colon)
    uri->password =
        colon + 1 == end ? xstrdup("") : decode(colon + 1, end, valid);
}

static void read_port(const char *text, const char *end,
                      struct mysqldb_uri *uri, bool *valid) {
  unsigned port = 0;
  for (; text < end && isdigit((unsigned char)*text) && port < 65536; text++)
    port = port * 10 + (unsigned)(*text - '0');
  *valid &= text == end && port && port < 65536;
  uri->port = (uint16_t)port;
}

// HOST, HOST:PORT or [ADDRESS]:PORT; several are none.
static void read_host(const char *text, const char *end,
                      struct mysqldb_uri *uri, bool *valid) {
  const size_t length = (size_t)(end - text);
  const bool bracket = length && *text == '[';
  const char *close = bracket ? memchr(text, ']', length) : NULL;
  if (memchr(text, ',', length) || (bracket && !close)) {
    *valid = false;
    return;
  }
  const char *from = close ? close + 1 : text;
  const char *colon = memchr(from, ':', (size_t)(end - from));
  *valid &= !close || colon == from || from == end;
  uri->host = close ? decode(text + 1, close, valid)
                    : decode(text, colon ? colon : end, valid);
  if (colon)
    read_port(colon + 1, end, uri, valid);
}

int mysqldb_uri_read(const char *place, struct mysqldb_uri *uri,
                     struct error *error) {
  *uri = (struct mysqldb_uri){0};
  if (strncmp(place, "//", 2))
    return refuse(error);
  const char *start = place + 2, *slash = start + strcspn(start, "/");
  const char *at = memchr(start, '@', (size_t)(slash - start));
  const char *host = at ? at + 1 : start;
  // A second @, or one behind a slash, is part of a password.
  bool valid = !strchr(host, '@');
  if (at)
    read_login(start, at, uri, &valid);
  read_host(host, slash, uri, &valid);
  if (*slash)
    uri->database = decode(slash + 1, slash + strlen(slash), &valid);
  valid &= !uri->database || !strchr(uri->database, '/');
  if (valid)
    return 0;
  mysqldb_uri_free(uri);
  return refuse(error);
}

void mysqldb_uri_free(struct mysqldb_uri *uri) {
  free(uri->user);
  free(uri->password);
  free(uri->host);
  free(uri->database);
  *uri = (struct mysqldb_uri){0};
}
