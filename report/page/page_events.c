// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of a run on its page (report/page/page_events.h).
#include "config.h"

#include "report/page/page_events.h"

#include "base/utf8.h"
#include "report/words/keys.h"

#include <stdlib.h>
#include <string.h>

// Bit i: node i, of "0,2".
static uint32_t nodes_of_event(const struct json_value *event) {
  const char *text = json_text(event, KEY(nodes), "");
  uint32_t nodes = 0;
  while (*text) {
    char *rest;
    const unsigned long node = strtoul(text, &rest, 10);
    if (rest != text && node < 32)
      nodes |= 1u << node;
    text = *rest ? rest + 1 : rest;
  }
  return nodes;
}

// These are over at once.
static bool is_momentary(const struct json_value *event) {
  const char *action = json_text(event, KEY(action), "");
  return !strcmp(action, "promote") || !strcmp(action, "detach");
}

static double seconds_of_event(const struct json_value *event, const char *key,
                               double otherwise) {
  return json_member(event, key) ? json_real(event, key, 0) / 1e9 : otherwise;
}

// The end of the first later event that takes harm back from one of the nodes.
static double end_of_harm(const struct json_value *event, double elapsed) {
  const uint32_t nodes = nodes_of_event(event);
  if (is_momentary(event))
    return seconds_of_event(event, KEY(end_ns), elapsed);
  for (const struct json_value *v = event->next; v; v = v->next)
    if (!json_is_true(v, KEY(harms)) && json_is_true(v, KEY(done)) &&
        nodes_of_event(v) & nodes)
      return seconds_of_event(v, KEY(end_ns), elapsed);
  return elapsed;
}

uint32_t page_bands(const struct json_value *run, double elapsed,
                    struct arena *arena, const struct plot_band **bands) {
  struct plot_band *list =
      arena_take(arena, (json_count(run, KEY(events)) + 1) * sizeof *list);
  const struct json_value *v = json_first(run, KEY(events));
  uint32_t n = 0;
  for (; v; v = v->next) {
    const double from = seconds_of_event(v, KEY(begin_ns), 0);
    const double to = end_of_harm(v, elapsed);
    if (json_is_true(v, KEY(harms)) && json_is_true(v, KEY(done)) &&
        from < elapsed)
      list[n++] = (struct plot_band){
          .from = from,
          .to = to < elapsed ? to : elapsed,
          .name = arena_printf(arena, "%s %s", json_text(v, KEY(action), ""),
                               json_text(v, KEY(nodes), "")),
      };
  }
  *bands = list;
  return n;
}

static void put_event_item(FILE *out, const struct json_value *event) {
  const double from = seconds_of_event(event, KEY(begin_ns), 0);
  const double to = seconds_of_event(event, KEY(end_ns), -1);
  fprintf(out, "<li>%.3f s: ", from);
  put_markup(out, json_text(event, KEY(action), ""));
  fputs(" ", out);
  put_markup(out, json_text(event, KEY(nodes), ""));
  if (to >= 0)
    fprintf(out, ", within %.0f ms", (to - from) * 1e3);
  if (!json_is_true(event, KEY(done))) {
    fputs(", in vain: ", out);
    put_markup(out, json_text(event, KEY(why), "it did not end"));
  }
  fputs("</li>\n", out);
}

void page_put_events(FILE *out, const struct json_value *run) {
  const struct json_value *v = json_first(run, KEY(events));
  if (!v)
    return;
  fputs(
      "<p>Faults of nodes while the run went on, each within the time that is "
      "given; the bands above show how long they lasted.</p>\n<ul "
      "class=\"faults\">\n",
      out);
  for (; v; v = v->next)
    put_event_item(out, v);
  fputs("</ul>\n", out);
}
