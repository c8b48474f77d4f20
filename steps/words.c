// SPDX-License-Identifier: GPL-3.0-or-later
// Words of a step script, and what their names stand for (steps/reading.h).
#include "config.h"

#include "steps/reading.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int reading_complain(const struct script_reading *r, const char *format, ...) {
  va_list args;
  char text[400];
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return error_set(r->error, "%s:%u: %s", r->script->path, r->line, text);
}

static bool is_script_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

void reading_skip_blanks(struct script_reading *r) {
  while (isspace((unsigned char)*r->p))
    r->p++;
}

bool reading_at_end(struct script_reading *r) {
  reading_skip_blanks(r);
  return !*r->p || *r->p == '#';
}

const char *reading_word(struct script_reading *r) {
  reading_skip_blanks(r);
  const char *start = r->p;
  while (is_script_word_char(*r->p))
    r->p++;
  if (r->p == start)
    return NULL;
  return arena_printf(&r->script->arena, "%.*s", (int)(r->p - start), start);
}

bool reading_accept(struct script_reading *r, const char *token) {
  reading_skip_blanks(r);
  const size_t n = strlen(token);
  const bool there = !strncmp(r->p, token, n);
  r->p += there ? n : 0;
  return there;
}

const char *reading_quoted(struct script_reading *r) {
  char text[LINE_MAX_BYTES];
  size_t n = 0;
  if (!reading_accept(r, "\"")) {
    reading_complain(r, "expected a text between double quotes");
    return NULL;
  }
  for (; *r->p && *r->p != '"'; r->p++) {
    if (*r->p == '\\' && r->p[1])
      r->p++;
    text[n++] = *r->p;
  }
  if (*r->p != '"') {
    reading_complain(r, "the text lacks its closing quote");
    return NULL;
  }
  r->p++;
  return arena_printf(&r->script->arena, "%.*s", (int)n, text);
}

static uint32_t find_name(const char *const *names, uint32_t count,
                          const char *name) {
  uint32_t i = 0;
  while (i < count && strcmp(names[i], name))
    i++;
  return i;
}

uint32_t reading_key(struct script_reading *r, const char *name) {
  struct script *s = r->script;
  const uint32_t key = find_name(s->keys, s->nkeys, name);
  if (key == s->nkeys) {
    ARRAY_RESERVE(s->keys, s->nkeys, r->keys_room);
    s->keys[s->nkeys++] = name;
  }
  return key;
}

uint32_t reading_session(struct script_reading *r, const char *name) {
  struct script *s = r->script;
  const uint32_t session = find_name(s->sessions, s->nsessions, name);
  if (session == s->nsessions) {
    ARRAY_RESERVE(s->sessions, s->nsessions, r->sessions_room);
    s->sessions[s->nsessions++] = name;
    if (s->nsessions > r->open_room) {
      r->open_room = r->sessions_room;
      r->open = xrealloc(r->open, r->open_room, sizeof *r->open);
    }
    r->open[session] = false;
  }
  return session;
}

static bool is_initial_word(const char *name) {
  return !strcmp(name, "initial");
}

uint32_t script_value_named(const struct script *s, uint32_t key,
                            const char *name) {
  if (is_initial_word(name))
    return SCRIPT_INITIAL;
  for (uint32_t v = SCRIPT_INITIAL + 1; v < s->nvalues; v++)
    if (s->values[v].key == key && !strcmp(s->values[v].name, name))
      return v;
  return SCRIPT_NO_VALUE;
}
