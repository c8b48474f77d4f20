// SPDX-License-Identifier: GPL-3.0-or-later
// A read of a row as a statement left it that says no rows: it failed when it
// had changed some, and its transaction aborted.
#include "config.h"

#include "checker/part/row_registers.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/verify.h"
#include "recorder/files/reader.h"
#include "recorder/rows.h"
#include "tests/tap.h"

#include <stdlib.h>

// More transactions than all commit orders are tried of.
static const char *const text =
    "table t(b): 1{b=1} 2{b=1}\n"
    "[upd t{b = 1}:]! [upd t{b = 2}:]\n"
    "---\n"
    "[sel t{b = 1}: 1@? 2@?]\n"
    "---\n"
    "[sel t{b = 1}: 1@? 2@?] [sel t{b = 1}: 1@? 2@?] [sel t{b = 1}: 1@? 2@?]\n"
    "[sel t{b = 1}: 1@? 2@?] [sel t{b = 1}: 1@? 2@?] [sel t{b = 1}: 1@? 2@?]\n"
    "[sel t{b = 1}: 1@? 2@?] [sel t{b = 1}: 1@? 2@?] [sel t{b = 1}: 1@? 2@?]\n"
    "[sel t{b = 1}: 1@? 2@?] [sel t{b = 1}: 1@? 2@?] [sel t{b = 1}: 1@? 2@?]\n"
    "---\n"
    "[ins t/3{b=2}]\n";

enum { ABORTED, KEPT, NOBODYS }; // the statements of session 0, and no other

// The history in which the second session found row 1 as that statement of the
// first one left it.
static struct history with_read_of(uint64_t statement) {
  const struct read_options options = {.text = text,
                                       .text_bytes = strlen(text)};
  struct history h;
  struct error error = {0};
  CHECK_INT(history_read_with("text", &options, &h, &error), 0);
  CHECK_STR(error.text, "");
  history_spell_values(&h);
  const uint32_t op = h.txn_first[h.session_first[1]];
  h.saw[op] = SAW_THIN_AIR;
  h.value[op] = value_of_write(0, statement);
  return h;
}

static struct check_options at_level(enum isolation level) {
  return (struct check_options){
      .question = {.level = level, .session_order = true}};
}

static void expect(uint64_t statement, enum isolation level, bool plain,
                   enum anomaly anomaly) {
  struct history h = with_read_of(statement);
  struct check_options options = at_level(level);
  struct verdict verdict;
  struct error error = {0};
  options.question.plain_reads = plain;
  CHECK_INT(check(&h, &options, &verdict, &error), 0);
  CHECK_STR(error.text, "");
  CHECK_INT(verdict.kind, VERDICT_VIOLATION);
  CHECK_INT(verdict.anomaly, anomaly);
  CHECK_INT(verdict.op, h.txn_first[h.session_first[1]]);
  verdict_free(&verdict);
  history_free(&h);
}

static void it_is_an_aborted_read(void) {
  for (int level = ISOLATION_RC; level < ISOLATION_COUNT; level++)
    for (int plain = 0; plain < 2; plain++) {
      expect(ABORTED, (enum isolation)level, plain, ANOMALY_ABORTED_READ);
      expect(KEPT, (enum isolation)level, plain, ANOMALY_THIN_AIR_READ);
      expect(NOBODYS, (enum isolation)level, plain, ANOMALY_THIN_AIR_READ);
    }
}

// Verifies one verdict on a history with another read.
static int verified_with(uint64_t statement, struct error *error) {
  struct history h = with_read_of(ABORTED), other = with_read_of(statement);
  struct history registers = rows_registers(&other, false);
  const struct check_options options = at_level(ISOLATION_RC);
  struct verdict verdict;
  CHECK_INT(check(&h, &options, &verdict, error), 0);
  const int result = verify_violation(&registers, &options, &verdict, error);
  verdict_free(&verdict);
  rows_as_registers_free(&registers);
  history_free(&other);
  history_free(&h);
  return result;
}

static void the_verifier_asks_who_was_rolled_back(void) {
  struct error error = {0};
  CHECK_INT(verified_with(ABORTED, &error), VERIFIED);
  CHECK_STR(error.text, "");
  for (uint64_t statement = KEPT; statement <= NOBODYS; statement++) {
    error.text[0] = '\0';
    CHECK_INT(verified_with(statement, &error), VERIFY_REFUSED);
    CHECK_STR(error.text, "no aborted transaction wrote what operation 0 read");
  }
}

int main(void) {
  return TAP_RUN({"it is an aborted read", it_is_an_aborted_read},
                 {"the verifier asks who was rolled back",
                  the_verifier_asks_who_was_rolled_back});
}
