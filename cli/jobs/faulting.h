// SPDX-License-Identifier: GPL-3.0-or-later
// The throw-away server of a run and the faults that its nodes suffer while the
// run goes on.
#ifndef CLI_JOBS_FAULTING_H
#define CLI_JOBS_FAULTING_H

#include "cli/servers/servers.h"
#include "cli/settings/settings.h"
#include "nemesis/actor.h"

// Zero-initialised is a run without a server and without faults.
struct faulting {
  struct server server;
  struct server_facts facts;
  struct fault_schedule schedule; // empty: no faults
  struct event_log log;           // of a run with faults
  struct hands hands;
  struct fault_actor *actor; // while it follows the schedule
  char *kind, *words;        // of the setting: the server, and its own settings
  char *target;              // that the server is; NULL: settings name one
};

// Reads what the settings say of a server and of faults, and asks what the
// server can do; starts nothing.  -1 with a sentence about wrong usage.  Free
// in both cases.
int faulting_read(struct faulting *faulting, const struct settings *settings,
                  struct error *error);

// Starts the server, if there is one, and names it to the settings as their
// target, unless they have one.  -1 with a sentence.
int faulting_begin(struct faulting *faulting, struct settings *settings,
                   struct error *error);

// An option that drivers of this target are to have besides, or NULL.
const char *faulting_timeout(const struct faulting *faulting,
                             const struct driver *driver, const char *target);

// The sessions begin now: the faults, too.
void faulting_start(struct faulting *faulting);
// They have stopped: takes all harm back and waits for the nodes as long as
// `settle` ns.
void faulting_settle(struct faulting *faulting, uint64_t settle);

// Stops the server that was started.  The events stay.
void faulting_end(struct faulting *faulting);
void faulting_free(struct faulting *faulting);

bool faulting_has_faults(const struct faulting *faulting);

#endif
