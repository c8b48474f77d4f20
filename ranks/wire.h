// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between ranks: a kind, a length and bytes, over a socket.
#ifndef RANKS_WIRE_H
#define RANKS_WIRE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

enum wire_kind {
  WIRE_HELLO = 1, // a rank says who it is
  WIRE_WELCOME,   // rank 0 takes it
  WIRE_REFUSAL,   // rank 0 does not: a sentence
  WIRE_TEXT,      // of what all ranks do together
  WIRE_PING,      // to rank 0
  WIRE_PONG,      // its clock
  WIRE_BEAT,      // how far a rank is
  WIRE_OTHERS,    // how far all are
  WIRE_STOP,      // the run is to stop
  WIRE_DONE,      // the sessions of the rank have ended
  WIRE_OVER,      // those of all have
};

struct wire_message {
  enum wire_kind kind;
  char *bytes; // owned, with a zero byte behind
  size_t n;
};
void wire_message_free(struct wire_message *message);

// -1 with errno if the other side is gone.
int wire_send(int socket, enum wire_kind kind, const void *bytes, size_t n);

// Waits for a message, or until the flag, which may be NULL, is set.  -1 with
// errno: ECONNRESET if the other side is gone, EINTR by the flag, EPROTO if it
// sent no message.  Free the message in both cases.
int wire_receive(int socket, const volatile sig_atomic_t *stop,
                 struct wire_message *message);

#endif
