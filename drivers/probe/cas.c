// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of compare-and-set, each with a key of its own
// (drivers/probe/scene.h).
#include "config.h"

#include "drivers/probe/scene.h"

#include <inttypes.h>

enum { KEY_CAS = 1, KEY_ABSENT, KEY_CAS_ROLLBACK };

// Compares and sets in the open transaction; `found` is what it says was there.
static bool compare_and_set(struct probe *probe, uint64_t key,
                            uint64_t expected, uint64_t value,
                            uint64_t *found) {
  probe->actors[0].expected = expected;
  const bool done = probe_must(probe, 0, CALL_CAS, key, value);
  *found = probe->actors[0].expected;
  return done;
}

// A transaction of one comparison of a key that holds `held`, and what another
// session then finds there.
static bool compare_alone(struct probe *probe, uint64_t key, uint64_t held,
                          uint64_t expected, uint64_t value) {
  const uint64_t left = held == expected ? value : held;
  uint64_t found, seen;
  if (!probe_must(probe, 0, CALL_BEGIN, 0, 0) ||
      !compare_and_set(probe, key, expected, value, &found) ||
      !probe_must(probe, 0, CALL_COMMIT, 0, 0) ||
      !probe_read(probe, 1, key, &seen))
    return false;
  if (found != held)
    probe_fail(probe,
               "%" PRIu64 " was there, %" PRIu64 " was expected, %" PRIu64
               " was to be stored, and `found` is %" PRIu64
               ": it is what was there before, in any case",
               held, expected, value, found);
  else if (seen != left)
    probe_fail(probe,
               "%" PRIu64 " was there, %" PRIu64 " was expected, %" PRIu64
               " was to be stored, and %" PRIu64 " is there: %s",
               held, expected, value, seen,
               held == expected ? "replace what is expected"
                                : "replace nothing else than what is expected");
  return true;
}

void probe_cas(struct probe *probe) {
  const uint64_t a = probe_fresh(probe), b = probe_fresh(probe),
                 c = probe_fresh(probe), d = probe_fresh(probe);
  if (probe_write(probe, 0, KEY_CAS, a) &&
      compare_alone(probe, KEY_CAS, a, a, b) &&
      compare_alone(probe, KEY_CAS, b, a, c))
    compare_alone(probe, KEY_CAS, b, b, d);
}

// 0 is expected of a key that holds nothing.
void probe_cas_absent(struct probe *probe) {
  const uint64_t a = probe_fresh(probe), b = probe_fresh(probe);
  if (compare_alone(probe, KEY_ABSENT, 0, b, a) &&
      compare_alone(probe, KEY_ABSENT, 0, 0, a))
    compare_alone(probe, KEY_ABSENT, a, 0, b);
}

void probe_cas_rollback(struct probe *probe) {
  const uint64_t a = probe_fresh(probe), b = probe_fresh(probe);
  uint64_t found, seen;
  if (probe_write(probe, 0, KEY_CAS_ROLLBACK, a) &&
      probe_must(probe, 0, CALL_BEGIN, 0, 0) &&
      compare_and_set(probe, KEY_CAS_ROLLBACK, a, b, &found) &&
      probe_must(probe, 0, CALL_ROLLBACK, 0, 0) &&
      probe_read(probe, 1, KEY_CAS_ROLLBACK, &seen) && seen == b)
    probe_fail(probe,
               "%" PRIu64 " was stored by `cas` and rolled back, and is there",
               b);
}
