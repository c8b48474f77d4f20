// SPDX-License-Identifier: GPL-3.0-or-later
// Calls the scripts that start and stop servers (cli/servers/servers.h).
#include "config.h"

#include "cli/servers/servers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/process/installed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS_MAX = 64 };

// "bash SCRIPT words..." as an argument vector; NULL-terminated.
struct script_call {
  char *words[WORDS_MAX + 1]; // owned
  uint32_t nwords;
};

static void call_add(struct script_call *call, const char *word) {
  if (call->nwords < WORDS_MAX)
    call->words[call->nwords++] = xstrdup(word);
}

static struct script_call call_start(void) {
  struct script_call call = {0};
  char *script = installed_folder("servers/server.sh");
  call_add(&call, "bash");
  call_add(&call, script);
  free(script);
  return call;
}

static void close_pair(const int ends[2]) {
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0)
      close(ends[i]);
}

static void call_free(struct script_call *call) {
  for (uint32_t i = 0; i < call->nwords; i++)
    free(call->words[i]);
}

// The ends of pipes to a script; -1: there is none.
struct call_pipes {
  int orders, answers;
};

// A session of its own: what a terminal sends to this process does not reach
// it.
static int spawn_with_pipes(const struct script_call *call, pid_t *pid,
                            const int in[2], const int out[2],
                            bool own_session) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (own_session)
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  if (in)
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  if (out)
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const int failed =
      posix_spawnp(pid, "bash", &actions, &attributes, call->words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// Starts the call; with `pipes`, its answers are to be read there, and where
// `orders` says so, it takes some.
static int call_spawn(const struct script_call *call, pid_t *pid, bool orders,
                      struct call_pipes *pipes, struct error *error) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  if ((orders && pipe2(in, O_CLOEXEC)) || (pipes && pipe2(out, O_CLOEXEC))) {
    error_set(error, "no pipe: %s", strerror(errno));
    close_pair(in);
    return -1;
  }
  const int failed = spawn_with_pipes(call, pid, orders ? in : NULL,
                                      pipes ? out : NULL, orders);
  if (!failed && pipes) {
    *pipes = (struct call_pipes){in[1], out[0]};
    in[1] = out[0] = -1;
  }
  close_pair(in);
  close_pair(out);
  return failed ? error_set(error, "cannot run bash, which starts servers: %s",
                            strerror(failed))
                : 0;
}

static bool has_succeeded(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// ---- Facts

static void take_fact(struct server_facts *facts, char *line) {
  char *value = strchr(line, '=');
  if (!value)
    return;
  *value++ = '\0';
  value[strcspn(value, "\n")] = '\0';
  if (!strcmp(line, "nodes"))
    facts->nnodes = (uint32_t)strtoul(value, NULL, 10);
  else if (!strcmp(line, "actions"))
    snprintf(facts->actions, sizeof facts->actions, "%s", value);
  else if (!strcmp(line, "clients"))
    facts->all_nodes = !strcmp(value, "all");
}

int server_facts(const char *name, struct server_facts *facts,
                 struct error *error) {
  struct script_call call = call_start();
  struct call_pipes pipes;
  char line[SERVER_ANSWER_ROOM];
  pid_t pid;
  *facts = (struct server_facts){0};
  call_add(&call, "describe");
  call_add(&call, name);
  int failed = call_spawn(&call, &pid, false, &pipes, error);
  if (!failed) {
    FILE *answer = fdopen(pipes.answers, "r");
    while (fgets(line, sizeof line, answer))
      take_fact(facts, line);
    fclose(answer);
    if (!has_succeeded(pid) || !facts->nnodes)
      failed = error_set_usage(
          error,
          "there is neither a server \"%s\" nor a kind of that name: "
          "`isostress server` names the kinds, `isostress server list` the "
          "servers",
          name);
  }
  call_free(&call);
  return failed;
}

// ---- One server

// Reads what is there, waiting no longer than until `when`.  1: something was
// read; 0: nothing came; -1: the script is gone.
static int read_more(struct server *server, uint64_t when) {
  struct pollfd poll_on = {.fd = server->answers, .events = POLLIN};
  const uint64_t now = clock_now();
  const uint64_t wait = when > now ? (when - now) / 1000000 : 0;
  const int ready = poll(&poll_on, 1, wait > INT_MAX ? -1 : (int)wait);
  if (ready <= 0)
    return ready == 0 || errno == EINTR ? 0 : -1;
  const ssize_t n = read(server->answers, server->text + server->length,
                         sizeof server->text - 1 - server->length);
  if (n <= 0)
    return n < 0 && errno == EINTR ? 0 : -1;
  server->length += (uint32_t)n;
  server->text[server->length] = '\0';
  return 1;
}

// Takes the first line that was read; false: there is no whole one.  One that
// is longer than the room is cut into several.
static bool take_line(struct server *server, char line[SERVER_ANSWER_ROOM]) {
  char *end = memchr(server->text, '\n', server->length);
  if (!end && server->length < sizeof server->text - 1)
    return false;
  const uint32_t n = end ? (uint32_t)(end - server->text) : server->length;
  memcpy(line, server->text, n);
  line[n] = '\0';
  const uint32_t used = n + (end != NULL);
  server->length -= used;
  memmove(server->text, server->text + used, server->length);
  return true;
}

static void take_server_line(struct server *server, char *line) {
  char *value = strchr(line, '=');
  if (!value)
    return;
  *value++ = '\0';
  if (!strcmp(line, "server"))
    server->name = xstrdup(value);
  else if (!strncmp(line, "uri", 3) && server->nuris < SERVER_NODES_MAX)
    server->uris[server->nuris++] = xstrdup(value);
}

// Takes the lines about a server that starts; -1: it did not.
static int await_server(struct server *server) {
  char line[SERVER_ANSWER_ROOM];
  int more = 1;
  while (more >= 0) {
    while (take_line(server, line)) {
      if (!strcmp(line, "ready"))
        return server->name && server->nuris ? 0 : -1;
      take_server_line(server, line);
    }
    more = read_more(server, UINT64_MAX);
  }
  return -1;
}

int server_begin(struct server *server, const char *kind, const char *settings,
                 struct error *error) {
  struct script_call call = call_start();
  char *words = xstrdup(settings ? settings : ""), *rest = words;
  struct call_pipes pipes;
  *server = (struct server){0};
  call_add(&call, "serve");
  call_add(&call, kind);
  for (char *word; (word = strtok_r(rest, " ", &rest));)
    call_add(&call, word);
  int failed = call_spawn(&call, &server->pid, true, &pipes, error);
  if (!failed) {
    server->orders = pipes.orders;
    server->answers = pipes.answers;
    if (await_server(server)) {
      failed = error_set(error, "no server of kind %s was started", kind);
      server_end(server);
    }
  }
  free(words);
  call_free(&call);
  return failed;
}

void server_end(struct server *server) {
  if (server->pid > 0) {
    close(server->orders);
    has_succeeded(server->pid);
    close(server->answers);
  }
  for (uint32_t i = 0; i < server->nuris; i++)
    free(server->uris[i]);
  free(server->name);
  *server = (struct server){0};
}

// ---- Orders

bool server_order(struct server *server, uint32_t id, const char *action,
                  uint32_t node) {
  char line[64];
  const int n = snprintf(line, sizeof line, "%u %s %u\n", id, action, node);
  return write(server->orders, line, (size_t)n) == n;
}

// "ID ok WORDS" or "ID no WORDS".
static void take_order_answer(const char *line, struct server_answer *answer) {
  char *rest;
  *answer = (struct server_answer){.id = (uint32_t)strtoul(line, &rest, 10)};
  rest += strspn(rest, " ");
  answer->done = !strncmp(rest, "ok", 2);
  rest += strcspn(rest, " ");
  rest += strspn(rest, " ");
  error_one_line(answer->words, sizeof answer->words, rest);
}

int server_next_answer(struct server *server, uint64_t when,
                       struct server_answer *answer) {
  char line[SERVER_ANSWER_ROOM];
  int more = 1;
  while (more > 0) {
    if (take_line(server, line)) {
      take_order_answer(line, answer);
      return 1;
    }
    more = read_more(server, when);
  }
  return more;
}

// Where the host of SCHEME://USER@HOST:PORT/PATH begins, and its length.
static const char *find_host(const char *uri, size_t *length) {
  const char *host = strstr(uri, "://");
  host = host ? host + 3 : uri;
  const size_t authority = strcspn(host, "/?");
  const char *at = memrchr(host, '@', authority);
  const char *end = host + authority;
  host = at ? at + 1 : host;
  *length = (size_t)(end - host);
  return host;
}

char *server_hosts(const struct server *server) {
  size_t length;
  const char *host = find_host(server->uris[0], &length);
  char *text = xasprintf("%.*s", (int)(host + length - server->uris[0]),
                         server->uris[0]);
  for (uint32_t i = 1; i < server->nuris; i++) {
    size_t n;
    const char *other = find_host(server->uris[i], &n);
    char *longer = xasprintf("%s,%.*s", text, (int)n, other);
    free(text);
    text = longer;
  }
  char *whole = xasprintf("%s%s", text, host + length);
  free(text);
  return whole;
}

int server_act(const char *name, uint32_t node, const char *action,
               struct error *error) {
  struct script_call call = call_start();
  char number[12];
  pid_t pid;
  snprintf(number, sizeof number, "%u", node);
  call_add(&call, action);
  call_add(&call, name);
  call_add(&call, number);
  int failed = call_spawn(&call, &pid, false, NULL, error);
  if (!failed && !has_succeeded(pid))
    failed =
        error_set(error, "%s %u of server %s has failed", action, node, name);
  call_free(&call);
  return failed;
}

int server_exec(const char *const *words, uint32_t nwords,
                struct error *error) {
  struct script_call call = call_start();
  for (uint32_t i = 0; i < nwords; i++)
    call_add(&call, words[i]);
  fflush(stdout);
  execvp("bash", call.words);
  error_set(error, "cannot run bash, which starts servers: %s",
            strerror(errno));
  call_free(&call);
  return -1;
}
