// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "base/histogram.h"
#include "base/memory.h"
#include "base/random.h"
#include "tests/tap.h"

#include <stdlib.h>

static const double shares[] = {0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
enum { SHARES = sizeof shares / sizeof *shares, HOUR_S = 3600 };

static void an_empty_one_is_all_zero(void) {
  struct histogram h = {0};
  CHECK_INT(histogram_percentile(&h, 0.5), 0);
  CHECK_INT(histogram_percentile(&h, 1), 0);
  CHECK(histogram_mean(&h) == 0);
}

static void one_duration_is_every_percentile(void) {
  uint64_t hour = HOUR_S * UINT64_C(1000000000);
  for (uint64_t ns = 0; ns <= hour; ns = ns * 5 / 4 + 1) {
    struct histogram h = {0};
    histogram_add(&h, ns);
    for (int i = 0; i < SHARES; i++)
      CHECK_INT(histogram_percentile(&h, shares[i]), ns);
    CHECK_INT(h.min, ns);
    CHECK(histogram_mean(&h) == (double)ns);
  }
}

// The second, far longer duration keeps max out of the way.
static void every_duration_is_known_within_a_64th(void) {
  uint64_t hour = HOUR_S * UINT64_C(1000000000);
  for (uint64_t ns = 1; ns <= hour; ns += ns / 200 + 1) {
    struct histogram h = {0};
    histogram_add(&h, ns);
    histogram_add(&h, UINT64_MAX / 4);
    uint64_t p = histogram_percentile(&h, 0.5);
    CHECK(p >= ns && p - ns <= ns / 64);
  }
}

static int by_length(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// Against sorting, on durations spread evenly over the orders of magnitude.
static void percentiles_agree_with_sorting(void) {
  enum { COUNT = 20000 };
  uint64_t *all = xcalloc(COUNT, sizeof *all);
  struct histogram h = {0};
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  for (int i = 0; i < COUNT; i++) {
    all[i] = gsl_rng_get(random) >> gsl_rng_uniform_int(random, 30);
    histogram_add(&h, all[i]);
  }
  qsort(all, COUNT, sizeof *all, by_length);
  for (int i = 0; i < SHARES; i++) {
    int rank = (int)(shares[i] * COUNT + 0.999999);
    uint64_t exact = all[rank ? rank - 1 : 0];
    uint64_t p = histogram_percentile(&h, shares[i]);
    CHECK(p >= exact && p - exact <= exact / 64);
  }
  CHECK_INT(h.min, all[0]);
  CHECK_INT(histogram_percentile(&h, 1), all[COUNT - 1]);
  gsl_rng_free(random);
  free(all);
}

static void merging_is_adding_to_one(void) {
  struct histogram both = {0}, parts[3] = {0};
  for (uint64_t i = 1; i < 3000; i++) {
    histogram_add(&both, i * i * i);
    histogram_add(&parts[i % 2], i * i * i);
  }
  histogram_merge(&parts[2], &parts[0]);
  histogram_merge(&parts[2], &parts[1]);
  CHECK(!memcmp(&parts[2], &both, sizeof both));
  histogram_merge(&both, &(struct histogram){0});
  CHECK(!memcmp(&parts[2], &both, sizeof both));
}

static void durations_beyond_the_last_bucket_count(void) {
  struct histogram h = {0};
  for (int bit = 40; bit < 60; bit++)
    histogram_add(&h, UINT64_C(1) << bit);
  CHECK_INT(h.count, 20);
  CHECK_INT(histogram_percentile(&h, 1), UINT64_C(1) << 59);
  CHECK_INT(histogram_percentile(&h, 0.05) >> 40, 1);
}

int main(void) {
  return TAP_RUN(
      {"an empty histogram is all zero", an_empty_one_is_all_zero},
      {"one duration is every percentile", one_duration_is_every_percentile},
      {"every duration is known within 1/64",
       every_duration_is_known_within_a_64th},
      {"percentiles agree with sorting", percentiles_agree_with_sorting},
      {"merging is adding to one", merging_is_adding_to_one},
      {"durations beyond the last bucket count",
       durations_beyond_the_last_bucket_count});
}
