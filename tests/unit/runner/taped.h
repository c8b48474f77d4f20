// SPDX-License-Identifier: GPL-3.0-or-later
// For the tests of the runner: a recording that can be looked at.  Defining the
// recorder's functions here keeps the linker from taking the real ones.
#ifndef TESTS_UNIT_RUNNER_TAPED_H
#define TESTS_UNIT_RUNNER_TAPED_H

#include "base/memory.h"
#include "recorder/record/recording.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAPED_SESSIONS = 64 };

struct session_log {
  char *text; // grows; "1.5:[w0=1 r0=1] committed" and so on
  size_t length, room;
  uint64_t ntxns, ended[OUTCOME_COUNT], nwrites;
  uint64_t last_begin, last_end; // of transactions
  uint64_t op_end;               // of the last operation
  bool open, op_times, ordered;  // false: times went backwards
};

// The recording of the run that was last.
struct recording {
  struct session_log session_logs[TAPED_SESSIONS];
  uint64_t start;
  uint64_t fail_after; // transactions of a session; 0: never
  atomic_bool failed;
  bool open;
};
static struct recording taped;

static void taped_forget(void) {
  for (int i = 0; i < TAPED_SESSIONS; i++)
    free(taped.session_logs[i].text);
  memset(&taped, 0, sizeof taped);
}

__attribute__((format(printf, 2, 3))) static void
taped_print(struct session_log *log, const char *format, ...) {
  char piece[96];
  va_list args;
  va_start(args, format);
  const size_t bytes = (size_t)vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  assert(bytes < sizeof piece);
  if (log->length + bytes + 1 > log->room) {
    log->room = 2 * log->room + sizeof piece;
    log->text = xrealloc(log->text, log->room, 1);
  }
  memcpy(log->text + log->length, piece, bytes + 1);
  log->length += bytes;
}

int recording_open(const char *path, uint32_t nsessions, bool op_times,
                   uint64_t start, const char *about,
                   const struct tables *tables, struct recording **recording,
                   struct error *error) {
  (void)path, (void)about, (void)tables;
  assert(nsessions <= TAPED_SESSIONS);
  if (!strcmp(path, "refuse"))
    return error_set(error, "refused");
  const uint64_t fail_after = taped.fail_after;
  taped_forget();
  taped.start = start;
  taped.open = true;
  taped.fail_after = fail_after;
  for (int i = 0; i < TAPED_SESSIONS; i++) {
    taped.session_logs[i].op_times = op_times;
    taped.session_logs[i].ordered = true;
    taped.session_logs[i].last_end = start;
  }
  *recording = &taped;
  return 0;
}

void session_log_statement(struct session_log *log,
                           const struct statement *statement,
                           uint32_t nparameters, uint32_t ncolumns,
                           uint64_t stamp, const struct row_list *rows,
                           const struct statement_times *times) {
  (void)nparameters, (void)ncolumns, (void)stamp, (void)times;
  taped_print(log, "%s%u ", statement_word(statement->sort), rows->count);
}

void recording_follow(struct recording *recording,
                      struct backpressure *backpressure) {
  (void)recording;
  (void)backpressure;
}

bool session_log_keep_pace(struct session_log *log) {
  (void)log;
  return false;
}

struct session_log *recording_session_log(struct recording *recording,
                                          uint32_t session) {
  return &recording->session_logs[session];
}

void session_log_begin(struct session_log *log, enum isolation level,
                       uint64_t time) {
  assert(!log->open && level == ISOLATION_RC);
  log->open = true;
  log->ordered &= time >= log->last_end;
  log->last_begin = log->op_end = time;
  taped_print(log, "[");
}

// As "@2".
void session_log_endpoint(struct session_log *log, uint32_t endpoint) {
  assert(log->open);
  taped_print(log, "@%u", (unsigned)endpoint);
}

static void taped_op(struct session_log *log, uint64_t begin, uint64_t end) {
  assert(log->open);
  if (log->op_times) {
    log->ordered &= begin >= log->op_end && end >= begin;
    log->op_end = end;
  }
}

// Writes as their sequence numbers, which must count up.
static void taped_write(struct session_log *log, uint64_t value) {
  assert(value_session(value) == (uint32_t)(log - taped.session_logs));
  assert(value_sequence(value) == log->nwrites);
  log->nwrites++;
}

static void taped_value(struct session_log *log, uint64_t value) {
  if (value == VALUE_INITIAL)
    taped_print(log, "-");
  else
    taped_print(log, "%u.%u", value_session(value),
                (unsigned)value_sequence(value));
}

void session_log_op(struct session_log *log, enum op_kind kind, uint64_t key,
                    uint64_t value, uint64_t begin, uint64_t end) {
  static const char names[] = {
      [OP_READ] = 'r', [OP_WRITE] = 'w', [OP_APPEND] = 'a'};
  assert(kind == OP_READ || kind == OP_WRITE || kind == OP_APPEND);
  taped_op(log, begin, end);
  if (op_writes(kind))
    taped_write(log, value);
  taped_print(log, " %c%u=", names[kind], (unsigned)key);
  taped_value(log, value);
}

void session_log_cas(struct session_log *log, uint64_t key, uint64_t expected,
                     uint64_t value, uint64_t begin, uint64_t end) {
  taped_op(log, begin, end);
  taped_write(log, value);
  taped_print(log, " c%u:", (unsigned)key);
  taped_value(log, expected);
  taped_print(log, "=");
  taped_value(log, value);
}

void session_log_list(struct session_log *log, uint64_t key,
                      const struct value_list *list, uint64_t begin,
                      uint64_t end) {
  taped_op(log, begin, end);
  taped_print(log, " l%u=", (unsigned)key);
  for (uint32_t i = 0; i < list->count; i++) {
    taped_print(log, "%s", i ? "," : "");
    taped_value(log, list->values[i]);
  }
}

void session_log_end(struct session_log *log, enum outcome outcome,
                     enum cause cause, uint64_t time) {
  assert(log->open);
  assert((outcome == OUTCOME_OK) == (cause == CAUSE_NONE));
  log->open = false;
  log->ordered &= time >= log->op_end;
  log->last_end = time;
  log->ntxns++;
  log->ended[outcome]++;
  taped_print(log, " ]%c ",
              outcome == OUTCOME_OK        ? '+'
              : outcome == OUTCOME_ABORTED ? '-'
                                           : '?');
  if (taped.fail_after && log->ntxns >= taped.fail_after)
    atomic_store(&taped.failed, true);
}

void session_log_end_in_parts(struct session_log *log, const bool *refused,
                              enum cause cause, uint64_t time) {
  assert(cause != CAUSE_NONE);
  taped_print(log, " %s", refused[0] ? "refused" : "kept");
  session_log_end(log, OUTCOME_OK, CAUSE_NONE, time);
}

void recording_note(struct recording *recording, uint8_t kind,
                    const char *text) {
  (void)recording, (void)kind, (void)text;
}

void recording_event(void *recording, uint32_t number,
                     const struct event *event) {
  (void)recording, (void)number, (void)event;
}

bool recording_failed(const struct recording *recording) {
  return atomic_load(&recording->failed);
}

int recording_close(struct recording *recording, struct error *error) {
  recording->open = false;
  return atomic_load(&recording->failed) ? error_set(error, "the disk is full")
                                         : 0;
}

static inline const char *taped_text(uint32_t session) {
  return taped.session_logs[session].text ? taped.session_logs[session].text
                                          : "";
}

#endif
