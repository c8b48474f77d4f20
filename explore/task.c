// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of tasks (explore/task.h).
#include "config.h"

#include "explore/task.h"

#include "base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void tasks_free(struct tasks *tasks) {
  for (uint32_t i = 0; i < tasks->n; i++)
    free(tasks->all[i].choices);
  free(tasks->all);
  *tasks = (struct tasks){0};
}

static void add_task(struct tasks *tasks, struct explore_task task) {
  ARRAY_RESERVE(tasks->all, tasks->n, tasks->room);
  tasks->all[tasks->n++] = task;
}

void tasks_add(struct tasks *tasks, const uint32_t *path, uint32_t n,
               uint32_t last) {
  struct explore_task task = {.n = n,
                              .choices = xcalloc(n + 1u, sizeof *task.choices)};
  if (n)
    memcpy(task.choices, path, n * sizeof *path);
  if (last != CHOICE_NONE)
    task.choices[task.n++] = last;
  add_task(tasks, task);
}

void tasks_move(struct tasks *to, struct tasks *from) {
  for (uint32_t i = 0; i < from->n; i++)
    add_task(to, from->all[i]);
  from->n = 0;
}

bool tasks_take(struct tasks *tasks, struct explore_task *task) {
  if (!tasks->n)
    return false;
  *task = tasks->all[--tasks->n];
  return true;
}

// ---- As text: numbers; + is CHOICE_EXTEND, a number behind > is all swaps
// from there on.

void task_put(FILE *out, const struct explore_task *task) {
  for (uint32_t i = 0; i < task->n; i++) {
    const uint32_t c = task->choices[i];
    if (c == CHOICE_EXTEND)
      fputs(" +", out);
    else
      fprintf(out, c & CHOICE_SWAPS_FROM ? " >%" PRIu32 : " %" PRIu32,
              c & ~CHOICE_SWAPS_FROM);
  }
  fputc('\n', out);
}

bool tasks_read(struct tasks *tasks, const char *line) {
  uint32_t n = 0;
  uint32_t *choices = xcalloc(strlen(line) / 2 + 1, sizeof *choices);
  bool ok = true, ends = false;
  while (ok && *line == ' ') {
    const bool is_from = line[1] == '>';
    char *end = NULL;
    line += 1 + is_from;
    ok = !ends && (isdigit((unsigned char)*line) || (*line == '+' && !is_from));
    unsigned long c = CHOICE_EXTEND;
    if (*line == '+')
      line++;
    else if (ok) {
      c = strtoul(line, &end, 10);
      ok = c < CHOICE_EXTEND;
      line = end;
    }
    choices[n++] = (uint32_t)c | (is_from ? CHOICE_SWAPS_FROM : 0);
    ends = is_from;
  }
  ok &= !*line;
  if (ok)
    tasks_add(tasks, choices, n, CHOICE_NONE);
  free(choices);
  return ok;
}
