// SPDX-License-Identifier: GPL-3.0-or-later
// Allocation that cannot fail (it says so and exits with status 255) and an
// arena for data that is loaded, worked on and dropped as a whole.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Like malloc, calloc, realloc and strdup, but out of memory ends the process
// with a sentence and status 255.  Free with free().
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t count, size_t size);
char *xstrdup(const char *text);

// Like xmalloc, for a large array that the caller fills: uses large pages where
// the system has them and the array wastes little of them.  Mapping small pages
// one by one can take as long as filling them.
void *xmalloc_large(size_t count, size_t size);

// Opens a stream that makes a text, or dies; fclose ends the text, which the
// caller frees.
FILE *text_stream(char **text, size_t *bytes);

char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Does the work and returns true.  If the process would have more than `limit`
// bytes allocated at once (0: no limit), the work is abandoned where it stands,
// its allocations are lost, and the function returns false.  The work must hold
// no lock.  Allocations of other threads count, but other threads go on.  The
// work may call memory_bounded again for a part of itself.
bool memory_bounded(size_t limit, void (*work)(void *context), void *context);

// For work that is shared out to threads, which have to keep the limit as well:
// memory_limit returns the limit of the current work (0: none), and
// memory_leave abandons the current work, which must have a limit.
size_t memory_limit(void);
void memory_leave(void) __attribute__((noreturn));

// Bytes that the process has allocated at present.
size_t memory_allocated(void);

// For a failed allocation of another library: says so and exits with 255.
void out_of_memory(size_t bytes) __attribute__((noreturn));

// Makes room for one more element in a growable array: `items`, its length
// `count` and its capacity `room` are the caller's variables.
#define ARRAY_RESERVE(items, count, room)                                      \
  do {                                                                         \
    if ((count) == (room)) {                                                   \
      (room) = (room) ? (room)*2 : 16;                                         \
      (items) = xrealloc((items), (room), sizeof *(items));                    \
    }                                                                          \
  } while (0)

// Makes room for the element at `index` of an array that has `room` elements,
// and zeroes those that are new.
#define ARRAY_COVER(items, index, room)                                        \
  do {                                                                         \
    if ((index) >= (room))                                                     \
      (items) = array_cover((items), (index), &(room), sizeof *(items));       \
  } while (0)
void *array_cover(void *items, uint32_t index, uint32_t *room, size_t size);

// The texts with these numbers (NULL: the first n), any of them NULL, and the
// array of them in one block.
char **texts_copy(char *const *texts, const uint32_t *which, uint32_t n);

// Frees all of these blocks.
#define FREE_EACH(...)                                                         \
  free_each((void *const[]){__VA_ARGS__},                                      \
            sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))
void free_each(void *const *blocks, size_t n);

struct arena_chunk;

// Zero-initialised is ready to use.
struct arena {
  struct arena_chunk *chunks;
  char *next, *end; // free part of the newest chunk
};

// Memory that lives until arena_free, aligned for any type, zeroed.
void *arena_take(struct arena *arena, size_t bytes);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena);

#endif
