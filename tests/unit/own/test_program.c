// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of the user's (own/program.h): what they say, and each way to fail.
#include "config.h"

#include "own/program.h"

#include "base/clock.h"
#include "base/memory.h"
#include "tests/tap.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONG_ENOUGH (120 * NS_PER_SECOND)

static char place[] = "/tmp/isostress-program.XXXXXX";

static char *write_program(const char *body, mode_t mode) {
  char *path = xasprintf("%s/app.sh", place);
  FILE *file = fopen(path, "w");
  fprintf(file, "%s", body);
  fclose(file);
  chmod(path, mode);
  return path;
}

static bool never(const void *context) {
  (void)context;
  return false;
}

static bool at_once(const void *context) {
  (void)context;
  return true;
}

// Starts a shell script, and reads what it says first.
static enum raw_said hear(const char *body, uint64_t patience,
                          struct error *error) {
  char *text = xasprintf("#!/bin/sh\n%s\n", body);
  char *path = write_program(text, 0700);
  const struct json_value *message;
  *error = (struct error){0};
  struct raw_program *p = raw_program_start(path, 3, 7, patience, error);
  const enum raw_said said =
      p ? raw_program_read(p, never, NULL, &message, error) : RAW_SAID_TROUBLE;
  raw_program_stop(p);
  FREE_EACH(text, path);
  return said;
}

// The sentence without the place of the program.
static const char *words_of(const struct error *error) {
  const char *of = strstr(error->text, "app.sh");
  return of ? of : error->text;
}

static void programs_are_known(void) {
  const struct {
    const char *body;
    mode_t mode;
    bool is;
  } all[] = {{"#!/bin/sh\nexit\n", 0700, true},
             {"#!/bin/sh\nexit\n", 0600, false},
             {"\177ELF\1", 0700, true},
             {"SELECT 1;\n", 0700, false},
             {"", 0700, false}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char *path = write_program(all[i].body, all[i].mode);
    CHECK(raw_program_is(path) == all[i].is);
    free(path);
  }
  CHECK(!raw_program_is("/"));
  CHECK(!raw_program_is("/no/such/file"));
}

static void lines_go_both_ways(void) {
  struct error error = {0};
  const struct json_value *m = NULL;
  char *path = write_program(
      "#!/bin/sh\n"
      "printf '{\"sql\": \"%s\"}\\n{\"commit\": 1}\\n' \"$ISOSTRESS_SESSION\"\n"
      "read -r line\nprintf '{\"sql\": \"%s\"}\\n' \"$line\"\n",
      0700);
  struct raw_program *p = raw_program_start(path, 3, 7, LONG_ENOUGH, &error);
  CHECK(p);
  CHECK_INT(raw_program_read(p, never, NULL, &m, &error), RAW_SAID_LINE);
  CHECK_STR(json_text(m, "sql", ""), "3");
  CHECK_INT(raw_program_read(p, never, NULL, &m, &error), RAW_SAID_LINE);
  CHECK(json_member(m, "commit"));
  CHECK_INT(raw_program_read(p, at_once, NULL, &m, &error), RAW_SAID_STOP);
  CHECK_INT(raw_program_write(p, "back\n", 5, &error), 0);
  CHECK_INT(raw_program_read(p, never, NULL, &m, &error), RAW_SAID_LINE);
  CHECK_STR(json_text(m, "sql", ""), "back");
  CHECK_INT(raw_program_read(p, never, NULL, &m, &error), RAW_SAID_NOTHING);
  CHECK_STR(error.text, "");
  raw_program_stop(p);
  free(path);
}

static void failures_have_a_sentence(void) {
  const struct {
    const char *body, *words;
  } all[] = {
      {"echo hello", "app.sh of session 3 wrote a line that is no request: "
                     "\"hello\"; a request is such as {\"sql\": \"SELECT 1\"}"},
      {"echo '[1]'", "app.sh of session 3 wrote a line that is no request: "
                     "\"[1]\"; a request is such as {\"sql\": \"SELECT 1\"}"},
      {"exit 3", "app.sh of session 3 ended with status 3"},
      {"kill -9 $$", "app.sh of session 3 was ended by signal 9"},
      {"printf '{\"sql\"'", "app.sh of session 3 ended within a line"},
  };
  struct error error;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    CHECK_INT(hear(all[i].body, LONG_ENOUGH, &error), RAW_SAID_TROUBLE);
    CHECK_STR(words_of(&error), all[i].words);
  }
  CHECK_INT(hear("exit 0", LONG_ENOUGH, &error), RAW_SAID_NOTHING);
  CHECK_INT(hear("read -r line", 1000000, &error), RAW_SAID_TROUBLE);
  CHECK_STR(words_of(&error),
            "app.sh of session 3 has written nothing for 0.001 s");
}

static void who_does_not_read_is_not_waited_for(void) {
  struct error error = {0};
  char *path = write_program("#!/bin/sh\nexec sleep 1000\n", 0700);
  struct raw_program *p = raw_program_start(path, 3, 7, 50000000, &error);
  const size_t bytes = 1 << 22; // more than a pipe holds
  char *much = xmalloc(bytes);
  memset(much, ' ', bytes);
  CHECK_INT(raw_program_write(p, much, bytes, &error), -1);
  CHECK_STR(words_of(&error),
            "app.sh of session 3 has not read its answers for 0.05 s");
  raw_program_stop(p); // which ends it
  FREE_EACH(much, path);
}

static void what_cannot_start_is_told(void) {
  struct error error = {0};
  CHECK(!raw_program_start("/no/such/app", 3, 7, LONG_ENOUGH, &error));
  CHECK_STR(error.text, "the program /no/such/app of session 3 cannot be "
                        "started: No such file or directory");
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  if (!mkdtemp(place))
    return 1;
  const int status =
      TAP_RUN({"programs are known", programs_are_known},
              {"lines go both ways", lines_go_both_ways},
              {"failures have a sentence", failures_have_a_sentence},
              {"who does not read is not waited for",
               who_does_not_read_is_not_waited_for},
              {"what cannot start is told", what_cannot_start_is_told});
  char *path = xasprintf("%s/app.sh", place);
  unlink(path);
  rmdir(place);
  free(path);
  return status;
}
