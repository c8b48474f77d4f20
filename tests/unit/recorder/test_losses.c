// SPDX-License-Identifier: GPL-3.0-or-later
// The content of a recording when whoever recorded was killed, or the disk was
// full.
#include "config.h"

#include "recorder/record/session_log.h"
#include "tests/kit/recording.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { NSESSIONS = 4 };

// Checks that every session of `read`, of which the end may be lost, has the
// first transactions that the made-up sessions of this seed have.
static void check_salvaged(uint64_t seed, const struct history *read) {
  struct builder *b = builder_open();
  CHECK(history_is_sound(read));
  for (uint32_t s = 0; s < read->nsessions; s++) {
    struct made_session m = made_session_open(seed, s, read->nsessions);
    m.builder = b;
    for (uint32_t t = read->session_first[s]; t < read->session_first[s + 1];
         t++)
      make_transaction(&m);
    gsl_rng_free(m.random);
  }
  struct history told = finish(b);
  uint32_t different = 0;
  for (uint32_t t = 0; t < told.ntxns; t++)
    different += !same_transaction(&told, t, read, t, true);
  CHECK_INT(different, 0);
  history_free(&told);
}

// Records without an end; counts what it has recorded where the parent sees it.
static void record_for_ever(uint64_t seed, atomic_uint *recorded) {
  struct made_session sessions[NSESSIONS];
  struct recording *r = open_recording(NSESSIONS, false, 0);
  for (uint32_t s = 0; s < NSESSIONS; s++) {
    sessions[s] = made_session_open(seed, s, NSESSIONS);
    sessions[s].log = recording_session_log(r, s);
  }
  for (uint32_t s = 0;; s = (s + 1) % NSESSIONS) {
    make_transaction(&sessions[s]);
    atomic_fetch_add(&recorded[s], 1);
  }
}

// The room of two pieces of a session log: so much may be on its way to the
// file.
enum { UNWRITTEN_MAX = 2 * 4096 + 1 };

static void check_killed_file(uint64_t seed, atomic_uint *recorded) {
  struct history h;
  struct error error;
  struct stat st;
  if (stat(recording_path, &st) || st.st_size < 32)
    return; // killed before the header was written
  CHECK_INT(history_read(recording_path, NULL, &h, &error), 0);
  CHECK(!h.complete);
  CHECK(strstr(error.text, "was not closed") ||
        strstr(error.text, "is cut off"));
  for (uint32_t s = 0; s < h.nsessions; s++) {
    uint32_t n = h.session_first[s + 1] - h.session_first[s];
    CHECK(n <= atomic_load(&recorded[s]) + 1);
    CHECK(n + UNWRITTEN_MAX >= atomic_load(&recorded[s]));
  }
  check_salvaged(seed, &h);
  history_free(&h);
}

static void a_killed_recording_opens(void) {
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  atomic_uint *recorded = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(recorded != MAP_FAILED);
  for (uint64_t seed = 0; seed < 12; seed++) {
    unlink(recording_path);
    memset(recorded, 0, 4096);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
      record_for_ever(seed, recorded);
    usleep((useconds_t)(1000 + gsl_rng_get(random) % 80000));
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(waitpid(child, NULL, 0) == child);
    check_killed_file(seed, recorded);
  }
  munmap(recorded, 4096);
  gsl_rng_free(random);
}

// In a process of its own, whose files cannot grow beyond a limit: the status
// says what went wrong.
static int record_to_a_full_disk(void) {
  struct rlimit limit = {.rlim_cur = 300000, .rlim_max = 300000};
  struct made_session m = made_session_open(3, 0, 1);
  struct recording *r = open_recording(1, false, 0);
  struct error error = {0};
  if (setrlimit(RLIMIT_FSIZE, &limit))
    return 2;
  m.log = recording_session_log(r, 0);
  for (int i = 0; i < 200000; i++)
    make_transaction(&m);
  gsl_rng_free(m.random);
  if (!recording_failed(r))
    return 3;
  if (recording_close(r, &error) != -1)
    return 4;
  return strstr(error.text, "cannot be written: File too large; it holds the "
                            "first ") != NULL
             ? 0
             : 5;
}

static void a_full_disk_keeps_what_fits(void) {
  int status = -1;
  fflush(stdout);
  unlink(recording_path);
  pid_t child = fork();
  if (child == 0)
    _exit(record_to_a_full_disk());
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_INT(status, 0);
  struct history h;
  struct error error;
  CHECK_INT(history_read(recording_path, NULL, &h, &error), 0);
  CHECK(!h.complete && h.ntxns > 1000);
  CHECK(strstr(error.text, "was not closed, its end is missing"));
  check_salvaged(3, &h);
  history_free(&h);
}

int main(void) {
  return RECORDING_TESTS(
      {"a killed recording opens", a_killed_recording_opens},
      {"a full disk keeps what fits", a_full_disk_keeps_what_fits});
}
