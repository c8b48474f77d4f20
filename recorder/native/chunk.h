// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of a history on disk, versions 1 and 2: what
// recorder/native/FORMAT.md says, as numbers and structures for the writer and
// the reader.
#ifndef RECORDER_NATIVE_CHUNK_H
#define RECORDER_NATIVE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_MAGIC "\x89ISOH\r\n\x1a"
#define CHUNK_MAGIC                                                            \
  "\x89"                                                                       \
  "CHK"

enum {
  FILE_MAGIC_BYTES = 8,
  FILE_VERSION = 1,
  FILE_VERSION_ROWS = 2, // with statements on tables of rows
  FILE_HEADER_BYTES = 32,
  CHUNK_MAGIC_BYTES = 4,
  CHUNK_HEADER_BYTES = 88,
  CHUNK_HEADER_MAX = 4096, // of a later version

  // Limits of a chunk's content for each stored byte, so that a small file
  // cannot ask for much memory.
  CHUNK_COUNTS_PER_BYTE = 64,
  CHUNK_RAW_PER_BYTE = 512,
  CHUNK_RAW_MAX = 1 << 30,
  FILE_SESSIONS_PER_BYTE = 64, // likewise, of a file
};

enum chunk_kind {
  CHUNK_ABOUT = 1,
  CHUNK_TRANSACTIONS = 2,
  CHUNK_CLOSING = 3,
  CHUNK_TABLES = 4,      // of version 2
  CHUNK_MAY_SKIP = 0x80, // kinds from here on may be skipped by who does not
                         // know them
  CHUNK_EVENTS = 0x80,   // text: recorder/events.h
  CHUNK_CLOCK = 0x81,    // of a part of a set: recorder/record/part_note.h
};

enum chunk_compression { CHUNK_PLAIN = 0, CHUNK_ZSTD = 1 };

enum column_id {
  // Per transaction.
  COLUMN_OUTCOME = 1,
  COLUMN_CAUSE = 2,
  COLUMN_LEVEL = 3,
  COLUMN_GAP = 4,      // begin, after the end of the one before
  COLUMN_DURATION = 5, // end, after begin
  COLUMN_NOPS = 6,
  COLUMN_NSTATEMENTS = 7,
  // Per operation.
  COLUMN_KIND = 16,
  COLUMN_KEY = 17,
  COLUMN_OP_GAP = 18,      // begin, after the end of the one before
  COLUMN_OP_DURATION = 19, // end, after begin
  // Per register read and compare-and-set: the value it saw.
  COLUMN_SEEN_SESSION = 32,
  COLUMN_SEEN_SEQUENCE = 33,
  // Per list read, and per element of all lists.
  COLUMN_LIST_LENGTH = 34,
  COLUMN_ELEMENT_SESSION = 35,
  COLUMN_ELEMENT_SEQUENCE = 36,
  // Reserved: per write, where its value is not implied.
  COLUMN_WRITTEN_SESSION = 37,
  COLUMN_WRITTEN_SEQUENCE = 38,
  // Per statement.
  COLUMN_STATEMENT_SORT = 48,
  COLUMN_STATEMENT_TABLE = 49,
  COLUMN_STATEMENT_TEMPLATE = 50,
  COLUMN_STATEMENT_NOPS = 51,
  COLUMN_PARAMETER = 52, // per parameter of the statements
  COLUMN_NUMBER = 53,    // per column of the rows that were inserted or changed
  // Closing mark, per session.
  COLUMN_TOTAL_TXNS = 64,
  COLUMN_TOTAL_WRITES = 65,

  COLUMN_MAY_SKIP = 0x80, // as CHUNK_MAY_SKIP
  COLUMN_ENDPOINT = 0x80, // per transaction
  // Per statement: as those of operations.
  COLUMN_STATEMENT_GAP = 0x81,
  COLUMN_STATEMENT_DURATION = 0x82,
  COLUMN_IDS, // above all that are known
};

struct chunk_header {
  uint8_t kind, compression;
  uint16_t header_bytes;
  uint32_t stored_bytes, raw_bytes; // of the payload
  uint32_t session, number;         // number: of this session's chunks, from 0
  uint32_t ntxns, nops, nwrites, nlists, nelements;
  uint64_t first_txn, first_write; // numbers in the session
  uint64_t origin;                 // begin of the first transaction
  uint64_t payload_checksum;
};

void file_header_store(unsigned char out[FILE_HEADER_BYTES], uint32_t version,
                       uint32_t nsessions);

// Fills in the payload's checksum and writes the header.
void chunk_header_store(unsigned char out[CHUNK_HEADER_BYTES],
                        struct chunk_header *header,
                        const unsigned char *payload);

// Reads the header of a chunk from `bytes` bytes up to the end of the file;
// false if there is none, or a damaged one.
bool chunk_header_load(const unsigned char *p, size_t bytes,
                       struct chunk_header *header);

bool chunk_payload_is_whole(const struct chunk_header *header,
                            const unsigned char *payload);

// Makes room for so many bytes, of which nothing is kept.
void chunk_reserve(unsigned char **bytes, size_t *room, size_t wanted);

// Is the checksum behind `bytes` bytes theirs?
bool checksum_matches(const unsigned char *p, size_t bytes);

#endif
