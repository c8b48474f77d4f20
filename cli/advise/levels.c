// SPDX-License-Identifier: GPL-3.0-or-later
// Tries scripts as they are at each level (cli/advise/advising.h).
#include "config.h"

#include "cli/advise/advising.h"

#include "base/memory.h"
#include "cli/process/signals.h"
#include "drivers/drivers.h"
#include "drivers/instrument.h"

#include <stdlib.h>
#include <string.h>

// From the weakest on.  A level with another name for the promise of the
// default, such as PostgreSQL's READ UNCOMMITTED, is left out, as is one at
// which nobody could tell what is read.
static uint32_t sort_advised_levels(const struct driver *driver,
                                    const struct driver_level *sorted[16]) {
  const struct driver_level *usual = driver->levels;
  const char *not_at = driver->instrument ? driver->instrument->not_at : NULL;
  uint32_t n = 0;
  for (const struct driver_level *l = usual; l->name && n < 16; l++) {
    uint32_t i = n;
    if ((l->claimed == usual->claimed &&
         driver_level_strength(l) < driver_level_strength(usual)) ||
        (not_at && !strcmp(l->name, not_at)))
      continue;
    for (n++;
         i && driver_level_strength(sorted[i - 1]) > driver_level_strength(l);
         i--)
      sorted[i] = sorted[i - 1];
    sorted[i] = l;
  }
  return n;
}

// The levels that are not tried yet are known by their names alone.
static void list_levels(struct advising *a) {
  const struct driver_level *sorted[16];
  a->advised.levels = a->levels;
  a->advised.nlevels = sort_advised_levels(a->driver, sorted);
  for (uint32_t i = 0; i < a->advised.nlevels; i++) {
    a->levels[i] = (struct advised_trial){.level = sorted[i]->name};
    if (sorted[i] == a->driver->levels)
      a->advised.default_level = i;
  }
}

void advise_try_levels(struct advising *a, const struct draft *draft) {
  list_levels(a);
  const uint32_t n = a->advised.nlevels;
  const double seconds = (double)advise_time(a) / 1e9;
  tell_user("%u script%s at %u level%s, %.0f s each, and as long for each "
            "change that is tried; checks take their time besides.  Ctrl-C: "
            "what was tried until then is written",
            a->nscripts, a->nscripts == 1 ? "" : "s", n, n == 1 ? "" : "s",
            seconds);
  for (uint32_t i = 0; i < n && !*signals_stop() && a->status == STATUS_KEPT;
       i++) {
    char *left = advise_estimate(a, n - i);
    tell_user("trying all scripts at %s, %.0f s; %s for all levels",
              a->levels[i].level, seconds, left);
    free(left);
    advise_try(a, draft, a->levels[i].level, advise_time(a), &a->levels[i]);
  }
}

// A finding of one of two runs of a level is one of the level.
static bool takes_over(const struct advised_trial *later) {
  return later->tried && !advised_is_kept(later) &&
         (later->decided || later->answer);
}

void advise_confirm_level(struct advising *a, const struct draft *draft) {
  const struct advised_trial *level = advised_level(&a->advised);
  while (level && !*signals_stop() && a->status == STATUS_KEPT) {
    struct advised_trial later;
    char *left = advise_estimate(a, 2);
    tell_user("trying all scripts at %s once more, twice as long, %s",
              level->level, left);
    free(left);
    advise_try(a, draft, level->level, 2 * advise_time(a), &later);
    if (!takes_over(&later))
      return;
    later.explored = level->explored;
    a->levels[level - a->levels] = later;
    level = advised_level(&a->advised);
  }
}
