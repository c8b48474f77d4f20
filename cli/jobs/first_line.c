// SPDX-License-Identifier: GPL-3.0-or-later
// The line that a run begins with (cli/jobs/first_line.h).
#include "config.h"

#include "cli/jobs/first_line.h"

#include "base/marks.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "drivers/driver.h"
#include "report/text/text.h"
#include "report/words/naming.h"
#include "report/words/plain.h"
#include "report/words/quantity.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BEGINNING "isostress run:"

// A driver that came from a file may not describe its database.
static void put_database(FILE *out, const struct run_plan *plan,
                         const char *server) {
  char *version = xasprintf("%.*s", naming_server_length(server), server);
  put_clean(out, *version ? version : plan->driver->name);
  free(version);
}

// The rows that mini-transactions work on; of other workloads, the name.
static void put_workload(FILE *out, const struct run_plan *plan) {
  const struct workload *workload = plan->settings.workload;
  const struct driver_words *words =
      driver_words_of_target(plan->settings.target);
  if (strcmp(workload->name, "mt") != 0)
    put_clean(out, workload->name);
  else {
    quantity_put_grouped(out, plan->workload_options.nkeys);
    fputs(words && words->has_keys ? " keys" : " rows", out);
  }
}

void first_line_put(FILE *out, const struct run_plan *plan,
                    const char *server) {
  char *line;
  size_t bytes;
  FILE *words = text_stream(&line, &bytes);
  put_database(words, plan, server);
  fputs(", ", words);
  naming_put_level(words, run_plan_words_of_level(plan));
  fprintf(words, ", %u" HARD_BLANK "session%s, ",
          plan->workload_options.nsessions,
          plan->workload_options.nsessions == 1 ? "" : "s");
  put_workload(words, plan);
  fprintf(words, ", seed" HARD_BLANK "%" PRIu64, plan->settings.seed);
  fclose(words);
  fputs(BEGINNING " ", out);
  plain_put_wrapped(out, line, sizeof BEGINNING, sizeof BEGINNING);
  free(line);
}
