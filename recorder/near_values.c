// SPDX-License-Identifier: GPL-3.0-or-later
// The table of writers of values near each other (recorder/near_values.h).
#include "config.h"

#include "recorder/near_values.h"

#include "base/memory.h"

#include <stdlib.h>

enum {
  FULL = NEAR_BLOCK / 4 * 3, // of a block, on average
  SPARE = 4                  // blocks
};

void near_values_open(struct near_values *near, uint32_t nwrites) {
  const uint64_t nblocks = nwrites / FULL + SPARE;
  uint64_t nslots = 2;
  *near = (struct near_values){.nentries = NEAR_BLOCK};
  if (nblocks * NEAR_BLOCK > UINT32_MAX)
    return;
  while (nslots < 2 * nblocks)
    nslots *= 2;
  near->mask = (uint32_t)nslots - 1;
  near->room = (uint32_t)(nblocks * NEAR_BLOCK);
  near->blocks = xcalloc(nslots, sizeof *near->blocks);
  near->writes = xcalloc(near->room, sizeof *near->writes);
}

void near_values_close(struct near_values *near) {
  free(near->blocks);
  free(near->writes);
  *near = (struct near_values){0};
}

uint32_t near_values_add(struct near_values *near, uint64_t value) {
  const uint64_t number = value / NEAR_BLOCK;
  const uint32_t entry = near_values_entry(near, value);
  if (entry >= NEAR_BLOCK)
    return entry;
  if (near->nentries == near->room)
    return 0;
  uint32_t i = (uint32_t)number_mix(number) & near->mask;
  while (near->blocks[i].first)
    i = (i + 1) & near->mask;
  near->blocks[i] = (struct near_block){number, near->nentries};
  near->nentries += NEAR_BLOCK;
  return near_values_entry(near, value);
}
