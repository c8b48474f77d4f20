// SPDX-License-Identifier: GPL-3.0-or-later
// Targets as they are typed, and levels by name.
#include "config.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "drivers/options.h"
#include "drivers/sql_text/sql_shape.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

// A driver that only remembers what it was asked to open.
struct remembered {
  struct target base;
  char place[100], user[100], mode[100];
  uint32_t nsessions;
  uint64_t seed;
};

static int remember(const struct target_spec *spec, struct target **target,
                    struct error *error) {
  if (!strcmp(spec->place, "nowhere"))
    return error_set(error, "nowhere cannot be opened");
  struct remembered *remembered = xcalloc(1, sizeof *remembered);
  snprintf(remembered->place, sizeof remembered->place, "%s", spec->place);
  snprintf(remembered->user, sizeof remembered->user, "%s",
           spec->values[0] ? spec->values[0] : "NULL");
  snprintf(remembered->mode, sizeof remembered->mode, "%s", spec->values[1]);
  remembered->nsessions = spec->nsessions;
  remembered->seed = spec->seed;
  *target = &remembered->base;
  return 0;
}

static void forget(struct target *target) { free(target); }

static bool knows_option(const char *name) { return !strcmp(name, "tls"); }

static const struct driver fake = {
    .abi = DRIVER_ABI,
    .name = "fake",
    .alias = "phony",
    .knows_option = knows_option,
    .options = (const struct driver_option[]){{"user", NULL, "any"},
                                              {"mode", "slow", "slow or fast"},
                                              {0}},
    .levels = (const struct driver_level[]){{"repeatable read", ISOLATION_SI},
                                            {"serializable", ISOLATION_SSER},
                                            {"Read Committed", ISOLATION_RC},
                                            {"SI", ISOLATION_RA},
                                            {0}},
    .open = remember,
    .close = forget,
};

static struct remembered *opened(const char *text, const char *const *extra) {
  struct target *target = NULL;
  struct error error = {0};
  int result = target_open(text, &fake, extra, 3, 42, &target, &error);
  if (!CHECK(!result))
    printf("# %s: %s\n", text, error.text);
  return (struct remembered *)target;
}

static void check_parts(const char *text, const char *const *extra,
                        const char *place, const char *user, const char *mode) {
  struct remembered *got = opened(text, extra);
  if (!got)
    return;
  CHECK(got->base.driver == &fake);
  CHECK_STR(got->place, place);
  CHECK_STR(got->user, user);
  CHECK_STR(got->mode, mode);
  CHECK_INT(got->nsessions, 3);
  CHECK_INT(got->seed, 42);
  target_close(&got->base);
}

static void check_refused(const char *text, const char *const *extra,
                          const char *sentence) {
  struct target *target = NULL;
  struct error error = {0};
  CHECK_INT(target_open(text, &fake, extra, 1, 0, &target, &error), -1);
  CHECK_STR(error.text, sentence);
}

static void targets_come_apart(void) {
  check_parts("fake:/tmp/x", NULL, "/tmp/x", "NULL", "slow");
  check_parts("fake:", NULL, "", "NULL", "slow");
  check_parts("FAKE:a:b", NULL, "a:b", "NULL", "slow");
  check_parts("fake:x?", NULL, "x", "NULL", "slow");
  check_parts("fake:x?user=me", NULL, "x", "me", "slow");
  check_parts("fake:x?user=me&MODE=fast", NULL, "x", "me", "fast");
  check_parts("fake:x?&user=&&mode=a=b&", NULL, "x", "", "a=b");
  check_parts("fake:x?user=a&user=b", NULL, "x", "b", "slow");
}

static void percent_is_decoded(void) {
  check_parts("fake:a%20b%3Fc%25", NULL, "a b?c%", "NULL", "slow");
  check_parts("fake:x?user=%26%3d%c3%A9", NULL, "x", "&=\xc3\xa9", "slow");
  check_parts("fake://me:p%40ss@host/a%20b?user=a%20b", NULL,
              "//me:p%40ss@host/a%20b", "a b", "slow");
}

static void bad_escapes_are_refused(void) {
  static const char sentence[] =
      "a % in a target must be followed by two hexadecimal digits but 00; a "
      "plain % is written %25";
  static const char *const bad[] = {
      "fake:100%", "fake:%2",       "fake:%zz",
      "fake:%00",  "fake:%2?x=1",   "fake:%-1",
      "fake:% 1",  "fake:x?user=%", "fake:x?user=%4&mode=fast"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    check_refused(bad[i], NULL, sentence);
}

static void extra_options_win(void) {
  const char *const extra[] = {"user=50%&up", "mode=fast", NULL};
  check_parts("fake:x?user=me", extra, "x", "50%&up", "fast");
}

static void options_of_the_library_stay(void) {
  check_parts("phony://h/b?tls=a%20b&user=me&tls=2", NULL,
              "//h/b?tls=a%20b&tls=2", "me", "slow");
  const char *const extra[] = {"tls=x y&z", NULL};
  check_parts("fake://h/b", extra, "//h/b?tls=x%20y%26z", "NULL", "slow");
  check_refused(
      "fake:x?tls=1", NULL,
      "fake has no option \"tls\"; `isostress list` shows its options");
  check_refused("fake://h?tls", NULL,
                "the option tls of fake needs a value: tls=VALUE");
}

static void unknown_options_are_refused(void) {
  check_refused("fake://u:pass?word@h/b", NULL,
                "the text behind the ? of the target is not NAME=VALUE; a ? "
                "in a password is written %3F");
  check_refused("fake:x?moed=fast", NULL,
                "fake has no option \"moed\"; did you mean \"mode\"?");
  check_refused(
      "fake:x?banana=1", NULL,
      "fake has no option \"banana\"; `isostress list` shows its options");
  check_refused("fake:x?user", NULL,
                "the option user of fake needs a value: user=VALUE");
  const char *const extra[] = {"usr=x", NULL};
  check_refused("fake:x", extra,
                "fake has no option \"usr\"; did you mean \"user\"?");
}

static void unknown_schemes_are_refused(void) {
  check_refused("fkae:x", NULL,
                "there is no driver \"fkae\"; did you mean fake:?");
  check_refused("SQLlite:x", NULL,
                "there is no driver \"SQLlite\"; did you mean sqlite:?");
  check_refused(
      "oracle9:x", NULL,
      "there is no driver \"oracle9\"; `isostress list` shows the drivers");
}

static void files_without_scheme_are_hinted_at(void) {
  check_refused("x.db", NULL,
                "\"x.db\" does not say which kind of database it is; did you "
                "mean sqlite:x.db?");
  check_refused("dir/y.SQLITE", NULL,
                "\"dir/y.SQLITE\" does not say which kind of database it is; "
                "did you mean sqlite:dir/y.SQLITE?");
  check_refused("/dev/null", NULL,
                "\"/dev/null\" does not say which kind of database it is; did "
                "you mean sqlite:/dev/null?");
}

static void passwords_are_not_repeated(void) {
  static const char sentence[] =
      "the target does not say which kind of database it is; write "
      "SCHEME:PLACE, such as sqlite:/tmp/test.db";
  check_refused("//me:secret@host/base", NULL, sentence);
  check_refused("secret", NULL, sentence);
  check_refused("", NULL, sentence);
  check_refused(":x", NULL, sentence);
}

static void what_open_says_is_passed_on(void) {
  check_refused("fake:nowhere", NULL, "nowhere cannot be opened");
}

static const char *level_of(const char *text) {
  struct error error = {0};
  const struct driver_level *level = driver_level(&fake, text, &error);
  return level ? level->name : "none";
}

static void levels_have_many_names(void) {
  CHECK_STR(level_of(NULL), "repeatable read");
  CHECK_STR(level_of("Repeatable Read"), "repeatable read");
  CHECK_STR(level_of("repeatable-read"), "repeatable read");
  CHECK_STR(level_of("READ_COMMITTED"), "Read Committed");
  CHECK_STR(level_of("snapshot isolation"), "repeatable read");
  CHECK_STR(level_of("sser"), "serializable");
  CHECK_STR(level_of("linearizable"), "serializable");
  // The database's own words come first, even where ours are stronger.
  CHECK_STR(level_of("serializable"), "serializable");
  CHECK_STR(level_of("si"), "SI");
}

static void unknown_levels_are_refused(void) {
  struct error error = {0};
  CHECK(driver_level(&fake, "ser", &error) == NULL);
  CHECK_STR(error.text,
            "fake has no isolation level \"ser\"; it has repeatable read (si), "
            "serializable (sser), Read Committed (rc), SI (ra)");
  CHECK(driver_level(&fake, "repeatable", &error) == NULL);
  CHECK(driver_level(&fake, "repeatable read!", &error) == NULL);
}

static void the_table_is_complete(void) {
  const struct driver *d;
  for (uint32_t i = 0; (d = drivers_at(i)) != NULL; i++) {
    CHECK_INT(d->abi, DRIVER_ABI);
    CHECK(d->name && d->summary && d->example);
    CHECK(d->open && d->close && d->setup && d->connect);
    CHECK(!strncmp(d->example, d->name, strlen(d->name)));
    for (uint32_t e = 0; e < i; e++)
      CHECK(strcmp(drivers_at(e)->name, d->name) != 0);
    for (const struct driver_option *o = d->options; o && o->name; o++)
      CHECK(o->help && *o->help);
  }
}

static void choices_are_words(void) {
  static const char *const words[] = {"wal", "delete", NULL};
  struct error error = {0};
  CHECK_INT(option_choice("journal", "delete", words, &error), 1);
  CHECK_INT(option_choice("journal", "WAL", words, &error), 0);
  CHECK_INT(option_choice("journal", "dleete", words, &error), -1);
  CHECK_STR(error.text,
            "journal=dleete is not possible; did you mean journal=delete?");
  CHECK_INT(option_choice("journal", "x", words, &error), -1);
  CHECK_STR(error.text, "journal=x is not possible; it can be wal, delete");
}

static void times_have_units(void) {
  static const struct {
    const char *text;
    uint32_t ms;
  } good[] = {{"5s", 5000}, {"100ms", 100}, {"2", 2000},      {"0.5s", 500},
              {"0", 0},     {"1m", 60000},  {"60m", 3600000}, {"1e3ms", 1000}};
  static const char *const bad[] = {"",     "s",     "-1",  "5 s",
                                    "5x",   "nan",   "inf", "61m",
                                    "3601", "1e300", " 5",  "5000000ms"};
  struct error error = {0};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    uint32_t ms = 1;
    CHECK_INT(option_milliseconds("busy", good[i].text, &ms, &error), 0);
    CHECK_INT(ms, good[i].ms);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    uint32_t ms = 77;
    CHECK_INT(option_milliseconds("busy", bad[i], &ms, &error), -1);
    CHECK_INT(ms, 77);
    CHECK(strstr(error.text, "is not a time up to 1 h") != NULL);
  }
}

static void keys_are_cells(void) {
  const struct sql_shape shape = {.table = "t", .tables = 3, .columns = 2};
  bool taken[3][4][2] = {0};
  uint64_t rows[3] = {0};
  for (uint64_t key = 0; key < 15; key++) {
    const struct sql_cell c = sql_cell(&shape, key);
    CHECK(c.table < 3 && c.row < 4 && c.column < 2 &&
          !taken[c.table][c.row][c.column]);
    taken[c.table][c.row][c.column] = true;
    rows[c.table] = c.row + 1;
  }
  for (uint32_t table = 0; table < 3; table++)
    CHECK_INT(sql_rows(&shape, 15, table), rows[table]);
}

int main(void) {
  return TAP_RUN({"targets come apart", targets_come_apart},
                 {"percent is decoded", percent_is_decoded},
                 {"bad escapes are refused", bad_escapes_are_refused},
                 {"extra options win", extra_options_win},
                 {"options of the library stay", options_of_the_library_stay},
                 {"unknown options are refused", unknown_options_are_refused},
                 {"unknown schemes are refused", unknown_schemes_are_refused},
                 {"files without scheme are hinted at",
                  files_without_scheme_are_hinted_at},
                 {"passwords are not repeated", passwords_are_not_repeated},
                 {"what open says is passed on", what_open_says_is_passed_on},
                 {"levels have many names", levels_have_many_names},
                 {"unknown levels are refused", unknown_levels_are_refused},
                 {"the table is complete", the_table_is_complete},
                 {"choices are words", choices_are_words},
                 {"times have units", times_have_units},
                 {"keys are cells", keys_are_cells});
}
