// SPDX-License-Identifier: GPL-3.0-or-later
// The referee against examples from the papers, against itself, and against
// machines that define the levels in another way.
#include "config.h"

#include "base/random.h"
#include "checker/verify/referee.h"
#include "tests/kit/generate.h"
#include "tests/kit/machine.h"
#include "tests/tap.h"

static const struct referee_options usual = {.session_order = true};

static enum referee_answer decide(const char *text,
                                  struct referee_options options) {
  struct tiny tiny;
  struct tiny_history room;
  tiny_parse(text, &tiny);
  return referee_decide(tiny_history(&tiny, &room), &options, NULL, NULL);
}

static enum referee_answer decide_at(const char *text, enum isolation level) {
  struct referee_options options = usual;
  options.level = level;
  return decide(text, options);
}

// Checks that all levels from `weakest` on are broken and none below.
static void check_breaks_from(const char *name, const char *text,
                              enum isolation weakest) {
  for (enum isolation level = ISOLATION_RC; level < ISOLATION_COUNT; level++) {
    const bool kept = decide_at(text, level) == REFEREE_KEPT;
    if (!CHECK(kept == (level < weakest)))
      printf("# %s at %s: %s\n", name, isolation_name(level), text);
  }
}

struct example {
  const char *name;
  enum isolation weakest; // the weakest level that it breaks
  const char *text;
};

static void check_examples(const struct example *examples, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    check_breaks_from(examples[i].name, examples[i].text, examples[i].weakest);
}

#define CHECK_EXAMPLES(...)                                                    \
  do {                                                                         \
    static const struct example examples[] = {__VA_ARGS__};                    \
    check_examples(examples, sizeof examples / sizeof examples[0]);            \
  } while (0)

// MTC, figure 5 and table I, and what only real time forbids.
static void anomalies_break_their_level(void) {
  CHECK_EXAMPLES(
      {"ThinAirRead", ISOLATION_RC, "[x==9]"},
      {"AbortedRead", ISOLATION_RC, "[x==? x:=1]! / [x==1]"},
      {"FutureRead", ISOLATION_RC, "[x==1 x:=1]"},
      {"NotMyLastWrite", ISOLATION_RC, "[x==? x:=1 x:=2 x==1]"},
      {"NotMyOwnWrite", ISOLATION_RC, "[x==? x:=1] / [x==1 x:=2 x==1]"},
      {"IntermediateRead", ISOLATION_RC, "[x==? x:=1 x:=2] / [x==1]"},
      {"NonRepeatableReads", ISOLATION_RA,
       "[x==? x:=1] / [x==1 x:=2] / [x==1 x==2]"},
      {"SessionGuaranteeViolation", ISOLATION_RA,
       "[x==? x:=1] / [x==1 x:=2] [x==1]"},
      {"NonMonotonicRead", ISOLATION_RC,
       "[x==? x:=1] / [x==1 y==? x:=2 y:=3] / [y==3 x==1]"},
      {"FracturedRead", ISOLATION_RA, "[x==? y==? x:=1 y:=2] / [y==? x==1]"},
      {"CausalityViolation", ISOLATION_CC,
       "[x==? x:=1] / [x==1 y==? y:=2] / [y==2 x==?]"},
      {"LongFork", ISOLATION_PC,
       "[x==? x:=1] / [y==? y:=2] / [x==1 y==?] / [x==? y==2]"},
      {"LostUpdate", ISOLATION_SI, "[x==? x:=1] / [x==? x:=2]"},
      {"WriteSkew", ISOLATION_SER, "[x==? y==? x:=1] / [x==? y==? y:=2]"},
      {"stale read", ISOLATION_SSER, "[x==? x:=1] @1..2 / [x==?] @3..4"},
      {"nothing wrong", ISOLATION_COUNT, "[x==? x:=1] @1..2 / [x==1] @3..4"}, );
}

// dbcop, figure 3 and figure 4, with blind writes as there.
static void figures_of_dbcop(void) {
  CHECK_EXAMPLES(
      {"3a", ISOLATION_RC, "[x:=1] / [x==1 x:=2 y:=3] / [y==3 x==1]"},
      {"3b", ISOLATION_RA, "[x:=1] / [x:=2] / [x==1 x==2]"},
      {"3c", ISOLATION_RA, "[y:=1] / [y==1 y:=2] [y==1]"},
      {"3d", ISOLATION_RA, "[x:=1 y:=2] / [x:=3 y:=4] / [x==1 y==4]"},
      {"3e", ISOLATION_CC, "[x:=1] / [x==1 x:=2] / [x==2 y:=3] / [x==1 y==3]"},
      {"3f", ISOLATION_PC,
       "[x:=1 y:=2] / [x:=3] / [y:=4] / [x==1 y==4] / [x==3 y==2]"},
      {"3g", ISOLATION_SI, "[x:=1] / [x==1 x:=2] / [x==1 x:=3]"},
      {"3h", ISOLATION_SER, "[x:=1 y:=2] / [x==1 y:=3] / [y==2 x:=4]"},
      {"4b", ISOLATION_COUNT, "[x:=1] / [y:=2] / [x==1 y==2]"}, );
}

static void register_reads_are_understood(void) {
  CHECK_EXAMPLES(
      {"own write", ISOLATION_COUNT, "[x:=1 x==1 x:=2 x==2]"},
      {"initial after own write", ISOLATION_RC, "[x:=1 x==?]"},
      {"other key", ISOLATION_RC, "[x:=1] / [y==1]"},
      {"A, B, A is not monotonic", ISOLATION_RC,
       "[x:=1] / [x:=2] / [x==1 x==2 x==1]"},
      {"initial after another", ISOLATION_RC, "[x:=1] / [x==1 x==?]"},
      {"reads in a circle", ISOLATION_RC, "[x:=1 y==2] / [y:=2 x==1]"},
      {"reads of the aborted do not count", ISOLATION_COUNT,
       "[x==9]! / [x==?]"},
      {"writes of the aborted do not count", ISOLATION_COUNT,
       "[x:=1] / [x==1 x:=2]! / [x==1]"}, );
}

static void compare_and_set_reads_and_writes(void) {
  CHECK_EXAMPLES(
      {"a chain", ISOLATION_COUNT, "[x:0->1] [x:2->3] / [x:1->2]"},
      {"two successors", ISOLATION_SI, "[x:0->1] / [x:0->2]"},
      {"of its own write", ISOLATION_COUNT, "[x:=1 x:1->2 x:2->3]"},
      {"of an intermediate write", ISOLATION_RC, "[x:=1 x:=2] / [x:1->3]"},
      {"stale", ISOLATION_SSER, "[x:0->1] @1..2 / [x==?] @3..4"}, );
}

static void lists_fix_the_version_order(void) {
  CHECK_EXAMPLES(
      {"appends and reads", ISOLATION_COUNT,
       "[x+=1 x+=2] / [x+=3] / [x==[3,1,2]] / [x==[]]"},
      {"two orders", ISOLATION_RC, "[x+=1] / [x+=2] / [x==[1,2]] / [x==[2]]"},
      {"not all of a transaction", ISOLATION_RC, "[x+=1 x+=2] / [x==[1]]"},
      {"torn apart", ISOLATION_RC, "[x+=1 x+=2] / [x+=3] / [x==[1,3,2]]"},
      {"in the wrong order", ISOLATION_RC, "[x+=1 x+=2] / [x==[2,1]]"},
      {"twice", ISOLATION_RC, "[x+=1] / [x==[1,1]]"},
      {"aborted", ISOLATION_RC, "[x+=1]! / [x==[1]]"},
      {"thin air", ISOLATION_RC, "[x==[7]]"},
      {"own at the end", ISOLATION_COUNT,
       "[x+=1] / [x==[1] x+=2 x==[1,2] x+=3 x==[1,2,3]]"},
      {"own in the middle", ISOLATION_RC, "[x+=1] / [x+=2 x==[2,1]]"},
      {"own missing", ISOLATION_RC, "[x+=1 x==[]]"},
      {"own from the future", ISOLATION_RC, "[x==[1] x+=1]"},
      {"blind appends may be skewed", ISOLATION_SER,
       "[x==[] y+=1] / [y==[] x+=2]"},
      {"an append is a write without a read", ISOLATION_COUNT,
       "[x+=1] / [x+=2] / [x==[1,2]]"},
      {"lost update", ISOLATION_SI, "[x==[] x+=1] / [x==[] x+=2] / [x==[1,2]]"},
      {"grows while it is read", ISOLATION_RA, "[x+=1] / [x==[] x==[1]]"},
      {"shrinks while it is read", ISOLATION_RC, "[x+=1] / [x==[1] x==[]]"},
      {"old end behind own", ISOLATION_RA,
       "[x+=1] / [x+=2] / [x+=3 x==[1,3] x==[1,2,3]]"}, );
}

// Unknown transactions commit where that helps.
static void unknown_outcomes_are_chosen(void) {
  CHECK_EXAMPLES(
      {"seen", ISOLATION_COUNT, "[x:=1]? / [x==1]"},
      {"not seen", ISOLATION_COUNT, "[x==9 x:=1]? / [x==?]"},
      {"seen, and wrong itself", ISOLATION_RC, "[x==9 x:=1]? / [x==1]"},
      {"seen by one that was not seen", ISOLATION_COUNT,
       "[x==9 x:=1]? / [x==1]?"},
      {"read from an aborted one", ISOLATION_RC,
       "[x:=1]! / [x==1 x:=2]? / [x==2]"},
      {"half of a lost update", ISOLATION_COUNT, "[x==? x:=1] / [x==? x:=2]?"},
      {"a lost update that was seen", ISOLATION_SI,
       "[x==? x:=1] / [x==? x:=2]? / [x==2]"},
      {"takes effect after its end", ISOLATION_COUNT,
       "[x:=1]? @1..2 / [x==?] @3..4 / [x==1] @5..6"},
      {"not before its begin", ISOLATION_SSER,
       "[x==1] @1..2 / [x:=1]? @3..4"}, );
}

static void session_order_can_be_dropped(void) {
  struct referee_options options = usual;
  options.session_order = false;
  for (options.level = ISOLATION_RC; options.level <= ISOLATION_SER;
       options.level++) {
    CHECK(decide("[x==? x:=1] [x==?]", options) == REFEREE_KEPT);
    CHECK(decide("[x==1] [x:=1]", options) == REFEREE_KEPT);
  }
  CHECK(decide_at("[x==? x:=1] [x==?]", ISOLATION_RA) == REFEREE_BROKEN);
  CHECK(decide_at("[x==1] [x:=1]", ISOLATION_RC) == REFEREE_BROKEN);
}

// A transaction that ended is visible to one that began later, as if it were in
// the same session: so the commit order keeps real time at any level.
static void real_time_can_be_added(void) {
  static const char stale[] = "[x:=1] @1..2 / [x==?] @3..4";
  static const char back[] = "[x==1] @1..2 / [x:=1] @3..4";
  static const char order[] = "[x:=1] @1..2 / [x:=2] @3..4 / [y:=3 x==2] @5..6 "
                              "/ [x==2 x==1]";
  struct referee_options options = usual;
  options.real_time = true;
  for (options.level = ISOLATION_RC; options.level <= ISOLATION_SER;
       options.level++) {
    CHECK((decide(stale, options) == REFEREE_KEPT) ==
          (options.level == ISOLATION_RC));
    CHECK(decide(back, options) == REFEREE_BROKEN);
    CHECK(decide(order, options) == REFEREE_BROKEN);
  }
  CHECK(decide_at(order, ISOLATION_RC) == REFEREE_KEPT);
  CHECK(decide_at("[x:=1] @1..2 / [x==?] @2..3", ISOLATION_SSER) ==
        REFEREE_KEPT);
  CHECK(decide_at("[x:=1] / [x==?] @3..4", ISOLATION_SSER) == REFEREE_KEPT);
}

static bool kept_at(const char *text, const uint8_t *levels) {
  struct referee_options options = usual;
  options.levels = levels;
  return decide(text, options) == REFEREE_KEPT;
}

#define LEVELS(...)                                                            \
  (const uint8_t[]) { __VA_ARGS__ }

// Mixed isolation, section 3: an axiom binds a read by its reader's level.
static void levels_can_be_mixed(void) {
  static const char skew[] = "[x==? y==? x:=1] / [x==? y==? y:=2]";
  CHECK(!kept_at(skew, LEVELS(ISOLATION_SER, ISOLATION_SER)));
  CHECK(kept_at(skew, LEVELS(ISOLATION_SER, ISOLATION_SI)));
  CHECK(kept_at(skew, LEVELS(ISOLATION_RC, ISOLATION_SER)));
  static const char lost[] = "[x==? x:=1] / [x==? x:=2]";
  CHECK(!kept_at(lost, LEVELS(ISOLATION_SI, ISOLATION_SI)));
  CHECK(!kept_at(lost, LEVELS(ISOLATION_SER, ISOLATION_SI)));
  CHECK(kept_at(lost, LEVELS(ISOLATION_SI, ISOLATION_PC)));
  static const char fork[] = "[x:=1] / [y:=2] / [x==1 y==?] / [x==? y==2]";
  CHECK(!kept_at(
      fork, LEVELS(ISOLATION_RC, ISOLATION_RC, ISOLATION_PC, ISOLATION_PC)));
  CHECK(kept_at(
      fork, LEVELS(ISOLATION_SER, ISOLATION_SER, ISOLATION_CC, ISOLATION_PC)));
  static const char stale[] = "[x:=1] @1..2 / [x==?] @3..4";
  CHECK(!kept_at(stale, LEVELS(ISOLATION_RC, ISOLATION_SSER)));
  CHECK(kept_at(stale, LEVELS(ISOLATION_SSER, ISOLATION_SER)));
  CHECK(kept_at("[x==9] / [x==?]", LEVELS(ISOLATION_NONE, ISOLATION_SER)));
}

static void what_saw_a_lost_write_is_left_out(void) {
  struct tiny tiny;
  struct tiny_history room;
  tiny_parse("[x==9 x:=1] / [x==1] / [x==?] / [y==8] [y==?]", &tiny);
  tiny_history(&tiny, &room);
  room.saw[0] = SAW_LOST;
  struct referee_options options = usual;
  options.level = ISOLATION_SER;
  uint32_t order[REFEREE_MAX_TXNS], norder;
  CHECK(referee_decide(&room.history, &options, order, &norder) ==
        REFEREE_BROKEN); // the read of 8 is from thin air
  room.saw[4] = SAW_LOST;
  CHECK(referee_decide(&room.history, &options, order, &norder) ==
        REFEREE_KEPT);
  CHECK_INT(norder, 2);
}

static void too_much_is_said_to_be_too_much(void) {
  char text[512] = "";
  for (unsigned i = 0; i < REFEREE_MAX_TXNS; i++)
    strcat(text, "[x==?] / ");
  CHECK(decide_at(text, ISOLATION_SER) == REFEREE_KEPT);
  struct tiny tiny;
  struct tiny_history room;
  tiny_parse(text, &tiny);
  tiny_history(&tiny, &room);
  uint8_t outcome[REFEREE_MAX_TXNS + 1] = {OUTCOME_OK};
  uint32_t first[REFEREE_MAX_TXNS + 2] = {0};
  room.history.ntxns++; // one more, without operations
  room.history.outcome = outcome;
  memcpy(first, room.txn_first, sizeof room.txn_first);
  first[REFEREE_MAX_TXNS + 1] = room.history.nops;
  room.history.txn_first = first;
  room.session_first[room.history.nsessions] = room.history.ntxns;
  struct referee_options options = usual;
  options.level = ISOLATION_SER;
  CHECK(referee_decide(&room.history, &options, NULL, NULL) ==
        REFEREE_TOO_LARGE);
  outcome[3] = OUTCOME_ABORTED;
  room.history.begin = room.history.end = NULL;
  CHECK(referee_decide(&room.history, &options, NULL, NULL) == REFEREE_KEPT);
}

// A write skew around a ring of twelve, and the same with the ring open.
static void twelve_transactions_are_decided(void) {
  static const char ring[] =
      "[x==? y:=1] / [y==? z:=2] / [z==? w:=3] / [w==? x:=4] / "
      "[x==? y==? z==?] / [x==4 y==1] / [x==4 z==2] / [z==2 w==3] / [w==3] / "
      "[y==1] / [z==2] / [x==4]";
  check_breaks_from("ring", ring, ISOLATION_SER);
  check_breaks_from("open",
                    "[x==? y:=1] / [y==? z:=2] / [z==? w:=3] / [w==?] "
                    "/ [x==?] / [y==?] / [z==?] / [w==?] / [x==?] / "
                    "[y==?] / [z==?] / [w==3]",
                    ISOLATION_COUNT);
}

// --- Random histories.

static void for_random_histories(unsigned count, unsigned max_txns,
                                 void (*check)(const struct tiny *tiny)) {
  gsl_rng *random = random_stream(2, max_txns, RANDOM_TEST);
  for (unsigned i = 0; i < count; i++) {
    struct tiny tiny;
    generate(random, (enum family)(i % FAMILY_COUNT), max_txns, &tiny);
    check(&tiny);
  }
  gsl_rng_free(random);
}

static void check_that(bool claim, const struct tiny *tiny,
                       enum isolation level) {
  if (CHECK(claim))
    return;
  char text[2048];
  tiny_print(tiny, text, sizeof text);
  printf("# at %s:\n# %s\n", isolation_name(level), text);
}

static void check_implications(const struct tiny *tiny) {
  struct tiny_history room;
  const struct history *h = tiny_history(tiny, &room);
  struct referee_options options = usual;
  bool kept = true;
  for (options.level = ISOLATION_RC; options.level <= ISOLATION_SSER;
       options.level++) {
    const bool now = referee_decide(h, &options, NULL, NULL) == REFEREE_KEPT;
    check_that(kept || !now, tiny, options.level);
    kept = now;
  }
}

// dbcop, lemma 2.4.
static void levels_imply_the_weaker_ones(void) {
  for_random_histories(100000, 5, check_implications);
}

// Does some order of the committed and of some unknown ones keep the level?
// `order` holds `n` of them.
static bool some_order_keeps(const struct history *h,
                             const struct referee_options *options,
                             uint32_t *order, unsigned n) {
  if (referee_order_keeps(h, options, order, n))
    return true;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    bool placed = h->outcome[t] == OUTCOME_ABORTED;
    for (unsigned i = 0; i < n; i++)
      placed = placed || order[i] == t;
    order[n] = t;
    if (!placed && some_order_keeps(h, options, order, n + 1))
      return true;
  }
  return false;
}

static void check_against_all_orders(const struct tiny *tiny) {
  struct tiny_history room;
  const struct history *h = tiny_history(tiny, &room);
  for (unsigned variant = 0; variant < 3; variant++) {
    struct referee_options options = {.session_order = variant != 1,
                                      .real_time = variant == 2};
    for (options.level = ISOLATION_RC; options.level <= ISOLATION_SSER;
         options.level++) {
      uint32_t order[REFEREE_MAX_TXNS], norder;
      const bool kept =
          referee_decide(h, &options, order, &norder) == REFEREE_KEPT;
      check_that(!kept || referee_order_keeps(h, &options, order, norder), tiny,
                 options.level);
      check_that(kept == some_order_keeps(h, &options, order, 0), tiny,
                 options.level);
    }
  }
}

static void the_search_misses_no_order(void) {
  for_random_histories(3000, 4, check_against_all_orders);
  for_random_histories(300, 5, check_against_all_orders);
}

static void check_against_all_orders_mixed(const struct tiny *tiny) {
  struct tiny_history room;
  const struct history *h = tiny_history(tiny, &room);
  uint8_t levels[TINY_TXNS];
  for (unsigned t = 0; t < tiny->ntxns; t++) // as good as random
    levels[t] = (uint8_t)((tiny->txn[t].begin / 10 + tiny->txn[0].nops * t) %
                          ISOLATION_COUNT);
  struct referee_options options = {.levels = levels, .session_order = true};
  uint32_t order[REFEREE_MAX_TXNS], norder;
  const bool kept = referee_decide(h, &options, order, &norder) == REFEREE_KEPT;
  check_that(!kept || referee_order_keeps(h, &options, order, norder), tiny,
             ISOLATION_NONE);
  check_that(kept == some_order_keeps(h, &options, order, 0), tiny,
             ISOLATION_NONE);
}

static void the_search_misses_no_order_of_mixed_levels(void) {
  for_random_histories(10000, 4, check_against_all_orders_mixed);
}

// Sessions and real time count or not, as good as at random.
static struct referee_options some_variant(const struct tiny *tiny) {
  const uint32_t chance = tiny->txn[0].begin / 10 + tiny->txn[1].nops;
  return (struct referee_options){.session_order = chance % 3 != 0,
                                  .real_time = chance % 2 == 0};
}

static struct rules rules_of(const struct referee_options *options) {
  return (struct rules){options->level, options->session_order,
                        options->real_time};
}

static void check_against_machine(const struct tiny *tiny) {
  struct tiny_history room;
  const struct history *h = tiny_history(tiny, &room);
  struct referee_options options = some_variant(tiny);
  for (options.level = ISOLATION_PC; options.level <= ISOLATION_SSER;
       options.level++)
    check_that((referee_decide(h, &options, NULL, NULL) == REFEREE_KEPT) ==
                   machine_explains(tiny, rules_of(&options)),
               tiny, options.level);
}

static void check_against_visibility(const struct tiny *tiny) {
  struct tiny_history room;
  const struct history *h = tiny_history(tiny, &room);
  struct referee_options options = some_variant(tiny);
  for (options.level = ISOLATION_RA; options.level <= ISOLATION_CC;
       options.level++)
    check_that((referee_decide(h, &options, NULL, NULL) == REFEREE_KEPT) ==
                   visibility_explains(tiny, rules_of(&options)),
               tiny, options.level);
}

static void axioms_agree_with_visibility(void) {
  for_random_histories(30000, 3, check_against_visibility);
  for_random_histories(5000, 4, check_against_visibility);
}

static void axioms_agree_with_machines(void) {
  for_random_histories(100000, 3, check_against_machine);
  for_random_histories(50000, 4, check_against_machine);
  for_random_histories(3000, 5, check_against_machine);
}

int main(void) {
  return TAP_RUN(
      {"anomalies break their level", anomalies_break_their_level},
      {"figures of dbcop", figures_of_dbcop},
      {"register reads are understood", register_reads_are_understood},
      {"compare-and-set reads and writes", compare_and_set_reads_and_writes},
      {"lists fix the version order", lists_fix_the_version_order},
      {"unknown outcomes are chosen", unknown_outcomes_are_chosen},
      {"session order can be dropped", session_order_can_be_dropped},
      {"real time can be added", real_time_can_be_added},
      {"levels can be mixed", levels_can_be_mixed},
      {"what saw a lost write is left out", what_saw_a_lost_write_is_left_out},
      {"too much is said to be too much", too_much_is_said_to_be_too_much},
      {"twelve transactions are decided", twelve_transactions_are_decided},
      {"levels imply the weaker ones", levels_imply_the_weaker_ones},
      {"the search misses no order", the_search_misses_no_order},
      {"the search misses no order of mixed levels",
       the_search_misses_no_order_of_mixed_levels},
      {"axioms agree with visibility", axioms_agree_with_visibility},
      {"axioms agree with machines", axioms_agree_with_machines});
}
