// SPDX-License-Identifier: GPL-3.0-or-later
// The table of anomalies on demand (drivers/memory/bugs.h).
#include "config.h"

#include "drivers/memory/bugs.h"

#include "base/anomaly_names.h"
#include "base/nearest.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Reads that no order of transactions can explain break every level.  A read
// per transaction is easily hit, so those are rarer.
static const struct bug_info bugs[BUG_COUNT] = {
    [BUG_NONE] = {"none", ISOLATION_SSER, false, 0},
    [BUG_THIN_AIR_READ] = {"ThinAirRead", ISOLATION_NONE, false, 0.01},
    [BUG_ABORTED_READ] = {"AbortedRead", ISOLATION_NONE, false, 0.01},
    [BUG_FUTURE_READ] = {"FutureRead", ISOLATION_NONE, false, 0.01},
    [BUG_NOT_MY_LAST_WRITE] = {"NotMyLastWrite", ISOLATION_NONE, false, 0.5},
    [BUG_NOT_MY_OWN_WRITE] = {"NotMyOwnWrite", ISOLATION_NONE, false, 0.5},
    [BUG_INTERMEDIATE_READ] = {"IntermediateRead", ISOLATION_NONE, false, 0.5},
    [BUG_NON_REPEATABLE_READS] = {"NonRepeatableReads", ISOLATION_RC, true,
                                  0.2},
    [BUG_SESSION_GUARANTEE_VIOLATION] = {"SessionGuaranteeViolation",
                                         ISOLATION_RC, false, 0.1},
    [BUG_NON_MONOTONIC_READ] = {"NonMonotonicRead", ISOLATION_NONE, false, 1},
    [BUG_FRACTURED_READ] = {"FracturedRead", ISOLATION_RC, true, 0.2},
    [BUG_CAUSALITY_VIOLATION] = {"CausalityViolation", ISOLATION_RA, true, 0.1},
    [BUG_LONG_FORK] = {"LongFork", ISOLATION_CC, true, 0.1},
    [BUG_LOST_UPDATE] = {"LostUpdate", ISOLATION_PC, true, 0.1},
    [BUG_WRITE_SKEW] = {"WriteSkew", ISOLATION_SI, true, 1},
    [BUG_PHANTOM_READ] = {"PhantomRead", ISOLATION_RC, true, 0.2},
    [BUG_PHANTOM_WRITE_SKEW] = {"PhantomWriteSkew", ISOLATION_SI, true, 1},
    [BUG_FRACTURED_STATEMENT] = {"FracturedStatement", ISOLATION_RC, false,
                                 0.1},
    [BUG_MISSING_ROW] = {"MissingRow", ISOLATION_NONE, false, 0.02},
    [BUG_EXTRA_ROW] = {"ExtraRow", ISOLATION_NONE, false, 0.01},
    [BUG_RESURRECTED_ROW] = {"ResurrectedRow", ISOLATION_RC, false, 0.1},
    [BUG_DOUBLE_DELETE] = {"DoubleDelete", ISOLATION_PC, true, 0.2},
    [BUG_PHANTOM_LONG_FORK] = {"PhantomLongFork", ISOLATION_CC, true, 0.2},
};

const struct bug_info *bug_info(enum bug bug) {
  assert(bug < BUG_COUNT);
  return &bugs[bug];
}

int parse_number(const char *option, const char *text, double low, double high,
                 bool above, double *number, struct error *error) {
  char *end;
  *number = strtod(text, &end);
  if (end != text && !*end && isfinite(*number) && *number <= high &&
      (above ? *number > low : *number >= low))
    return 0;
  return error_set_usage(error, "%s must be a number %s %g up to %g, not '%s'",
                         option, above ? "above" : "from", low, high, text);
}

static int unknown_bug(const char *name, const char *const *names,
                       struct error *error) {
  const char *near = nearest(name, names);
  return near ? error_set_usage(error,
                                "memory: cannot show a bug '%s'; did you mean "
                                "%s?",
                                name, near)
              : error_set_usage(error,
                                "memory: cannot show a bug '%s'; `isostress "
                                "list bugs` lists the bugs",
                                name);
}

// By any name of its anomaly.
static enum bug bug_meant(const char *name, struct error *error) {
  const char *names[BUG_COUNT] = {NULL};
  for (int b = BUG_NONE + 1; b < BUG_COUNT; b++)
    names[b - 1] = bugs[b].name;
  const char *meant = anomaly_meant(name, names);
  for (int b = BUG_NONE + 1; meant && b < BUG_COUNT; b++)
    if (meant == bugs[b].name)
      return (enum bug)b;
  unknown_bug(name, names, error);
  return BUG_NONE;
}

int bug_parse(const char *text, enum bug *bug, double *probability,
              struct error *error) {
  char name[64];
  const size_t length = strcspn(text, ":");
  const size_t kept = length < sizeof name ? length : sizeof name - 1;
  memcpy(name, text, kept);
  name[kept] = '\0';
  *bug = bug_meant(name, error);
  if (*bug == BUG_NONE)
    return -1;
  *probability = bugs[*bug].probability;
  return text[length]
             ? parse_number("the probability of a bug", text + length + 1, 0, 1,
                            true, probability, error)
             : 0;
}
