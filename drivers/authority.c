// SPDX-License-Identifier: GPL-3.0-or-later
// Takes hosts and passwords out of places (drivers/authority.h).
#include "config.h"

#include "drivers/authority.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Text up to `end` with %40 turned into @; NULL if a % is followed by something
// else, or is the end of all texts.
static const char *decode_part(struct arena *arena, const char *text,
                               const char *end) {
  char *decoded = arena_take(arena, (size_t)(end - text) + 1), *to = decoded;
  while (text < end) {
    if (*text != '%') {
      *to++ = *text++;
      continue;
    }
    if (end - text < 3 || !isxdigit((unsigned char)text[1]) ||
        !isxdigit((unsigned char)text[2]))
      return NULL;
    const char digits[] = {text[1], text[2], '\0'};
    if (!(*to++ = (char)strtol(digits, NULL, 16)))
      return NULL;
    text += 3;
  }
  return decoded;
}

static int refuse_place(struct error *error) {
  return error_set_usage(error,
                         "the target cannot be read; it is written "
                         "SCHEME://USER:PASSWORD@HOST:PORT, where /, @, : and "
                         "%% in a password become %%2F, %%40, %%3A and %%25");
}

static bool read_login(struct authority *authority, const char *text,
                       const char *end) {
  const char *colon = memchr(text, ':', (size_t)(end - text));
  const char *user_end = colon ? colon : end;
  if (user_end > text &&
      !(authority->user = decode_part(&authority->arena, text, user_end)))
    return false;
  return !colon ||
         (authority->password = decode_part(&authority->arena, colon + 1, end));
}

static bool read_port(const char *text, const char *end, uint16_t *port) {
  unsigned long number = 0;
  if (text == end || end - text > 5)
    return false;
  for (; text < end; text++) {
    if (!isdigit((unsigned char)*text))
      return false;
    number = 10 * number + (unsigned long)(*text - '0');
  }
  *port = (uint16_t)number;
  return number > 0 && number <= UINT16_MAX;
}

// HOST, HOST:PORT or [ADDRESS]:PORT.
static bool read_authority_host(struct authority *authority, const char *text,
                                const char *end, const char *default_host,
                                uint16_t default_port) {
  if (authority->nhosts == AUTHORITY_MOST_HOSTS)
    return false;
  const bool bracket = *text == '[';
  const char *close = bracket ? memchr(text, ']', (size_t)(end - text)) : NULL;
  if (bracket && !close)
    return false;
  const char *from = bracket ? text + 1 : text;
  const char *rest = bracket ? close + 1 : text;
  const char *colon = memchr(rest, ':', (size_t)(end - rest));
  const char *to = bracket ? close : colon ? colon : end;
  struct authority_host *host = &authority->hosts[authority->nhosts++];
  host->name = decode_part(&authority->arena, from, to);
  host->port = default_port;
  if (!host->name || (bracket && rest < end && *rest != ':'))
    return false;
  if (!*host->name)
    host->name = default_host;
  return !colon || read_port(colon + 1, end, &host->port);
}

static bool read_hosts(struct authority *authority, const char *text,
                       const char *end, const char *default_host,
                       uint16_t default_port) {
  for (;;) {
    const char *comma = memchr(text, ',', (size_t)(end - text));
    if (!read_authority_host(authority, text, comma ? comma : end, default_host,
                             default_port))
      return false;
    if (!comma)
      return true;
    text = comma + 1;
  }
}

int authority_read(struct authority *authority, const char *place,
                   const char *default_host, uint16_t default_port,
                   struct error *error) {
  *authority = (struct authority){0};
  if (strncmp(place, "//", 2))
    return refuse_place(error);
  const char *text = place + 2;
  const char *slash = text + strcspn(text, "/");
  const char *at = memchr(text, '@', (size_t)(slash - text));
  // A slash or an @ that was not escaped would make a host of a password.
  bool valid = !(*slash && strchr(slash, '@')) &&
               !(at && memchr(at + 1, '@', (size_t)(slash - at - 1)));
  valid = valid && (!at || read_login(authority, text, at)) &&
          read_hosts(authority, at ? at + 1 : text, slash, default_host,
                     default_port) &&
          (authority->path =
               decode_part(&authority->arena, *slash ? slash + 1 : slash,
                           slash + strlen(slash)));
  if (valid)
    return 0;
  arena_free(&authority->arena);
  return refuse_place(error);
}

char *authority_host_text(const struct authority_host *host) {
  const bool ipv6 = strchr(host->name, ':');
  return xasprintf("%s%s%s:%u", ipv6 ? "[" : "", host->name, ipv6 ? "]" : "",
                   host->port);
}
