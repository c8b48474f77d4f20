// SPDX-License-Identifier: GPL-3.0-or-later
// The table of actions (nemesis/actions.h).
#include "config.h"

#include "nemesis/actions.h"

#include <string.h>

const struct fault_action fault_actions[] = {
    {"kill", "crash", "start", true,
     "SIGKILL for all processes of a node; what they wrote stays"},
    {"stop", NULL, "start", true, "a node is stopped as its database wishes"},
    {"start", NULL, NULL, false, "a node that was killed or stopped, again"},
    {"pause", NULL, "resume", true,
     "SIGSTOP for all processes of a node; what is sent to it waits"},
    {"resume", NULL, NULL, false, "a node that was paused goes on"},
    {"detach", NULL, NULL, true,
     "a replica loses its primary and keeps what it has"},
    {"promote", NULL, NULL, true, "a replica becomes a primary"},
    {NULL, NULL, NULL, false, NULL},
};

static bool is_action_word(const char *name, const char *word, size_t length) {
  return name && strlen(name) == length && !strncmp(name, word, length);
}

const struct fault_action *fault_action_find(const char *name, size_t length) {
  for (const struct fault_action *a = fault_actions; a->name; a++)
    if (is_action_word(a->name, name, length) ||
        is_action_word(a->also, name, length))
      return a;
  return NULL;
}
