// SPDX-License-Identifier: GPL-3.0-or-later
// Reading our own format, in three steps: native_scan finds the whole chunks
// and gives each its place in the history, native_decode fills in the arrays,
// native_resolve finds the writer of everything that was read.
#ifndef RECORDER_NATIVE_NATIVE_H
#define RECORDER_NATIVE_NATIVE_H

#include "recorder/builder/builder.h"
#include "recorder/builder/number_map.h"
#include "recorder/history.h"
#include "recorder/native/chunk.h"
#include "recorder/native/column.h"

// A whole chunk of transactions, and where its content goes.
struct chunk_place {
  struct chunk_header header;
  size_t offset;          // in the file
  uint32_t txn, op, list; // ids of its first ones
  uint32_t write;         // index of its first one in `writes`
  // Until they are resolved, the indexes, of `writes`, of what a chunk's reads
  // of registers saw are parked at the end of its part of h->saw; those of the
  // elements of its lists are in h->element.
  uint32_t nreads;      // of registers; compare-and-sets among them
  uint32_t strays;      // first of its registers, in `strays`...
  uint32_t list_strays; // ...and of its lists
  uint32_t piece;       // first of its lists, in `pieces`
};

// A value that was read and does not follow from its writer.
struct odd {
  uint64_t value;
  uint32_t op, element; // `element`: if op read a list
};

// One write, with what a reader of its value has to compare.
struct file_write {
  uint32_t op, tag; // tag: write_tag
};

// The key, and whether the operation is on a list.  No register has a tag of
// none.
#define WRITE_TAG_LIST (UINT32_C(1) << 31)
#define WRITE_TAG_NONE UINT32_MAX
static inline uint32_t write_tag(uint32_t key, unsigned kind) {
  return op_is_list(kind) ? key | WRITE_TAG_LIST : key;
}

// The first of `writes` stand for no write.
enum {
  INDEX_INITIAL,   // the initial value
  INDEX_SOMEWHERE, // has to be looked for by its value
  INDEX_WRITES     // the first that is one
};

// Elements of a list that are not those of one before, and of others that went
// on from it: the first one, and behind the last one.
struct list_piece {
  uint32_t op, first, end;
};

enum { RAW_SLACK = 128 }; // bytes behind file.raw that may be looked at

enum { RESOLVE_SLACK = 192 }; // entries behind h->saw, which it only looks at

// The writes of a session up to the first gap.
struct write_range {
  uint32_t first, count;
};

// A session's state while the file is scanned.
struct file_session {
  uint32_t next_number;          // of its next chunk
  uint64_t next_txn, next_write; // in that chunk, at least
  uint64_t total_txns;           // that it had, as far as is known
  uint64_t total_writes;         // if the file was closed
  uint64_t ntxns;                // in whole chunks
  uint32_t first_place, nplaces; // of `ordered`
  uint32_t first_write, nwrites; // of `writes`: those up to the first gap
};

// The file and, from it, the payload of a chunk.
struct native_file {
  const char *path;
  int fd;                    // of a whole file, whose data is NULL; or...
  const unsigned char *data; // ...what is in memory of one
  bool skips; // of a whole file: chunks that may be skipped are, unread
  size_t bytes;
  void *zstd;
  unsigned char *raw, *stored; // unpacked, as it is stored
  size_t raw_room, stored_room;
};

// The result of native_scan.
struct native_scan {
  struct file_session *sessions;
  struct chunk_place *places; // in the order of the file
  uint32_t nplaces, place_room;
  struct chunk_place **ordered; // session by session
  uint32_t nwrites, nelements;  // entries of `writes`; of all lists
  bool gaps;                    // between a session's chunks
  bool closed;
  uint64_t damages;    // stretches of the file that make no sense...
  size_t first_damage; // ...the first of them
  size_t torn;         // bytes of the last, incomplete chunk
  size_t behind;       // bytes behind the closing mark
  bool has_rows;       // the file is of version 2...
  char *tables;        // ...and these are its tables; NULL: they were lost
};

// The result of native_decode for native_resolve, and its own scratch.
struct native_decoder {
  struct file_write *writes;  // session by session, from INDEX_WRITES on
  struct write_range *ranges; // by session, and some without writes
  uint32_t nranges;           // a power of two, more than there are sessions
  uint64_t *strays; // values read that have no index, in the order of `places`
  uint32_t nstrays, stray_room;
  struct list_piece *pieces; // in the order of `places`
  uint32_t npieces, piece_room;
  uint32_t elements, most_elements; // of h->element: used, and may be
  struct number_map keys;
  struct longest *longest; // list so far, by key: lists.c
  uint32_t longest_room;
};

struct loading {
  struct history *history;
  struct error *error;
  const volatile bool *stop;
  bool is_tail; // of a recording that goes on
  struct native_file file;
  struct native_scan scan;
  struct native_decoder decoder;
  struct odd *odd; // by native_resolve
  uint32_t nodd, odd_room;
};

// Has reading been given up?  With a sentence.  Each chunk asks.
bool native_is_stopped(const struct loading *l);

// -1 with a sentence about the chunk at `offset`.
int native_refuse(const struct loading *l, size_t offset, const char *what);

// Up to CHUNK_HEADER_MAX bytes of the file, from `offset` on; *bytes: how many
// there are.
const unsigned char *native_head(struct loading *l, size_t offset,
                                 size_t *bytes);
// The payload of the chunk at `offset`, unpacked into l->file.raw.
int native_unpack(struct loading *l, const struct chunk_header *header,
                  size_t offset);

// A chunk that is being decoded.
struct decoding {
  struct loading *l;
  struct chunk_place *place;
  struct packed_column column[COLUMN_IDS]; // by id
  bool there[COLUMN_IDS];
};

// Unpacks its payload into l->file.raw and takes it apart into columns.
int native_columns(struct decoding *d);
// The column with this id and count.
int native_column(const struct decoding *d, enum column_id id, uint32_t count,
                  const struct packed_column **column);
// native_refuse, of this chunk.
int native_refuse_chunk(const struct decoding *d, const char *what);

// keys.c: the keys of the operations.
int native_decode_keys(const struct decoding *d);
// values.c: what the operations wrote and saw; their kinds and keys are
// known.
int native_decode_values(const struct decoding *d);

// Two columns of values that were read.
struct seen {
  const struct packed_column *session, *sequence;
  uint32_t initial; // the index of the value VALUE_INITIAL
  bool are_narrow;  // one byte of the session, one to three of the sequence
};
// Fills index[0..n) with the places in `writes` of the values from..from + n -
// 1 of the two columns.
void native_index(struct loading *l, const struct seen *seen, uint32_t from,
                  uint32_t n, uint32_t *index);
// lists.c: where the elements of lists are, which have these lengths in
// all, and their indexes.
void native_decode_elements(const struct decoding *d, const uint32_t *lengths,
                            const struct seen *seen);

// Where the file is not in memory, any chunk that is not whole makes
// native_scan or native_decode fail, without a sentence that says so.
int native_scan(struct loading *l);
// The first half of native_scan: finds the chunks and puts those of each
// session in order, without a place in a history, which may be too large to be
// loaded.
int native_find_chunks(struct loading *l);
int native_decode(struct loading *l);
int native_resolve(struct loading *l);
// In place of both, of a file with statements on rows.
int native_decode_rows(struct loading *l);

void native_loading_fini(struct loading *l);
// Sets the sentence that goes with a history of which something was lost.
void native_state_loss(const struct loading *l);

// Gives reads whose writers are not there writers of their own, which say
// nothing else (past.c).
void native_supply_past(struct loading *l);

// Reads a part of a file that is in memory: its header and some of its chunks,
// those of each session without a gap.  `path` is for sentences.  `*whole` is
// how many of the bytes are whole chunks and what is between them.  -1 with a
// sentence.
int native_read_tail(const char *path, const unsigned char *data, size_t bytes,
                     struct history *history, size_t *whole,
                     struct error *error);

// Reads a file that is in memory, as native_read does; `path` is for sentences.
int native_read_bytes(const char *path, const unsigned char *data, size_t bytes,
                      const volatile bool *stop, struct history *history,
                      struct error *error);

// Does a file that starts with these bytes look like ours?
bool native_recognise(const unsigned char *head, size_t bytes);
// Reads the file at the path.  0, also if its end was lost, with a sentence
// about what was salvaged; -1 with a sentence.
// `stop`: as in struct read_options.
int native_read(const char *path, const volatile bool *stop,
                struct history *history, struct error *error);

#endif
