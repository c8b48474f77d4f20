// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the pictures of a counterexample, and lets Graphviz draw
// (report/pictures.h).
#include "config.h"

#include "report/pictures.h"

#include "base/memory.h"
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

// Lets Graphviz draw; false if there is none, or it fails.  What it has to say
// is not shown.
static bool is_drawn(char *dot, char *svg) {
  char *const words[] = {
      (char[]){"dot"}, (char[]){"-Tsvg"}, (char[]){"-o"}, svg, dot, NULL};
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int status = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  const int failed = posix_spawnp(&pid, "dot", &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (!failed)
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      continue;
  return status == 0;
}

static bool draw(char *dot, const char *svg) {
  struct whole_file file;
  whole_file_start(&file, svg);
  const bool drawn = !whole_file_end(&file, is_drawn(dot, file.place));
  if (!drawn)
    unlink(svg); // of an earlier report
  return drawn;
}

int pictures_write(const char *directory, unsigned number,
                   const struct example *e, bool *no_graphviz,
                   struct error *error) {
  char *prefix = xasprintf("counterexample-%u", number);
  char *dot = xasprintf("%s/%s.dot", directory, prefix);
  char *svg = xasprintf("%s/%s.svg", directory, prefix);
  char *line = xasprintf("%s/%s-timeline.svg", directory, prefix);
  const struct picture picture = {e, prefix};
  const int failed = whole_file_write(dot, put_graph, &picture, error) ||
                     whole_file_write(line, put_timeline, &picture, error);
  if (!failed && !draw(dot, svg))
    *no_graphviz = true;
  free(prefix);
  free(dot);
  free(svg);
  free(line);
  return failed ? -1 : 0;
}
