// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts the verdicts of runs (report/badge.h).
#include "config.h"

#include "report/badge.h"

#include "base/isolation.h"
#include "report/keys.h"
#include "report/words.h"

#include <string.h>

const struct badge_words badge_words[BADGES] = {
    [BADGE_FORBIDDEN] = {"bad", "Broken promise"},
    [BADGE_ALLOWED] = {"warn", "Seen, and allowed at this level"},
    [BADGE_SERVERS] = {"warn", "Seen across servers"},
    [BADGE_UNDOCUMENTED] = {"open", "Seen; not documented"},
    [BADGE_BROKEN] = {"bad", "Level broken"},
    [BADGE_POSSIBLE] = {"warn", "This can happen"},
    [BADGE_UNDECIDED] = {"open", "Undecided"},
    [BADGE_UNCHECKED] = {"open", "Not checked"},
    [BADGE_NOTHING_DONE] = {"open", "Nothing was committed"},
    [BADGE_KEPT] = {"good", "Kept in this run"},
};

static enum badge badge_of_violation(const struct stored *s) {
  const struct json_value *run = json_member(s->document, KEY(run));
  const struct example *e = s->examples;
  enum isolation claimed;
  if (!run)
    return BADGE_BROKEN;
  if (!s->nexamples || e->level == ISOLATION_NONE ||
      !words_of_target(json_text(run, KEY(target), "")) ||
      json_text(run, KEY(level_in_effect), NULL) ||
      !isolation_parse(json_text(run, KEY(claimed), ""), &claimed))
    return BADGE_UNDOCUMENTED;
  if (claimed < e->weakest || json_is_true(stored_broken(s), KEY(real_time)))
    return BADGE_ALLOWED;
  return json_first(run, KEY(endpoints)) ? BADGE_SERVERS : BADGE_FORBIDDEN;
}

// Hosts stand between commas: postgresql://a,b/x.
static bool names_several(const char *target) {
  const char *hosts = strstr(target, "://");
  return hosts && memchr(hosts, ',', strcspn(hosts + 3, "/?") + 3);
}

enum badge badge_of_anomaly(const char *target, enum isolation claimed,
                            enum anomaly anomaly) {
  if (!words_of_target(target) || anomaly == ANOMALY_NONE)
    return BADGE_UNDOCUMENTED;
  if (claimed < anomaly_weakest(anomaly))
    return BADGE_ALLOWED;
  return names_several(target) ? BADGE_SERVERS : BADGE_FORBIDDEN;
}

// A program can have the history: a database that was tried is in the
// wrong only where its level rules out what was seen.
static enum badge badge_of_explored(const struct stored *s,
                                    const struct json_value *explored) {
  enum isolation claimed;
  if (!json_whole(explored, KEY(seen), 0) || !s->nexamples ||
      !isolation_parse(json_text(explored, KEY(claimed), ""), &claimed))
    return BADGE_POSSIBLE;
  const enum badge badge =
      badge_of_anomaly(json_text(explored, KEY(target), ""), claimed,
                       words_anomaly(s->examples->anomaly));
  return badge == BADGE_ALLOWED || badge == BADGE_UNDOCUMENTED ? BADGE_POSSIBLE
                                                               : badge;
}

enum badge badge_of(const struct stored *s) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const struct json_value *history = json_member(s->document, KEY(history));
  const struct json_value *explored = json_member(s->document, KEY(explored));
  const char *word = json_text(verdict, KEY(verdict), "");
  if (!verdict)
    return BADGE_UNCHECKED;
  if (strcmp(word, "violation") && strcmp(word, "pass"))
    return BADGE_UNDECIDED;
  if (explored)
    return badge_of_explored(s, explored);
  if (!strcmp(word, "violation"))
    return badge_of_violation(s);
  return json_whole(history, KEY(committed), 0) ? BADGE_KEPT
                                                : BADGE_NOTHING_DONE;
}
