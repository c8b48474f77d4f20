// SPDX-License-Identifier: GPL-3.0-or-later
// Where an exploration goes on.  A task is a path of choices from the beginning
// of a program; all that lies below its end is to be explored.  The choices of
// a program are the same in every process, so that a task can be given to
// another thread, or be written down and taken up later.
#ifndef EXPLORE_TASK_H
#define EXPLORE_TASK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// A read chooses its writer.  Behind a commit that wrote something a swap is
// chosen, by the number of its read, or none.  The depth-first baseline chooses
// transactions.
enum { CHOICE_EXTEND = 1 << 30 };
// Only as the last choice: all swaps from this read on.
#define CHOICE_SWAPS_FROM UINT32_C(0x80000000)

struct explore_task {
  uint32_t n;
  uint32_t
      kind; // of a cut: those of one kind may have about as much below them
  uint32_t *choices;
};

struct tasks {
  struct explore_task *all;
  uint32_t n, room;
};

// Zero-initialised is ready to use.
void tasks_free(struct tasks *tasks);
// Adds a copy of the path, with one more choice at its end if `last` is not
// CHOICE_NONE.
enum { CHOICE_NONE = CHOICE_EXTEND + 1 };
void tasks_add(struct tasks *tasks, const uint32_t *path, uint32_t n,
               uint32_t last);
// Moves all tasks of `from` to the end of `to`.
void tasks_move(struct tasks *to, struct tasks *from);
// Takes the last one out; false if there is none.  Free its choices.
bool tasks_take(struct tasks *tasks, struct explore_task *task);

// A task as one line of text, and back: false if it is none.
void task_put(FILE *out, const struct explore_task *task);
bool tasks_read(struct tasks *tasks, const char *line);

#endif
