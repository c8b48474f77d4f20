// SPDX-License-Identifier: GPL-3.0-or-later
// isostress results: lists what runs, sweeps and scorecards kept, and removes
// what is too many, too old or too large.
#include "config.h"

#include "cli/commands.h"

#include "base/clock.h"
#include "cli/jobs/all_results.h"
#include "cli/jobs/kept.h"
#include "cli/process/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const usual[] = {RESULTS_OF_RUNS, RESULTS_OF_SWEEPS};

// "6.9 MB"
static const char *words_of_bytes(uint64_t bytes, char *text, size_t room) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  double number = (double)bytes;
  size_t unit = 0;
  while (number >= 1000 && unit + 1 < sizeof units / sizeof *units) {
    number /= 1000;
    unit++;
  }
  snprintf(text, room, "%.*f %s", unit && number < 100 ? 1 : 0, number,
           units[unit]);
  return text;
}

static const char *words_of_date(uint64_t ns, char *text, size_t room) {
  const time_t seconds = (time_t)(ns / NS_PER_SECOND);
  struct tm local;
  localtime_r(&seconds, &local);
  strftime(text, room, "%Y-%m-%d %H:%M", &local);
  return text;
}

static void put_kept_row(const struct kept *kept, int level, int target) {
  char date[32], size[32];
  printf("%-12s  %-*s  %-*s  %s  %8s  %s%s\n", kept->verdict, level,
         kept->level, target, kept->target,
         words_of_date(kept->date, date, sizeof date),
         words_of_bytes(kept->bytes, size, sizeof size), kept->path,
         kept->latest ? " (latest)" : "");
}

static void put_kept_results(const struct kept_list *list) {
  int level = 5, target = 6;
  for (uint32_t i = 0; i < list->count; i++) {
    const int l = (int)strlen(list->items[i].level);
    const int t = (int)strlen(list->items[i].target);
    level = l > level ? l : level;
    target = t > target ? t : target;
  }
  if (list->count)
    printf("%-12s  %-*s  %-*s  %-16s  %8s  %s\n", "verdict", level, "level",
           target, "target", "begun", "size", "directory");
  for (uint32_t i = 0; i < list->count; i++)
    put_kept_row(&list->items[i], level, target);
}

// Half-written results may hold a history that cannot be had again.
static void name_half_written(const struct kept_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    if (list->items[i].state == KEPT_HALF)
      fprintf(stderr,
              "isostress: %s is half written: its command was ended before it "
              "had written its results\n",
              list->items[i].path);
}

static bool prunes(const struct settings *settings) {
  return settings->keep || settings->older_than || settings->max_size;
}

// Does it go?  `before` are those that are newer, `bytes` their size with its
// own.
static bool is_surplus(const struct settings *settings, const struct kept *kept,
                       uint64_t before, uint64_t bytes) {
  const uint64_t now = clock_wall();
  return (settings->keep && before >= settings->keep) ||
         (settings->max_size && bytes > settings->max_size) ||
         (settings->older_than && kept->date < now &&
          now - kept->date > settings->older_than);
}

// Removes the results, whole or half written, that are too many, too old or too
// large; not those that `latest` names or that a command is still at work at.
static int prune(const struct kept_list *list, const struct settings *settings,
                 struct error *error) {
  uint64_t before = 0, bytes = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    const struct kept *kept = &list->items[i];
    const bool stays = kept->state == KEPT_GOING || kept->latest;
    bytes += kept->bytes;
    if (!is_surplus(settings, kept, before, bytes) || stays) {
      before += kept->state != KEPT_GOING;
      continue;
    }
    const int removed = settings->dry_run ? 1 : kept_remove(kept, error);
    if (removed < 0)
      return -1;
    bytes -= kept->bytes;
    if (removed)
      printf("%s %s%s\n", settings->dry_run ? "would remove" : "removed",
             kept->path, kept->state == KEPT_HALF ? " (half written)" : "");
  }
  return 0;
}

static int read_all_kept(const struct arguments *arguments,
                         struct kept_list *list, struct error *error) {
  for (uint32_t i = 0; i < arguments->nwords; i++)
    if (kept_read(arguments->words[i], list, error))
      return -1;
  for (size_t i = 0; i < sizeof usual / sizeof *usual && !arguments->nwords;
       i++)
    if (!access(usual[i], F_OK) && kept_read(usual[i], list, error))
      return -1;
  return 0;
}

// No page shall lead to what was removed.
static void update_pages(const struct arguments *arguments) {
  for (uint32_t i = 0; i < arguments->nwords; i++)
    all_results_update(arguments->words[i]);
  for (size_t i = 0; i < sizeof usual / sizeof *usual && !arguments->nwords;
       i++)
    all_results_update(usual[i]);
}

enum status results_command(const struct arguments *arguments) {
  struct settings settings;
  struct kept_list list = {0};
  struct error error;
  settings_default(&settings, FOR_RESULTS);
  arguments_give(arguments, &settings);
  if (settings.dry_run && !prunes(&settings)) {
    error_set(&error, "--dry-run needs --keep, --older-than or --max-size: "
                      "they say what is removed");
    return complain(STATUS_USAGE, &error);
  }
  signals_leave();
  int failed = read_all_kept(arguments, &list, &error);
  kept_sort(&list);
  if (!failed && prunes(&settings)) {
    failed = prune(&list, &settings, &error);
  } else if (!failed) {
    put_kept_results(&list);
    name_half_written(&list);
  }
  kept_free(&list);
  if (prunes(&settings) && !settings.dry_run)
    update_pages(arguments);
  return failed ? complain(STATUS_TROUBLE, &error) : STATUS_KEPT;
}
