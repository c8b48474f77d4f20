// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a journal (own/journal.h): a mark, then chunks.
//
//   chunk     bytes (4), XXH3 of the payload (8), payload
//   head      'H', driver, about, sessions, path of the schema, schema,
//             number of places, places, number of tables, tables,
//             number of first versions, changes
//   place     'P', place
//   session   'S', number of the session, records
//
// The first chunk is the head.  Records of a session follow each other in the
// order of the chunks, and none is divided:
//
//   'T'       level, begin
//   'Q'       a statement of the transaction
//   'E'       outcome, cause, end: the transaction is over
//
// Numbers are packed (base/bytes.h), times but for begins are counted from the
// begin of their transaction, and a text is its length + 1 and its bytes, or 0
// for NULL.
#ifndef OWN_JOURNAL_LAYOUT_H
#define OWN_JOURNAL_LAYOUT_H

#include <stdint.h>

#define JOURNAL_MARK "isostress seen 1"
enum { JOURNAL_MARK_BYTES = 16, JOURNAL_CHUNK_HEAD = 12 };

enum { // of a place
  JOURNAL_CHANGES_ROWS = 1,
  JOURNAL_ONLY_INSERTS = 2,
};
enum { // of a table
  JOURNAL_HIDES = 1,
  JOURNAL_SILENT = 2,
};
enum { // of a statement
  JOURNAL_LOCKS = 1,
  JOURNAL_TAKES_BACK = 2,
  JOURNAL_WHERE = 4, // its condition follows
};

#endif
