// SPDX-License-Identifier: GPL-3.0-or-later
// Allocation that cannot fail, and the arena (base/memory.h).
#include "config.h"

#include "base/memory.h"

#include <assert.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Declared as in sanitizer/allocator_interface.h, which gcc does not install.
size_t __sanitizer_get_current_allocated_bytes(void);
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#define GAP 32
#define poison(p, n) __asan_poison_memory_region(p, n)
#define unpoison(p, n) __asan_unpoison_memory_region(p, n)
#else
#define GAP 0
#define poison(p, n) ((void)(p), (void)(n))
#define unpoison(p, n) ((void)(p), (void)(n))
#endif

enum {
  CHUNK_BYTES = 1 << 16,
  GLANCE_BYTES = 1 << 18, // allocated between two looks at the total
  LARGE_PAGE = 2 << 20,
  LARGE_ARRAY = 16 * LARGE_PAGE // of which a page that is lost is little
};

// The limit of the work at hand.  An allocator has no argument for it.
static _Thread_local struct bound {
  size_t limit; // 0: none
  size_t since; // allocated since the last look
  jmp_buf *out;
} bound;

// True after some work was abandoned: its allocations are not reported as
// leaks.
static atomic_bool work_was_left;

#if defined(__SANITIZE_ADDRESS__)
int __lsan_is_turned_off(void) { return work_was_left; }
#endif

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

size_t memory_allocated(void) {
#if SANITIZED
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

// Lifts the limit before the work is abandoned, so that there is room for the
// sentence about it.
void memory_leave(void) {
  assert(bound.limit);
  bound.limit = 0;
  longjmp(*bound.out, 1);
}

// Call this before an allocation.
static void mind_the_limit(size_t bytes) {
  if (!bound.limit)
    return;
  bound.since += bytes < bound.limit ? bytes : bound.limit;
  if (bound.since < GLANCE_BYTES && bound.since < bound.limit / 16)
    return;
  bound.since = 0;
  const size_t now = memory_allocated();
  if (now <= bound.limit && bytes <= bound.limit - now)
    return;
  memory_leave();
}

size_t memory_limit(void) { return bound.limit; }

bool memory_bounded(size_t limit, void (*work)(void *context), void *context) {
  if (!limit) {
    work(context);
    return true;
  }
  const struct bound outer = bound;
  jmp_buf out;
  bound = (struct bound){.limit = limit, .out = &out};
  const bool done = !setjmp(out);
  if (done)
    work(context);
  else
    work_was_left = true;
  bound = outer;
  return done;
}

void *xmalloc(size_t bytes) {
  mind_the_limit(bytes);
  return or_die(malloc(bytes ? bytes : 1), bytes);
}

void *xcalloc(size_t count, size_t size) {
  mind_the_limit(count * size);
  return or_die(calloc(count ? count : 1, size ? size : 1), count * size);
}

void *xrealloc(void *old, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    out_of_memory(SIZE_MAX);
  mind_the_limit(bytes);
  return or_die(realloc(old, bytes ? bytes : 1), bytes);
}

void *xmalloc_large(size_t count, size_t size) {
  size_t bytes;
  void *array = NULL;
  if (__builtin_mul_overflow(count, size, &bytes))
    out_of_memory(SIZE_MAX);
  if (bytes < LARGE_ARRAY)
    return xmalloc(bytes);
  mind_the_limit(bytes);
  if (posix_memalign(&array, LARGE_PAGE, bytes))
    out_of_memory(bytes);
  // No matter if there are none.
  (void)madvise(array, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
  return array;
}

FILE *text_stream(char **text, size_t *bytes) {
  return or_die(open_memstream(text, bytes), 1);
}

char *xstrdup(const char *text) {
  size_t bytes = strlen(text) + 1;
  return memcpy(xmalloc(bytes), text, bytes);
}

void *array_cover(void *items, uint32_t index, uint32_t *room, size_t size) {
  const size_t before = *room, n = index < 8 ? 16 : 2 * (size_t)index;
  char *covered = xrealloc(items, n, size);
  memset(covered + before * size, 0, (n - before) * size);
  *room = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
  return covered;
}

char **texts_copy(char *const *texts, const uint32_t *which, uint32_t n) {
  size_t bytes = n * sizeof *texts;
  for (uint32_t i = 0; i < n; i++) {
    const char *text = texts[which ? which[i] : i];
    bytes += text ? strlen(text) + 1 : 0;
  }
  char **copy = xmalloc(bytes), *to = (char *)(copy + n);
  for (uint32_t i = 0; i < n; i++) {
    const char *text = texts[which ? which[i] : i];
    copy[i] = text ? to : NULL;
    to = text ? stpcpy(to, text) + 1 : to;
  }
  return copy;
}

void free_each(void *const *blocks, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(blocks[i]);
}

char *xasprintf(const char *format, ...) {
  char *text;
  va_list args;
  va_start(args, format);
  int n = vasprintf(&text, format, args);
  va_end(args);
  return or_die(n < 0 ? NULL : text, 0);
}

static void add_arena_chunk(struct arena *arena, size_t bytes) {
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
    add_arena_chunk(arena, whole);
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
