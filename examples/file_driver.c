// SPDX-License-Identifier: GPL-3.0-or-later
// An example of a driver that lives outside isostress: it keeps 64-bit values
// in a plain file, eight bytes per key.  Compile it with nothing but the
// installed headers and give it to any command that takes a target:
//
//   cc -shared -fPIC -I/usr/local/include/isostress file_driver.c -o my.so
//   isostress run --driver=./my.so file:/tmp/values
//
// A transaction keeps its writes to itself until commit.  At the level "locked"
// it holds an exclusive lock on the file from begin to end, so transactions run
// one after the other; at "unlocked" it does not, and what then goes wrong,
// such as lost updates, is found.  No isolation is promised there, so isostress
// has to be told what to check it for:
//
//   isostress run --driver=./my.so -i unlocked --check=si file:/tmp/values
#include "drivers/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// The target, shared by all sessions.  The contract's structure comes first, so
// that a pointer to it is a pointer to ours.
struct store {
  struct target base;
  char *path;
  int flags; // for open
};

struct write {
  uint64_t key, value;
};

// A session's connection: its own open file, whose lock excludes other
// sessions.
struct session {
  struct connection base;
  int file;
  bool locked;
  struct write writes[PLAN_MAX_OPS]; // of the open transaction
  uint32_t nwrites;
};

static const struct driver_level levels[] = {
    {"locked", ISOLATION_SSER}, // the default comes first
    {"unlocked", ISOLATION_NONE},
    {0},
};

static const struct driver_option options[] = {
    {"sync", "no", "yes: every commit waits for the disk"},
    {0},
};

// Trouble before and after transactions is told by one sentence...
static int file_failed(struct error *error, const char *path) {
  return error_set(error, "%s: %s", path, strerror(errno));
}

// ...and what the database did in one is an outcome and its reason.
static enum outcome call_failed(struct session *session, enum outcome outcome) {
  session->base.cause = CAUSE_OTHER;
  snprintf(session->base.code, sizeof session->base.code, "errno %d", errno);
  snprintf(session->base.text, sizeof session->base.text, "%s",
           strerror(errno));
  return outcome;
}

// `spec` is gone when this returns: what is needed later is copied.
static int store_open(const struct target_spec *spec, struct target **target,
                      struct error *error) {
  bool sync = !strcmp(spec->values[0], "yes");
  if (!sync && strcmp(spec->values[0], "no"))
    return error_set(error, "sync=%s: it can be yes or no", spec->values[0]);
  int flags = O_RDWR | O_CLOEXEC | (sync ? O_DSYNC : 0);
  int file = open(spec->place, flags | O_CREAT, 0666);
  if (file < 0)
    return file_failed(error, spec->place);
  close(file);
  struct store *store = calloc(1, sizeof *store);
  store->path = strdup(spec->place);
  store->flags = flags;
  *target = &store->base;
  return 0;
}

static void store_close(struct target *target) {
  struct store *store = (struct store *)target;
  free(store->path);
  free(store);
}

// A hole in a file reads as zeros, and zero is VALUE_INITIAL.
static int store_setup(struct target *target, const struct keyspace *keys,
                       struct error *error) {
  struct store *store = (struct store *)target;
  if (truncate(store->path, 0) ||
      truncate(store->path, (off_t)(keys->nkeys * sizeof(uint64_t))))
    return file_failed(error, store->path);
  return 0;
}

static int session_open(struct target *target, uint32_t number,
                        struct connection **connection, struct error *error) {
  struct store *store = (struct store *)target;
  struct session *session = calloc(1, sizeof *session);
  session->base.target = target;
  session->base.session = number;
  session->file = open(store->path, store->flags);
  if (session->file < 0) {
    free(session);
    return file_failed(error, store->path);
  }
  *connection = &session->base;
  return 0;
}

static void session_close(struct connection *connection) {
  struct session *session = (struct session *)connection;
  close(session->file);
  free(session);
}

static enum outcome begin(struct connection *connection,
                          const struct driver_level *level) {
  struct session *session = (struct session *)connection;
  session->nwrites = 0;
  session->locked = level == &levels[0];
  if (session->locked && flock(session->file, LOCK_EX))
    return call_failed(session, OUTCOME_ABORTED);
  return OUTCOME_OK;
}

static enum outcome rollback(struct connection *connection) {
  struct session *session = (struct session *)connection;
  if (session->locked)
    flock(session->file, LOCK_UN);
  session->locked = false;
  session->nwrites = 0;
  return OUTCOME_OK;
}

// Once a write has reached the file, the transaction cannot be taken back: it
// is neither committed nor aborted.
static enum outcome commit(struct connection *connection) {
  struct session *session = (struct session *)connection;
  enum outcome outcome = OUTCOME_OK;
  for (uint32_t i = 0; i < session->nwrites && outcome == OUTCOME_OK; i++) {
    const struct write *write = &session->writes[i];
    off_t place = (off_t)(write->key * sizeof write->value);
    if (pwrite(session->file, &write->value, sizeof write->value, place) < 0)
      outcome = call_failed(session, OUTCOME_UNKNOWN);
  }
  rollback(connection); // only the lock is left to be given back
  return outcome;
}

// The write to the key that the open transaction has buffered; NULL: none.
static struct write *own_write(struct session *session, uint64_t key) {
  for (uint32_t i = 0; i < session->nwrites; i++)
    if (session->writes[i].key == key)
      return &session->writes[i];
  return NULL;
}

static enum outcome get(struct connection *connection, uint64_t key,
                        uint64_t *value) {
  struct session *session = (struct session *)connection;
  const struct write *own = own_write(session, key);
  *value = own ? own->value : VALUE_INITIAL;
  off_t place = (off_t)(key * sizeof *value);
  if (!own && pread(session->file, value, sizeof *value, place) < 0)
    return call_failed(session, OUTCOME_ABORTED);
  return OUTCOME_OK;
}

static enum outcome put(struct connection *connection, uint64_t key,
                        uint64_t value) {
  struct session *session = (struct session *)connection;
  struct write *write = own_write(session, key);
  if (!write && session->nwrites < PLAN_MAX_OPS)
    write = &session->writes[session->nwrites++];
  if (!write) {
    errno = ENOSPC;
    return call_failed(session, OUTCOME_ABORTED);
  }
  *write = (struct write){key, value};
  return OUTCOME_OK;
}

static enum outcome cas(struct connection *connection, uint64_t key,
                        uint64_t expected, uint64_t value, uint64_t *found) {
  enum outcome outcome = get(connection, key, found);
  if (outcome != OUTCOME_OK || *found != expected)
    return outcome;
  return put(connection, key, value);
}

// The one symbol that isostress looks for.  Slots that are left out are those
// for lists: workloads that append are refused for this driver.
extern const struct driver isostress_driver;
const struct driver isostress_driver = {
    .abi = DRIVER_ABI,
    .name = "file",
    .summary = "a plain file of values (example of a driver of your own)",
    .example = "file:/tmp/values",
    .options = options,
    .levels = levels,
    .open = store_open,
    .close = store_close,
    .setup = store_setup,
    .connect = session_open,
    .disconnect = session_close,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .get = get,
    .put = put,
    .cas = cas,
};
