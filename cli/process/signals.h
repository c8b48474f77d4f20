// SPDX-License-Identifier: GPL-3.0-or-later
// The signals INT, TERM and HUP and the end of a time limit tell a
// command to stop in good order.  The second signal ends the process at once,
// unless it comes with the first one.
#ifndef CLI_PROCESS_SIGNALS_H
#define CLI_PROCESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

// From here on a signal ends the process with a sentence and STATUS_UNDECIDED:
// for commands, or their beginnings, that leave nothing half done.
void signals_leave(void);

// From here on a signal stops runs.  Call it once.
void signals_catch(void);

// A process that is forked after that gets the same signals, perhaps twice, and
// leaves it to its parent to speak of them and to leave at once.  With this it
// ends when its parent does.
void signals_end_with_parent(void);

// Set by the first signal.
const volatile sig_atomic_t *signals_stop(void);

// Between these two, a signal or the end of `limit` ns (0: none) sets the flag
// that the first one returns.
const volatile bool *signals_start_check(uint64_t limit);
void signals_end_check(void);

#endif
