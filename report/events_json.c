// SPDX-License-Identifier: GPL-3.0-or-later
// Writes events as JSON (report/events_json.h).
#include "config.h"

#include "report/events_json.h"

#include "report/words/keys.h"

static void put_event_json(struct json *json, const struct event *event) {
  json_put_object(json, NULL);
  json_put_string(json, KEY(action), event->action);
  json_put_string(json, KEY(nodes), event->nodes);
  json_put_bool(json, KEY(harms), event->harms);
  json_put_bool(json, KEY(done), event->done);
  json_put_unsigned(json, KEY(begin_ns), event->begin);
  if (event->end != EVENT_OPEN)
    json_put_unsigned(json, KEY(end_ns), event->end);
  if (event->words[0])
    json_put_string(json, KEY(why), event->words);
  json_close(json, '}');
}

void events_put_json(struct json *json, const struct report *report) {
  json_put_array(json, KEY(events));
  for (uint32_t i = 0; i < report->nevents; i++)
    put_event_json(json, &report->events[i]);
  json_close(json, ']');
}
