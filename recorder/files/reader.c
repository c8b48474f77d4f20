// SPDX-License-Identifier: GPL-3.0-or-later
// The table of formats, and what to say of a file that has none of them
// (recorder/files/reader.h).
#include "config.h"

#include "recorder/files/reader.h"

#include "base/file.h"
#include "recorder/builder/first_reads.h"
#include "recorder/formats/formats.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD_BYTES = 1 << 16 }; // the first operation may be a large one

// Foreign kinds of files, by their first bytes.
static const struct {
  const char *magic, *what;
} foreign[] = {
    {"\x1f\x8b", "a gzip archive of what is none"},
    {"\x28\xb5\x2f\xfd", "a zstd archive: unpack it first"},
    {"\xfd"
     "7zXZ",
     "an xz archive: unpack it first"},
    {"BZh", "a bzip2 archive: unpack it first"},
    {"PK\x03\x04", "a zip archive: unpack it first"},
    {"SQLite format 3", "an SQLite database, not a history of one"},
    {"\x7f"
     "ELF",
     "a program"},
    {"#!", "a script"},
    {"\x89PNG", "a picture"},
    {"%PDF", "a PDF document"},
    {"<", "XML or HTML"},
    {"{", "JSON or EDN, but of no format that is known by its start: name the "
          "format with --format"},
    {"[", "JSON or EDN, but of no format that is known by its start: name the "
          "format with --format"},
    {"(", "EDN, but of no format that is known by its start: name the format "
          "with --format"},
};

static const char *looks_like(const unsigned char *head, size_t bytes) {
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    size_t n = strlen(foreign[i].magic);
    if (bytes >= n && memcmp(head, foreign[i].magic, n) == 0)
      return foreign[i].what;
  }
  for (size_t i = 0; i < bytes; i++)
    if (!isprint(head[i]) && !isspace(head[i]) && head[i] < 0x80)
      return "binary data of a kind unknown here";
  return "text of a kind unknown here";
}

const struct history_format *history_format_named(const char *name,
                                                  struct error *error) {
  char names[256] = "";
  for (int i = 0; history_formats[i]; i++) {
    if (strcmp(history_formats[i]->name, name) == 0)
      return history_formats[i];
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
             i ? ", " : "", history_formats[i]->name);
  }
  error_set(error, "no history format is named '%s': choose one of %s", name,
            names);
  return NULL;
}

// The first format that takes the head of a file for its own.
static const struct history_format *recognised(const unsigned char *head,
                                               size_t bytes) {
  const char *text = (const char *)head;
  text += strspn(text, " \t\r\n");
  for (int i = 0; history_formats[i]; i++)
    if (history_formats[i]->recognise
            ? history_formats[i]->recognise(head, bytes)
            : history_formats[i]->recognise_text(text))
      return history_formats[i];
  return NULL;
}

static const struct history_format *format_of_bytes(const char *path,
                                                    const unsigned char *head,
                                                    size_t bytes,
                                                    struct error *error) {
  const size_t mark = file_mark((const char *)head);
  assert(mark <= bytes);
  const struct history_format *format = recognised(head + mark, bytes - mark);
  if (!format && bytes == 0)
    error_set(error, "%s is empty, not a history", path);
  else if (!format)
    error_set(error,
              "%s is no history that isostress can read; it looks like %s",
              path, looks_like(head + mark, bytes - mark));
  return format;
}

// The format of the text that an archive holds.
static const struct history_format *format_in_archive(const char *path,
                                                      struct error *error) {
  struct input in;
  const struct history_format *format = NULL;
  if (input_open(&in, path, error))
    return NULL;
  const size_t bytes = (size_t)(in.end - in.p);
  if (in.failure)
    input_refuse(&in, in.p, "", error);
  else
    format = format_of_bytes(path, (const unsigned char *)in.p, bytes, error);
  input_close(&in);
  return format;
}

static const struct history_format *format_of_file(const char *path,
                                                   struct error *error) {
  size_t bytes;
  unsigned char *head = file_load(path, HEAD_BYTES, &bytes, error);
  if (!head)
    return NULL;
  const struct history_format *format =
      bytes > 1 && head[0] == 0x1f && head[1] == 0x8b
          ? format_in_archive(path, error)
          : format_of_bytes(path, head, bytes, error);
  free(head);
  return format;
}

static const struct history_format *
format_of_text(const char *path, const struct read_options *options,
               struct error *error) {
  const struct history_format *format = format_of_bytes(
      path, (const unsigned char *)options->text, options->text_bytes, error);
  if (!format || format->parse)
    return format;
  error_set(error, "%s is a file in the format of isostress: give its path",
            path);
  return NULL;
}

// Skips empty files: a session that did nothing may have one.
static const struct history_format *
format_of_files(const struct file_list *list, struct error *error) {
  struct stat st;
  for (uint32_t i = 0; i < list->count; i++)
    if (stat(list->paths[i], &st) == 0 && S_ISREG(st.st_mode) && st.st_size)
      return format_of_file(list->paths[i], error);
  return NULL;
}

// The format whose directory holds a file that it recognises.
static const struct history_format *format_of_directory(const char *path,
                                                        struct error *error) {
  const struct history_format *found = NULL;
  for (int i = 0; history_formats[i] && !found; i++) {
    const struct history_format *format = history_formats[i];
    struct file_list list = {0};
    if (!format->files)
      continue;
    if (file_list(path, format->files, &list, error))
      return NULL;
    found = format_of_files(&list, error) == format ? format : NULL;
    file_list_free(&list);
  }
  if (!found)
    error_set(error, "%s is a directory, but not a history", path);
  return found;
}

static bool path_is_directory(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const struct history_format *history_format_of(const char *path,
                                               struct error *error) {
  return path_is_directory(path) ? format_of_directory(path, error)
                                 : format_of_file(path, error);
}

static int parse_file(const struct history_format *format, const char *path,
                      struct parsing *parsing) {
  const struct read_options *options = parsing->options;
  assert(format->parse);
  if (options->text)
    input_open_text(&parsing->input, path, options->text, options->text_bytes);
  else if (input_open(&parsing->input, path, parsing->error))
    return -1;
  parsing->input.stop = options->stop;
  int status = parsing->input.unpacker && !format->recognise_text
                   ? error_set(parsing->error,
                               "%s: only texts are read from a gzip archive: "
                               "unpack it first",
                               path)
                   : format->parse(parsing);
  if (status == 0 && parsing->input.failure)
    status =
        input_refuse(&parsing->input, parsing->input.p, "", parsing->error);
  input_close(&parsing->input);
  return status;
}

static int parse_directory(const struct history_format *format,
                           const char *path, struct parsing *parsing) {
  struct file_list list = {0};
  assert(format->files && format->parse);
  int status = file_list(path, format->files, &list, parsing->error);
  if (status == 0 && !list.count)
    status =
        error_set(parsing->error, "%s: holds no file %s", path, format->files);
  parsing->directory = true;
  parsing->files = &list;
  for (uint32_t i = 0; i < list.count && status == 0; i++) {
    parsing->session = i;
    parsing->more = i + 1 < list.count;
    status = parse_file(format, list.paths[i], parsing);
  }
  file_list_free(&list);
  return status;
}

static int parse_in_format(const struct history_format *format,
                           const char *path, const struct read_options *options,
                           struct builder *builder, struct error *error) {
  struct parsing parsing = {
      .builder = builder, .options = options, .error = error};
  *builder_options(builder) = (struct builder_options){
      .initial = options->initial ? options->initial : format->initial,
      .initial_value = options->initial_value,
      .prefer_lists = options->model == MODEL_LIST,
      .allow_duplicates = options->duplicates == DUPLICATES_ALLOW,
      .stop = options->stop};
  if (format->files && path_is_directory(path))
    return parse_directory(format, path, &parsing);
  return parse_file(format, path, &parsing);
}

static int build(const struct history_format *format, const char *path,
                 const struct read_options *options, struct history *history,
                 struct error *error) {
  struct builder *builder = builder_open();
  int status = parse_in_format(format, path, options, builder, error);
  if (status)
    builder_free(builder);
  else if ((status = builder_finish(builder, history, error)))
    error_prefix(error, "%s", path);
  return status;
}

static const struct history_format *
format_to_read(const char *path, const struct read_options *options,
               struct error *error) {
  error->text[0] = 0;
  if (options->format)
    return history_format_named(options->format, error);
  return options->text ? format_of_text(path, options, error)
                       : history_format_of(path, error);
}

static int read_by_format(const char *path, const struct read_options *options,
                          struct history *history, struct error *error) {
  *history = (struct history){0};
  const struct history_format *format = format_to_read(path, options, error);
  if (!format)
    return -1;
  if (!format->read)
    return build(format, path, options, history, error);
  if (options->initial == INITIAL_VALUE)
    return error_set(error,
                     "%s: --init=%s is for histories of other programs: a file "
                     "of isostress itself says which reads saw nothing",
                     path, options->initial_value);
  if (format->read(path, options->stop, history, error))
    return -1;
  if (options->initial == INITIAL_FIRST_READ)
    history_take_first_reads(history);
  return 0;
}

// Real time orders only what it orders by all clocks.
static void allow_skew(struct history *h, uint64_t skew) {
  for (uint32_t t = 0; skew && h->end && t < h->ntxns; t++)
    h->end[t] =
        h->end[t] < TIME_UNKNOWN - 1 - skew ? h->end[t] + skew : TIME_UNKNOWN;
}

int history_read_with(const char *path, const struct read_options *options,
                      struct history *history, struct error *error) {
  const int status = read_by_format(path, options, history, error);
  if (options->called)
    error_rename(error, path, options->called);
  if (!status)
    allow_skew(history, options->clock_skew);
  return status;
}

int history_read(const char *path, const char *name, struct history *history,
                 struct error *error) {
  const struct read_options options = {.format = name};
  return history_read_with(path, &options, history, error);
}

const struct history_format *const history_formats[] = {
    &format_native,
    &format_jsonl,
    &format_text,
    &format_porcupine_kv,
    &format_closed_predicate,
    &format_knossos,
    &format_edn,
    &format_elle_json,
    &format_porcupine,
    &format_jepsen,
    &format_etcd_report,
    &format_dbcop_json,
    &format_bincode,
    &format_plume,
    &format_awdit,
    &format_cobra,
    &format_viper_json,
    &format_timekiller,
    &format_veristrong,
    NULL,
};
