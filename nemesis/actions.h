// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on the nodes of a database while it is used.
#ifndef NEMESIS_ACTIONS_H
#define NEMESIS_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct fault_action {
  const char *name;
  const char *also;    // another name that is understood; NULL: none
  const char *counter; // the action that takes it back; NULL: nothing does
  bool harms;          // the database; else harm is taken back
  const char *summary; // for people
};

// The table; ends with a NULL name.
extern const struct fault_action fault_actions[];

// The action of this name, whose length is given; NULL: there is none.
const struct fault_action *fault_action_find(const char *name, size_t length);

#endif
