// SPDX-License-Identifier: GPL-3.0-or-later
// A step script while it is read: between script.c, which reads its lines and
// steps, words.c, which reads words and knows names, and expected.c, which
// reads what steps are expected to do.
#ifndef STEPS_READING_H
#define STEPS_READING_H

#include "steps/script.h"

enum { LINE_MAX_BYTES = 4096, ALTERNATIVES_MAX = 8, LIST_MAX = 64 };

// An expectation of values by name, until these are resolved.
struct pending {
  struct expectation *expectation;
  unsigned line;
  uint32_t key;
  const char *names[LIST_MAX];
  uint32_t nnames;
};

struct script_reading {
  struct script *script;
  const char *p; // the rest of the line
  unsigned line;
  struct pending *pending;
  uint32_t npending, pending_room;
  uint32_t sessions_room, keys_room, setup_room, values_room, steps_room;
  uint32_t tables_room, templates_room;
  bool *open; // by session: is a transaction open?
  uint32_t open_room;
  bool reads_list; // some expectation is a list
  bool written;    // tables and statements are the database's own SQL
  struct error *error;
};

// -1 with a sentence that names file and line.
int reading_complain(const struct script_reading *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- Words (words.c)

void reading_skip_blanks(struct script_reading *r);
bool reading_at_end(struct script_reading *r); // of the line, or at a comment
// The next word, or NULL if none stands here.
const char *reading_word(struct script_reading *r);
// Goes behind the token if it stands here.
bool reading_accept(struct script_reading *r, const char *token);
// A text between double quotes, in which \ stands before a quote or itself;
// NULL with a sentence.
const char *reading_quoted(struct script_reading *r);

// The number of a name, which may be new.
uint32_t reading_key(struct script_reading *r, const char *name);
uint32_t reading_session(struct script_reading *r, const char *name);
// SCRIPT_NO_VALUE if nobody writes it to the key, so far.
uint32_t script_value_named(const struct script *script, uint32_t key,
                            const char *name);

// ---- Tables of rows (tables.c)

// The line of a table, behind the word `table`.  -1 with a sentence.
int reading_table(struct script_reading *r);
// A statement on a table, behind its verb.  -1 with a sentence.
int reading_select(struct script_reading *r, struct step *step);
int reading_insert(struct script_reading *r, struct step *step);
int reading_update(struct script_reading *r, struct step *step);
int reading_delete(struct script_reading *r, struct step *step);
// Once all is read: a script has keys or tables, not both.
int reading_check_tables(struct script_reading *r);

// The verb of a statement.
const char *statement_verb(const struct statement *statement);
// The words behind the verb, as they could be typed.
void statement_put(FILE *out, const struct script *script,
                   const struct statement *statement);
// The columns that it sets, behind `set_word`; the key and columns of the row
// that it inserts, in brackets.
void statement_put_sets(FILE *out, const struct statement *statement,
                        const struct predicate_columns *columns,
                        const char *set_word);
void statement_put_new_row(FILE *out, const struct statement *statement);

// ---- Expectations (expected.c)

// Reads the expectations behind `=>`.  -1 with a sentence.
int reading_expectations(struct script_reading *r, struct step *step);
// Once all is read: keys hold lists or registers, all of them...
int reading_find_lists(struct script_reading *r);
// ...and values are what their names say.
int reading_resolve(struct script_reading *r);

#endif
