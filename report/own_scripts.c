// SPDX-License-Identifier: GPL-3.0-or-later
// Own scripts and serializability (report/own_scripts.h).
#include "config.h"

#include "report/own_scripts.h"

#include "base/anomaly_names.h"
#include "base/utf8.h"
#include "checker/verdict/lead.h"
#include "report/report.h"
#include "report/words/found.h"
#include "report/words/keys.h"
#include "report/words/naming.h"
#include "report/words/quantity.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// Anomalies in the order of what they do to data.
static void put_found_in_scripts(FILE *out, const struct verdict *v) {
  const char *before = ": ";
  for (unsigned harm = 0; harm < ANOMALY_HARMS; harm++)
    for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
      if (!v->found[a] || anomaly_harm((enum anomaly)a) != harm)
        continue;
      fprintf(out, "%s%s ", before,
              anomaly_plain(anomaly_info((enum anomaly)a)->name));
      found_put(out, anomaly_info((enum anomaly)a)->name, v->found[a], false);
      before = ", ";
    }
}

static void put_broken_scripts(FILE *out, const struct own_scripts *s,
                               const char *level) {
  fputs(" But these scripts are \bnot serializable\b at ", out);
  naming_put_level(out, level);
  put_found_in_scripts(out, s->serializable);
  fputs(s->serializable->found_more ? ", and perhaps more. " : ". ", out);
  if (s->ruled_out_from)
    naming_put_level(out, s->ruled_out_from);
  else
    fputs("No level", out);
  fputs(" rules that out.", out);
}

// Nothing is known to be missing where no statement is listed.
static bool own_scripts_are_in_full(const struct own_scripts *s) {
  bool full = true;
  for (uint32_t i = 0; i < s->nstatements; i++)
    full &= s->statements[i].tier == OWN_IN_FULL;
  return full;
}

void own_scripts_put(FILE *out, const struct own_scripts *s,
                     const char *level) {
  switch (s->serializable->kind) {
  case VERDICT_VIOLATION:
    put_broken_scripts(out, s, level);
    break;
  case VERDICT_PASS:
    fputs(own_scripts_are_in_full(s)
              ? " The scripts ran as if one after another, too: "
                "serializability was kept."
              : " The scripts ran as if one after another, too, as far as the "
                "rows tell that they read and changed; rows that a statement "
                "did not find are not judged.",
          out);
    break;
  case VERDICT_UNDECIDED:
    fputs(" Whether the scripts were serializable was not decided: ", out);
    put_clean(out, s->serializable->why);
    fputs(".", out);
    break;
  }
}

static void put_findings_json(struct json *json,
                              const struct own_statement *statement) {
  json_put_array(json, KEY(findings));
  for (uint32_t i = 0; i < statement->nfindings; i++) {
    const struct own_finding *f = &statement->findings[i];
    json_put_object(json, NULL);
    json_put_string(json, KEY(anomaly), anomaly_info(f->anomaly)->name);
    json_put_unsigned(json, KEY(found), f->found);
    json_put_string(json, KEY(ruled_out_from), f->ruled_out_from);
    json_close(json, '}');
  }
  json_close(json, ']');
}

const char *own_tier_words(enum own_tier tier) {
  static const char *const words[] = {[OWN_IN_FULL] = "in full",
                                      [OWN_BY_ROWS] = "by rows",
                                      [OWN_NOT_JUDGED] = "not judged",
                                      [OWN_NOT_EXECUTED] = "never executed"};
  return words[tier];
}

static void put_statements_json(struct json *json,
                                const struct own_scripts *s) {
  json_put_array(json, KEY(statements));
  for (uint32_t i = 0; i < s->nstatements; i++) {
    const struct own_statement *statement = &s->statements[i];
    json_put_object(json, NULL);
    json_put_string(json, KEY(place), statement->place);
    json_put_string(json, KEY(text), statement->text);
    json_put_string(json, KEY(tier), own_tier_words(statement->tier));
    json_put_string(json, KEY(judged), statement->judged);
    json_put_unsigned(json, KEY(executed), statement->executed);
    put_findings_json(json, statement);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_changes_json(struct json *json, const struct own_scripts *s) {
  json_put_array(json, KEY(changes));
  for (uint32_t i = 0; i < s->nchanges; i++) {
    json_put_object(json, NULL);
    json_put_string(json, KEY(place), s->changes[i].place);
    json_put_string(json, KEY(text), s->changes[i].text);
    json_close(json, '}');
  }
  json_close(json, ']');
}

void own_scripts_put_json(struct json *json, const struct own_scripts *s) {
  assert(s->serializable);
  json_put_object(json, KEY(own_scripts));
  json_put_string(json, KEY(serializable),
                  report_verdict_word(s->serializable));
  json_put_string(json, KEY(ruled_out_from), s->ruled_out_from);
  json_put_string(json, KEY(headline), s->headline);
  json_put_string(json, KEY(helps), s->helps);
  put_statements_json(json, s);
  put_changes_json(json, s);
  json_close(json, '}');
}

// ---- In a terminal

void own_scripts_put_case(FILE *out, const struct own_scripts *s) {
  if (!s->headline)
    return;
  put_clean(out, s->headline);
  fputs(".", out);
}

// "lost update in 113 writes".
static void put_finding_of_scripts(FILE *out, const struct own_finding *f) {
  put_clean(out, anomaly_plain(anomaly_info(f->anomaly)->name));
  if (f->found) {
    putc(' ', out);
    found_put(out, anomaly_info(f->anomaly)->name, f->found, false);
  }
}

static bool is_same_level(const struct own_finding *one,
                          const struct own_finding *other) {
  return one->ruled_out_from == other->ruled_out_from ||
         (one->ruled_out_from && other->ruled_out_from &&
          !strcmp(one->ruled_out_from, other->ruled_out_from));
}

// ", none from REPEATABLE READ on", behind all that the level rules out.
static void put_level_of_findings(FILE *out, const struct own_finding *f) {
  fputs(f->ruled_out_from ? ", none from " : ", at every level", out);
  if (f->ruled_out_from) {
    naming_put_level(out, f->ruled_out_from);
    fputs(" on", out);
  }
}

static void put_findings_of_statement(FILE *out,
                                      const struct own_statement *s) {
  for (uint32_t i = 0; i < s->nfindings; i++) {
    const struct own_finding *f = &s->findings[i];
    put_finding_of_scripts(out, f);
    if (i + 1 < s->nfindings && is_same_level(f, f + 1)) {
      fputs(", ", out);
      continue;
    }
    put_level_of_findings(out, f);
    fputs(i + 1 < s->nfindings ? "; " : "", out);
  }
}

void own_scripts_put_findings(FILE *out, const struct own_scripts *s) {
  const char *before = "";
  for (uint32_t i = 0; i < s->nstatements; i++) {
    if (!s->statements[i].nfindings)
      continue;
    fprintf(out, "%s\f", before);
    put_clean(out, s->statements[i].place);
    fputs("\f: ", out);
    put_findings_of_statement(out, &s->statements[i]);
    before = "; ";
  }
}

static uint32_t count_of_tier(const struct own_scripts *s, enum own_tier tier) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->nstatements; i++)
    n += s->statements[i].tier == tier;
  return n;
}

// ": shop.sql:9 (DISTINCT), shop.sql:12 (UNION)".
static void put_places_of_tier(FILE *out, const struct own_scripts *s,
                               enum own_tier tier) {
  const char *before = ": ";
  for (uint32_t i = 0; i < s->nstatements; i++) {
    if (s->statements[i].tier != tier)
      continue;
    fputs(before, out);
    put_clean(out, s->statements[i].place);
    if (tier == OWN_NOT_JUDGED) {
      fputs(" (", out);
      put_clean(out, s->statements[i].judged);
      fputs(")", out);
    }
    before = ", ";
  }
}

// "14 of 15 statements by rows, 1 not judged: shop.sql:9 (DISTINCT)".
void own_scripts_put_judged(FILE *out, const struct own_scripts *s) {
  const char *before = "";
  for (int tier = OWN_IN_FULL; tier <= OWN_NOT_EXECUTED; tier++) {
    const uint32_t n = count_of_tier(s, (enum own_tier)tier);
    if (!n)
      continue;
    fprintf(out, "%s%" PRIu32, before, n);
    if (!*before)
      fprintf(out, " of %" PRIu32 " statement%s", s->nstatements,
              s->nstatements == 1 ? "" : "s");
    fprintf(out, " %s", own_tier_words((enum own_tier)tier));
    if (tier >= OWN_NOT_JUDGED)
      put_places_of_tier(out, s, (enum own_tier)tier);
    before = tier == OWN_NOT_JUDGED ? "; " : ", ";
  }
}

void own_scripts_put_changes(FILE *out, const struct own_scripts *s) {
  for (uint32_t i = 0; i < s->nchanges; i++) {
    fputs(i ? " In \f" : "In \f", out);
    put_clean(out, s->changes[i].place);
    fputs("\f: \f", out);
    put_clean(out, s->changes[i].text);
    fputs("\f", out);
  }
}
