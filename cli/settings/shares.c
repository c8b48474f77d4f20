// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the shares of shapes (cli/settings/shares.h).
#include "config.h"

#include "cli/settings/shares.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The things that have shares, and their name in sentences.
struct shared {
  const char *option, *names[WORKLOAD_MAX_SHAPES + 1];
  const char *owner;  // "the workload mt has no shape"
  const char *advice; // behind it
};

static int unknown_name(const struct shared *of, const char *name,
                        struct error *error) {
  const char *near = nearest(name, of->names);
  return error_set(error, "%s: %s \"%s\"%s%s; %s", of->option, of->owner, name,
                   near ? ", did you mean " : "", near ? near : "", of->advice);
}

// Takes NAME:NUMBER, which ends at `end`.
static int take_named_share(const struct shared *of, const char *text,
                            const char *end, double *shares,
                            struct error *error) {
  char *word = xasprintf("%.*s", (int)(end - text), text);
  char *number = strchr(word, ':');
  int failed = 0;
  size_t i = 0;
  if (number)
    *number++ = '\0';
  while (of->names[i] && strcmp(of->names[i], word))
    i++;
  if (!of->names[i])
    failed = unknown_name(of, word, error);
  else if (!number || !units_read_share(number, &shares[i]))
    failed = error_set(error, "%s: %s needs a share, such as %s:0.5",
                       of->option, word, word);
  free(word);
  return failed;
}

static int take_shares(const struct shared *of, const char *text,
                       double *shares, struct error *error) {
  double sum = 0;
  for (int i = 0; of->names[i]; i++)
    shares[i] = 0;
  while (*text) {
    const char *end = text + strcspn(text, ",");
    if (take_named_share(of, text, end, shares, error))
      return -1;
    text = *end ? end + 1 : end;
  }
  for (int i = 0; of->names[i]; i++)
    sum += shares[i];
  return sum > 0 ? 0
                 : error_set(error, "%s: at least one must be above zero",
                             of->option);
}

int shares_read(const struct workload *workload, const char *text,
                double shares[WORKLOAD_MAX_SHAPES], struct error *error) {
  char owner[80];
  struct shared of = {.option = "shares",
                      .owner = owner,
                      .advice =
                          "`isostress list workloads` lists those it has"};
  snprintf(owner, sizeof owner, "the workload %.40s has no shape",
           workload->name);
  for (size_t i = 0; workload->shapes[i].name; i++)
    of.names[i] = workload->shapes[i].name;
  memset(shares, 0, WORKLOAD_MAX_SHAPES * sizeof *shares);
  return take_shares(&of, text, shares, error);
}

int predicates_read(const char *text, double shares[3], struct error *error) {
  static const struct shared of = {.option = "predicates",
                                   .names = {"eq", "range", "mod"},
                                   .owner = "there is no condition",
                                   .advice = "there are eq, range and mod"};
  return take_shares(&of, text, shares, error);
}
