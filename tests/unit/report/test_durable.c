// SPDX-License-Identifier: GPL-3.0-or-later
// Words about acknowledged writes that are lost, by the meaning of their loss.
#include "config.h"

#include "report/durable.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static const struct history nothing;

// Three writes of two transactions are lost.
static void expect_words(enum loss loss, enum keeps_commits keeps,
                         uint64_t resolved, const char *first,
                         const char *also) {
  struct durable durable = {.is = {.kind = VERDICT_VIOLATION,
                                   .acknowledged = 1000,
                                   .surviving = 997,
                                   .lost = 3,
                                   .transactions = 2,
                                   .first = 1000000,
                                   .last = 2000000000},
                            .loss = loss};
  struct run_figures figures = {.keeps = keeps, .resolved_committed = resolved};
  const struct report report = {
      .durable = &durable, .figures = &figures, .history = &nothing};
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  durable_put_text(out, &report);
  fclose(out);
  CHECK(strstr(text, first));
  CHECK(!also || strstr(text, also));
  CHECK_INT(!strncmp(text, "\nVIOLATION", strlen("\nVIOLATION")),
            loss == LOSS_AGAINST_PROMISE);
  free(text);
}

static void losses_in_words(void) {
  const char *counts = "3 of 1,000 acknowledged writes are lost, of 2 "
                       "transactions that were acknowledged from 0.001 s to "
                       "2.000 s; ";
  expect_words(LOSS_AGAINST_PROMISE, KEEPS_COMMITS, 0, counts,
               "the settings promise that none is.\n  This is LostWrites");
  expect_words(LOSS_ALLOWED, KEEPS_NOT, 0, counts, "the settings allow it.");
  expect_words(LOSS_UNSETTLED, KEEPS_COMMITS, 0, counts,
               "--endpoints=primary reads at the one that takes writes.");
}

// Nobody acknowledged a commit that was found out.
static void commits_that_were_found_out(void) {
  expect_words(LOSS_UNACKNOWLEDGED, KEEPS_COMMITS, 2, "; or of these ",
               "--resolve-unknown found out that 2 had committed.");
  expect_words(LOSS_AGAINST_PROMISE, KEEPS_COMMITS, 1,
               "VIOLATION of durability: 3 of 1,000 ",
               "Up to 1 of these transactions may not have been acknowledged");
}

int main(void) {
  return TAP_RUN({"what a loss means", losses_in_words},
                 {"commits that were found out", commits_that_were_found_out});
}
