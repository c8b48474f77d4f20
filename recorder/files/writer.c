// SPDX-License-Identifier: GPL-3.0-or-later
// Writes histories (recorder/files/writer.h): to a file that is there as a
// whole or not at all.
#include "config.h"

#include "recorder/files/writer.h"

#include "recorder/files/reader.h"

#include "base/memory.h"
#include "base/whole_file.h"
#include "recorder/formats/export.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int history_refuse_format(const char *path, const struct history_format *format,
                          bool rows, struct error *error) {
  if (rows && !(format->says & FEATURE_ROWS))
    return error_set_usage(error,
                           "%s: format %s cannot represent SQL statements and "
                           "rows: write text, jsonl or isostress",
                           path, format->name);
  if (!format->write)
    return error_set_usage(
        error, "histories can be read in format %s, but not written",
        format->name);
  return !strcmp(path, "-") && format->written_as != WRITTEN_STREAM
             ? error_set_usage(
                   error, "format %s needs the name of a %s", format->name,
                   format->written_as == WRITTEN_FILE ? "file" : "directory")
             : 0;
}

static int write_content(struct export_writing *w) {
  const int status = w->format->write(w);
  return w->failed ? -1 : status;
}

// Reads what was written to the path, or the text that is to be written there:
// a file that nobody can read is none.
static int read_again(struct export_writing *w, const char *text,
                      size_t bytes) {
  const struct read_options options = {.format = w->format->name,
                                       .duplicates = DUPLICATES_ALLOW,
                                       .called = "the new file",
                                       .text = text,
                                       .text_bytes = bytes};
  struct history again = {0};
  struct error error;
  const int status = history_read_with(w->path, &options, &again, &error);
  history_free(&again);
  return status ? error_set(w->error,
                            "%s was not written, since isostress could not "
                            "read it: %s",
                            w->path, error.text)
                : 0;
}

static int write_to(struct export_writing *w, FILE *out) {
  assert(out);
  w->out = out;
  const int status = write_content(w);
  return writing_close(w, out) ? -1 : status;
}

// A text that nobody can take back is read while it is in memory.
static int write_through(struct export_writing *w, FILE *out) {
  char *text;
  size_t bytes;
  w->out = text_stream(&text, &bytes);
  int status = write_content(w);
  fclose(w->out);
  if (!status)
    status = read_again(w, text, bytes);
  if (!status && fwrite(text, 1, bytes, out) != bytes)
    status = error_cannot(w->error, w->path, "written");
  free(text);
  return status;
}

// Writes to w->path, which does not exist yet.
static int write_new(struct export_writing *w) {
  if (w->format->written_as == WRITTEN_DIRECTORY && mkdir(w->path, 0777))
    return error_cannot(w->error, w->path, "written");
  if (w->format->written_as != WRITTEN_STREAM)
    return write_content(w);
  FILE *out = fopen(w->path, "wx");
  return out ? write_to(w, out) : error_cannot(w->error, w->path, "written");
}

// Writes to a pipe or a device, which have no other name meanwhile.
static int write_into(struct export_writing *w) {
  if (w->format->written_as != WRITTEN_STREAM)
    return error_set(w->error, "%s: cannot be written: is not a %s", w->path,
                     w->format->written_as == WRITTEN_FILE ? "file"
                                                           : "directory");
  FILE *out = fopen(w->path, "w");
  if (!out)
    return error_cannot(w->error, w->path, "written");
  const int status = write_through(w, out);
  return writing_close(w, out) ? -1 : status;
}

static int write_at(struct export_writing *w, const char *path) {
  struct whole_file file;
  whole_file_start(&file, path);
  char *place = xstrdup(file.place);
  w->path = place;
  const bool stream = whole_file_is_stream(path);
  int status = stream ? write_into(w) : write_new(w);
  if (!status && !stream)
    status = read_again(w, NULL, 0);
  if (status)
    error_rename(w->error, place, path);
  if (whole_file_end(&file, status == 0) && status == 0)
    status = error_cannot(w->error, path, "written");
  free(place);
  return status;
}

static int write_anywhere(struct export_writing *w, const char *path) {
  if (history_refuse_format(path, w->format, w->h->rows, w->error))
    return -1;
  if (strcmp(path, "-"))
    return write_at(w, path);
  w->path = path;
  return write_through(w, stdout);
}

// Where texts can be said, numbers that are as large are some of them.
static uint64_t number_that_is_no_text(const struct history *h) {
  const uint32_t n = h->nvalue_texts;
  uint8_t *is_text = xcalloc((size_t)n + 1, 1);
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t behind =
        strtoull(h->value_text[i], NULL, 10) - VALUE_NOBODYS;
    if (behind < n)
      is_text[behind] = 1;
  }
  const uint8_t *const free_one = memchr(is_text, 0, (size_t)n + 1);
  const uint64_t number = VALUE_NOBODYS + (uint64_t)(free_one - is_text);
  free(is_text);
  return number;
}

// The largest number, unless that is somebody's, for it seldom is.
static uint64_t find_nobodys_value(const struct export_writing *w,
                                   const struct content *content) {
  if (!content->largest)
    return VALUE_NAMED - 1;
  return w->format->says & FEATURE_VALUES ? number_that_is_no_text(w->h)
                                          : w->above + UINT32_MAX;
}

static int write_history(struct export_writing *w, const char *path,
                         const struct content *content) {
  w->ntxns = content->txns;
  w->cas = content->cas;
  w->numbers = content->key_names || content->large_keys;
  w->above = content->max + 1;
  if (w->above + UINT32_MAX >= VALUE_NAMED)
    w->above = VALUE_NAMED; // what is renumbered never is the largest number
  w->nobodys = find_nobodys_value(w, content);
  w->next = xcalloc(w->h->nsessions, sizeof *w->next);
  const int status = write_anywhere(w, path);
  free(w->next);
  number_map_free(&w->renumbered);
  free(w->exported);
  return status;
}

uint32_t history_losses(const struct history *history,
                        const struct history_format *format,
                        struct export_loss losses[LOSSES_MAX]) {
  struct history spelt = history_spelt(history);
  const struct content content = content_of(&spelt);
  history_spelt_free(&spelt, history);
  return content_losses(&content, format, losses);
}

// By operation that writes.  What is not written nobody has.
static uint64_t *new_values(const struct export_writing *w) {
  const struct history *h = w->h;
  uint64_t *value = xmalloc(h->nops * sizeof *value);
  for (uint32_t s = 0; s < h->nsessions; s++) {
    uint64_t sequence = 0;
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      const bool taken = writing_takes(w, t);
      for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
        if (op_writes(h->kind[op]))
          value[op] = taken ? value_of_write(s, sequence++)
                            : value_of_write(VALUE_MAX_SESSIONS, op);
    }
  }
  return value;
}

// Makes every key a register, those that are elements of sets, too.
static void make_registers(struct history *spelt) {
  uint64_t *number = xmalloc(spelt->nkeys * sizeof *number);
  for (uint32_t key = 0; key < spelt->nkeys; key++)
    number[key] = key;
  spelt->key_number = number;
  spelt->key_text = NULL;
  spelt->member = NULL;
}

int history_write(const char *path, const struct history_format *format,
                  const struct history *history,
                  const volatile sig_atomic_t *stop, struct error *error) {
  uint32_t nlost;
  struct history spelt = history_spelt(history);
  const bool registers = spelt.member && !(format->says & FEATURE_SETS);
  if (registers)
    make_registers(&spelt);
  const struct content content = content_of(&spelt);
  uint8_t *counted = history_counted(history, &nlost);
  struct export_writing w = {.h = &spelt,
                             .counted = counted,
                             .told = history_told_keys(&spelt),
                             .stop = stop,
                             .format = format,
                             .error = error};
  if (format->names == NAMES_WRITES)
    w.written = new_values(&w);
  const int status = write_history(&w, path, &content);
  free(counted);
  free(w.written);
  told_keys_free(&w.told);
  if (registers)
    free(spelt.key_number);
  history_spelt_free(&spelt, history);
  return status;
}

const struct history_format *history_format_for(const char *path) {
  const char *point = strrchr(path, '.');
  for (int i = 0; point && !strchr(point, '/') && history_formats[i]; i++)
    if (history_formats[i]->extension &&
        !strcmp(history_formats[i]->extension, point + 1))
      return history_formats[i];
  return NULL;
}
