// SPDX-License-Identifier: GPL-3.0-or-later
// Own scripts and serializability (report/own_scripts.h).
#include "config.h"

#include "report/own_scripts.h"

#include "base/anomaly_names.h"
#include "base/utf8.h"
#include "checker/verdict/lead.h"
#include "report/keys.h"
#include "report/page.h"
#include "report/text.h"

// Anomalies in the order of what they do to data.
static void put_found(FILE *out, const struct verdict *v) {
  const char *before = ": ";
  for (unsigned harm = 0; harm < ANOMALY_HARMS; harm++)
    for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
      if (!v->found[a] || anomaly_harm((enum anomaly)a) != harm)
        continue;
      fprintf(out, "%s%s ", before,
              anomaly_plain(anomaly_info((enum anomaly)a)->name));
      page_grouped(out, v->found[a]);
      fputs(v->found[a] == 1 ? " time" : " times", out);
      before = ", ";
    }
}

static void put_broken(FILE *out, const struct own_scripts *s,
                       const char *level) {
  fputs(" But these scripts are <b>not serializable</b> at ", out);
  page_put_level_name(out, level);
  put_found(out, s->serializable);
  fputs(s->serializable->found_more ? ", and perhaps more. " : ". ", out);
  if (s->ruled_out_from)
    page_put_level_name(out, s->ruled_out_from);
  else
    fputs("No level", out);
  fputs(" rules that out.", out);
}

void own_scripts_put(FILE *out, const struct own_scripts *s,
                     const char *level) {
  switch (s->serializable->kind) {
  case VERDICT_VIOLATION:
    put_broken(out, s, level);
    break;
  case VERDICT_PASS:
    fputs(" The scripts ran as if one after another, too: serializability was "
          "kept.",
          out);
    break;
  case VERDICT_UNDECIDED:
    fputs(" Whether the scripts were serializable was not decided: ", out);
    put_markup(out, s->serializable->why);
    fputs(".", out);
    break;
  }
}

void own_scripts_put_json(struct json *json, const struct own_scripts *s) {
  json_put_object(json, KEY(own_scripts));
  json_put_string(json, KEY(serializable),
                  report_verdict_word(s->serializable));
  json_put_string(json, KEY(ruled_out_from), s->ruled_out_from);
  json_close(json, '}');
}
