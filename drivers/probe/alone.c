// SPDX-License-Identifier: GPL-3.0-or-later
// Checks in which one transaction is open at a time (drivers/probe/scene.h).
// Each has keys of its own.
#include "config.h"

#include "drivers/probe/scene.h"

#include <inttypes.h>

enum { KEY_KEPT = 3, KEY_LARGE, KEY_OWN, KEY_ROLLBACK, KEY_END };

void probe_setup(struct probe *probe) {
  const uint64_t keys[] = {0, PROBE_KEYS - 1};
  uint64_t value;
  for (int i = 0; i < 4; i++)
    if (probe_read(probe, i / 2, keys[i % 2], &value) && value)
      probe_fail(probe,
                 "after setup the key %" PRIu64 " holds %" PRIu64 ", not 0",
                 keys[i % 2], value);
}

void probe_kept(struct probe *probe) {
  const uint64_t v = probe_fresh(probe);
  uint64_t same, other;
  if (!probe_write(probe, 0, KEY_KEPT, v) ||
      !probe_read(probe, 0, KEY_KEPT, &same) ||
      !probe_read(probe, 1, KEY_KEPT, &other))
    return;
  if (same != v || other != v)
    probe_fail(probe,
               "%" PRIu64 " was committed, and is not there in %s session: it "
               "reads %" PRIu64,
               v, same != v ? "the same" : "another", same != v ? same : other);
}

void probe_large(struct probe *probe) {
  const uint64_t v = (UINT64_C(1) << 53) - 1;
  uint64_t seen;
  if (probe_write(probe, 0, KEY_LARGE, v) &&
      probe_read(probe, 0, KEY_LARGE, &seen) && seen != v)
    probe_fail(probe,
               "%" PRIu64 " comes back as %" PRId64
               ": keep integers of 64 bits",
               v, (int64_t)seen);
}

void probe_own(struct probe *probe) {
  const uint64_t v = probe_fresh(probe);
  if (!probe_must(probe, 0, CALL_BEGIN, 0, 0) ||
      !probe_must(probe, 0, CALL_PUT, KEY_OWN, v) ||
      !probe_must(probe, 0, CALL_GET, KEY_OWN, 0))
    return;
  const uint64_t seen = probe->actors[0].value;
  if (seen != v)
    probe_fail(probe,
               "a transaction that wrote %" PRIu64 " reads %" PRIu64
               ": reads must go through the open transaction, and writes must "
               "reach it",
               v, seen);
  probe_must(probe, 0, CALL_COMMIT, 0, 0);
}

void probe_rollback(struct probe *probe) {
  const uint64_t v = probe_fresh(probe);
  uint64_t seen;
  if (probe_must(probe, 0, CALL_BEGIN, 0, 0) &&
      probe_must(probe, 0, CALL_PUT, KEY_ROLLBACK, v) &&
      probe_must(probe, 0, CALL_ROLLBACK, 0, 0) &&
      probe_read(probe, 1, KEY_ROLLBACK, &seen) && seen == v)
    probe_fail(probe, "%" PRIu64 " was rolled back, and is there", v);
  probe_write(probe, 0, KEY_ROLLBACK, probe_fresh(probe));
}

void probe_session_end(struct probe *probe) {
  const uint64_t v = probe_fresh(probe);
  struct error error;
  uint64_t seen;
  if (!probe_must(probe, 2, CALL_BEGIN, 0, 0) ||
      !probe_must(probe, 2, CALL_PUT, KEY_END, v))
    return;
  if (probe_actor_renew(&probe->actors[2], &error)) {
    probe->stuck = true;
    probe_fail(probe, "a session cannot be opened again: %s", error.text);
  } else if (probe_read(probe, 0, KEY_END, &seen) && seen == v) {
    probe_fail(probe, "a session that was closed in a transaction has "
                      "committed it");
  }
}

void probe_all_closed(struct probe *probe) {
  const uint64_t v = probe_fresh(probe);
  struct error error;
  uint64_t seen;
  if (!probe_write(probe, 0, KEY_KEPT, v))
    return;
  probe_close_sessions(probe);
  if (probe_open_sessions(probe, &error)) {
    probe->stuck = true;
    probe_fail(probe, "sessions cannot be opened again: %s", error.text);
  } else if (probe_read(probe, 0, KEY_KEPT, &seen) && seen != v) {
    probe_fail(probe, "values are lost when all sessions are closed");
  }
}

void probe_second_setup(struct probe *probe) {
  uint64_t value = 0;
  for (uint64_t key = 0; key < PROBE_KEYS && probe_read(probe, 0, key, &value);
       key++)
    if (value)
      probe_fail(probe, "a second setup leaves values of the first one");
}
