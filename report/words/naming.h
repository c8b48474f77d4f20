// SPDX-License-Identifier: GPL-3.0-or-later
// The names by which a report calls a database, its server and its levels.
#ifndef REPORT_WORDS_NAMING_H
#define REPORT_WORDS_NAMING_H

#include <stdbool.h>
#include <stdio.h>

// The name of a database, as its makers write it, or "The database"; a constant
// string.
const char *naming_database(const char *target, const char *server);
// Puts the name of the database within a sentence: "the built-in store".
void naming_put_database(FILE *out, const char *target, const char *server);

// So many bytes of what a server says of itself are its name and version.
int naming_server_length(const char *server);

// Is it a level of SQL, by its name in small letters?
bool naming_is_sql_level(const char *level);
// As SQL writes it, in capitals; other levels as they are.
const char *naming_level(const char *level);
// Puts it into a sentence (base/marks.h).
void naming_put_level(FILE *out, const char *level);

#endif
