// SPDX-License-Identifier: GPL-3.0-or-later
// Starts and ends the processes of a driver's command, and listens to what they
// write to stderr (drivers/pipe/process.h).
#include "config.h"

#include "drivers/pipe/process.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// By which a shell says that it could not start a program.
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

#define A_MOMENT (NS_PER_SECOND / 200)

// The pipes to a process and from it, and the one to its guard.
enum {
  IN_READ,
  IN_WRITE,
  OUT_READ,
  OUT_WRITE,
  ERR_READ,
  ERR_WRITE,
  WATCH_READ,
  WATCH_WRITE,
  ENDS
};

static void close_ends(const int ends[ENDS]) {
  for (int i = 0; i < ENDS; i++)
    if (ends[i] >= 0)
      close(ends[i]);
}

static int open_ends(int ends[ENDS]) {
  int failure = 0;
  memset(ends, -1, ENDS * sizeof *ends);
  for (int i = 0; i < ENDS && !failure; i += 2)
    failure = pipe2(&ends[i], O_CLOEXEC) ? errno : 0;
  if (failure)
    close_ends(ends);
  return failure;
}

// A shell's line with such files, in that group, 0 being one of its own.
// Signals are as a program expects them that a shell starts.
static int spawn(char *line, const posix_spawn_file_actions_t *files,
                 pid_t group, pid_t *pid) {
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  char *const words[] = {(char[]){"sh"}, (char[]){"-c"}, line, NULL};
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGINT);
  sigaddset(&defaults, SIGTERM);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                            POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, group);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  const int failure =
      posix_spawn(pid, "/bin/sh", files, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  return failure;
}

static int spawn_driver(const char *command, const int ends[ENDS], pid_t *pid) {
  posix_spawn_file_actions_t files;
  char *line = xasprintf("exec %s", command);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[IN_READ], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[OUT_WRITE], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[ERR_WRITE], STDERR_FILENO);
  const int failure = spawn(line, &files, 0, pid);
  posix_spawn_file_actions_destroy(&files);
  free(line);
  return failure;
}

// However isostress ends, the driver ends, even amid a call: a process of the
// driver's own group waits for that, so that no other group can have its
// number.
static int spawn_guard(pid_t group, const int ends[ENDS], pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[WATCH_READ], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY,
                                   0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY,
                                   0);
  const int failure =
      spawn((char[]){"read -r end; sleep 1; kill -9 0"}, &files, group, pid);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

// Until stderr is closed, or nobody wants to listen any more.
static void *listen_to_chatter(void *context) {
  struct process *process = context;
  char bytes[4096];
  struct pollfd fds[] = {{.fd = process->chatter, .events = POLLIN},
                         {.fd = process->hush, .events = POLLIN}};
  while (poll(fds, 2, -1) >= 0 || errno == EINTR) {
    const ssize_t n =
        fds[0].revents ? read(process->chatter, bytes, sizeof bytes) : -1;
    if (n > 0)
      pipe_chatter_note(process->command, bytes, (size_t)n);
    else if (!n || fds[1].revents)
      break;
  }
  pthread_mutex_lock(&process->mutex);
  process->quiet = true;
  pthread_mutex_unlock(&process->mutex);
  return NULL;
}

// The listener leaves signals to the thread that handles them.
static int start_listener(struct process *process) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  const int failure =
      pthread_create(&process->listener, NULL, listen_to_chatter, process);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return failure;
}

static void free_process(struct process *process) {
  const int open[] = {process->to, process->from, process->chatter,
                      process->hush, process->watched};
  for (size_t i = 0; i < sizeof open / sizeof *open; i++)
    if (open[i] >= 0)
      close(open[i]);
  pthread_mutex_destroy(&process->writing);
  pthread_mutex_destroy(&process->mutex);
  answer_free(&process->answer);
  FREE_EACH(process->line, process->late);
  free(process);
}

static bool has_ended(const struct process *process) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)process->pid, &info,
                WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid;
}

// The process group has all that it started.
static void kill_and_reap(struct process *process) {
  const pid_t both[] = {process->guard, process->pid};
  kill(-process->pid, SIGKILL);
  for (int i = 0; i < 2; i++)
    while (both[i] && waitpid(both[i], NULL, 0) < 0 && errno == EINTR)
      ;
}

// Takes the ends that are not the process's.
static void take_ends(struct process *process, int ends[ENDS]) {
  process->to = ends[IN_WRITE];
  process->from = ends[OUT_READ];
  process->chatter = ends[ERR_READ];
  process->watched = ends[WATCH_WRITE];
  ends[IN_WRITE] = ends[OUT_READ] = ends[ERR_READ] = ends[WATCH_WRITE] = -1;
  fcntl(process->to, F_SETFL, O_NONBLOCK);
}

// errno, or 0.
static int start_with(struct process *process, int ends[ENDS]) {
  process->hush = eventfd(0, EFD_CLOEXEC);
  if (process->hush < 0)
    return errno;
  int failure = spawn_driver(process->command->text, ends, &process->pid);
  if (failure)
    return failure;
  failure = spawn_guard(process->pid, ends, &process->guard);
  if (failure)
    process->guard = 0;
  take_ends(process, ends);
  if (failure || (failure = start_listener(process)))
    kill_and_reap(process);
  return failure;
}

struct process *process_start(struct pipe_command *command,
                              struct error *error) {
  int ends[ENDS];
  struct process *process = xcalloc(1, sizeof *process);
  process->command = command;
  process->to = process->from = process->chatter = process->hush = -1;
  process->watched = -1;
  pthread_mutex_init(&process->writing, NULL);
  pthread_mutex_init(&process->mutex, NULL);
  int failure = open_ends(ends);
  if (!failure) {
    failure = start_with(process, ends);
    close_ends(ends);
  }
  if (!failure)
    return process;
  error_set(error, "the driver %s cannot be started: %s", command->name,
            strerror(failure));
  free_process(process);
  return NULL;
}

void process_end_input(struct process *process) {
  if (process->to >= 0)
    close(process->to);
  process->to = -1;
}

void process_stop(struct process *process, uint64_t when) {
  process_end_input(process);
  while (!has_ended(process) && clock_now() < when)
    clock_sleep_until(clock_now() + A_MOMENT);
  kill_and_reap(process);
  eventfd_write(process->hush, 1);
  pthread_join(process->listener, NULL);
  free_process(process);
}

// Is its stderr closed, so that its last words are known?
static bool is_quiet(struct process *process) {
  pthread_mutex_lock(&process->mutex);
  const bool quiet = process->quiet;
  pthread_mutex_unlock(&process->mutex);
  return quiet;
}

// "ended with status 1"; of a process that has ended.
static void tell_status(const struct process *process, char *text,
                        size_t room) {
  siginfo_t info = {0};
  waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT);
  if (info.si_code == CLD_EXITED &&
      (info.si_status == NOT_FOUND || info.si_status == NOT_EXECUTABLE))
    snprintf(text, room, "did not start");
  else if (info.si_code == CLD_EXITED)
    snprintf(text, room, "ended with status %d%s", info.si_status,
             process->greeted ? "" : " before it answered hello");
  else
    snprintf(text, room, "was killed by signal %d", info.si_status);
}

void process_note_end(struct process *process) {
  char status[64], words[200];
  const uint64_t patience = clock_now() + NS_PER_SECOND;
  while (!has_ended(process) && clock_now() < patience)
    clock_sleep_until(clock_now() + A_MOMENT);
  const bool ended = has_ended(process);
  if (ended)
    tell_status(process, status, sizeof status);
  else
    snprintf(status, sizeof status, "closed its stdout");
  kill(-process->pid, SIGKILL);
  while (!is_quiet(process) && clock_now() < patience)
    clock_sleep_until(clock_now() + A_MOMENT);
  pipe_chatter_last(process->command, words, sizeof words);
  pthread_mutex_lock(&process->mutex);
  if (!process->end[0])
    snprintf(process->end, sizeof process->end, "the driver %s %s%s%s",
             process->command->name, status, *words ? ": " : "", words);
  pthread_mutex_unlock(&process->mutex);
}

void process_kill(struct process *process, const char *why) {
  kill(-process->pid, SIGKILL);
  pthread_mutex_lock(&process->mutex);
  if (!process->end[0])
    snprintf(process->end, sizeof process->end, "the driver %s %s",
             process->command->name, why);
  process->dead = true;
  pthread_mutex_unlock(&process->mutex);
}

bool process_is_dead(struct process *process) {
  pthread_mutex_lock(&process->mutex);
  const bool dead = process->dead;
  pthread_mutex_unlock(&process->mutex);
  return dead;
}
