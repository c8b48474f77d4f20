// SPDX-License-Identifier: GPL-3.0-or-later
// Work shared out to threads: all of it is done, within its limits, and a file
// is read as one thread reads it, or refused with the same sentence.
#include "config.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "recorder/chunk.h"
#include "recorder/file.h"
#include "tests/history_kit.h"

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

// --- Reading.

enum { SESSIONS = 9, TXNS = 300 };

static char *path_of_history(void) {
  return xasprintf("/tmp/isostress-parallel-%ld.iso", (long)getpid());
}

// Every family of keys and of operation times, with and without endpoints.
static void record(const char *path, uint64_t seed) {
  struct recording *r;
  struct error error = {0};
  const bool op_times = seed & 1;
  unlink(path);
  CHECK_INT(recording_open(path, SESSIONS, op_times, 0, "", &r, &error), 0);
  for (uint32_t s = 0; s < SESSIONS; s++) {
    struct made_session m = made_session_open(seed, s, SESSIONS);
    m.tape = recording_tape(r, s);
    m.thin_air = seed & 2;
    m.nkeys = 1000;
    m.key_stride = seed & 4 ? UINT64_C(1) << 33 : 1;
    m.nendpoints = seed & 8 && s % 3 == 1 ? 3 : 0;
    for (int i = 0; i < TXNS; i++) {
      m.now += i % 50 ? 0 : UINT64_C(2000000000);
      make_transaction(&m);
    }
    gsl_rng_free(m.random);
  }
  CHECK_INT(recording_close(r, &error), 0);
}

static int read_by(uint32_t threads, const char *path, struct history *h,
                   struct error *error) {
  const struct read_options options = {.threads = threads};
  return history_read_with(path, &options, h, error);
}

static bool same(const void *a, const void *b, size_t bytes) {
  return !a || !b ? a == b : !memcmp(a, b, bytes);
}

// Which elements lists have in common depends on the number of threads.
static bool same_lists(const struct history *a, const struct history *b) {
  bool same_all = true;
  for (uint32_t i = 0; i < a->nlists; i++) {
    const uint32_t x = a->list[i].first, y = b->list[i].first;
    const size_t n = a->list[i].count;
    same_all &=
        b->list[i].count == n && same(a->element + x, b->element + y, 4 * n) &&
        (a->element_value
             ? b->element_value &&
                   same(a->element_value + x, b->element_value + y, 8 * n)
             : !b->element_value);
  }
  return same_all;
}

// Byte by byte, numbers of keys included.
static bool is_same(const struct history *a, const struct history *b) {
  const size_t n = a->ntxns, nops = a->nops;
  if (b->ntxns != n || b->nops != nops || b->nkeys != a->nkeys ||
      b->nlists != a->nlists || b->nsessions != a->nsessions)
    return false;
  return same(a->session_first, b->session_first, 4 * (a->nsessions + 1)) &&
         same(a->txn_first, b->txn_first, 4 * (n + 1)) &&
         same(a->outcome, b->outcome, n) && same(a->cause, b->cause, n) &&
         same(a->level, b->level, n) && same(a->begin, b->begin, 8 * n) &&
         same(a->end, b->end, 8 * n) && same(a->endpoint, b->endpoint, n) &&
         same(a->kind, b->kind, nops) && same(a->key, b->key, 4 * nops) &&
         same(a->value, b->value, 8 * nops) && same(a->saw, b->saw, 4 * nops) &&
         same(a->op_begin, b->op_begin, 8 * nops) &&
         same(a->op_end, b->op_end, 8 * nops) &&
         same(a->key_number, b->key_number, 8 * a->nkeys) && same_lists(a, b) &&
         a->lost_txns == b->lost_txns && a->complete == b->complete &&
         a->lists == b->lists;
}

static void read_by_several(const char *path, int result) {
  static const uint32_t several[] = {2, 3, 8, PARALLEL_MAX};
  struct history one, h;
  struct error said = {0}, error = {0};
  CHECK_INT(read_by(1, path, &one, &said), result);
  for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
    CHECK_INT(read_by(several[i], path, &h, &error), result);
    CHECK_STR(error.text, said.text);
    if (result)
      continue;
    CHECK(is_same(&one, &h));
    history_free(&h);
  }
  if (!result)
    history_free(&one);
}

static void several_threads_read_what_one_does(void) {
  char *path = path_of_history();
  for (uint64_t seed = 0; seed < 16; seed++) {
    record(path, seed);
    read_by_several(path, 0);
    CHECK(!truncate(path, 40000));
    read_by_several(path, 0);
  }
  unlink(path);
  free(path);
}

// Makes nonsense of the payload of a chunk whose header is at `p`, and adds up
// its checksums again.
static void spoil(unsigned char *p, struct chunk_header *header) {
  header->compression = CHUNK_PLAIN;
  header->raw_bytes = header->stored_bytes;
  memset(p + header->header_bytes, 0xff, header->stored_bytes);
  chunk_header_store(p, header, p + header->header_bytes);
}

static void write_file(const char *path, const unsigned char *data,
                       size_t bytes) {
  FILE *file = fopen(path, "w");
  CHECK(file && fwrite(data, 1, bytes, file) == bytes && !fclose(file));
}

// Whoever comes upon the other one first.
static void several_threads_name_the_first_of_two_chunks(void) {
  char *path = path_of_history();
  size_t bytes, at = FILE_HEADER_BYTES;
  struct error error;
  struct chunk_header header;
  record(path, 0);
  unsigned char *data = file_load(path, SIZE_MAX - 1, &bytes, &error);
  for (uint32_t n = 0; chunk_header_load(data + at, bytes - at, &header);
       at += header.header_bytes + header.stored_bytes)
    if (header.kind == CHUNK_TRANSACTIONS && n++ % 7 == 3)
      spoil(data + at, &header);
  write_file(path, data, bytes);
  read_by_several(path, -1);
  free(data);
  unlink(path);
  free(path);
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
      {"a process may be kept from cores", a_process_may_be_kept_from_cores},
      {"several threads read what one does",
       several_threads_read_what_one_does},
      {"several threads name the first of two bad chunks",
       several_threads_name_the_first_of_two_chunks});
}
