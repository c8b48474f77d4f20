// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "base/ram.h"
#include "tests/tap.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(const char *file, const char *text) {
  FILE *stream = fopen(file, "w");
  CHECK(stream && fputs(text, stream) >= 0 && !fclose(stream));
}

static void less_of_machine_and_group_is_available(void) {
  char top[] = "/tmp/isostress-ram-XXXXXX";
  CHECK(mkdtemp(top) && !chdir(top));
  CHECK(ram_available(top) == UINT64_MAX);
  CHECK(!mkdir("proc", 0700) && !mkdir("sys", 0700) && !mkdir("sys/fs", 0700) &&
        !mkdir("sys/fs/cgroup", 0700));
  put("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:     4000 kB\n");
  CHECK_INT(ram_available(top), 4096000);
  put("sys/fs/cgroup/memory.max", "max\n");
  CHECK_INT(ram_available(top), 4096000);
  put("sys/fs/cgroup/memory.max", "2000000\n");
  CHECK_INT(ram_available(top), 2000000);
  put("proc/meminfo", "MemAvailable:     1 kB\n");
  CHECK_INT(ram_available(top), 1024);
  put("proc/meminfo", "MemTotal:  9000 kB\n");
  CHECK_INT(ram_available(top), 2000000);
  CHECK(!unlink("proc/meminfo") && !unlink("sys/fs/cgroup/memory.max") &&
        !rmdir("proc") && !rmdir("sys/fs/cgroup") && !rmdir("sys/fs") &&
        !rmdir("sys") && !rmdir(top));
}

static void this_machine_says(void) {
  CHECK(ram_available("") > 1 << 20);
  CHECK(ram_available("") < UINT64_MAX);
}

int main(void) {
  return TAP_RUN({"the less of the machine's and the group's is available",
                  less_of_machine_and_group_is_available},
                 {"this machine says how much it has", this_machine_says});
}
