// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes schedules (nemesis/schedule.h).
#include "config.h"

#include "nemesis/schedule.h"

#include "base/memory.h"
#include "base/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// A part of a text, without blanks around it.
struct piece {
  const char *text;
  size_t length;
};

static struct piece trim(const char *text, size_t length) {
  while (length && isspace((unsigned char)*text))
    text++, length--;
  while (length && isspace((unsigned char)text[length - 1]))
    length--;
  return (struct piece){text, length};
}

// Takes the first word away from the piece.
static struct piece take_piece(struct piece *piece) {
  size_t n = 0;
  while (n < piece->length && !isspace((unsigned char)piece->text[n]))
    n++;
  const struct piece word = {piece->text, n};
  *piece = trim(piece->text + n, piece->length - n);
  return word;
}

// Can nodes be told the action?
static bool scene_allows(const struct fault_scene *scene, const char *action) {
  const size_t n = strlen(action);
  for (const char *p = scene->actions; (p = strstr(p, action)); p += n)
    if ((p == scene->actions || p[-1] == ' ') && (!p[n] || p[n] == ' '))
      return true;
  return false;
}

int schedule_add(struct fault_schedule *schedule, const struct fault *fault,
                 const struct fault_scene *scene, struct error *error) {
  char time[UNITS_TEXT], end[UNITS_TEXT];
  if (!scene_allows(scene, fault->action->name))
    return error_set_usage(error, "a node of %s cannot be told to %s",
                           scene->server, fault->action->name);
  if (scene->duration && fault->at >= scene->duration) {
    units_write_time(fault->at, time);
    units_write_time(scene->duration, end);
    return error_set_usage(error,
                           "%s is due after %s, and the run ends after %s: "
                           "give it a longer time, or the fault an earlier one",
                           fault->action->name, time, end);
  }
  ARRAY_RESERVE(schedule->faults, schedule->nfaults, schedule->room);
  schedule->faults[schedule->nfaults++] = *fault;
  return 0;
}

static int refuse_action(struct piece name, struct error *error) {
  char *names;
  size_t bytes;
  FILE *file = text_stream(&names, &bytes);
  for (const struct fault_action *a = fault_actions; a->name; a++)
    fprintf(file, "%s%s", a == fault_actions ? "" : ", ", a->name);
  fclose(file);
  error_set_usage(error, "there is no action \"%.*s\"; there are %s",
                  (int)name.length, name.text, names);
  free(names);
  return -1;
}

static int read_fault_time(struct piece word, uint64_t before, uint64_t *at,
                           struct error *error) {
  char text[UNITS_TEXT] = "";
  const bool absolute = word.length && *word.text == '@';
  double ns;
  if (word.length - absolute < sizeof text)
    memcpy(text, word.text + absolute, word.length - absolute);
  if (!units_read_time(text, &ns) || ns > 1e17)
    return error_set_usage(error,
                           "\"%.*s\" is no time: write TIME ACTION NODES, such "
                           "as 2 kill 0, or @5s kill one",
                           (int)word.length, word.text);
  *at = (absolute ? 0 : before) + (uint64_t)ns;
  return absolute && *at < before
             ? error_set_usage(error,
                               "\"%.*s\" is before the time of the action "
                               "before it",
                               (int)word.length, word.text)
             : 0;
}

static int read_fault(struct fault_schedule *schedule, struct piece piece,
                      const struct fault_scene *scene, struct node_draw *draw,
                      struct error *error) {
  const uint32_t n = schedule->nfaults;
  struct fault fault = {0};
  const struct piece time = take_piece(&piece);
  if (read_fault_time(time, n ? schedule->faults[n - 1].at : 0, &fault.at,
                      error))
    return -1;
  const struct piece name = take_piece(&piece);
  fault.action = fault_action_find(name.text, name.length);
  if (!fault.action)
    return refuse_action(name, error);
  if (!piece.length)
    return error_set_usage(error,
                           "%s has no nodes: write %s 0, %s one, or "
                           "%s all",
                           fault.action->name, fault.action->name,
                           fault.action->name, fault.action->name);
  return node_set_read(&fault.nodes, piece.text, piece.length, scene, draw,
                       error) ||
                 schedule_add(schedule, &fault, scene, error)
             ? -1
             : 0;
}

int schedule_read(struct fault_schedule *schedule, const char *text,
                  const struct fault_scene *scene, struct error *error) {
  struct node_draw *draw = node_draw_new(scene);
  int failed = 0;
  while (!failed && *text) {
    const size_t n = strcspn(text, ";");
    const struct piece piece = trim(text, n);
    if (piece.length)
      failed = read_fault(schedule, piece, scene, draw, error);
    text += n + (text[n] == ';');
  }
  node_draw_free(draw);
  return !failed && !schedule->nfaults
             ? error_set_usage(error, "there is no action in it: write TIME "
                                      "ACTION NODES, such as 2 kill 0")
             : failed;
}

void schedule_free(struct fault_schedule *schedule) {
  free(schedule->faults);
  *schedule = (struct fault_schedule){0};
}

void schedule_write(FILE *file, const struct fault_schedule *schedule) {
  for (uint32_t i = 0; i < schedule->nfaults; i++) {
    const struct fault *fault = &schedule->faults[i];
    char time[UNITS_TEXT], nodes[NODE_SET_ROOM];
    units_write_time(fault->at, time);
    node_set_write(&fault->nodes, nodes);
    fprintf(file, "@%s %s %s%s\n", time, fault->action->name, nodes,
            i + 1 < schedule->nfaults ? ";" : "");
  }
}
