// SPDX-License-Identifier: GPL-3.0-or-later
// Reads job files of sweeps through libinih (cli/sweeps/sweepfile.h).
#include "config.h"

#include "cli/sweeps/sweepfile.h"

#include "cli/settings/settings.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#define GLOBAL "global"

struct sweep_line {
  const char *section, *name, *value;
};

struct sweep_reading {
  struct sweepfile *file;
  struct settings scratch;
  struct sweep_line *lines;
  uint32_t nlines, room;
  struct error *error; // of the first mistake; empty: none
};

// Do single values of this setting hold commas?  A weight makes the scripts of
// a workload one mix.
static bool has_commas(const struct setting *setting, const char *text) {
  return (!strcmp(setting->name, "workload") && strchr(text, '@')) ||
         !strcmp(setting->name, "shares") || !strcmp(setting->name, "mix") ||
         !strcmp(setting->name, "level-of") ||
         !strcmp(setting->name, "require") || setting->type == SETTING_TARGET;
}

static int check_values(struct sweep_reading *r, const struct setting *setting,
                        const char *text) {
  struct axes axes = {0};
  int failed =
      axes_add(&axes, setting->name, text, has_commas(setting, text), r->error);
  for (uint32_t i = 0; !failed && i < axes.axes[0].nvalues; i++)
    failed =
        setting_give(&r->scratch, setting, axes.axes[0].values[i], r->error);
  axes_free(&axes);
  return failed ? error_prefix(r->error, "%s", setting->name) : 0;
}

static int check_line(struct sweep_reading *r, const char *name,
                      const char *value) {
  if (!strcmp(name, "repetitions"))
    return atoi(value) >= 1 && atoi(value) <= 1000
               ? 0
               : error_set(r->error, "repetitions must be between 1 and 1000");
  if (!strcmp(name, "zip"))
    return !strcmp(value, "yes") || !strcmp(value, "no")
               ? 0
               : error_set(r->error, "zip must be yes or no");
  if (!strcmp(name, "seed") || !strcmp(name, "out") || !strcmp(name, "junit"))
    return error_set(r->error, "a sweep has one %s: give it as --%s", name,
                     name);
  const struct setting *setting = setting_find(name, FOR_RUN);
  const char *near = setting_nearest(name, FOR_RUN);
  if (!setting)
    return error_set(r->error,
                     near ? "there is no setting \"%.64s\", did you mean %s?"
                          : "there is no setting \"%.64s\"",
                     name, near);
  return check_values(r, setting, value);
}

// Called by libinih; 0 is its word for failure.
static int take_sweep_line(void *context, const char *section, const char *name,
                           const char *value) {
  struct sweep_reading *r = context;
  struct arena *arena = &r->file->arena;
  if (r->error->text[0] || check_line(r, name, value))
    return 0;
  ARRAY_RESERVE(r->lines, r->nlines, r->room);
  r->lines[r->nlines++] = (struct sweep_line){arena_strdup(arena, section),
                                              arena_strdup(arena, name),
                                              arena_strdup(arena, value)};
  return 1;
}

static struct sweep_section *section_named(struct sweepfile *file,
                                           const char *name) {
  for (uint32_t i = 0; i < file->nsections; i++)
    if (!strcmp(file->sections[i].name, name))
      return &file->sections[i];
  ARRAY_RESERVE(file->sections, file->nsections, file->room);
  file->sections[file->nsections] = (struct sweep_section){.name = name};
  return &file->sections[file->nsections++];
}

static bool says_itself(const struct sweep_reading *r, const char *section,
                        const char *name) {
  bool says = false;
  for (uint32_t i = 0; i < r->nlines; i++)
    says |= !strcmp(r->lines[i].section, section) &&
            !strcmp(r->lines[i].name, name);
  return says;
}

static int give_line(struct sweep_section *section,
                     const struct sweep_line *line, struct error *error) {
  if (!strcmp(line->name, "repetitions"))
    section->repetitions = (uint32_t)atoi(line->value);
  else if (!strcmp(line->name, "zip"))
    section->axes.zip = !strcmp(line->value, "yes");
  else
    return axes_add(&section->axes, line->name, line->value,
                    has_commas(setting_find(line->name, FOR_RUN), line->value),
                    error);
  return 0;
}

// The section wins over [global].
static int fill_section(const struct sweep_reading *r,
                        struct sweep_section *section, struct error *error) {
  for (uint32_t i = 0; i < r->nlines; i++) {
    const struct sweep_line *line = &r->lines[i];
    const bool own = !strcmp(line->section, section->name);
    if (!own && (strcmp(line->section, GLOBAL) ||
                 says_itself(r, section->name, line->name)))
      continue;
    if (give_line(section, line, error))
      return -1;
  }
  return 0;
}

static int make_sections(struct sweep_reading *r, const char *path,
                         struct error *error) {
  struct sweepfile *file = r->file;
  for (uint32_t i = 0; i < r->nlines; i++)
    if (strcmp(r->lines[i].section, GLOBAL))
      section_named(file, r->lines[i].section);
  if (!file->nsections)
    section_named(file, GLOBAL);
  for (uint32_t i = 0; i < file->nsections; i++)
    if (fill_section(r, &file->sections[i], error))
      return error_prefix(error, "%s: [%s]", path, file->sections[i].name);
  return 0;
}

int sweepfile_read(const char *path, struct sweepfile *file,
                   struct error *error) {
  struct sweep_reading r = {.file = file, .error = error};
  *file = (struct sweepfile){0};
  error->text[0] = '\0';
  settings_default(&r.scratch, FOR_RUN);
  const int line = ini_parse(path, take_sweep_line, &r);
  int failed = 0;
  if (line == -1) {
    failed = error_set(error, "%s: %s", path, strerror(errno));
  } else if (line) {
    if (!error->text[0])
      error_set(error, "expected [SECTION] or NAME = VALUE");
    failed = error_prefix(error, "%s:%d", path, line);
  } else if (!r.nlines) {
    failed = error_set(error, "%s: is not a job file: it has no setting", path);
  } else {
    failed = make_sections(&r, path, error);
  }
  free(r.lines);
  return failed;
}

void sweepfile_free(struct sweepfile *file) {
  for (uint32_t i = 0; i < file->nsections; i++)
    axes_free(&file->sections[i].axes);
  free(file->sections);
  arena_free(&file->arena);
  *file = (struct sweepfile){0};
}
