// SPDX-License-Identifier: GPL-3.0-or-later
// Options in the manner of GNU's getopt_long (cli/arguments.h), but with
// sentences of our own.
#include "config.h"

#include "cli/arguments.h"

#include "base/memory.h"
#include "cli/settings/own_driver.h"
#include "cli/settings/redact.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Where reading stands.
struct argument_reader {
  int argc;
  char **argv;
  int next; // word to read
  const char *command;
  unsigned commands;
  struct arguments *arguments;
};

static void add_argument_word(struct arguments *arguments, const char *word) {
  ARRAY_RESERVE(arguments->words, arguments->nwords, arguments->words_room);
  arguments->words[arguments->nwords++] = word;
}

static int add_assignment(struct argument_reader *reader,
                          const struct setting *setting, const char *text,
                          struct error *error) {
  struct arguments *arguments = reader->arguments;
  struct settings scratch;
  settings_default(&scratch, reader->commands);
  if (setting_give(&scratch, setting, text, error))
    return error_prefix(error, "--%s", setting->name);
  ARRAY_RESERVE(arguments->assignments, arguments->nassignments,
                arguments->assignments_room);
  arguments->assignments[arguments->nassignments++] =
      (struct assignment){setting, text};
  return 0;
}

// Is the next word what a flag would have after "="?
static bool next_is_switch(const struct argument_reader *reader) {
  static const char *const words[] = {"on", "off"};
  for (size_t i = 0; i < 2 && reader->next < reader->argc; i++)
    if (!strcmp(reader->argv[reader->next], words[i]))
      return true;
  return false;
}

// Takes an option's value: the rest of its word, the next word, or nothing.
static int take_option_value(struct argument_reader *reader,
                             const struct setting *setting, const char *rest,
                             struct error *error) {
  if (!rest && setting->type == SETTING_SWITCH && !next_is_switch(reader))
    rest = "on";
  if (!rest && reader->next < reader->argc)
    rest = reader->argv[reader->next++];
  if (!rest)
    return error_set(error, "--%s needs a value: --%s=%s", setting->name,
                     setting->name, setting->argument);
  return add_assignment(reader, setting, rest, error);
}

static int refuse_unknown_option(const struct argument_reader *reader,
                                 const char *option, const char *name,
                                 struct error *error) {
  const char *near = setting_nearest(name, reader->commands);
  if (near)
    return error_set(error,
                     "isostress %s has no option \"%s\", did you mean --%s?",
                     reader->command, option, near);
  return error_set(error,
                   "isostress %s has no option \"%s\"; `isostress help %s` "
                   "lists its options",
                   reader->command, option, reader->command);
}

static int take_long_option(struct argument_reader *reader, const char *option,
                            struct error *error) {
  char name[32] = "";
  size_t length = strcspn(option + 2, "=");
  strncat(name, option + 2, length < sizeof name ? length : sizeof name - 1);
  const char *value = option[2 + length] ? option + 2 + length + 1 : NULL;
  if (!strcmp(option, "--help")) {
    reader->arguments->help = true;
    return 0;
  }
  const struct setting *setting = setting_find(name, reader->commands);
  if (!setting) {
    char shown[40];
    memcpy(shown, "--", 2);
    memcpy(shown + 2, name, sizeof name);
    return refuse_unknown_option(reader, shown, name, error);
  }
  return take_option_value(reader, setting, value, error);
}

// One letter; its value may follow at once: -c8.
static int take_short_option(struct argument_reader *reader, const char *option,
                             struct error *error) {
  if (!strcmp(option, "-h")) {
    reader->arguments->help = true;
    return 0;
  }
  const struct setting *setting =
      setting_find_letter(option[1], reader->commands);
  if (!setting) {
    const char shown[] = {'-', option[1], '\0'};
    return refuse_unknown_option(reader, shown, option + 1, error);
  }
  return take_option_value(reader, setting, option[2] ? option + 2 : NULL,
                           error);
}

int arguments_read(int argc, char **argv, const char *command,
                   unsigned commands, struct arguments *arguments,
                   struct error *error) {
  struct argument_reader reader = {argc, argv, 0, command, commands, arguments};
  bool options = true;
  *arguments = (struct arguments){0};
  while (reader.next < argc) {
    const char *word = argv[reader.next++];
    int failed = 0;
    if (options && !strcmp(word, "--"))
      options = false;
    else if (options && word[0] == '-' && word[1] == '-')
      failed = take_long_option(&reader, word, error);
    else if (options && word[0] == '-' && word[1])
      failed = take_short_option(&reader, word, error);
    else
      add_argument_word(arguments, word);
    if (failed)
      return -1;
  }
  return 0;
}

void arguments_give(const struct arguments *arguments,
                    struct settings *settings) {
  for (uint32_t i = 0; i < arguments->nassignments; i++) {
    struct error error;
    const struct assignment *a = &arguments->assignments[i];
    if (setting_give(settings, a->setting, a->text, &error))
      assert(!"an assignment that was checked");
  }
}

static bool ends_in(const char *word, const char *ending) {
  size_t length = strlen(word), n = strlen(ending);
  return length > n && !strcmp(word + length - n, ending);
}

bool word_is_target(const char *word) {
  size_t n = 0;
  while (isalnum((unsigned char)word[n]) ||
         (n && word[n] && strchr("+-_", word[n])))
    n++;
  return (n && word[n] == ':') || ends_in(word, ".db") ||
         ends_in(word, ".sqlite") || ends_in(word, ".sqlite3");
}

int arguments_word(const struct arguments *arguments, const char **word,
                   struct error *error) {
  *word = NULL;
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    const char *other = arguments->words[i];
    if (*word && !word_is_target(other))
      return error_set(error, "%s and %s: name one of them", *word, other);
    if (!word_is_target(other))
      *word = other;
  }
  return 0;
}

int arguments_give_target_if_any(const struct arguments *arguments,
                                 struct settings *settings,
                                 struct error *error) {
  const struct setting *setting = setting_find("target", FOR_STEPS);
  const char *target = NULL;
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    const char *word = arguments->words[i];
    if (word_is_target(word) && target)
      return error_set(error, "more than one target: %s and %s", target, word);
    if (word_is_target(word))
      target = word;
  }
  return target && setting_give(settings, setting, target, error)
             ? error_prefix(error, "target")
             : 0;
}

int arguments_give_target(const struct arguments *arguments,
                          struct settings *settings, struct error *error) {
  const struct driver *loaded;
  if (arguments_give_target_if_any(arguments, settings, error)) {
    error->usage = true;
    return -1;
  }
  if (settings->target)
    return 0;
  if (own_driver_load(settings, &loaded, error))
    return -1;
  own_driver_name_target(settings, loaded);
  if (settings->target)
    return 0;
  return error_set_usage(error, "no target: name a database, such as "
                                "sqlite:/tmp/try.db or memory:");
}

void arguments_free(struct arguments *arguments) {
  free(arguments->assignments);
  free(arguments->words);
  *arguments = (struct arguments){0};
}

// Between quotes where a shell would take it apart.
static void put_option_word(FILE *out, const char *word) {
  const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                      "0123456789_-+=:,./@%";
  if (*word && !word[strspn(word, plain)]) {
    fputs(word, out);
    return;
  }
  putc('\'', out);
  for (const char *c = word; *c; c++)
    if (*c == '\'')
      fputs("'\\''", out);
    else
      putc(*c, out);
  putc('\'', out);
}

void arguments_put(FILE *out, const struct arguments *arguments) {
  char target[SETTING_MAX + 1];
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    const char *word = arguments->words[i];
    if (word_is_target(word))
      redact_target(word, target, sizeof target);
    putc(' ', out);
    put_option_word(out, word_is_target(word) ? target : word);
  }
  for (uint32_t i = 0; i < arguments->nassignments; i++) {
    const struct assignment *a = &arguments->assignments[i];
    if (!strcmp(a->setting->name, "out") || !strcmp(a->setting->name, "output"))
      continue;
    fprintf(out, " --%s", a->setting->name);
    if (a->setting->type == SETTING_SWITCH && !strcmp(a->text, "on"))
      continue;
    putc('=', out);
    put_option_word(out, a->text);
  }
}
