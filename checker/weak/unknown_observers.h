// SPDX-License-Identifier: GPL-3.0-or-later
// What causal consistency demands (checker/weak/saturate.h) of those that have
// observed transactions which stand apart: these lead nobody in their session,
// since their outcome is unknown, though something comes after them there.  No
// clock counts them.  But who has observed one has read from it, directly or
// through others that stand apart, or has observed a member of some session
// that did.
#ifndef CHECKER_WEAK_UNKNOWN_OBSERVERS_H
#define CHECKER_WEAK_UNKNOWN_OBSERVERS_H

#include "checker/weak/saturation.h"

struct apart {
  struct saturation *s;
  const uint32_t *session_of; // per transaction; NO_ID: stands apart
  const uint32_t *clocks;     // per transaction and session at hand: how many
                              // of that it has observed, itself included
  uint32_t first, end;        // sessions at hand

  // Members of sessions that read from one that stands apart, by session and in
  // session order; and per session the first that the reading session at hand
  // has not observed yet.
  struct sight {
    uint32_t reader, writer;
  } * sights;
  uint32_t nsights, sights_room, *sight_first, *sight_at;

  // Per transaction: the last search that met it.  They are numbered; that of
  // the reading session at hand goes on from member to member.
  uint32_t *met, now, session;
  uint32_t *queue, nqueue;          // those that stand apart and were met last
  uint32_t *seen, nseen, seen_room; // by the one that was looked at last

  // Readers that stand apart have their turn right behind the last member of
  // the sessions at hand that they have observed, which has observed most of
  // what they had.  Per transaction: its place in the order, the first that has
  // its turn behind it (and one more, of those that have observed none), and
  // the next that has it behind the same.
  uint32_t *place, *first_behind, *next_behind;

  // Per key: the writes that the reading session has observed since it last
  // read the key, and what it read then, which all others come before; and of
  // which member it knows that.
  uint32_t *pending_first;
  struct pending {
    uint32_t write, by, next;
  } * pending;
  uint32_t npending, pending_room;
};

// False if none stand apart: then nothing else is to be called.  What is given
// is kept.
bool apart_open(struct apart *apart, struct saturation *s,
                const uint32_t *session_of, const uint32_t *clocks);
void apart_close(struct apart *apart);

// Others are at hand.  What counts is placed next, once its clock is set, in an
// order that has all behind what they observed.
void apart_begin(struct apart *apart, uint32_t first, uint32_t end);
void apart_place(struct apart *apart, uint32_t t, uint32_t place);

// The members of another session follow, all that count, in session order, and
// behind each of them those that have their turn.
void apart_begin_session(struct apart *apart);
void apart_observe(struct apart *apart, uint32_t t);

// Demands of that one, which is the reader at hand.
void apart_demand(struct apart *apart, uint32_t t);

#endif
