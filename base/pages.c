// SPDX-License-Identifier: GPL-3.0-or-later
// Large pages, and freed memory that stays with the process (base/pages.h).
#include "config.h"

#include "base/pages.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
  LARGE_PAGE = 2 << 20,
  ROOM_PER_FILE_BYTE = 10, // and ROOM_MORE are together less than the check of
  ROOM_MORE = 4 << 20,     // a recorded history takes as a rule
  ROOM_MOST = 3 << 29,     // so that no more than INT_MAX bytes are kept
  MAPPED = 1 << 20,        // bytes of an array that is a mapping of its own
  MAPPED_MOST = 1 << 16    // such arrays, as the C library has it
};

// A check allocates and frees arrays of hundreds of megabytes.  Memory that
// stays with the process need not be cleared again page by page by the kernel:
// a tenth of the time on ten million transactions.
static void keep_freed_memory(void) {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

// Asks for pages of two megabytes instead of four kilobytes where the kernel
// offers them: another tenth of the time.  The memory that is taken here and
// freed at once is address space only.  The block that is kept is address space
// as well: it fills the room up to the first large page, since small pages
// would be used first.
void *pages_prepare(size_t file_bytes) {
  const size_t page = LARGE_PAGE, header = 2 * sizeof(size_t); // of malloc
  keep_freed_memory();
  const size_t wanted = file_bytes * ROOM_PER_FILE_BYTE;
  const size_t bytes =
      (wanted < ROOM_MOST ? wanted : ROOM_MOST) + ROOM_MORE + page;
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

// The C library maps an array only where its heap has no room for it.
void pages_return_freed(void) {
  mallopt(M_MMAP_THRESHOLD, MAPPED);
  mallopt(M_MMAP_MAX, MAPPED_MOST);
  mallopt(M_TRIM_THRESHOLD, MAPPED);
  mallopt(M_TOP_PAD, MAPPED);
  malloc_trim(0);
}
