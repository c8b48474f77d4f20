// SPDX-License-Identifier: GPL-3.0-or-later
// The variables of a script (own/compute.h).
#include "config.h"

#include "own/compute.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static struct raw_variable *find_variable(const struct raw_variables *v,
                                          const char *name, size_t length) {
  for (uint32_t i = 0; i < v->n; i++)
    if (!strncmp(v->all[i].name, name, length) && !v->all[i].name[length])
      return &v->all[i];
  return NULL;
}

const char *raw_variable_get(const struct raw_variables *v, const char *name,
                             size_t length) {
  const struct raw_variable *found = find_variable(v, name, length);
  return found ? found->text : NULL;
}

void raw_variable_set(struct raw_variables *v, const char *name,
                      const char *text) {
  struct raw_variable *found = find_variable(v, name, strlen(name));
  if (!found) {
    ARRAY_RESERVE(v->all, v->n, v->room);
    found = &v->all[v->n++];
    *found = (struct raw_variable){.name = xstrdup(name)};
  }
  char *copy = text ? xstrdup(text) : NULL;
  free(found->text);
  found->text = copy;
}

void raw_variables_copy(struct raw_variables *to,
                        const struct raw_variables *from) {
  for (uint32_t i = 0; i < to->n; i++)
    raw_variable_set(to, to->all[i].name, NULL);
  for (uint32_t i = 0; i < from->n; i++)
    raw_variable_set(to, from->all[i].name, from->all[i].text);
}

void raw_variables_free(struct raw_variables *v) {
  for (uint32_t i = 0; i < v->n; i++)
    FREE_EACH(v->all[i].name, v->all[i].text);
  free(v->all);
  *v = (struct raw_variables){0};
}
