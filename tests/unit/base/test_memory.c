// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "base/memory.h"
#include "tests/tap.h"

#include <stdint.h>
#include <stdlib.h>

static void arena_memory_is_aligned_and_zero(void) {
  struct arena arena = {0};
  for (size_t bytes = 1; bytes < 4000; bytes = bytes * 3 + 1) {
    unsigned char *memory = arena_take(&arena, bytes);
    CHECK_INT((uintptr_t)memory % 16, 0);
    for (size_t i = 0; i < bytes; i++)
      CHECK(memory[i] == 0);
    memset(memory, 0xff, bytes);
  }
  arena_free(&arena);
}

static void arena_takes_more_than_a_chunk(void) {
  struct arena arena = {0};
  char *small = arena_strdup(&arena, "kept");
  char *large = arena_take(&arena, 5 << 20);
  memset(large, 1, 5 << 20);
  CHECK_STR(small, "kept");
  CHECK_STR(arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
  arena_free(&arena);
  CHECK(arena.chunks == NULL);
}

static void arrays_grow(void) {
  int *items = NULL;
  uint32_t count = 0, room = 0;
  for (int i = 0; i < 1000; i++) {
    ARRAY_RESERVE(items, count, room);
    items[count++] = i;
  }
  for (int i = 0; i < 1000; i++)
    CHECK_INT(items[i], i);
  CHECK(room >= 1000);
  free(items);
}

int main(void) {
  return TAP_RUN(
      {"arena memory is aligned and zero", arena_memory_is_aligned_and_zero},
      {"an arena takes more than a chunk", arena_takes_more_than_a_chunk},
      {"arrays grow and keep their content", arrays_grow});
}
