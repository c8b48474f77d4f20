// SPDX-License-Identifier: GPL-3.0-or-later
// A store that does nothing but keep values, by a pipe: what C takes
// (bench/pipe.sh).  It reads the requests as isostress writes them.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 1 << 20, LINE = 1 << 16 };

static unsigned long long number_of(const char *line, const char *member) {
  const char *at = strstr(line, member);
  return at ? strtoull(at + strlen(member), NULL, 10) : 0;
}

int main(void) {
  static uint64_t store[KEYS];
  static char line[LINE];
  while (fgets(line, sizeof line, stdin)) {
    const unsigned long long id = number_of(line, "\"id\":");
    uint64_t *value = &store[number_of(line, "\"key\":") % KEYS];
    if (strstr(line, "\"do\":\"hello\""))
      printf("{\"id\":%llu,\"isostress\":1,\"name\":\"null\",\"version\":"
             "\"keeps values, in C\",\"many\":true,\"levels\":[{\"name\":"
             "\"none\",\"claims\":\"none\"}]}\n",
             id);
    else if (strstr(line, "\"do\":\"get\""))
      printf("{\"id\":%llu,\"value\":%llu}\n", id, (unsigned long long)*value);
    else {
      if (strstr(line, "\"do\":\"put\""))
        *value = number_of(line, "\"value\":");
      printf("{\"id\":%llu}\n", id);
    }
    fflush(stdout);
  }
  return 0;
}
