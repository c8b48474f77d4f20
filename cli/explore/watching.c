// SPDX-License-Identifier: GPL-3.0-or-later
// Says on stderr how far the exploration of a level is
// (cli/explore/exploring.h). How many histories there are is estimated once
// somebody waits for them.
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/process/progress.h"
#include "explore/estimate.h"

#include <stdio.h>
#include <stdlib.h>

// How many times the least number the largest one is, at most, for a share to
// be told.
enum { WIDE = 4 };

struct level_watch {
  const struct exploration *exploration;
  enum level level;
  uint64_t counted, before; // histories; of a resumed exploration: before it
  uint64_t begun;
  volatile bool over;
  uint32_t asked; // how often
  double all;     // about so many histories; 0: nobody knows
  struct ticker *ticker;
};

// Nobody knows how many a part, a share or a sample has.
static void estimate(struct level_watch *w) {
  const struct exploration *e = w->exploration;
  struct explore_options options = e->options;
  struct estimate estimate;
  struct error error;
  if (e->nparts || ranks_count(e->ranks) > 1 || e->options.walks)
    return;
  options.level = w->level;
  options.stop = &w->over;
  if (!estimate_histories(e->program, &options, 1, &estimate, &error) &&
      !estimate.stopped && estimate.high < WIDE * estimate.low)
    w->all = estimate.histories;
}

static void ask_explorer(void *context, char text[TICKER_ROOM]) {
  struct level_watch *w = context;
  char share[80], number[32];
  if (++w->asked == 2) // it takes a while, too
    estimate(w);
  const uint64_t counted = __atomic_load_n(&w->counted, __ATOMIC_RELAXED);
  const double left = w->all - (double)w->before;
  const double done = left > 0 ? (double)counted / left : -1;
  progress_put_share(share, sizeof share, done > .99 ? .99 : done,
                     clock_now() - w->begun);
  snprintf(text, TICKER_ROOM, "%s   %s histories at %s", share,
           progress_put_grouped(number, w->before + counted),
           level_told(w->exploration, w->level));
}

struct level_watch *level_watch_start(const struct exploration *e,
                                      uint32_t level,
                                      struct survey_options *options) {
  struct level_watch *w = xcalloc(1, sizeof *w);
  w->exploration = e;
  w->level = e->levels[level];
  w->before = e->surveys[level].result.histories;
  w->begun = clock_now();
  options->counted = &w->counted;
  w->ticker = ticker_start_asking(ask_explorer, w);
  return w;
}

void level_watch_end(struct level_watch *w) {
  w->over = true;
  ticker_end(w->ticker);
  free(w);
}
