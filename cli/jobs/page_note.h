// SPDX-License-Identifier: GPL-3.0-or-later
// The note beside a page that is one file, such as a comparison of runs: a file
// PAGE.json, which says what the page is about.  The page of all results reads
// it.
#ifndef CLI_JOBS_PAGE_NOTE_H
#define CLI_JOBS_PAGE_NOTE_H

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct page_note {
  const char *kind;  // "Comparison"
  const char *title; // of the page
  const char *about; // the runs, or the database and level
  uint64_t date;     // ns since 1970: when the page was written
};

// Writes the note of a page that was written just now; nothing where the page
// is no file NAME.html, which the page of all results would not list.  -1 with
// a sentence.
int page_note_write(const char *page, const struct page_note *note,
                    struct error *error);

// False if there is no such page with a note.  The texts live in the arena.
bool page_note_read(struct arena *arena, const char *page,
                    struct page_note *note);

#endif
