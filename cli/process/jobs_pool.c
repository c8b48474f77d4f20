// SPDX-License-Identifier: GPL-3.0-or-later
// Forks and gathers (cli/process/jobs_pool.h).  Processes and not threads:
// checks share the history in memory until they are done, need no lock, and
// give up by signals and time limits of their own.
#include "config.h"

#include "cli/process/jobs_pool.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "cli/process/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_NS = 2000000 };

enum { TO_STDOUT, TO_BESIDE, STREAMS };

struct pool_piece {
  pid_t pid; // 0: not begun, or ended
  bool ended;
  int output[STREAMS]; // files without a name; -1: there is none
  enum status status;
};

struct gathering {
  const struct jobs_pool *pool;
  struct pool_piece *pieces;
  uint32_t jobs; // at once
  uint32_t begun, shown, running;
  enum status status;
};

static enum status finished(const struct jobs_pool *pool, uint32_t done,
                            enum status status) {
  return done < pool->count ? status_interrupted(status, "all checks had begun")
                            : status;
}

static enum status one_after_the_other(const struct jobs_pool *pool) {
  enum status status = STATUS_KEPT;
  uint32_t done = 0;
  for (; done < pool->count && !*signals_stop(); done++)
    status = status_worse(status, pool->work(pool->context, done, pool->jobs));
  return finished(pool, done, status);
}

static enum status trouble(const char *what) {
  struct error error;
  error_set(&error, "%s: %s: try --jobs=1", what, strerror(errno));
  return complain(STATUS_TROUBLE, &error);
}

// --- One piece.

// NULL: there is none.
static FILE *stream_of(const struct jobs_pool *pool, int to) {
  return to == TO_STDOUT ? stdout : pool->beside;
}

static void __attribute__((noreturn))
work_apart(const struct gathering *g, uint32_t i) {
  signals_end_with_parent();
  for (int to = 0; to < STREAMS; to++) {
    FILE *stream = stream_of(g->pool, to);
    if (stream && dup2(g->pieces[i].output[to], fileno(stream)) < 0)
      _exit(trouble("a check could not write its output"));
  }
  const enum status status =
      g->pool->work(g->pool->context, i, g->pool->jobs / g->jobs);
  for (int to = 0; to < STREAMS; to++)
    if (stream_of(g->pool, to) && fflush(stream_of(g->pool, to)))
      _exit(trouble("a check could not save its output"));
  _exit(status);
}

// A file without a name; -1 if there is none to be had.
static int open_output(void) {
  FILE *file = tmpfile();
  const int fd = file ? dup(fileno(file)) : -1;
  if (file)
    fclose(file);
  return fd;
}

// False: one cannot be opened.
static bool open_outputs(const struct jobs_pool *pool,
                         struct pool_piece *piece) {
  bool opened = true;
  for (int to = 0; to < STREAMS; to++) {
    piece->output[to] = -1;
    if (!stream_of(pool, to))
      continue;
    fflush(stream_of(pool, to)); // or the child would write it as well
    piece->output[to] = open_output();
    opened &= piece->output[to] >= 0;
  }
  return opened;
}

// False: it cannot be begun.
static bool begin_piece(struct gathering *g, uint32_t i) {
  struct pool_piece *piece = &g->pieces[i];
  piece->pid = open_outputs(g->pool, piece) ? fork() : -1;
  if (piece->pid == 0)
    work_apart(g, i);
  if (piece->pid < 0) {
    piece->pid = 0;
    piece->ended = true;
    piece->status = trouble("a check could not be started");
    return false;
  }
  g->running++;
  return true;
}

static void look_after(struct gathering *g, struct pool_piece *piece) {
  int how;
  if (!piece->pid || waitpid(piece->pid, &how, WNOHANG) != piece->pid)
    return;
  piece->pid = 0;
  piece->ended = true;
  piece->status =
      WIFEXITED(how) ? (enum status)WEXITSTATUS(how) : STATUS_TROUBLE;
  g->running--;
  if (WIFEXITED(how))
    return;
  struct error error;
  error_set(&error, "a check was ended by signal %d (%s)%s", WTERMSIG(how),
            strsignal(WTERMSIG(how)),
            WTERMSIG(how) == SIGKILL ? ": is there enough memory? try --jobs=1"
                                     : "");
  complain(STATUS_TROUBLE, &error);
}

static void copy_to_file(int from, FILE *to) {
  char buffer[1 << 14];
  ssize_t n;
  off_t at = 0;
  while ((n = pread(from, buffer, sizeof buffer, at)) > 0) {
    fwrite(buffer, 1, (size_t)n, to);
    at += n;
  }
}

static void show_piece(struct gathering *g, struct pool_piece *piece) {
  g->status = status_worse(g->status, piece->status);
  for (int to = 0; to < STREAMS; to++)
    if (piece->output[to] >= 0) {
      copy_to_file(piece->output[to], stream_of(g->pool, to));
      close(piece->output[to]);
    }
  fflush(stdout);
}

// --- All.

static void pass_signal_on(const struct gathering *g) {
  for (uint32_t i = g->shown; i < g->begun; i++)
    if (g->pieces[i].pid)
      kill(g->pieces[i].pid, SIGTERM);
}

static void begin_more(struct gathering *g) {
  while (!*signals_stop() && g->begun < g->pool->count && g->running < g->jobs)
    if (!begin_piece(g, g->begun++))
      return;
}

static void gather_pieces(struct gathering *g) {
  bool told = false;
  begin_more(g);
  while (g->shown < g->begun) {
    for (uint32_t i = g->shown; i < g->begun; i++)
      look_after(g, &g->pieces[i]);
    while (g->shown < g->begun && g->pieces[g->shown].ended)
      show_piece(g, &g->pieces[g->shown++]);
    if (*signals_stop() && !told)
      pass_signal_on(g);
    told = *signals_stop();
    begin_more(g);
    if (g->shown < g->begun)
      nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
  }
}

uint32_t jobs_pool_cores(uint64_t jobs) {
  return jobs ? (uint32_t)jobs : parallel_cores("");
}

enum status jobs_pool_run(const struct jobs_pool *pool) {
  const uint32_t jobs = pool->jobs < pool->count ? pool->jobs : pool->count;
  if (jobs < 2)
    return one_after_the_other(pool);
  struct gathering g = {.pool = pool,
                        .pieces = xcalloc(pool->count, sizeof *g.pieces),
                        .jobs = jobs,
                        .status = STATUS_KEPT};
  gather_pieces(&g);
  free(g.pieces);
  return finished(pool, g.begun, g.status);
}
