// SPDX-License-Identifier: GPL-3.0-or-later
// Files that come with isostress: where they are, and how they are found by
// name.
#ifndef CLI_PROCESS_INSTALLED_H
#define CLI_PROCESS_INSTALLED_H

// The folder `name` ("configs", "servers") of the files that come with
// isostress: where the environment variable ISOSTRESS_FILES says; else where
// they were installed; else, for a program that was built in a folder of the
// source tree and not installed, beside that folder.  To be freed.
char *installed_folder(const char *name);

// The names of the files of a folder of configs that have this ending, without
// it, in the order of letters; NULL ends the list.  To be freed.
char **installed_names(const char *folder, const char *ending);
void installed_names_free(char **names);

// The job file, script or recipe as named, or else the one of that name, with
// or without `ending`, in a folder of configs ("", "steps/" or "repro/"), or
// else the one there that is called after the same anomaly; to be freed.  NULL
// if there is none.
char *installed_config(const char *folder, const char *name,
                       const char *ending);

#endif
