// SPDX-License-Identifier: GPL-3.0-or-later
// Where an exploration is cut into units (explore/share.h), and the levels of
// its transactions.
#include "config.h"

#include "explore/explore.h"

#include "base/memory.h"

enum { DEPTH_STEP = 2 };

void explore_levels(const struct program *program, enum level level,
                    uint8_t levels[PROGRAM_MAX_TXNS + 1]) {
  levels[0] = LEVEL_CC;
  for (uint32_t t = 1; t <= program->ntxns; t++)
    levels[t] =
        program->txns[t].has_level ? program->txns[t].level : (uint8_t)level;
}

int explore_cut(const struct program *program,
                const struct explore_options *options, uint64_t wanted,
                struct share *share, struct error *error) {
  struct explore_options o = *options;
  struct explore_result result;
  o.leaf = NULL;
  o.share = share;
  *share = (struct share){.nparts = 1};
  do {
    share->depth += DEPTH_STEP;
    if (explore(program, &o, &result, error))
      return -1;
    share->nunits = result.units;
  } while (!result.stopped && result.cut && result.units < wanted);
  share->taken = xcalloc(share->nunits + 1, 1);
  return 0;
}
