// SPDX-License-Identifier: GPL-3.0-or-later
// A sentence of a counterexample under construction, and the parts of it that
// tell what one operation did.
#ifndef REPORT_TALE_SENTENCE_H
#define REPORT_TALE_SENTENCE_H

#include "recorder/history.h"
#include "report/tale/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The rest of a buffer of STORY_SENTENCE bytes (report/tale/story.h), which is
// the caller's.
struct sentence {
  char *end;
  size_t room;
};

struct sentence sentence_at(char *buffer);
// A sentence that is too long ends in dots.
__attribute__((format(printf, 2, 3))) void
sentence_add(struct sentence *text, const char *format, ...);

// The value that an operation wrote, and the one that a read saw.
void sentence_add_written(struct sentence *text, const struct names *n,
                          uint32_t op);
void sentence_add_seen(struct sentence *text, const struct names *n,
                       uint32_t op);
// Raw values need the row beside them: "key 5 = ".
void sentence_add_raw_key(struct sentence *text, const struct names *n,
                          uint32_t op);
// "found row 5 with ...": what a statement did to a row.
void sentence_add_row(struct sentence *text, const struct names *n,
                      uint32_t op);
// "added 3 to x": what an operation did to an element of a set, or found of it.
void sentence_add_set_step(struct sentence *text, const struct names *n,
                           uint32_t op);

// Did a read of a set miss the element?
bool story_misses(const struct history *h, uint32_t op);

#endif
