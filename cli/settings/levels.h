// SPDX-License-Identifier: GPL-3.0-or-later
// How the settings that name levels to check are read and written: two of the
// kinds of cli/settings/values.c.
#ifndef CLI_SETTINGS_LEVELS_H
#define CLI_SETTINGS_LEVELS_H

#include "cli/settings/settings.h"

// The readers and writers of SETTING_CHECK.
int setting_read_check(const struct setting *setting, void *field,
                       const char *text, struct error *error);
void setting_write_check(const void *field, char *text);

// The readers and writers of SETTING_LEVELS; a list adds to earlier ones.
int setting_read_levels(const struct setting *setting, void *field,
                        const char *text, struct error *error);
void setting_write_levels(const void *field, char *text);

// A question of SETTING_CHECK or SETTING_LEVELS as the title of what is asked
// about: "snapshot isolation", "the level of each transaction"; NULL for one
// about all levels, or about none.
const char *question_title(int question);

#endif
