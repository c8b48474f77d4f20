// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of the machine (runner/limits.h).  These are upper bounds: other
// programs use threads, descriptors and memory as well, so a run that passes
// here can still fail for want of them.
#include "config.h"

#include "runner/limits.h"

#include "base/ram.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

// Bytes of a session that has done next to nothing: figures and session log.
#define SESSION_BYTES (UINT64_C(240) << 10)

// UINT64_MAX if the file has no number.
static uint64_t read_process_limit(const char *path) {
  uint64_t number;
  FILE *file = fopen(path, "r");
  const bool has = file && fscanf(file, "%" SCNu64, &number) == 1;
  if (file)
    fclose(file);
  return has ? number : UINT64_MAX;
}

static uint64_t limit_of(int resource) {
  struct rlimit limit;
  return getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY
             ? UINT64_MAX
             : limit.rlim_cur;
}

static int refuse_sessions(uint64_t wanted, const char *what, uint64_t most,
                           const char *limit, struct error *error) {
  return wanted < most
             ? 0
             : error_set(error,
                         "this needs more than %" PRIu64 " %s, and there can "
                         "be only %" PRIu64
                         " (%s): ask for fewer clients, or raise "
                         "the limit",
                         wanted, what, most, limit);
}

static int check_threads(uint64_t nthreads, struct error *error) {
  static const struct {
    const char *path, *name;
    uint64_t each; // so many count for one thread
  } limits[] = {
      {"/proc/sys/kernel/threads-max", "kernel.threads-max", 1},
      {"/proc/sys/kernel/pid_max", "kernel.pid_max", 1},
      {"/proc/sys/vm/max_map_count", "half of vm.max_map_count", 2},
      {"/sys/fs/cgroup/pids.max", "pids.max of the control group", 1},
  };
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (refuse_sessions(nthreads, "threads",
                        read_process_limit(limits[i].path) / limits[i].each,
                        limits[i].name, error))
      return -1;
  return geteuid() == 0 // whom the kernel does not count
             ? 0
             : refuse_sessions(nthreads, "threads", limit_of(RLIMIT_NPROC),
                               "ulimit -u", error);
}

int limits_check(const struct driver *driver, uint32_t nsessions,
                 uint32_t nthreads, struct error *error) {
  const uint64_t ram = ram_available("");
  if (check_threads(nthreads && nthreads < nsessions ? nthreads : nsessions,
                    error))
    return -1;
  // The driver whose calls never wait speaks to nobody.
  if (!driver->never_waits &&
      refuse_sessions(nsessions, "open files or connections",
                      limit_of(RLIMIT_NOFILE), "ulimit -n", error))
    return -1;
  return nsessions < ram / SESSION_BYTES
             ? 0
             : error_set(error,
                         "%" PRIu32 " clients need %" PRIu64 " MB of memory, "
                         "and %" PRIu64 " MB are free: ask for fewer clients",
                         nsessions, nsessions * SESSION_BYTES >> 20, ram >> 20);
}
