// SPDX-License-Identifier: GPL-3.0-or-later
// A format of histories: how it is read and written, what it can say, and the
// options of reading.  The table of all formats is in recorder/files/reader.c.
#ifndef RECORDER_FORMATS_FORMAT_H
#define RECORDER_FORMATS_FORMAT_H

#include "recorder/builder/builder.h"

// The kind of operations, where the content does not show it.
enum model { MODEL_BY_CONTENT, MODEL_REGISTER, MODEL_LIST, MODEL_CAS };

// Values that are written to a key more than once.
enum duplicates { DUPLICATES_REFUSE, DUPLICATES_ALLOW };

// Zero-initialised is what most readers want.
struct read_options {
  const char *format;        // NULL: recognised from the content
  enum initial initial;      // of keys...
  const char *initial_value; // ...and INITIAL_VALUE as reports print it
  enum model model;          // of reads that found nothing
  uint64_t clock_skew; // ns: the clocks of those who recorded differ by that
                       // much at most, so that what ended may have ended later
  enum duplicates duplicates; // allowed: as in struct builder_options
  const char *called;         // in sentences; NULL: by its path
  // The content of a file that is in memory, with a zero byte behind it, and
  // how long it is; NULL: the file at the path.  Not of our own format.
  const char *text;
  size_t text_bytes;
  const volatile bool *stop; // may be NULL; set: reading is given up
};

// Features that a format can express besides sessions, committed transactions,
// reads and writes of registers.  Writing a history loses features that the
// format cannot express.
enum feature {
  FEATURE_LISTS = 1 << 0,
  FEATURE_CAS = 1 << 1,
  FEATURE_ABORTED = 1 << 2,
  FEATURE_UNKNOWN = 1 << 3, // outcomes
  FEATURE_TIMES = 1 << 4,
  FEATURE_OP_TIMES = 1 << 5,
  FEATURE_LEVELS = 1 << 6,
  FEATURE_CAUSES = 1 << 7,
  FEATURE_NAMES = 1 << 8,              // keys that are texts
  FEATURE_VALUES = 1 << 9,             // those that are no numbers
  FEATURE_UNCOMMITTED_READS = 1 << 10, // of aborted and unknown transactions
  FEATURE_ENDPOINTS = 1 << 11,
  FEATURE_DUPLICATES =
      1 << 12,                // values that are written to a key more than once
  FEATURE_LOST = 1 << 13,     // that what was read is lost: no format does
  FEATURE_ORDER = 1 << 14,    // of real time; no times
  FEATURE_SESSIONS = 1 << 15, // beyond unknown outcomes: all but `single` ones
  FEATURE_FIRSTS = 1 << 16,   // initial values but nothing: no format does
  FEATURE_ROWS = 1 << 17,     // and statements of SQL
  FEATURE_SETS = 1 << 18,     // that only grow
};

// The destination of `write` below.
enum written_as {
  WRITTEN_STREAM,    // a stream that it is given
  WRITTEN_FILE,      // a file that it makes itself
  WRITTEN_DIRECTORY, // files in a directory that it is given
};

// The format's name for the write that a read saw, which writing a history
// needs.
enum names {
  NAMES_NOBODY,
  NAMES_WRITES,       // value_of_write of its place in the history
  NAMES_TRANSACTIONS, // the number of its transaction, from 0
};

struct parsing;
struct export_writing;

// A format: one short file in recorder/formats/ each, and a row of the table.
struct history_format {
  const char *name;    // for --format
  const char *summary; // one line for `isostress list`
  const char *example; // a whole file, lines apart by \n; NULL: it is no text
  // NULL, or the history is a directory: the names of its files, a session
  // each, as for file_list.
  const char *files;
  const char *extension; // of files that are named for it; or NULL
  enum initial initial;  // where the user says nothing
  unsigned says;         // enum feature
  bool single; // written, it has one operation in a transaction, and real time
  // Does a file that starts with these bytes (with a zero byte behind them)
  // look like this format?  Or one that starts with this text, behind blanks
  // and line feeds?
  bool (*recognise)(const unsigned char *head, size_t bytes);
  bool (*recognise_text)(const char *text);
  // Tells the builder what the file says.  -1 with a sentence that names the
  // file and the place in it.  (recorder/formats/formats.h)
  int (*parse)(struct parsing *parsing);
  // Instead of `parse`: as history_read; only our own format.
  int (*read)(const char *path, const volatile bool *stop,
              struct history *history, struct error *error);
  // Writes a history; NULL: not possible.  Likewise.
  int (*write)(struct export_writing *writing);
  enum written_as written_as;
  enum names names;
};

#endif
