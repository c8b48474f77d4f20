// SPDX-License-Identifier: GPL-3.0-or-later
// The help, made from the tables of commands and settings.
#include "config.h"

#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN = 30, WIDTH = 79 };

enum { MOST_USED = 0 }; // a group in front of those of the settings

// Writes the words of `text` below each other from COLUMN on, the first line
// where the pen is.
static void put_wrapped(const char *text) {
  int at = COLUMN;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (at > COLUMN && at + 1 + length > WIDTH) {
      printf("\n%*s", COLUMN, "");
      at = COLUMN;
    } else if (at > COLUMN) {
      putchar(' ');
      at++;
    }
    printf("%.*s", length, text);
    at += length;
    text += length + (text[length] == ' ');
  }
  putchar('\n');
}

static void put_setting_help(const struct setting *setting, unsigned command) {
  const char *value = setting_default(setting, command);
  const char *about = setting_help(setting, command);
  char option[128], help[512];
  int used = setting->letter
                 ? snprintf(option, sizeof option, "  -%c, ", setting->letter)
                 : snprintf(option, sizeof option, "      ");
  snprintf(option + used, sizeof option - (size_t)used, "--%s%s%s",
           setting->name, setting->argument ? "=" : "",
           setting->argument ? setting->argument : "");
  if (value && setting->argument)
    snprintf(help, sizeof help, "%s [%s]", about, value);
  else
    snprintf(help, sizeof help, "%s", about);
  if (strlen(option) < COLUMN - 1)
    printf("%-*s", COLUMN, option);
  else
    printf("%s\n%*s", option, COLUMN, "");
  put_wrapped(help);
}

// An option that most readers look for stands before its group.
static int help_group_of(const struct setting *setting, unsigned command) {
  return setting->common & command ? MOST_USED : (int)setting->group;
}

static void put_option_group(unsigned command, int group) {
  static const char *const titles[GROUPS_END] = {
      [MOST_USED] = "Most used",     [GROUP_LOAD] = "Load",
      [GROUP_WORKLOAD] = "Workload", [GROUP_CHECK] = "Check",
      [GROUP_OUTPUT] = "Output",
  };
  bool titled = false;
  for (const struct setting *s = settings_table; s->name; s++) {
    if (!(s->commands & command) || help_group_of(s, command) != group)
      continue;
    if (!titled)
      printf("\n%s:\n", titles[group]);
    titled = true;
    put_setting_help(s, command);
  }
}

static bool has_most_used(unsigned command) {
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & s->common & command)
      return true;
  return false;
}

void help_of_command(const struct command *command, bool all) {
  const bool few = !all && has_most_used(command->options);
  printf("isostress %s %s%s\n%c%s.\n", command->name,
         command->options ? "[OPTION]... " : "", command->synopsis,
         command->summary[0] - 'a' + 'A', command->summary + 1);
  if (command->details[0])
    printf("\n%s", command->details);
  if (command->options)
    puts("\nOptions, with their defaults:");
  put_option_group(command->options, MOST_USED);
  for (int group = 1; group < GROUPS_END && !few; group++)
    put_option_group(command->options, group);
  if (few)
    printf("\n`isostress help %s` has all options.\n", command->name);
  puts("\nExamples:");
  for (int i = 0; i < COMMAND_EXAMPLES; i++)
    printf("  isostress %s\n", command->examples[i]);
  printf("\nThe manual page isostress-%s(1) says more.\n", command->name);
}

void help_overview(void) {
  puts("isostress puts a live database under concurrent transactions, records "
       "what every\nclient saw, and proves whether its isolation level was "
       "kept.\n");
  for (const struct command *c = commands; c->name; c++)
    printf("  isostress %-7s %s\n", c->name, c->summary);
  puts("");
  for (const struct topic *t = topics; t->name; t++)
    printf("  `isostress help %s`: %s\n", t->name, t->summary);
  puts("\nStart with `isostress run sqlite:try.db`.  `isostress help COMMAND` "
       "explains a\ncommand, isostress-COMMAND(1) says all about it, "
       "isostress(1) "
       "what they share.\n\nExit status: 0 level kept, 1 violation, 2 "
       "undecided, 3 a requirement is not met,\n254 wrong "
       "usage, 255 trouble (what was recorded is kept).");
}

enum status help_command(const struct arguments *arguments) {
  if (!arguments->nwords) {
    help_overview();
    return STATUS_KEPT;
  }
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    const struct command *command = command_find(arguments->words[i]);
    const struct topic *topic = topic_find(arguments->words[i]);
    if (!command && !topic)
      return complain_of_command(arguments->words[i]);
    if (command)
      help_of_command(command, true);
    else
      help_of_topic(topic);
  }
  return STATUS_KEPT;
}
