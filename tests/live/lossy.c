// SPDX-License-Identifier: GPL-3.0-or-later
// A proxy in front of a server on the loopback interface that loses answers,
// one in so many, with their connections:
//
//   lossy SERVER-PORT FIRST EVERY
//
// prints its own port, lets the first answers pass and then loses every
// EVERY-th, until it is killed.  For tests/live/resolve.sh.
#include "config.h"

#include "tests/live/proxy.h"

#include <signal.h>

int main(int argc, char **argv) {
  struct proxy proxy;
  signal(SIGPIPE, SIG_IGN);
  if (argc != 4)
    return 254;
  proxy_start(&proxy, (uint16_t)atoi(argv[1]));
  printf("%u\n", proxy.port);
  fflush(stdout);
  for (int spared = atoi(argv[2]);; spared = atoi(argv[3])) {
    atomic_store(&proxy.spared, spared);
    atomic_store(&proxy.mode, PROXY_LOSE_ANSWERS);
    while (atomic_load(&proxy.mode) != PROXY_PASS)
      usleep(1000);
  }
}
