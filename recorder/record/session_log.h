// SPDX-License-Identifier: GPL-3.0-or-later
// Session logs, between session_log.c, which fills them, encode.c, which makes
// chunks of them, and recording.c, which writes these.
#ifndef RECORDER_RECORD_SESSION_LOG_H
#define RECORDER_RECORD_SESSION_LOG_H

#include "recorder/native/chunk.h"
#include "recorder/record/recording.h"
#include "recorder/record/statement_log.h"

#include <stdalign.h>
#include <stddef.h>

// A session's notes since it last handed a piece over, in the columns of the
// file.
struct log_piece {
  // Per operation, and per read.
  uint32_t nops, op_room;
  uint32_t quick_ops; // so many need no more than a note; 0: times are noted
  uint8_t *kind;
  uint64_t *key;
  uint64_t *op_gap, *op_duration; // NULL unless asked for
  uint32_t nreads;                // of registers; compare-and-sets among them
  uint64_t *seen;
  uint32_t nlists;
  uint64_t *list_length;
  uint32_t nelements, element_room;
  uint64_t *element;
  struct statement_log statements;

  // Per transaction that has ended.
  uint32_t ntxns, txn_room;
  uint8_t *outcome, *cause, *level;
  uint8_t *endpoint; // NULL unless it was noted
  uint64_t *gap, *duration, *txn_nops;

  uint32_t session, number;
  uint64_t before; // as clock_now: what the first gap is counted from
  uint64_t first_txn, first_write;
  // Once it is handed over.
  uint32_t nwrites;
  uint64_t origin; // begin of the first one, ns since the start of the run

  bool busy;              // the writer's
  struct log_piece *next; // in the writer's queue
};

struct session_log {
  alignas(128) struct log_piece *piece; // being filled; one of `pieces`
  uint64_t next_value;                  // of the next write
  uint64_t start;                       // of the run
  uint64_t max_age;                     // ns, of what has not been handed over
  uint32_t max_txns;                    // likewise
  uint32_t first_op;                    // of the open transaction, in the piece
  struct statement_mark first_statement; // likewise
  uint64_t began, ended;                 // the last transaction, as clock_now
  uint64_t op_ended; // the last operation or statement; only with times
  uint32_t session;
  bool open, handed_over; // since it was asked to keep pace
  struct recording *recording;
  struct log_piece pieces[2];
};

void session_log_init(struct session_log *log, struct recording *recording,
                      uint32_t session, bool op_times, uint64_t start);
void session_log_fini(struct session_log *log);
// Before it is used: hands over sooner.
void session_log_hurry(struct session_log *log,
                       const struct backpressure_limits *limits);
// Hands over what is left; no transaction is open.
void session_log_finish(struct session_log *log);

// Waits until the writer has done with a piece.
void recording_wait_for(struct recording *recording,
                        const struct log_piece *piece);
// Gives a piece to the writer, which will set `busy` to false when done.
void recording_take(struct recording *recording, struct log_piece *piece);

// Waits for whoever reads along, if they are too far behind; true if it did.
bool recording_keep_pace(struct recording *recording);

// The state of encoding; zero-initialised is ready to use.
struct encoder {
  void *zstd;
  unsigned char *raw, *out;
  size_t raw_room, out_room;
};

// Makes the chunk of a piece, of a text, the about text of so many sessions, or
// of the closing mark.  It stays in encoder->out until the next call.  Returns
// its length in bytes; 0 if it is too large for a chunk.
size_t encode_piece(struct encoder *encoder, const struct log_piece *piece);
size_t encode_text(struct encoder *encoder, enum chunk_kind kind,
                   const char *text, uint32_t nsessions);
size_t encode_closing(struct encoder *encoder, uint32_t nsessions,
                      const uint64_t *ntxns, const uint64_t *nwrites);
void encoder_free(struct encoder *encoder);

#endif
