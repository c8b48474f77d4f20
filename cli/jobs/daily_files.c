// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the files of daily transactions (cli/jobs/daily_files.h).
#include "config.h"

#include "cli/jobs/daily_files.h"

#include "base/memory.h"
#include "cli/process/installed.h"
#include "sql/reading.h"
#include "workload/daily.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The scripts of the folder, each in its racy form if that is asked for and is
// there.
static char *list_scripts_of(const char *folder, bool racy) {
  char **names = installed_names(folder, ".sql"), *list;
  char *place = installed_folder("configs");
  size_t bytes;
  FILE *out = text_stream(&list, &bytes);
  for (char **name = names; *name; name++) {
    if (strstr(*name, "_racy") || !strcmp(*name, "schema") ||
        !strcmp(*name, "invariant"))
      continue;
    char *path = xasprintf("%s/%s/%s_racy.sql", place, folder, *name);
    const char *form = racy && !access(path, F_OK) ? "_racy" : "";
    fprintf(out, "%s%s/%s/%s%s.sql", ftell(out) ? "," : "", place, folder,
            *name, form);
    free(path);
  }
  fclose(out);
  installed_names_free(names);
  free(place);
  return list;
}

// The folder in configs/ for the driver; NULL: there is none.
static char *folder_for(const char *name, const char *driver) {
  const bool usual = !strcmp(driver, "postgresql");
  char *folder = xasprintf("transactions/%s%s%s", name, usual ? "" : "/",
                           usual ? "" : driver);
  char *place = installed_folder("configs");
  char *schema = xasprintf("%s/%s/schema.sql", place, folder);
  const bool found = !access(schema, F_OK);
  FREE_EACH(place, schema);
  if (found)
    return folder;
  free(folder);
  return NULL;
}

static char *text_in(const char *folder, const char *file,
                     struct error *error) {
  char *place = installed_folder("configs");
  char *path = xasprintf("%s/%s/%s", place, folder, file);
  char *text = sql_text_of(path, error);
  if (text)
    text[strcspn(text, "\n")] = '\0';
  FREE_EACH(place, path);
  return text;
}

int daily_files_find(struct daily_files *files, const char *name,
                     const char *driver, struct error *error) {
  bool racy;
  const struct daily *daily = daily_find(name, &racy);
  assert(daily);
  *files = (struct daily_files){0};
  char *folder = folder_for(daily->name, driver);
  if (!folder)
    return error_set_usage(error,
                           "the transactions \"%s\" are not there for %s: "
                           "copy those of configs/transactions/%s, change "
                           "their SQL, and give them as files",
                           daily->name, driver, daily->name);
  char *place = installed_folder("configs");
  files->schema = xasprintf("%s/%s/schema.sql", place, folder);
  files->scripts = list_scripts_of(folder, racy);
  files->invariant = text_in(folder, "invariant.sql", error);
  FREE_EACH(place, folder);
  if (files->invariant)
    return 0;
  daily_files_free(files);
  return -1;
}

void daily_files_free(struct daily_files *files) {
  FREE_EACH(files->schema, files->scripts, files->invariant);
  *files = (struct daily_files){0};
}
