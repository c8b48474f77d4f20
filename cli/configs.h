// SPDX-License-Identifier: GPL-3.0-or-later
// Files that come with isostress and can be named without their path.
#ifndef CLI_CONFIGS_H
#define CLI_CONFIGS_H

// The file as named, or else the one of that name, with or without `ending`, in
// the folder `folder` ("" or "steps/") of the installed ones; to be freed. NULL
// if there is none.
char *config_find(const char *folder, const char *name, const char *ending);

// Where the installed ones are.
const char *configs_place(void);

#endif
