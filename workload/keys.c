// SPDX-License-Identifier: GPL-3.0-or-later
// Distributions of keys (workload/keys.h).  None needs a table, so a keyspace
// may have billions of keys.
#include "config.h"

#include "workload/keys.h"

#include "base/memory.h"

#include <assert.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

struct keys {
  gsl_rng *random;
  uint64_t nkeys;
  uint64_t (*draw)(struct keys *keys);
  union {
    struct {
      double one_minus_theta, theta;
      double low, high; // the integral of the hat at its two ends
      double squeeze;
    } zipf;
    struct {
      double ops;
      uint64_t nkeys;
    } hot;
    struct {
      double cover; // share of the untruncated distribution on our keys
      double mean;  // of the untruncated distribution, in keys
    } exponential;
  };
};

// From [0, 1) with 53 random bits: gsl_rng_uniform has only 32, too few to
// reach every key of a large keyspace.
static double fraction(gsl_rng *random) {
  uint64_t high = gsl_rng_get(random) >> 5, low = gsl_rng_get(random) >> 6;
  return (double)(high << 26 | low) * 0x1p-53;
}

static uint64_t below(gsl_rng *random, uint64_t end) {
  return gsl_rng_uniform_int(random, end);
}

static uint64_t draw_uniform(struct keys *keys) {
  return below(keys->random, keys->nkeys);
}

// Zipfian by rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-
// inversion to generate variates from monotone discrete distributions", ACM
// TOMACS 6(3), 1996.  Our key k is their k + 1 and has a probability
// proportional to (k + 1)^-theta.  The integral of x^-theta is taken from 1,
// where it is (x^(1 - theta) - 1) / (1 - theta), and ln x if theta is 1;
// written with expm1 and log1p it stays exact when theta is nearly 1.
static double hat(const struct keys *keys, double x) {
  return exp(-keys->zipf.theta * log(x));
}

static double hat_integral(const struct keys *keys, double x) {
  double s = keys->zipf.one_minus_theta;
  return s == 0 ? log(x) : expm1(s * log(x)) / s;
}

static double hat_integral_inverse(const struct keys *keys, double area) {
  double s = keys->zipf.one_minus_theta;
  // Rounding may take the area just past the integral's limit 1 / (theta - 1).
  return s == 0 ? exp(area) : exp(log1p(fmax(s * area, -1)) / s);
}

static uint64_t draw_zipfian(struct keys *keys) {
  for (;;) {
    double area = keys->zipf.high +
                  fraction(keys->random) * (keys->zipf.low - keys->zipf.high);
    double x = hat_integral_inverse(keys, area);
    double k = fmin(fmax(floor(x + 0.5), 1), (double)keys->nkeys);
    if (k - x <= keys->zipf.squeeze ||
        area >= hat_integral(keys, k + 0.5) - hat(keys, k))
      return (uint64_t)k - 1;
  }
}

static void prepare_zipfian(struct keys *keys,
                            const struct workload_options *options) {
  keys->zipf.theta = options->theta;
  keys->zipf.one_minus_theta = 1 - options->theta;
  keys->zipf.low = hat_integral(keys, 1.5) - 1;
  keys->zipf.high = hat_integral(keys, (double)keys->nkeys + 0.5);
  // Within this distance of k acceptance is certain, their section 4.
  keys->zipf.squeeze =
      2 - hat_integral_inverse(keys, hat_integral(keys, 2.5) - hat(keys, 2));
}

static uint64_t draw_hotspot(struct keys *keys) {
  uint64_t hot = keys->hot.nkeys;
  if (hot == keys->nkeys || gsl_ran_bernoulli(keys->random, keys->hot.ops))
    return below(keys->random, hot);
  return hot + below(keys->random, keys->nkeys - hot);
}

static void prepare_hotspot(struct keys *keys,
                            const struct workload_options *options) {
  double hot = round((double)keys->nkeys * options->hot_keys);
  keys->hot.ops = options->hot_ops;
  keys->hot.nkeys = hot < 1 ? 1 : (uint64_t)hot;
}

// The inverse of the distribution function, cut off after the last key; drawing
// from gsl_ran_exponential until the key exists would, for a weak decay, reject
// most draws.
static uint64_t draw_exponential(struct keys *keys) {
  double u = fraction(keys->random) * keys->exponential.cover;
  uint64_t key = (uint64_t)(-log1p(-u) * keys->exponential.mean);
  return key < keys->nkeys ? key : keys->nkeys - 1;
}

// A tenth of the keys has q times the operations of the tenth before it, so the
// first has 1 / (1 + q + ... + q^9) of them all.
static double first_tenth(double q) {
  double sum = 0;
  for (int tenth = 0; tenth < 10; tenth++)
    sum = sum * q + 1;
  return 1 / sum;
}

static void prepare_exponential(struct keys *keys,
                                const struct workload_options *options) {
  double low = 0, high = 1;
  for (int bit = 0; bit < 60; bit++) {
    double middle = (low + high) / 2;
    if (first_tenth(middle) > options->decay)
      low = middle;
    else
      high = middle;
  }
  keys->exponential.cover = 1 - pow(high, 10);
  keys->exponential.mean = -(double)keys->nkeys / (10 * log(high));
}

static const struct {
  const char *name, *summary;
  uint64_t (*draw)(struct keys *keys);
  void (*prepare)(struct keys *keys, const struct workload_options *options);
} distributions[DISTRIBUTION_COUNT] = {
    [DISTRIBUTION_UNIFORM] = {"uniform", "every key equally often",
                              draw_uniform, NULL},
    [DISTRIBUTION_ZIPFIAN] = {"zipfian",
                              "the k-th key in proportion to 1/k^theta",
                              draw_zipfian, prepare_zipfian},
    [DISTRIBUTION_HOTSPOT] = {"hotspot",
                              "a share of the operations (hot-ops) on a share "
                              "of the keys (hot-keys)",
                              draw_hotspot, prepare_hotspot},
    [DISTRIBUTION_EXPONENTIAL] = {"exponential",
                                  "falling from key to key by a constant "
                                  "factor; decay is the share of the "
                                  "operations on the first tenth of the keys",
                                  draw_exponential, prepare_exponential},
};

struct keys *keys_open(const struct workload_options *options,
                       gsl_rng *random) {
  assert(options->nkeys >= 1 && options->nkeys <= WORKLOAD_MAX_KEYS);
  assert(gsl_rng_min(random) == 0 && gsl_rng_max(random) == UINT32_MAX);
  struct keys *keys = xcalloc(1, sizeof *keys);
  keys->random = random;
  keys->nkeys = options->nkeys;
  keys->draw = distributions[options->distribution].draw;
  if (distributions[options->distribution].prepare)
    distributions[options->distribution].prepare(keys, options);
  return keys;
}

void keys_close(struct keys *keys) { free(keys); }

uint64_t keys_draw(struct keys *keys) {
  uint64_t key = keys->draw(keys);
  assert(key < keys->nkeys);
  return key;
}

const char *distribution_name(enum distribution distribution) {
  return distributions[distribution].name;
}

const char *distribution_summary(enum distribution distribution) {
  return distributions[distribution].summary;
}
