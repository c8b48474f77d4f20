// SPDX-License-Identifier: GPL-3.0-or-later
// Goodness of fit of the distributions of keys: chi-square against
// probabilities computed here from the definitions, with fixed seeds.
#include "config.h"

#include "base/random.h"
#include "tests/tap.h"
#include "workload/keys.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_zeta.h>
#include <math.h>

enum { MAX_BINS = 200, DRAWS = 400000 };
#define BILLION UINT64_C(1000000000)

// Keys from `first` to the next bin's first share a bin.
struct bins {
  int count;
  uint64_t first[MAX_BINS + 1]; // the last entry is nkeys
  double share[MAX_BINS];       // expected
};

static struct workload_options with_keys(enum distribution distribution,
                                         uint64_t nkeys) {
  struct workload_options options;
  workload_defaults(&options);
  options.distribution = distribution;
  options.nkeys = nkeys;
  return options;
}

// The sum of k^-theta for k from `first` to `last`, both included: the first
// terms one by one, the rest by the formula of Euler and Maclaurin up to the
// first derivative, whose error is then below 1e-12 of the sum.
static double zipf_sum(double theta, double first, double last) {
  double sum = 0;
  for (; first <= last && first < 1000; first++)
    sum += pow(first, -theta);
  if (first > last)
    return sum;
  double low = pow(first, -theta), high = pow(last, -theta);
  double integral = theta == 1 ? log(last / first)
                               : (last * high - first * low) / (1 - theta);
  double slopes = theta * (low / first - high / last);
  return sum + integral + (low + high) / 2 + slopes / 12;
}

// The share of all operations that goes to the keys below `end`, before it is
// scaled to 1 for all keys.
static double share_below(const struct workload_options *options,
                          uint64_t end) {
  double n = (double)options->nkeys, x = (double)end / n, q;
  switch (options->distribution) {
  case DISTRIBUTION_ZIPFIAN:
    return zipf_sum(options->theta, 1, (double)end);
  case DISTRIBUTION_HOTSPOT:
    return x <= options->hot_keys
               ? x / options->hot_keys * options->hot_ops
               : options->hot_ops + (x - options->hot_keys) /
                                        (1 - options->hot_keys) *
                                        (1 - options->hot_ops);
  case DISTRIBUTION_EXPONENTIAL:
    // By fixed-point iteration: decay = (1 - q) / (1 - q^10).
    q = 1 - options->decay;
    for (int i = 0; i < 10000; i++)
      q = 1 - options->decay * (1 - pow(q, 10));
    return 1 - pow(q, 10 * x);
  default:
    return x;
  }
}

// One key a bin at first, then bins that grow by a third; those that are
// expected to get fewer than `DRAWS * least` draws are joined with the next.
static void make_bins(struct bins *bins, const struct workload_options *options,
                      double least) {
  double all = share_below(options, options->nkeys), below = 0;
  bins->count = 0;
  bins->first[0] = 0;
  for (uint64_t end = 1; bins->first[bins->count] < options->nkeys;) {
    double share = share_below(options, end) / all - below;
    double rest = 1 - below - share;
    if (end == options->nkeys || (share >= least && rest >= least)) {
      bins->share[bins->count++] = share;
      bins->first[bins->count] = end;
      below += share;
    }
    end += end / 3 + 1;
    if (end > options->nkeys)
      end = options->nkeys;
  }
}

static int bin_of(const struct bins *bins, uint64_t key) {
  int low = 0, high = bins->count;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (bins->first[middle] <= key)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The probability that draws of `drawn` fit the distribution `believed` no
// better than they do.
static double fit(const struct workload_options *drawn,
                  const struct workload_options *believed) {
  struct bins bins;
  make_bins(&bins, believed, 5.0 / DRAWS);
  CHECK(bins.count >= 2);
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  struct keys *keys = keys_open(drawn, random);
  double chi2 = 0, seen[MAX_BINS] = {0};
  for (int i = 0; i < DRAWS; i++)
    seen[bin_of(&bins, keys_draw(keys))]++;
  for (int b = 0; b < bins.count; b++) {
    double expected = bins.share[b] * DRAWS;
    chi2 += (seen[b] - expected) * (seen[b] - expected) / expected;
  }
  keys_close(keys);
  gsl_rng_free(random);
  return gsl_cdf_chisq_Q(chi2, bins.count - 1);
}

static void check_fit(const struct workload_options *options) {
  double p = fit(options, options);
  if (!CHECK(p > 0.001 && p < 0.999))
    printf("#   p = %g: %s, %" PRIu64 " keys, theta %g, %g of operations on %g "
           "of keys, decay %g\n",
           p, distribution_name(options->distribution), options->nkeys,
           options->theta, options->hot_ops, options->hot_keys, options->decay);
}

static const uint64_t keyspaces[] = {2, 10, 1000, 1000000, BILLION};
enum { KEYSPACES = sizeof keyspaces / sizeof keyspaces[0] };

static void uniform_fits(void) {
  for (int i = 0; i < KEYSPACES; i++) {
    struct workload_options o = with_keys(DISTRIBUTION_UNIFORM, keyspaces[i]);
    check_fit(&o);
  }
}

static void zipfian_fits(void) {
  static const double thetas[] = {0.01, 0.5, 0.99, 1, 1.000001, 1.2, 2, 10};
  for (int i = 0; i < KEYSPACES; i++)
    for (size_t t = 0; t < sizeof thetas / sizeof thetas[0]; t++) {
      struct workload_options o = with_keys(DISTRIBUTION_ZIPFIAN, keyspaces[i]);
      o.theta = thetas[t];
      check_fit(&o);
    }
}

static void hotspot_fits(void) {
  static const double hot[][2] = {{0.8, 0.2}, {0.5, 0.5}, {0.99, 0.1}};
  for (int i = 1; i < KEYSPACES; i++)
    for (size_t h = 0; h < sizeof hot / sizeof hot[0]; h++) {
      struct workload_options o = with_keys(DISTRIBUTION_HOTSPOT, keyspaces[i]);
      o.hot_ops = hot[h][0];
      o.hot_keys = hot[h][1];
      check_fit(&o);
    }
}

static void exponential_fits(void) {
  static const double decays[] = {0.11, 0.3, 0.5, 0.9, 0.99};
  for (int i = 1; i < KEYSPACES; i++)
    for (size_t d = 0; d < sizeof decays / sizeof decays[0]; d++) {
      struct workload_options o =
          with_keys(DISTRIBUTION_EXPONENTIAL, keyspaces[i]);
      o.decay = decays[d];
      check_fit(&o);
    }
}

static void a_wrong_parameter_is_noticed(void) {
  struct workload_options drawn = with_keys(DISTRIBUTION_ZIPFIAN, BILLION);
  struct workload_options believed = drawn;
  believed.theta = 0.98;
  CHECK(fit(&drawn, &believed) < 1e-6);
  drawn.theta = believed.theta = 1.5;
  believed.nkeys = 100000;
  drawn.nkeys = 1000;
  CHECK(fit(&drawn, &believed) < 1e-6);

  drawn = believed = with_keys(DISTRIBUTION_HOTSPOT, 1000);
  believed.hot_ops = 0.79;
  CHECK(fit(&drawn, &believed) < 1e-6);

  drawn = believed = with_keys(DISTRIBUTION_EXPONENTIAL, 1000000);
  believed.decay = 0.89;
  CHECK(fit(&drawn, &believed) < 1e-6);

  drawn = with_keys(DISTRIBUTION_UNIFORM, 1000);
  CHECK(fit(&drawn, &believed) < 1e-6);
}

// The expected probabilities themselves, against the zeta function and against
// plain addition.
static void expected_shares_are_right(void) {
  double zeta = gsl_sf_hzeta(1.5, 1) - gsl_sf_hzeta(1.5, BILLION + 1);
  CHECK(fabs(zipf_sum(1.5, 1, BILLION) / zeta - 1) < 1e-9);
  double tail = gsl_sf_hzeta(1.01, 5000) - gsl_sf_hzeta(1.01, 1e8 + 1);
  CHECK(fabs(zipf_sum(1.01, 5000, 1e8) / tail - 1) < 1e-9);
  double harmonic = 0;
  for (int k = 1000000; k >= 1; k--)
    harmonic += 1.0 / k;
  CHECK(fabs(zipf_sum(1, 1, 1000000) / harmonic - 1) < 1e-12);
  struct workload_options o = with_keys(DISTRIBUTION_EXPONENTIAL, 1000);
  double all = share_below(&o, 1000);
  CHECK(fabs(share_below(&o, 100) / all - 0.9) < 1e-9);
}

static void every_key_can_be_drawn(void) {
  for (int d = 0; d < DISTRIBUTION_COUNT; d++) {
    struct workload_options o = with_keys(d, 20);
    o.decay = 0.3;
    gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
    struct keys *keys = keys_open(&o, random);
    uint32_t seen = 0;
    for (int i = 0; i < 2000000; i++)
      seen |= UINT32_C(1) << keys_draw(keys);
    CHECK_INT(seen, (1 << 20) - 1);
    keys_close(keys);
    gsl_rng_free(random);
  }
}

// The keys of a seed must not change by accident.
static void a_seed_keeps_its_keys(void) {
  static const uint64_t golden[DISTRIBUTION_COUNT][4] = {
      [DISTRIBUTION_UNIFORM] = {562707033, 737564408, 435824238, 62535264},
      [DISTRIBUTION_ZIPFIAN] = {24799, 299508, 156732962, 724},
      [DISTRIBUTION_HOTSPOT] = {140488458, 11911478, 67281024, 32850701},
      [DISTRIBUTION_EXPONENTIAL] = {32244940, 22613529, 4365619, 50400327},
  };
  for (int d = 0; d < DISTRIBUTION_COUNT; d++) {
    struct workload_options o = with_keys(d, BILLION);
    gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
    struct keys *keys = keys_open(&o, random);
    for (int i = 0; i < 4; i++)
      CHECK_INT(keys_draw(keys), golden[d][i]);
    keys_close(keys);
    gsl_rng_free(random);
  }
}

// At the ends of the ranges nothing overflows or hangs (keys_draw asserts that
// keys are in range).
static void extremes_stay_in_range(void) {
  static const struct workload_options ends[] = {
      {.theta = 0.01, .hot_ops = 0, .hot_keys = 0, .decay = 0.11},
      {.theta = 10, .hot_ops = 1, .hot_keys = 1, .decay = 0.9999},
      {.theta = 1, .hot_ops = 1, .hot_keys = 0, .decay = 0.5},
  };
  static const uint64_t nkeys[] = {1, 2, 3, WORKLOAD_MAX_KEYS};
  for (int d = 0; d < DISTRIBUTION_COUNT; d++)
    for (int e = 0; e < 3; e++)
      for (int n = 0; n < 4; n++) {
        struct workload_options o = ends[e];
        o.distribution = d;
        o.nkeys = nkeys[n];
        gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
        struct keys *keys = keys_open(&o, random);
        uint64_t most = 0;
        for (int i = 0; i < 10000; i++) {
          uint64_t key = keys_draw(keys);
          most = key > most ? key : most;
        }
        CHECK(most < o.nkeys);
        keys_close(keys);
        gsl_rng_free(random);
      }
}

int main(void) {
  return TAP_RUN(
      {"expected shares are right", expected_shares_are_right},
      {"uniform keys come as often as they should", uniform_fits},
      {"zipfian keys come as often as they should", zipfian_fits},
      {"hotspot keys come as often as they should", hotspot_fits},
      {"exponential keys come as often as they should", exponential_fits},
      {"a wrong parameter is noticed", a_wrong_parameter_is_noticed},
      {"a seed keeps its keys", a_seed_keeps_its_keys},
      {"every key can be drawn", every_key_can_be_drawn},
      {"extremes stay in range", extremes_stay_in_range});
}
