// SPDX-License-Identifier: GPL-3.0-or-later
// Notes events (recorder/events.h).
#include "config.h"

#include "recorder/events.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void event_log_init(struct event_log *log) {
  *log = (struct event_log){0};
  pthread_mutex_init(&log->mutex, NULL);
}

void event_log_fini(struct event_log *log) {
  pthread_mutex_destroy(&log->mutex);
  free(log->events);
}

uint32_t event_log_begin(struct event_log *log, const struct event *event) {
  pthread_mutex_lock(&log->mutex);
  ARRAY_RESERVE(log->events, log->nevents, log->room);
  const uint32_t number = log->nevents++;
  log->events[number] = *event;
  log->events[number].end = EVENT_OPEN;
  pthread_mutex_unlock(&log->mutex);
  return number;
}

void event_log_end(struct event_log *log, uint32_t number, uint64_t end,
                   const char *words) {
  pthread_mutex_lock(&log->mutex);
  assert(number < log->nevents);
  struct event *event = &log->events[number];
  event->end = end;
  event->done = !words;
  snprintf(event->words, sizeof event->words, "%s", words ? words : "");
  pthread_mutex_unlock(&log->mutex);
}

uint32_t events_count_harm(const struct event *events, uint32_t nevents) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < nevents; i++)
    count += events[i].harms && events[i].done;
  return count;
}
