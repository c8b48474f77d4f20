// SPDX-License-Identifier: GPL-3.0-or-later
// Operations as sets of bits are what they are one by one.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "recorder/native/op_sets.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { ROUNDS = 200 };

// The sets, made one operation at a time.
static struct op_set one_by_one(const uint8_t *kind, uint32_t n) {
  struct op_set set = {.size = n};
  for (uint32_t i = 0; i < n; i++) {
    set.reads |= (uint64_t)op_reads(kind[i]) << i;
    set.writes |= (uint64_t)op_writes(kind[i]) << i;
    set.lists |= (uint64_t)op_is_list(kind[i]) << i;
  }
  return set;
}

static void sets_are_of_their_operations(void) {
  static const uint8_t kinds[] = {OP_READ, OP_WRITE, OP_CAS, OP_READ_LIST,
                                  OP_APPEND};
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  for (uint32_t n = 1; n <= OP_SET_MOST; n++)
    for (int round = 0; round < ROUNDS; round++) {
      uint8_t *kind = xmalloc(n); // nothing behind it may be read
      for (uint32_t i = 0; i < n; i++)
        kind[i] = kinds[gsl_rng_uniform_int(random, sizeof kinds)];
      const struct op_set set = op_set_of(kind, n), same = one_by_one(kind, n);
      CHECK(set.size == n);
      CHECK(set.reads == same.reads);
      CHECK(set.writes == same.writes);
      CHECK(set.lists == same.lists);
      free(kind);
    }
  gsl_rng_free(random);
}

static void each_is_taken_once(void) {
  uint64_t set = UINT64_C(1) << 63 | 5;
  CHECK(op_set_take(&set) == 0);
  CHECK(op_set_take(&set) == 2);
  CHECK(op_set_take(&set) == 63);
  CHECK(set == 0);
}

int main(void) {
  return TAP_RUN({"sets are of their operations", sets_are_of_their_operations},
                 {"each operation is taken once", each_is_taken_once});
}
