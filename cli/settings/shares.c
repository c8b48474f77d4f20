// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the shares of shapes (cli/settings/shares.h).
#include "config.h"

#include "cli/settings/shares.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

static int unknown_shape(const struct workload *workload, const char *name,
                         struct error *error) {
  const char *names[WORKLOAD_MAX_SHAPES + 1] = {NULL};
  for (size_t i = 0; workload->shapes[i].name; i++)
    names[i] = workload->shapes[i].name;
  const char *near = nearest(name, names);
  return error_set(error,
                   "shares: the workload %s has no shape \"%s\"%s%s; "
                   "`isostress list workloads` lists those it has",
                   workload->name, name, near ? ", did you mean " : "",
                   near ? near : "");
}

// Takes NAME:NUMBER, which ends at `end`.
static int take_share(const struct workload *workload, const char *text,
                      const char *end, double *shares, struct error *error) {
  char *word = xasprintf("%.*s", (int)(end - text), text);
  char *number = strchr(word, ':');
  int failed = 0;
  size_t shape = 0;
  if (number)
    *number++ = '\0';
  while (workload->shapes[shape].name &&
         strcmp(workload->shapes[shape].name, word))
    shape++;
  if (!workload->shapes[shape].name)
    failed = unknown_shape(workload, word, error);
  else if (!number || !units_read_share(number, &shares[shape]))
    failed = error_set(error, "shares: %s needs a share, such as %s:0.5", word,
                       word);
  free(word);
  return failed;
}

int shares_read(const struct workload *workload, const char *text,
                double shares[WORKLOAD_MAX_SHAPES], struct error *error) {
  double sum = 0;
  for (int i = 0; i < WORKLOAD_MAX_SHAPES; i++)
    shares[i] = 0;
  while (*text) {
    const char *end = text + strcspn(text, ",");
    if (take_share(workload, text, end, shares, error))
      return -1;
    text = *end ? end + 1 : end;
  }
  for (int i = 0; i < WORKLOAD_MAX_SHAPES; i++)
    sum += shares[i];
  if (sum > 0)
    return 0;
  return error_set(error, "shares: at least one must be above zero");
}
