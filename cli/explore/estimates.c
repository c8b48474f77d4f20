// SPDX-License-Identifier: GPL-3.0-or-later
// Tells how many histories there are before they are explored
// (cli/explore/exploring.h).
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/json.h"
#include "explore/estimate.h"

#include <stdio.h>

static void put_estimate_text(const char *level,
                              const struct estimate *estimate) {
  printf("%-16s", level);
  if (estimate->stopped)
    puts("     UNDECIDED: stopped");
  else if (estimate->exact)
    printf("%12.0f   counted\n", estimate->histories);
  else
    printf("%12.4g   95 %% interval %.4g to %.4g\n", estimate->histories,
           estimate->low, estimate->high);
}

static void put_estimate_json(struct json *json, enum level level,
                              const struct estimate *estimate) {
  json_put_object(json, NULL);
  json_put_string(json, "level", level_name(level));
  json_put_bool(json, "complete", !estimate->stopped);
  if (!estimate->stopped) {
    json_put_real(json, "histories", estimate->histories);
    json_put_real(json, "low", estimate->low);
    json_put_real(json, "high", estimate->high);
    json_put_bool(json, "exact", estimate->exact);
  }
  json_close(json, '}');
}

static enum status put_all_estimates(const struct exploration *e,
                                     struct json *json) {
  struct explore_options options = e->options;
  struct estimate estimate;
  struct error error;
  enum status status = STATUS_KEPT;
  for (uint32_t i = 0; i < e->nlevels; i++) {
    options.level = e->levels[i];
    if (estimate_histories(e->program, &options, e->settings->seed, &estimate,
                           &error))
      return complain_of(&error);
    if (estimate.stopped)
      status = STATUS_UNDECIDED;
    if (json)
      put_estimate_json(json, e->levels[i], &estimate);
    else
      put_estimate_text(level_told(e, e->levels[i]), &estimate);
  }
  return status;
}

enum status estimates_put(const struct exploration *e) {
  struct json json;
  const struct program *p = e->program;
  if (e->settings->output == OUTPUT_TEXT) {
    printf("program      %s%s%s\nlevel           about so many histories\n",
           p->path, *p->member ? " " : "", p->member);
    return put_all_estimates(e, NULL);
  }
  json_begin(&json, stdout);
  json_put_object(&json, NULL);
  json_put_string(&json, "schema", EXPLORE_SCHEMA);
  json_put_string(&json, "command", "explore");
  json_put_string(&json, "program", p->path);
  json_put_string(&json, "member", p->member);
  json_put_array(&json, "estimates");
  const enum status status = put_all_estimates(e, &json);
  json_close(&json, ']');
  json_close(&json, '}');
  json_end(&json);
  return status;
}
