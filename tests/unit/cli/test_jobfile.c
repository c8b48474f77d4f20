// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of job files: what sections say, and the line of each mistake.
#include "config.h"

#include "cli/settings/jobfile.h"
#include "tests/tap.h"

#include <stdlib.h>

static int read_text(const char *text, struct jobfile *jobfile,
                     struct error *error) {
  *jobfile = (struct jobfile){0};
  return jobfile_read_bytes("j.ini", text, strlen(text), jobfile, error);
}

static void check_mistake(const char *text, const char *sentence) {
  struct jobfile jobfile;
  struct error error = {0};
  CHECK_INT(read_text(text, &jobfile, &error), -1);
  CHECK_STR(error.text, sentence);
  jobfile_free(&jobfile);
}

static void sections_inherit(void) {
  struct jobfile jobfile;
  struct error error = {0};
  struct settings settings;
  CHECK_INT(read_text("; comment\n[a]\nkeys = 5 ; few\n[global]\nkeys=7\n"
                      "  clients : 3\n\n[ b ]\n[c]\r\nclients = 4\r\n",
                      &jobfile, &error),
            0);
  const char *names = "abc";
  const uint64_t keys[] = {5, 7, 7}, clients[] = {3, 3, 4};
  uint32_t s = jobfile_first(&jobfile);
  for (int i = 0; i < 3; i++, s = jobfile_next(&jobfile, s)) {
    settings_default(&settings, FOR_RUN);
    jobfile_give(&jobfile, s, &settings);
    CHECK(strchr(jobfile.sections[s].name, names[i]));
    CHECK_INT(settings.keys, keys[i]);
    CHECK_INT(settings.clients, clients[i]);
  }
  CHECK_INT(s, UINT32_MAX);
  CHECK(!setting_is_given(&settings, "time"));
  jobfile_free(&jobfile);
}

static void global_alone_is_a_job(void) {
  struct jobfile jobfile;
  struct error error = {0};
  struct settings settings;
  CHECK_INT(read_text("\xef\xbb\xbf[global]\nkeys = 7", &jobfile, &error), 0);
  uint32_t s = jobfile_first(&jobfile);
  CHECK_INT(s, 0);
  CHECK_INT(jobfile_next(&jobfile, s), UINT32_MAX);
  settings_default(&settings, FOR_RUN);
  jobfile_give(&jobfile, s, &settings);
  CHECK_INT(settings.keys, 7);
  jobfile_free(&jobfile);
}

static void mistakes_have_a_line(void) {
  check_mistake("", "j.ini: is not a job file: it has no [section]");
  check_mistake("; nothing\n", "j.ini: is not a job file: it has no [section]");
  check_mistake("keys = 5\n", "j.ini:1: a setting must follow a [section]");
  check_mistake("[a]\nkeys = 0\n",
                "j.ini:2: keys: must be between 1 and 4000000000, not 0");
  check_mistake("[a]\n\nkyes = 5\n",
                "j.ini:3: there is no setting \"kyes\", did you mean keys?");
  check_mistake("[a]\nzzzzzzzzzz = 5\n",
                "j.ini:2: there is no setting \"zzzzzzzzzz\"; `isostress help "
                "run` lists the settings");
  check_mistake("[a]\nkeys = 5\nkeys = 6\n",
                "j.ini:3: keys is set already, in line 2");
  check_mistake("[a]\n[b]\n[a]\n",
                "j.ini:3: there is a section [a] already, in line 1");
  check_mistake("[a]\nkeys\n", "j.ini:2: expected [section], name = value, or "
                               "a comment after ;");
  check_mistake("[a\nkeys = 5\n", "j.ini:1: expected [section], name = value, "
                                  "or a comment after ;");
  check_mistake("[a]\nkeys = \n", "j.ini:2: keys: needs a value");
}

static void the_first_mistake_counts(void) {
  check_mistake("[a]\nkeys\nkeys = 0\n", "j.ini:2: expected [section], name = "
                                         "value, or a comment after ;");
  check_mistake("[a]\nkeys = 0\nkeys\n",
                "j.ini:2: keys: must be between 1 and 4000000000, not 0");
}

static void long_lines(void) {
  char text[8192] = "[a]\nout = ";
  memset(text + strlen(text), 'x', SETTING_MAX);
  struct jobfile jobfile;
  struct error error = {0};
  CHECK_INT(read_text(text, &jobfile, &error), 0);
  CHECK_INT(strlen(jobfile.settings[0].text), SETTING_MAX);
  jobfile_free(&jobfile);
  strcat(text, "x");
  check_mistake(text, "j.ini:2: out: is longer than 3000 characters");
  memset(text + strlen(text), 'x', 5000);
  check_mistake(text, "j.ini:2: the line is too long");
}

static void refuses_zero_bytes(void) {
  struct jobfile jobfile = {0};
  struct error error = {0};
  CHECK_INT(jobfile_read_bytes("j.ini", "[a]\n\0", 5, &jobfile, &error), -1);
  CHECK_STR(error.text, "j.ini: is not a job file: it holds a zero byte");
  jobfile_free(&jobfile);
}

// A written job file is complete: all settings come back as they were.
static void writes_what_it_reads(void) {
  struct jobfile jobfile;
  struct error error = {0};
  struct settings once, again;
  char *text = NULL, *repeated = NULL;
  size_t length;
  CHECK_INT(read_text("[a]\nkeys = 5\nseed = 7\ntransactions = 3\ntime = 0\n"
                      "distribution = zipfian:1.25\nworkload = append\n"
                      "check = si\nop-times = on\ntarget = sqlite:x.db\n",
                      &jobfile, &error),
            0);
  settings_default(&once, FOR_RUN);
  jobfile_give(&jobfile, 0, &once);
  FILE *file = open_memstream(&text, &length);
  jobfile_write(file, "a", &once);
  fclose(file);
  struct jobfile written;
  CHECK_INT(read_text(text, &written, &error), 0);
  settings_default(&again, FOR_RUN);
  jobfile_give(&written, 0, &again);
  file = open_memstream(&repeated, &length);
  jobfile_write(file, "a", &again);
  fclose(file);
  CHECK_STR(repeated, text);
  CHECK_INT(again.time, 0);
  CHECK_INT(again.keys, 5);
  CHECK_STR(again.target, "sqlite:x.db");
  for (const struct setting *s = settings_table; s->name; s++)
    CHECK(!(s->commands & FOR_RUN) || setting_is_given(&again, s->name));
  jobfile_free(&jobfile);
  jobfile_free(&written);
  free(text);
  free(repeated);
}

int main(void) {
  return TAP_RUN({"sections inherit from [global]", sections_inherit},
                 {"[global] alone is a job", global_alone_is_a_job},
                 {"mistakes have a line", mistakes_have_a_line},
                 {"the first mistake counts", the_first_mistake_counts},
                 {"long lines of a job file", long_lines},
                 {"refuses zero bytes", refuses_zero_bytes},
                 {"writes what it reads", writes_what_it_reads});
}
