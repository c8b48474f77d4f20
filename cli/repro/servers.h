// SPDX-License-Identifier: GPL-3.0-or-later
// Throw-away servers, started and stopped by the scripts in servers/.
#ifndef CLI_REPRO_SERVERS_H
#define CLI_REPRO_SERVERS_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

enum { SERVER_NODES_MAX = 8 };

// Zero-initialised is none.
struct server {
  char *name; // for servers.sh
  char *uris[SERVER_NODES_MAX];
  uint32_t nuris;
  pid_t faults; // a process that acts on its nodes; 0: none
};

// Starts a server of this kind and waits until it answers; `settings` are words
// NAME=VALUE apart by blanks, by the server's own names, or NULL.  -1 with a
// sentence after the server's own words on stderr.  End it with server_end.
int server_begin(struct server *server, const char *kind, const char *settings,
                 struct error *error);

// Stops it and removes all that it left; of a server that is none, nothing.
void server_end(struct server *server);

// A target with all hosts of the server, the primary first; to be freed.
char *server_hosts(const struct server *server);

// From now on, acts on the nodes in the background: "1 crash 0; 0.5 promote 1".
int server_start_faults(struct server *server, const char *faults,
                        struct error *error);
// Waits until all has been done.  -1 with a sentence if some could not.
int server_await_faults(struct server *server, struct error *error);

// Does something to a node of a server, from 0: "pause", "resume"...; waits
// until it has been done.  -1 with a sentence after the script's own on stderr.
int server_act(const char *name, uint32_t node, const char *action,
               struct error *error);

// Replaces this process by the script with these words.  Returns -1 with a
// sentence if that is not possible.
int server_exec(const char *const *words, uint32_t nwords, struct error *error);

#endif
