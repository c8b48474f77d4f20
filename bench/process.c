// SPDX-License-Identifier: GPL-3.0-or-later
// Whole processes on one core (bench/process.h).
#include "config.h"

#include "bench/process.h"

#include "base/clock.h"
#include "base/memory.h"

#include <fcntl.h>
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

// Writes the file out now, so that this is not done while something is timed.
static void write_out(const char *path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fsync(fd) || close(fd)) {
    perror(path);
    exit(255);
  }
}

char *converted(char *from, const char *directory, const char *name,
                const char *format) {
  char *to = xasprintf("%s/%s.%s", directory, name, format);
  cost_of(xasprintf("exec ./isostress convert --to=%s '%s' '%s' 2>/dev/null",
                    format, from, to));
  free(from);
  write_out(to);
  return to;
}

char *record(const char *directory, const char *name, const char *options,
             bool timeless) {
  const struct cost cost =
      cost_of(xasprintf("exec ./isostress run 'memory:?stale=0' --check=none "
                        "--seed=1 %s -o '%s/%s' >/dev/null 2>&1",
                        options, directory, name));
  char *path = xasprintf("%s/%s/latest/history", directory, name);
  if (cost.status != 0) {
    fprintf(stderr, "failed: isostress run %s\n", options);
    exit(255);
  }
  if (timeless)
    return converted(path, directory, name, "bincode");
  write_out(path);
  return path;
}

static struct cost cheaper(const struct cost *a, const struct cost *b) {
  return (struct cost){.wall = fmin(a->wall, b->wall),
                       .cpu = fmin(a->cpu, b->cpu),
                       .megabytes = fmax(a->megabytes, b->megabytes),
                       .status = b->status};
}

static char *check_command(const char *program, const char *level,
                           const char *path) {
  return xasprintf("exec '%s' check -l %s '%s' >/dev/null 2>&1", program, level,
                   path);
}

void costs_of_checks(const char *level, const char *const *paths, int npaths,
                     int rounds, struct cost *costs) {
  for (int i = 0; i < rounds * npaths; i++) {
    struct cost *best = &costs[i % npaths];
    const struct cost cost =
        cost_of(check_command("./isostress", level, paths[i % npaths]));
    *best = i < npaths ? cost : cheaper(best, &cost);
  }
}

void costs_by_turns(const char *level, const char *path, const char *before,
                    int rounds, struct cost costs[2]) {
  const char *const programs[2] = {"./isostress", before};
  for (int i = 0; i < 2 * rounds; i++) {
    struct cost *best = &costs[i % 2];
    const struct cost cost =
        cost_of(check_command(programs[i % 2], level, path));
    *best = i < 2 ? cost : cheaper(best, &cost);
  }
}

struct cost cost_of_check(const char *level, const char *path, int rounds) {
  struct cost cost;
  costs_of_checks(level, &path, 1, rounds, &cost);
  return cost;
}
