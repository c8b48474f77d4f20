// SPDX-License-Identifier: GPL-3.0-or-later
// Proofs about SQL statements that are wrong are refused: orders in which a
// statement would have found other rows, and parts that are none.
#include "config.h"

#include "checker/part/row_registers.h"
#include "checker/rows/by_places.h"
#include "checker/rows/engine.h"
#include "checker/rows/verify_part.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/rows/execute_rows.h"
#include "recorder/files/reader.h"
#include "tests/tap.h"

#include <stdlib.h>

static struct history read_text(const char *text) {
  const struct read_options options = {.text = text,
                                       .text_bytes = strlen(text)};
  struct history h;
  struct error error = {0};
  CHECK_INT(history_read_with("text", &options, &h, &error), 0);
  CHECK_STR(error.text, "");
  return h;
}

static const char *const chain = "table t(b): 1{b=1}\n"
                                 "[ins t/2{b=1}]\n"
                                 "---\n"
                                 "[sel t{b = 1}: 1@? 2@w1]\n"
                                 "---\n"
                                 "[sel t{b = 1}: 1@?]\n";

// The verdict of the verifier on the order of three transactions.
static int order_of(const char *text, enum isolation level, uint32_t *txns,
                    uint32_t *snapshots, struct error *error) {
  struct history h = read_text(text), registers = rows_registers(&h, false);
  struct verdict_counts counts;
  uint8_t *counted = settled_count(&h, &counts);
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  const struct rows_proof proof = {
      .order = txns, .norder = 3, .snapshot = snapshots};
  *error = (struct error){0};
  const int result =
      verify_rows(&h, &registers, counted, &options, &proof, error);
  free(counted);
  rows_as_registers_free(&registers);
  history_free(&h);
  return result;
}

static void orders_are_executed(void) {
  struct error error;
  CHECK_INT(order_of(chain, ISOLATION_SER, (uint32_t[]){2, 0, 1}, NULL, &error),
            VERIFIED);
  CHECK_INT(order_of(chain, ISOLATION_SER, (uint32_t[]){0, 2, 1}, NULL, &error),
            VERIFY_REFUSED);
  CHECK_STR(error.text, "the order that was found is wrong: statement 2 would "
                        "have found row t/2");
  CHECK_INT(order_of(chain, ISOLATION_SI, (uint32_t[]){0, 2, 1},
                     (uint32_t[]){0, 0, 1}, &error),
            VERIFIED);
  CHECK_INT(order_of(chain, ISOLATION_SI, (uint32_t[]){0, 2, 1},
                     (uint32_t[]){0, 1, 1}, &error),
            VERIFY_REFUSED);
  CHECK_INT(order_of(chain, ISOLATION_SI, (uint32_t[]){0, 2, 1},
                     (uint32_t[]){0, 0, 0}, &error),
            VERIFY_REFUSED);
}

static void rows_of_statements_are_compared(void) {
  static const char *const wrong[] = {
      "table t(b): 1{b=1}\n[sel t{b = 2}: 1@?]\n[]\n[]\n",
      "table t(b): 1{b=1}\n[sel t{b = 1}: 1@?{b=2}]\n[]\n[]\n",
      "table t(b): 1{b=1}\n[sel t{b = 1}: 1@? 1@?]\n[]\n[]\n",
      "table t(b): 1{b=1}\n[sel t{b = 1}:]\n[]\n[]\n",
      "table t(b): 1{b=1}\n[ins t/1{b=1}]\n[]\n[]\n",
      "table t(b): 1{b=1}\n[del t{b = 1}: 1@?, sel t{b = 1}: 1@?]\n[]\n[]\n",
      "table t(b): 1{b=1}\n[new t{id = 2}:]\n[]\n[]\n",
  };
  static const enum isolation levels[] = {ISOLATION_SER, ISOLATION_RA};
  struct error error;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    for (size_t l = 0; l < 2; l++)
      CHECK_INT(
          order_of(wrong[i], levels[l], (uint32_t[]){0, 1, 2}, NULL, &error),
          VERIFY_REFUSED);
}

// Where rows are counted, those that the transaction itself has written are
// looked at one by one; where a row is named by its key, it is the only one.
static void rows_of_its_own_count_once(void) {
  static const struct {
    const char *txn;
    int verified;
  } cases[] = {
      {"ins t/2{b=1}, sel t{b = 1}: 1@? 2@w1 3@?, upd t{id = 2}: 2@w1{b=3}, "
       "sel t{b = 1}: 1@? 3@?, del t{b = 1}: 1@? 3@?, sel t{b = 1}:",
       VERIFIED},
      {"ins t/2{b=1}, sel t{b = 1}: 1@? 3@?", VERIFY_REFUSED},
      {"ins t/2{b=1}, sel t{b = 1}: 2@w1 3@?", VERIFY_REFUSED},
      {"upd t{id = 1}: 1@?{b=2}, sel t{b = 1}: 3@?", VERIFIED},
      {"upd t{id = 1}: 1@?{b=2}, sel t{b = 1}:", VERIFY_REFUSED},
      {"upd t{id = 1}: 1@?{b=1}, sel t{b = 1}: 3@?", VERIFY_REFUSED},
      {"upd t{id = 1}: 1@?{b=2}, upd t{id = 1}: 1@w1{b=1}, sel t{b = 1}: 3@?",
       VERIFY_REFUSED},
      {"del t{id = 1}: 1@?, ins t/1{b=1}, sel t{b = 1}: 3@?", VERIFY_REFUSED},
      {"sel t{id = 1}:", VERIFY_REFUSED},
      {"sel t{id = 2}:, sel t{id = 1}: 1@?", VERIFIED},
  };
  struct error error;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    snprintf(text, sizeof text, "table t(b): 1{b=1} 3{b=1}\n[%s]\n[]\n[]\n",
             cases[i].txn);
    if (!CHECK(order_of(text, ISOLATION_SER, (uint32_t[]){0, 1, 2}, NULL,
                        &error) == cases[i].verified))
      printf("#   %s: %s\n", cases[i].txn, error.text);
  }
}

// A row that a condition with bounds finds is missed at each bound, wherever it
// came from; the rows beside the bounds are not.
static void rows_between_bounds_are_compared(void) {
  static const char *const conditions[] = {
      "v BETWEEN 4 AND 6",
      "v >= 4 & v <= 6",
      "v > 3 & v < 7",
      "b = 1 & v > 3 & v < 7",
      "v < 7 & b = 1 & v >= 4 & v > 2",
      "id > 3 & b = 1 & id < 7",
      "b = 1 & id > 3 & v <= 6 & NOT id = 7",
      "id >= 4 & (b = 2 | b = 1) & id <= 6",
      "b = 1 & NOT v % 4 = 3 & v <= 6",
      "b = 1 & v IN (4, 5, 6, 9)"};
  static const char *const changes[] = {
      "upd t{id = 4}: 4@?{b=1,v=4}", "upd t{id = 2}: 2@?{b=9,v=9}",
      "del t{id = 9}: 9@?", "upd t{id = 7}: 7@?{b=1,v=7}",
      "ins t/12{b=2,v=5}, del t{id = 12}: 12@w1"};
  struct error error;
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
      for (int missed = 0; missed < 4; missed++) {
        char text[600];
        snprintf(text, sizeof text,
                 "table t(b,v): 2{b=1,v=3} 3{b=1,v=3} 4{b=1,v=4} 5{b=1,v=5} "
                 "6{b=1,v=6} 7{b=1,v=7} 9{b=2,v=3}\n"
                 "[%s]\n---\n[sel t{%s}:%s%s%s]\n---\n[]\n",
                 changes[c], conditions[i],
                 missed == 1 ? ""
                 : c == 0    ? " 4@w1"
                             : " 4@?",
                 missed == 2 ? "" : " 5@?", missed == 3 ? "" : " 6@?");
        const enum isolation level = c % 2 ? ISOLATION_RA : ISOLATION_SER;
        const int wanted = missed ? VERIFY_REFUSED : VERIFIED;
        if (!CHECK(order_of(text, level, (uint32_t[]){0, 1, 2}, NULL, &error) ==
                   wanted))
          printf("#   %s: %s\n", text, error.text);
      }
}

// So many values that the table of counts grows.
static void many_values_are_counted(void) {
  enum { ROWS = 3000 };
  struct error error;
  for (int missing = 0; missing < 2; missing++) {
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    fprintf(out, "table t(b):");
    for (int i = 1; i <= ROWS; i++)
      fprintf(out, " %d{b=%d}", i, i % (ROWS / 2));
    fprintf(out, "\n[sel t{b = 7}: 7@?%s]\n[]\n[]\n", missing ? "" : " 1507@?");
    fclose(out);
    CHECK_INT(
        order_of(text, ISOLATION_SER, (uint32_t[]){0, 1, 2}, NULL, &error),
        missing ? VERIFY_REFUSED : VERIFIED);
    free(text);
  }
}

static void visible_writers_bind_at_ra(void) {
  static const char *const fractured = "table t(b)\n"
                                       "[ins t/1{b=1} t/2{b=1}]\n"
                                       "---\n"
                                       "[sel t{b = 1}: 1@w1]\n"
                                       "---\n[]\n";
  struct error error;
  CHECK_INT(
      order_of(fractured, ISOLATION_RA, (uint32_t[]){0, 1, 2}, NULL, &error),
      VERIFY_REFUSED);
  CHECK_INT(order_of(chain, ISOLATION_RA, (uint32_t[]){0, 1, 2}, NULL, &error),
            VERIFIED);
  CHECK_INT(order_of(chain, ISOLATION_RA, (uint32_t[]){1, 0, 2}, NULL, &error),
            VERIFY_REFUSED); // before it was written
}

// A statement at RC has a place of its own, from which it may see no earlier
// version of a row than one that is visible to it.
static void places_are_executed(void) {
  static const char *const text = "table t(b): 1{b=0}\n"
                                  "[upd t{id = 1}: 1@?{b=1}]\n"
                                  "[upd t{id = 1}: 1@w1{b=2}]\n"
                                  "---\n"
                                  "[sel t{b = 0}:, sel t{b = 2}:, "
                                  "sel t{id = 1}: 1@w2]\n";
  static const struct {
    uint32_t place[5];
    enum verified verified;
  } cases[] = {
      {{0, 1, 1, 1, 1},
       VERIFIED}, // a row that came back may be a later version
      {{0, 1, 1, 1, 2}, VERIFIED},
      {{0, 1, 0, 1, 1}, VERIFY_REFUSED}, // finds b = 0
      {{0, 1, 1, 2, 2}, VERIFY_REFUSED}, // finds b = 2
      {{0, 1, 1, 0, 1}, VERIFY_REFUSED}, // goes back
      {{0, 1, 1, 1, 3}, VERIFY_REFUSED}, // stands behind its own transaction
  };
  uint32_t order[] = {0, 1, 2};
  struct history h = read_text(text), registers = rows_registers(&h, false);
  struct verdict_counts counts;
  uint8_t *counted = settled_count(&h, &counts);
  const struct check_options options = {
      .question = {.level = ISOLATION_RC, .session_order = true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct rows_proof proof = {
        .order = order, .norder = 3, .place = cases[i].place};
    struct error error = {0};
    CHECK_INT(verify_rows(&h, &registers, counted, &options, &proof, &error),
              cases[i].verified);
  }
  free(counted);
  rows_as_registers_free(&registers);
  history_free(&h);
}

static const char *const skew = "table t(b): 9{b=9}\n"
                                "[sel t{b = 1}:, ins t/1{b=1}]\n"
                                "---\n"
                                "[sel t{b = 1}:, ins t/2{b=1}]\n"
                                "---\n"
                                "[upd t{b = 9}: 9@?{b=8}]\n"
                                "[upd t{b = 8}: 9@w3{b=1}]\n";

// The verdict of the verifier on a text as a part of the history above.
static int part_of(const char *text, const uint32_t *txns,
                   struct error *error) {
  struct history h = read_text(skew), part = read_text(text);
  struct verdict_counts counts;
  uint8_t *counted = settled_count(&h, &counts);
  const struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true}};
  uint32_t ncases, statements[8];
  *error = (struct error){0};
  for (uint32_t p = 0; p < part.ntxns; p++)
    for (uint32_t s = part.rows->txn_statement[p];
         s < part.rows->txn_statement[p + 1]; s++)
      statements[s] = h.rows->txn_statement[txns[p]] + s -
                      part.rows->txn_statement[p]; // the first ones
  const int result = verify_rows_part(&h, counted, &part, txns, statements,
                                      NULL, &options, &ncases, error);
  free(counted);
  history_free(&part);
  history_free(&h);
  return result;
}

// As the program makes parts: conditions have parameters.
static void parts_are_parts(void) {
  static const struct {
    const char *text;
    uint32_t txns[4];
    bool sound;
  } parts[] = {
      {"table t(b)\n[sel t{b = 1}:, ins t/1{b=1}]\n---\n[sel t{b = 1}:, ins "
       "t/2{b=1}]",
       {0, 1},
       true},
      {"table t(b)\n[sel t{b = 1}:, ins t/1{b=1}]\n---\n[sel t{b = 1}:, ins "
       "t/2{b=1}]",
       {1, 0},
       false}, // other transactions
      {"table t(b)\n[sel t{b = 1}:, ins t/1{b=1}]\n[sel t{b = 1}:, ins "
       "t/2{b=1}]",
       {0, 1},
       false}, // one session
      {"table t(b)\n[sel t{b > 0}:, ins t/1{b=1}]\n---\n[sel t{b = 1}:, ins "
       "t/2{b=1}]",
       {0, 1},
       true}, // another condition for the same rows
      {"table t(b)\n[sel t{b > 1}:, ins t/1{b=1}]\n---\n[sel t{b = 1}:, ins "
       "t/2{b=1}]",
       {0, 1},
       false}, // another condition
      {"table t(b)\n[sel t{b = 1}:, ins t/1{b=2}]\n---\n[sel t{b = 1}:, ins "
       "t/2{b=1}]",
       {0, 1},
       false}, // other columns
      {"table t(b)\n[ins t/1{b=1}, sel t{b = 1}: 1@w1]\n---\n[sel t{b = 1}:, "
       "ins t/2{b=1}]",
       {0, 1},
       false}, // another order
      {"table t(b): 9{b=9}\n[sel t{b = 1}:, ins t/1{b=1}]\n---\n[sel t{b = "
       "1}:, ins t/2{b=1}]",
       {0, 1},
       true}, // row 9 was changed, to what satisfies the condition
      {"table t(b): 9{b=9}\n[sel t{b = 1}:]\n---\n[upd t{b = 9}: "
       "9@?{b=8}]\n[upd t{b = 8}: 9@?{b=1}]\n",
       {0, 2, 3},
       false}, // which changed another version
      {"table t(b): 1{b=0}\n[sel t{b = 1}:, ins t/1{b=1}]\n---\n[sel t{b = "
       "1}:, ins t/2{b=1}]",
       {0, 1},
       false}, // row 1 was not there
      {"table t(b)\n[sel t{b = 1}:]\n---\n[sel t{b = 1}:, ins t/2{b=1}]",
       {0, 1},
       false}, // breaks nothing
      {"table t(c)\n[sel t{c = 1}:, ins t/1{c=1}]\n---\n[sel t{c = 1}:, ins "
       "t/2{c=1}]",
       {0, 1},
       false}, // another table
  };
  struct error error;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    CHECK_INT(part_of(parts[i].text, parts[i].txns, &error),
              parts[i].sound ? VERIFIED : VERIFY_REFUSED);
    CHECK(parts[i].sound == !error.text[0]);
  }
}

// The first transaction commits last: the SELECT at serializable missed it, and
// the SELECT at level none need not come behind it.  At read committed that
// would be a cycle.
static void reads_at_none_order_nothing(void) {
  static const char *const levels[] = {"none", "rc"};
  const struct check_options options = {.question = {.level = ISOLATION_SER,
                                                     .recorded = true,
                                                     .session_order = true}};
  for (int l = 0; l < 2; l++) {
    char text[200];
    snprintf(text, sizeof text,
             "table t(b): 1{b=1} 2{b=1}\n"
             "[upd t{id = 1}: 1@?{b=2}, upd t{id = 2}: 2@?{b=2}]%%ser\n"
             "---\n"
             "[sel t{id = 1}: 1@w1]%%%s [sel t{id = 2}: 2@?]%%ser\n",
             levels[l]);
    struct history h = read_text(text);
    CHECK_INT(rows_break_by_places(&h, &options), l);
    history_free(&h);
  }
}

int main(void) {
  return TAP_RUN(
      {"orders are executed", orders_are_executed},
      {"rows of statements are compared", rows_of_statements_are_compared},
      {"rows of its own count once", rows_of_its_own_count_once},
      {"rows between bounds are compared", rows_between_bounds_are_compared},
      {"many values are counted", many_values_are_counted},
      {"visible writers bind at ra", visible_writers_bind_at_ra},
      {"places of statements are executed", places_are_executed},
      {"parts are parts", parts_are_parts},
      {"reads at none order nothing", reads_at_none_order_nothing});
}
