// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the figures of a replay (report/replayed.h).
#include "config.h"

#include "report/replayed.h"

#include "base/json.h"
#include "report/words/keys.h"

#include <assert.h>

void replayed_put_json(FILE *out, const struct replayed *r) {
  struct json json;
  assert(r->same <= r->performed && r->other <= r->performed - r->same);
  json_begin(&json, out);
  json_put_object(&json, NULL);
  json_put_string(&json, KEY(schema), "isostress-replay/1");
  json_put_string(&json, KEY(anomaly), r->anomaly);
  json_put_string(&json, KEY(target), r->target);
  json_put_string(&json, KEY(server), r->server);
  json_put_string(&json, KEY(level), r->level);
  json_put_unsigned(&json, KEY(performed), r->performed);
  json_put_unsigned(&json, KEY(same), r->same);
  json_put_unsigned(&json, KEY(other), r->other);
  json_put_unsigned(&json, KEY(aborted), r->aborted);
  json_put_unsigned(&json, KEY(blocked), r->blocked);
  json_close(&json, '}');
  json_end(&json);
}
