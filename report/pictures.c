// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the pictures of a counterexample, and lets Graphviz draw
// (report/pictures.h).
#include "config.h"

#include "report/pictures.h"

#include "base/memory.h"
#include "base/stop.h"
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// The arguments of the writers of pictures.
struct picture {
  const struct example *example;
  const char *prefix; // of the names in it
};

static void put_graph(FILE *out, const void *context) {
  const struct picture *picture = context;
  graph_put_dot(out, picture->example, picture->prefix);
}

static void put_timeline(FILE *out, const void *context) {
  const struct picture *picture = context;
  timeline_put_svg(out, picture->example, picture->prefix, true);
}

// The status of the child, which is ended once `stop` is set.
static int wait_for(pid_t pid, const volatile bool *stop) {
  static const struct timespec moment = {.tv_nsec = 1000000};
  int status = -1;
  pid_t ended;
  while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && !stop_is_set(stop))
    nanosleep(&moment, NULL);
  if (ended != 0)
    return ended < 0 ? -1 : status;
  kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return -1;
}

// Lets Graphviz draw; false if there is none, or it fails.  What it has to say
// is not shown.
static bool is_drawn(char *dot, char *svg, const volatile bool *stop) {
  char *const words[] = {
      (char[]){"dot"}, (char[]){"-Tsvg"}, (char[]){"-o"}, svg, dot, NULL};
  posix_spawn_file_actions_t actions;
  pid_t pid;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  const int failed = posix_spawnp(&pid, "dot", &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return !failed && wait_for(pid, stop) == 0;
}

static bool draw(char *dot, const char *svg, const volatile bool *stop) {
  struct whole_file file;
  whole_file_start(&file, svg);
  const bool drawn = !whole_file_end(
      &file, !stop_is_set(stop) && is_drawn(dot, file.place, stop));
  if (!drawn)
    unlink(svg); // of an earlier report
  return drawn;
}

int pictures_write(const char *directory, unsigned number,
                   const struct example *e, const volatile bool *stop,
                   enum undrawn *undrawn, struct error *error) {
  char *prefix = xasprintf("counterexample-%u", number);
  char *dot = xasprintf("%s/%s.dot", directory, prefix);
  char *svg = xasprintf("%s/%s.svg", directory, prefix);
  char *line = xasprintf("%s/%s-timeline.svg", directory, prefix);
  const struct picture picture = {e, prefix};
  const bool has_room = picture_has_room(e);
  const int failed =
      whole_file_write(dot, put_graph, &picture, error) ||
      (has_room && whole_file_write(line, put_timeline, &picture, error));
  if (!has_room) { // of an earlier report
    unlink(svg);
    unlink(line);
  } else if (!failed && !draw(dot, svg, stop))
    *undrawn = stop_is_set(stop) ? UNDRAWN_STOPPED : UNDRAWN_NO_GRAPHVIZ;
  free(prefix);
  free(dot);
  free(svg);
  free(line);
  return failed ? -1 : 0;
}
