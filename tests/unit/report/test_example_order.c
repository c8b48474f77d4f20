// SPDX-License-Identifier: GPL-3.0-or-later
// The order of the steps of a counterexample: each read stands where it returns
// what it returned in the run.
#include "config.h"

#include "base/memory.h"
#include "report/tale/example_order.h"
#include "report/text/text.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

// The place of a step; `op` EXAMPLE_NONE: the last one of the transaction.
static uint32_t place_of(const struct example_order *order, uint32_t txn,
                         uint32_t op) {
  uint32_t place = UINT32_MAX;
  for (uint32_t i = 0; i < order->nsteps; i++)
    if (order->steps[i].txn == txn && order->steps[i].op == op)
      place = i;
  return place;
}

static struct example_op an_op(const char *kind, const char *label,
                               uint64_t end) {
  return (struct example_op){
      .kind = kind, .key = "x", .label = label, .begin = 1, .end = end};
}

// T1 read x0 and was answered after T2, which replaced it, had committed.
static void read_before_the_commit(void) {
  struct example_op ops[] = {an_op("read", "read x0", 90),
                             an_op("write", "write x2", 20)};
  struct example_txn txns[] = {
      {.outcome = "committed", .session = 0, .end = 100, .end_op = 1},
      {.outcome = "committed",
       .session = 1,
       .begin = 5,
       .end = 50,
       .first_op = 1,
       .end_op = 2}};
  struct example_edge edges[] = {
      {.kind = "RW", .from = 0, .to = 1, .from_op = 0, .to_op = 1}};
  struct example e = {.txns = txns,
                      .ntxns = 2,
                      .ops = ops,
                      .nops = 2,
                      .edges = edges,
                      .nedges = 1};
  struct example_order order;
  CHECK(example_order_steps(&order, &e));
  CHECK(place_of(&order, 0, 0) < place_of(&order, 1, EXAMPLE_NONE));
  CHECK(place_of(&order, 0, 0) > place_of(&order, 1, 1));
  example_order_free(&order);
  // A transaction that began after that commit stays behind it.
  txns[0].begin = 60;
  CHECK(example_order_steps(&order, &e));
  CHECK(place_of(&order, 0, 0) > place_of(&order, 1, EXAMPLE_NONE));
  example_order_free(&order);
}

// T2 read what T1 wrote; nobody knows when.
static void read_behind_the_commit(void) {
  struct example_op ops[] = {an_op("write", "write x1", TIME_UNKNOWN),
                             an_op("read", "read x1", TIME_UNKNOWN),
                             an_op("read", "read x1", TIME_UNKNOWN)};
  struct example_txn txns[] = {
      {.outcome = "committed", .session = 0, .end = 80, .end_op = 1},
      {.outcome = "committed",
       .session = 1,
       .begin = 5,
       .end = 100,
       .first_op = 1,
       .end_op = 3}};
  struct example_edge edges[] = {
      {.kind = "WR", .from = 0, .to = 1, .from_op = 0, .to_op = 1}};
  struct example e = {.txns = txns,
                      .ntxns = 2,
                      .ops = ops,
                      .nops = 3,
                      .edges = edges,
                      .nedges = 1};
  struct example_order order;
  CHECK(example_order_steps(&order, &e));
  const uint32_t commit = place_of(&order, 0, EXAMPLE_NONE);
  CHECK(place_of(&order, 1, 1) > commit);
  CHECK(place_of(&order, 1, 2) > place_of(&order, 1, 1));
  CHECK_INT(order.ncolumns, 2);
  example_order_free(&order);
}

// T1 read x0, and heard of it only after T2, which replaced it, had committed.
static void times_go_up(void) {
  enum { MS = 1000000 };
  struct example_op ops[] = {an_op("read", "read x0", 9 * MS),
                             an_op("write", "write x2", 2 * MS)};
  struct example_txn txns[] = {
      {.name = "T1", .outcome = "committed", .end = 10 * MS, .end_op = 1},
      {.name = "T2",
       .outcome = "committed",
       .session = 1,
       .begin = MS,
       .end = 5 * MS,
       .first_op = 1,
       .end_op = 2}};
  struct example_edge edges[] = {
      {.kind = "RW", .from = 0, .to = 1, .from_op = 0, .to_op = 1}};
  const struct example e = {.txns = txns,
                            .ntxns = 2,
                            .ops = ops,
                            .nops = 2,
                            .edges = edges,
                            .nedges = 1};
  char *text;
  size_t bytes;
  FILE *file = open_memstream(&text, &bytes);
  if (!file)
    out_of_memory(1);
  text_put_picture(file, &e);
  fclose(file);
  CHECK(strstr(text, "     5.00  T1: read x0\n"));
  CHECK(strstr(text, "T2: commit\n"));
  CHECK(!strstr(text, " 9.00 "));
  free(text);
}

int main(void) {
  return TAP_RUN(
      {"a read before the commit of who replaced what it read",
       read_before_the_commit},
      {"a read behind the commit of what it read", read_behind_the_commit},
      {"times of the picture go up", times_go_up});
}
