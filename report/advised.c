// SPDX-License-Identifier: GPL-3.0-or-later
// Advice in words and as JSON (report/advised.h).
#include "config.h"

#include "report/advised.h"

#include "base/anomaly_names.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/words/naming.h"
#include "report/words/quantity.h"

#include <inttypes.h>

const char *advised_open(const struct advised_trial *trial) {
  return !trial->tried || trial->decided ? NULL
         : trial->trouble                ? trial->trouble
                                         : trial->open;
}

bool advised_is_kept(const struct advised_trial *trial) {
  return trial->decided && trial->serializable && !trial->trouble &&
         trial->committed && (!trial->asked || trial->invariant);
}

bool advised_is_safe(const struct advised_trial *trial) {
  return advised_is_kept(trial) && trial->explored.answer != EXPLORED_BREAKS;
}

bool advised_is_explored(const struct advised *a) {
  bool any = false;
  for (uint32_t i = 0; i < a->nlevels; i++)
    any |= a->levels[i].explored.answer != EXPLORED_NOT;
  return any;
}

const char *advised_explored_word(const struct advised_trial *trial) {
  static const char *const words[] = {[EXPLORED_NOT] = "",
                                      [EXPLORED_KEPT] = "kept",
                                      [EXPLORED_BREAKS] = "breaks",
                                      [EXPLORED_OPEN] = "none found"};
  return words[trial->explored.answer];
}

char *advised_difference(const struct advised *a,
                         const struct advised_trial *trial) {
  const struct advised_exploration *e = &trial->explored;
  char *text;
  size_t bytes;
  if (!(advised_is_kept(trial) && e->answer == EXPLORED_BREAKS) &&
      !(trial->decided && !trial->serializable && e->answer == EXPLORED_KEPT))
    return NULL;
  FILE *out = text_stream(&text, &bytes);
  naming_put_level(out, trial->level);
  if (e->answer == EXPLORED_BREAKS) {
    fputs(" kept all in its run, but allows an order of statements that is not "
          "serializable, as explore shows: ",
          out);
    put_clean(out, e->broken);
    fprintf(out,
            ". The run did not meet it. isostress explore --schema %s "
            "with these scripts and the target tells the order and tries "
            "it on the database",
            a->schema);
  } else {
    fputs(" broke in its run, but explore found nothing: more sessions met, or "
          "scripts that explore does not take, or the database does not keep "
          "this level",
          out);
  }
  putc('.', out);
  fclose(out);
  return text;
}

const struct advised_trial *advised_level(const struct advised *a) {
  for (uint32_t i = a->default_level; i < a->nlevels; i++)
    if (advised_is_safe(&a->levels[i]))
      return &a->levels[i];
  return NULL;
}

double advised_refused(const struct advised_trial *trial) {
  return quantity_percent(trial->refused, trial->begun);
}

void advised_put_cell(FILE *out, const struct advised_trial *trial,
                      uint32_t script) {
  const struct advised_cell *cell = trial->cells ? &trial->cells[script] : NULL;
  if (!trial->tried)
    fputs("not tried", out);
  else if (!trial->decided || !cell)
    fputs("not decided", out);
  else if (cell->anomaly == ANOMALY_NONE)
    fputs(trial->serializable ? "kept" : "none found", out);
  else
    put_clean(out, anomaly_plain(anomaly_info(cell->anomaly)->name));
}

// ---- The advice

static uint32_t count_chosen(const struct advised *a) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->nremedies; i++)
    n += a->remedies[i].chosen;
  return n;
}

void advised_put_chosen(FILE *out, const struct advised *a) {
  const uint32_t n = count_chosen(a);
  for (uint32_t i = 0, k = 0; i < a->nremedies; i++)
    if (a->remedies[i].chosen) {
      fputs(!k ? "\f" : k + 1 == n ? " and \f" : ", \f", out);
      put_clean(out, a->remedies[i].place);
      fputs("\f", out);
      k++;
    }
}

static void put_what_does(FILE *out, const struct advised *a,
                          const struct advised_trial *level) {
  fputs(a->after ? ": change " : ": ", out);
  if (a->after)
    advised_put_chosen(out, a);
  if (level) {
    fputs(a->after ? ", or run everything at " : "run everything at ", out);
    naming_put_level(out, level->level);
  }
  fputs(a->after && level
            ? ". Each was tried, and all that was judged was kept."
            : ". That was tried, and all that was judged was kept.",
        out);
}

static bool is_serializable_and_broken(const struct advised *a) {
  for (uint32_t i = 0; i < a->nlevels; i++)
    if (a->levels[i].decided && a->levels[i].serializable &&
        a->levels[i].asked && !a->levels[i].invariant)
      return true;
  return false;
}

void advised_put_sentence(FILE *out, const struct advised *a) {
  const struct advised_trial *now = &a->levels[a->default_level];
  const struct advised_trial *level = advised_level(a);
  naming_put_level(out, now->level);
  if (advised_is_safe(now)) {
    fputs(", the default, is enough for these scripts: all was kept.", out);
    return;
  }
  fputs(advised_is_kept(now)
            ? ", the default, kept all in its run, but explore "
              "found an order that breaks it"
        : now->decided || now->answer
            ? ", the default, is not enough for these scripts"
        : now->tried ? ", the default, was not decided for these scripts"
                     : ", the default, was not tried",
        out);
  if (a->after || level)
    put_what_does(out, a, level);
  else
    fputs(is_serializable_and_broken(a)
              ? ". \bNo level helps\b: the invariant broke though the scripts "
                "ran as if one after another. Change the transaction, or the "
                "invariant."
          : a->interrupted
              ? ". A signal came before all was tried: so far no level and no "
                "change keeps all."
              : ". No level and no change that was tried keeps all.",
          out);
}

// ---- JSON

static void put_cells_json(struct json *json, const struct advised *a,
                           const struct advised_trial *trial) {
  json_put_array(json, "scripts");
  for (uint32_t i = 0; trial->cells && i < a->nscripts; i++) {
    const struct advised_cell *cell = &trial->cells[i];
    json_put_object(json, NULL);
    json_put_string(json, "script", a->scripts[i]);
    json_put_string(json, "found",
                    cell->anomaly == ANOMALY_NONE
                        ? NULL
                        : anomaly_info(cell->anomaly)->name);
    json_put_string(json, "place", cell->place);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_explored_json(struct json *json,
                              const struct advised_exploration *e) {
  static const char *const answers[] = {[EXPLORED_KEPT] = "kept",
                                        [EXPLORED_BREAKS] = "broken",
                                        [EXPLORED_OPEN] = "open"};
  if (e->answer == EXPLORED_NOT)
    return;
  json_put_object(json, "explored");
  json_put_string(json, "answer", answers[e->answer]);
  json_put_string(json, "broken", e->broken);
  json_put_unsigned(json, "groups", e->ngroups);
  json_put_unsigned(json, "open", e->open);
  json_close(json, '}');
}

static void put_unexplored_json(struct json *json, const struct advised *a) {
  json_put_array(json, "unexplored");
  for (uint32_t i = 0; a->unexplored && i < a->nscripts; i++) {
    if (!a->unexplored[i])
      continue;
    json_put_object(json, NULL);
    json_put_string(json, "script", a->scripts[i]);
    json_put_string(json, "why", a->unexplored[i]);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_trial_json(struct json *json, const char *name,
                           const struct advised *a,
                           const struct advised_trial *trial) {
  json_put_object(json, name);
  json_put_string(json, "level", trial->level);
  json_put_string(json, "changes", trial->changes);
  json_put_bool(json, "tried", trial->tried);
  json_put_bool(json, "kept", advised_is_kept(trial));
  json_put_bool(json, "decided", trial->decided);
  json_put_bool(json, "serializable", trial->serializable);
  json_put_bool(json, "broke_level", trial->broke_level);
  if (trial->asked)
    json_put_bool(json, "invariant", trial->invariant);
  json_put_string(json, "answer", trial->answer);
  json_put_unsigned(json, "begun", trial->begun);
  json_put_unsigned(json, "committed", trial->committed);
  json_put_unsigned(json, "refused", trial->refused);
  json_put_real(json, "per_second", trial->rate);
  json_put_string(json, "refusals", trial->refusals);
  json_put_string(json, "headline", trial->headline);
  json_put_string(json, "run", trial->run);
  json_put_string(json, "trouble", trial->trouble);
  json_put_string(json, "undecided", trial->open);
  put_cells_json(json, a, trial);
  put_explored_json(json, &trial->explored);
  json_close(json, '}');
}

void advised_put_json(FILE *out, const struct advised *a) {
  const struct advised_trial *level = advised_level(a);
  struct json json;
  json_begin(&json, out);
  json_put_object(&json, NULL);
  json_put_string(&json, "command", "advise");
  json_put_string(&json, "program", a->program);
  json_put_string(&json, "target", a->target);
  json_put_string(&json, "server", a->server);
  json_put_string(&json, "default_level", a->levels[a->default_level].level);
  json_put_bool(&json, "default_is_enough",
                advised_is_safe(&a->levels[a->default_level]));
  json_put_string(&json, "level", level ? level->level : NULL);
  json_put_array(&json, "levels");
  for (uint32_t i = 0; i < a->nlevels; i++)
    put_trial_json(&json, NULL, a, &a->levels[i]);
  json_close(&json, ']');
  put_unexplored_json(&json, a);
  json_put_array(&json, "remedies");
  for (uint32_t i = 0; i < a->nremedies; i++) {
    const struct advised_remedy *r = &a->remedies[i];
    json_put_object(&json, NULL);
    json_put_string(&json, "place", r->place);
    json_put_string(&json, "now", r->now);
    json_put_string(&json, "instead", r->instead);
    json_put_bool(&json, "helps", r->helps);
    json_put_bool(&json, "chosen", r->chosen);
    put_trial_json(&json, "trial", a, &r->trial);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  if (a->after)
    put_trial_json(&json, "after", a, a->after);
  json_put_bool(&json, "interrupted", a->interrupted);
  json_close(&json, '}');
  json_end(&json);
}
