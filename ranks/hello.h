// SPDX-License-Identifier: GPL-3.0-or-later
// The first words of a rank to rank 0, and how it finds rank 0.
#ifndef RANKS_HELLO_H
#define RANKS_HELLO_H

#include "ranks/parts.h"

#include <netdb.h>

struct rank_hello {
  char token[RANKS_TOKEN + 1];
  char version[64];
  uint32_t rank, n;
};

// The addresses of HOST:PORT, to be freed with freeaddrinfo; NULL with a
// sentence.
struct addrinfo *place_find(const char *place, struct error *error);

enum hello_is { HELLO_KNOWN, HELLO_OTHER_VERSION, HELLO_STRANGE };

// Waits for it for so many milliseconds.
enum hello_is hello_receive(int socket, const char *token, int milliseconds,
                            struct rank_hello *hello);

// Connects this rank to rank 0, at one of the places, a line each, within the
// patience, and waits there until all have come.  -1 with a sentence.
int hello_say(struct ranks *ranks, const char *places, const char *token,
              uint64_t patience, struct error *error);

#endif
