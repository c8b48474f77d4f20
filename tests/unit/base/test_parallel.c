// SPDX-License-Identifier: GPL-3.0-or-later
// Work shared out to threads: all of it is done, within its limits.
#include "config.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "tests/tap.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Pieces.

static void mark(void *context, uint32_t i) {
  uint32_t *done = context;
  done[i] += i + 1;
}

static void every_piece_is_done_once(void) {
  for (uint32_t n = 1; n <= PARALLEL_MAX; n++) {
    uint32_t done[PARALLEL_MAX] = {0}, wrong = 0;
    parallel_do(n, mark, done);
    for (uint32_t i = 0; i < PARALLEL_MAX; i++)
      wrong += done[i] != (i < n ? i + 1 : 0);
    CHECK_INT(wrong, 0);
  }
}

static void slices_are_all_items(void) {
  for (uint32_t items = 0; items < 40; items++)
    for (uint32_t n = 1; n < 9; n++) {
      uint32_t next = 0;
      for (uint32_t i = 0; i < n; i++) {
        const struct slice slice = slice_of(items, i, n);
        CHECK_INT(slice.first, next);
        CHECK(slice.end - slice.first <= items / n + 1);
        next = slice.end;
      }
      CHECK_INT(next, items);
    }
  CHECK_INT(slice_of(UINT32_MAX, 62, 63).end, UINT32_MAX);
}

static void no_thread_is_one_and_there_is_a_most(void) {
  CHECK_INT(parallel_threads(0), 1);
  CHECK_INT(parallel_threads(3), 3);
  CHECK_INT(parallel_threads(UINT32_MAX), PARALLEL_MAX);
}

// --- Limits of memory.

struct hunger {
  uint32_t hungry; // the piece that takes too much; UINT32_MAX: none
  size_t bytes;
  bool went_on;
};

static void take(void *context, uint32_t i) {
  const struct hunger *hunger = context;
  free(xmalloc(i == hunger->hungry ? hunger->bytes : 1));
}

static void take_side_by_side(void *context) {
  struct hunger *hunger = context;
  parallel_do(3, take, hunger);
  hunger->went_on = true;
}

static void a_piece_that_needs_too_much_ends_the_work(void) {
  const size_t limit = memory_allocated() + (64 << 20);
  for (uint32_t hungry = 0; hungry < 3; hungry++) {
    struct hunger hunger = {.hungry = hungry, .bytes = 128 << 20};
    CHECK(!memory_bounded(limit, take_side_by_side, &hunger));
    CHECK(!hunger.went_on);
    CHECK_INT(memory_limit(), 0);
  }
  struct hunger none = {.hungry = UINT32_MAX};
  CHECK(memory_bounded(limit, take_side_by_side, &none));
  CHECK(none.went_on);
}

// --- Cores.

static void put(const char *file, const char *text) {
  FILE *stream = fopen(file, "w");
  CHECK(stream && fputs(text, stream) >= 0 && !fclose(stream));
}

static void the_group_may_allow_fewer_cores(void) {
  char top[] = "/tmp/isostress-cores-XXXXXX";
  const uint32_t all = parallel_cores("/nowhere");
  CHECK(all >= 1);
  CHECK(mkdtemp(top) && !chdir(top));
  CHECK(!mkdir("sys", 0700) && !mkdir("sys/fs", 0700) &&
        !mkdir("sys/fs/cgroup", 0700));
  put("sys/fs/cgroup/cpu.max", "max 100000\n");
  CHECK_INT(parallel_cores(top), all);
  put("sys/fs/cgroup/cpu.max", "100000000 100000\n");
  CHECK_INT(parallel_cores(top), all < 1000 ? all : 1000);
  put("sys/fs/cgroup/cpu.max", "150000 100000\n");
  CHECK_INT(parallel_cores(top), all < 2 ? all : 2);
  put("sys/fs/cgroup/cpu.max", "1000 100000\n");
  CHECK_INT(parallel_cores(top), 1);
  CHECK(!unlink("sys/fs/cgroup/cpu.max") && !rmdir("sys/fs/cgroup") &&
        !rmdir("sys/fs") && !rmdir("sys") && !rmdir(top));
}

static void a_process_may_be_kept_from_cores(void) {
  cpu_set_t all, one;
  CHECK(!sched_getaffinity(0, sizeof all, &all));
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
    if (CPU_ISSET(cpu, &all))
      CPU_SET(cpu, &one);
  CHECK(!sched_setaffinity(0, sizeof one, &one));
  CHECK_INT(parallel_cores(""), 1);
  CHECK(!sched_setaffinity(0, sizeof all, &all));
}

int main(void) {
  return TAP_RUN(
      {"every piece is done once", every_piece_is_done_once},
      {"slices are all items", slices_are_all_items},
      {"no thread is one, and there is a most",
       no_thread_is_one_and_there_is_a_most},
      {"a piece that needs too much ends the work",
       a_piece_that_needs_too_much_ends_the_work},
      {"the group may allow fewer cores", the_group_may_allow_fewer_cores},
      {"a process may be kept from cores", a_process_may_be_kept_from_cores});
}
