// SPDX-License-Identifier: GPL-3.0-or-later
// Notes events (recorder/events.h).
#include "config.h"

#include "recorder/events.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 1000000 }; // of a file

void event_log_init(struct event_log *log) {
  *log = (struct event_log){0};
  pthread_mutex_init(&log->mutex, NULL);
}

void event_log_fini(struct event_log *log) {
  pthread_mutex_destroy(&log->mutex);
  free(log->events);
}

void event_log_follow(struct event_log *log, uint64_t start,
                      void (*keep)(void *, uint32_t, const struct event *),
                      void *keeper) {
  pthread_mutex_lock(&log->mutex);
  log->start = start;
  log->keep = keep;
  log->keeper = keeper;
  pthread_mutex_unlock(&log->mutex);
}

void event_log_leave(struct event_log *log) {
  pthread_mutex_lock(&log->mutex);
  log->keep = NULL;
  pthread_mutex_unlock(&log->mutex);
}

static void keep_event(const struct event_log *log, uint32_t number) {
  if (log->keep)
    log->keep(log->keeper, number, &log->events[number]);
}

uint32_t event_log_begin(struct event_log *log, const struct event *event) {
  pthread_mutex_lock(&log->mutex);
  ARRAY_RESERVE(log->events, log->nevents, log->room);
  const uint32_t number = log->nevents++;
  log->events[number] = *event;
  log->events[number].end = EVENT_OPEN;
  keep_event(log, number);
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
  keep_event(log, number);
  pthread_mutex_unlock(&log->mutex);
}

// "event NUMBER BEGIN END ACTION harm|heal done|not NODES WORDS", with "-" for
// an end and for nodes that are not there.
char *event_write(uint32_t number, const struct event *event) {
  char end[24] = "-";
  if (event->end != EVENT_OPEN)
    snprintf(end, sizeof end, "%" PRIu64, event->end);
  return xasprintf("event %" PRIu32 " %" PRIu64 " %s %s %s %s %s %s\n", number,
                   event->begin, end, event->action,
                   event->harms ? "harm" : "heal", event->done ? "done" : "not",
                   event->nodes[0] ? event->nodes : "-", event->words);
}

static bool take_event_line(const char *line, uint32_t *number,
                            struct event *event) {
  char end[24], harms[8], done[8];
  int words = 0;
  if (sscanf(line, "event %9" SCNu32 " %" SCNu64 " %23s %15s %7s %7s %63s %n",
             number, &event->begin, end, event->action, harms, done,
             event->nodes, &words) != 7)
    return false;
  event->end = strcmp(end, "-") != 0 ? strtoull(end, NULL, 10) : EVENT_OPEN;
  event->harms = !strcmp(harms, "harm");
  event->done = !strcmp(done, "done");
  if (!strcmp(event->nodes, "-"))
    event->nodes[0] = '\0';
  snprintf(event->words, sizeof event->words, "%.*s",
           (int)strcspn(line + words, "\n"), line + words);
  return true;
}

void event_read(const char *line, struct event **events, uint32_t *nevents) {
  struct event event = {0};
  uint32_t number;
  if (!take_event_line(line, &number, &event) || number > *nevents ||
      number >= EVENTS_MAX)
    return;
  if (number == *nevents)
    *events = xrealloc(*events, (size_t)++ * nevents, sizeof **events);
  (*events)[number] = event;
}

uint32_t events_count_harm(const struct event *events, uint32_t nevents) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < nevents; i++)
    count += events[i].harms && events[i].done;
  return count;
}
