// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that are started as drivers (drivers/drivers.h).  As shared
// objects stay loaded, commands stay started until the program ends: a virtual
// machine is started once for a table of runs.
#include "config.h"

#include "drivers/drivers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "drivers/pipe/pipe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// How long processes have to end by themselves.
#define LAST_PATIENCE NS_PER_SECOND

// All that are started; the loader of the system has the like of it.
static struct {
  pthread_mutex_t mutex;
  struct pipe *first;
  pid_t owner; // who started them: a process that it forked ends none
} started = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static bool keeps_all_options(const char *name) {
  (void)name;
  return true;
}

static void write_log(const struct driver *driver, FILE *out) {
  pipe_chatter_write(&((struct pipe *)(uintptr_t)driver)->command, out);
}

static void fill_driver(struct pipe *pipe) {
  pipe->example = xasprintf("%s:", pipe->hello.name);
  pipe->summary = xasprintf("the command %s, by a pipe", pipe->command.name);
  pipe->base = (struct driver){
      .abi = DRIVER_ABI,
      .name = pipe->hello.name,
      .summary = pipe->summary,
      .example = pipe->example,
      .levels = pipe->hello.levels,
      .started_by = pipe->text,
      .log = write_log,
      .knows_option = keeps_all_options,
      .open = pipe_target_open,
      .close = pipe_target_close,
      .over = pipe_target_over,
      .setup = pipe_setup,
      .describe = pipe_describe,
      .connect = pipe_connect,
      .disconnect = pipe_disconnect,
  };
  pipe_fill_verbs(pipe);
  if (!pipe->hello.sql.is)
    return;
  pipe->base.options =
      pipe_sql_options[pipe->hello.sql.effects == EFFECTS_READ];
  pipe_fill_sql(pipe);
}

static void free_pipe(struct pipe *pipe) {
  hello_free(&pipe->hello);
  pipe_command_free(&pipe->command);
  pthread_mutex_destroy(&pipe->mutex);
  FREE_EACH(pipe->text, pipe->example, pipe->summary, pipe);
}

static struct pipe *start_command(const char *command, uint64_t patience,
                                  struct error *error) {
  struct pipe *pipe = xcalloc(1, sizeof *pipe);
  pipe->text = xstrdup(command);
  pipe_command_init(&pipe->command, pipe->text, patience);
  pthread_mutex_init(&pipe->mutex, NULL);
  struct process *first = pipe_greet(pipe, &pipe->hello, error);
  if (!first) {
    free_pipe(pipe);
    return NULL;
  }
  if (pipe->hello.many)
    pipe->many = first;
  else
    pipe->idle[pipe->nidle++] = first;
  fill_driver(pipe);
  return pipe;
}

// All are told before one is waited for.
static void stop_all(void) {
  if (getpid() != started.owner)
    return;
  for (struct pipe *p = started.first; p; p = p->next) {
    if (p->many)
      process_end_input(p->many);
    for (uint32_t i = 0; i < p->nidle; i++)
      process_end_input(p->idle[i]);
  }
  const uint64_t when = clock_now() + LAST_PATIENCE;
  for (struct pipe *p = started.first, *next; p; p = next) {
    next = p->next;
    for (struct process *one = p->many, *before; one; one = before) {
      before = one->before;
      process_stop(one, when);
    }
    for (uint32_t i = 0; i < p->nidle; i++)
      process_stop(p->idle[i], when);
    free_pipe(p);
  }
  started.first = NULL;
}

const struct driver *driver_start(const char *command, uint64_t patience,
                                  struct error *error) {
  if (!command[strspn(command, " \t\n")]) {
    error_set_usage(error, "the driver is an empty command");
    return NULL;
  }
  pthread_mutex_lock(&started.mutex);
  struct pipe *pipe = started.first;
  while (pipe && (strcmp(pipe->text, command) != 0 || pipe->command.broken))
    pipe = pipe->next;
  if (!pipe && (pipe = start_command(command, patience, error))) {
    if (!started.first)
      atexit(stop_all);
    started.owner = getpid();
    pipe->next = started.first;
    started.first = pipe;
  }
  pthread_mutex_unlock(&started.mutex);
  return pipe ? &pipe->base : NULL;
}
