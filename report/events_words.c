// SPDX-License-Identifier: GPL-3.0-or-later
// Tells of faults (report/events_words.h).
#include "config.h"

#include "report/events_words.h"

#include "report/words/quantity.h"

#include <inttypes.h>
#include <string.h>

enum { EVENTS_TOLD = 6 }; // the rest is counted

static void say_event(FILE *out, const struct event *event) {
  fprintf(out, "%s %s after %.1f s", event->action, event->nodes,
          quantity_seconds(event->begin));
  if (!event->done)
    fprintf(out, ", in vain%s%s%s", event->words[0] ? " (" : "", event->words,
            event->words[0] ? ")" : "");
}

bool events_say(const struct report *report, char *text, size_t bytes) {
  *text = '\0';
  if (!report->nevents)
    return false;
  text[bytes - 1] = '\0'; // of words that fill it
  FILE *out = fmemopen(text, bytes - 1, "w");
  if (!out)
    return false;
  for (uint32_t i = 0; i < report->nevents && i < EVENTS_TOLD; i++) {
    fputs(i ? ", " : "", out);
    say_event(out, &report->events[i]);
  }
  if (report->nevents > EVENTS_TOLD)
    fprintf(out, ", and %" PRIu32 " more", report->nevents - EVENTS_TOLD);
  fclose(out);
  return true;
}
