// SPDX-License-Identifier: GPL-3.0-or-later
// Throw-away servers, started and stopped by the scripts in servers/.  A server
// that is begun here ends with this process, however that ends: the script that
// has started it waits for the end of a pipe.
#ifndef CLI_SERVERS_SERVERS_H
#define CLI_SERVERS_SERVERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SERVER_NODES_MAX = 16, SERVER_ANSWER_ROOM = 1024 };

// Zero-initialised is none.
struct server {
  char *name; // for servers.sh
  char *uris[SERVER_NODES_MAX];
  uint32_t nuris;
  pid_t pid;                     // of the script that carries out orders
  int orders, answers;           // the ends of its pipes
  char text[SERVER_ANSWER_ROOM]; // answers that were read and not taken
  uint32_t length;
};

// A server as it is known before it is there.
struct server_facts {
  uint32_t nnodes;
  char actions[128]; // that its nodes can be told, with blanks between them
  bool all_nodes;    // clients may speak to all of them
};

// Asks for the facts of a server by its name, or of a kind that none has been
// started of.  -1 with a sentence if there is neither: then a person is wrong.
int server_facts(const char *name, struct server_facts *facts,
                 struct error *error);

// Starts a server of this kind, or takes the one of this name, and waits until
// it answers; `settings` are words NAME=VALUE apart by blanks, by the server's
// own names, or NULL.  -1 with a sentence after the server's own words on
// stderr.  End it with server_end.
int server_begin(struct server *server, const char *kind, const char *settings,
                 struct error *error);

// Stops a server that was started and removes all that it left; of one that was
// there, resumes and starts the nodes that were up.  Of a server that is none,
// nothing.
void server_end(struct server *server);

// A target with all hosts of the server, the primary first; to be freed.
char *server_hosts(const struct server *server);

// Sends an order to act on a node, which is carried out while other orders are;
// "primary" asks for the node that is it, "settle" waits until a node answers.
// False: the script is gone.
bool server_order(struct server *server, uint32_t id, const char *action,
                  uint32_t node);

struct server_answer {
  uint32_t id; // of the order
  bool done;
  char words[256]; // why not, or what was asked for
};
// Waits for the next answer, no longer than until `when` by clock_now.  1:
// there is one; 0: not yet; -1: the script is gone.
int server_next_answer(struct server *server, uint64_t when,
                       struct server_answer *answer);

// Does something to a node of a server, from 0: "pause", "resume"...; waits
// until it has been done.  -1 with a sentence after the script's own on stderr.
int server_act(const char *name, uint32_t node, const char *action,
               struct error *error);

// Replaces this process by the script with these words.  Returns -1 with a
// sentence if that is not possible.
int server_exec(const char *const *words, uint32_t nwords, struct error *error);

#endif
