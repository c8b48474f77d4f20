// SPDX-License-Identifier: GPL-3.0-or-later
// Whole processes on one core (bench/process.h).
#include "config.h"

#include "bench/process.h"

#include "base/clock.h"
#include "base/memory.h"
#include "recorder/reader.h"

#include <endian.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds_of(struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

// The last of the cores that this process may use: the first one has the
// interrupts.
static void stay_on_one_core(void) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed))
    return;
  for (int cpu = CPU_SETSIZE; cpu-- > 0;)
    if (CPU_ISSET(cpu, &allowed)) {
      CPU_SET(cpu, &one);
      break;
    }
  sched_setaffinity(0, sizeof one, &one);
}

struct cost cost_of(char *command) {
  const uint64_t start = clock_now();
  const pid_t pid = fork();
  if (pid == 0) {
    stay_on_one_core();
    execl("/bin/sh", "sh", "-c", command, NULL);
    _exit(127);
  }
  int status = -1;
  struct rusage usage;
  if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) ||
      WEXITSTATUS(status) > 2) {
    fprintf(stderr, "failed: %s\n", command);
    exit(255);
  }
  free(command);
  return (struct cost){
      .wall = (double)(clock_now() - start) / (double)NS_PER_SECOND,
      .cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
      .megabytes = (double)usage.ru_maxrss / 1024,
      .status = WEXITSTATUS(status)};
}

char *scratch_make(void) {
  const char *temporary = getenv("TMPDIR");
  char *directory =
      xasprintf("%s/isostress-bench-XXXXXX", temporary ? temporary : "/tmp");
  if (!mkdtemp(directory)) {
    perror(directory);
    exit(255);
  }
  return directory;
}

void scratch_remove(char *directory) {
  cost_of(xasprintf("rm -rf '%s'", directory));
  free(directory);
}

// --- Without times.

static void put_number(FILE *file, uint64_t value) {
  value = htole64(value);
  fwrite(&value, sizeof value, 1, file);
}

static void put_txn(FILE *file, const struct history *h, uint32_t t) {
  put_number(file, h->txn_first[t + 1] - h->txn_first[t]);
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const bool reads = h->kind[op] == OP_READ;
    const uint32_t write = reads ? h->saw[op] : op;
    fputc(!reads, file);
    put_number(file, h->key[op]);
    put_number(file, write == SAW_INITIAL ? 0 : (uint64_t)write + 1);
    fputc(1, file);
  }
  fputc(h->outcome[t] == OUTCOME_OK, file);
}

// FORMATS.md, bincode: five numbers, three texts, then the sessions.
static void put_sessions(FILE *file, const struct history *h) {
  const uint64_t head[8] = {0, h->nsessions, h->nkeys, h->ntxns, h->nops};
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    put_number(file, head[i]);
  put_number(file, h->nsessions);
  for (uint32_t s = 0; s < h->nsessions; s++) {
    put_number(file, h->session_first[s + 1] - h->session_first[s]);
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++)
      put_txn(file, h, t);
  }
}

static void write_without_times(const char *from, const char *to) {
  struct history history;
  struct error error;
  if (history_read(from, NULL, &history, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(255);
  }
  FILE *file = fopen(to, "wb");
  if (file)
    put_sessions(file, &history);
  if (!file || fclose(file)) {
    perror(to);
    exit(255);
  }
  history_free(&history);
}

char *record(const char *directory, const char *name, const char *options,
             bool timeless) {
  struct cost cost = cost_of(
      xasprintf("exec ./isostress run memory:?stale=0 --check=none --threads=1 "
                "--seed=1 %s -o '%s/%s' >/dev/null 2>&1",
                options, directory, name));
  char *path = xasprintf("%s/%s/latest/history", directory, name);
  if (cost.status != 0) {
    fprintf(stderr, "failed: isostress run %s\n", options);
    exit(255);
  }
  if (timeless) {
    char *plain = xasprintf("%s/%s.bincode", directory, name);
    write_without_times(path, plain);
    free(path);
    path = plain;
  }
  return path;
}

struct cost cost_of_check(const char *level, const char *path, int rounds) {
  struct cost best = {.wall = INFINITY, .cpu = INFINITY};
  for (int i = 0; i < rounds; i++) {
    const struct cost cost = cost_of(xasprintf(
        "exec ./isostress check -l %s '%s' >/dev/null 2>&1", level, path));
    best.wall = fmin(best.wall, cost.wall);
    best.cpu = fmin(best.cpu, cost.cpu);
    best.megabytes = fmax(best.megabytes, cost.megabytes);
    best.status = cost.status;
  }
  return best;
}
