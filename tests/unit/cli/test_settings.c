// SPDX-License-Identifier: GPL-3.0-or-later
// Settings: numbers with units, values that are written as they are read, and
// passwords that are not written.
#include "config.h"

#include "base/units.h"
#include "cli/settings/redact.h"
#include "cli/settings/settings.h"
#include "tests/tap.h"

#include <stdlib.h>

static double number(const char *text) {
  double value;
  return units_read_number(text, &value) ? value : -1;
}

static double ns(const char *text) {
  double value;
  return units_read_time(text, &value) ? value : -1;
}

static void reads_numbers(void) {
  CHECK(number("8") == 8);
  CHECK(number("10k") == 10000);
  CHECK(number("1.5M") == 1500000);
  CHECK(number("1e6") == 1000000);
  CHECK(number(".5") == 0.5);
  CHECK(number("-3") == -3);
  const char *const none[] = {"",     " 8",  "8 ",    "k",    "10q",
                              "0x10", "inf", "nan",   "-",    "1e999",
                              "8kk",  "+8",  "1,000", "eight"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    CHECK_INT(number(none[i]), -1);
}

static void reads_times(void) {
  CHECK(ns("10") == 10e9);
  CHECK(ns("100ms") == 100e6);
  CHECK(ns("1.5s") == 1.5e9);
  CHECK(ns("5m") == 300e9);
  CHECK(ns("2h") == 7200e9);
  CHECK(ns("20us") == 20e3);
  CHECK(ns("7ns") == 7);
  CHECK(ns("5x") == -1);
  CHECK(ns("ms") == -1);
}

static void reads_shares(void) {
  double share;
  CHECK(units_read_share("10%", &share) && share == 0.1);
  CHECK(units_read_share("0.1", &share) && share == 0.1);
  CHECK(!units_read_share("10%%", &share));
}

static void writes_what_it_reads(void) {
  const double numbers[] = {0,   1,   0.1,  0.99, 1.0 / 3,     1000,
                            1e6, 4e9, 1e-7, 1e15, 123456789.25};
  char text[UNITS_TEXT];
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    units_write_number(numbers[i], text);
    CHECK(number(text) == numbers[i]);
  }
  const uint64_t times[] = {0, 1, 999, 1000, 1500000, 10000000000, 60000000001};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    units_write_time(times[i], text);
    CHECK(ns(text) == (double)times[i]);
  }
  units_write_number(1000, text);
  CHECK_STR(text, "1000");
  units_write_time(1500000000, text);
  CHECK_STR(text, "1500ms");
}

// Some value of every row that is not its default.
static const char *unusual_value(const struct setting *setting) {
  static const char *const values[] = {
      [SETTING_TEXT] = "some text; really",
      [SETTING_TARGET] = "sqlite:/tmp/x.db?busy=1s",
      [SETTING_BUG] = "LostUpdate:0.25",
      [SETTING_FORMAT] = "jsonl",
      [SETTING_COUNT] = "3",
      [SETTING_SEED] = "18446744073709551615",
      [SETTING_TIME] = "1234567891ns",
      [SETTING_SHARE] = "12.5%",
      [SETTING_RATE] = "1.5k",
      [SETTING_SWITCH] = "on",
      [SETTING_WORKLOAD] = "append",
      [SETTING_DISTRIBUTION] = "hotspot:0.7:0.123456789",
      [SETTING_CHECK] = "auto",
      [SETTING_LEVELS] = "si,sser,auto,recorded",
      [SETTING_OUTPUT] = "json",
      [SETTING_ROUTING] = "hop",
      [SETTING_BACKOFF] = "exponential:5ms",
      [SETTING_INITIAL] = "first-read",
      [SETTING_MODEL] = "list",
      [SETTING_LOG_MODEL] = "bank?total=100",
      [SETTING_DUPLICATES] = "allow",
      [SETTING_RC] = "mixed",
      [SETTING_METHOD] = "naive",
      [SETTING_READS] = "plain",
      [SETTING_STREAM] = "on",
  };
  return values[setting->type];
}

static void every_setting_reads_back(void) {
  struct settings once, again;
  char text[SETTING_MAX + 1], twice[SETTING_MAX + 1];
  struct error error = {0};
  for (const struct setting *s = settings_table; s->name; s++) {
    settings_default(&once, FOR_RUN);
    settings_default(&again, FOR_RUN);
    CHECK_INT(setting_give(&once, s, unusual_value(s), &error), 0);
    setting_write(&once, s, text);
    CHECK(!s->default_value || strcmp(text, s->default_value) ||
          s->type == SETTING_SWITCH);
    CHECK_INT(setting_give(&again, s, text, &error), 0);
    setting_write(&again, s, twice);
    CHECK_STR(twice, text);
    CHECK(setting_is_given(&once, s->name));
    CHECK_STR(error.text, "");
  }
}

static void defaults_are_the_workloads(void) {
  struct settings settings;
  struct workload_options options;
  settings_default(&settings, FOR_RUN);
  workload_defaults(&options);
  CHECK_INT(settings.clients, options.nsessions);
  CHECK_INT(settings.keys, options.nkeys);
  CHECK_INT(settings.ops, options.ops);
  CHECK(settings.read_ratio == options.read_ratio);
  CHECK(settings.long_share == options.long_share);
  CHECK_INT(settings.long_ops, options.long_ops);
  CHECK_INT(settings.max_length, options.max_length);
  CHECK_INT(settings.distribution.distribution, options.distribution);
  CHECK(settings.distribution.theta == options.theta);
  CHECK(settings.workload == workloads[0]);
}

static void ranges_are_the_workloads(void) {
  struct settings settings;
  struct error error;
  static const struct {
    const char *name, *high;
  } rows[] = {{"keys", "4G"},      {"ops", "1024"},      {"read-ratio", "1"},
              {"long-share", "1"}, {"long-ops", "1024"}, {"max-length", "1M"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct setting *setting = setting_find(rows[i].name, FOR_RUN);
    settings_default(&settings, FOR_RUN);
    CHECK_INT(setting_give(&settings, setting, rows[i].high, &error), 0);
    struct workload_options options = settings.distribution;
    options.nkeys = settings.keys;
    options.ops = (uint32_t)settings.ops;
    options.read_ratio = settings.read_ratio;
    options.long_share = settings.long_share;
    options.long_ops = (uint32_t)settings.long_ops;
    options.max_length = (uint32_t)settings.max_length;
    CHECK_INT(workload_check(workloads[0], &options, &error), 0);
  }
}

// The help of a command shows what settings_default gives it.
static void commands_have_the_defaults_of_their_help(void) {
  struct settings settings, shown;
  char text[SETTING_MAX + 1], wanted[SETTING_MAX + 1];
  struct error error;
  for (unsigned command = FOR_RUN; command <= FOR_CLEAN; command *= 2) {
    settings_default(&settings, command);
    for (const struct setting *s = settings_table; s->name; s++) {
      const char *value = setting_default(s, command);
      if (!(s->commands & command) || !value)
        continue;
      settings_default(&shown, command);
      CHECK_INT(setting_give(&shown, s, value, &error), 0);
      setting_write(&settings, s, text);
      setting_write(&shown, s, wanted);
      CHECK_STR(text, wanted);
    }
  }
  settings_default(&settings, FOR_SCORECARD);
  CHECK_INT(settings.time, 3000000000);
  settings_default(&settings, FOR_RUN);
  CHECK_INT(settings.time, 10000000000);
}

static void every_row_has_its_place_in_the_help(void) {
  for (const struct setting *s = settings_table; s->name; s++) {
    CHECK(s->group >= GROUP_LOAD && s->group < GROUPS_END);
    CHECK(!(s->common & ~s->commands));
  }
}

static void names_and_letters_are_unique(void) {
  for (const struct setting *s = settings_table; s->name; s++) {
    CHECK(setting_find(s->name, s->commands) == s);
    CHECK(!s->letter || setting_find_letter(s->letter, s->commands) == s);
    CHECK(s->argument || s->type == SETTING_SWITCH);
  }
  CHECK(!setting_find("keep", FOR_RUN));
  CHECK(!setting_find_letter('c', FOR_CHECK));
  CHECK_STR(setting_nearest("clinets", FOR_RUN), "clients");
}

static void refuses_what_a_job_file_can_not_hold(void) {
  const struct setting *out = setting_find("out", FOR_RUN);
  char longest[SETTING_MAX + 2];
  struct settings settings;
  struct error error;
  settings_default(&settings, FOR_RUN);
  memset(longest, 'x', sizeof longest - 1);
  longest[SETTING_MAX + 1] = '\0';
  const char *const bad[] = {" a", "a ", "a\nb", "a ;b", ";a", longest};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_INT(setting_give(&settings, out, bad[i], &error), -1);
  longest[SETTING_MAX] = '\0';
  CHECK_INT(setting_give(&settings, out, longest, &error), 0);
}

static void hides_passwords(void) {
  static const struct {
    const char *target, *shown;
  } targets[] = {
      {"sqlite:/tmp/x.db", "sqlite:/tmp/x.db"},
      {"memory:", "memory:"},
      {"postgresql://u:p@h/db", "postgresql://u:***@h/db"},
      {"postgresql://u:p@q@h:5/db", "postgresql://u:***@h:5/db"},
      {"postgresql://u:p/w@h/db", "postgresql://u:***@h/db"},
      {"postgresql://u:p%40@[::1]:5/db", "postgresql://u:***@[::1]:5/db"},
      {"redis://:secret@h:6379", "redis://:***@h:6379"},
      {"mysql://h:3306/a@b", "mysql://h:3306/a@b"},
      {"mysql://u@h/db", "mysql://u@h/db"},
      {"postgresql://h/db?user=u&password=p&x=1",
       "postgresql://h/db?user=u&password=***&x=1"},
      {"postgresql://u:a@h/db?sslPassword=b",
       "postgresql://u:***@h/db?sslPassword=***"},
      {"postgresql:host=h password='a b' dbname=d",
       "postgresql:host=h password=*** dbname=d"},
      {"x://u:@h?token=", "x://u:***@h?token=***"},
  };
  char text[SETTING_MAX + 1];
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    redact_target(targets[i].target, text, sizeof text);
    CHECK_STR(text, targets[i].shown);
    CHECK(is_redacted(text) == (strstr(text, "***") != NULL));
  }
  redact_target("postgresql://u:p@h/db", text, 16);
  CHECK_STR(text, "postgresql://u:");
}

static void leaves_out_what_was_hidden(void) {
  static const struct {
    const char *redacted, *left;
  } targets[] = {
      {"postgresql://u:***@h:5/db", "postgresql://u@h:5/db"},
      {"postgresql://u:***@h,i:6/db?x=1", "postgresql://u@h,i:6/db?x=1"},
      {"redis://:***@h:6379", "redis://h:6379"},
      {"postgresql://h/db?user=u&password=***&x=1",
       "postgresql://h/db?user=u&x=1"},
      {"postgresql://h/db?password=***&x=1", "postgresql://h/db?x=1"},
      {"postgresql://h/db?user=u&password=***", "postgresql://h/db?user=u"},
      {"postgresql://u:secret@h/db", "postgresql://u:secret@h/db"},
      {"x://h?sslpassword=***", "x://h?sslpassword=***"},
      {"memory:?token=***", "memory:?token=***"},
      {"sqlite:a.db", "sqlite:a.db"},
  };
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    char *left = redact_left_out(targets[i].redacted);
    CHECK_STR(left, targets[i].left);
    free(left);
  }
}

static void hides_passwords_in_sentences(void) {
  char text[64] = "cannot reach x://u:pw@h: pw is wrong";
  redact_text("x://u:pw@h", text, sizeof text);
  CHECK_STR(text, "cannot reach x://u:***@h: *** is wrong");
  char full[8] = "a aaa a";
  redact_text("x://u:a@h", full, sizeof full);
  CHECK_STR(full, "*** aaa");
  char within[32] = "port p: xlongx";
  redact_text("x://u:p@h?password=long", within, sizeof within);
  CHECK_STR(within, "port ***: x***x");
  char none[16] = "nothing";
  redact_text("x://u:@h", none, sizeof none);
  CHECK_STR(none, "nothing");
}

static void hides_passwords_of_arguments(void) {
  static const char *const arguments[][2] = {
      {"x://u:p%40w@h/db?password=a&tables=4",
       "x://u:*****@h/db?password=*&tables=4"},
      {"--target=x://u:@h", "--target=x://u:@h"},
      {"--target=x://u:pw@h", "--target=x://u:**@h"},
      {"-T", "-T"},
  };
  char text[64];
  for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
    snprintf(text, sizeof text, "%s", arguments[i][0]);
    redact_in_place(text);
    CHECK_STR(text, arguments[i][1]);
  }
}

int main(void) {
  return TAP_RUN(
      {"numbers are read", reads_numbers}, {"times are read", reads_times},
      {"shares are read", reads_shares},
      {"writes what it reads", writes_what_it_reads},
      {"every setting reads back", every_setting_reads_back},
      {"defaults are the workloads'", defaults_are_the_workloads},
      {"ranges are the workloads'", ranges_are_the_workloads},
      {"commands have the defaults of their help",
       commands_have_the_defaults_of_their_help},
      {"every row has its place in the help",
       every_row_has_its_place_in_the_help},
      {"names and letters are unique", names_and_letters_are_unique},
      {"refuses what a job file cannot hold",
       refuses_what_a_job_file_can_not_hold},
      {"passwords are hidden", hides_passwords},
      {"leaves out what was hidden", leaves_out_what_was_hidden},
      {"hides passwords in sentences", hides_passwords_in_sentences},
      {"hides passwords of arguments", hides_passwords_of_arguments});
}
