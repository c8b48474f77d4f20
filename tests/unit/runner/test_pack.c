// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions that are kept together, and not for long.
#include "config.h"

#include "runner/pack.h"
#include "tests/tap.h"

enum { LEAD = 10, SESSIONS = 3, LATE = 1000000 };

static uint64_t lead(const struct workload_options *options) {
  (void)options;
  return LEAD;
}

static void be_here(const struct pack *pack) {
  for (uint32_t i = 0; i < SESSIONS; i++)
    pack_here(pack, i);
}

static struct pack pack_of(const struct workload *workload) {
  struct pack pack;
  struct workload_options options;
  workload_defaults(&options);
  options.nsessions = SESSIONS;
  pack_init(&pack, workload, &options, NULL);
  be_here(&pack);
  return pack;
}

static const struct workload with_lead = {.name = "together", .lead = lead};
static const struct workload without = {.name = "each for itself"};

static void nobody_waits_without_a_lead(void) {
  struct pack pack = pack_of(&without);
  struct pack_view view = {0};
  pack_note(&pack, 0, LATE);
  CHECK_INT(pack_wait(&pack, &view, LATE, 1), 0);
  pack_leave(&pack, 0);
  pack_fini(&pack);
}

static void who_is_ahead_waits_for_the_slowest(void) {
  struct pack pack = pack_of(&with_lead);
  struct pack_view view = {0};
  pack_note(&pack, 0, LEAD - 1);
  CHECK_INT(pack_wait(&pack, &view, LEAD - 1, 1), 0);
  pack_note(&pack, 0, LEAD);
  const uint64_t again = pack_wait(&pack, &view, LEAD, 1);
  CHECK(again > 1 && again < 1 + PACK_PATIENCE);
  pack_note(&pack, 1, 5); // not the slowest
  CHECK(pack_wait(&pack, &view, LEAD, again) > again);
  pack_note(&pack, 2, 1);
  CHECK_INT(pack_wait(&pack, &view, LEAD, again), 0);
  pack_note(&pack, 0, LEAD + 1);
  CHECK(pack_wait(&pack, &view, LEAD + 1, again) > again);
  pack_fini(&pack);
}

static void nobody_waits_for_who_has_ended(void) {
  struct pack pack = pack_of(&with_lead);
  struct pack_view view = {0};
  pack_note(&pack, 0, LATE);
  pack_note(&pack, 1, LATE - 1);
  CHECK(pack_wait(&pack, &view, LATE, 1) > 1);
  pack_leave(&pack, 2);
  CHECK_INT(pack_wait(&pack, &view, LATE, 2), 0);
  pack_leave(&pack, 1);
  pack_note(&pack, 0, 2 * LATE);
  CHECK_INT(pack_wait(&pack, &view, 2 * LATE, 3), 0);
  pack_fini(&pack);
}

static void patience_ends(void) {
  struct pack pack = pack_of(&with_lead);
  struct pack_view view = {0};
  uint64_t nplans = LEAD;
  pack_note(&pack, 0, nplans);
  CHECK(pack_wait(&pack, &view, nplans, 1) > 1);
  CHECK(pack_wait(&pack, &view, nplans, PACK_PATIENCE) > 1);
  CHECK_INT(pack_wait(&pack, &view, nplans, 1 + PACK_PATIENCE), 0);
  // From there on it may lead again before it waits once more.
  while (nplans < 2 * LEAD - 1)
    CHECK_INT(pack_wait(&pack, &view, ++nplans, LATE + PACK_PATIENCE), 0);
  CHECK(pack_wait(&pack, &view, ++nplans, LATE + PACK_PATIENCE) > 0);
  pack_fini(&pack);
}

static void twins_begin_together(void) {
  struct workload_options options;
  struct pack_view view = {0}, of_1 = {0}, alone = {0};
  struct pack pack;
  workload_defaults(&options);
  options.nsessions = SESSIONS;
  options.twins = 1;
  pack_init(&pack, &without, &options, NULL);
  be_here(&pack);
  const uint64_t again = pack_wait_for_twin(&pack, &view, 0, 7, 1);
  CHECK(again > 1 && again < 1 + PACK_PATIENCE);
  CHECK(pack_wait_for_twin(&pack, &of_1, 1, 6, 1) == 0); // 0 is past it
  CHECK(pack_wait_for_twin(&pack, &view, 0, 7, again) > again);
  CHECK_INT(pack_wait_for_twin(&pack, &of_1, 1, 7, again), 0);
  CHECK_INT(pack_wait_for_twin(&pack, &view, 0, 7, again), 0);
  CHECK(pack_wait_for_twin(&pack, &view, 0, 8, LATE) > LATE);
  CHECK_INT(pack_wait_for_twin(&pack, &view, 0, 8, LATE + PACK_PATIENCE), 0);
  CHECK_INT(pack_wait_for_twin(&pack, &alone, 2, 7, 1), 0); // has no twin
  pack_leave(&pack, 1);
  CHECK_INT(pack_wait_for_twin(&pack, &view, 0, 9, 1), 0);
  pack_fini(&pack);
  options.twins = 0;
  pack_init(&pack, &without, &options, NULL);
  be_here(&pack);
  CHECK_INT(pack_wait_for_twin(&pack, &view, 0, 7, 1), 0);
  pack_fini(&pack);
}

int main(void) {
  return TAP_RUN(
      {"nobody waits without a lead", nobody_waits_without_a_lead},
      {"who is ahead waits for the slowest",
       who_is_ahead_waits_for_the_slowest},
      {"nobody waits for who has ended", nobody_waits_for_who_has_ended},
      {"the patience with a lost answer ends", patience_ends},
      {"twins begin together", twins_begin_together});
}
