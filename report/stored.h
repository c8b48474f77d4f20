// SPDX-License-Identifier: GPL-3.0-or-later
// A report as it was stored (report.json), and what is made from it for people:
// pictures and a page.  So a report can be made again from what is kept of a
// run, and is the same then.
#ifndef REPORT_STORED_H
#define REPORT_STORED_H

#include "base/error.h"
#include "base/json_read.h"
#include "report/tale/example.h"

struct stored {
  struct arena arena;
  const struct json_value *document;
  struct example *examples; // of what stored_broken tells
  uint32_t nexamples;
  const struct json_value *replay; // of its last replay; NULL: there was none
  const char *all_results; // set by who writes its page: as for page_bar
                           // (report/page/blocks.h)
};

// -1 with a sentence; `name` is for that.  Free in both cases.
int stored_of_bytes(struct stored *stored, const char *name, const char *bytes,
                    size_t nbytes, struct error *error);
// The JSON document in a file; it lives in the arena.  NULL with a sentence.
const struct json_value *stored_document(struct arena *arena, const char *path,
                                         struct error *error);
// Reads the file `report.json` of a directory, and the figures of the last
// replay, if there was one.
int stored_of_directory(struct stored *stored, const char *directory,
                        struct error *error);
void stored_free(struct stored *stored);

// The verdict that the counterexamples belong to; of all levels the one on a
// level above the claimed one.  NULL if nothing was checked.
const struct json_value *stored_broken(const struct stored *stored);

// So many counterexamples are drawn; the others are told only.
enum { STORED_MAX_PICTURES = 24 };

// Writes the pictures of the counterexamples to the directory.  -1 with a
// sentence.
int stored_draw(const struct stored *stored, const char *directory,
                struct error *error);

#endif
