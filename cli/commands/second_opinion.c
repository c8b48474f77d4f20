// SPDX-License-Identifier: GPL-3.0-or-later
// Second opinions told (cli/commands/second_opinion.h).
#include "config.h"

#include "cli/commands/second_opinion.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/jobs/opinion.h"
#include "cli/process/progress.h"
#include "cli/process/signals.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>

// The question, and the answer.
struct opinion_request {
  const struct checking *checking;
  struct check_options options;
  enum method method;
  struct opinion opinion;
};

static void ask_opinion(void *context) {
  struct opinion_request *r = context;
  opinion_ask(&r->opinion, &r->checking->history, &r->options, r->method);
}

// Asked within the limit of memory; says which limit was too low.
static void ask_within_limits(struct opinion_request *r) {
  struct opinion *o = &r->opinion;
  char bytes[UNITS_TEXT];
  if (!memory_bounded(r->checking->memory_limit, ask_opinion, r)) {
    units_write_number((double)r->checking->memory_limit, bytes);
    o->kind = VERDICT_UNDECIDED;
    snprintf(o->why, sizeof o->why, "memory limit: it needs more than %s bytes",
             bytes);
  } else if (o->stopped) {
    snprintf(o->why, sizeof o->why, "%s: stopped before it was decided",
             checking_limit_name());
  }
}

static const char *level_word(const struct opinion *o) {
  return o->mixed ? "recorded" : isolation_name(o->level);
}

static const char *opinion_word(const struct opinion *o) {
  const struct verdict verdict = {.kind = o->kind};
  return report_verdict_word(&verdict);
}

static void put_opinion_text(const struct opinion_request *r, double seconds) {
  const struct opinion *o = &r->opinion;
  const char *title = o->mixed ? "the level of each transaction"
                               : isolation_title(o->level),
             *who = r->method == METHOD_NAIVE
                        ? "the baseline of the mixed-isolation paper"
                        : "algorithm 3 of the mixed-isolation paper";
  switch (o->kind) {
  case VERDICT_PASS:
    printf("PASS: %s was kept, says %s.\n", title, who);
    break;
  case VERDICT_VIOLATION:
    printf("VIOLATION: %s was broken, says %s.\n", title, who);
    break;
  default:
    printf("UNDECIDED: whether %s was kept, by %s.\n", title, who);
    printf("  Why: %s (%.2f s).\n", o->why, seconds);
    return;
  }
  printf("  There is no proof.  Transactions: %" PRIu32
         "; extensions of the history looked at: %" PRIu64 " (%.2f s).\n",
         o->ntxns, o->nextensions, seconds);
}

static void put_opinion_json(const struct opinion_request *r, double seconds) {
  const struct opinion *o = &r->opinion;
  struct json json;
  json_begin(&json, stdout);
  json_put_object(&json, NULL);
  json_put_string(&json, "schema", "isostress-opinion/1");
  json_put_string(&json, "program", "isostress " PACKAGE_VERSION);
  json_put_string(&json, "path", r->checking->path);
  json_put_string(&json, "method", opinion_method_name(r->method));
  json_put_string(&json, "level", level_word(o));
  json_put_string(&json, "verdict", opinion_word(o));
  json_put_string(&json, "why", o->kind == VERDICT_UNDECIDED ? o->why : NULL);
  json_put_unsigned(&json, "transactions", o->ntxns);
  json_put_unsigned(&json, "extensions", o->nextensions);
  json_put_real(&json, "seconds", seconds);
  json_close(&json, '}');
  json_end(&json);
}

enum status second_opinion(const struct checking *checking, int question,
                           const struct settings *settings,
                           void (*put_line)(const char *path, const char *level,
                                            const struct verdict *verdict)) {
  char *what = xasprintf("checking %s", checking->path);
  struct ticker *ticker = ticker_start(what);
  const uint64_t start = clock_now();
  struct opinion_request r = {
      .checking = checking,
      .method = settings->method,
      .options = {
          .question = settings_question(settings, question),
          .stop = signals_start_check(checking_time_left(checking, settings))}};
  ask_within_limits(&r);
  signals_end_check();
  ticker_end(ticker);
  free(what);
  const double seconds = checking->read_seconds +
                         (double)(clock_now() - start) / (double)NS_PER_SECOND;
  if (settings->output == OUTPUT_JSON)
    put_opinion_json(&r, seconds);
  else if (put_line)
    put_line(checking->path, level_word(&r.opinion),
             &(struct verdict){.kind = r.opinion.kind});
  else
    put_opinion_text(&r, seconds);
  fflush(stdout); // a long check may follow
  return status_of_verdict(r.opinion.kind);
}
