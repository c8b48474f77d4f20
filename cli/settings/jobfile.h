// SPDX-License-Identifier: GPL-3.0-or-later
// Job files: INI files whose sections are runs, one after another, and whose
// keys are the long options of `isostress run`.  The section [global] gives
// settings to all of them.
#ifndef CLI_SETTINGS_JOBFILE_H
#define CLI_SETTINGS_JOBFILE_H

#include "base/memory.h"
#include "cli/settings/settings.h"

#include <stdio.h>

enum { JOBFILE_MAX_BYTES = 1 << 20 };

struct job_setting {
  const struct setting *setting;
  const char *text;
  uint32_t section;
  unsigned line;
};

struct job_section {
  const char *name;
  unsigned line;
};

// Zero-initialised is ready to use.
struct jobfile {
  struct arena arena; // holds all texts
  struct job_section *sections;
  uint32_t nsections, sections_room;
  struct job_setting *settings; // all have been checked
  uint32_t nsettings, settings_room;
};

// -1 with a sentence that names the file and the line.  Free in both cases.
int jobfile_read(const char *path, struct jobfile *jobfile,
                 struct error *error);
// Reads a job file from memory; `name` stands in sentences.
int jobfile_read_bytes(const char *name, const char *bytes, size_t nbytes,
                       struct jobfile *jobfile, struct error *error);
void jobfile_free(struct jobfile *jobfile);

// Jobs are the sections other than [global], or [global] if it is alone; the
// result is a section, or UINT32_MAX after the last one.
uint32_t jobfile_next(const struct jobfile *jobfile, uint32_t section);
static inline uint32_t jobfile_first(const struct jobfile *jobfile) {
  return jobfile_next(jobfile, UINT32_MAX);
}

// Gives what [global] and then the section say to `settings`; the texts stay
// the job file's.
void jobfile_give(const struct jobfile *jobfile, uint32_t section,
                  struct settings *settings);

// Writes all settings of a run, without secrets, as a section of a job file.
void jobfile_write(FILE *file, const char *section,
                   const struct settings *settings);

#endif
