// SPDX-License-Identifier: GPL-3.0-or-later
// Tells what an exploration found (cli/explore/exploring.h): text and JSON.
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/json.h"
#include "base/memory.h"
#include "explore/as_history.h"
#include "explore/story.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- A smallest story

struct explored_telling {
  const struct exploration *exploration;
  const struct weakest_failure *failure;
  struct smallest *smallest;
};

const char *failure_text(const struct program *program,
                         struct failure failure) {
  return failure.kind == FAILURE_ASSERTION
             ? program->assertions[failure.at].text
             : fault_text((enum failure_kind)failure.kind);
}

static uint32_t real_txns(const struct program *program) {
  return program->ntxns - (program->final != 0);
}

static char *script_text(const struct tale *tale, const struct partial *p,
                         const struct tale_script *script) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  const bool written = tale_put_steps(out, tale, p, script);
  fclose(out);
  if (written)
    return text;
  free(text);
  return NULL;
}

// MariaDB has no FOR SHARE.
static const char *for_share(const struct settings *settings) {
  return settings->target && !strncmp(settings->target, "mysql:", 6)
             ? " LOCK IN SHARE MODE"
             : " FOR SHARE";
}

static void make_scripts(const struct explored_telling *t,
                         const struct tale *tale, const struct partial *p) {
  struct smallest *s = t->smallest;
  char *title = xasprintf("%s:%u %s", p->program->path, t->failure->line,
                          failure_text(p->program, t->failure->failure));
  const struct tale_script as_told = {
      .title = title, .for_share = for_share(t->exploration->settings)};
  s->script = script_text(tale, p, &as_told);
  for (uint32_t i = 0; i < s->nrepairs; i++) {
    const struct repair *r = &s->repairs[i];
    struct tale_script repaired = as_told;
    if (r->kind == REPAIR_LOCK)
      repaired.lock_line = r->line;
    else if (r->kind == REPAIR_UPDATE)
      repaired.update_key = r->key;
    else if (r->kind == REPAIR_STATEMENT) {
      repaired.drop_line = r->line;
      repaired.write_line = r->write_line;
    } else
      repaired.level = level_name(r->level);
    repaired.kind = r->transaction;
    s->repaired[i] = script_text(tale, p, &repaired);
  }
  free(title);
}

static void show_found(void *context, const struct partial *p) {
  struct explored_telling *t = context;
  struct smallest *s = t->smallest;
  uint8_t levels[PROGRAM_MAX_TXNS + 1];
  struct tale tale;
  size_t bytes;
  explore_levels(p->program, t->exploration->levels[t->failure->level], levels);
  tale_tell(&tale, p, levels);
  s->found = true;
  s->is_refuted = history_judge(p, levels, &s->refutation) != 0;
  s->is_serial = tale.is_serial;
  s->has_locks = tale_has_locks(&tale);
  s->ntxns = real_txns(p->program);
  FILE *out = text_stream(&s->steps, &bytes);
  tale_put(out, &tale, p);
  fclose(out);
  if (t->exploration->settings->explain && !s->is_refuted)
    s->is_refuted =
        history_told(p, levels, &tale, &s->history, &s->refutation) != 0;
  make_scripts(t, &tale, p);
  tale_free(&tale);
}

void smallest_find(const struct exploration *e,
                   const struct weakest_failure *failure,
                   struct smallest *smallest) {
  struct program fewer = *e->program;
  struct explore_options options = e->options;
  struct explored_telling t = {e, failure, smallest};
  options.level = e->levels[failure->level];
  smallest->all_txns = real_txns(e->program);
  survey_smallest(&fewer, &options, failure->failure, show_found, &t);
}

char *smallest_place(const struct smallest *smallest, const char *name) {
  return smallest->number ? xasprintf("%s-%u", name, smallest->number + 1)
                          : xstrdup(name);
}

void smallest_free(struct smallest *smallest) {
  free(smallest->steps);
  free(smallest->script);
  history_free(&smallest->history);
  for (uint32_t i = 0; i < smallest->nrepairs; i++)
    free(smallest->repaired[i]);
}

// ---- Text

static void put_number_in_column(uint64_t number, bool whole, int width) {
  char text[32];
  snprintf(text, sizeof text, "%s%" PRIu64, whole ? "" : ">", number);
  printf("%*s", width, text);
}

static void put_explored_level(const struct exploration *e, uint32_t i) {
  const struct survey *s = &e->surveys[i];
  const bool whole = survey_is_whole(e, i) || e->options.walks;
  printf("%-16s", level_told(e, e->levels[i]));
  put_number_in_column(s->result.histories, whole, 10);
  if (e->settings->assert_only && !e->options.robust) {
    printf("%10s%18s", "-", "-");
  } else {
    put_number_in_column(s->outcomes.count, whole, 10);
    put_number_in_column(s->not_serializable, whole, 18);
  }
  if (e->program->nassertions)
    put_number_in_column(s->failing, whole, 20);
  if (s->nfailures && s->failures[s->nfailures - 1].line)
    printf("   <- %s:%u", e->program->path, s->failures[s->nfailures - 1].line);
  putchar('\n');
}

static uint32_t most_operations(const struct exploration *e) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < e->nlevels; i++)
    if (e->surveys[i].most_operations > most)
      most = e->surveys[i].most_operations;
  return most;
}

// The names of the levels that are whole and good, or whole and robust.
static char *levels_that(const struct exploration *e, bool robust) {
  char *text = xstrdup("");
  for (uint32_t i = 0; i < e->nlevels; i++) {
    const struct survey *s = &e->surveys[i];
    if (!survey_is_whole(e, i) ||
        (robust ? s->not_serializable != 0 : s->failing != 0))
      continue;
    char *more = xasprintf("%s%s%s", text, *text ? ", " : "",
                           level_told(e, e->levels[i]));
    free(text);
    text = more;
  }
  return text;
}

// Puts what holds at the levels, and the bounds within which it was explored.
static void put_claim(const struct exploration *e, const char *claim,
                      const char *levels) {
  const struct program *p = e->program;
  const uint32_t nsessions = p->nsessions - (p->final != 0);
  printf("%s at %s for these %u sessions and %u transactions, with these "
         "values.\n",
         claim, levels, nsessions, real_txns(p));
}

static bool some_level_is_whole(const struct exploration *e) {
  for (uint32_t i = 0; i < e->nlevels; i++)
    if (survey_is_whole(e, i))
      return true;
  return false;
}

static void put_claims(const struct exploration *e) {
  char *good = levels_that(e, false), *robust = levels_that(e, true);
  if (e->program->nassertions)
    put_claim(e, "The assertions hold", *good ? good : "none of these levels");
  else if (!e->options.robust)
    puts("The program has no assertion.");
  if (!e->settings->assert_only || e->options.robust)
    put_claim(e, "All outcomes are serial",
              *robust ? robust : "none of these levels");
  free(good);
  free(robust);
}

// Why a level is not decided.
static const char *gap(const struct exploration *e, uint32_t level) {
  const struct survey *s = &e->surveys[level];
  if (e->options.walks)
    return "only some histories were tried, at random";
  if (s->is_too_large)
    return "to count the outcomes of all histories needs more than --memory; "
           "--assert-only counts none";
  return s->open.n ? "not all histories were explored"
                   : "the other parts are not explored here";
}

static void put_explored_summary(const struct exploration *e) {
  if (some_level_is_whole(e))
    put_claims(e);
  for (uint32_t i = 0; i < e->nlevels; i++)
    if (!survey_is_whole(e, i))
      printf("UNDECIDED at %s: %s.\n", level_told(e, e->levels[i]), gap(e, i));
}

// At once; the rest may take a while.
void exploration_put_program(const struct exploration *e) {
  const struct program *p = e->program;
  printf("program      %s%s%s: %u sessions, %u transactions\n", p->path,
         *p->member ? " " : "", p->member, p->nsessions - (p->final != 0),
         real_txns(p));
  fflush(stdout);
}

void exploration_put(const struct exploration *e) {
  printf("             each history has at most %u operations\n",
         most_operations(e));
  printf("%-16s%10s%10s%18s%s\n", "level",
         e->options.walks ? "of a sample" : "histories", "outcomes",
         "not serializable",
         e->program->nassertions ? "  break an assertion" : "");
  for (uint32_t i = 0; i < e->nlevels; i++)
    put_explored_level(e, i);
  put_explored_summary(e);
}

void exploration_put_failure(const struct exploration *e,
                             const struct weakest_failure *failure,
                             const struct smallest *smallest) {
  const char *text = failure_text(e->program, failure->failure);
  printf("VIOLATION at %s, %s", level_told(e, e->levels[failure->level]),
         e->program->path);
  if (failure->line)
    printf(":%u", failure->line);
  if (*text)
    printf(" \"%s\"", text);
  if (!smallest->found) {
    puts(": the search for its smallest program was stopped.");
    return;
  }
  printf(": %u of the %u transactions %s enough:\n", smallest->ntxns,
         smallest->all_txns, smallest->ntxns == 1 ? "is" : "are");
  if (smallest->told_at == LEVEL_COUNT)
    fputs(smallest->steps, stdout);
  else
    printf("  the same steps as at %s\n", level_told(e, smallest->told_at));
  if (smallest->is_serial)
    puts("These transactions run one after the other: the assertion fails at "
         "every level.");
  else if (!smallest->script)
    puts("They are told transaction by transaction: at this level there need "
         "be no order of statements.");
  if (e->settings->repair)
    repairs_put(e, failure, smallest);
}

// ---- JSON

static void put_json_level(struct json *json, const struct exploration *e,
                           uint32_t i) {
  const struct survey *s = &e->surveys[i];
  json_put_object(json, NULL);
  json_put_string(json, "level", level_name(e->levels[i]));
  json_put_bool(json, "complete", survey_is_whole(e, i));
  json_put_unsigned(json, "histories", s->result.histories);
  json_put_unsigned(json, "leaves", s->result.leaves);
  if (!e->settings->assert_only || e->options.robust) {
    json_put_unsigned(json, "outcomes", s->outcomes.count);
    json_put_unsigned(json, "not_serializable", s->not_serializable);
  }
  json_put_unsigned(json, "failing", s->failing);
  json_put_array(json, "failures");
  for (uint32_t k = 0; k < s->nfailures; k++) {
    json_put_object(json, NULL);
    json_put_unsigned(json, "line", s->failures[k].line);
    json_put_string(json, "text",
                    failure_text(e->program, s->failures[k].failure));
    json_put_unsigned(json, "histories", s->failures[k].histories);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_close(json, '}');
}

static void put_json_story(struct json *json, const struct exploration *e,
                           const struct told_failure *told) {
  const struct weakest_failure *failure = &told->failure;
  const struct smallest *smallest = told->smallest;
  json_put_string(json, "level", level_name(e->levels[failure->level]));
  json_put_unsigned(json, "line", failure->line);
  json_put_unsigned(json, "transactions", smallest->ntxns);
  json_put_bool(json, "serial", smallest->is_serial);
  json_put_string(json, "story", smallest->steps);
  json_put_string(json, "script", smallest->script);
}

// The first one, and then all of them.
static void put_json_stories(struct json *json, const struct exploration *e,
                             const struct told_failures *told) {
  if (!told->n)
    return;
  if (told->all[0].smallest->found) {
    json_put_object(json, "smallest");
    put_json_story(json, e, &told->all[0]);
    json_close(json, '}');
  }
  live_put_json(json, e, told->all[0].smallest);
  json_put_array(json, "stories");
  for (uint32_t i = 0; i < told->n; i++) {
    if (!told->all[i].smallest->found)
      continue;
    json_put_object(json, NULL);
    put_json_story(json, e, &told->all[i]);
    live_put_json(json, e, told->all[i].smallest);
    json_close(json, '}');
  }
  json_close(json, ']');
}

void exploration_put_json(const struct exploration *e,
                          const struct told_failures *told) {
  struct json json;
  const struct program *p = e->program;
  json_begin(&json, stdout);
  json_put_object(&json, NULL);
  json_put_string(&json, "schema", EXPLORE_SCHEMA);
  json_put_string(&json, "command", "explore");
  json_put_string(&json, "program", p->path);
  json_put_string(&json, "member", p->member);
  json_put_unsigned(&json, "sessions", p->nsessions - (p->final != 0));
  json_put_unsigned(&json, "transactions", real_txns(p));
  json_put_unsigned(&json, "operations", most_operations(e));
  json_put_array(&json, "levels");
  for (uint32_t i = 0; i < e->nlevels; i++)
    put_json_level(&json, e, i);
  json_close(&json, ']');
  put_json_stories(&json, e, told);
  if (e->settings->allocate)
    allocation_put_json(&json, e);
  json_close(&json, '}');
  json_end(&json);
}
