// SPDX-License-Identifier: GPL-3.0-or-later
// Is there no smaller counterexample?  Tells how many transactions the smallest
// part of a recorded history has that breaks a level, and has none of the reads
// that break a weaker one, which are other anomalies (bench/hunt.h).
//
//   bench/smallest HISTORY LEVEL
#include "config.h"

#include "bench/hunt.h"
#include "recorder/files/reader.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  struct history h;
  struct error error;
  error_set(&error, "usage: smallest HISTORY LEVEL");
  struct check_options options = {.question = {.session_order = true}};
  if (argc != 3 || !isolation_parse(argv[2], &options.question.level) ||
      history_read(argv[1], NULL, &h, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 254;
  }
  struct hunt hunt = {.h = &h,
                      .options = &options,
                      .budget = UINT64_C(1) << 30,
                      .ntxns = UINT32_MAX};
  const bool all = hunt_smaller(&hunt);
  if (hunt.ntxns == UINT32_MAX)
    printf("no part breaks %s", argv[2]);
  else
    printf("the smallest part that breaks %s has %u transactions", argv[2],
           hunt.ntxns);
  printf(" (%s%u checks, without %u reads that break a weaker level)\n",
         all ? "" : "not all ways tried; ", hunt.nchecks, hunt.nreads);
  free(hunt.part.op);
  history_free(&h);
  return 0;
}
