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

struct tape {
  char *text; // grows; "1.5:[w0=1 r0=1] committed" and so on
  size_t length, room;
  uint64_t ntxns, ended[OUTCOME_COUNT], nwrites;
  uint64_t last_begin, last_end; // of transactions
  uint64_t op_end;               // of the last operation
  bool open, op_times, ordered;  // false: times went backwards
};

// The recording of the run that was last.
struct recording {
  struct tape tapes[TAPED_SESSIONS];
  uint64_t start;
  uint64_t fail_after; // transactions of a session; 0: never
  atomic_bool failed;
  bool open;
};
static struct recording taped;

static void taped_forget(void) {
  for (int i = 0; i < TAPED_SESSIONS; i++)
    free(taped.tapes[i].text);
  memset(&taped, 0, sizeof taped);
}

__attribute__((format(printf, 2, 3))) static void
taped_print(struct tape *tape, const char *format, ...) {
  char piece[96];
  va_list args;
  va_start(args, format);
  const size_t bytes = (size_t)vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  assert(bytes < sizeof piece);
  if (tape->length + bytes + 1 > tape->room) {
    tape->room = 2 * tape->room + sizeof piece;
    tape->text = xrealloc(tape->text, tape->room, 1);
  }
  memcpy(tape->text + tape->length, piece, bytes + 1);
  tape->length += bytes;
}

int recording_open(const char *path, uint32_t nsessions, bool op_times,
                   uint64_t start, const char *about,
                   struct recording **recording, struct error *error) {
  (void)path, (void)about;
  assert(nsessions <= TAPED_SESSIONS);
  if (!strcmp(path, "refuse"))
    return error_set(error, "refused");
  const uint64_t fail_after = taped.fail_after;
  taped_forget();
  taped.start = start;
  taped.open = true;
  taped.fail_after = fail_after;
  for (int i = 0; i < TAPED_SESSIONS; i++) {
    taped.tapes[i].op_times = op_times;
    taped.tapes[i].ordered = true;
    taped.tapes[i].last_end = start;
  }
  *recording = &taped;
  return 0;
}

void recording_follow(struct recording *recording, struct pace *pace) {
  (void)recording;
  (void)pace;
}

bool tape_keep_pace(struct tape *tape) {
  (void)tape;
  return false;
}

struct tape *recording_tape(struct recording *recording, uint32_t session) {
  return &recording->tapes[session];
}

void tape_begin(struct tape *tape, enum isolation level, uint64_t time) {
  assert(!tape->open && level == ISOLATION_RC);
  tape->open = true;
  tape->ordered &= time >= tape->last_end;
  tape->last_begin = tape->op_end = time;
  taped_print(tape, "[");
}

// As "@2".
void tape_endpoint(struct tape *tape, uint32_t endpoint) {
  assert(tape->open);
  taped_print(tape, "@%u", (unsigned)endpoint);
}

static void taped_op(struct tape *tape, uint64_t begin, uint64_t end) {
  assert(tape->open);
  if (tape->op_times) {
    tape->ordered &= begin >= tape->op_end && end >= begin;
    tape->op_end = end;
  }
}

// Writes as their sequence numbers, which must count up.
static void taped_write(struct tape *tape, uint64_t value) {
  assert(value_session(value) == (uint32_t)(tape - taped.tapes));
  assert(value_sequence(value) == tape->nwrites);
  tape->nwrites++;
}

static void taped_value(struct tape *tape, uint64_t value) {
  if (value == VALUE_INITIAL)
    taped_print(tape, "-");
  else
    taped_print(tape, "%u.%u", value_session(value),
                (unsigned)value_sequence(value));
}

void tape_op(struct tape *tape, enum op_kind kind, uint64_t key, uint64_t value,
             uint64_t begin, uint64_t end) {
  static const char names[] = {
      [OP_READ] = 'r', [OP_WRITE] = 'w', [OP_APPEND] = 'a'};
  assert(kind == OP_READ || kind == OP_WRITE || kind == OP_APPEND);
  taped_op(tape, begin, end);
  if (op_writes(kind))
    taped_write(tape, value);
  taped_print(tape, " %c%u=", names[kind], (unsigned)key);
  taped_value(tape, value);
}

void tape_cas(struct tape *tape, uint64_t key, uint64_t expected,
              uint64_t value, uint64_t begin, uint64_t end) {
  taped_op(tape, begin, end);
  taped_write(tape, value);
  taped_print(tape, " c%u:", (unsigned)key);
  taped_value(tape, expected);
  taped_print(tape, "=");
  taped_value(tape, value);
}

void tape_list(struct tape *tape, uint64_t key, const struct value_list *list,
               uint64_t begin, uint64_t end) {
  taped_op(tape, begin, end);
  taped_print(tape, " l%u=", (unsigned)key);
  for (uint32_t i = 0; i < list->count; i++) {
    taped_print(tape, "%s", i ? "," : "");
    taped_value(tape, list->values[i]);
  }
}

void tape_end(struct tape *tape, enum outcome outcome, enum cause cause,
              uint64_t time) {
  assert(tape->open);
  assert((outcome == OUTCOME_OK) == (cause == CAUSE_NONE));
  tape->open = false;
  tape->ordered &= time >= tape->op_end;
  tape->last_end = time;
  tape->ntxns++;
  tape->ended[outcome]++;
  taped_print(tape, " ]%c ",
              outcome == OUTCOME_OK        ? '+'
              : outcome == OUTCOME_ABORTED ? '-'
                                           : '?');
  if (taped.fail_after && tape->ntxns >= taped.fail_after)
    atomic_store(&taped.failed, true);
}

void tape_end_in_parts(struct tape *tape, const bool *refused, enum cause cause,
                       uint64_t time) {
  assert(cause != CAUSE_NONE);
  taped_print(tape, " %s", refused[0] ? "refused" : "kept");
  tape_end(tape, OUTCOME_OK, CAUSE_NONE, time);
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
  return taped.tapes[session].text ? taped.tapes[session].text : "";
}

#endif
