// SPDX-License-Identifier: GPL-3.0-or-later
// Times of statements, packed (recorder/statement_times.h), are what was told.
#include "config.h"

#include "recorder/statement_times.h"

#include "recorder/builder/number_map.h"
#include "tests/tap.h"

enum { STATEMENTS = 1000 };

static void check_told(const struct statement_times *told, uint32_t n) {
  struct packed_times packed = {0};
  for (uint32_t s = 0; s < n; s++)
    statement_times_add(&packed, told[s]);
  statement_times_trim(&packed);
  CHECK_INT(packed.count, n);
  for (uint32_t s = n; s-- > 0;) {
    const struct statement_times is = statement_times_at(&packed, s);
    CHECK(is.begin == told[s].begin && is.end == told[s].end);
  }
  statement_times_free(&packed);
  CHECK_INT(packed.count, 0);
}

static void none(void) { check_told(NULL, 0); }

static void one_behind_the_other(void) {
  struct statement_times told[STATEMENTS];
  uint64_t now = UINT64_C(3600000000000);
  for (uint32_t s = 0; s < STATEMENTS; s++) {
    told[s].begin = now += s % 7 * 1000;
    told[s].end = now += s * 100;
  }
  check_told(told, STATEMENTS);
}

// Sessions follow each other, so that times go back; a clock may, too, and some
// times are not known: all bits.
static void any(void) {
  struct statement_times told[STATEMENTS];
  for (uint32_t s = 0; s < STATEMENTS; s++) {
    const unsigned bits = s % 64;
    told[s].begin = number_mix(2 * s) >> bits;
    told[s].end = s % 5 ? number_mix(2 * s + 1) >> bits : UINT64_MAX;
  }
  check_told(told, STATEMENTS);
}

int main(void) {
  return TAP_RUN({"no statement", none},
                 {"one behind the other", one_behind_the_other},
                 {"any times", any});
}
