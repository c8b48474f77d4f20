// SPDX-License-Identifier: GPL-3.0-or-later
// Exchanges surveys between processes (explore/ranks.h), as the text that a
// stopped exploration is saved as.
#include "config.h"

#include "explore/ranks.h"

#ifndef HAVE_MPI

struct ranks ranks_begin(void) {
  return (struct ranks){0, 1};
}

void ranks_end(const struct ranks *ranks) { (void)ranks; }

bool ranks_all(const struct ranks *ranks, bool here) {
  (void)ranks;
  return here;
}

int ranks_add(const struct ranks *ranks, const struct program *program,
              const struct survey_options *options, struct survey *survey,
              int failed, struct error *error) {
  (void)ranks;
  (void)program;
  (void)options;
  (void)survey;
  (void)error;
  return failed;
}

#else

#include "base/memory.h"
#include "explore/saved.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 28 }; // bytes of a message, whose length is an int

struct rank_summary { // of a survey, before its text
  uint64_t bytes;
  bool failed, is_too_large;
  struct error error;
};

// Only mpirun sets these; without it MPI would take long to begin.
static bool is_started_by_mpirun(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                      "PMI_RANK", "PMIX_RANK"};
  bool is = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    is |= getenv(names[i]) != NULL;
  return is;
}

struct ranks ranks_begin(void) {
  int rank = 0, n = 1, level;
  if (is_started_by_mpirun()) {
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
  }
  return (struct ranks){(uint32_t)rank, (uint32_t)n};
}

void ranks_end(const struct ranks *ranks) {
  (void)ranks;
  if (is_started_by_mpirun())
    MPI_Finalize();
}

bool ranks_all(const struct ranks *ranks, bool here) {
  int mine = here, all = here;
  if (ranks->n > 1)
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all;
}

static void send_text(const char *text, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += PIECE)
    MPI_Send(text + at, (int)(bytes - at < PIECE ? bytes - at : PIECE),
             MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static char *receive_text(int from, uint64_t bytes) {
  char *text = xmalloc(bytes + 1);
  for (uint64_t at = 0; at < bytes; at += PIECE)
    MPI_Recv(text + at, (int)(bytes - at < PIECE ? bytes - at : PIECE),
             MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  text[bytes] = '\0';
  return text;
}

static void give(const struct program *program,
                 const struct survey_options *options, struct survey *survey,
                 int failed, const struct error *error) {
  struct saved saved = {0};
  struct rank_summary summary = {.failed = failed != 0,
                                 .is_too_large = survey->is_too_large};
  if (failed)
    summary.error = *error;
  saved_keep(&saved, program, options, survey);
  char *text = saved_text(&saved, &summary.bytes);
  MPI_Send(&summary, sizeof summary, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  send_text(text, summary.bytes);
  free(text);
  saved_free(&saved);
}

static int take_rank_work(int from, struct survey *survey,
                          struct error *error) {
  struct rank_summary summary;
  struct saved saved = {0};
  MPI_Recv(&summary, sizeof summary, MPI_BYTE, from, 0, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  char *text = receive_text(from, summary.bytes);
  int failed = summary.failed ? -1 : saved_parse(text, &saved, error);
  if (summary.failed)
    *error = summary.error;
  if (!failed) {
    survey_add(survey, &saved.all[0].survey);
    survey->is_too_large |= summary.is_too_large;
  }
  saved_free(&saved);
  free(text);
  return failed;
}

int ranks_add(const struct ranks *ranks, const struct program *program,
              const struct survey_options *options, struct survey *survey,
              int failed, struct error *error) {
  if (ranks->rank) {
    give(program, options, survey, failed, error);
  } else {
    for (uint32_t i = 1; i < ranks->n; i++) {
      struct error other;
      const bool others = take_rank_work((int)i, survey, &other);
      if (others && !failed)
        *error = other;
      failed = failed || others ? -1 : 0;
    }
  }
  return ranks_all(ranks, !failed) ? 0 : -1;
}

#endif
