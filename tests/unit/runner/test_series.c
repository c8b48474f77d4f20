// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "runner/series.h"
#include "tests/tap.h"

static void percentiles_are_near(void) {
  for (uint64_t ns = 300; ns < UINT64_C(60000000000); ns += ns / 7 + 1) {
    struct series s = {0};
    series_add(&s, 0, OUTCOME_OK, ns);
    series_add(&s, 0, OUTCOME_OK,
               UINT64_C(120000000000)); // so `longest` is not it
    const double got = (double)series_percentile(&s.intervals[0], 0.5);
    if (!CHECK(got > 0.87 * (double)ns - 256 && got < 1.13 * (double)ns + 256))
      printf("# %llu: %.0f\n", (unsigned long long)ns, got);
    series_free(&s);
  }
}

static void a_long_run_has_wide_intervals(void) {
  struct series s = {0};
  const uint64_t step = SERIES_SHORTEST;
  for (uint64_t i = 0; i < 3000; i++)
    series_add(&s, i * step, OUTCOME_OK, 0);
  CHECK_INT(s.interval, 16 * step);
  CHECK_INT(s.count, 188);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < s.count; i++)
    sum += s.intervals[i].committed;
  CHECK_INT(sum, 3000);
  CHECK_INT(s.intervals[0].committed, 16);
  CHECK_INT(s.intervals[186].committed, 16);
  series_add(&s, UINT64_C(86400) * 10 * 1000000000, OUTCOME_ABORTED, 0);
  CHECK(s.count <= SERIES_INTERVALS);
  series_free(&s);
}

static void sessions_are_merged(void) {
  struct series all = {0}, one = {0}, other = {0};
  const uint64_t step = SERIES_SHORTEST;
  for (uint64_t i = 0; i < 10; i++)
    series_add(&one, i * step, OUTCOME_OK, 0);
  for (uint64_t i = 0; i < 600; i++) {
    series_add(&other, i * step, OUTCOME_UNKNOWN, UINT64_MAX);
    series_add(&other, i * step, OUTCOME_OK, 1000 * i);
  }
  series_merge(&all, &one);
  CHECK_INT(all.count, 10);
  CHECK_INT(all.interval, step);
  series_merge(&all, &other);
  CHECK_INT(all.interval, 4 * step);
  CHECK_INT(all.count, 150);
  CHECK_INT(all.intervals[0].committed, 8);
  CHECK_INT(all.intervals[2].committed, 6);
  CHECK_INT(all.intervals[149].unknown, 4);
  CHECK_INT(all.intervals[149].longest, 599000);
  series_merge(&all, &one); // a finer one into a coarse one
  CHECK_INT(all.intervals[0].committed, 12);
  CHECK_INT(all.intervals[2].committed, 8);
  series_free(&all);
  series_free(&one);
  series_free(&other);
}

static void nothing_has_no_percentile(void) {
  struct series_interval none = {0};
  CHECK_INT(series_percentile(&none, 0.5), 0);
}

int main(void) {
  return TAP_RUN(
      {"percentiles are near", percentiles_are_near},
      {"a long run has wide intervals", a_long_run_has_wide_intervals},
      {"sessions are merged", sessions_are_merged},
      {"nothing has no percentile", nothing_has_no_percentile});
}
