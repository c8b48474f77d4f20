// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of lists, each with a key of its own (drivers/probe/scene.h).
#include "config.h"

#include "base/memory.h"
#include "drivers/probe/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  KEY_LIST = 1,
  KEY_LIST_OWN,
  KEY_LIST_ROLLBACK,
  KEY_LIST_UNCOMMITTED,
  KEY_LIST_LONG,
  KEY_LIST_CROWD,
  KEY_LIST_NEW = PROBE_KEYS, // which no setup has made
  LONG = 1000,               // elements
  APPEND_ROUNDS = 20         // of each session
};

// The list that a session has just read, of which a few elements are put down.
static const char *list_text(const struct value_list *list, char *text,
                             size_t room) {
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < list->count && used + 32 < room; i++)
    used += (size_t)snprintf(text + used, room - used, "%s%" PRIu64,
                             i ? ", " : "", list->values[i]);
  if (!list->count)
    snprintf(text, room, "an empty list");
  return text;
}

// The list that a session has just read is to be this one.
static void expect_list(struct probe *probe, uint32_t session,
                        const char *happened, const uint64_t *values,
                        uint32_t count) {
  const struct value_list *list = &probe->actors[session].list;
  const struct value_list wanted = {.values = (uint64_t *)(uintptr_t)values,
                                    .count = count};
  char seen[160], right[160];
  if (list->count != count ||
      (count && memcmp(list->values, values, count * sizeof *values) != 0))
    probe_fail(probe, "%s, and `list` has %s, not %s", happened,
               list_text(list, seen, sizeof seen),
               list_text(&wanted, right, sizeof right));
}

// Elements that are neither in order nor small.
void probe_list(struct probe *probe) {
  const uint64_t low = probe_fresh(probe), high = probe_fresh(probe);
  const uint64_t values[] = {high, low, (UINT64_C(1) << 53) - 1, high + 1};
  probe->values++;
  if (!probe_read_list(probe, 0, KEY_LIST))
    return;
  expect_list(probe, 0, "nothing was appended since setup", NULL, 0);
  for (uint32_t i = 0; i < 4; i++) {
    if (!probe_append(probe, 0, KEY_LIST, values[i]) ||
        !probe_read_list(probe, 0, KEY_LIST))
      return;
    expect_list(probe, 0, "elements were appended one after the other", values,
                i + 1);
  }
  if (probe_read_list(probe, 1, KEY_LIST))
    expect_list(probe, 1, "another session appended and committed", values, 4);
}

// A run leaves lists that have become long, for keys that setup has not made.
void probe_list_new(struct probe *probe) {
  const uint64_t values[] = {probe_fresh(probe), probe_fresh(probe)};
  if (!probe_read_list(probe, 0, KEY_LIST_NEW))
    return;
  expect_list(probe, 0,
              "setup did not make this key, which is to have an empty list",
              NULL, 0);
  for (uint32_t i = 0; i < 2; i++)
    if (!probe_append(probe, 0, KEY_LIST_NEW, values[i]))
      return;
  if (probe_read_list(probe, 1, KEY_LIST_NEW))
    expect_list(probe, 1,
                "another session appended to a key that setup did not make",
                values, 2);
}

void probe_list_own(struct probe *probe) {
  const uint64_t a = probe_fresh(probe), b = probe_fresh(probe);
  const uint64_t values[] = {b, a};
  if (!probe_must(probe, 0, CALL_BEGIN, 0, 0))
    return;
  for (uint32_t i = 0; i < 2; i++) {
    if (!probe_must(probe, 0, CALL_APPEND, KEY_LIST_OWN, values[i]) ||
        !probe_must(probe, 0, CALL_LIST, KEY_LIST_OWN, 0))
      return;
    expect_list(probe, 0, "a transaction appended", values, i + 1);
  }
  probe_must(probe, 0, CALL_COMMIT, 0, 0);
}

void probe_list_rollback(struct probe *probe) {
  const uint64_t a = probe_fresh(probe);
  if (probe_append(probe, 0, KEY_LIST_ROLLBACK, a) &&
      probe_must(probe, 0, CALL_BEGIN, 0, 0) &&
      probe_must(probe, 0, CALL_APPEND, KEY_LIST_ROLLBACK,
                 probe_fresh(probe)) &&
      probe_must(probe, 0, CALL_ROLLBACK, 0, 0) &&
      probe_read_list(probe, 1, KEY_LIST_ROLLBACK))
    expect_list(probe, 1, "an append was rolled back", &a, 1);
}

void probe_list_uncommitted(struct probe *probe) {
  const uint64_t v = probe_fresh(probe);
  const struct value_list *list = &probe->actors[1].list;
  if (!probe_both(probe, probe->level))
    return;
  if (probe_must(probe, 0, CALL_APPEND, KEY_LIST_UNCOMMITTED, v) &&
      probe_try(probe, 1, CALL_LIST, KEY_LIST_UNCOMMITTED, 0) == ANSWER_OK &&
      list->count)
    probe_fail(probe, "another session reads an append that has not been "
                      "committed: it must go through the open transaction");
  probe_roll_both_back(probe);
}

// As long as a list gets in a run; columns of text have their limits.
void probe_list_long(struct probe *probe) {
  uint64_t *values = xcalloc(LONG, sizeof *values);
  bool done = true;
  for (uint32_t i = 0; i < LONG; i++)
    values[i] = (UINT64_C(1) << 52) + i;
  for (uint32_t i = 0; i < LONG && done; i++)
    done = (i % 100 || probe_must(probe, 0, CALL_BEGIN, 0, 0)) &&
           probe_must(probe, 0, CALL_APPEND, KEY_LIST_LONG, values[i]) &&
           (i % 100 != 99 || probe_must(probe, 0, CALL_COMMIT, 0, 0));
  if (done && probe_read_list(probe, 1, KEY_LIST_LONG)) {
    const uint32_t count = probe->actors[1].list.count;
    if (count != LONG)
      probe_fail(probe,
                 "%d elements were appended, and `list` has %" PRIu32
                 ": keep long lists whole",
                 LONG, count);
    else
      expect_list(probe, 1, "many elements were appended", values, LONG);
  }
  free(values);
}

// ---- Eight sessions, one list

struct probe_appender {
  const struct probe *probe;
  const struct driver_level *level;
  uint64_t base; // values are base + round
  uint64_t until;
  enum outcome outcomes[APPEND_ROUNDS];
};

static enum outcome append_once(const struct probe_appender *appender,
                                struct connection *c, uint64_t value) {
  const struct driver *driver = appender->probe->driver;
  enum outcome outcome = driver->begin(c, appender->level);
  if (outcome == OUTCOME_OK)
    outcome = driver->append(c, KEY_LIST_CROWD, value);
  if (outcome == OUTCOME_OK)
    return driver->commit(c);
  if (!c->broken)
    driver->rollback(c);
  return outcome;
}

static void append_on(struct connection *c, void *context) {
  struct probe_appender *appender = context;
  for (uint32_t i = 0; i < APPEND_ROUNDS; i++) {
    appender->outcomes[i] = OUTCOME_ABORTED;
    if (!c->broken && clock_now() < appender->until &&
        !probe_is_stopped(appender->probe))
      appender->outcomes[i] = append_once(appender, c, appender->base + i);
  }
}

static uint32_t count_in(const struct value_list *list, uint64_t value) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < list->count; i++)
    n += list->values[i] == value;
  return n;
}

// Each element that was committed is there once, and none that failed.
static void judge_appends(struct probe *probe,
                          const struct probe_appender *appenders) {
  const struct value_list *list = &probe->actors[0].list;
  uint32_t committed = 0, lost = 0;
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++)
    for (uint32_t k = 0; k < APPEND_ROUNDS; k++) {
      const uint64_t value = appenders[i].base + k;
      const enum outcome outcome = appenders[i].outcomes[k];
      const uint32_t n = count_in(list, value);
      if (n > 1)
        probe_fail(probe,
                   "%" PRIu64 " was appended once, and is there %" PRIu32
                   " times: append it once, and never try again",
                   value, n);
      if (n && outcome == OUTCOME_ABORTED)
        probe_fail(probe,
                   "an append of %" PRIu64
                   " was reported as failed, and is there: report as failed "
                   "only what certainly has no effect",
                   value);
      committed += outcome == OUTCOME_OK;
      lost += outcome == OUTCOME_OK && !n;
    }
  if (lost && probe_claim(probe, appenders->level) >= ISOLATION_SI)
    probe_look(probe,
               "%" PRIu32 " of %" PRIu32
               " appends that committed are not there, and %s is claimed: the "
               "store loses updates (a finding), the level does not arrive, "
               "or this driver loses them",
               lost, committed,
               isolation_name(probe_claim(probe, appenders->level)));
}

void probe_list_crowd(struct probe *probe) {
  struct probe_appender *appenders = xcalloc(PROBE_SESSIONS, sizeof *appenders);
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++) {
    appenders[i] =
        (struct probe_appender){.probe = probe,
                                .level = probe->level,
                                .base = probe->values + 1,
                                .until = clock_now() + PROBE_CROWD_TIME};
    probe->values += APPEND_ROUNDS;
  }
  if (!probe_at_once(probe, append_on, appenders, sizeof *appenders))
    return; // which one of them may still use
  probe_clear(probe);
  if (probe_read_list(probe, 0, KEY_LIST_CROWD))
    judge_appends(probe, appenders);
  free(appenders);
}
