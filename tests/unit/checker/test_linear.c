// SPDX-License-Identifier: GPL-3.0-or-later
// A few operations on a register, and whether they have an order: as
// checker/duplicates/register_order.h tells, and by trying all orders.
#include "config.h"

#include "base/random.h"
#include "checker/duplicates/register_order.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { HISTORIES = 60000, OPS = 7, VALUES = 3, TIMES = 12 };

static uint32_t below(gsl_rng *random, uint32_t n) {
  return (uint32_t)gsl_rng_uniform_int(random, n);
}

static struct linear_op any_op(gsl_rng *random) {
  struct linear_op op = {.begin = 1 + below(random, TIMES)};
  op.end = op.begin + below(random, 5);
  op.open = !below(random, 4);
  op.needed = !op.open && below(random, 6);
  op.found = below(random, 2) ? below(random, VALUES) : LINEAR_NONE;
  op.left = op.found == LINEAR_NONE || below(random, 2) ? below(random, VALUES)
                                                        : LINEAR_NONE;
  op.reads = op.found != LINEAR_NONE && below(random, 6);
  return op;
}

// Is there an order that starts with those in `placed`, the latest of which
// began then?
static bool has_order(const struct linear_op *ops, uint32_t n, uint32_t placed,
                      uint64_t began, uint32_t value) {
  bool complete = true, found = false;
  for (uint32_t i = 0; i < n; i++)
    complete &= placed >> i & 1 || !ops[i].needed;
  for (uint32_t i = 0; i < n && !complete && !found; i++) {
    const struct linear_op *op = &ops[i];
    if (placed >> i & 1 || (!op->open && op->end < began) ||
        (op->reads && op->found != value))
      continue;
    found = has_order(ops, n, placed | 1u << i,
                      op->begin > began ? op->begin : began,
                      op->left == LINEAR_NONE ? value : op->left);
  }
  return complete || found;
}

// The operations that had begun and ended by the first n events.
static bool has_order_until(const struct linear_op *ops,
                            const struct linear_event *events, uint32_t n) {
  struct linear_op until[OPS];
  uint32_t nops = 0;
  for (uint32_t e = 0; e < n; e++) {
    if (events[e].end)
      continue;
    bool ended = false;
    for (uint32_t later = e + 1; later < n; later++)
      ended |= events[later].end && events[later].op == events[e].op;
    until[nops] = ops[events[e].op];
    until[nops].needed &= ended;
    until[nops++].open = !ended;
  }
  return has_order(until, nops, 0, 0, 0);
}

// Whatever must take effect does so once, in real time, and finds what it
// found; a read that need not find anything may be left out.
static bool explains(const struct linear_op *ops, uint32_t n,
                     const uint32_t *order) {
  uint32_t placed = 0, value = 0;
  uint64_t began = 0;
  bool right = true;
  for (; *order != LINEAR_NONE && right; order++) {
    const struct linear_op *op = &ops[*order];
    right = *order < n && !(placed >> *order & 1) &&
            (op->open || op->end >= began) &&
            (!op->reads || op->found == value);
    placed |= 1u << *order;
    began = op->begin > began ? op->begin : began;
    value = op->left == LINEAR_NONE ? value : op->left;
  }
  for (uint32_t i = 0; i < n; i++)
    right &= placed >> i & 1 || !ops[i].needed ||
             (ops[i].left == LINEAR_NONE && !ops[i].reads);
  return right;
}

static void failures_are_told(void) {
  gsl_rng *random = random_stream(3, 0, RANDOM_TEST);
  uint32_t nfailures = 0, nfailures_often = 0;
  for (uint32_t i = 0; i < HISTORIES; i++) {
    struct linear_op ops[OPS];
    struct linear_event events[2 * OPS];
    uint32_t order[OPS + 1];
    uint64_t effort = UINT64_MAX;
    const uint32_t n = 2 + below(random, OPS - 1);
    for (uint32_t op = 0; op < n; op++)
      ops[op] = any_op(random);
    const uint32_t nevents = linear_events(ops, n, events);
    const uint32_t failure =
        linear_failure(ops, events, nevents, 0, LINEAR_ONCE, &effort);
    const uint32_t often =
        linear_failure(ops, events, nevents, 0, LINEAR_OFTEN, &effort);
    CHECK(often >= failure);
    CHECK(linear_order(ops, events, nevents, 0, &effort, order) ==
          (failure == LINEAR_NONE));
    if (failure == LINEAR_NONE) {
      CHECK(has_order_until(ops, events, nevents));
      CHECK(explains(ops, n, order));
    } else {
      CHECK(!has_order_until(ops, events, failure + 1));
      CHECK(has_order_until(ops, events, failure));
    }
    nfailures += failure != LINEAR_NONE;
    nfailures_often += often != LINEAR_NONE;
  }
  CHECK(nfailures > HISTORIES / 10 && nfailures < HISTORIES);
  CHECK(nfailures_often > HISTORIES / 10 && nfailures_often < nfailures);
  gsl_rng_free(random);
}

static void effort_is_bounded(void) {
  const struct linear_op ops[] = {
      {1, 2, LINEAR_NONE, 1, false, true, false},
      {3, 4, 0, LINEAR_NONE, false, true, true},
  };
  struct linear_event events[4];
  uint64_t none = 0, enough = 100;
  CHECK_INT(linear_events(ops, 2, events), 4);
  uint32_t order[3];
  CHECK_INT(linear_failure(ops, events, 4, 0, LINEAR_ONCE, &enough), 3);
  CHECK_INT(linear_failure(ops, events, 4, 0, LINEAR_ONCE, &none), LINEAR_NONE);
  CHECK(!linear_order(ops, events, 4, 0, &none, order));
}

int main(void) {
  return TAP_RUN({"failures and orders are told", failures_are_told},
                 {"effort is bounded", effort_is_bounded});
}
