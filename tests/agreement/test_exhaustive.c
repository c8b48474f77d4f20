// SPDX-License-Identifier: GPL-3.0-or-later
// Checker and referee on all histories of some spaces: up to three
// transactions, two keys, two operations each, in all sessions, with all that
// their reads may have seen.  Keys and transactions are renamed where that is
// easily avoided.
//
// Nearly all of what reads may have seen breaks read committed, and so every
// level, in the same few ways.  Of these histories the checker is asked about
// every eleventh, or about each if ISOSTRESS_LONG is set; about all the others
// always.
#include "config.h"

#include "base/random.h"
#include "tests/kit/compare.h"
#include "tests/tap.h"

#include <assert.h>
#include <gsl/gsl_rng.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Shares no factor with how many values there are to see: 1 to 7 of a register,
// and the 1, 2, 5, 16, 65 lists of up to four elements.
enum { ASKED_OF_BROKEN = 11 };

enum times {
  TIMES_RANDOM, // some order of begins and ends for each history
  TIMES_ALL,    // all of them, and then only SSER is asked for
};

struct space {
  unsigned ntxns;    // up to so many transactions...
  unsigned nops;     // ...of up to so many operations...
  unsigned nkeys;    // ...on so many keys...
  unsigned kinds[3]; // ...of these kinds
  unsigned nkinds;
  bool outcomes; // committed, aborted and unknown; else committed
  bool thin_air; // reads may see a value that nobody wrote
  enum times times;
  bool variants; // session order and real time count or not
  bool levels;   // all levels that transactions may have of their own
  bool middle;   // what nobody wrote may have been there at the start
};

struct enumeration {
  const struct space *space;
  struct agreement agreement;
  gsl_rng *random;
  struct tiny tiny;
  unsigned shape[TINY_TXNS]; // of each transaction, as a number
  uint8_t nvalues;           // used by the writes, with the initial one
  uint64_t nbroken;          // that break even read committed
  uint64_t npassed_over;     // of those
};

static bool is_long(void) { return getenv("ISOSTRESS_LONG") != NULL; }

static bool is_passed_over(struct enumeration *e) {
  const struct compared_question weakest = {
      .level = ISOLATION_RC, .session_order = true, .middle = e->space->middle};
  const bool passed_over = !is_long() && !referee_keeps(&e->tiny, weakest) &&
                           e->nbroken++ % ASKED_OF_BROKEN != 0;
  e->npassed_over += passed_over;
  return passed_over;
}

// --- Times: the orders of begins and ends that sessions allow.

struct moment {
  uint8_t begun, ended; // sets of transactions
  uint32_t now;
};

static bool may_end(const struct moment *moment, unsigned t) {
  return moment->begun >> t & 1 && !(moment->ended >> t & 1);
}

static bool may_begin(const struct tiny *tiny, const struct moment *moment,
                      unsigned t) {
  return !(moment->begun >> t & 1) &&
         (t == 0 || tiny->txn[t].session != tiny->txn[t - 1].session ||
          moment->ended >> (t - 1) & 1);
}

// Sets a begin or end of t; false if there is none to set now.
static bool advance(struct tiny *tiny, struct moment *moment, unsigned t) {
  if (may_end(moment, t)) {
    moment->ended |= (uint8_t)(1 << t);
    tiny->txn[t].end = ++moment->now;
  } else if (may_begin(tiny, moment, t)) {
    moment->begun |= (uint8_t)(1 << t);
    tiny->txn[t].begin = ++moment->now;
  } else {
    return false;
  }
  return true;
}

// Without session order and with real time; with both they are asked for
// otherwise, and SSER is SER in real time.
static void compare_variants(struct enumeration *e) {
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SER; level++)
    for (unsigned variant = 0; variant < 3; variant++)
      compare_question(&e->agreement, &e->tiny,
                       (struct compared_question){.level = level,
                                                  .session_order = variant == 2,
                                                  .real_time = variant > 0});
}

static void compare_from_the_middle(struct enumeration *e) {
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
    compare_question(&e->agreement, &e->tiny,
                     (struct compared_question){.level = level,
                                                .session_order = true,
                                                .middle = true});
}

// SSER is SER and a matter of times, and NONE of the other reads.
static void compare_levels(struct enumeration *e, unsigned t) {
  if (t == e->tiny.ntxns) {
    compare_question(
        &e->agreement, &e->tiny,
        (struct compared_question){.recorded = true, .session_order = true});
    return;
  }
  for (unsigned level = ISOLATION_RC; level <= ISOLATION_SER; level++) {
    e->tiny.txn[t].level = (uint8_t)level;
    compare_levels(e, t + 1);
  }
}

static void compare_random_times(struct enumeration *e) {
  struct moment moment = {0};
  while (moment.now < 2u * e->tiny.ntxns)
    advance(&e->tiny, &moment,
            (unsigned)gsl_rng_uniform_int(e->random, e->tiny.ntxns));
  if (is_passed_over(e))
    return;
  if (e->space->variants)
    compare_variants(e);
  else if (e->space->middle)
    compare_from_the_middle(e);
  else if (e->space->levels)
    compare_levels(e, 0);
  else
    compare(&e->agreement, &e->tiny);
}

static void compare_all_times(struct enumeration *e, struct moment moment) {
  if (moment.now == 2u * e->tiny.ntxns) {
    compare_at(&e->agreement, &e->tiny, ISOLATION_SSER);
    return;
  }
  for (unsigned t = 0; t < e->tiny.ntxns; t++) {
    struct moment next = moment;
    if (advance(&e->tiny, &next, t))
      compare_all_times(e, next);
  }
}

static void compare_times(struct enumeration *e) {
  if (e->space->times == TIMES_RANDOM)
    compare_random_times(e);
  else if (!is_passed_over(e)) // whatever the times
    compare_all_times(e, (struct moment){0});
}

// --- What reads may have seen.

// The value written by operation i of transaction t if it is a write to the
// key.
static uint8_t written(const struct enumeration *e, unsigned t, unsigned i,
                       unsigned key) {
  const struct tiny_op *op = &e->tiny.txn[t].op[i];
  return op_writes(op->kind) && op->key == key ? op->value : 0;
}

static unsigned values_of_key(const struct enumeration *e, unsigned key,
                              uint8_t *values) {
  unsigned count = 0;
  for (unsigned t = 0; t < e->tiny.ntxns; t++)
    for (unsigned i = 0; i < e->tiny.txn[t].nops; i++)
      if (written(e, t, i, key))
        values[count++] = written(e, t, i, key);
  if (e->space->thin_air)
    values[count++] = e->nvalues;
  return count;
}

static void choose_seen(struct enumeration *e, unsigned t, unsigned i);

static void choose_value(struct enumeration *e, unsigned t, unsigned i) {
  struct tiny_op *op = &e->tiny.txn[t].op[i];
  uint8_t values[TINY_VALUES];
  unsigned count = values_of_key(e, op->key, values);
  values[count++] = 0;
  for (unsigned v = 0; v < count; v++) {
    *(op->kind == OP_CAS ? &op->expected : &op->value) = values[v];
    choose_seen(e, t, i + 1);
  }
}

// All sequences without repetition of the elements appended to the key.
static void choose_list(struct enumeration *e, unsigned t, unsigned i) {
  struct tiny_op *op = &e->tiny.txn[t].op[i];
  choose_seen(e, t, i + 1);
  uint8_t values[TINY_VALUES];
  const unsigned count = values_of_key(e, op->key, values);
  for (unsigned v = 0; v < count; v++) {
    if (memchr(op->list, values[v], op->length))
      continue;
    op->list[op->length++] = values[v];
    choose_list(e, t, i);
    op->length--;
  }
}

static void choose_seen(struct enumeration *e, unsigned t, unsigned i) {
  if (t == e->tiny.ntxns)
    compare_times(e);
  else if (i == e->tiny.txn[t].nops)
    choose_seen(e, t + 1, 0);
  else if (e->tiny.txn[t].op[i].kind == OP_READ_LIST)
    choose_list(e, t, i);
  else if (op_reads(e->tiny.txn[t].op[i].kind))
    choose_value(e, t, i);
  else
    choose_seen(e, t, i + 1);
}

static void choose_outcomes(struct enumeration *e, unsigned t) {
  if (t == e->tiny.ntxns) {
    choose_seen(e, 0, 0);
    return;
  }
  const unsigned count = e->space->outcomes ? OUTCOME_COUNT : 1;
  for (unsigned outcome = 0; outcome < count; outcome++) {
    e->tiny.txn[t].outcome = (uint8_t)outcome;
    choose_outcomes(e, t + 1);
  }
}

// --- What transactions do.

// Fills transaction t by the number of its shape; false beyond the last.
static bool set_shape(struct enumeration *e, unsigned t, unsigned shape) {
  const struct space *space = e->space;
  const unsigned letters = space->nkinds * space->nkeys;
  struct tiny_txn *txn = &e->tiny.txn[t];
  e->shape[t] = shape;
  unsigned words = letters;
  for (txn->nops = 1; shape >= words; txn->nops++) {
    shape -= words;
    words *= letters;
  }
  if (txn->nops > space->nops)
    return false;
  for (unsigned i = 0; i < txn->nops; i++, shape /= letters)
    txn->op[i] = (struct tiny_op){
        .kind = (uint8_t)space->kinds[shape % letters % space->nkinds],
        .key = (uint8_t)(shape % letters / space->nkinds)};
  return true;
}

static void number_values(struct enumeration *e) {
  e->nvalues = 1;
  for (unsigned t = 0; t < e->tiny.ntxns; t++)
    for (unsigned i = 0; i < e->tiny.txn[t].nops; i++)
      if (op_writes(e->tiny.txn[t].op[i].kind))
        e->tiny.txn[t].op[i].value = e->nvalues++;
}

// Is t alone in its session, and so is the one before?
static bool may_be_swapped(const struct tiny *tiny, unsigned t) {
  return t > 0 && tiny->txn[t - 1].session != tiny->txn[t].session &&
         (t < 2 || tiny->txn[t - 2].session != tiny->txn[t - 1].session) &&
         (t + 1u == tiny->ntxns ||
          tiny->txn[t + 1].session != tiny->txn[t].session);
}

static void choose_shapes(struct enumeration *e, unsigned t) {
  if (t == e->tiny.ntxns) {
    number_values(e);
    choose_outcomes(e, 0);
    return;
  }
  unsigned shape = may_be_swapped(&e->tiny, t) ? e->shape[t - 1] : 0;
  for (; set_shape(e, t, shape); shape++)
    if (t > 0 || e->tiny.txn[0].op[0].key == 0)
      choose_shapes(e, t + 1);
}

// Longer sessions come first, for another order is only another naming.
static void choose_sessions(struct enumeration *e) {
  static const struct {
    uint8_t ntxns, session[3];
  } layouts[] = {{1, {0}},       {2, {0, 0}},    {2, {0, 1}},
                 {3, {0, 0, 0}}, {3, {0, 0, 1}}, {3, {0, 1, 2}}};
  for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    if (layouts[i].ntxns > e->space->ntxns)
      continue;
    e->tiny.ntxns = layouts[i].ntxns;
    for (unsigned t = 0; t < e->tiny.ntxns; t++)
      e->tiny.txn[t].session = layouts[i].session[t];
    choose_shapes(e, 0);
  }
}

static void agree_on(struct space space) {
  assert(space.ntxns <= 3 && space.nops <= TINY_OPS);
  struct enumeration e = {.space = &space};
  e.random = random_stream(1, 0, RANDOM_TEST);
  choose_sessions(&e);
  gsl_rng_free(e.random);
  agreement_print(&e.agreement);
  printf("# and %" PRIu64 " of %" PRIu64
         " that break read committed, passed over\n",
         e.npassed_over, e.nbroken);
  CHECK(e.agreement.histories > 1000);
  CHECK_INT(agreement_failures(&e.agreement), 0);
}

// --- The spaces.

static void registers(void) {
  agree_on((struct space){.ntxns = 3,
                          .nops = 2,
                          .nkeys = 2,
                          .kinds = {OP_READ, OP_WRITE},
                          .nkinds = 2});
}

static void thin_air(void) {
  agree_on((struct space){.ntxns = 2,
                          .nops = 3,
                          .nkeys = 1,
                          .kinds = {OP_READ, OP_WRITE},
                          .nkinds = 2,
                          .thin_air = true});
}

static void outcomes(void) {
  agree_on((struct space){.ntxns = 3,
                          .nops = 2,
                          .nkeys = is_long() ? 2 : 1,
                          .kinds = {OP_READ, OP_WRITE},
                          .nkinds = 2,
                          .outcomes = true});
  agree_on((struct space){.ntxns = 2,
                          .nops = 2,
                          .nkeys = 2,
                          .kinds = {OP_READ, OP_WRITE},
                          .nkinds = 2,
                          .outcomes = true});
}

static void compare_and_set(void) {
  agree_on((struct space){.ntxns = 3,
                          .nops = 2,
                          .nkeys = 1,
                          .kinds = {OP_READ, OP_CAS, OP_WRITE},
                          .nkinds = is_long() ? 3 : 2});
}

static void lists(void) {
  agree_on((struct space){.ntxns = 3,
                          .nops = 2,
                          .nkeys = 1,
                          .kinds = {OP_READ_LIST, OP_APPEND},
                          .nkinds = 2});
  agree_on((struct space){.ntxns = 2,
                          .nops = 3,
                          .nkeys = 2,
                          .kinds = {OP_READ_LIST, OP_APPEND},
                          .nkinds = 2});
}

static void real_time(void) {
  agree_on((struct space){.ntxns = 3,
                          .nops = 2,
                          .nkeys = 1,
                          .kinds = {OP_READ, OP_WRITE},
                          .nkinds = 2,
                          .times = TIMES_ALL});
  agree_on((struct space){.ntxns = 3,
                          .nops = 1,
                          .nkeys = 2,
                          .kinds = {OP_READ, OP_WRITE, OP_CAS},
                          .nkinds = 3,
                          .outcomes = true,
                          .times = TIMES_ALL});
}

static void variants(void) {
  agree_on((struct space){.ntxns = 3,
                          .nops = is_long() ? 2 : 1,
                          .nkeys = 2,
                          .kinds = {OP_READ, OP_WRITE},
                          .nkinds = 2,
                          .variants = true});
  agree_on((struct space){.ntxns = is_long() ? 3 : 2,
                          .nops = 2,
                          .nkeys = 1,
                          .kinds = {OP_READ_LIST, OP_APPEND},
                          .nkinds = 2,
                          .variants = true});
}

static void levels(void) {
  agree_on((struct space){.ntxns = 2,
                          .nops = 2,
                          .nkeys = 2,
                          .kinds = {OP_READ, OP_WRITE},
                          .nkinds = 2,
                          .levels = true});
  agree_on((struct space){.ntxns = 3,
                          .nops = is_long() ? 2 : 1,
                          .nkeys = 2,
                          .kinds = {OP_READ, OP_WRITE, OP_CAS},
                          .nkinds = is_long() ? 2 : 3,
                          .levels = true});
  agree_on((struct space){.ntxns = is_long() ? 3 : 2,
                          .nops = 2,
                          .nkeys = 1,
                          .kinds = {OP_READ_LIST, OP_APPEND},
                          .nkinds = 2,
                          .levels = true});
}

static void from_the_middle(void) {
  agree_on((struct space){.ntxns = 3,
                          .nops = is_long() ? 2 : 1,
                          .nkeys = 1,
                          .kinds = {OP_READ, OP_WRITE, OP_CAS},
                          .nkinds = 3,
                          .outcomes = true,
                          .thin_air = true,
                          .middle = true});
  agree_on((struct space){.ntxns = is_long() ? 3 : 2,
                          .nops = 2,
                          .nkeys = 1,
                          .kinds = {OP_READ_LIST, OP_APPEND},
                          .nkinds = 2,
                          .thin_air = true,
                          .middle = true});
}

int main(void) {
  return TAP_RUN({"all small histories of registers", registers},
                 {"values from thin air", thin_air},
                 {"aborted and unknown transactions", outcomes},
                 {"all small histories of compare-and-set", compare_and_set},
                 {"all small histories of lists", lists},
                 {"all small histories in real time", real_time},
                 {"all small histories with other options", variants},
                 {"all small histories of mixed levels", levels},
                 {"histories that start in the middle", from_the_middle});
}
