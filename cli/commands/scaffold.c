// SPDX-License-Identifier: GPL-3.0-or-later
// isostress scaffold: a driver by a pipe in the user's language, which runs at
// once on a toy store.
#include "config.h"

#include "cli/commands.h"

#include "base/memory.h"
#include "cli/jobs/rundir.h"
#include "cli/process/installed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A language, the file of its driver, and how it is started where it is.
static const struct {
  const char *name, *file, *program;
} languages[] = {
    {"python", "my_driver.py", "python3 "},
    {"node", "my_driver.cjs", "node "},
    {"java", "MyDriver.java", "java "},
    {"c", "my_driver.c", ""},
};

enum { LANGUAGES = sizeof languages / sizeof *languages };

static int find_language(const char *name, struct error *error) {
  for (int i = 0; name && i < LANGUAGES; i++)
    if (!strcmp(name, languages[i].name))
      return i;
  return error_set_usage(error, "say in which language the driver is to be: "
                                "python, node, java or c; any other one does "
                                "as well, by the page PIPE.md");
}

static int copy_bytes(FILE *from, const char *source, FILE *to,
                      const char *path, struct error *error) {
  char bytes[4096];
  size_t n;
  while ((n = fread(bytes, 1, sizeof bytes, from)))
    if (fwrite(bytes, 1, n, to) != n)
      return error_cannot(error, path, "written");
  return ferror(from) ? error_cannot(error, source, "read") : 0;
}

// A file that is there is never overwritten.
static int copy_file(const char *source, const char *path, mode_t mode,
                     struct error *error) {
  FILE *from = fopen(source, "r");
  if (!from)
    return error_cannot(error, source, "read");
  FILE *to = fopen(path, "wx");
  if (!to) {
    fclose(from);
    return errno == EEXIST
               ? error_set(error, "%s: is there already, and is not replaced",
                           path)
               : error_cannot(error, path, "written");
  }
  int failed = copy_bytes(from, source, to, path, error);
  fclose(from);
  if ((fclose(to) || chmod(path, mode)) && !failed)
    failed = error_cannot(error, path, "written");
  return failed;
}

static int write_scaffold(int language, const char *directory,
                          struct error *error) {
  char *folder = installed_folder("examples/scaffold");
  const struct {
    const char *name;
    mode_t mode;
  } files[] = {{languages[language].file, 0644}, {"test.sh", 0755}};
  int failed = rundir_make_path(directory, error);
  for (size_t i = 0; i < sizeof files / sizeof *files && !failed; i++) {
    char *source =
        xasprintf("%s/%s/%s", folder, languages[language].name, files[i].name);
    char *path = xasprintf("%s/%s", directory, files[i].name);
    failed = copy_file(source, path, files[i].mode, error);
    FREE_EACH(source, path);
  }
  free(folder);
  return failed;
}

static void tell_next(int language, const char *directory) {
  const char *file = languages[language].file;
  const bool compiled = !*languages[language].program;
  const int length = (int)(compiled ? strcspn(file, ".") : strlen(file));
  char *command = xasprintf("%s%s%s/%.*s", languages[language].program,
                            compiled && directory[0] != '/' ? "./" : "",
                            directory, length, file);
  printf("wrote      %s/%s, a driver that runs on a toy store, and test.sh\n",
         directory, file);
  if (compiled)
    printf("build      cc -O2 -o %s/%.*s %s/%s\n", directory, length, file,
           directory, file);
  printf("test       isostress driver-test --driver='%s'\n"
         "try        isostress scorecard --driver='%s'\n",
         command, command);
  free(command);
}

enum status scaffold_command(const struct arguments *arguments) {
  struct error error;
  const char *const *words = arguments->words;
  const char *directory = arguments->nwords > 1 ? words[1] : "my_driver";
  if (arguments->nwords > 2) {
    error_set_usage(&error, "scaffold takes a language and a directory");
    return complain_of(&error);
  }
  const int language =
      find_language(arguments->nwords ? words[0] : NULL, &error);
  if (language < 0 || write_scaffold(language, directory, &error))
    return complain_of(&error);
  tell_next(language, directory);
  return STATUS_KEPT;
}
