// SPDX-License-Identifier: GPL-3.0-or-later
// Runs programs of the user's and speaks with them (own/program.h).
#include "config.h"

#include "own/program.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
  GLANCE_MS = 100, // between looks at whether the run is to stop
  LINE_MOST = 16 << 20,
  ENDING_GLANCES = 20, // before a program is killed that does not end
};

struct raw_program {
  char *name; // "the program ./app.py of session 3"
  uint64_t patience;
  pid_t pid;
  int to, from;
  char *line; // what was read
  size_t used, room, taken;
  struct arena arena; // of the message
};

bool raw_program_is(const char *path) {
  char begin[4] = {0};
  struct stat is;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const bool executable =
      file >= 0 && !fstat(file, &is) && S_ISREG(is.st_mode) &&
      (is.st_mode & 0111) && read(file, begin, sizeof begin) == sizeof begin &&
      (!memcmp(begin, "#!", 2) || !memcmp(begin, "\177ELF", 4));
  if (file >= 0)
    close(file);
  return executable;
}

// ---- Its process

// The program's own variables behind those that are there.
static char **make_environment(uint32_t session, uint64_t seed) {
  size_t n = 0;
  while (environ[n])
    n++;
  char **all = xcalloc(n + 3, sizeof *all);
  memcpy(all, environ, n * sizeof *all);
  all[n] = xasprintf("ISOSTRESS_SESSION=%u", session);
  all[n + 1] = xasprintf("ISOSTRESS_SEED=%llu", (unsigned long long)seed);
  return all;
}

static void free_environment(char **all) {
  size_t n = 0;
  while (all[n])
    n++;
  FREE_EACH(all[n - 1], all[n - 2], all);
}

// In a process group of its own, so that Control-C ends the run and not the
// program first.
static int spawn_program(const char *path, int in, int out, char **environment,
                         pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  char *word = xasprintf("%s%s", strchr(path, '/') ? "" : "./", path);
  char *const words[] = {word, NULL};
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGINT);
  sigaddset(&defaults, SIGTERM);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                            POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  const int failure =
      posix_spawn(pid, word, &files, &attributes, words, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  free(word);
  return failure;
}

struct raw_program *raw_program_start(const char *path, uint32_t session,
                                      uint64_t seed, uint64_t patience,
                                      struct error *error) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  struct raw_program *program = xcalloc(1, sizeof *program);
  char **environment = make_environment(session, seed);
  int failure = pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ? errno : 0;
  program->patience = patience;
  program->name = xasprintf("the program %s of session %u", path, session);
  if (!failure)
    failure = spawn_program(path, in[0], out[1], environment, &program->pid);
  for (int i = 0; i < 2; i++)
    if ((i ? out[1] : in[0]) >= 0)
      close(i ? out[1] : in[0]);
  program->to = in[1];
  program->from = out[0];
  free_environment(environment);
  if (!failure) {
    fcntl(program->to, F_SETFL, O_NONBLOCK);
    return program;
  }
  error_set(error, "%s cannot be started: %s", program->name,
            strerror(failure));
  program->pid = 0;
  raw_program_stop(program);
  return NULL;
}

static void close_end(int *end) {
  if (*end >= 0)
    close(*end);
  *end = -1;
}

// Its status as waitpid has it.
static int await_end(struct raw_program *program) {
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < ENDING_GLANCES && !ended; i++) {
    ended = waitpid(program->pid, &status, WNOHANG);
    if (!ended)
      clock_sleep_until(clock_now() + GLANCE_MS * UINT64_C(1000000));
  }
  if (!ended) {
    kill(-program->pid, SIGKILL);
    waitpid(program->pid, &status, 0);
  }
  program->pid = 0;
  return status;
}

void raw_program_stop(struct raw_program *program) {
  if (!program)
    return;
  close_end(&program->to);
  close_end(&program->from);
  if (program->pid)
    await_end(program);
  arena_free(&program->arena);
  FREE_EACH(program->name, program->line, program);
}

// ---- What it says

static enum raw_said say_trouble(struct error *error,
                                 const struct raw_program *program,
                                 const char *what) {
  error_set(error, "%s %s", program->name, what);
  return RAW_SAID_TROUBLE;
}

static enum raw_said say_late(struct error *error,
                              const struct raw_program *program,
                              const char *what) {
  error_set(error, "%s %s for %.4g s", program->name, what,
            (double)program->patience / NS_PER_SECOND);
  return RAW_SAID_TROUBLE;
}

static enum raw_said note_program_end(struct raw_program *program,
                                      struct error *error) {
  const bool within = program->used > program->taken;
  close_end(&program->to);
  const int status = await_end(program);
  if (WIFSIGNALED(status))
    error_set(error, "%s was ended by signal %d", program->name,
              WTERMSIG(status));
  else if (WEXITSTATUS(status))
    error_set(error, "%s ended with status %d", program->name,
              WEXITSTATUS(status));
  else if (within)
    error_set(error, "%s ended within a line", program->name);
  else
    return RAW_SAID_NOTHING;
  return RAW_SAID_TROUBLE;
}

// Reads the line from `taken` up to the newline.
static enum raw_said take_message(struct raw_program *program, size_t length,
                                  const struct json_value **message,
                                  struct error *error) {
  const char *line = program->line + program->taken;
  struct error unread;
  arena_free(&program->arena);
  *message = json_read(&program->arena, line, length, &unread);
  if (*message && (*message)->type == JSON_OBJECT) {
    program->taken += length + 1;
    return RAW_SAID_LINE;
  }
  char shown[60];
  snprintf(shown, sizeof shown, "%.*s", (int)length, line);
  for (char *c = shown; *c; c++)
    if ((unsigned char)*c < ' ')
      *c = ' ';
  error_set(error,
            "%s wrote a line that is no request: \"%s\"; a request is such as "
            "{\"sql\": \"SELECT 1\"}",
            program->name, shown);
  return RAW_SAID_TROUBLE;
}

static void make_room_for_line(struct raw_program *program) {
  program->used -= program->taken;
  if (program->used)
    memmove(program->line, program->line + program->taken, program->used);
  program->taken = 0;
  if (program->used == program->room) {
    program->room = program->room ? 2 * program->room : 4096;
    program->line = xrealloc(program->line, program->room, 1);
  }
}

enum raw_said raw_program_read(struct raw_program *program,
                               bool (*stopped)(const void *context),
                               const void *context,
                               const struct json_value **message,
                               struct error *error) {
  const uint64_t until = clock_now() + program->patience;
  struct pollfd from = {.fd = program->from, .events = POLLIN};
  for (;;) {
    const size_t waiting = program->used - program->taken;
    const char *end =
        waiting ? memchr(program->line + program->taken, '\n', waiting) : NULL;
    if (end)
      return take_message(program,
                          (size_t)(end - program->line) - program->taken,
                          message, error);
    if (waiting >= LINE_MOST)
      return say_trouble(error, program, "wrote a line without an end");
    if (stopped(context))
      return RAW_SAID_STOP;
    if (clock_now() > until)
      return say_late(error, program, "has written nothing");
    if (poll(&from, 1, GLANCE_MS) <= 0)
      continue;
    make_room_for_line(program);
    const ssize_t n = read(program->from, program->line + program->used,
                           program->room - program->used);
    if (!n)
      return note_program_end(program, error);
    program->used += n > 0 ? (size_t)n : 0;
  }
}

int raw_program_write(struct raw_program *program, const char *line,
                      size_t bytes, struct error *error) {
  const uint64_t until = clock_now() + program->patience;
  struct pollfd to = {.fd = program->to, .events = POLLOUT};
  while (bytes) {
    const ssize_t n = write(program->to, line, bytes);
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
      if (note_program_end(program, error) == RAW_SAID_NOTHING)
        say_trouble(error, program, "ended in the middle of a transaction");
      return -1;
    }
    line += n > 0 ? n : 0;
    bytes -= n > 0 ? (size_t)n : 0;
    if (clock_now() > until) {
      say_late(error, program, "has not read its answers");
      return -1;
    }
    if (n < 0)
      poll(&to, 1, GLANCE_MS);
  }
  return 0;
}
