// SPDX-License-Identifier: GPL-3.0-or-later
// Records a history that came from elsewhere in our own format.  There a value
// says who wrote it, so all values are new ones.
#include "config.h"

#include "recorder/files/native_rows.h"

#include "base/file.h"
#include "recorder/files/set.h"
#include "recorder/formats/export.h"
#include "recorder/formats/formats.h"
#include "recorder/native/native.h"
#include "recorder/record/recording.h"

#include <assert.h>
#include <stdlib.h>

enum { LIST_HEAD_BYTES = 64 };

// The value that was read, as a new value.  Nobody has written what is out of
// thin air, and what was different there is so here: from 2^62 on there are
// texts.
static uint64_t native_value_seen(const struct export_writing *w, uint32_t saw,
                                  uint64_t value) {
  if (saw == SAW_INITIAL)
    return VALUE_INITIAL;
  if (saw < w->h->nops)
    return writing_name(w, saw);
  return value >> VALUE_SEQUENCE_BITS >= VALUE_MAX_SESSIONS
             ? value
             : value | UINT64_C(1) << 63;
}

static void record_list(const struct export_writing *w, struct session_log *log,
                        uint32_t op, uint64_t begin, uint64_t end) {
  assert(w->h->kind[op] == OP_READ_LIST);
  const struct history *h = w->h;
  const uint32_t list = h->saw[op];
  struct value_list values = {0};
  for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++)
    value_list_push(&values,
                    native_value_seen(w, h->element[i], h->element_value[i]));
  session_log_list(log, writing_key(w, h->key[op]), &values, begin, end);
  value_list_free(&values);
}

static void record_op(const struct export_writing *w, struct session_log *log,
                      uint32_t op) {
  assert(op < w->h->nops);
  const struct history *h = w->h;
  const uint64_t key = writing_key(w, h->key[op]);
  const uint64_t begin = h->op_begin ? h->op_begin[op] : 0;
  const uint64_t end = h->op_end ? h->op_end[op] : 0;
  if (h->kind[op] == OP_READ_LIST)
    record_list(w, log, op, begin, end);
  else if (h->kind[op] == OP_CAS)
    session_log_cas(log, key,
                    native_value_seen(w, h->saw[op], history_expected(h, op)),
                    writing_name(w, op), begin, end);
  else
    session_log_op(log, (enum op_kind)h->kind[op], key,
                   op_writes(h->kind[op])
                       ? writing_name(w, op)
                       : native_value_seen(w, h->saw[op], h->value[op]),
                   begin, end);
}

// `rows` is NULL where the history has none.
static void record_txn(const struct export_writing *w,
                       const struct native_rows *rows, struct session_log *log,
                       uint32_t t) {
  assert(t < w->h->ntxns);
  const struct history *h = w->h;
  session_log_begin(log, (enum isolation)h->level[t],
                    h->begin ? h->begin[t] : TIME_UNKNOWN);
  if (h->endpoint && h->endpoint[t] != HISTORY_NO_ENDPOINT)
    session_log_endpoint(log, h->endpoint[t]);
  if (rows)
    native_rows_record(rows, log, t);
  for (uint32_t op = h->txn_first[t]; !rows && op < h->txn_first[t + 1]; op++)
    record_op(w, log, op);
  session_log_end(log, (enum outcome)h->outcome[t], (enum cause)h->cause[t],
                  h->end ? h->end[t] : TIME_UNKNOWN);
}

static void record_events(const struct history *h,
                          struct recording *recording) {
  for (uint32_t i = 0; i < h->nevents; i++)
    recording_event(recording, i, &h->events[i]);
}

static int record_all(struct export_writing *w,
                      const struct native_rows *rows) {
  const struct history *h = w->h;
  struct recording *recording;
  if (recording_open(w->path, h->nsessions, h->op_begin != NULL, 0, h->about,
                     rows ? &rows->tables : NULL, &recording, w->error))
    return -1;
  record_events(h, recording);
  for (uint32_t s = 0, t; s < h->nsessions; s++) {
    for (writing_start(w, s); writing_next(w, s, &t);)
      record_txn(w, rows, recording_session_log(recording, s), t);
    recording_end_session(recording, s);
  }
  return recording_close(recording, w->error);
}

static int native_write(struct export_writing *w) {
  struct native_rows rows;
  if (w->h->nsessions > VALUE_MAX_SESSIONS)
    return error_set(w->error, "%s: has more sessions than can be recorded",
                     w->path);
  if (!w->h->rows)
    return record_all(w, NULL);
  if (native_rows_open(&rows, w))
    return -1;
  const int status = record_all(w, &rows);
  native_rows_close(&rows);
  return status;
}

// A file, or the list of several.
static bool recognise_native(const unsigned char *head, size_t bytes) {
  return native_recognise(head, bytes) || set_recognise(head, bytes);
}

static int read_native(const char *path, const volatile bool *stop,
                       struct history *history, struct error *error) {
  struct error none;
  size_t bytes;
  unsigned char *head = file_load(path, LIST_HEAD_BYTES, &bytes, &none);
  const bool is_list = head && set_recognise(head, bytes);
  free(head);
  return is_list ? set_read(path, stop, history, error)
                 : native_read(path, stop, history, error);
}

const struct history_format format_native = {
    .name = "isostress",
    .summary = "what isostress run records",
    .says = ~(unsigned)(FEATURE_NAMES | FEATURE_VALUES | FEATURE_DUPLICATES |
                        FEATURE_LOST | FEATURE_FIRSTS | FEATURE_SETS),
    .extension = "iso",
    .write = native_write,
    .written_as = WRITTEN_FILE,
    .names = NAMES_WRITES,
    .recognise = recognise_native,
    .read = read_native,
};
