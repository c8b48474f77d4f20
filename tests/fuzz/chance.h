// SPDX-License-Identifier: GPL-3.0-or-later
// A generator of the GSL that says what a fuzzer wants: all that chance decides
// comes from the fuzzer's bytes.
#ifndef TESTS_FUZZ_CHANCE_H
#define TESTS_FUZZ_CHANCE_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

struct bytes {
  const uint8_t *next, *end;
  uint32_t more;
};

// Behind the end they go on as they like, for what is drawn until it fits would
// else be drawn for ever.
static inline unsigned take(struct bytes *bytes) {
  if (bytes->next < bytes->end)
    return *bytes->next++;
  bytes->more = bytes->more * 1664525 + 1013904223;
  return bytes->more >> 24;
}

static inline void set_chance(void *state, unsigned long seed) {
  (void)seed;
  *(struct bytes *)state = (struct bytes){0};
}

static inline unsigned long get_chance(void *state) {
  const unsigned low = take(state);
  return low | take(state) << 8;
}

static inline double get_double_chance(void *state) {
  return (double)get_chance(state) / (UINT16_MAX + 1.0);
}

static const gsl_rng_type chance = {
    "bytes",    UINT16_MAX,       0, sizeof(struct bytes), set_chance,
    get_chance, get_double_chance};

// One that goes on where the bytes are; free with gsl_rng_free.
static inline gsl_rng *chance_of(const struct bytes *bytes) {
  gsl_rng *random = gsl_rng_alloc(&chance);
  *(struct bytes *)random->state = *bytes;
  return random;
}

#endif
