// SPDX-License-Identifier: GPL-3.0-or-later
// Computes expressions of pgbench (own/compute.h) by recursive descent.
#include "config.h"

#include "own/compute.h"

#include "base/memory.h"
#include "own/draws.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- Values

enum raw_kind { RAW_NULL, RAW_INTEGER, RAW_REAL, RAW_BOOLEAN };

struct raw_value {
  enum raw_kind kind;
  int64_t integer; // of a boolean: 0 or 1
  double real;
};

struct computing {
  const char *p; // what is left of the expression
  const struct raw_variables *variables;
  gsl_rng *draw;
  struct error *error;
  bool failed;
};

static struct raw_value no_value(void) {
  return (struct raw_value){.kind = RAW_NULL};
}
static struct raw_value integer_of(int64_t integer) {
  return (struct raw_value){.kind = RAW_INTEGER, .integer = integer};
}
static struct raw_value real_of(double real) {
  return (struct raw_value){.kind = RAW_REAL, .real = real};
}
static struct raw_value boolean_of(bool boolean) {
  return (struct raw_value){.kind = RAW_BOOLEAN, .integer = boolean};
}

static double as_real(struct raw_value v) {
  return v.kind == RAW_REAL ? v.real : (double)v.integer;
}

static bool is_true_value(struct raw_value v) {
  return v.kind == RAW_REAL ? v.real != 0 : v.kind != RAW_NULL && v.integer;
}

// Only the first mistake is told.
static struct raw_value fail(struct computing *c, const char *what,
                             const char *of) {
  if (!c->failed)
    error_set_usage(c->error, "%s%s%s", what, *of ? " " : "", of);
  c->failed = true;
  return no_value();
}

static struct raw_value read_value_text(struct computing *c, const char *text) {
  char *end;
  errno = 0;
  const long long integer = strtoll(text, &end, 10);
  if (*text && !*end && !errno)
    return integer_of(integer);
  const double real = strtod(text, &end);
  if (*text && !*end)
    return real_of(real);
  if (!strcasecmp(text, "t") || !strcasecmp(text, "true"))
    return boolean_of(true);
  if (!strcasecmp(text, "f") || !strcasecmp(text, "false"))
    return boolean_of(false);
  return fail(c, "is no number:", text);
}

// ---- Tokens

static void skip_blanks_of(struct computing *c) {
  while (isspace((unsigned char)*c->p))
    c->p++;
}

// Takes a sign or a word, if it comes next.
static bool takes(struct computing *c, const char *token) {
  const size_t length = strlen(token);
  skip_blanks_of(c);
  if (strncasecmp(c->p, token, length) != 0 ||
      (isalpha((unsigned char)*token) &&
       (isalnum((unsigned char)c->p[length]) || c->p[length] == '_')))
    return false;
  c->p += length;
  return true;
}

static size_t length_of_name(const char *p) {
  size_t n = 0;
  while (isalnum((unsigned char)p[n]) || p[n] == '_')
    n++;
  return n;
}

// ---- Functions

enum { ARGUMENTS_MOST = 8 };

// random(LOW, HIGH), and others with a parameter, which is above `least`.
static const struct {
  const char *name;
  double least, most;
  int64_t (*draw)(gsl_rng *rng, int64_t low, int64_t high, double parameter);
} distributions[] = {
    {"random", 0, 0, NULL},
    {"random_gaussian", 2, INFINITY, draw_number_gaussian},
    {"random_exponential", 0, INFINITY, draw_number_exponential},
    {"random_zipfian", 1, 1000, draw_number_zipfian}};
enum { DISTRIBUTIONS = sizeof distributions / sizeof *distributions };

static uint32_t distribution_of(const char *name) {
  uint32_t i = 0;
  while (i < DISTRIBUTIONS && strcasecmp(name, distributions[i].name) != 0)
    i++;
  return i;
}

static struct raw_value compute_random(struct computing *c, const char *name,
                                       const struct raw_value *a, uint32_t n) {
  const uint32_t d = distribution_of(name);
  const bool uniform = !distributions[d].draw;
  if (n != (uniform ? 2u : 3u) || a[0].kind != RAW_INTEGER ||
      a[1].kind != RAW_INTEGER)
    return fail(c, "two whole numbers are the range of", name);
  if (!c->draw)
    return a[0];
  if (a[0].integer > a[1].integer)
    return fail(c, "the range is empty:", name);
  if (uniform)
    return integer_of(draw_number(c->draw, a[0].integer, a[1].integer));
  const double parameter = as_real(a[2]);
  if (!(parameter > distributions[d].least))
    return fail(c, "the last number is too small:", name);
  if (parameter > distributions[d].most)
    return fail(c, "the last number is too large:", name);
  return integer_of(
      distributions[d].draw(c->draw, a[0].integer, a[1].integer, parameter));
}

// hash(value [, seed]): without a seed that of the variable default_seed.
static struct raw_value compute_hash(struct computing *c, const char *name,
                                     const struct raw_value *a, uint32_t n) {
  const char *seed = raw_variable_get(c->variables, "default_seed", 12);
  const int64_t by = n == 2            ? a[1].integer
                     : seed && c->draw ? strtoll(seed, NULL, 10)
                                       : 0;
  if (a[0].kind != RAW_INTEGER || (n == 2 && a[1].kind != RAW_INTEGER))
    return fail(c, "whole numbers are the value and the seed of", name);
  return integer_of(!strcasecmp(name, "hash_fnv1a")
                        ? hash_fnv1a(a[0].integer, by)
                        : hash_murmur2(a[0].integer, by));
}

static struct raw_value choose_extreme(const struct raw_value *a, uint32_t n,
                                       bool greatest) {
  uint32_t best = 0;
  bool real = false;
  for (uint32_t i = 0; i < n; i++) {
    real |= a[i].kind == RAW_REAL;
    if (greatest ? as_real(a[i]) > as_real(a[best])
                 : as_real(a[i]) < as_real(a[best]))
      best = i;
  }
  return real ? real_of(as_real(a[best])) : a[best];
}

static struct raw_value compute_of_one(struct computing *c, const char *name,
                                       struct raw_value v) {
  if (v.kind == RAW_NULL)
    return v;
  if (!strcasecmp(name, "abs"))
    return v.kind == RAW_REAL
               ? real_of(fabs(v.real))
               : integer_of(v.integer < 0 ? -v.integer : v.integer);
  if (!strcasecmp(name, "int"))
    return v.kind == RAW_REAL ? integer_of((int64_t)v.real) : v;
  if (!strcasecmp(name, "double"))
    return real_of(as_real(v));
  if (!strcasecmp(name, "sqrt"))
    return real_of(sqrt(as_real(v)));
  return fail(c, "there is no such function here:", name);
}

static struct raw_value divide(struct computing *c, struct raw_value a,
                               struct raw_value b, bool modulo) {
  if (a.kind == RAW_NULL || b.kind == RAW_NULL)
    return no_value();
  if (!modulo && (a.kind == RAW_REAL || b.kind == RAW_REAL))
    return as_real(b) == 0 ? fail(c, "division by zero", "")
                           : real_of(as_real(a) / as_real(b));
  if (a.kind == RAW_REAL || b.kind == RAW_REAL)
    return fail(c, "% is of whole numbers", "");
  if (!b.integer)
    return fail(c, "division by zero", "");
  if (b.integer == -1) // the smallest number has no positive
    return modulo                   ? integer_of(0)
           : a.integer == INT64_MIN ? fail(c, "a number is too large", "")
                                    : integer_of(-a.integer);
  return integer_of(modulo ? a.integer % b.integer : a.integer / b.integer);
}

static struct raw_value call_function(struct computing *c, const char *name,
                                      const struct raw_value *a, uint32_t n) {
  if (c->failed)
    return no_value();
  if (distribution_of(name) < DISTRIBUTIONS)
    return compute_random(c, name, a, n);
  if ((n == 1 || n == 2) &&
      (!strcasecmp(name, "hash") || !strcasecmp(name, "hash_murmur2") ||
       !strcasecmp(name, "hash_fnv1a")))
    return compute_hash(c, name, a, n);
  if (n && (!strcasecmp(name, "greatest") || !strcasecmp(name, "least")))
    return choose_extreme(a, n, !strcasecmp(name, "greatest"));
  if (n == 2 && !strcasecmp(name, "mod"))
    return c->draw ? divide(c, a[0], a[1], true) : integer_of(0);
  if (n == 1)
    return compute_of_one(c, name, a[0]);
  return fail(c, "there is no such function here:", name);
}

// ---- The grammar, from what binds loosest to what binds tightest

static struct raw_value read_or(struct computing *c);

static struct raw_value read_call(struct computing *c, const char *name) {
  struct raw_value arguments[ARGUMENTS_MOST];
  uint32_t n = 0;
  while (!c->failed && !takes(c, ")")) {
    if (n == ARGUMENTS_MOST)
      return fail(c, "there are too many arguments of", name);
    if (n && !takes(c, ","))
      return fail(c, "a comma is missing in", name);
    arguments[n++] = read_or(c);
  }
  return call_function(c, name, arguments, n);
}

static struct raw_value read_named(struct computing *c) {
  char name[64];
  const size_t length = length_of_name(c->p);
  snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), c->p);
  if (takes(c, "null"))
    return no_value();
  if (takes(c, "true"))
    return boolean_of(true);
  if (takes(c, "false"))
    return boolean_of(false);
  c->p += length;
  return takes(c, "(") ? read_call(c, name)
                       : fail(c,
                              "is no variable, which begins with \":\", and "
                              "no function:",
                              name);
}

static struct raw_value read_variable(struct computing *c) {
  char name[64];
  const size_t length = length_of_name(c->p);
  snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), c->p);
  const char *text = raw_variable_get(c->variables, c->p, length);
  c->p += length;
  if (!c->draw)
    return integer_of(1);
  return text ? read_value_text(c, text)
              : fail(c, "the variable is not set:", name);
}

static struct raw_value read_number(struct computing *c) {
  char *end;
  errno = 0;
  const long long integer = strtoll(c->p, &end, 10);
  struct raw_value v = integer_of(integer);
  if (errno || *end == '.' || *end == 'e' || *end == 'E')
    v = real_of(strtod(c->p, &end));
  c->p = end;
  return v;
}

static struct raw_value read_unary(struct computing *c) {
  skip_blanks_of(c);
  if (takes(c, "-")) {
    const struct raw_value v = read_unary(c);
    return v.kind == RAW_REAL      ? real_of(-v.real)
           : v.kind == RAW_INTEGER ? integer_of((int64_t) - (uint64_t)v.integer)
                                   : v;
  }
  if (takes(c, "+"))
    return read_unary(c);
  if (takes(c, "(")) {
    const struct raw_value v = read_or(c);
    return takes(c, ")") ? v : fail(c, "a bracket is not closed", "");
  }
  if (*c->p == ':' && length_of_name(c->p + 1)) {
    c->p++;
    return read_variable(c);
  }
  if (isdigit((unsigned char)*c->p) || *c->p == '.')
    return read_number(c);
  if (isalpha((unsigned char)*c->p))
    return read_named(c);
  return fail(c, "a value is missing before", *c->p ? c->p : "the end");
}

static struct raw_value read_product(struct computing *c) {
  struct raw_value a = read_unary(c);
  for (;;) {
    const bool times = takes(c, "*"), over = !times && takes(c, "/");
    if (!times && !over && !takes(c, "%"))
      return a;
    const struct raw_value b = read_unary(c);
    int64_t product;
    if (!times)
      a = c->draw ? divide(c, a, b, !over) : integer_of(1);
    else if (a.kind == RAW_NULL || b.kind == RAW_NULL)
      a = no_value();
    else if (a.kind == RAW_REAL || b.kind == RAW_REAL)
      a = real_of(as_real(a) * as_real(b));
    else if (__builtin_mul_overflow(a.integer, b.integer, &product))
      a = fail(c, "a number is too large", "");
    else
      a = integer_of(product);
  }
}

static struct raw_value read_sum(struct computing *c) {
  struct raw_value a = read_product(c);
  for (;;) {
    const bool adds = takes(c, "+");
    if (!adds && !takes(c, "-"))
      return a;
    const struct raw_value b = read_product(c);
    int64_t sum;
    if (a.kind == RAW_NULL || b.kind == RAW_NULL)
      a = no_value();
    else if (a.kind == RAW_REAL || b.kind == RAW_REAL)
      a = real_of(adds ? as_real(a) + as_real(b) : as_real(a) - as_real(b));
    else if (adds ? __builtin_add_overflow(a.integer, b.integer, &sum)
                  : __builtin_sub_overflow(a.integer, b.integer, &sum))
      a = fail(c, "a number is too large", "");
    else
      a = integer_of(sum);
  }
}

enum { SIGN_OF_LESS = 1, SIGN_OF_EQUAL = 2, SIGN_OF_GREATER = 4 };

// Longer signs come first.
static const struct {
  const char *sign;
  int holds; // for which order of the two
} comparisons[] = {
    {"<=", SIGN_OF_LESS | SIGN_OF_EQUAL},
    {">=", SIGN_OF_GREATER | SIGN_OF_EQUAL},
    {"<>", SIGN_OF_LESS | SIGN_OF_GREATER},
    {"!=", SIGN_OF_LESS | SIGN_OF_GREATER},
    {"<", SIGN_OF_LESS},
    {">", SIGN_OF_GREATER},
    {"=", SIGN_OF_EQUAL},
};

static struct raw_value compare_values(struct raw_value a, struct raw_value b,
                                       int holds) {
  if (a.kind == RAW_NULL || b.kind == RAW_NULL)
    return no_value();
  const bool real = a.kind == RAW_REAL || b.kind == RAW_REAL;
  const int order = real ? (as_real(a) > as_real(b)) - (as_real(a) < as_real(b))
                         : (a.integer > b.integer) - (a.integer < b.integer);
  return boolean_of(holds & (order < 0   ? SIGN_OF_LESS
                             : order > 0 ? SIGN_OF_GREATER
                                         : SIGN_OF_EQUAL));
}

static struct raw_value read_comparison(struct computing *c) {
  const struct raw_value a = read_sum(c);
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
    if (takes(c, comparisons[i].sign))
      return compare_values(a, read_sum(c), comparisons[i].holds);
  if (!takes(c, "is"))
    return a;
  const bool not = takes(c, "not");
  if (!takes(c, "null"))
    return fail(c, "NULL is missing behind", "IS");
  return boolean_of((a.kind == RAW_NULL) != not );
}

static struct raw_value read_not(struct computing *c) {
  if (!takes(c, "not"))
    return read_comparison(c);
  const struct raw_value v = read_not(c);
  return v.kind == RAW_NULL ? v : boolean_of(!is_true_value(v));
}

static struct raw_value read_and(struct computing *c) {
  struct raw_value a = read_not(c);
  while (takes(c, "and")) {
    const struct raw_value b = read_not(c);
    a = boolean_of(is_true_value(a) && is_true_value(b));
  }
  return a;
}

static struct raw_value read_or(struct computing *c) {
  struct raw_value a = read_and(c);
  while (takes(c, "or")) {
    const struct raw_value b = read_and(c);
    a = boolean_of(is_true_value(a) || is_true_value(b));
  }
  return a;
}

static char *write_value(struct raw_value v) {
  switch (v.kind) {
  case RAW_INTEGER:
    return xasprintf("%" PRId64, v.integer);
  case RAW_REAL:
    return xasprintf("%.15g", v.real);
  case RAW_BOOLEAN:
    return xstrdup(v.integer ? "true" : "false");
  default:
    return NULL;
  }
}

int raw_compute(const char *expression, const struct raw_variables *variables,
                gsl_rng *draw, char **result, struct error *error) {
  struct computing c = {
      .p = expression, .variables = variables, .draw = draw, .error = error};
  const struct raw_value v = read_or(&c);
  skip_blanks_of(&c);
  if (!c.failed && *c.p)
    fail(&c, "is more than an expression:", c.p);
  *result = c.failed ? NULL : write_value(v);
  return c.failed ? -1 : 0;
}

bool raw_is_true(const char *result) {
  return result && (!strcmp(result, "true") || !strcmp(result, "t") ||
                    strtod(result, NULL) != 0);
}
