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
    return json_member(s->document, KEY(explored)) ? BADGE_POSSIBLE
                                                   : BADGE_BROKEN;
  if (!s->nexamples || e->level == ISOLATION_NONE ||
      !words_of_target(json_text(run, KEY(target), "")) ||
      json_text(run, KEY(level_in_effect), NULL) ||
      !isolation_parse(json_text(run, KEY(claimed), ""), &claimed))
    return BADGE_UNDOCUMENTED;
  if (claimed < e->weakest || json_is_true(stored_broken(s), KEY(real_time)))
    return BADGE_ALLOWED;
  return json_first(run, KEY(endpoints)) ? BADGE_SERVERS : BADGE_FORBIDDEN;
}

enum badge badge_of(const struct stored *s) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const struct json_value *history = json_member(s->document, KEY(history));
  const char *word = json_text(verdict, KEY(verdict), "");
  if (!verdict)
    return BADGE_UNCHECKED;
  if (!strcmp(word, "violation"))
    return badge_of_violation(s);
  if (strcmp(word, "pass") != 0)
    return BADGE_UNDECIDED;
  return json_whole(history, KEY(committed), 0) ? BADGE_KEPT
                                                : BADGE_NOTHING_DONE;
}
