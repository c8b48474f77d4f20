// SPDX-License-Identifier: GPL-3.0-or-later
// The look of a value of each type of setting: how it is read and how it is
// written, so that what was written reads back as the same
// (cli/settings/settings.h).
#include "config.h"

#include "cli/settings/settings.h"

#include "base/nearest.h"
#include "base/units.h"
#include "cli/settings/levels.h"
#include "cli/settings/redact.h"
#include "drivers/memory/bugs.h"
#include "models/models.h"
#include "recorder/files/reader.h"
#include "workload/daily.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// How one type is read into its field and written.
struct setting_kind {
  int (*read)(const struct setting *setting, void *field, const char *text,
              struct error *error);
  void (*write)(const void *field, char *text);
};

// The readers.

static int read_text_setting(const struct setting *setting, void *field,
                             const char *text, struct error *error) {
  (void)setting, (void)error;
  *(const char **)field = *text ? text : NULL;
  return 0;
}

// An anomaly of the driver memory; kept as it was typed.
static int read_bug(const struct setting *setting, void *field,
                    const char *text, struct error *error) {
  enum bug bug;
  double probability;
  if (*text && bug_parse(text, &bug, &probability, error))
    return -1;
  return read_text_setting(setting, field, text, error);
}

// The name of a history format; kept as it was typed.
static int read_format(const struct setting *setting, void *field,
                       const char *text, struct error *error) {
  if (!history_format_named(text, error))
    return -1;
  return read_text_setting(setting, field, text, error);
}

// Says the range in the unit of the setting.
static int refuse_range(const struct setting *setting, const char *text,
                        struct error *error) {
  char low[UNITS_TEXT], high[UNITS_TEXT];
  if (setting->type == SETTING_TIME) {
    units_write_time((uint64_t)setting->low, low);
    units_write_time((uint64_t)setting->high, high);
  } else {
    units_write_number(setting->low, low);
    units_write_number(setting->high, high);
  }
  return error_set(error, "must be between %s and %s, not %s", low, high, text);
}

static int read_in_range(const struct setting *setting,
                         bool (*read)(const char *, double *), const char *text,
                         const char *example, double *number,
                         struct error *error) {
  if (!read(text, number))
    return error_set(error, "\"%s\" is not %s", text, example);
  if (*number < setting->low || *number > setting->high)
    return refuse_range(setting, text, error);
  return 0;
}

static int read_count_value(const struct setting *setting, void *field,
                            const char *text, struct error *error) {
  double number;
  if (read_in_range(setting, units_read_number, text,
                    "a number such as 8, 10k or 1M", &number, error))
    return -1;
  if (number != (double)(uint64_t)number)
    return error_set(error, "must be a whole number, not %s", text);
  *(uint64_t *)field = (uint64_t)number;
  return 0;
}

// A seed may need all of its 64 bits.
static int read_seed(const struct setting *setting, void *field,
                     const char *text, struct error *error) {
  (void)setting;
  char *rest;
  errno = 0;
  unsigned long long seed = strtoull(text, &rest, 10);
  if (!isdigit((unsigned char)*text) || *rest || errno)
    return error_set(error,
                     "must be a whole number between 0 and %llu, not \"%s\"",
                     (unsigned long long)UINT64_MAX, text);
  *(uint64_t *)field = seed;
  return 0;
}

static int read_time_value(const struct setting *setting, void *field,
                           const char *text, struct error *error) {
  double ns;
  if (read_in_range(setting, units_read_time, text,
                    "a time such as 100ms, 10s, 5m or 1h", &ns, error))
    return -1;
  *(uint64_t *)field = (uint64_t)ns;
  return 0;
}

static int read_share_value(const struct setting *setting, void *field,
                            const char *text, struct error *error) {
  return read_in_range(setting, units_read_share, text,
                       "a share such as 0.1 or 10%", field, error);
}

static int read_rate(const struct setting *setting, void *field,
                     const char *text, struct error *error) {
  return read_in_range(setting, units_read_number, text,
                       "a number such as 0.5, 100 or 10k", field, error);
}

static int read_switch(const struct setting *setting, void *field,
                       const char *text, struct error *error) {
  (void)setting;
  static const char *const words[] = {"off", "on",    "no",
                                      "yes", "false", "true"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcasecmp(text, words[i]))
      continue;
    *(bool *)field = i % 2;
    return 0;
  }
  return error_set(error, "must be on or off, not \"%s\"", text);
}

// Scripts are files, whose names have a dot or a directory, or come with
// isostress under a name of their own.
static int read_workload(const struct setting *setting, void *field,
                         const char *text, struct error *error) {
  (void)setting;
  struct chosen_workload *chosen = field;
  bool racy;
  *chosen = (struct chosen_workload){0};
  if (strpbrk(text, "./@") || daily_find(text, &racy)) {
    *chosen = (struct chosen_workload){&workload_scripts, text};
    return 0;
  }
  const struct workload *workload = workload_find(text, error);
  if (!workload)
    return -1;
  chosen->workload = workload;
  return 0;
}

// Where the parameters of a distribution are.
struct value_parameters {
  double *first, *second; // NULL: it has none
};

static struct value_parameters
parameters_of_distribution(struct workload_options *options) {
  switch (options->distribution) {
  case DISTRIBUTION_ZIPFIAN:
    return (struct value_parameters){&options->theta, NULL};
  case DISTRIBUTION_HOTSPOT:
    return (struct value_parameters){&options->hot_ops, &options->hot_keys};
  case DISTRIBUTION_EXPONENTIAL:
    return (struct value_parameters){&options->decay, NULL};
  default:
    return (struct value_parameters){NULL, NULL};
  }
}

// Takes one parameter from `*text`, which is empty or starts with a colon.
static int take_value_parameter(const char **text, double *parameter,
                                struct error *error) {
  if (!**text)
    return 0;
  if (!parameter)
    return error_set(error, "does not allow \"%s\" at its end", *text);
  char word[UNITS_TEXT] = "";
  size_t length = strcspn(++*text, ":");
  strncat(word, *text, length < sizeof word ? length : sizeof word - 1);
  *text += length;
  if (!units_read_share(word, parameter))
    return error_set(error, "\"%s\" is not a number such as 0.8 or 80%%", word);
  return 0;
}

// NAME[:PARAMETER[:PARAMETER]]; what is not said stays at its default.
static int read_distribution(const struct setting *setting, void *field,
                             const char *text, struct error *error) {
  (void)setting;
  struct workload_options options;
  char name[32] = "";
  size_t length = strcspn(text, ":");
  strncat(name, text, length < sizeof name ? length : sizeof name - 1);
  workload_defaults(&options);
  if (distribution_parse(name, &options.distribution, error))
    return -1;
  struct value_parameters parameters = parameters_of_distribution(&options);
  const char *rest = text + length;
  if (take_value_parameter(&rest, parameters.first, error) ||
      take_value_parameter(&rest, parameters.second, error) ||
      take_value_parameter(&rest, NULL, error) ||
      workload_check(workloads[0], &options, error))
    return -1;
  *(struct workload_options *)field = options;
  return 0;
}

static const char *const outputs[] = {
    [OUTPUT_TEXT] = "text", [OUTPUT_JSON] = "json", NULL};

static int read_output(const struct setting *setting, void *field,
                       const char *text, struct error *error) {
  (void)setting;
  for (int i = 0; outputs[i]; i++) {
    if (strcasecmp(text, outputs[i]))
      continue;
    *(enum output *)field = i;
    return 0;
  }
  return error_set(error, "must be text or json, not \"%s\"", text);
}

static const char *const backoff_names[] = {[BACKOFF_NONE] = "none",
                                            [BACKOFF_FIXED] = "fixed",
                                            [BACKOFF_EXPONENTIAL] =
                                                "exponential"};

static int read_backoff(const struct setting *setting, void *field,
                        const char *text, struct error *error) {
  struct backoff *backoff = field;
  const size_t length = strcspn(text, ":");
  double pause = 0;
  (void)setting;
  for (int kind = BACKOFF_NONE; kind <= BACKOFF_EXPONENTIAL; kind++) {
    const char *name = backoff_names[kind];
    const bool timed = kind != BACKOFF_NONE;
    if (strlen(name) != length || strncasecmp(name, text, length) ||
        timed != (text[length] == ':') ||
        (timed && (!units_read_time(text + length + 1, &pause) || pause < 1 ||
                   pause > 3600e9)))
      continue;
    *backoff = (struct backoff){(enum backoff_kind)kind, (uint64_t)pause};
    return 0;
  }
  return error_set(error,
                   "must be none, fixed:TIME or exponential:TIME, such as "
                   "exponential:5ms, of at most an hour, not \"%s\"",
                   text);
}

static int read_routing(const struct setting *setting, void *field,
                        const char *text, struct error *error) {
  (void)setting;
  return routing_parse(text, field, error);
}

static const char *const initials[] = {[INITIAL_BY_FORMAT] = "auto",
                                       [INITIAL_IMPLICIT] = "implicit",
                                       [INITIAL_EXPLICIT] = "explicit",
                                       [INITIAL_FIRST_READ] = "first-read",
                                       NULL};
_Static_assert(INITIAL_VALUE == INITIAL_FIRST_READ + 1, "of which none is it");

static const char *const models[] = {[MODEL_BY_CONTENT] = "auto",
                                     [MODEL_REGISTER] = "register",
                                     [MODEL_LIST] = "list",
                                     [MODEL_CAS] = "cas",
                                     NULL};

static const char *const duplicates[] = {
    [DUPLICATES_REFUSE] = "refuse", [DUPLICATES_ALLOW] = "allow", NULL};

static const char *const readings_of_rc[] = {
    [false] = "dbcop", [true] = "mixed", NULL};

static const char *const methods[] = {[METHOD_ENGINE] = "engine",
                                      [METHOD_SOBOUND] = "sobound",
                                      [METHOD_NAIVE] = "naive",
                                      NULL};

static const char *const streams[] = {
    [STREAM_AUTO] = "auto", [STREAM_ON] = "on", [STREAM_OFF] = "off", NULL};

static const char *const reads_of_rows[] = {
    [false] = "all", [true] = "plain", NULL};

// One of a few words; returns its number or, with a sentence, -1.
static int find_value_word(const struct setting *setting,
                           const char *const *words, const char *text,
                           struct error *error) {
  for (int i = 0; words[i]; i++)
    if (!strcasecmp(text, words[i]))
      return i;
  const char *near = nearest(text, words);
  return near ? error_set(error, "\"%s\" is not one of %s; did you mean %s?",
                          text, setting->argument, near)
              : error_set(error, "must be %s, not \"%s\"", setting->argument,
                          text);
}

// A value begins with no letter: texts have quotes, keywords a colon.
static int read_initial_value(const struct setting *setting, void *field,
                              const char *text, struct error *error) {
  struct read_options *reading = field;
  const bool is_word = !*text || isalpha((unsigned char)*text);
  const int i =
      is_word ? find_value_word(setting, initials, text, error) : INITIAL_VALUE;
  if (i < 0)
    return -1;
  reading->initial = (enum initial)i;
  reading->initial_value = is_word ? NULL : text;
  return 0;
}

static int read_model(const struct setting *setting, void *field,
                      const char *text, struct error *error) {
  const int i = find_value_word(setting, models, text, error);
  if (i >= 0)
    *(enum model *)field = (enum model)i;
  return i < 0 ? -1 : 0;
}

// A type of keys, or a model of logs with its options, which is kept as it was
// typed.
static int read_log_model(const struct setting *setting, void *field,
                          const char *text, struct error *error) {
  struct settings *settings = field;
  int64_t options[LOG_MODEL_OPTIONS];
  const char *words[32] = {NULL};
  size_t n = 0;
  for (; models[n]; n++)
    words[n] = models[n];
  for (size_t i = 0; log_models[i]; i++)
    words[n++] = log_models[i]->name;
  settings->log_model = NULL;
  settings->reading.model = MODEL_BY_CONTENT;
  if (log_model_is_named(text)) {
    settings->log_model = text;
    return log_model_find(text, options, error) ? 0 : -1;
  }
  const int i = find_value_word(setting, words, text, error);
  if (i >= 0)
    settings->reading.model = (enum model)i;
  return i < 0 ? -1 : 0;
}

static int read_rc(const struct setting *setting, void *field, const char *text,
                   struct error *error) {
  const int i = find_value_word(setting, readings_of_rc, text, error);
  if (i >= 0)
    *(bool *)field = i;
  return i < 0 ? -1 : 0;
}

static int read_method(const struct setting *setting, void *field,
                       const char *text, struct error *error) {
  const int i = find_value_word(setting, methods, text, error);
  if (i >= 0)
    *(enum method *)field = (enum method)i;
  return i < 0 ? -1 : 0;
}

static int read_stream(const struct setting *setting, void *field,
                       const char *text, struct error *error) {
  const int i = find_value_word(setting, streams, text, error);
  if (i >= 0)
    *(enum stream *)field = (enum stream)i;
  return i < 0 ? -1 : 0;
}

static int read_reads(const struct setting *setting, void *field,
                      const char *text, struct error *error) {
  const int i = find_value_word(setting, reads_of_rows, text, error);
  if (i >= 0)
    *(bool *)field = i;
  return i < 0 ? -1 : 0;
}

static int read_duplicates(const struct setting *setting, void *field,
                           const char *text, struct error *error) {
  const int i = find_value_word(setting, duplicates, text, error);
  if (i >= 0)
    *(enum duplicates *)field = (enum duplicates)i;
  return i < 0 ? -1 : 0;
}

// The writers, into SETTING_MAX + 1 bytes.

static void put_value_text(char *text, const char *value) {
  snprintf(text, SETTING_MAX + 1, "%s", value);
}

static void write_text_value(const void *field, char *text) {
  const char *value = *(const char *const *)field;
  put_value_text(text, value ? value : "");
}

static void write_target(const void *field, char *text) {
  const char *target = *(const char *const *)field;
  redact_target(target ? target : "", text, SETTING_MAX + 1);
}

static void write_count(const void *field, char *text) {
  snprintf(text, SETTING_MAX + 1, "%llu",
           (unsigned long long)*(const uint64_t *)field);
}

static void write_time(const void *field, char *text) {
  units_write_time(*(const uint64_t *)field, text);
}

static void write_real(const void *field, char *text) {
  units_write_number(*(const double *)field, text);
}

static void write_switch(const void *field, char *text) {
  put_value_text(text, *(const bool *)field ? "on" : "off");
}

static void write_workload(const void *field, char *text) {
  const struct chosen_workload *chosen = field;
  put_value_text(text, chosen->scripts    ? chosen->scripts
                       : chosen->workload ? chosen->workload->name
                                          : "");
}

static void write_distribution(const void *field, char *text) {
  struct workload_options options = *(const struct workload_options *)field;
  struct value_parameters parameters = parameters_of_distribution(&options);
  const double *values[] = {parameters.first, parameters.second};
  put_value_text(text, distribution_name(options.distribution));
  for (size_t i = 0; i < 2 && values[i]; i++) {
    char number[UNITS_TEXT];
    units_write_number(*values[i], number);
    strcat(strcat(text, ":"), number);
  }
}

static void write_output(const void *field, char *text) {
  put_value_text(text, outputs[*(const enum output *)field]);
}

static void write_backoff(const void *field, char *text) {
  const struct backoff *backoff = field;
  char pause[UNITS_TEXT], whole[UNITS_TEXT + 16];
  if (backoff->kind == BACKOFF_NONE) {
    put_value_text(text, "none");
    return;
  }
  units_write_time(backoff->pause, pause);
  snprintf(whole, sizeof whole, "%s:%s", backoff_names[backoff->kind], pause);
  put_value_text(text, whole);
}

static void write_routing(const void *field, char *text) {
  put_value_text(text, routing_name(*(const enum routing *)field));
}

static void write_initial(const void *field, char *text) {
  const struct read_options *reading = field;
  put_value_text(text, reading->initial == INITIAL_VALUE
                           ? reading->initial_value
                           : initials[reading->initial]);
}

static void write_model(const void *field, char *text) {
  put_value_text(text, models[*(const enum model *)field]);
}

static void write_log_model(const void *field, char *text) {
  const struct settings *settings = field;
  put_value_text(text, settings->log_model ? settings->log_model
                                           : models[settings->reading.model]);
}

static void write_method(const void *field, char *text) {
  put_value_text(text, methods[*(const enum method *)field]);
}

static void write_stream(const void *field, char *text) {
  put_value_text(text, streams[*(const enum stream *)field]);
}

static void write_reads(const void *field, char *text) {
  put_value_text(text, reads_of_rows[*(const bool *)field]);
}

static void write_rc(const void *field, char *text) {
  put_value_text(text, readings_of_rc[*(const bool *)field]);
}

static void write_duplicates(const void *field, char *text) {
  put_value_text(text, duplicates[*(const enum duplicates *)field]);
}

static const struct setting_kind kinds[] = {
    [SETTING_TEXT] = {read_text_setting, write_text_value},
    [SETTING_TARGET] = {read_text_setting, write_target},
    [SETTING_BUG] = {read_bug, write_text_value},
    [SETTING_FORMAT] = {read_format, write_text_value},
    [SETTING_COUNT] = {read_count_value, write_count},
    [SETTING_SEED] = {read_seed, write_count},
    [SETTING_TIME] = {read_time_value, write_time},
    [SETTING_SHARE] = {read_share_value, write_real},
    [SETTING_RATE] = {read_rate, write_real},
    [SETTING_SWITCH] = {read_switch, write_switch},
    [SETTING_WORKLOAD] = {read_workload, write_workload},
    [SETTING_DISTRIBUTION] = {read_distribution, write_distribution},
    [SETTING_CHECK] = {setting_read_check, setting_write_check},
    [SETTING_LEVELS] = {setting_read_levels, setting_write_levels},
    [SETTING_OUTPUT] = {read_output, write_output},
    [SETTING_ROUTING] = {read_routing, write_routing},
    [SETTING_BACKOFF] = {read_backoff, write_backoff},
    [SETTING_INITIAL] = {read_initial_value, write_initial},
    [SETTING_MODEL] = {read_model, write_model},
    [SETTING_LOG_MODEL] = {read_log_model, write_log_model},
    [SETTING_DUPLICATES] = {read_duplicates, write_duplicates},
    [SETTING_RC] = {read_rc, write_rc},
    [SETTING_METHOD] = {read_method, write_method},
    [SETTING_STREAM] = {read_stream, write_stream},
    [SETTING_READS] = {read_reads, write_reads},
};

// A value must come out of a job file as it went in.
static int refuse_unwritable(const char *text, struct error *error) {
  size_t length = strlen(text);
  if (length > SETTING_MAX)
    return error_set(error, "is longer than %d characters", SETTING_MAX);
  if (length && (isspace((unsigned char)text[0]) ||
                 isspace((unsigned char)text[length - 1])))
    return error_set(error, "cannot start or end with a blank");
  for (size_t i = 0; i < length; i++) {
    if (iscntrl((unsigned char)text[i]))
      return error_set(error, "cannot hold a control character");
    if (text[i] == ';' && (!i || isspace((unsigned char)text[i - 1])))
      return error_set(error, "cannot hold \" ;\", where a comment starts in "
                              "a job file");
  }
  return 0;
}

int setting_read(struct settings *settings, const struct setting *setting,
                 const char *text, struct error *error) {
  void *field = (char *)settings + setting->offset;
  if (refuse_unwritable(text, error))
    return -1;
  if (!*text && setting->type > SETTING_BUG)
    return error_set(error, "needs a value");
  return kinds[setting->type].read(setting, field, text, error);
}

void setting_write(const struct settings *settings,
                   const struct setting *setting, char text[SETTING_MAX + 1]) {
  kinds[setting->type].write((const char *)settings + setting->offset, text);
}
