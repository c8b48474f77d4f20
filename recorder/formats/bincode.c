// SPDX-License-Identifier: GPL-3.0-or-later
// Histories as dbcop wrote them at first and PolySI publishes them: Rust's
// bincode, little-endian and without padding.  After five numbers and three
// texts that describe the run come the sessions, each a counted sequence of
// transactions, each a counted sequence of events (write?, key, value,
// success?) and whether it committed.  The initial value of every key is 0.
#include "config.h"

#include "recorder/formats/formats.h"

#include "recorder/builder.h"
#include "recorder/file.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  PARAMETERS = 5 * 8,
  TEXTS = 3, // info, start, end
  EVENT_BYTES = 1 + 8 + 8 + 1,
  TEXT_MAX = 1 << 20
};

struct reading {
  const char *path;
  const unsigned char *data;
  size_t at, bytes;
  struct builder *builder;
  struct error *error;
};

static int complain(struct reading *r, const char *expected) {
  return error_set(r->error, "%s: byte %zu: expected %s, but %s", r->path,
                   r->at, expected,
                   r->at < r->bytes ? "this is none" : "the file ends");
}

static bool has(const struct reading *r, uint64_t bytes) {
  return bytes <= r->bytes - r->at;
}

static uint64_t number(struct reading *r) {
  uint64_t value;
  memcpy(&value, r->data + r->at, sizeof value);
  r->at += sizeof value;
  return le64toh(value);
}

static int read_flag(struct reading *r, const char *what, bool *flag) {
  if (!has(r, 1) || r->data[r->at] > 1)
    return complain(r, what);
  *flag = r->data[r->at++];
  return 0;
}

// A count of things that take at least `each` bytes, so that it can not be more
// than the rest of the file holds.
static int read_count(struct reading *r, const char *what, size_t each,
                      uint64_t *count) {
  if (!has(r, 8))
    return complain(r, what);
  *count = number(r);
  if (*count <= (r->bytes - r->at) / each)
    return 0;
  r->at -= 8;
  return complain(r, what);
}

static int skip_head(struct reading *r) {
  if (!has(r, PARAMETERS))
    return complain(r, "the parameters of the run");
  r->at += PARAMETERS;
  for (int i = 0; i < TEXTS; i++) {
    uint64_t length;
    if (read_count(r, "the length of a text", 1, &length))
      return -1;
    r->at += length;
  }
  return 0;
}

// Events that did not succeed are left out, as dbcop's own loader does.
static int read_events(struct reading *r, uint64_t nevents) {
  for (uint64_t i = 0; i < nevents; i++) {
    bool writes = false, success = false;
    if (read_flag(r, "0 for a read or 1 for a write", &writes))
      return -1;
    if (!has(r, EVENT_BYTES - 1))
      return complain(r, "a key and a value");
    uint64_t key = number(r), value = number(r);
    if (read_flag(r, "0 or 1 for success", &success))
      return -1;
    if (success)
      builder_op(r->builder, writes ? OP_WRITE : OP_READ, key, value);
  }
  return 0;
}

static int read_txn(struct reading *r, uint64_t session) {
  uint64_t nevents;
  if (read_count(r, "a number of events", EVENT_BYTES, &nevents))
    return -1;
  size_t flag = r->at + nevents * EVENT_BYTES;
  if (flag >= r->bytes) {
    r->at = r->bytes;
    return complain(r, "the outcome of a transaction");
  }
  builder_txn(r->builder, session, r->data[flag] ? OUTCOME_OK : OUTCOME_ABORTED,
              ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  bool committed = false;
  return read_events(r, nevents) ||
                 read_flag(r, "0 or 1 for the outcome", &committed)
             ? -1
             : 0;
}

static int read_sessions(struct reading *r) {
  uint64_t nsessions, ntxns;
  if (skip_head(r) || read_count(r, "a number of sessions", 8, &nsessions))
    return -1;
  for (uint64_t s = 0; s < nsessions; s++) {
    if (read_count(r, "a number of transactions", 9, &ntxns))
      return -1;
    for (uint64_t t = 0; t < ntxns; t++)
      if (read_txn(r, s))
        return -1;
  }
  return r->at == r->bytes ? 0 : complain(r, "the end of the file");
}

static int bincode_read(const char *path, struct history *history,
                        struct error *error) {
  struct reading r = {.path = path, .error = error};
  unsigned char *data = file_load(path, SIZE_MAX - 1, &r.bytes, error);
  if (!data)
    return -1;
  r.data = data;
  r.builder = builder_open();
  int status = read_sessions(&r);
  if (status)
    builder_free(r.builder);
  else if ((status = builder_finish(r.builder, history, error)))
    error_prefix(error, "%s", path);
  free(data);
  return status;
}

// There is no magic number: the three texts must be where the lengths before
// them say, and must be text.
static bool bincode_recognise(const unsigned char *head, size_t bytes) {
  struct reading r = {.data = head, .bytes = bytes, .at = PARAMETERS};
  for (int i = 0; i < TEXTS; i++) {
    if (bytes < r.at || !has(&r, 8))
      return false;
    uint64_t length = number(&r);
    if (length > TEXT_MAX || !has(&r, length))
      return false;
    if (memchr(head + r.at, 0, length))
      return false;
    r.at += length;
  }
  return has(&r, 16) && number(&r) < VALUE_MAX_SESSIONS;
}

const struct history_format format_bincode = {
    .name = "bincode",
    .summary = "dbcop's and PolySI's history.bincode",
    .recognise = bincode_recognise,
    .read = bincode_read,
};
