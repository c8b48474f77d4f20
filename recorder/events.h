// SPDX-License-Identifier: GPL-3.0-or-later
// Deeds done to a database while sessions used it: nodes killed, paused, cut
// off.  A history keeps it beside its transactions; no verdict depends on it.
#ifndef RECORDER_EVENTS_H
#define RECORDER_EVENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  EVENT_ACTION_ROOM = 16,
  EVENT_NODES_ROOM = 64,
  EVENT_WORDS_ROOM = 256,
};
#define EVENT_OPEN UINT64_MAX // the end of an event that has not ended

struct event {
  uint64_t begin, end; // ns since the start of the run; what was done took
                       // effect between them
  bool harms;          // the database; else harm is taken back: "start", "heal"
  bool done;           // it took place
  char action[EVENT_ACTION_ROOM]; // "kill"
  char nodes[EVENT_NODES_ROOM];   // "0,2", "0|1,2"; empty: of no node
  char words[EVENT_WORDS_ROOM];   // why it did not take place, or empty
};

// Events while they happen.  One thread adds them, others may look.
struct event_log {
  pthread_mutex_t mutex;
  uint64_t start; // by clock_now, of which events are told so many ns later; 0:
                  // the log has none yet
  // Called with each event when it begins and when it ends; NULL: nobody asks.
  void (*keep)(void *keeper, uint32_t number, const struct event *event);
  void *keeper;
  struct event *events; // by their begin
  uint32_t nevents, room;
};

void event_log_init(struct event_log *log);
void event_log_fini(struct event_log *log);

// The time 0 of the events is `start`, and somebody keeps them from now on.
void event_log_follow(struct event_log *log, uint64_t start,
                      void (*keep)(void *keeper, uint32_t number,
                                   const struct event *event),
                      void *keeper);
// Nobody does any more.
void event_log_leave(struct event_log *log);

// An event begins: its number.  `event` has no end yet.
uint32_t event_log_begin(struct event_log *log, const struct event *event);
// It has ended at `end`, ns since the start of the run; `words` NULL: it took
// place.
void event_log_end(struct event_log *log, uint32_t number, uint64_t end,
                   const char *words);

// An event as one line of text; `number` tells it from others.  To be freed.
char *event_write(uint32_t number, const struct event *event);
// Reads such a line and puts the event at its number, in place of what was
// there; other lines are passed over.
void event_read(const char *line, struct event **events, uint32_t *nevents);

// How many events harmed the database.
uint32_t events_count_harm(const struct event *events, uint32_t nevents);

#endif
