// SPDX-License-Identifier: GPL-3.0-or-later
// Finds passwords in targets (cli/settings/redact.h).
#include "config.h"

#include "cli/settings/redact.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char stars[] = "***";

// Part of a text.
struct secret_span {
  const char *first, *end;
};

// In SCHEME://USER:PASSWORD@HOST/...; a port is no password, but a password
// may hold a slash that should have been escaped.
static bool password_of_user(const char *target, struct secret_span *password) {
  const char *start = strstr(target, "://");
  const char *query = target + strcspn(target, "?");
  if (!start || start > query)
    return false;
  start += 3;
  const char *colon = start + strcspn(start, ":/?@");
  if (*colon != ':')
    return false;
  const char *slash = colon + strcspn(colon, "/?");
  bool port = colon + 1 + strspn(colon + 1, "0123456789") == slash;
  const char *at = memrchr(colon, '@', (size_t)(slash - colon));
  if (!at && !port)
    at = memrchr(colon, '@', (size_t)(query - colon));
  *password = (struct secret_span){colon + 1, at};
  return at;
}

static bool names_a_secret(const char *name, const char *end) {
  static const char *const secrets[] = {"password", "passwd", "pwd",
                                        "pass",     "secret", "token"};
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
    size_t length = strlen(secrets[i]);
    if ((size_t)(end - name) >= length &&
        !strncasecmp(end - length, secrets[i], length))
      return true;
  }
  return false;
}

// The next value of an option such as password=, from `text` on.
static bool password_of_option(const char *text, struct secret_span *password) {
  const char *sign;
  for (; (sign = strchr(text, '=')); text = sign + 1) {
    if (!names_a_secret(text, sign))
      continue;
    const char *quote = sign[1] == '\'' ? strchr(sign + 2, '\'') : NULL;
    size_t length = quote ? (size_t)(quote - sign) : strcspn(sign + 1, "& ");
    *password = (struct secret_span){sign + 1, sign + 1 + length};
    return true;
  }
  return false;
}

// The first password from `text` on; `whole` says that this is where the target
// starts.
static bool next_password(const char *text, bool whole,
                          struct secret_span *password) {
  return (whole && password_of_user(text, password)) ||
         password_of_option(text, password);
}

static void append_part(char *text, size_t room, const char *first,
                        const char *end) {
  size_t used = strlen(text), length = (size_t)(end - first);
  if (length > room - 1 - used)
    length = room - 1 - used;
  memcpy(text + used, first, length);
  text[used + length] = '\0';
}

void redact_target(const char *target, char *text, size_t room) {
  struct secret_span password;
  const char *from = target;
  text[0] = '\0';
  while (next_password(from, from == target, &password)) {
    append_part(text, room, from, password.first);
    append_part(text, room, stars, stars + strlen(stars));
    from = password.end;
  }
  append_part(text, room, from, from + strlen(from));
}

// Is this the secret itself?  Other words are full of one that is short; to
// hide it there as well would tell what it is.
static bool is_secret(const char *text, const char *at, size_t length) {
  enum { SHORT = 4 };
  return length >= SHORT || !((at > text && isalnum((unsigned char)at[-1])) ||
                              isalnum((unsigned char)at[length]));
}

// Replaces one text by stars, everywhere.
static void replace_secret(const struct secret_span *secret, char *text,
                           size_t room) {
  size_t length = (size_t)(secret->end - secret->first);
  char *at = text;
  while (length && (at = memmem(at, strlen(at), secret->first, length))) {
    char tail[1024];
    if (!is_secret(text, at, length)) {
      at++;
      continue;
    }
    snprintf(tail, sizeof tail, "%s", at + length);
    snprintf(at, room - (size_t)(at - text), "%s%s", stars, tail);
    at += strlen(at) < strlen(stars) ? strlen(at) : strlen(stars);
  }
}

void redact_text(const char *target, char *text, size_t room) {
  struct secret_span password;
  const char *from = target;
  while (next_password(from, from == target, &password)) {
    replace_secret(&password, text, room);
    from = password.end;
  }
}

void redact_in_place(char *argument) {
  struct secret_span password;
  char *from = argument;
  while (next_password(from, from == argument, &password)) {
    const size_t length = (size_t)(password.end - password.first);
    from += password.first - from;
    memset(from, '*', length);
    from += length;
  }
}

static bool is_stars(const struct secret_span *password) {
  return (size_t)(password->end - password->first) == strlen(stars) &&
         !strncmp(password->first, stars, strlen(stars));
}

bool is_redacted(const char *target) {
  struct secret_span password;
  const char *from = target;
  while (next_password(from, from == target, &password)) {
    if (is_stars(&password))
      return true;
    from = password.end;
  }
  return false;
}

// Without the option `name`=*** in the query, and the sign that set it apart.
static void leave_out_option(char *target, const char *name) {
  char *query = strchr(target, '?');
  const size_t length = strlen(name);
  for (char *at = query; at && (at = strstr(at + 1, name));) {
    char *end = at + length + 1 + strlen(stars);
    if (!strchr("?&", at[-1]) || at[length] != '=' ||
        strncmp(at + length + 1, stars, strlen(stars)) || (*end && *end != '&'))
      continue;
    if (*end)
      memmove(at, end + 1, strlen(end));
    else
      at[-1] = '\0';
    return;
  }
}

char *redact_left_out(const char *target) {
  char *text = xstrdup(target);
  struct secret_span password;
  if (password_of_user(text, &password) && is_stars(&password)) {
    char *colon = text + (password.first - 1 - text);
    const bool no_user = colon[-1] == '/';
    memmove(colon, password.end + no_user, strlen(password.end) + 1 - no_user);
  }
  leave_out_option(text, "password");
  return text;
}
