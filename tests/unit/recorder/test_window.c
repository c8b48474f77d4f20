// SPDX-License-Identifier: GPL-3.0-or-later
// The newest part of a recording that grows: whatever it breaks, the whole
// recording breaks, wherever it is cut; and what is rare is seen in it.
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "checker/verdict/verdict.h"
#include "drivers/drivers.h"
#include "recorder/files/reader.h"
#include "recorder/record/window.h"
#include "runner/runner.h"
#include "tests/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[] = "/tmp/isostress-test.XXXXXX";
static char *recorded, *growing; // paths

struct load {
  const char *target, *workload, *level;
  uint64_t transactions; // per session
};

// Six sessions in an order that the seed decides, which hand over what they did
// every few transactions.
static void record(const struct load *load, uint64_t seed) {
  // Steps of 1 us count as ns here.
  const struct backpressure_limits limits = {.hand_over = 100 + seed * 300};
  struct backpressure *backpressure = backpressure_new(&limits);
  struct run_figures figures = {0};
  struct error error = {0};
  struct run_options options = {
      .workload = workload_find(load->workload, &error),
      .transactions = load->transactions,
      .max_tries = 2,
      .threads = 1,
      .op_times = seed % 2,
      .history = recorded,
      .backpressure = backpressure,
  };
  unlink(recorded);
  workload_defaults(&options.workload_options);
  options.workload_options.seed = seed;
  options.workload_options.nsessions = 6;
  options.workload_options.nkeys = 12;
  CHECK(
      !target_open(load->target, NULL, NULL, 6, seed, &options.target, &error));
  options.level = driver_level(options.target->driver, load->level, &error);
  CHECK(options.level && !run(&options, &figures, &error));
  CHECK_STR(error.text, "");
  run_figures_free(&figures);
  target_close(options.target);
  backpressure_free(backpressure);
}

static bool breaks(const struct history *history, enum isolation level,
                   bool real_time) {
  const struct check_options options = {.question = {.level = level,
                                                     .session_order = true,
                                                     .real_time = real_time}};
  struct verdict verdict = {0};
  struct error error = {0};
  CHECK_INT(check(history, &options, &verdict, &error), 0);
  const bool broken = verdict.kind == VERDICT_VIOLATION;
  verdict_free(&verdict);
  return broken;
}

// The levels that a history breaks: bit 2 * level, and the next bit in real
// time.
static unsigned broken_by(const struct history *history) {
  unsigned broken = 0;
  for (int level = ISOLATION_RC; level < ISOLATION_COUNT; level++)
    for (unsigned real_time = 0; real_time < 2; real_time++)
      if (breaks(history, (enum isolation)level, real_time))
        broken |= 1u << (2 * (unsigned)level + real_time);
  return broken;
}

static void append(int fd, const unsigned char *data, size_t bytes) {
  CHECK(write(fd, data, bytes) == (ssize_t)bytes);
}

// Lets the recording grow by random steps; what its parts broke.
static unsigned broken_by_parts(uint64_t seed) {
  struct error error = {0};
  size_t bytes, done = 0;
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  unsigned char *data = file_load(recorded, SIZE_MAX - 1, &bytes, &error);
  unlink(growing);
  struct tail_window *window = window_open(growing);
  struct history history;
  CHECK_INT(window_advance(window, 0, &history, &error), 0); // not there yet
  const int fd = open(growing, O_WRONLY | O_CREAT | O_EXCL, 0600);
  unsigned broken = 0, advances = 0;
  while (done < bytes) {
    size_t step = 1 + gsl_rng_uniform_int(random, bytes / 12);
    step = step < bytes - done ? step : bytes - done;
    append(fd, data + done, step);
    done += step;
    const int fresh = window_advance(window, 0, &history, &error);
    CHECK_STR(error.text, "");
    if (fresh != 1)
      continue;
    broken |= broken_by(&history);
    advances++;
    history_free(&history);
  }
  CHECK(advances > 4);
  CHECK_INT(window_advance(window, 0, &history, &error), 0);
  window_close(window);
  close(fd);
  free(data);
  gsl_rng_free(random);
  return broken;
}

static unsigned broken_by_whole(void) {
  struct history history;
  struct error error = {0};
  CHECK_INT(history_read(recorded, NULL, &history, &error), 0);
  const unsigned broken = broken_by(&history);
  history_free(&history);
  return broken;
}

static void what_a_part_breaks_the_whole_breaks(void) {
  static const struct load loads[] = {
      {"memory:?unknown=0.05&abort=0.05", "mt", "sser", 60},
      {"memory:", "mt", "si", 60},
      {"memory:", "mt", "rc", 60},
      {"memory:?unknown=0.1", "general", "ser", 40},
      {"memory:", "general", "cc", 40},
      {"memory:?unknown=0.05", "append", "si", 40},
      {"memory:", "append", "rc", 40},
      {"memory:?abort=0.1", "cas", "sser", 60},
      {"memory:?bug=LongFork:0.05", "mt", "si", 60},
      {"memory:?bug=CausalityViolation:0.05", "general", "si", 40},
      {"memory:?bug=NonMonotonicRead:0.05", "append", "si", 40},
      {"memory:?bug=AbortedRead:0.02", "mt", "ser", 60},
      {"memory:?bug=ThinAirRead:0.02", "cas", "ser", 60},
  };
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      record(&loads[i], seed);
      CHECK_INT(broken_by_parts(seed) & ~broken_by_whole(), 0);
    }
}

// Each anomaly of which the whole recording has some is in a part, too.
static void a_part_shows_it(void) {
  static const char *const bugs[] = {
      "ThinAirRead",        "AbortedRead",
      "FutureRead",         "NotMyLastWrite",
      "NotMyOwnWrite",      "IntermediateRead",
      "NonRepeatableReads", "SessionGuaranteeViolation",
      "NonMonotonicRead",   "FracturedRead",
      "CausalityViolation", "LongFork",
      "LostUpdate"};
  for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
    char *target = xasprintf("memory:?bug=%s", bugs[i]);
    const struct load load = {target, "mt", "si", 200};
    const unsigned si = 1u << 2 * ISOLATION_SI;
    bool seen = false;
    for (uint64_t seed = 1; seed < 20 && !seen; seed++) {
      record(&load, seed);
      seen = (broken_by_parts(seed) & si) != 0;
    }
    CHECK(seen);
    free(target);
  }
}

static void a_file_that_is_none(void) {
  struct history history;
  struct error error = {0};
  struct tail_window *window = window_open(directory);
  CHECK_INT(window_advance(window, 0, &history, &error), -1);
  CHECK(strncmp(error.text, directory, strlen(directory)) == 0);
  window_close(window);
}

int main(void) {
  if (!mkdtemp(directory))
    return 1;
  recorded = xasprintf("%s/recorded", directory);
  growing = xasprintf("%s/growing", directory);
  const int status =
      TAP_RUN({"what a part breaks the whole breaks",
               what_a_part_breaks_the_whole_breaks},
              {"a part shows the violation", a_part_shows_it},
              {"a file that is no history is refused", a_file_that_is_none});
  unlink(recorded);
  unlink(growing);
  rmdir(directory);
  free(recorded);
  free(growing);
  return status;
}
