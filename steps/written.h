// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts with what rows of numbers cannot express: NULL, texts, types, an
// UPDATE of the key, SKIP LOCKED, statements over several tables.  Their tables
// and statements become the database's own SQL, as it is written.
#ifndef STEPS_WRITTEN_H
#define STEPS_WRITTEN_H

#include "steps/reading.h"

// Does a line of a script, from its beginning on, ask for that?
bool written_asks(const char *line);

// The line of a table, behind the word `table`, and a line `schema: "..."`
// behind its colon: both add to the script's schema.  -1 with a sentence.
int written_table(struct script_reading *r);
int written_schema(struct script_reading *r);

// A statement on a table, behind its verb.  -1 with a sentence.
int written_statement(struct script_reading *r, const char *verb,
                      struct step *step);

// A row as a database writes it, `(1,"a b",)` or `1,'a b',NULL`, as the rows of
// an answer are written: 1,a b,NULL.
void written_put_image(FILE *out, const char *image);

#endif
