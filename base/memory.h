// SPDX-License-Identifier: GPL-3.0-or-later
// Allocation that cannot fail (it says so and exits with status 255) and an
// arena for data that is loaded, worked on and dropped as a whole.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// Like malloc, calloc, realloc and strdup, but out of memory ends the process
// with a sentence and status 255.  Free with free().
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t count, size_t size);
char *xstrdup(const char *text);

// Like xmalloc, for an array that is going to be filled: in large pages where
// the system has such and little of them would be wasted.  To map small ones,
// one by one, can take as long as to fill them.
void *xmalloc_large(size_t count, size_t size);

char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Does the work, unless the process would then have more than `limit` bytes
// allocated at once (0: no limit): then it is left where it stands, what it had
// allocated stays lost, and the answer is false.  It must hold no lock, and
// what other threads allocate counts, but they are not stopped.  The work may
// bound a part of itself again.
bool memory_bounded(size_t limit, void (*work)(void *context), void *context);

// The limit of the work at hand, 0 for none; and leaves that work, which has
// one.  For who shares it out to threads, of which each has to mind the limit.
size_t memory_limit(void);
void memory_leave(void) __attribute__((noreturn));

// Bytes that the process has allocated now.
size_t memory_allocated(void);

// Gives the system back what was freed and lies between what was not: where
// arrays that are too large for these gaps come next.
void memory_give_back(void);

// For allocations of other libraries that failed: says so and exits.
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
