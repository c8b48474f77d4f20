// SPDX-License-Identifier: GPL-3.0-or-later
// Reads job files through libinih and writes them (cli/settings/jobfile.h).
// libinih finds keys and values; lines are counted and sections noted here,
// since it tells neither of empty sections nor of line numbers.
#include "config.h"

#include "cli/settings/jobfile.h"

#include "cli/settings/idle.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#define GLOBAL "global"
#define NO_SECTION UINT32_MAX

enum { LINE_MAX_BYTES = 4096 };

// A file on its way through libinih.
struct job_reading {
  const char *name, *next, *end;
  unsigned line;
  uint32_t section; // the current one, or NO_SECTION
  struct jobfile *jobfile;
  struct settings scratch;
  struct error *error; // empty until the first mistake...
  unsigned wrong;      // ...which is in this line
};

static int complain_of_line(struct job_reading *reading, unsigned line,
                            const char *sentence) {
  if (!reading->wrong || line < reading->wrong) {
    error_set(reading->error, "%s:%u: %s", reading->name, line, sentence);
    reading->wrong = line;
  }
  return 0; // libinih's word for failure
}

static uint32_t find_section(const struct jobfile *jobfile, const char *name) {
  for (uint32_t s = 0; s < jobfile->nsections; s++)
    if (!strcmp(jobfile->sections[s].name, name))
      return s;
  return NO_SECTION;
}

static bool is_global(const struct jobfile *jobfile, uint32_t section) {
  return !strcmp(jobfile->sections[section].name, GLOBAL);
}

// `line` starts with "[".
static void note_section(struct job_reading *reading, const char *line) {
  struct jobfile *jobfile = reading->jobfile;
  const char *end = strchr(line, ']');
  struct error error;
  if (!end)
    return; // libinih complains
  char *name =
      arena_printf(&jobfile->arena, "%.*s", (int)(end - line - 1), line + 1);
  uint32_t same = find_section(jobfile, name);
  if (same != NO_SECTION) {
    error_set(&error, "there is a section [%.64s] already, in line %u", name,
              jobfile->sections[same].line);
    complain_of_line(reading, reading->line, error.text);
  }
  ARRAY_RESERVE(jobfile->sections, jobfile->nsections, jobfile->sections_room);
  reading->section = jobfile->nsections;
  jobfile->sections[jobfile->nsections++] =
      (struct job_section){name, reading->line};
}

// Hands libinih the next line, without the blanks at its start that would make
// it the continuation of the line before.
static char *next_job_line(char *buffer, int room, void *context) {
  struct job_reading *reading = context;
  if (reading->next == reading->end)
    return NULL;
  reading->line++;
  const char *newline =
      memchr(reading->next, '\n', (size_t)(reading->end - reading->next));
  const char *first = reading->next, *end = newline ? newline : reading->end;
  reading->next = newline ? newline + 1 : end;
  while (first < end && isspace((unsigned char)*first))
    first++;
  size_t length = (size_t)(end - first);
  if (length > (size_t)room - 1) {
    complain_of_line(reading, reading->line, "the line is too long");
    length = 0;
  }
  memcpy(buffer, first, length);
  buffer[length] = '\0';
  if (*buffer == '[')
    note_section(reading, buffer);
  return buffer;
}

static int refuse_setting_name(struct job_reading *reading, const char *name) {
  const char *near = setting_nearest(name, FOR_RUN);
  struct error error;
  error_set(&error,
            near ? "there is no setting \"%.64s\", did you mean %s?"
                 : "there is no setting \"%.64s\"; `isostress help run` lists "
                   "the settings",
            name, near);
  return complain_of_line(reading, reading->line, error.text);
}

static const struct job_setting *said_before(const struct job_reading *reading,
                                             const struct setting *setting) {
  const struct jobfile *jobfile = reading->jobfile;
  for (uint32_t i = 0; i < jobfile->nsettings; i++)
    if (jobfile->settings[i].setting == setting &&
        jobfile->settings[i].section == reading->section)
      return &jobfile->settings[i];
  return NULL;
}

// Called by libinih for each NAME = VALUE.
static int take_job_setting(void *context, const char *section,
                            const char *name, const char *value) {
  struct job_reading *reading = context;
  struct jobfile *jobfile = reading->jobfile;
  struct error error;
  (void)section;
  const struct setting *setting = setting_find(name, FOR_RUN);
  if (!setting)
    return refuse_setting_name(reading, name);
  if (reading->section == NO_SECTION)
    return complain_of_line(reading, reading->line,
                            "a setting must follow a [section]");
  const struct job_setting *before = said_before(reading, setting);
  if (before) {
    error_set(&error, "%s is set already, in line %u", name, before->line);
    return complain_of_line(reading, reading->line, error.text);
  }
  if (setting_give(&reading->scratch, setting, value, &error)) {
    error_prefix(&error, "%s", name);
    return complain_of_line(reading, reading->line, error.text);
  }
  ARRAY_RESERVE(jobfile->settings, jobfile->nsettings, jobfile->settings_room);
  jobfile->settings[jobfile->nsettings++] =
      (struct job_setting){setting, arena_strdup(&jobfile->arena, value),
                           reading->section, reading->line};
  return 1;
}

static void skip_byte_order_mark(struct job_reading *reading) {
  if (reading->end - reading->next >= 3 &&
      !memcmp(reading->next, "\xEF\xBB\xBF", 3))
    reading->next += 3;
}

// Debian's libinih can be told to take longer lines than the 200 bytes it is
// built for; with another one, longer lines are refused.
static void prepare_libinih(void) {
#if HAVE_DECL_INI_MAX_LINE
  ini_use_stack = false;
  ini_max_line = LINE_MAX_BYTES;
  ini_initial_alloc = LINE_MAX_BYTES;
#endif
}

int jobfile_read_bytes(const char *name, const char *bytes, size_t nbytes,
                       struct jobfile *jobfile, struct error *error) {
  struct job_reading reading = {.name = name,
                                .next = bytes,
                                .end = bytes + nbytes,
                                .section = NO_SECTION,
                                .jobfile = jobfile,
                                .error = error};
  error->text[0] = '\0';
  if (memchr(bytes, '\0', nbytes))
    return error_set(error, "%s: is not a job file: it holds a zero byte",
                     name);
  settings_default(&reading.scratch, FOR_RUN);
  skip_byte_order_mark(&reading);
  prepare_libinih();
  int line =
      ini_parse_stream(next_job_line, &reading, take_job_setting, &reading);
  if (line == -2)
    out_of_memory(LINE_MAX_BYTES);
  if (line > 0)
    complain_of_line(&reading, (unsigned)line,
                     "expected [section], name = value, or a comment after ;");
  if (!error->text[0] && !jobfile->nsections)
    error_set(error, "%s: is not a job file: it has no [section]", name);
  return error->text[0] ? -1 : 0;
}

int jobfile_read(const char *path, struct jobfile *jobfile,
                 struct error *error) {
  FILE *file = fopen(path, "re");
  if (!file)
    return error_set(error, "%s: %s", path, strerror(errno));
  char *bytes = xmalloc(JOBFILE_MAX_BYTES + 1);
  size_t nbytes = fread(bytes, 1, JOBFILE_MAX_BYTES + 1, file);
  int result;
  if (ferror(file))
    result = error_set(error, "%s: %s", path, strerror(errno));
  else if (nbytes > JOBFILE_MAX_BYTES)
    result =
        error_set(error, "%s: is not a job file: it is longer than 1 MB", path);
  else
    result = jobfile_read_bytes(path, bytes, nbytes, jobfile, error);
  free(bytes);
  fclose(file);
  return result;
}

void jobfile_free(struct jobfile *jobfile) {
  arena_free(&jobfile->arena);
  free(jobfile->sections);
  free(jobfile->settings);
  *jobfile = (struct jobfile){0};
}

uint32_t jobfile_next(const struct jobfile *jobfile, uint32_t section) {
  bool alone = jobfile->nsections == 1;
  uint32_t s = section == UINT32_MAX ? 0 : section + 1;
  while (s < jobfile->nsections && is_global(jobfile, s) && !alone)
    s++;
  return s < jobfile->nsections ? s : UINT32_MAX;
}

static void give_section(const struct jobfile *jobfile, uint32_t section,
                         struct settings *settings) {
  for (uint32_t i = 0; i < jobfile->nsettings; i++) {
    const struct job_setting *said = &jobfile->settings[i];
    struct error error;
    if (said->section == section &&
        setting_give(settings, said->setting, said->text, &error))
      assert(!"a setting that was checked");
  }
}

static void give_with_global(const struct jobfile *jobfile, uint32_t section,
                             struct settings *settings) {
  uint32_t global = find_section(jobfile, GLOBAL);
  if (global != NO_SECTION && global != section)
    give_section(jobfile, global, settings);
  give_section(jobfile, section, settings);
}

// Has some section a workload that uses the setting?
static bool counts_somewhere(const struct jobfile *jobfile,
                             const struct setting *setting) {
  bool counts = false;
  for (uint32_t s = 0; s < jobfile->nsections; s++) {
    struct settings settings;
    settings_default(&settings, FOR_RUN);
    give_with_global(jobfile, s, &settings);
    counts |=
        !is_global(jobfile, s) && setting_counts(setting, settings.workload);
  }
  return counts;
}

// Settings of [global] hold for the sections that can use them.
void jobfile_give(const struct jobfile *jobfile, uint32_t section,
                  struct settings *settings) {
  give_with_global(jobfile, section, settings);
  for (uint32_t i = 0; i < jobfile->nsettings; i++) {
    const struct job_setting *said = &jobfile->settings[i];
    if (is_global(jobfile, said->section) && said->section != section &&
        setting_is_idle(settings, said->setting) &&
        counts_somewhere(jobfile, said->setting))
      setting_take_back(settings, said->setting);
  }
}

void jobfile_write(FILE *file, const char *section,
                   const struct settings *settings) {
  char text[SETTING_MAX + 1];
  fprintf(file, "[%s]\n", section);
  for (const struct setting *s = settings_table; s->name; s++) {
    if (!(s->commands & FOR_RUN))
      continue;
    setting_write(settings, s, text);
    fprintf(file, "%s =%s%s\n", s->name, *text ? " " : "", text);
  }
}
