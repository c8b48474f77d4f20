// SPDX-License-Identifier: GPL-3.0-or-later
// Composes requests (drivers/pipe/request.h).
#include "config.h"

#include "drivers/pipe/request.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void request_raw(struct request *request, const char *text, size_t length) {
  while (request->used + length > request->room) {
    request->room = 2 * request->room + 512;
    request->text = xrealloc(request->text, request->room, 1);
  }
  memcpy(request->text + request->used, text, length);
  request->used += length;
}

static void put_word(struct request *request, const char *word) {
  request_raw(request, word, strlen(word));
}

// Text between quotes.
static void put_quoted(struct request *request, const char *text) {
  put_word(request, "\"");
  while (*text) {
    size_t plain = 0;
    while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' &&
           text[plain] != '\\')
      plain++;
    request_raw(request, text, plain);
    text += plain;
    if (!*text)
      break;
    char escape[8];
    const int n = snprintf(escape, sizeof escape, "\\u%04x",
                           (unsigned)(unsigned char)*text++);
    request_raw(request, escape, (size_t)n);
  }
  put_word(request, "\"");
}

void request_begin(struct request *request, const char *verb) {
  request->used = 0;
  request_raw(request, (const char[REQUEST_HEAD]){0}, REQUEST_HEAD);
  request_text(request, "do", verb);
}

void request_number(struct request *request, const char *name,
                    uint64_t number) {
  char text[64];
  const int n = snprintf(text, sizeof text, ",\"%s\":%" PRIu64, name, number);
  request_raw(request, text, (size_t)n);
}

void request_text(struct request *request, const char *name, const char *text) {
  put_word(request, ",\"");
  put_word(request, name);
  put_word(request, "\":");
  put_quoted(request, text);
}

const char *request_end(struct request *request, uint64_t id, size_t *length) {
  char head[REQUEST_HEAD];
  const int n = snprintf(head, sizeof head, "{\"id\":%" PRIu64, id);
  char *first = request->text + REQUEST_HEAD - n;
  memcpy(first, head, (size_t)n);
  put_word(request, "}\n");
  first = request->text + REQUEST_HEAD - n;
  *length = request->used - (size_t)(first - request->text);
  return first;
}

void request_free(struct request *request) { free(request->text); }
