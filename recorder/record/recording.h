// SPDX-License-Identifier: GPL-3.0-or-later
// Records a history while it happens.  Every session writes to a session log of
// its own, without locks or allocations; full pieces of session logs go to one
// thread that compresses them and appends them to the file
// (recorder/native/FORMAT.md).
#ifndef RECORDER_RECORD_RECORDING_H
#define RECORDER_RECORD_RECORDING_H

#include "base/error.h"
#include "base/isolation.h"
#include "base/operation.h"
#include "base/outcome.h"
#include "recorder/events.h"
#include "recorder/record/backpressure.h"
#include "sql/tables.h"

#include <stdbool.h>
#include <stdint.h>

struct recording;
struct session_log; // used by one thread at a time

// Creates the file, which must not exist.  `about` is stored as it is: lines
// "name = value" that describe the run, without secrets.  All times are given
// as clock_now() would and stored relative to `start`.  With `tables`, which
// may be NULL, it is one of statements on these, whose times are those of
// statements.
int recording_open(const char *path, uint32_t nsessions, bool op_times,
                   uint64_t start, const char *about,
                   const struct tables *tables, struct recording **recording,
                   struct error *error);

// For somebody who reads the file while it is written: sessions hand over what
// they did as often as the pace says, instead of once a second, and wait where
// it says.  Before any session log is asked for; the pace, which is ended by
// recording_close, outlives the recording.
void recording_follow(struct recording *recording,
                      struct backpressure *backpressure);

// Made when it is asked for first.
struct session_log *recording_session_log(struct recording *recording,
                                          uint32_t session);

// A transaction in a session log is: begin, operations, end.  Every write gets
// value_of_write(session, n) with n counting up from 0 in the session, whatever
// the outcome.  Operation times are ignored unless op_times was asked for.
void session_log_begin(struct session_log *log, enum isolation level,
                       uint64_t time);
// After session_log_begin, of a run that has several endpoints: the number of
// the one that the open transaction goes to, at most 254.
void session_log_endpoint(struct session_log *log, uint32_t endpoint);

// A read, a write or an append.
void session_log_op(struct session_log *log, enum op_kind kind, uint64_t key,
                    uint64_t value, uint64_t begin, uint64_t end);
// A CAS that took place; one that failed is an OP_READ of what was found.
void session_log_cas(struct session_log *log, uint64_t key, uint64_t expected,
                     uint64_t value, uint64_t begin, uint64_t end);
void session_log_list(struct session_log *log, uint64_t key,
                      const struct value_list *list, uint64_t begin,
                      uint64_t end);
// A statement on rows of so many columns and what it did to them.  One that
// writes takes the stamp of the session's next write.  `times` is there for all
// statements of the recording, or NULL for all.
void session_log_statement(struct session_log *log,
                           const struct statement *statement,
                           uint32_t nparameters, uint32_t ncolumns,
                           uint64_t stamp, const struct row_list *rows,
                           const struct statement_times *times);
// As the next one, of a transaction that committed but for single writes that
// the database refused, for this reason: one entry per write, true if it has no
// effect.  It is recorded as several that follow each other at the same time:
// what took effect committed, the rest aborted.
void session_log_end_in_parts(struct session_log *log, const bool *refused,
                              enum cause cause, uint64_t time);
void session_log_end(struct session_log *log, enum outcome outcome,
                     enum cause cause, uint64_t time);

// The session records nothing more: hands over what is left, and frees its
// session log once that has been written.
void recording_end_session(struct recording *recording, uint32_t session);

// Any thread, until recording_close: appends a chunk with this text, which is
// copied; of a kind that readers may skip (recorder/native/chunk.h).
void recording_note(struct recording *recording, uint8_t kind,
                    const char *text);

// Any thread, until recording_close: keeps an event with this number, when it
// begins and again when it ends; `recording` is a struct recording
// (event_log_follow).
void recording_event(void *recording, uint32_t number,
                     const struct event *event);

// Between transactions: waits for whoever reads the file along, if they are too
// far behind.  True if it did.
bool session_log_keep_pace(struct session_log *log);

// True once the file cannot be written any more (disk full): what was recorded
// up to then is kept, what comes later is dropped.  Cheap; for any thread.
bool recording_failed(const struct recording *recording);

// Writes what is left and the closing mark, frees everything.  No session log
// is in use by then.  -1 with a sentence if anything could not be written; the
// file then holds what could.
int recording_close(struct recording *recording, struct error *error);

#endif
