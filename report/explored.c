// SPDX-License-Identifier: GPL-3.0-or-later
// An exploration as JSON (report/explored.h).
#include "config.h"

#include "report/explored.h"

#include "report/words/keys.h"

#include <assert.h>

static void put_level_json(struct json *json, const struct explored *e,
                           const struct explored_level *level) {
  json_put_object(json, NULL);
  json_put_string(json, KEY(level), level->level);
  json_put_bool(json, KEY(complete), level->whole);
  json_put_unsigned(json, KEY(histories), level->histories);
  json_put_unsigned(json, KEY(failing), level->failing);
  if (e->counts_outcomes) {
    json_put_unsigned(json, KEY(outcomes), level->outcomes);
    json_put_unsigned(json, KEY(not_serializable), level->not_serializable);
  }
  json_close(json, '}');
}

static void put_failure_json(struct json *json, const struct explored *e) {
  json_put_object(json, KEY(failure));
  json_put_string(json, KEY(level), e->level);
  json_put_string(json, KEY(kind), e->kind);
  json_put_string(json, KEY(text), e->failure);
  json_put_unsigned(json, KEY(line), e->line);
  json_close(json, '}');
}

static void put_repairs_json(struct json *json, const struct explored *e) {
  if (!e->repairs)
    return;
  json_put_array(json, KEY(repairs));
  for (uint32_t i = 0; i < e->nrepairs; i++)
    json_put_string(json, NULL, e->repairs[i]);
  json_close(json, ']');
}

void explored_put_json(struct json *json, const struct explored *e) {
  assert(e->nlevels <= EXPLORED_LEVELS);
  json_put_object(json, KEY(explored));
  json_put_string(json, KEY(program), e->program);
  json_put_array(json, KEY(levels));
  for (uint32_t i = 0; i < e->nlevels; i++)
    put_level_json(json, e, &e->levels[i]);
  json_close(json, ']');
  put_failure_json(json, e);
  json_put_string(json, KEY(story), e->story);
  put_repairs_json(json, e);
  if (e->database) {
    json_put_string(json, KEY(database), e->database);
    json_put_string(json, KEY(target), e->target);
    json_put_string(json, KEY(level_in_effect), e->level_in_effect);
    json_put_string(json, KEY(claimed), isolation_name(e->claimed));
    json_put_unsigned(json, KEY(performed), e->performed);
    json_put_unsigned(json, KEY(seen), e->seen);
  }
  json_put_string(json, KEY(random_load), e->random_load);
  json_close(json, '}');
}
