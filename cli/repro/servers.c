// SPDX-License-Identifier: GPL-3.0-or-later
// Calls the scripts that start and stop servers (cli/repro/servers.h).
#include "config.h"

#include "cli/repro/servers.h"

#include "base/memory.h"
#include "cli/process/installed.h"

#include <errno.h>
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

static void call_free(struct script_call *call) {
  for (uint32_t i = 0; i < call->nwords; i++)
    free(call->words[i]);
}

// Starts the call; with `answer`, its stdout is to be read there.
static int call_spawn(const struct script_call *call, pid_t *pid, FILE **answer,
                      struct error *error) {
  int ends[2] = {-1, -1};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (answer && pipe(ends))
    return error_set(error, "no pipe: %s", strerror(errno));
  if (answer) {
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
  }
  const int failed =
      posix_spawnp(pid, "bash", &actions, NULL, call->words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (answer) {
    close(ends[1]);
    *answer = failed ? NULL : fdopen(ends[0], "r");
  }
  if (failed && answer)
    close(ends[0]);
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

static void take_server_line(struct server *server, char *line) {
  char *value = strchr(line, '=');
  if (!value)
    return;
  *value++ = '\0';
  value[strcspn(value, "\n")] = '\0';
  if (!strcmp(line, "server"))
    server->name = xstrdup(value);
  else if (!strncmp(line, "uri", 3) && server->nuris < SERVER_NODES_MAX)
    server->uris[server->nuris++] = xstrdup(value);
}

int server_begin(struct server *server, const char *kind, const char *settings,
                 struct error *error) {
  struct script_call call = call_start();
  char line[1024], *words = xstrdup(settings ? settings : ""), *rest = words;
  pid_t pid;
  FILE *answer;
  *server = (struct server){0};
  call_add(&call, "start");
  call_add(&call, kind);
  for (char *word; (word = strtok_r(rest, " ", &rest));)
    call_add(&call, word);
  int failed = call_spawn(&call, &pid, &answer, error);
  if (!failed) {
    while (fgets(line, sizeof line, answer))
      take_server_line(server, line);
    fclose(answer);
    if (!has_succeeded(pid) || !server->nuris)
      failed = error_set(error, "no server of kind %s was started", kind);
  }
  free(words);
  call_free(&call);
  return failed;
}

void server_end(struct server *server) {
  if (!server->name)
    return;
  struct script_call call = call_start();
  struct error error;
  pid_t pid;
  server_await_faults(server, &error);
  call_add(&call, "stop");
  call_add(&call, server->name);
  if (!call_spawn(&call, &pid, NULL, &error))
    has_succeeded(pid);
  for (uint32_t i = 0; i < server->nuris; i++)
    free(server->uris[i]);
  free(server->name);
  call_free(&call);
  *server = (struct server){0};
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

int server_start_faults(struct server *server, const char *faults,
                        struct error *error) {
  struct script_call call = call_start();
  call_add(&call, "faults");
  call_add(&call, server->name);
  call_add(&call, faults);
  const int failed = call_spawn(&call, &server->faults, NULL, error);
  call_free(&call);
  return failed;
}

int server_await_faults(struct server *server, struct error *error) {
  const pid_t pid = server->faults;
  server->faults = 0;
  return !pid || has_succeeded(pid)
             ? 0
             : error_set(error, "a fault could not be brought about");
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
  int failed = call_spawn(&call, &pid, NULL, error);
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
