// SPDX-License-Identifier: GPL-3.0-or-later
// A run of several ranks (cli/jobs/fleet_job.h).
#include "config.h"

#include "cli/jobs/fleet_job.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "cli/jobs/rundir.h"
#include "cli/settings/jobfile.h"
#include "recorder/files/set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 20 };

// The settings that ranks may have each for itself.
static const char *const own_settings[] = {
    "clients", "junit",    "meet", "meet-timeout", "out",
    "output",  "progress", "rank", "seed",         "verbose"};

bool fleet_job_tells(const struct job *job) {
  return fleet_leads(job->fleet.ranks ? &job->fleet : NULL);
}

enum status fleet_job_complain(const struct job *job, enum status status,
                               struct error *error) {
  return fleet_job_tells(job) || ranks_has_lost(job->fleet.ranks, 0)
             ? complain(status, error)
             : status;
}

int fleet_job_agree(struct job *job, int failed, struct error *error) {
  return ranks_agree(job->fleet.ranks, failed, error);
}

// ---- Settings

static char *text_of_settings(const struct job *job) {
  char *text;
  size_t bytes;
  FILE *file = text_stream(&text, &bytes);
  jobfile_write(file, "run", &job->plan.settings);
  fclose(file);
  return text;
}

static bool is_own_setting(const char *line) {
  const size_t n = strcspn(line, " =\n");
  bool is = false;
  for (size_t i = 0; i < sizeof own_settings / sizeof *own_settings; i++)
    is |= strlen(own_settings[i]) == n && !strncmp(line, own_settings[i], n);
  return is;
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

// The next line that has to be equal.
static const char *next_common(const char *line) {
  while (*line && is_own_setting(line))
    line = next_line(line);
  return line;
}

static int compare_settings(const char *mine, const char *leads,
                            struct error *error) {
  while (*(mine = next_common(mine)) | *(leads = next_common(leads))) {
    const size_t n = strcspn(mine, "\n"), m = strcspn(leads, "\n");
    if (n != m || strncmp(mine, leads, n))
      return error_set(error,
                       "it has \"%.*s\", and rank 0 has \"%.*s\": give all "
                       "ranks the same settings",
                       (int)n, mine, (int)m, leads);
    mine = next_line(mine);
    leads = next_line(leads);
  }
  return 0;
}

// Rank 0's choice, if nobody has said it.
static int share_seed(struct job *job, struct error *error) {
  struct settings *settings = &job->plan.settings;
  if (!setting_is_given(settings, "seed"))
    setting_give_run(settings, "seed", "0");
  uint64_t seed =
      settings->seed ? settings->seed : clock_wall() >> 10 & UINT32_MAX;
  struct ranks_text text = {(char *)&seed, sizeof seed};
  if (ranks_broadcast(job->fleet.ranks, &text, error))
    return -1;
  if (!fleet_job_tells(job)) {
    if (text.n == sizeof seed)
      memcpy(&seed, text.bytes, sizeof seed);
    ranks_text_free(&text);
  }
  settings->seed = seed;
  return 0;
}

int fleet_job_share(struct job *job, int failed, struct error *error) {
  struct ranks *ranks = job->fleet.ranks;
  if (!ranks)
    return failed;
  if (ranks_agree(ranks, failed, error) || share_seed(job, error))
    return -1;
  char *mine = text_of_settings(job);
  struct ranks_text leads = {mine, strlen(mine)};
  failed = ranks_broadcast(ranks, &leads, error);
  if (!failed && !fleet_job_tells(job)) {
    failed = compare_settings(mine, leads.bytes, error);
    ranks_text_free(&leads);
  }
  free(mine);
  return ranks_agree(ranks, failed, error);
}

int fleet_job_count(struct job *job, struct error *error) {
  struct fleet *fleet = &job->fleet;
  const uint64_t clients = job->plan.settings.clients;
  uint64_t first, all;
  if (!fleet->ranks)
    return 0;
  if (ranks_exscan(fleet->ranks, clients, &first, &all, error))
    return -1;
  if (all > VALUE_MAX_SESSIONS)
    return error_set_usage(error,
                           "%" PRIu64 " sessions of all ranks are too many: at "
                           "most %" PRIu64 " have numbers",
                           all, (uint64_t)VALUE_MAX_SESSIONS);
  fleet->first_session = (uint32_t)first;
  fleet->nsessions = (uint32_t)clients;
  fleet->goes_on = !job->plan.settings.stop_on_lost_rank;
  job->plan.workload_options.nsessions = (uint32_t)all;
  return 0;
}

// ---- The directory

struct listed_set {
  uint64_t run;
  uint32_t nsessions;
  struct history_parts *parts;
};

static void put_set(FILE *file, const void *context) {
  const struct listed_set *set = context;
  set_write(file, set->run, set->nsessions, set->parts);
}

// Rank 0's list of parts.
static struct history_parts *gather_parts(struct job *job,
                                          struct error *error) {
  const struct fleet *fleet = &job->fleet;
  const uint32_t n = ranks_count(fleet->ranks);
  struct history_part mine = {.first_session = fleet->first_session,
                              .nsessions = fleet->nsessions};
  struct ranks_text *all;
  snprintf(mine.host, sizeof mine.host, "%s", job->host);
  const int failed =
      ranks_gather(fleet->ranks, &mine, sizeof mine, &all, error);
  struct history_parts *parts =
      xcalloc(1, sizeof *parts + n * sizeof *parts->part);
  parts->n = n;
  for (uint32_t i = 0; all && !failed && i < n; i++)
    if (all[i].n == sizeof mine)
      memcpy(&parts->part[i], all[i].bytes, sizeof mine);
  ranks_free_texts(fleet->ranks, all);
  return parts;
}

static int write_set(struct job *job, const char *directory,
                     const struct ranks_text *list, struct error *error) {
  char *path = xasprintf("%s/" RUN_SET, directory);
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const int failed = fd < 0 || write_fully(fd, list->bytes, list->n)
                         ? error_cannot(error, path, "written")
                         : 0;
  if (fd >= 0)
    close(fd);
  if (!failed && fleet_job_tells(job))
    job->history = xstrdup(path);
  free(path);
  return failed;
}

// The path of the directory, as a line, and the list of parts.
static char *describe_set(struct job *job, struct error *error) {
  struct history_parts *parts = gather_parts(job, error);
  char *text, *real = NULL;
  size_t bytes;
  job->fleet.run = clock_wall();
  const struct listed_set set = {job->fleet.run,
                                 job->plan.workload_options.nsessions, parts};
  FILE *file = text_stream(&text, &bytes);
  if (fleet_job_tells(job))
    real = realpath(job->directory, NULL);
  fprintf(file, "%s\n", real ? real : "");
  put_set(file, &set);
  fclose(file);
  free(real);
  free(parts);
  return text;
}

// Is rank 0's list at the path?
static bool sees_list(const char *directory, const struct ranks_text *list) {
  char *path = xasprintf("%s/" RUN_SET, directory);
  char *there = xmalloc(list->n + 1);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const bool same = fd >= 0 &&
                    read_fully(fd, there, list->n + 1) == (ssize_t)list->n &&
                    !memcmp(there, list->bytes, list->n);
  if (fd >= 0)
    close(fd);
  free(there);
  free(path);
  return same;
}

// Where rank 0's directory is not seen, one of the same name is made.
static int make_own_directory(struct job *job, const char *leads,
                              const struct ranks_text *list,
                              struct error *error) {
  char *copy = xstrdup(leads);
  job->directory =
      sees_list(leads, list)
          ? xstrdup(leads)
          : xasprintf("%s/%s", job->plan.settings.out, basename(copy));
  free(copy);
  if (!strcmp(job->directory, leads))
    return 0;
  job->sends_part = true;
  return rundir_make_path(job->directory, error) ||
                 write_set(job, job->directory, list, error)
             ? -1
             : 0;
}

static uint64_t run_of_list(const char *list) {
  uint64_t run = 0;
  const char *line = strstr(list, "\nrun ");
  if (line)
    sscanf(line, "\nrun %16" SCNx64, &run);
  return run;
}

static void name_machine(struct job *job) {
  if (gethostname(job->host, sizeof job->host - 1))
    job->host[0] = '\0';
  job->host[strcspn(job->host, " \t\n")] = '\0';
  job->fleet.host = job->host;
}

// The list behind the line with the directory, which that ends.
static struct ranks_text list_behind(const struct ranks_text *text) {
  const size_t n = strcspn(text->bytes, "\n");
  return (struct ranks_text){text->bytes + n + 1, text->n - n - 1};
}

// Rank 0 writes the list and tells all of it.
static int give_set_list(struct job *job, struct error *error) {
  char *mine = describe_set(job, error);
  struct ranks_text text = {mine, strlen(mine)};
  const struct ranks_text list = list_behind(&text);
  free(job->history);
  job->history = NULL;
  int failed = write_set(job, job->directory, &list, error);
  failed = ranks_agree(job->fleet.ranks, failed, error) ||
           ranks_broadcast(job->fleet.ranks, &text, error);
  free(mine);
  return failed ? -1 : 0;
}

static int take_set_list(struct job *job, struct error *error) {
  struct ranks_text text = {0};
  free(describe_set(job, error));
  if (ranks_agree(job->fleet.ranks, 0, error) ||
      ranks_broadcast(job->fleet.ranks, &text, error))
    return -1;
  const struct ranks_text list = list_behind(&text);
  list.bytes[-1] = '\0';
  job->fleet.run = run_of_list(list.bytes);
  const int failed = make_own_directory(job, text.bytes, &list, error);
  ranks_text_free(&text);
  return failed;
}

int fleet_job_place(struct job *job, struct error *error) {
  struct ranks *ranks = job->fleet.ranks;
  if (!ranks)
    return 0;
  name_machine(job);
  const int failed = fleet_job_tells(job) ? give_set_list(job, error)
                                          : take_set_list(job, error);
  if (!failed && job->plan.settings.record) {
    job->part =
        xasprintf("%s/" RUN_HISTORY ".%u", job->directory, ranks_number(ranks));
    if (!job->history)
      job->history = xstrdup(job->part);
  }
  return ranks_agree(ranks, failed, error);
}

void fleet_job_discard(const struct job *job) {
  if (!job->directory)
    return;
  if (job->part)
    unlink(job->part);
  if (job->fleet.ranks && (fleet_job_tells(job) || job->sends_part)) {
    char *list = xasprintf("%s/" RUN_SET, job->directory);
    unlink(list);
    free(list);
  }
  if (fleet_job_tells(job) || job->sends_part)
    rundir_discard(job->directory, RUN_SETTINGS);
}

// ---- The end

// In pieces; an empty one is the last.
static int send_part(struct job *job, struct error *error) {
  const int fd =
      job->sends_part && job->part ? open(job->part, O_RDONLY | O_CLOEXEC) : -1;
  char *piece = xmalloc(PIECE_BYTES);
  ssize_t n = 0;
  int failed = 0;
  do {
    n = fd < 0 ? 0 : read_fully(fd, piece, PIECE_BYTES);
    failed = ranks_give(job->fleet.ranks, piece, n > 0 ? (size_t)n : 0, error);
  } while (n > 0 && !failed);
  if (fd >= 0)
    close(fd);
  free(piece);
  return failed;
}

static int take_rank_part(struct job *job, uint32_t rank, struct error *error) {
  char *path = xasprintf("%s/" RUN_HISTORY ".%u", job->directory, rank);
  struct ranks_text text;
  int fd = -1, failed = 0;
  while (!ranks_take(job->fleet.ranks, rank, &text, error) && text.n) {
    if (fd < 0)
      fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (!failed && (fd < 0 || write_fully(fd, text.bytes, text.n)))
      failed = error_cannot(error, path, "written");
    ranks_text_free(&text);
  }
  ranks_text_free(&text);
  if (fd >= 0)
    close(fd);
  free(path);
  return failed;
}

// Rank 0 takes over what the first rank that saw a violation noticed.
static void share_notice(struct job *job) {
  struct ranks_text *all;
  struct error error;
  ranks_gather(job->fleet.ranks, &job->notice, sizeof job->notice, &all,
               &error);
  for (uint32_t i = 1; all && i < ranks_count(job->fleet.ranks); i++) {
    struct notice other;
    if (!all[i].bytes || all[i].n != sizeof other)
      continue;
    memcpy(&other, all[i].bytes, sizeof other);
    if (other.seen && (!job->notice.seen || other.time < job->notice.time)) {
      other.clock = job->figures.started + other.time;
      job->notice = other;
    }
  }
  ranks_free_texts(job->fleet.ranks, all);
}

void fleet_job_end(struct job *job) {
  struct ranks *ranks = job->fleet.ranks;
  struct error error = {0};
  int failed = 0;
  if (!ranks)
    return;
  share_notice(job);
  if (!fleet_job_tells(job))
    send_part(job, &error);
  for (uint32_t i = 1; fleet_job_tells(job) && i < ranks_count(ranks); i++)
    failed |= take_rank_part(job, i, &error);
  if (failed)
    job_note_trouble(job, &error);
  if (!job->fleet.lost.text[0])
    return;
  if (!fleet_job_tells(job)) {
    error_set(&error, "%s; what rank %u recorded is in %s",
              job->fleet.lost.text, ranks_number(ranks), job->part);
    job_note_trouble(job, &error);
  } else {
    fprintf(stderr,
            "isostress: %s; what it recorded is there but for its last "
            "second\n",
            job->fleet.lost.text);
  }
}
