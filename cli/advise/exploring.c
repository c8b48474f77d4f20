// SPDX-License-Identifier: GPL-3.0-or-later
// Has explore look at the scripts that its subset takes
// (cli/advise/advising.h): every order of the statements of each two and each
// three of them.
#include "config.h"

#include "cli/advise/advising.h"

#include "base/memory.h"
#include "cli/explore/exploring.h"
#include "cli/process/signals.h"
#include "drivers/drivers.h"
#include "sql/sql.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_MOST = 3, TOLD_GROUPS_MOST = 6 };
// Histories of one group of scripts, and of all groups at one level.  A run
// lasts longer than this takes.
enum { HISTORIES_OF_GROUP = 20000, HISTORIES_OF_LEVEL = 200000 };

struct script_group { // scripts in ascending order, some perhaps twice
  uint32_t n, scripts[GROUP_MOST];
};

// ---- Which scripts are taken

// The words of the scripts, "place.sql@2"; how many.
static uint32_t words_of_group(struct advising *a,
                               const struct script_group *group,
                               const char *words[GROUP_MOST]) {
  uint32_t n = 0;
  for (uint32_t i = 0, times; i < group->n; i += times, n++) {
    for (times = 1; i + times < group->n &&
                    group->scripts[i + times] == group->scripts[i];)
      times++;
    words[n] = arena_printf(&a->arena, "%s@%" PRIu32,
                            a->paths[group->scripts[i]], times);
  }
  return n;
}

// The program of a group.  -1 with a sentence: explore does not take it.
static int read_group(struct advising *a, const struct script_group *group,
                      uint32_t member, struct program *program,
                      struct error *error) {
  const char *words[GROUP_MOST];
  const uint32_t n = words_of_group(a, group, words);
  char *text = sql_program(a->settings->schema, words, n, NULL, error);
  const struct program_choice choice = {.member = member, .rows = true};
  const int failed = text ? program_parse(a->names[group->scripts[0]], text,
                                          choice, program, error)
                          : -1;
  free(text);
  return failed;
}

static void find_unexplored(struct advising *a) {
  a->advised.unexplored = a->unexplored;
  for (uint32_t i = 0; i < a->nscripts; i++) {
    struct program program = {0};
    struct error error;
    if (read_group(a, &(struct script_group){1, {i}}, 0, &program, &error))
      a->unexplored[i] = arena_printf(
          &a->arena, "%.*s", (int)strcspn(error.text, "\n"), error.text);
    program_free(&program);
  }
}

// ---- A group at a level

// Counts the histories of the group; true: one of them is not serializable.
static bool group_breaks(struct advising *a, const struct script_group *group,
                         const struct survey_options *options, bool *whole) {
  uint32_t nmembers = 1;
  bool breaks = false;
  *whole = true;
  for (uint32_t m = 0; m < nmembers && !breaks; m++) {
    struct program program = {0};
    struct survey survey = {0};
    struct error error;
    *whole &= !*options->explore.stop && *options->counted < options->most &&
              !read_group(a, group, m, &program, &error) &&
              !survey_run(&program, options, &survey, &error);
    if (*whole) {
      nmembers = program.family;
      breaks = survey.not_serializable;
      *whole = !survey.open.n;
    }
    survey_free(&survey);
    program_free(&program);
    if (!*whole)
      break;
  }
  return breaks;
}

// ---- All groups at a level

struct level_groups {
  struct advised_exploration *answer;
  struct survey_options options;
  uint64_t counted;                                      // of the group
  uint64_t all;                                          // of the level
  bool broken[ADVISE_SCRIPTS_MOST][ADVISE_SCRIPTS_MOST]; // pairs
  uint32_t nbroken;
  FILE *words;
};

static void put_group(FILE *out, const struct advising *a,
                      const struct script_group *group) {
  static const char *const times_told[] = {"", "", " twice", " three times"};
  uint32_t n = 0;
  for (uint32_t i = 0, times; i < group->n; i += times, n++) {
    for (times = 1; i + times < group->n &&
                    group->scripts[i + times] == group->scripts[i];)
      times++;
    fprintf(out, "%s%s%s", n ? n > 1 ? " and " : " with " : "",
            a->names[group->scripts[i]], times_told[times]);
  }
}

// Three sessions break if two of them do.
static bool has_broken_pair(const struct level_groups *level,
                            const struct script_group *group) {
  const uint32_t *s = group->scripts;
  return group->n == GROUP_MOST &&
         (level->broken[s[0]][s[1]] || level->broken[s[0]][s[2]] ||
          level->broken[s[1]][s[2]]);
}

static void explore_group(struct advising *a, struct level_groups *level,
                          const struct script_group *group) {
  bool whole;
  for (uint32_t i = 0; i < group->n; i++)
    if (a->unexplored[group->scripts[i]])
      return;
  if (has_broken_pair(level, group))
    return;
  level->answer->ngroups++;
  level->counted = 0;
  level->options.most = HISTORIES_OF_LEVEL - level->all;
  if (level->options.most > HISTORIES_OF_GROUP)
    level->options.most = HISTORIES_OF_GROUP;
  const bool breaks =
      level->options.most && group_breaks(a, group, &level->options, &whole);
  level->all += level->counted;
  level->answer->open += !breaks && (!level->options.most || !whole);
  if (!breaks)
    return;
  level->broken[group->scripts[0]][group->scripts[1]] |= group->n == 2;
  if (level->nbroken++ < TOLD_GROUPS_MOST) {
    fputs(level->nbroken > 1 ? "; " : "", level->words);
    put_group(level->words, a, group);
  }
}

static void explore_groups(struct advising *a, struct level_groups *level) {
  for (uint32_t i = 0; i < a->nscripts; i++)
    for (uint32_t k = i; k < a->nscripts; k++)
      explore_group(a, level, &(struct script_group){2, {i, k}});
  for (uint32_t i = 0; i < a->nscripts; i++)
    for (uint32_t k = i; k < a->nscripts; k++)
      for (uint32_t l = k; l < a->nscripts; l++)
        explore_group(a, level, &(struct script_group){3, {i, k, l}});
}

static void explore_level(struct advising *a, enum level level,
                          const volatile bool *stop,
                          struct advised_exploration *answer) {
  char *text;
  size_t bytes;
  struct level_groups *groups = xcalloc(1, sizeof *groups);
  groups->answer = answer;
  groups->words = text_stream(&text, &bytes);
  groups->options = (struct survey_options){
      .explore = {.level = level, .robust = true, .stop = stop},
      .first = true,
      .counted = &groups->counted};
  explore_groups(a, groups);
  if (groups->nbroken > TOLD_GROUPS_MOST)
    fprintf(groups->words, "; and %" PRIu32 " more",
            groups->nbroken - TOLD_GROUPS_MOST);
  fclose(groups->words);
  answer->answer = groups->nbroken ? EXPLORED_BREAKS
                   : answer->open  ? EXPLORED_OPEN
                                   : EXPLORED_KEPT;
  answer->broken = groups->nbroken ? arena_strdup(&a->arena, text) : NULL;
  FREE_EACH(text, groups);
}

void advise_explore(struct advising *a) {
  bool any = false;
  find_unexplored(a);
  for (uint32_t i = 0; i < a->nscripts; i++)
    any |= !a->unexplored[i];
  const volatile bool *stop = signals_start_check(0);
  for (uint32_t i = 0; any && i < a->advised.nlevels; i++) {
    const struct driver_level *claimed =
        driver_level(a->driver, a->levels[i].level, &(struct error){0});
    const enum level level =
        level_of_driver(a->settings->target, a->driver, claimed);
    if (level != LEVEL_COUNT)
      explore_level(a, level, stop, &a->levels[i].explored);
  }
  signals_end_check();
}
