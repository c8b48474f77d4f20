// SPDX-License-Identifier: GPL-3.0-or-later
// Large pages, and what is freed kept (base/pages.h).
#include "config.h"

#include "base/pages.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
  LARGE_PAGE = 2 << 20,
  ROOM_PER_FILE_BYTE = 10, // of a recorded history, less than that as a rule
  ROOM_MOST = 3 << 29      // so that no more than INT_MAX bytes are kept
};

// A check takes and gives back arrays of hundreds of megabytes.  Kept by the
// process, the next one need not be cleared page by page by the kernel again:
// on ten million transactions that is a tenth of the time.
static void keep_freed_memory(void) {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

// The pages that a check is going to fill are asked for two megabytes at a time
// where the kernel does that, instead of four thousand bytes: a tenth of the
// time again.  What is taken here and given back at once is address space only.
// So is what is kept: up to where large pages begin, since small ones would be
// filled before.
void *pages_prepare(size_t file_bytes) {
  const size_t page = LARGE_PAGE, header = 2 * sizeof(size_t); // of malloc
  keep_freed_memory();
  const size_t wanted = file_bytes * ROOM_PER_FILE_BYTE;
  const size_t bytes = (wanted < ROOM_MOST ? wanted : ROOM_MOST) + page;
  if (wanted < page)
    return NULL;
  void *room = malloc(bytes);
  const uintptr_t first = ((uintptr_t)room + page - 1) / page * page;
  const size_t before = first - (uintptr_t)room;
  if (room)
    madvise((void *)first, bytes - page, MADV_HUGEPAGE);
  free(room);
  return room && before > header ? malloc(before - header) : NULL;
}
