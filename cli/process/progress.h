// SPDX-License-Identifier: GPL-3.0-or-later
// How far a run, a check or other work is, on stderr: one overwritten line on a
// terminal, plain lines otherwise.
#ifndef CLI_PROCESS_PROGRESS_H
#define CLI_PROCESS_PROGRESS_H

#include "runner/runner.h"

#include <stdbool.h>

struct progress {
  bool terminal;               // set it to progress_on_terminal()
  uint64_t time, transactions; // how long the run is to last, in ns, and of how
                               // many transactions; 0: no limit
  bool shown;                  // something is on the terminal's line
  struct run_progress before;
};

bool progress_on_terminal(void);

// For struct run_options; the context is a struct progress.
void progress_of_run(void *context, const struct run_progress *now);

// For work that is no run: by its share that is over.  Only a terminal shows
// it.
void progress_of_work(struct progress *progress, double share, uint64_t elapsed,
                      const char *what);

// Removes the line from the terminal.
void progress_end(struct progress *progress);

// "[#####...............]  25 %   0:07 left"; a share below 0: nobody knows.
// `elapsed` is in ns.
void progress_put_share(char *text, size_t room, double share,
                        uint64_t elapsed);
// With commas between thousands; returns `text`.
const char *progress_put_grouped(char text[32], uint64_t number);

struct ticker;
enum { TICKER_ROOM = 256 };

// From two seconds on, says every two seconds that `what` is going on.
struct ticker *ticker_start(const char *what);
// Says every two seconds what `ask` says, which is called by a thread of its
// own.
struct ticker *ticker_start_asking(void (*ask)(void *context,
                                               char text[TICKER_ROOM]),
                                   void *context);
void ticker_end(struct ticker *ticker);

#endif
