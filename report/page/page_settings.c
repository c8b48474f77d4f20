// SPDX-License-Identifier: GPL-3.0-or-later
// How a run was made, on its page (report/page/sections.h): the command that
// makes it again, what differs from the defaults, what the server says of
// itself, and all settings in a fold.
#include "config.h"

#include "report/page/sections.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/keys.h"

#include <stdlib.h>
#include <string.h>

// Those that say where results go: nothing of the run itself.
static bool setting_is_shown(const char *name) {
  static const char *const others[] = {"target", "out",  "output",  "junit",
                                       "name",   "jobs", "require", "progress"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strcmp(others[i], name))
      return false;
  return true;
}

// A flag that is on needs no value.
static void put_settings_option(FILE *out, const char *name,
                                const char *value) {
  fputs(" --", out);
  put_markup(out, name);
  if (!strcmp(value, "on"))
    return;
  fputc('=', out);
  page_shell_word(out, value);
}

// Another length takes the place of both settings that give one.
static bool is_replaced(const char *name, const char *option) {
  return option && (!strcmp(name, option) ||
                    (!strcmp(option, "time") && !strcmp(name, "transactions")));
}

void page_put_target(FILE *out, const struct json_value *run) {
  const char *target =
      json_text(json_member(run, KEY(settings)), KEY(target), "?");
  if (!*target)
    return;
  fputc(' ', out);
  page_shell_word(out, target);
}

void page_put_run_again(FILE *out, const struct json_value *run,
                        const char *option, const char *value) {
  const struct json_value *settings = json_member(run, KEY(settings));
  const struct json_value *defaults = json_member(run, KEY(defaults));
  page_start_command(out);
  fputs("isostress run", out);
  for (const struct json_value *d = defaults ? defaults->first : NULL; d;
       d = d->next)
    if (setting_is_shown(d->name) && !is_replaced(d->name, option))
      put_settings_option(out, d->name, json_text(settings, d->name, ""));
  if (option)
    put_settings_option(out, option, value);
  page_put_target(out, run);
  page_end_command(out);
}

static void put_settings_command(FILE *out, const struct json_value *run) {
  const struct json_value *settings = json_member(run, KEY(settings));
  page_put_run_again(out, run, NULL, NULL);
  if (strstr(json_text(settings, KEY(target), ""), "***"))
    fputs("<p class=\"soft\">Write the password in the place of "
          "<code>***</code>.</p>\n",
          out);
}

// A default that is made for each run.
static const char *words_of_default(const char *name, const char *usual) {
  return !strcmp(name, "seed")        ? "drawn at random"
         : !strcmp(name, "isolation") ? "the database\xe2\x80\x99s own"
         : *usual                     ? usual
                                      : "none";
}

static void put_settings_difference(FILE *out, const char *name,
                                    const char *value, const char *usual) {
  fputs("<dt><code>--", out);
  put_markup(out, name);
  fputs("</code></dt><dd>", out);
  put_markup(out, *value ? value : "none");
  fputs(" <span class=\"soft\">(the default: ", out);
  put_markup(out, words_of_default(name, usual));
  fputs(")</span></dd>\n", out);
}

static void put_differences(FILE *out, const struct json_value *run) {
  const struct json_value *settings = json_member(run, KEY(settings));
  const struct json_value *d = json_member(run, KEY(defaults))->first;
  fputs("<h3>Settings that differ from the defaults</h3>\n<dl class=\"kv\">\n",
        out);
  for (; d; d = d->next)
    if (setting_is_shown(d->name))
      put_settings_difference(out, d->name, json_text(settings, d->name, ""),
                              d->text ? d->text : "");
  fputs("</dl>\n", out);
}

static void put_server(FILE *out, const struct json_value *run) {
  const char *server = json_text(run, KEY(server), "");
  fputs("<h3>The server said of itself</h3>\n<p>", out);
  put_markup(out, *server ? server : "Nothing.");
  fputs("</p>\n", out);
}

static void put_all_settings(FILE *out, const struct json_value *run) {
  const struct json_value *settings = json_member(run, KEY(settings));
  fputs("<details><summary>All settings, as in its job file</summary>\n", out);
  page_table(out, "Settings of the run", NULL);
  for (const struct json_value *s = settings ? settings->first : NULL; s;
       s = s->next) {
    page_start_row(out, s->name);
    page_cell(out, "", s->type == JSON_STRING ? s->text : "");
    fputs("</tr>\n", out);
  }
  page_end_table(out);
  fputs("</details>\n", out);
}

static void put_job_file(FILE *out, const char *directory) {
  if (!directory)
    return;
  fputs("<p>Or from its job file, which has no password: <code>isostress run ",
        out);
  put_markup(out, directory);
  fputs("/job.ini</code></p>\n", out);
}

// Pgbench scripts with their schema are a program, too.
static void put_exploring(FILE *out, const struct json_value *run) {
  const struct json_value *settings = json_member(run, KEY(settings));
  const char *schema = json_text(settings, KEY(schema), "");
  if (!*schema)
    return;
  fputs("<p>All outcomes of a few such sessions, with numbers instead of "
        "random():</p>\n",
        out);
  page_start_command(out);
  fputs("isostress explore --schema ", out);
  page_shell_word(out, schema);
  char *scripts = xstrdup(json_text(settings, KEY(workload), ""));
  for (char *rest = scripts, *script; (script = strsep(&rest, ","));) {
    script[strcspn(script, "@")] = '\0'; // there it is a number of sessions
    fputc(' ', out);
    page_shell_word(out, script);
    fputs("@2", out);
  }
  free(scripts);
  page_end_command(out);
}

void page_put_settings(FILE *out, const struct json_value *document) {
  const struct json_value *run = json_member(document, KEY(run));
  const char *directory = json_text(document, KEY(directory), NULL);
  page_section(out, "settings", "How it was run");
  // Reports of older versions do not say what the defaults were.
  if (json_member(run, KEY(defaults))) {
    fputs("<h3>The same run again</h3>\n", out);
    put_settings_command(out, run);
    put_job_file(out, directory);
    put_differences(out, run);
  }
  put_exploring(out, run);
  put_server(out, run);
  put_all_settings(out, run);
  fputs("</section>\n", out);
}
