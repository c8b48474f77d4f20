// SPDX-License-Identifier: GPL-3.0-or-later
// Our own format (recorder/native/FORMAT.md) as one of those that can be read,
// and what is said of a file of which a part was lost.
#include "config.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/stop.h"
#include "recorder/native/native.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

bool native_recognise(const unsigned char *head, size_t bytes) {
  size_t n = bytes < FILE_MAGIC_BYTES ? bytes : FILE_MAGIC_BYTES;
  return n && memcmp(head, FILE_MAGIC, n) == 0;
}

void native_loading_fini(struct loading *l) {
  FREE_EACH(l->scan.sessions, l->scan.places, l->scan.ordered,
            l->decoder.writes, l->decoder.ranges, l->odd, l->decoder.strays,
            l->decoder.pieces, l->decoder.longest, l->file.raw, l->file.stored,
            l->scan.tables);
  number_map_free(&l->decoder.keys);
  ZSTD_freeDCtx(l->file.zstd);
}

bool native_is_stopped(const struct loading *l) {
  if (!stop_is_set(l->stop))
    return false;
  error_set(l->error, "%s: stopped while it was read", l->file.path);
  return true;
}

// The sessions with the fewest and the most transactions, for the sentence.
static void state_kept(const struct loading *l, char *text, size_t room) {
  const struct history *h = l->history;
  uint64_t min = UINT64_MAX, max = 0;
  for (uint32_t s = 0; s < h->nsessions; s++) {
    uint64_t n = l->scan.sessions[s].ntxns;
    min = n < min ? n : min;
    max = n > max ? n : max;
  }
  if (!h->ntxns) {
    snprintf(text, room, "no transaction is usable");
    return;
  }
  snprintf(text, room,
           "%" PRIu32 " transactions of %" PRIu32 " sessions are usable"
           " (%" PRIu64 " to %" PRIu64 " each)",
           h->ntxns, h->nsessions, min, max);
}

void native_state_loss(const struct loading *l) {
  const struct history *h = l->history;
  char kept[128], lost[64] = "";
  state_kept(l, kept, sizeof kept);
  if (h->lost_txns)
    snprintf(lost, sizeof lost, ", %s%" PRIu64 " are lost",
             l->scan.closed ? "" : "at least ", h->lost_txns);
  if (l->scan.damages)
    error_set(l->error,
              "%s: is damaged in %" PRIu64 " place%s, first at byte %zu; %s%s",
              l->file.path, l->scan.damages, l->scan.damages == 1 ? "" : "s",
              l->scan.first_damage, kept, lost);
  else if (!l->scan.closed && l->scan.torn)
    error_set(l->error,
              "%s: is cut off, its last %zu bytes are a torn chunk; %s%s",
              l->file.path, l->scan.torn, kept, lost);
  else if (!l->scan.closed)
    error_set(l->error, "%s: was not closed, its end is missing; %s%s",
              l->file.path, kept, lost);
  else if (h->lost_txns)
    error_set(l->error, "%s: lacks a chunk; %s%s", l->file.path, kept, lost);
  else if (l->scan.behind)
    error_set(l->error,
              "%s: is whole, but the %zu bytes behind its closing mark are not "
              "part of it",
              l->file.path, l->scan.behind);
}

// A history that came from elsewhere may have no times.
static void drop_unknown_times(struct history *h) {
  bool known = false;
  for (uint32_t t = 0; t < h->ntxns && h->begin && !known; t++)
    known = h->begin[t] != TIME_UNKNOWN || h->end[t] != TIME_UNKNOWN;
  if (known || !h->ntxns)
    return;
  free(h->begin);
  free(h->end);
  h->begin = h->end = NULL;
}

// A list that nobody read is one, too.
static void note_appends(struct history *h) {
  if (!h->lists && h->nops)
    h->lists = memchr(h->kind, OP_APPEND, h->nops) != NULL;
}

static int load_history(struct loading *l) {
  if (native_scan(l) ||
      (l->scan.has_rows ? native_decode_rows(l)
                        : native_decode(l) || native_resolve(l))) {
    history_free(l->history);
    return -1;
  }
  drop_unknown_times(l->history);
  note_appends(l->history);
  return 0;
}

int native_read_tail(const char *path, const unsigned char *data, size_t bytes,
                     struct history *history, size_t *whole,
                     struct error *error) {
  assert(data || !bytes);
  struct loading l = {.file = {.path = path, .data = data, .bytes = bytes},
                      .history = history,
                      .error = error,
                      .is_tail = true};
  *history = (struct history){0};
  const int status = load_history(&l);
  if (!status && !l.scan.has_rows)
    native_supply_past(&l);
  *whole = bytes - l.scan.torn;
  native_loading_fini(&l);
  return status;
}

static int read_into(struct loading *l) {
  const int status = load_history(l);
  if (!status)
    native_state_loss(l);
  native_loading_fini(l);
  return status;
}

// A file all of whose chunks are whole need never be in memory as a whole.
static int read_whole(struct loading l) {
  struct stat st = {0};
  l.file.fd = file_open(l.file.path, &st, l.error);
  if (l.file.fd < 0)
    return -1;
  l.file.bytes = (size_t)st.st_size;
  const int status = read_into(&l);
  close(l.file.fd);
  return status;
}

// One of which a part was lost is searched for what is left.
static int read_damaged(struct loading l) {
  unsigned char *data =
      file_load(l.file.path, SIZE_MAX - 1, &l.file.bytes, l.error);
  if (!data)
    return -1;
  l.file.data = data;
  const int status = read_into(&l);
  free(data);
  return status;
}

int native_read_bytes(const char *path, const unsigned char *data, size_t bytes,
                      const volatile bool *stop, struct history *history,
                      struct error *error) {
  struct loading l = {.file = {.path = path, .data = data, .bytes = bytes},
                      .history = history,
                      .error = error,
                      .stop = stop};
  *history = (struct history){0};
  return read_into(&l);
}

int native_read(const char *path, const volatile bool *stop,
                struct history *history, struct error *error) {
  const struct loading l = {
      .file.path = path, .history = history, .error = error, .stop = stop};
  const struct error before = *error;
  if (read_whole(l) == 0)
    return 0;
  if (native_is_stopped(&l))
    return -1;
  *error = before;
  return read_damaged(l);
}
