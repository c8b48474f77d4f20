// SPDX-License-Identifier: GPL-3.0-or-later
// Performs the story of a failure on a live database (cli/explore/exploring.h).
// That it is not seen there says nothing about other schedules.
#include "config.h"

#include "cli/explore/exploring.h"

#include "cli/process/signals.h"
#include "cli/repro/staging.h"
#include "steps/judge.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool live_can(const struct settings *settings, const char *script) {
  return script && (!strstr(script, "\nsetup:") ||
                    !strncmp(settings->target, "postgresql:", 11) ||
                    !strncmp(settings->target, "mysql:", 6));
}

static int read_case_script(const char *text, struct script *script,
                            struct error *error) {
  char path[] = "/tmp/isostress-explore-XXXXXX";
  const int fd = mkstemp(path);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  if (!file)
    return error_set(error, "cannot make a temporary file in /tmp");
  fputs(text, file);
  int failed = fclose(file)
                   ? error_set(error, "cannot write a temporary file in /tmp")
                   : 0;
  failed = failed ? failed : script_read(path, script, error);
  unlink(path);
  return failed;
}

static int perform_case(struct staging *staging,
                        const struct settings *settings, struct live *live,
                        struct error *error) {
  uint32_t by;
  for (uint32_t r = 0; r < settings->repeat && !*signals_stop(); r++) {
    if (staging_perform(staging, r, settings, error))
      return -1;
    live->performed++;
    switch (script_judge(staging->script, r, staging->results, &by)) {
    case JUDGED_SEEN:
      live->seen++;
      break;
    case JUDGED_ABORTED:
      live->aborted++;
      break;
    case JUDGED_BLOCKED:
      live->blocked++;
      break;
    default:
      live->prevented++;
    }
  }
  return 0;
}

int live_perform(const struct exploration *e,
                 const struct weakest_failure *failure, const char *text,
                 struct live *live, struct error *error) {
  struct script script = {0};
  struct staging staging = {0};
  struct settings settings = *e->settings;
  *live = (struct live){0};
  settings.isolation = level_live(e->levels[failure->level]);
  int failed = read_case_script(text, &script, error);
  if (!failed) {
    failed = staging_start(&staging, &script, &settings,
                           (uint32_t)settings.repeat, error);
    if (!failed) {
      stage_describe(staging.stage, live->database, sizeof live->database);
      live->database[strcspn(live->database, ",")] = '\0';
      live->level = stage_level(staging.stage)->name;
      live->claimed = stage_claim(staging.stage);
      failed = perform_case(&staging, &settings, live, error);
    }
    staging_end(&staging);
  }
  script_free(&script);
  return failed;
}

// ---- Telling

static void put_seen(const struct live *live) {
  const struct {
    const char *text;
    uint32_t n;
  } ends[] = {{"seen live", live->seen},
              {"prevented live by an abort", live->aborted},
              {"prevented live by blocking", live->blocked},
              {"not seen live", live->prevented}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (ends[i].n)
      printf("%s, %s, %s: %u of %u performances%s\n", ends[i].text,
             live->database, live->level, ends[i].n, live->performed,
             i && !live->seen ? "; other schedules may show it" : "");
}

// Prints how the order of statements went with a repair.
static void put_gone(const struct exploration *e, const struct repair *r,
                     const struct live *live) {
  if (r->kind == REPAIR_LEVEL) {
    fputs("with ", stdout);
    repair_put_kind(stdout, e->program, r->transaction);
    printf(" at %s", level_told(e, r->level));
  } else if (r->kind == REPAIR_STATEMENT)
    printf("with one UPDATE for lines %u to %u", r->line, r->last_line);
  else
    printf("with %s of line %u",
           r->kind == REPAIR_LOCK ? "a lock" : "an update", r->line);
  if (live->seen)
    printf(
        ": seen all the same, %u of %u performances; this database keeps less "
        "here than the level says\n",
        live->seen, live->performed);
  else
    printf(
        ": %u of %u performances prevented (%u by blocking, %u by an abort)\n",
        live->performed, live->performed, live->blocked, live->aborted);
}

void live_put(const struct exploration *e, const struct smallest *s) {
  if (s->performed)
    put_seen(&s->live);
  else if (e->settings->target && s->script &&
           !live_can(e->settings, s->script))
    puts("Something is read for update: performed on PostgreSQL, MariaDB and "
         "MySQL only.");
  for (uint32_t i = 0; i < s->nrepairs; i++)
    if (s->gone[i].performed)
      put_gone(e, &s->repairs[i], &s->gone[i]);
}

static void put_live_json(struct json *json, const char *name,
                          const struct live *live) {
  json_put_object(json, name);
  json_put_string(json, "database", live->database);
  json_put_string(json, "level", live->level);
  json_put_unsigned(json, "performances", live->performed);
  json_put_unsigned(json, "seen", live->seen);
  json_put_unsigned(json, "prevented_by_abort", live->aborted);
  json_put_unsigned(json, "prevented_by_blocking", live->blocked);
  json_put_unsigned(json, "not_seen", live->prevented);
  json_close(json, '}');
}

static void put_json_repair(struct json *json, const struct repair *r,
                            const struct live *gone) {
  static const char *const kinds[] = {[REPAIR_LOCK] = "for update",
                                      [REPAIR_UPDATE] = "update",
                                      [REPAIR_STATEMENT] = "statement",
                                      [REPAIR_LEVEL] = "level"};
  json_put_object(json, NULL);
  json_put_string(json, "kind", kinds[r->kind]);
  json_put_string(json, "transaction", r->transaction);
  if (r->kind == REPAIR_LEVEL) {
    json_put_string(json, "level", level_name(r->level));
  } else if (r->kind == REPAIR_STATEMENT) {
    json_put_string(json, "statement", r->statement);
    json_put_unsigned(json, "line", r->line);
    json_put_unsigned(json, "last_line", r->last_line);
  } else {
    json_put_string(json, "key", r->key);
    json_put_unsigned(json, "line", r->line);
  }
  if (gone->performed)
    put_live_json(json, "live", gone);
  json_close(json, '}');
}

void live_put_json(struct json *json, const struct exploration *e,
                   const struct smallest *s) {
  if (s->performed)
    put_live_json(json, "live", &s->live);
  if (!e->settings->repair)
    return;
  json_put_bool(json, "repairs_complete", !explore_is_stopped(&e->options));
  json_put_array(json, "repairs");
  for (uint32_t i = 0; i < s->nrepairs; i++)
    put_json_repair(json, &s->repairs[i], &s->gone[i]);
  json_close(json, ']');
}
