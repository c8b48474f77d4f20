// SPDX-License-Identifier: GPL-3.0-or-later
// Reads whatever it is given as a job file: nothing may crash or hang, what is
// refused is refused with a sentence, and what is accepted comes out of
// jobfile_write as something that reads back as the same.
//
// fuzz-sources: base/*.c sql/*.c workload/*.c drivers/memory/bugs.c
// fuzz-sources: drivers/routing.c cli/settings/levels.c cli/settings/redact.c
// fuzz-sources: cli/settings/jobfile.c cli/settings/settings.c
// fuzz-sources: cli/settings/table.c cli/settings/values.c
// fuzz-sources: recorder/*.c recorder/*/*.c
// fuzz-libs: -lzstd -lz -lxxhash -linih -lgsl -lgslcblas -lm
// fuzz-seeds: configs
#include "config.h"

#include "cli/settings/jobfile.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

// The settings of a section as a job file, to be freed.
static char *written(const struct jobfile *jobfile, uint32_t section) {
  struct settings settings;
  char *text = NULL;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  settings_default(&settings, FOR_RUN);
  jobfile_give(jobfile, section, &settings);
  jobfile_write(file, "again", &settings);
  fclose(file);
  return text;
}

static void read_back(const struct jobfile *jobfile, uint32_t section) {
  struct jobfile again = {0};
  struct error error;
  char *text = written(jobfile, section);
  if (jobfile_read_bytes("again", text, strlen(text), &again, &error)) {
    fprintf(stderr, "%s\n%s\n", error.text, text);
    abort();
  }
  char *twice = written(&again, jobfile_first(&again));
  if (strcmp(text, twice)) {
    fprintf(stderr, "%s\n%s\n", text, twice);
    abort();
  }
  jobfile_free(&again);
  free(text);
  free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  struct jobfile jobfile = {0};
  struct error error = {0};
  int failed =
      jobfile_read_bytes("fuzz", (const char *)data, bytes, &jobfile, &error);
  if (failed && !error.text[0])
    abort();
  for (uint32_t s = jobfile_first(&jobfile); !failed && s != UINT32_MAX;
       s = jobfile_next(&jobfile, s))
    read_back(&jobfile, s);
  jobfile_free(&jobfile);
  return 0;
}
