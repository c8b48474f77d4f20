// SPDX-License-Identifier: GPL-3.0-or-later
// Reads recipes through libinih (cli/repro/recipe.h).
#include "config.h"

#include "cli/repro/recipe.h"

#include "base/nearest.h"

#include <errno.h>
#include <ini.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(struct recipe, name)

static const struct key {
  const char *name;
  size_t offset; // of a const char * in struct recipe
  bool required;
} keys[] = {
    {"title", FIELD(title), true},      {"database", FIELD(database), true},
    {"server", FIELD(server), false},   {"settings", FIELD(settings), false},
    {"hosts", FIELD(hosts), false},     {"options", FIELD(options), false},
    {"needs", FIELD(needs), false},     {"claims", FIELD(claims), true},
    {"expect", FIELD(expect), true},    {"steps", FIELD(steps), false},
    {"faults", FIELD(faults), false},   {"source", FIELD(source), true},
    {"assumes", FIELD(assumes), false},
};
enum { NKEYS = sizeof keys / sizeof *keys };

struct recipe_reading {
  struct recipe *recipe;
  struct error *error; // of the first mistake; empty: none
};

static const char **field_of(struct recipe *recipe, const struct key *key) {
  return (const char **)((char *)recipe + key->offset);
}

static int take_recipe_key(struct recipe_reading *r, const char *name,
                           const char *value) {
  const char *names[NKEYS + 1] = {NULL};
  for (size_t i = 0; i < NKEYS; i++) {
    names[i] = keys[i].name;
    if (!strcmp(name, keys[i].name)) {
      *field_of(r->recipe, &keys[i]) = arena_strdup(&r->recipe->arena, value);
      return 0;
    }
  }
  const char *near = nearest(name, names);
  return error_set(r->error,
                   near ? "there is no key \"%.64s\" in a recipe, did you mean "
                          "%s?"
                        : "there is no key \"%.64s\" in a recipe",
                   name, near);
}

static int take_recipe_setting(struct recipe_reading *r, const char *name,
                               const char *value) {
  const struct setting *setting = setting_find(name, FOR_RUN);
  if (!setting)
    return error_set(r->error, "there is no setting \"%.64s\" of a run", name);
  if (setting_give(&r->recipe->run, setting,
                   arena_strdup(&r->recipe->arena, value), r->error))
    return error_prefix(r->error, "%s", name);
  return 0;
}

// Called by libinih; 0 is its word for failure.
static int take_recipe_line(void *context, const char *section,
                            const char *name, const char *value) {
  struct recipe_reading *r = context;
  if (r->error->text[0])
    return 0;
  if (!strcmp(section, "recipe"))
    return !take_recipe_key(r, name, value);
  if (!strcmp(section, "run"))
    return !take_recipe_setting(r, name, value);
  error_set(r->error, "a recipe has the sections [recipe] and [run] only");
  return 0;
}

static int check_whole_recipe(const char *path, struct recipe *recipe,
                              struct error *error) {
  for (size_t i = 0; i < NKEYS; i++)
    if (keys[i].required && !*field_of(recipe, &keys[i]))
      return error_set(error, "%s: the section [recipe] does not say \"%s\"",
                       path, keys[i].name);
  if (!recipe->server && !recipe->needs && !recipe->run.target)
    return error_set(
        error, "%s: says neither which server to start nor a target", path);
  return 0;
}

static const char *recipe_name(struct recipe *recipe, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  return arena_printf(&recipe->arena, "%.*s",
                      (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
}

int recipe_read(const char *path, struct recipe *recipe, struct error *error) {
  struct recipe_reading r = {.recipe = recipe, .error = error};
  *recipe = (struct recipe){0};
  error->text[0] = '\0';
  settings_default(&recipe->run, FOR_RUN);
  recipe->name = recipe_name(recipe, path);
  const int line = ini_parse(path, take_recipe_line, &r);
  if (line == -1)
    return error_set(error, "%s: %s", path, strerror(errno));
  if (line > 0 && !error->text[0])
    error_set(error, "expected [SECTION] or NAME = VALUE");
  if (line)
    return error_prefix(error, "%s:%d", path, line);
  return check_whole_recipe(path, recipe, error);
}

void recipe_free(struct recipe *recipe) {
  arena_free(&recipe->arena);
  *recipe = (struct recipe){0};
}
