// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts the verdicts of runs (report/badge.h).
#include "config.h"

#include "report/badge.h"

#include "base/isolation.h"
#include "report/words/advice.h"
#include "report/words/keys.h"
#include "report/words/words.h"

#include <string.h>

const struct badge_words badge_words[BADGES] = {
    [BADGE_FORBIDDEN] = {"bad", "Broken promise"},
    [BADGE_ALLOWED] = {"warn", "Seen, and allowed at this level"},
    [BADGE_SERVERS] = {"warn", "Seen, and allowed across servers"},
    [BADGE_UNDOCUMENTED] = {"open", "Seen; not documented"},
    [BADGE_BROKEN] = {"bad", "Level broken"},
    [BADGE_POSSIBLE] = {"warn", "This can happen"},
    [BADGE_UNDECIDED] = {"open", "Undecided"},
    [BADGE_UNCHECKED] = {"open", "Not checked"},
    [BADGE_NOTHING_DONE] = {"open", "Nothing was committed"},
    [BADGE_BESIDE] = {"bad", "Broken promise of the workload"},
    [BADGE_INCOMPLETE] = {"open", "Kept in what was recorded"},
    [BADGE_UNMET] = {"warn", "Kept, but a requirement is not met"},
    [BADGE_KEPT] = {"good", "Kept in this run"},
};

// Hosts stand between commas: postgresql://a,b/x.
bool badge_names_several(const char *target) {
  const char *hosts = strstr(target, "://");
  return hosts && memchr(hosts, ',', strcspn(hosts + 3, "/?") + 3);
}

struct promised_level badge_level(const struct json_value *run) {
  struct promised_level level = {.target = json_text(run, KEY(target), ""),
                                 .server = json_text(run, KEY(server), ""),
                                 .level = json_text(run, KEY(level), ""),
                                 .several = json_first(run, KEY(endpoints))};
  if (!isolation_parse(json_text(run, KEY(claimed), ""), &level.claimed))
    level.claimed = ISOLATION_NONE;
  return level;
}

// The counterexample may break a weaker level than its name says, or be sure
// for a stronger one only.
static bool rules_out(const struct promised_level *level,
                      const struct example *e) {
  const enum anomaly anomaly = words_anomaly(e->anomaly);
  return level->claimed >= e->weakest ||
         (e->weakest <= anomaly_weakest(anomaly) &&
          promise_forbids(level, anomaly));
}

// An anomaly without a name may come of several servers.
static bool blames_servers(const struct promised_level *level,
                           enum anomaly anomaly) {
  return level->several &&
         (anomaly == ANOMALY_NONE || advice_blames_servers(level, anomaly));
}

static enum isolation lowest_level(const struct example *e) {
  enum isolation lowest = e->ntxns ? ISOLATION_SSER : ISOLATION_NONE;
  for (uint32_t i = 0; i < e->ntxns; i++) {
    enum isolation level = ISOLATION_NONE;
    if (!e->txns[i].level || !isolation_parse(e->txns[i].level, &level))
      level = ISOLATION_NONE;
    lowest = level < lowest ? level : lowest;
  }
  return lowest;
}

// Transactions at levels of their own: what breaks the lowest of these
// where all have it breaks a promise to each.  What breaks serializability
// alone has a transaction that is not promised it: those that are may be
// serializable among each other.
static enum badge badge_of_mixed(const struct promised_level *level,
                                 const struct example *e) {
  if (e->weakest <= lowest_level(e))
    return level->several ? BADGE_SERVERS : BADGE_FORBIDDEN;
  return e->weakest > ISOLATION_SI && promise_among_serializable(level)
             ? BADGE_ALLOWED
             : BADGE_UNDOCUMENTED;
}

enum badge badge_of_example(const struct promised_level *level,
                            const struct example *e, bool real_time) {
  if (!driver_words_of_target(level->target))
    return BADGE_UNDOCUMENTED;
  if (e->level == ISOLATION_NONE)
    return real_time ? BADGE_UNDOCUMENTED : badge_of_mixed(level, e);
  if (!rules_out(level, e) || real_time)
    return BADGE_ALLOWED;
  return blames_servers(level, words_anomaly(e->anomaly)) ? BADGE_SERVERS
                                                          : BADGE_FORBIDDEN;
}

static enum badge badge_of_violation(const struct stored *s) {
  const struct json_value *run = json_member(s->document, KEY(run));
  const struct example *e = s->examples;
  if (!run)
    return BADGE_BROKEN;
  const struct promised_level level = badge_level(run);
  if (!s->nexamples || json_text(run, KEY(level_in_effect), NULL))
    return BADGE_UNDOCUMENTED;
  return badge_of_example(&level, e,
                          json_is_true(stored_broken(s), KEY(real_time)));
}

enum badge badge_of_anomaly(const struct promised_level *level,
                            enum anomaly anomaly) {
  static const enum badge badges[] = {[PROMISE_UNKNOWN] = BADGE_UNDOCUMENTED,
                                      [PROMISE_ALLOWED] = BADGE_ALLOWED,
                                      [PROMISE_FORBIDDEN] = BADGE_FORBIDDEN};
  const enum badge badge = badges[promise_of(level, anomaly)];
  return badge == BADGE_FORBIDDEN && blames_servers(level, anomaly)
             ? BADGE_SERVERS
             : badge;
}

// A program can have the history: a database that was tried is in the
// wrong only where its level rules out what was seen.
static enum badge badge_of_explored(const struct stored *s,
                                    const struct json_value *explored) {
  struct promised_level level = {
      .target = json_text(explored, KEY(target), ""),
      .server = json_text(explored, KEY(database), ""),
      .level = json_text(explored, KEY(level_in_effect), ""),
      .several = badge_names_several(json_text(explored, KEY(target), ""))};
  if (!json_whole(explored, KEY(seen), 0) || !s->nexamples ||
      !isolation_parse(json_text(explored, KEY(claimed), ""), &level.claimed))
    return BADGE_POSSIBLE;
  const enum badge badge =
      badge_of_anomaly(&level, words_anomaly(s->examples->anomaly));
  return badge == BADGE_ALLOWED || badge == BADGE_UNDOCUMENTED ? BADGE_POSSIBLE
                                                               : badge;
}

enum badge badge_of_verdict(const struct stored *s) {
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
  if (!strcmp(word, "violation") ||
      (json_member(s->document, KEY(own_scripts)) &&
       json_member(s->document, KEY(beyond))))
    return badge_of_violation(s);
  return json_whole(history, KEY(committed), 0) ? BADGE_KEPT
                                                : BADGE_NOTHING_DONE;
}

bool badge_is_unmet(const struct json_value *run) {
  const struct json_value *r = json_first(run, KEY(requirements));
  while (r && json_is_true(r, KEY(met)))
    r = r->next;
  return r != NULL;
}

enum badge badge_of(const struct stored *s) {
  const enum badge badge = badge_of_verdict(s);
  const struct json_value *run = json_member(s->document, KEY(run));
  const struct json_value *shortfall = json_member(run, KEY(shortfall));
  const char *kind = json_text(shortfall, KEY(kind), "");
  if (badge >= BADGE_UNDECIDED &&
      (!strcmp(kind, "invariant") || !strcmp(kind, "model") ||
       !strcmp(kind, "durability")))
    return BADGE_BESIDE;
  if (badge != BADGE_KEPT)
    return badge;
  return shortfall             ? BADGE_INCOMPLETE
         : badge_is_unmet(run) ? BADGE_UNMET
                               : BADGE_KEPT;
}
