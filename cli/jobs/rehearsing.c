// SPDX-License-Identifier: GPL-3.0-or-later
// Rehearses scripts and tells what will be judged (cli/jobs/rehearsing.h).
#include "config.h"

#include "cli/jobs/rehearsing.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cli/jobs/run_plan.h"
#include "cli/settings/redact.h"
#include "drivers/endpoints.h"
#include "own/rehearse.h"
#include "report/own_scripts.h"
#include "report/words/plain.h"

#include <stdlib.h>
#include <string.h>

struct rehearsed {
  struct run_plan plan;
  struct endpoints endpoints;
  struct raw_run run;
  struct raw_rehearsed *places;
};

static enum own_tier tier_of_place(const struct rehearsed *r, uint32_t place) {
  const struct raw_rehearsed *at = &r->places[place];
  const struct raw_place *is = &r->plan.own->places[place];
  return at->whole || is->only_inserts      ? OWN_IN_FULL
         : is->changes_rows || at->way.adds ? OWN_BY_ROWS
                                            : OWN_NOT_JUDGED;
}

// NULL: the statement is judged in full, or its tier is not known.
static const char *why_not_more(const struct rehearsed *r, uint32_t place) {
  const struct raw_rehearsed *at = &r->places[place];
  switch (tier_of_place(r, place)) {
  case OWN_IN_FULL:
    return NULL;
  case OWN_BY_ROWS:
    return at->why_rows;
  case OWN_NOT_JUDGED:
  case OWN_NOT_EXECUTED:
    break;
  }
  return at->way.why;
}

static bool is_tier_known(const struct rehearsed *r, uint32_t place) {
  return r->places[place].reached && !r->places[place].refused;
}

static const char *title_of_place(const struct rehearsed *r, uint32_t place) {
  return r->places[place].refused    ? "refused"
         : !r->places[place].reached ? "not reached"
                                     : own_tier_words(tier_of_place(r, place));
}

// ---- Text

enum { PLACE_COLUMN = 24, TIER_COLUMN = 13 };

static void put_place(const struct rehearsed *r, uint32_t place) {
  const struct raw_place *is = &r->plan.own->places[place];
  const unsigned at = PLACE_COLUMN + TIER_COLUMN;
  const char *why = is_tier_known(r, place) ? why_not_more(r, place) : NULL;
  const size_t room = PLAIN_WIDTH - at;
  char *text = xasprintf("%.*s%s", (int)room - 3, is->text,
                         strlen(is->text) > room - 3 ? "..." : "");
  printf("%-*s %-*s", PLACE_COLUMN - 1, is->at, TIER_COLUMN,
         title_of_place(r, place));
  put_clean(stdout, text);
  putchar('\n');
  if (why) {
    printf("%*s", (int)at, "");
    plain_put_outside(stdout, why, at, at);
  }
  free(text);
}

static void count_tiers(const struct rehearsed *r, uint32_t count[3]) {
  memset(count, 0, 3 * sizeof *count);
  for (uint32_t i = 0; i < r->plan.own->nplaces; i++)
    if (is_tier_known(r, i))
      count[tier_of_place(r, i)]++;
}

static void put_rehearsal(const struct rehearsed *r) {
  uint32_t count[3];
  const uint32_t n = r->plan.own->nplaces;
  for (uint32_t i = 0; i < n; i++)
    put_place(r, i);
  count_tiers(r, count);
  printf("\nOf %u statement%s %u will be judged in full, %u by rows and %u "
         "not.\nEach script was played and rolled back.\n",
         n, n == 1 ? "" : "s", count[OWN_IN_FULL], count[OWN_BY_ROWS],
         count[OWN_NOT_JUDGED]);
}

// ---- JSON

static void put_rehearsal_json(const struct rehearsed *r) {
  struct json json;
  json_begin(&json, stdout);
  json_put_object(&json, NULL);
  json_put_string(&json, "command", "rehearse");
  json_put_array(&json, "statements");
  for (uint32_t i = 0; i < r->plan.own->nplaces; i++) {
    const struct raw_place *is = &r->plan.own->places[i];
    json_put_object(&json, NULL);
    json_put_string(&json, "place", is->at);
    json_put_string(&json, "text", is->text);
    json_put_bool(&json, "reached", r->places[i].reached);
    json_put_string(&json, "tier",
                    is_tier_known(r, i) ? own_tier_words(tier_of_place(r, i))
                                        : NULL);
    json_put_string(&json, "why",
                    is_tier_known(r, i) ? why_not_more(r, i) : NULL);
    json_put_string(&json, "refused", r->places[i].refused);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_close(&json, '}');
  json_end(&json);
}

// ---- All of it

// A mistake of the scripts is one of usage.
static enum status complain_of_refusals(const struct rehearsed *r) {
  enum status status = STATUS_KEPT;
  for (uint32_t i = 0; i < r->plan.own->nplaces; i++) {
    struct error error;
    if (!r->places[i].refused)
      continue;
    error_set_usage(&error, "%s: the database refused it while rehearsing: %s",
                    r->plan.own->places[i].at, r->places[i].refused);
    status = complain_of(&error);
  }
  return status;
}

static int open_rehearsal(struct rehearsed *r, struct error *error) {
  struct settings *settings = &r->plan.settings;
  if (run_plan_load(&r->plan, error))
    return -1;
  if (run_plan_make(&r->plan, error)) {
    error->usage = true;
    return -1;
  }
  if (!r->plan.own)
    return error_set_usage(
        error, "only scripts of your own SQL are rehearsed: -w FILE,... with "
               "--schema=FILE, on a database that runs them as they are");
  return endpoints_open(settings->target, r->plan.loaded, NULL, 1,
                        settings->seed, &r->endpoints, error);
}

static int perform_rehearsal(struct rehearsed *r, struct error *error) {
  const struct instrument *instrument = r->plan.driver->instrument;
  struct target *target = r->endpoints.targets[0];
  raw_run_init(&r->run, r->plan.own, instrument, 1);
  r->places = xcalloc((size_t)r->plan.own->nplaces + 1, sizeof *r->places);
  return instrument->setup(target, r->plan.own->schema_path,
                           r->plan.own->schema, &r->run.tables, error) ||
                 raw_rehearse(&r->run, target, r->plan.level,
                              &r->plan.workload_options, r->places, error)
             ? -1
             : 0;
}

static void end_rehearsal(struct rehearsed *r) {
  if (r->places)
    raw_rehearsed_free(r->places, r->plan.own->nplaces);
  raw_run_free(&r->run);
  endpoints_close(&r->endpoints);
  run_plan_free(&r->plan);
}

enum status rehearse_scripts(const struct settings *settings) {
  struct rehearsed r = {.plan = {.settings = *settings}};
  struct error error = {0};
  enum status status;
  if (open_rehearsal(&r, &error) || perform_rehearsal(&r, &error)) {
    if (r.plan.settings.target)
      redact_text(r.plan.settings.target, error.text, sizeof error.text);
    status = complain_of(&error);
  } else {
    if (settings->output == OUTPUT_JSON)
      put_rehearsal_json(&r);
    else
      put_rehearsal(&r);
    fflush(stdout);
    status = complain_of_refusals(&r);
  }
  end_rehearsal(&r);
  return status;
}

enum status rehearse_quietly(const struct settings *settings, bool complains) {
  struct rehearsed r = {.plan = {.settings = *settings}};
  struct error error = {0};
  enum status status = STATUS_KEPT;
  r.plan.settings.rehearse = true;
  if (open_rehearsal(&r, &error) || perform_rehearsal(&r, &error)) {
    if (r.plan.settings.target)
      redact_text(r.plan.settings.target, error.text, sizeof error.text);
    status = complains ? complain_of(&error) : status_of_error(&error);
  } else if (complains) {
    status = complain_of_refusals(&r);
  } else {
    for (uint32_t i = 0; i < r.plan.own->nplaces; i++)
      status = r.places[i].refused ? STATUS_USAGE : status;
  }
  end_rehearsal(&r);
  return status;
}
