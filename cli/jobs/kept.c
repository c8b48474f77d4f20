// SPDX-License-Identifier: GPL-3.0-or-later
// Lists and removes kept results (cli/jobs/kept.h).
#include "config.h"

#include "cli/jobs/kept.h"

#include "base/clock.h"
#include "cli/jobs/rundir.h"
#include "report/stored.h"
#include "report/words/keys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// A file of the directory, or "" for the directory itself.
static char *file_in(const char *path, const char *name) {
  return xasprintf("%s%s%s", path, *name ? "/" : "", name);
}

static bool file_status(const char *path, const char *name,
                        struct stat *about) {
  char *file = file_in(path, name);
  const bool there = !lstat(file, about);
  free(file);
  return there;
}

// --- What is there.

static uint64_t ns_of(const struct timespec *time) {
  return (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_nsec;
}

static uint64_t bytes_below(const char *path) {
  uint64_t bytes = 0;
  struct stat about;
  DIR *directory = opendir(path);
  for (const struct dirent *entry; directory && (entry = readdir(directory));)
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
        file_status(path, entry->d_name, &about)) {
      char *file = file_in(path, entry->d_name);
      bytes +=
          S_ISDIR(about.st_mode) ? bytes_below(file) : (uint64_t)about.st_size;
      free(file);
    }
  if (directory)
    closedir(directory);
  return bytes;
}

static const struct json_value *document(struct arena *arena, const char *path,
                                         const char *name) {
  struct error error;
  char *file = file_in(path, name);
  const struct json_value *found = stored_document(arena, file, &error);
  free(file);
  return found;
}

static const char *verdict_of_run(const struct json_value *report) {
  const char *word =
      json_text(json_member(report, KEY(verdict)), KEY(verdict), NULL);
  return word                                    ? word
         : json_text(report, KEY(trouble), NULL) ? "trouble"
                                                 : "unchecked";
}

static void read_kept_run(struct arena *arena, struct kept *kept) {
  const struct json_value *report = document(arena, kept->path, "report.json");
  const struct json_value *run = json_member(report, KEY(run));
  if (strncmp(json_text(report, KEY(schema), ""), "isostress-", 10) != 0) {
    kept->state = KEPT_HALF;
    return;
  }
  kept->verdict = verdict_of_run(report);
  kept->level = json_text(run, KEY(level), "-");
  kept->target = json_text(run, KEY(target), "-");
  kept->date = json_whole(run, KEY(started_ns), kept->date);
}

static void read_scorecard(struct arena *arena, struct kept *kept) {
  const struct json_value *card = document(arena, kept->path, "scorecard.json");
  if (strcmp(json_text(card, KEY(command), ""), "scorecard") != 0) {
    kept->state = KEPT_HALF;
    return;
  }
  kept->verdict = "pass";
  const struct json_value *level = json_first(card, KEY(levels));
  for (; level; level = level->next)
    if (json_is_true(level, KEY(violated)))
      kept->verdict = "violation";
  if (json_is_true(card, KEY(interrupted)) && !strcmp(kept->verdict, "pass"))
    kept->verdict = "undecided";
  kept->level = "all";
  kept->target = json_text(card, KEY(target), "-");
}

static void read_sweep(struct arena *arena, struct kept *kept) {
  if (!document(arena, kept->path, "sweep.json"))
    kept->state = KEPT_HALF;
  kept->verdict = "sweep";
}

// The files by which results are known; the first one that is there counts.
static const struct sign {
  const char *file;
  enum kept_kind kind;
  void (*read)(struct arena *arena, struct kept *kept);
} signs[] = {{"report.json", KEPT_RUN, read_kept_run},
             {"sweep.txt", KEPT_SWEEP, read_sweep},
             {SCORECARD_TEXT, KEPT_SCORECARD, read_scorecard},
             {RUN_SETTINGS, KEPT_RUN, read_kept_run}};

static const struct sign *sign_of(const char *path, struct stat *about) {
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (file_status(path, signs[i].file, about))
      return &signs[i];
  return NULL;
}

// Locks the directory, or the table of a sweep, as commands at work there do.
// Its descriptor, or -1 if somebody else has the lock.
static int lock(const char *path) {
  struct stat about;
  char *file =
      file_in(path, file_status(path, "runs.csv", &about) ? "runs.csv" : "");
  const int fd = open(file, O_RDONLY | O_CLOEXEC);
  free(file);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
    close(fd);
    return -1;
  }
  return fd;
}

static bool is_in_use(const char *path) {
  const int fd = lock(path);
  if (fd >= 0)
    close(fd);
  return fd < 0;
}

// Does the link `latest` of the directory name it?
static bool is_latest(const char *directory, const char *name) {
  char *link = file_in(directory, "latest");
  char *target = realpath(link, NULL);
  char *path = file_in(directory, name);
  char *real = realpath(path, NULL);
  const bool named = target && real && !strcmp(target, real);
  free(real);
  free(path);
  free(target);
  free(link);
  return named;
}

// Keeps the texts of a result, not the document that they are from.
static void read_sign(struct kept_list *list, const struct sign *sign,
                      struct kept *kept) {
  struct arena arena = {0};
  sign->read(&arena, kept);
  kept->verdict = arena_strdup(&list->arena, kept->verdict);
  kept->level = arena_strdup(&list->arena, kept->level);
  kept->target = arena_strdup(&list->arena, kept->target);
  arena_free(&arena);
}

static void add_kept(struct kept_list *list, const char *directory,
                     const char *name) {
  struct stat about;
  if (*name == '.' || !file_status(directory, name, &about) ||
      !S_ISDIR(about.st_mode))
    return;
  const char *path = arena_printf(&list->arena, "%s/%s", directory, name);
  const struct sign *sign = sign_of(path, &about);
  if (!sign)
    return;
  list->more |= list->most && list->count == list->most;
  if (list->more)
    return;
  struct kept kept = {.kind = sign->kind,
                      .path = path,
                      .verdict = "-",
                      .level = "-",
                      .target = "-",
                      .latest = is_latest(directory, name),
                      .date = ns_of(&about.st_mtim),
                      .bytes = bytes_below(path)};
  if (is_in_use(path))
    kept.state = KEPT_GOING;
  else
    read_sign(list, sign, &kept);
  if (kept.state != KEPT_WHOLE)
    kept.verdict = kept.state == KEPT_GOING ? "going on" : "half written";
  ARRAY_RESERVE(list->items, list->count, list->room);
  list->items[list->count++] = kept;
}

int kept_read(const char *directory, struct kept_list *list,
              struct error *error) {
  DIR *opened = opendir(directory);
  if (!opened)
    return error_set(error, "cannot read the directory %s: %s", directory,
                     strerror(errno));
  for (const struct dirent *entry; (entry = readdir(opened));)
    add_kept(list, directory, entry->d_name);
  closedir(opened);
  return 0;
}

int kept_read_all(const char *directory, struct kept_list *list,
                  struct error *error) {
  struct stat about;
  struct error passed_over;
  DIR *opened = kept_read(directory, list, error) ? NULL : opendir(directory);
  if (!opened)
    return -1;
  for (const struct dirent *entry; (entry = readdir(opened));) {
    char *path = file_in(directory, entry->d_name);
    if (entry->d_name[0] != '.' && !lstat(path, &about) &&
        S_ISDIR(about.st_mode) && !sign_of(path, &about))
      (void)kept_read(path, list, &passed_over);
    free(path);
  }
  closedir(opened);
  return 0;
}

static int by_date(const void *a, const void *b) {
  const struct kept *x = a, *y = b;
  if (x->date != y->date)
    return x->date > y->date ? -1 : 1;
  return strcmp(x->path, y->path);
}

void kept_sort(struct kept_list *list) {
  if (list->count)
    qsort(list->items, list->count, sizeof *list->items, by_date);
}

void kept_free(struct kept_list *list) {
  free(list->items);
  arena_free(&list->arena);
}

// --- Removing.

static int remove_one(const char *path, const struct stat *about, int type,
                      struct FTW *place) {
  (void)about, (void)type, (void)place;
  return remove(path);
}

int kept_remove(const struct kept *kept, struct error *error) {
  const int held = lock(kept->path);
  if (held < 0)
    return 0;
  const int failed = nftw(kept->path, remove_one, 16, FTW_DEPTH | FTW_PHYS)
                         ? error_set(error, "cannot remove %s: %s", kept->path,
                                     strerror(errno))
                         : 0;
  close(held);
  return failed ? -1 : 1;
}
