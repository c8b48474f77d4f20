// SPDX-License-Identifier: GPL-3.0-or-later
// Lost writes: small histories by hand, and random ones of one register against
// all orders of its writes.
#include "config.h"

#include "durability/durability.h"
#include "recorder/builder/builder.h"
#include "tests/kit/told.h"
#include "tests/tap.h"

#include <stdlib.h>

// ---- By hand

struct wanted {
  enum verdict_kind kind;
  uint64_t acknowledged, surviving, overwritten, lost, unread;
};

static void expect(const char *text, struct wanted wanted) {
  struct told told = told_of(text, ISOLATION_RC);
  struct durability is;
  durability_of(&told.history, &is);
  CHECK_INT(is.kind, wanted.kind);
  CHECK_INT(is.acknowledged, wanted.acknowledged);
  CHECK_INT(is.surviving, wanted.surviving);
  CHECK_INT(is.overwritten, wanted.overwritten);
  CHECK_INT(is.lost, wanted.lost);
  CHECK_INT(is.unread, wanted.unread);
  CHECK_INT(is.acknowledged,
            is.surviving + is.overwritten + is.lost + is.unread);
  told_free(&told);
}

static void registers(void) {
  expect("[x:=1]@1..2\n[x==1]@3..4\n",
         (struct wanted){VERDICT_PASS, 1, 1, 0, 0, 0});
  expect("[x:=1]@1..2\n[x==?]@3..4\n",
         (struct wanted){VERDICT_VIOLATION, 1, 0, 0, 1, 0});
  // 1 was replaced by 2, or 2 by 1: they were concurrent.
  expect("[x:=1]@1..5\n---\n[x:=2]@2..6\n---\n[x==1]@7..8\n",
         (struct wanted){VERDICT_PASS, 2, 1, 1, 0, 0});
  // 2 was written after 1 had been acknowledged.
  expect("[x:=1]@1..2\n---\n[x:=2]@3..4\n---\n[x==1]@7..8\n",
         (struct wanted){VERDICT_VIOLATION, 2, 1, 0, 1, 0});
  // Another host shows it.
  expect("[x:=1]@1..2\n---\n[x:=2]@3..4\n---\n[x==1]@7..8\n---\n[x==2]@7..8\n",
         (struct wanted){VERDICT_PASS, 2, 2, 0, 0, 0});
  // The last write of a transaction counts.
  expect("[x:=1 x:=2]@1..2\n[x==2]@3..4\n",
         (struct wanted){VERDICT_PASS, 1, 1, 0, 0, 0});
}

static void what_is_no_evidence(void) {
  // The read began before the write had ended, or failed, or is of another key.
  expect("[x:=1]@1..4\n---\n[x==?]@3..5\n",
         (struct wanted){VERDICT_UNDECIDED, 1, 0, 0, 0, 1});
  expect("[x:=1]@1..2\n---\n[x==?]@3..5!\n",
         (struct wanted){VERDICT_UNDECIDED, 1, 0, 0, 0, 1});
  expect("[x:=1]@1..2\n---\n[x==?]@3..5?\n",
         (struct wanted){VERDICT_UNDECIDED, 1, 0, 0, 0, 1});
  expect("[x:=1]@1..2\n---\n[y==?]@3..5\n",
         (struct wanted){VERDICT_UNDECIDED, 1, 0, 0, 0, 1});
  expect("[x:=1]\n---\n[x==?]\n",
         (struct wanted){VERDICT_UNDECIDED, 0, 0, 0, 0, 0});
  // An unknown write may have come last.
  expect("[x:=1]@1..2?\n---\n[x:=2]@3..4\n---\n[x==1]@7..8\n",
         (struct wanted){VERDICT_PASS, 1, 0, 1, 0, 0});
}

static void unknown_writes(void) {
  struct told told = told_of("[x:=1]@1..2?\n---\n[y:=2]@3..4?\n---\n"
                             "[z:=1]@1..2\n---\n[x==? y==2 z==1]@7..8\n",
                             ISOLATION_RC);
  struct durability is;
  durability_of(&told.history, &is);
  CHECK_INT(is.kind, VERDICT_PASS);
  CHECK_INT(is.unknown, 2);
  CHECK_INT(is.took_effect, 1);
  CHECK_INT(is.lost, 0);
  CHECK_INT(is.final_reads, 1);
  told_free(&told);
}

static void lists(void) {
  expect("[x+=1]@1..2%si\n---\n[x+=2]@3..4%si\n---\n[x==[1,2]]@7..8\n",
         (struct wanted){VERDICT_PASS, 2, 2, 0, 0, 0});
  expect("[x+=1]@1..2%si\n---\n[x+=2]@3..4%si\n---\n[x==[2]]@7..8\n",
         (struct wanted){VERDICT_VIOLATION, 2, 1, 0, 1, 0});
  // Below SI the other append may have overwritten it, if it was concurrent.
  expect("[x+=1]@1..3%rc\n---\n[x+=2]@2..4%rc\n---\n[x==[2]]@7..8\n",
         (struct wanted){VERDICT_PASS, 2, 1, 1, 0, 0});
  expect("[x+=1]@1..2%rc\n---\n[x+=2]@3..4%rc\n---\n[x==[2]]@7..8\n",
         (struct wanted){VERDICT_VIOLATION, 2, 1, 0, 1, 0});
  // One host has the element, another one has not.
  expect("[x+=1]@1..2%si\n---\n[x==[]]@7..8\n---\n[x==[1]]@7..8\n",
         (struct wanted){VERDICT_PASS, 1, 1, 0, 0, 0});
}

static void sets(void) {
  expect("[x|=1]@1..2\n---\n[x|=2]@3..4\n---\n[x=={1,2}]@7..8\n",
         (struct wanted){VERDICT_PASS, 2, 2, 0, 0, 0});
  expect("[x|=1]@1..2\n---\n[x|=2]@3..4\n---\n[x=={2}]@7..8\n",
         (struct wanted){VERDICT_VIOLATION, 2, 1, 0, 1, 0});
}

static void rows(void) {
#define T "table t(b): 7{b=2}\n"
  expect(T "[ins t/1{b=1}]@1..2\n---\n[sel t{TRUE}: 1@w1 7@?]@3..4\n",
         (struct wanted){VERDICT_PASS, 1, 1, 0, 0, 0});
  expect(T "[ins t/1{b=1}]@1..2\n---\n[sel t{TRUE}: 7@?]@3..4\n",
         (struct wanted){VERDICT_VIOLATION, 1, 0, 0, 1, 0});
  // A condition that the row does not satisfy does not look for it.
  expect(T "[ins t/1{b=1}]@1..2\n---\n[sel t{b = 2}: 7@?]@3..4\n",
         (struct wanted){VERDICT_UNDECIDED, 1, 0, 0, 0, 1});
  expect(T "[ins t/1{b=1}]@1..2\n---\n[sel t{b = 1}:]@3..4\n",
         (struct wanted){VERDICT_VIOLATION, 1, 0, 0, 1, 0});
  // It may have been deleted: by one that committed later, or may have.
  expect(T "[ins t/1{b=1}]@1..2\n---\n[del t{b = 1}: 1@w1]@3..4\n---\n"
           "[sel t{TRUE}: 7@?]@5..6\n",
         (struct wanted){VERDICT_PASS, 2, 1, 1, 0, 0});
  expect(T "[ins t/1{b=1}]@1..2\n---\n[del t{b = 1}: 1@w1]@3..4?\n---\n"
           "[sel t{TRUE}: 7@?]@5..6\n",
         (struct wanted){VERDICT_PASS, 1, 0, 1, 0, 0});
  // An update and a delete that were taken back.
  expect(T "[upd t{b = 2}: 7@?{b=3}]@1..2\n---\n[sel t{TRUE}: 7@?]@5..6\n",
         (struct wanted){VERDICT_VIOLATION, 1, 0, 0, 1, 0});
  expect(T "[del t{b = 2}: 7@?]@1..2\n---\n[sel t{TRUE}: 7@?]@5..6\n",
         (struct wanted){VERDICT_VIOLATION, 1, 0, 0, 1, 0});
}

static void losses_are_told(void) {
  struct told told = told_of("[x+=1]@1..20%si\n[x+=3]@30..40%si\n---\n"
                             "[x+=2]@2..10%si\n---\n[x==[3]]@50..60\n",
                             ISOLATION_RC);
  struct durability is;
  durability_of(&told.history, &is);
  CHECK_INT(is.lost, 2);
  CHECK_INT(is.transactions, 2);
  CHECK_INT(is.first, 10);
  CHECK_INT(is.last, 20);
  CHECK_INT(is.nshown, 2);
  CHECK_INT(told.history.end[history_txn(&told.history, is.shown[0])], 10);
  told_free(&told);
}

// ---- All orders

enum { WRITES = 5, ROUNDS = 20000, QUIET = 40 };

static uint64_t state = 1;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

struct made {
  uint64_t begin, end;
  enum outcome outcome;
};

// Is there an order of the writes that are left, none of which may come before
// one that had ended before it began, whose last one is `last`?
static bool some_order_ends(const struct made *writes, uint32_t n,
                            unsigned left, uint32_t last, uint32_t shown) {
  if (!left)
    return last == shown;
  for (uint32_t next = 0; next < n; next++) {
    bool may = left >> next & 1;
    for (uint32_t i = 0; may && i < n; i++)
      if (left >> i & 1 && i != next && writes[i].outcome == OUTCOME_OK &&
          writes[i].end < writes[next].begin)
        may = false;
    if (may && some_order_ends(writes, n, left & ~(1u << next), next, shown))
      return true;
  }
  return false;
}

// With any of the unknown ones.
static bool nothing_need_be_lost(const struct made *writes, uint32_t n,
                                 uint32_t shown) {
  unsigned committed = 0, unknown = 0;
  for (uint32_t i = 0; i < n; i++) {
    committed |= writes[i].outcome == OUTCOME_OK ? 1u << i : 0;
    unknown |= writes[i].outcome == OUTCOME_UNKNOWN ? 1u << i : 0;
  }
  for (unsigned some = unknown;; some = (some - 1) & unknown) {
    if (some_order_ends(writes, n, committed | some, n, shown))
      return true;
    if (!some)
      return false;
  }
}

static void check_random_register(uint64_t *lost, uint64_t *kept) {
  struct made writes[WRITES];
  struct history h;
  struct error error;
  struct durability is;
  const uint32_t n = 1 + draw(WRITES);
  struct builder *b = builder_open();
  for (uint32_t i = 0; i < n; i++) {
    writes[i].begin = 1 + draw(QUIET - 10);
    writes[i].end = writes[i].begin + 1 + draw(8);
    writes[i].outcome = draw(4) ? OUTCOME_OK : OUTCOME_UNKNOWN;
    builder_txn(b, i, writes[i].outcome, ISOLATION_RC, writes[i].begin,
                writes[i].end);
    builder_op(b, OP_WRITE, 1, i + 1);
  }
  const uint32_t shown = draw(n + 1); // n: the initial value
  builder_txn(b, n, OUTCOME_OK, ISOLATION_RC, QUIET + 1, QUIET + 2);
  builder_op(b, OP_READ, 1, shown == n ? VALUE_INITIAL : shown + 1);
  CHECK(!builder_finish(b, &h, &error));
  durability_of(&h, &is);
  CHECK_INT(is.lost > 0, !nothing_need_be_lost(writes, n, shown));
  *lost += is.lost > 0;
  *kept += is.kind == VERDICT_PASS;
  history_free(&h);
}

static void as_all_orders_say(void) {
  uint64_t lost = 0, kept = 0;
  for (int i = 0; i < ROUNDS; i++)
    check_random_register(&lost, &kept);
  CHECK(lost > ROUNDS / 5);
  CHECK(kept > ROUNDS / 5);
}

int main(void) {
  return TAP_RUN(
      {"registers", registers}, {"what is no evidence", what_is_no_evidence},
      {"unknown writes", unknown_writes}, {"lists", lists}, {"sets", sets},
      {"rows", rows}, {"losses are told in their order", losses_are_told},
      {"as all orders of a register's writes say", as_all_orders_say});
}
