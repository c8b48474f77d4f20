// SPDX-License-Identifier: GPL-3.0-or-later
// Allocation that cannot fail, and the arena (base/memory.h).
#include "config.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define GAP 32
#define poison(p, n) __asan_poison_memory_region(p, n)
#define unpoison(p, n) __asan_unpoison_memory_region(p, n)
#else
#define GAP 0
#define poison(p, n) ((void)(p), (void)(n))
#define unpoison(p, n) ((void)(p), (void)(n))
#endif

enum { CHUNK_BYTES = 1 << 20 };

struct arena_chunk {
  struct arena_chunk *older;
  size_t bytes;
  alignas(max_align_t) char data[];
};

void out_of_memory(size_t bytes) {
  fprintf(stderr, "isostress: out of memory (%zu bytes asked for)\n", bytes);
  exit(255);
}

static void *or_die(void *memory, size_t bytes) {
  if (!memory)
    out_of_memory(bytes);
  return memory;
}

void *xmalloc(size_t bytes) { return or_die(malloc(bytes ? bytes : 1), bytes); }

void *xcalloc(size_t count, size_t size) {
  return or_die(calloc(count ? count : 1, size ? size : 1), count * size);
}

void *xrealloc(void *old, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    out_of_memory(SIZE_MAX);
  return or_die(realloc(old, bytes ? bytes : 1), bytes);
}

char *xstrdup(const char *text) {
  size_t bytes = strlen(text) + 1;
  return memcpy(xmalloc(bytes), text, bytes);
}

char *xasprintf(const char *format, ...) {
  char *text;
  va_list args;
  va_start(args, format);
  int n = vasprintf(&text, format, args);
  va_end(args);
  return or_die(n < 0 ? NULL : text, 0);
}

static void add_chunk(struct arena *arena, size_t bytes) {
  size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
  struct arena_chunk *chunk = xcalloc(1, sizeof *chunk + room);
  chunk->older = arena->chunks;
  chunk->bytes = room;
  arena->chunks = chunk;
  arena->next = chunk->data;
  arena->end = chunk->data + room;
  poison(chunk->data, room);
}

void *arena_take(struct arena *arena, size_t bytes) {
  size_t mask = alignof(max_align_t) - 1;
  size_t whole = (bytes + GAP + mask) & ~mask;
  if ((size_t)(arena->end - arena->next) < whole)
    add_chunk(arena, whole);
  char *memory = arena->next;
  arena->next += whole;
  unpoison(memory, bytes);
  return memory;
}

char *arena_strdup(struct arena *arena, const char *text) {
  size_t bytes = strlen(text) + 1;
  return memcpy(arena_take(arena, bytes), text, bytes);
}

char *arena_printf(struct arena *arena, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = arena_take(arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

void arena_free(struct arena *arena) {
  while (arena->chunks) {
    struct arena_chunk *chunk = arena->chunks;
    arena->chunks = chunk->older;
    unpoison(chunk->data, chunk->bytes);
    free(chunk);
  }
  arena->next = arena->end = NULL;
}
