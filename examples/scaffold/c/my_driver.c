// A driver for isostress, made by `isostress scaffold c`.  It runs as it is, on
// a toy store; replace what is marked.  PIPE.md of isostress is the whole
// protocol.
//   cc -o my_driver my_driver.c
//   isostress driver-test --driver=./my_driver
//   isostress scorecard --driver=./my_driver
// A process for each session is the easy way where calls of the client wait:
// take "many" out of hello.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// REPLACE: the toy store, snapshot isolation in memory.
enum { SESSIONS = 1000000, WRITES = 1000 };
struct cell {
  int64_t value, version;
};
static struct cell *store;
static int64_t clock_of_store;

struct transaction {
  int64_t start;
  int64_t *snapshot;
  int64_t keys[WRITES], values[WRITES];
  int nwrites;
};
static struct transaction *sessions[SESSIONS];

static int64_t now(int64_t key) { return store[key].value; }

static void end_transaction(int64_t session) {
  if (sessions[session])
    free(sessions[session]->snapshot);
  free(sessions[session]);
  sessions[session] = NULL;
}

static int64_t nkeys;

static void begin_transaction(int64_t session) {
  struct transaction *t = calloc(1, sizeof *t);
  t->start = clock_of_store;
  t->snapshot = malloc((size_t)(nkeys + 1) * sizeof *t->snapshot);
  for (int64_t k = 0; k < nkeys; k++)
    t->snapshot[k] = now(k);
  sessions[session] = t;
}

static int64_t read_key(const struct transaction *t, int64_t key) {
  for (int i = t->nwrites; i-- > 0;)
    if (t->keys[i] == key)
      return t->values[i];
  return t->snapshot[key];
}

static const char *commit_transaction(int64_t session) {
  struct transaction *t = sessions[session];
  const char *why = NULL;
  for (int i = 0; i < t->nwrites; i++)
    if (store[t->keys[i]].version > t->start)
      why = "conflict";
  clock_of_store += !why;
  for (int i = 0; i < t->nwrites && !why; i++)
    store[t->keys[i]] = (struct cell){t->values[i], clock_of_store};
  end_transaction(session);
  return why;
}

// A member of a request, which has no object in it: NULL if there is none.
static const char *member(const char *line, const char *name) {
  char quoted[40];
  snprintf(quoted, sizeof quoted, "\"%s\":", name);
  const char *at = strstr(line, quoted);
  return at ? at + strlen(quoted) : NULL;
}

static int64_t number(const char *line, const char *name) {
  const char *at = member(line, name);
  return at ? strtoll(at, NULL, 10) : 0;
}

static bool is_verb(const char *line, const char *verb) {
  const char *at = member(line, "do");
  return at && !strncmp(at + 1, verb, strlen(verb)) &&
         at[1 + strlen(verb)] == '"';
}

// "claims" is what the manual promises: none, rc, ra, cc, pc, si, ser or sser.
// "causes" has the codes, or words of messages, after which a commit certainly
// had no effect.
static const char hello[] =
    "\"isostress\":1,\"name\":\"mystore\",\"version\":\"toy "
    "1.0\",\"many\":true,"
    "\"levels\":[{\"name\":\"snapshot\",\"claims\":\"si\"}],"
    "\"causes\":{\"conflict\":\"write conflict\"}";

// Answers a request; all verbs but these fail.
static void answer(const char *line) {
  const int64_t session = number(line, "session"), key = number(line, "key");
  struct transaction *t = session < SESSIONS ? sessions[session] : NULL;
  const char *why = NULL; // it failed
  printf("{\"id\":%" PRId64, number(line, "id"));
  if (is_verb(line, "hello")) {
    printf(",%s", hello);
  } else if (is_verb(line, "setup")) { // afterwards all keys hold 0
    nkeys = number(line, "keys");
    free(store);
    store = calloc((size_t)nkeys + 1, sizeof *store);
  } else if (is_verb(line, "begin")) { // at the level with this name
    begin_transaction(session);
  } else if (is_verb(line, "get")) { // through the open transaction
    printf(",\"value\":%" PRId64, read_key(t, key));
  } else if (is_verb(line, "put") && t->nwrites < WRITES) {
    t->keys[t->nwrites] = key;
    t->values[t->nwrites++] = number(line, "value");
  } else if (is_verb(line, "commit")) { // never again by itself
    why = commit_transaction(session);
  } else if (is_verb(line, "close") || is_verb(line, "rollback")) {
    end_transaction(session);          // also where nothing is open
  } else if (!is_verb(line, "open")) { // a connection to the place
    why = "unknown verb";
  }
  if (why)
    printf(",\"fail\":\"%s\"", why);
  puts("}");
  fflush(stdout);
}

int main(void) {
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0)
    answer(line);
  free(line);
  return 0;
}
