// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "checker/part/subhistory.h"
#include "recorder/builder/builder.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { X, Y };

static void txn(struct builder *b, uint64_t session) {
  builder_txn(b, session, OUTCOME_OK, ISOLATION_SI, session * 10,
              session * 10 + 5);
}

// Operations 0 to 8: [x:=1 x:=2 y:=3] | [x==2 x:=4] [y==3] | [x==4 y==0 x==4].
static struct history four_transactions(void) {
  struct builder *b = builder_open();
  txn(b, 0);
  builder_op(b, OP_WRITE, X, 1);
  builder_op(b, OP_WRITE, X, 2);
  builder_op(b, OP_WRITE, Y, 3);
  txn(b, 1);
  builder_op(b, OP_READ, X, 2);
  builder_op(b, OP_WRITE, X, 4);
  txn(b, 1);
  builder_op(b, OP_READ, Y, 3);
  txn(b, 2);
  builder_op(b, OP_READ, X, 4);
  builder_op(b, OP_READ, Y, 0);
  builder_op(b, OP_READ, X, 4);
  struct history history;
  struct error error;
  CHECK(builder_finish(b, &history, &error) == 0);
  return history;
}

static struct operations set_of(const uint32_t *ops, uint32_t count) {
  struct operations set = {.op = malloc(count * sizeof *ops), .count = count};
  memcpy(set.op, ops, count * sizeof *ops);
  return set;
}

static void closing_takes_reads_with_their_writes(void) {
  struct history h = four_transactions();
  // Without write 4, reads 6 and 8 go; write 0 needs no later one.
  struct operations ops = set_of((uint32_t[]){0, 2, 3, 5, 6, 7, 8}, 7);
  subhistory_close(&h, &ops);
  CHECK_INT(ops.count, 4);
  CHECK_INT(ops.op[0], 0);
  CHECK_INT(ops.op[1], 2);
  CHECK_INT(ops.op[2], 5);
  CHECK_INT(ops.op[3], 7);
  free(ops.op);
  history_free(&h);
}

static void a_part_is_a_history(void) {
  struct history h = four_transactions(), part;
  struct operations ops = set_of((uint32_t[]){2, 5, 7}, 3);
  uint32_t *txns;
  subhistory_extract(&h, &ops, &part, &txns);
  CHECK_INT(part.ntxns, 3);
  CHECK_INT(part.nops, 3);
  CHECK_INT(part.nsessions, 3);
  CHECK_INT(part.nkeys, 1);
  CHECK_INT(part.key_number[0], Y);
  CHECK_INT(txns[0], 0);
  CHECK_INT(txns[1], 2);
  CHECK_INT(txns[2], 3);
  CHECK_INT(part.saw[1], 0);
  CHECK_INT(part.saw[2], SAW_INITIAL);
  CHECK_INT(part.begin[1], h.begin[2]);
  CHECK_INT(part.end[2], h.end[3]);
  CHECK_INT(part.value[0], 3);
  free(txns);
  free(ops.op);
  history_free(&part);
  history_free(&h);
}

static void lists_lose_what_is_not_taken(void) {
  struct builder *b = builder_open();
  for (uint64_t s = 0; s < 3; s++) {
    txn(b, s);
    builder_op(b, OP_APPEND, X, s + 1);
  }
  txn(b, 3);
  builder_list(b, X, (uint64_t[]){1, 2, 3}, 3);
  struct history h, part;
  struct error error;
  CHECK(builder_finish(b, &h, &error) == 0);
  struct operations ops = set_of((uint32_t[]){0, 2, 3}, 3);
  subhistory_close(&h, &ops);
  CHECK_INT(ops.count, 3);
  subhistory_extract(&h, &ops, &part, NULL);
  CHECK_INT(part.nlists, 1);
  CHECK_INT(part.list[0].first, 0);
  CHECK_INT(part.list[0].count, 2);
  CHECK_INT(part.element[0], 0);
  CHECK_INT(part.element[1], 1);
  CHECK_INT(part.element_value[1], 3);
  CHECK_INT(part.saw[2], 0);
  free(ops.op);
  history_free(&part);
  history_free(&h);
}

// Operations 0 to 3 append 1 to 4, 4 to 7 read [1], [1 2 3 4], [1 2 3], [2].
static void lists_have_in_common_what_they_had(void) {
  const uint64_t values[] = {1, 2, 3, 4};
  struct builder *b = builder_open();
  for (uint64_t s = 0; s < 8; s++) {
    txn(b, s);
    if (s < 4)
      builder_op(b, OP_APPEND, X, s + 1);
    else
      builder_list(b, X, values + (s == 7), (uint32_t[]){1, 4, 3, 1}[s - 4]);
  }
  struct history h, part;
  struct error error;
  CHECK(builder_finish(b, &h, &error) == 0);
  CHECK_INT(h.list[1].first, h.list[2].first);
  struct operations ops = set_of((uint32_t[]){1, 2, 3, 5, 6, 7}, 6);
  subhistory_extract(&h, &ops, &part, NULL);
  CHECK_INT(part.nlists, 3);
  CHECK_INT(part.nelements, 4);
  CHECK_INT(part.list[0].first, part.list[1].first);
  CHECK_INT(part.list[0].count, 3);
  CHECK_INT(part.list[1].count, 2);
  CHECK_INT(part.list[2].count, 1);
  CHECK_INT(part.element[part.list[1].first + 1], 1);
  CHECK_INT(part.element_value[part.list[1].first + 1], 3);
  CHECK_INT(part.element_value[part.list[2].first], 2);
  free(ops.op);
  history_free(&part);
  history_free(&h);
}

// Sessions [x:=1] | [] [] [y:=2] [], of which only the times of those named
// come close to what no operation tells.
static void what_did_nothing_stays_if_it_tells_something(void) {
  struct builder *b = builder_open();
  txn(b, 0);
  builder_op(b, OP_WRITE, X, 1);
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SSER, 20, 25); // began last
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SSER, 10, 40);
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SSER, TIME_UNKNOWN, TIME_UNKNOWN);
  builder_op(b, OP_WRITE, Y, 2);
  builder_txn(b, 1, OUTCOME_UNKNOWN, ISOLATION_SSER, 30, 31); // may not be
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SSER, 30, 50);
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SSER, 31, 45); // ended first
  struct history h, part;
  struct error error;
  CHECK(builder_finish(b, &h, &error) == 0);
  struct operations ops = set_of((uint32_t[]){1}, 1);
  uint32_t *txns;
  subhistory_extract(&h, &ops, &part, &txns);
  CHECK_INT(part.ntxns, 3);
  CHECK_INT(part.nsessions, 1);
  CHECK_INT(txns[0], 1);
  CHECK_INT(txns[1], 3);
  CHECK_INT(txns[2], 6);
  CHECK_INT(part.txn_first[0], 0);
  CHECK_INT(part.txn_first[1], 0);
  CHECK_INT(part.txn_first[2], 1);
  CHECK_INT(part.begin[0], 20);
  CHECK_INT(part.end[2], 45);
  free(txns);
  free(ops.op);
  history_free(&part);
  history_free(&h);
}

// The first one is told because the second ended before it began.
static void what_contradicts_itself_needs_no_operation(void) {
  struct builder *b = builder_open();
  txn(b, 0);
  builder_op(b, OP_WRITE, X, 1);
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SER, 20, 25);
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SER, 10, 15);
  struct history h, part;
  struct error error;
  CHECK(builder_finish(b, &h, &error) == 0);
  const struct operations none = {0};
  subhistory_extract(&h, &none, &part, NULL);
  CHECK_INT(part.nops, 0);
  CHECK_INT(part.ntxns, 2);
  CHECK_INT(part.begin[1], 10);
  history_free(&part);
  history_free(&h);
}

static void a_read_that_counts_for_nothing_needs_its_write(void) {
  struct history h = four_transactions(), part;
  struct operations ops = set_of((uint32_t[]){3, 4}, 2);
  h.kind[3] = 0;
  subhistory_close(&h, &ops);
  CHECK_INT(ops.count, 1);
  CHECK_INT(ops.op[0], 4);
  free(ops.op);
  ops = set_of((uint32_t[]){1, 2, 3}, 3);
  subhistory_close(&h, &ops);
  CHECK_INT(ops.count, 3);
  subhistory_extract(&h, &ops, &part, NULL);
  CHECK_INT(part.kind[2], 0);
  CHECK_INT(part.saw[2], 0);
  free(ops.op);
  history_free(&part);
  history_free(&h);
}

int main(void) {
  return TAP_RUN({"closing takes reads with their writes",
                  closing_takes_reads_with_their_writes},
                 {"a part is a history", a_part_is_a_history},
                 {"lists lose what is not taken", lists_lose_what_is_not_taken},
                 {"lists have in common what they had",
                  lists_have_in_common_what_they_had},
                 {"what did nothing stays if it tells something",
                  what_did_nothing_stays_if_it_tells_something},
                 {"what contradicts itself needs no operation",
                  what_contradicts_itself_needs_no_operation},
                 {"a read that counts for nothing needs its write",
                  a_read_that_counts_for_nothing_needs_its_write});
}
