// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "checker/rows/likely_order.h"
#include "recorder/files/reader.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

// The places of the transactions of a history in text.
static void check_places(const char *text, bool session_order,
                         const uint64_t *places) {
  struct read_options options = {.text = text, .text_bytes = strlen(text)};
  struct history h;
  struct error error = {0};
  CHECK_INT(history_read_with("text", &options, &h, &error), 0);
  CHECK_STR(error.text, "");
  uint32_t txn_of[16];
  uint8_t counted[16];
  for (uint32_t op = 0; op < h.nops; op++)
    txn_of[op] = history_txn(&h, op);
  memset(counted, 1, sizeof counted);
  uint64_t *found = likely_order(&h, counted, txn_of, session_order);
  CHECK((found == NULL) == (places == NULL));
  for (uint32_t t = 0; found && t < h.ntxns; t++)
    CHECK_INT(found[t], places[t]);
  free(found);
  history_free(&h);
}

// The first ends last of all, and the second has read from it.
static void readers_come_after_writers(void) {
  check_places("[x:=1]@1..90\n---\n[x==1]@10..20\n---\n[y:=1]@10..15\n", true,
               (uint64_t[]){2, 3, 1});
}

static void sessions_are_kept(void) {
  static const char *const text =
      "[y:=1]@1..90\n[y:=2]@20..30\n---\n[z:=1]@2..40\n";
  check_places(text, true, (uint64_t[]){1, 2, 3});
  check_places(text, false, (uint64_t[]){3, 1, 2});
}

static void without_times_nothing_is_likely(void) {
  check_places("[x:=1]\n[x==1]\n", true, NULL);
}

int main(void) {
  return TAP_RUN(
      {"readers come after writers", readers_come_after_writers},
      {"sessions are kept", sessions_are_kept},
      {"without times nothing is likely", without_times_nothing_is_likely});
}
