// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the pictures of a counterexample, and lets Graphviz draw
// (report/pictures.h).
#include "config.h"

#include "report/pictures.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef void putter(FILE *out, const struct example *e, const char *prefix);

static void put_timeline(FILE *out, const struct example *e,
                         const char *prefix) {
  timeline_put_svg(out, e, prefix, true);
}

// Writes the file under another name until it is complete.
static int write_file(const char *path, putter *put, const struct example *e,
                      const char *prefix, struct error *error) {
  char *part = xasprintf("%s.part", path);
  FILE *file = fopen(part, "we");
  int failed = !file;
  if (file) {
    put(file, e, prefix);
    failed = fflush(file) || ferror(file);
    failed = fclose(file) || failed;
    failed = failed || rename(part, path);
  }
  if (failed) {
    error_set(error, "can not write %s: %s", path, strerror(errno));
    unlink(part);
  }
  free(part);
  return failed ? -1 : 0;
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
  char *part = xasprintf("%s.part", svg);
  const bool drawn = is_drawn(dot, part) && !rename(part, svg);
  if (!drawn) {
    unlink(part);
    unlink(svg); // of an earlier report
  }
  free(part);
  return drawn;
}

int pictures_write(const char *directory, unsigned number,
                   const struct example *e, bool *no_graphviz,
                   struct error *error) {
  char *prefix = xasprintf("counterexample-%u", number);
  char *dot = xasprintf("%s/%s.dot", directory, prefix);
  char *svg = xasprintf("%s/%s.svg", directory, prefix);
  char *line = xasprintf("%s/%s-timeline.svg", directory, prefix);
  const int failed = write_file(dot, graph_put_dot, e, prefix, error) ||
                     write_file(line, put_timeline, e, prefix, error);
  if (!failed && !draw(dot, svg))
    *no_graphviz = true;
  free(prefix);
  free(dot);
  free(svg);
  free(line);
  return failed ? -1 : 0;
}
