// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the formats that histories are read from and written in; the
// table is in reader.c.
#ifndef RECORDER_FORMATS_FORMATS_H
#define RECORDER_FORMATS_FORMATS_H

#include "recorder/formats/format.h"
#include "recorder/formats/tokens.h"

// A file being read.
struct parsing {
  struct input input;
  struct tokens tokens; // of a text of JSON or EDN: parsing_tokens
  struct builder *builder;
  const struct read_options *options;
  bool directory;                // is being read, a file at a time...
  uint64_t session;              // ...of which this is one, from 0...
  bool more;                     // ...and others follow; all of them:
  const struct file_list *files; // NULL: no directory is being read
  // Where registers may hold collections: the file and the line in which one
  // was first read, or NULL, and whether one is written anywhere.
  const char *collection_file; // borrowed
  uint64_t collection_line;
  bool collection_written;
  struct error *error;
};

// The tokens of the file, from its start on.
static inline struct tokens *parsing_tokens(struct parsing *parsing, bool edn) {
  parsing->tokens = (struct tokens){
      .input = &parsing->input, .error = parsing->error, .edn = edn};
  return &parsing->tokens;
}

// Does it matter to the reading whether nothing was read, or 0?  Else nothing
// is 0 (builder_nothing).
static inline bool tells_nothing(const struct parsing *parsing) {
  return value_of_nothing(parsing->options->initial) != VALUE_INITIAL;
}

extern const struct history_format format_native;    // FORMAT.md
extern const struct history_format format_jsonl;     // formats/FORMATS.md
extern const struct history_format format_text;      // formats/TEXT.md
extern const struct history_format format_edn;       // elle_formats.c
extern const struct history_format format_elle_json; // elle_formats.c
extern const struct history_format format_closed_predicate; // likewise
extern const struct history_format format_knossos;          // elle_formats.c
extern const struct history_format format_jepsen;           // jepsen_lines.c
extern const struct history_format format_etcd_report;
extern const struct history_format format_porcupine;
extern const struct history_format format_porcupine_kv;
extern const struct history_format format_dbcop_json;
extern const struct history_format format_bincode; // dbcop, PolySI
extern const struct history_format format_plume;   // PolySI, Plume, AWDIT
extern const struct history_format format_awdit;
extern const struct history_format format_cobra;
extern const struct history_format format_viper_json;
extern const struct history_format format_timekiller;
extern const struct history_format format_veristrong;

#endif
