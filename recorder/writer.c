// SPDX-License-Identifier: GPL-3.0-or-later
// Writes histories (recorder/writer.h): what gets lost, and a file that is
// there as a whole or not at all.
#include "config.h"

#include "recorder/writer.h"

#include "base/memory.h"
#include "recorder/file.h"
#include "recorder/formats/writing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t lists(const struct history *h) {
  uint64_t n = 0;
  for (uint32_t op = 0; op < h->nops; op++)
    n += op_is_list(h->kind[op]) != 0;
  return n;
}

static uint64_t cas(const struct history *h) {
  uint64_t n = 0;
  for (uint32_t op = 0; op < h->nops; op++)
    n += h->kind[op] == OP_CAS;
  return n;
}

static uint64_t outcomes(const struct history *h, enum outcome outcome) {
  uint64_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    n += h->outcome[t] == outcome;
  return n;
}

static uint64_t aborted(const struct history *h) {
  return outcomes(h, OUTCOME_ABORTED);
}

static uint64_t unknown(const struct history *h) {
  return outcomes(h, OUTCOME_UNKNOWN);
}

static uint64_t uncommitted_reads(const struct history *h) {
  uint64_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         h->outcome[t] != OUTCOME_OK && op < h->txn_first[t + 1]; op++)
      n += op_reads(h->kind[op]) != 0;
  return n;
}

static uint64_t times(const struct history *h) {
  uint64_t n = 0;
  for (uint32_t t = 0; h->begin && t < h->ntxns; t++)
    n += h->begin[t] != TIME_UNKNOWN || h->end[t] != TIME_UNKNOWN;
  return n;
}

static uint64_t op_times(const struct history *h) {
  return h->op_begin ? h->nops : 0;
}

static uint64_t levels(const struct history *h) {
  uint64_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    n += h->level[t] != ISOLATION_NONE;
  return n;
}

static uint64_t causes(const struct history *h) {
  uint64_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    n += h->cause[t] != CAUSE_NONE && h->cause[t] != CAUSE_OTHER;
  return n;
}

static uint64_t key_names(const struct history *h) {
  uint64_t n = 0;
  for (uint32_t k = 0; h->key_text && k < h->nkeys; k++)
    n += h->key_text[k] != NULL;
  return n;
}

static uint64_t value_names(const struct history *h) { return h->nvalue_texts; }

static uint64_t duplicates(const struct history *h) {
  uint64_t n = 0;
  for (uint32_t v = 0; h->again && v < h->nops + h->nkeys; v++)
    n += h->again[v] != v;
  return n;
}

static uint64_t endpoints(const struct history *h) {
  return h->endpoint ? h->ntxns : 0;
}

// What a history may have, and what becomes of it in a format that lacks it.
static const struct {
  unsigned says;
  uint64_t (*count)(const struct history *history);
  const char *what, *becomes, *unit;
} features[] = {
    {SAYS_LISTS, lists, "lists",
     "reads become reads of the last element, appends become writes",
     "operations"},
    {SAYS_CAS, cas, "compare-and-set", "becomes a read and a write",
     "operations"},
    {SAYS_ABORTED, aborted, "aborted transactions", "left out", "transactions"},
    {SAYS_UNKNOWN, unknown, "unknown outcomes",
     "committed where their writes were read, else left out", "transactions"},
    {SAYS_UNCOMMITTED_READS, uncommitted_reads,
     "reads of transactions that did not commit", "left out", "operations"},
    {SAYS_TIMES, times, "times", "left out", "transactions"},
    {SAYS_OP_TIMES, op_times, "times of operations", "left out", "operations"},
    {SAYS_LEVELS, levels, "isolation levels", "left out", "transactions"},
    {SAYS_CAUSES, causes, "causes of aborts", "left out", "transactions"},
    {SAYS_NAMES, key_names, "names of keys", "become numbers", "keys"},
    {SAYS_VALUES, value_names, "values that are no numbers", "become numbers",
     "values"},
    {SAYS_DUPLICATES, duplicates, "equal values of a key",
     "become different ones, and a read is of the first write", "values"},
    {SAYS_ENDPOINTS, endpoints, "hosts that transactions went to", "left out",
     "transactions"},
};
_Static_assert(sizeof features / sizeof *features <= LOSSES_MAX,
               "room for all losses");

uint32_t history_losses(const struct history *history,
                        const struct history_format *format,
                        struct loss losses[LOSSES_MAX]) {
  uint32_t n = 0;
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    const uint64_t count =
        format->says & features[i].says ? 0 : features[i].count(history);
    if (count)
      losses[n++] = (struct loss){.what = features[i].what,
                                  .becomes = features[i].becomes,
                                  .count = count,
                                  .unit = features[i].unit};
  }
  return n;
}

// The least number above all values that are numbers.
static uint64_t above_all(const struct history *h) {
  uint64_t above = 1;
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->value[op] < VALUE_NAMED && h->value[op] >= above)
      above = h->value[op] + 1;
  for (uint32_t i = 0; i < h->list_first[h->nlists]; i++)
    if (h->element_value[i] < VALUE_NAMED && h->element_value[i] >= above)
      above = h->element_value[i] + 1;
  return above;
}

// Have all keys numbers that mean the same in every format?
static bool keys_are_numbers(const struct history *h) {
  bool numbers = !key_names(h);
  for (uint32_t k = 0; k < h->nkeys && numbers; k++)
    numbers = h->key_number[k] < VALUE_NAMED;
  return numbers;
}

static int refuse(const char *path, struct error *error) {
  return error_set(error, "%s: can not be written: %s", path, strerror(errno));
}

static int write_to(struct writing *w, FILE *out) {
  w->out = out;
  const int status = w->format->write(w);
  return writing_close(w, out) ? -1 : status;
}

// Writes to w->path, which does not exist yet.
static int write_new(struct writing *w) {
  if (w->format->written_as == WRITTEN_DIRECTORY && mkdir(w->path, 0777))
    return refuse(w->path, w->error);
  if (w->format->written_as != WRITTEN_STREAM)
    return w->format->write(w);
  FILE *out = fopen(w->path, "wx");
  return out ? write_to(w, out) : refuse(w->path, w->error);
}

static void remove_all(const char *path, bool directory) {
  struct file_list list = {0};
  struct error error;
  if (!directory)
    unlink(path);
  else if (!file_list(path, "*", &list, &error)) {
    for (uint32_t i = 0; i < list.count; i++)
      unlink(list.paths[i]);
    file_list_free(&list);
    rmdir(path);
  }
}

// What went wrong is told of the file that was asked for.
static void name_as_asked(struct error *error, const char *temporary,
                          const char *path) {
  const size_t n = strlen(temporary);
  if (strncmp(error->text, temporary, n))
    return;
  char *rest = xstrdup(error->text + n);
  const bool usage = error->usage;
  error_set(error, "%s%s", path, rest);
  error->usage = usage;
  free(rest);
}

static int write_and_rename(struct writing *w, const char *path) {
  char *temporary = xasprintf("%s.tmp-%ld", path, (long)getpid());
  w->path = temporary;
  int status = write_new(w);
  if (status == 0 && rename(temporary, path))
    status = refuse(path, w->error);
  if (status) {
    remove_all(temporary, w->format->written_as == WRITTEN_DIRECTORY);
    name_as_asked(w->error, temporary, path);
  }
  free(temporary);
  return status;
}

int history_write(const char *path, const struct history_format *format,
                  const struct history *history, struct error *error) {
  uint32_t nlost;
  struct history spelt = *history;
  history_spell_values(&spelt);
  struct writing w = {.h = &spelt,
                      .format = format,
                      .counted = history_counted(history, &nlost),
                      .numbers = !keys_are_numbers(history),
                      .above = above_all(&spelt),
                      .path = path,
                      .error = error};
  int status;
  if (!format->write)
    status = error_set_usage(
        error, "histories can be read in format %s, but not written",
        format->name);
  else if (strcmp(path, "-"))
    status = write_and_rename(&w, path);
  else if (format->written_as != WRITTEN_STREAM)
    status = error_set_usage(
        error, "format %s needs the name of a %s", format->name,
        format->written_as == WRITTEN_FILE ? "file" : "directory");
  else {
    w.out = stdout;
    status = format->write(&w);
  }
  number_map_free(&w.renumbered);
  free(w.counted);
  if (!history->value) {
    free(spelt.value);
    free(spelt.element_value);
  }
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
