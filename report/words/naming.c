// SPDX-License-Identifier: GPL-3.0-or-later
// Names of databases, servers and levels (report/words/naming.h).
#include "config.h"

#include "report/words/naming.h"

#include "base/utf8.h"
#include "drivers/words.h"

#include <ctype.h>
#include <string.h>

const char *naming_database(const char *target, const char *server) {
  const struct driver_words *known = driver_words_of_server(target, server);
  if (known && known->fork && server &&
      !strncmp(server, known->fork, strlen(known->fork)))
    return known->fork;
  return known ? known->name : "The database";
}

void naming_put_database(FILE *out, const char *target, const char *server) {
  const char *name = naming_database(target, server);
  const bool article = !strncmp(name, "The ", strlen("The "));
  fprintf(out, "%s%s", article ? "t" : "", name + article);
}

int naming_server_length(const char *server) {
  size_t length = strcspn(server, ",(");
  for (size_t i = 1; i < length; i++) // "10.11.19-MariaDB-0+deb12u1"
    if (server[i] == '-' && isdigit((unsigned char)server[i - 1]))
      length = i;
  while (length && server[length - 1] == ' ')
    length--;
  return (int)length;
}

// NULL: not one of SQL.
static const char *sql_level(const char *level) {
  static const char *const sql[][2] = {{"read uncommitted", "READ UNCOMMITTED"},
                                       {"read committed", "READ COMMITTED"},
                                       {"repeatable read", "REPEATABLE READ"},
                                       {"serializable", "SERIALIZABLE"}};
  for (size_t i = 0; i < sizeof sql / sizeof *sql; i++)
    if (!strcmp(level, sql[i][0]))
      return sql[i][1];
  return NULL;
}

bool naming_is_sql_level(const char *level) { return sql_level(level) != NULL; }

const char *naming_level(const char *level) {
  const char *sql = sql_level(level);
  return sql ? sql : level;
}

void naming_put_level(FILE *out, const char *level) {
  put_clean(out, naming_level(level));
}
