// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a list of scripts (sql/script_list.h).
#include "config.h"

#include "sql/script_list.h"

#include "base/memory.h"
#include "sql/reading.h"

#include <stdlib.h>
#include <string.h>

// Adds a script behind the `n` that are there.
static int add_listed(struct listed_script *all, uint32_t n, const char *word,
                      struct error *error) {
  struct listed_script *script = &all[n];
  if (sql_take_apart(word, &script->path, script->name, &script->share, error))
    return -1;
  for (uint32_t i = 0; i < n; i++)
    if (!strcmp(all[i].name, script->name))
      return error_set_usage(error, "%s: there is a script %s already", word,
                             script->name);
  return 0;
}

struct listed_script *script_list_read(const char *list, uint32_t most,
                                       uint32_t *n, struct error *error) {
  struct listed_script *all = xcalloc((size_t)most + 1, sizeof *all);
  int failed = 0;
  *n = 0;
  for (const char *p = list; !failed && p;) {
    p += strspn(p, " \t");
    const size_t length = strcspn(p, ",");
    char *word = xasprintf("%.*s", (int)length, p);
    failed =
        *n == most
            ? error_set_usage(error, "there are more than %u scripts", most)
            : add_listed(all, (*n)++, word, error);
    p = p[length] ? p + length + 1 : NULL;
    free(word);
  }
  if (!failed)
    return all;
  script_list_free(all, *n);
  return NULL;
}

void script_list_free(struct listed_script *scripts, uint32_t n) {
  for (uint32_t i = 0; scripts && i < n; i++)
    free(scripts[i].path);
  free(scripts);
}
