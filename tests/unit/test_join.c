// SPDX-License-Identifier: GPL-3.0-or-later
// Reads find their writes in whatever order both come, on one pile or many, and
// what was written twice is noticed.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "recorder/join.h"
#include "tests/tap.h"

#include <string.h>

enum { KEYS = 20, VALUES = 9000, ITEMS = 2 * KEYS * VALUES, EVENTS = 300000 };

struct event {
  uint32_t what; // item
  bool write;
};

static struct item item_of(uint32_t what) {
  return (struct item){.key = what % KEYS,
                       .list = what / KEYS % 2,
                       .value = (what / KEYS / 2) * UINT64_C(0x10000000001)};
}

// Writes and reads by turns; with `twice`, some are written more than once.
static struct event *make_events(bool twice) {
  gsl_rng *random = random_stream(1, twice, RANDOM_TEST);
  struct event *events = xmalloc(EVENTS * sizeof *events);
  uint32_t next = 0;
  for (uint32_t i = 0; i < EVENTS; i++) {
    events[i].write = gsl_rng_uniform_int(random, 2) && next < ITEMS;
    events[i].what = (uint32_t)gsl_rng_uniform_int(random, ITEMS);
    if (events[i].write && (!twice || gsl_rng_uniform_int(random, 50)))
      events[i].what = next++;
  }
  gsl_rng_free(random);
  return events;
}

// What there is to find: by item, the first write's name or UINT64_MAX.
struct expected {
  uint64_t first[ITEMS];
  uint32_t count[ITEMS];
  uint64_t duplicates;
  uint32_t second; // the earliest event that writes again; EVENTS: none
};

static struct expected *expect(const struct event *events) {
  struct expected *e = xcalloc(1, sizeof *e);
  memset(e->first, 0xff, sizeof e->first);
  e->second = EVENTS;
  for (uint32_t i = 0; i < EVENTS; i++) {
    if (!events[i].write)
      continue;
    const uint32_t what = events[i].what;
    if (!e->count[what]++)
      e->first[what] = 7 * (uint64_t)i;
    else if (e->second == EVENTS)
      e->second = i;
    e->duplicates += e->count[what] == 2 ? 2 : e->count[what] > 2;
  }
  return e;
}

static uint32_t wrong_answers(struct join *join, const struct event *events,
                              const struct expected *e, uint32_t end) {
  uint32_t wrong = 0;
  join_rewind(join);
  for (uint32_t i = 0; i < end; i++)
    if (!events[i].write)
      wrong += join_writer(join, item_of(events[i].what)) !=
               e->first[events[i].what];
  return wrong;
}

// The first event that meets a suspect the second time.
static uint32_t find_second(const struct join *join,
                            const struct event *events) {
  bool met[JOIN_SUSPECTS_MAX] = {false};
  for (uint32_t i = 0; i < EVENTS; i++) {
    uint32_t suspect;
    if (!events[i].write ||
        !join_is_suspect(join, item_of(events[i].what), &suspect))
      continue;
    if (met[suspect])
      return i;
    met[suspect] = true;
  }
  return EVENTS;
}

// `expected_writes` says on how many piles they come.
static void check_join(bool twice, uint64_t expected_writes) {
  struct event *events = make_events(twice);
  struct expected *e = expect(events);
  struct error error = {0};
  struct join *join = join_open("/tmp/isostress-join", expected_writes, &error);
  CHECK(join != NULL);
  for (uint32_t i = 0; i < EVENTS; i++)
    if (events[i].write)
      join_write(join, item_of(events[i].what), 7 * (uint64_t)i);
    else
      join_read(join, item_of(events[i].what));
  CHECK_INT(join_match(join, &error), 0);
  CHECK_INT(wrong_answers(join, events, e, EVENTS / 2), 0);
  CHECK_INT(wrong_answers(join, events, e, EVENTS), 0);
  CHECK_INT(join_check(join, &error), 0);
  CHECK_INT(join_duplicates(join), e->duplicates);
  CHECK_INT(find_second(join, events), e->second);
  CHECK((e->second < EVENTS) == twice);
  join_free(join);
  free(events);
  free(e);
}

static void reads_find_their_writes(void) {
  check_join(false, EVENTS / 2);
  check_join(false, 0);
  check_join(false, UINT64_MAX / 2);
}

static void what_is_written_twice_is_noticed(void) {
  check_join(true, EVENTS / 2);
  check_join(true, 0);
  check_join(true, UINT64_MAX / 2);
}

static void nothing_is_nothing(void) {
  struct error error = {0};
  struct join *join = join_open("/tmp/isostress-join", 0, &error);
  CHECK_INT(join_match(join, &error), 0);
  CHECK_INT(join_duplicates(join), 0);
  join_rewind(join);
  join_free(join);
}

static void a_join_needs_a_place(void) {
  struct error error;
  CHECK(join_open("/absent/out.iso", 0, &error) == NULL);
  CHECK_STR(error.text,
            "/absent/out.iso: can not be written: No such file or directory");
}

int main(void) {
  return TAP_RUN(
      {"reads find their writes", reads_find_their_writes},
      {"what is written twice is noticed", what_is_written_twice_is_noticed},
      {"nothing is nothing", nothing_is_nothing},
      {"a join needs a place", a_join_needs_a_place});
}
