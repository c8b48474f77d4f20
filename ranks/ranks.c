// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that work together (ranks/ranks.h): how one joins, and what all do in
// the same order.
#include "config.h"

#include "ranks/ranks.h"

#include "base/memory.h"
#include "ranks/hello.h"
#include "ranks/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

uint32_t ranks_number(const struct ranks *ranks) {
  return ranks ? ranks->number : 0;
}

uint32_t ranks_count(const struct ranks *ranks) { return ranks ? ranks->n : 1; }

void ranks_allow_losses(struct ranks *ranks) {
  if (ranks)
    ranks->may_lose = true;
}

bool ranks_has_lost(const struct ranks *ranks, uint32_t rank) {
  return ranks && rank != ranks->number && ranks->sockets[rank] < 0;
}

void ranks_note_loss(struct ranks *ranks, uint32_t rank) {
  if (ranks->sockets[rank] >= 0)
    close(ranks->sockets[rank]);
  ranks->sockets[rank] = -1;
}

int ranks_tell_loss(struct error *error, uint32_t rank) {
  return errno == EINTR
             ? error_set(error, "interrupted while the other ranks worked")
             : error_set(error, "rank %u is gone: its connection was closed",
                         rank);
}

// ---- Joining

static struct ranks *ranks_new(uint32_t number, uint32_t n,
                               const volatile sig_atomic_t *stop) {
  struct ranks *ranks = xcalloc(1, sizeof *ranks);
  *ranks = (struct ranks){.number = number, .n = n, .stop = stop};
  ranks->sockets = xcalloc(n, sizeof *ranks->sockets);
  for (uint32_t i = 0; i < n; i++)
    ranks->sockets[i] = -1;
  return ranks;
}

void ranks_leave(struct ranks *ranks) {
  if (!ranks)
    return;
  for (uint32_t i = 0; i < ranks->n; i++)
    if (ranks->sockets[i] >= 0)
      close(ranks->sockets[i]);
  free(ranks->sockets);
  free(ranks);
}

// Rank 0 holds the meeting, the others come to it.
static int meet(struct ranks *ranks, struct rendezvous *meeting,
                uint64_t patience, struct error *error) {
  return ranks->number ? hello_say(ranks, meeting->addresses, meeting->token,
                                   patience, error)
                       : meeting_hold(ranks, meeting, patience, error);
}

static int join_by_place(const struct ranks_options *options,
                         struct ranks *ranks, struct error *error) {
  struct rendezvous meeting = {.listener = -1};
  snprintf(meeting.addresses, sizeof meeting.addresses, "%s", options->meet);
  if (!ranks->number && meeting_open(options->meet, &meeting, error))
    return -1;
  const int failed = meet(ranks, &meeting, options->patience, error);
  if (meeting.listener >= 0)
    close(meeting.listener);
  return failed;
}

static void draw_token(char token[RANKS_TOKEN + 1]) {
  unsigned char bytes[RANKS_TOKEN / 2];
  if (getrandom(bytes, sizeof bytes, 0) < 0)
    memset(bytes, 0, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(token + 2 * i, 3, "%02x", bytes[i]);
}

// MPI ends as soon as all know where rank 0 is.
static int join_by_mpi(const struct ranks_options *options,
                       struct ranks **joined, struct error *error) {
  const struct ranks_mpi *mpi = ranks_load_mpi(error);
  struct rendezvous meeting = {.listener = -1};
  int number = 0, n = 1, failed = 0;
  char why[256];
  if (!mpi)
    return -1;
  if (mpi->begin(&number, &n, why, sizeof why))
    return error_set(error, "MPI: %s", why);
  if (n > 1) {
    *joined = ranks_new((uint32_t)number, (uint32_t)n, options->stop);
    if (!number && !(failed = meeting_open(NULL, &meeting, error)))
      draw_token(meeting.token);
    mpi->broadcast(&meeting.addresses, sizeof meeting.addresses);
    mpi->broadcast(&meeting.token, sizeof meeting.token);
  }
  mpi->end();
  if (n > 1 && !failed)
    failed = meeting.token[0]
                 ? meet(*joined, &meeting, options->patience, error)
                 : error_set(error, "rank 0 could not wait for the others");
  if (!number && meeting.listener >= 0)
    close(meeting.listener);
  return failed;
}

static int read_rank(const char *text, uint32_t *number, uint32_t *n,
                     struct error *error) {
  int end = 0;
  if (sscanf(text, "%9u/%9u%n", number, n, &end) == 2 && !text[end] && *n &&
      *number < *n && *n <= RANKS_MOST)
    return 0;
  return error_set_usage(error,
                         "--rank=%s: give R/N, the number of this rank from 0 "
                         "and how many there are, at most %d",
                         text, RANKS_MOST);
}

int ranks_join(const struct ranks_options *options, struct ranks **ranks,
               struct error *error) {
  uint32_t number, n;
  int failed = 0;
  *ranks = NULL;
  if (!options->rank && options->meet)
    return error_set_usage(error, "--meet says where ranks meet: --rank=R/N "
                                  "says which one this is");
  if (!options->rank) {
    failed = ranks_by_mpi() ? join_by_mpi(options, ranks, error) : 0;
  } else if (read_rank(options->rank, &number, &n, error)) {
    failed = -1;
  } else if (n > 1 && !options->meet) {
    failed = error_set_usage(error,
                             "--rank=%s: --meet=HOST:PORT says where "
                             "rank 0 waits for the others",
                             options->rank);
  } else if (n > 1) {
    *ranks = ranks_new(number, n, options->stop);
    failed = join_by_place(options, *ranks, error);
  }
  if (failed) {
    ranks_leave(*ranks);
    *ranks = NULL;
  }
  return failed;
}

// ---- Together

static int lose_rank(struct ranks *ranks, uint32_t rank, struct error *error) {
  ranks_tell_loss(error, rank);
  ranks_note_loss(ranks, rank);
  return ranks->may_lose && !ranks->number ? 0 : -1;
}

static int send_to_rank(struct ranks *ranks, uint32_t rank, const void *bytes,
                        size_t n, struct error *error) {
  if (ranks->sockets[rank] < 0 ||
      wire_send(ranks->sockets[rank], WIRE_TEXT, bytes, n))
    return lose_rank(ranks, rank, error);
  return 0;
}

static int receive_from_rank(struct ranks *ranks, uint32_t rank,
                             struct ranks_text *text, struct error *error) {
  struct wire_message message = {0};
  *text = (struct ranks_text){0};
  // A beat that was under way when the work ended comes before it.
  do {
    wire_message_free(&message);
    if (ranks->sockets[rank] < 0 ||
        wire_receive(ranks->sockets[rank], ranks->stop, &message)) {
      wire_message_free(&message);
      return lose_rank(ranks, rank, error);
    }
  } while (message.kind != WIRE_TEXT);
  *text = (struct ranks_text){message.bytes, message.n};
  return 0;
}

int ranks_give(struct ranks *ranks, const void *bytes, size_t n,
               struct error *error) {
  return send_to_rank(ranks, 0, bytes, n, error);
}

int ranks_take(struct ranks *ranks, uint32_t rank, struct ranks_text *text,
               struct error *error) {
  return receive_from_rank(ranks, rank, text, error);
}

int ranks_broadcast(struct ranks *ranks, struct ranks_text *text,
                    struct error *error) {
  int failed = 0;
  if (!ranks)
    return 0;
  if (ranks->number)
    return receive_from_rank(ranks, 0, text, error);
  for (uint32_t i = 1; i < ranks->n; i++)
    failed |= send_to_rank(ranks, i, text->bytes, text->n, error);
  return failed;
}

int ranks_gather(struct ranks *ranks, const void *bytes, size_t n,
                 struct ranks_text **all, struct error *error) {
  int failed = 0;
  *all = NULL;
  if (ranks_number(ranks))
    return send_to_rank(ranks, 0, bytes, n, error);
  *all = xcalloc(ranks_count(ranks), sizeof **all);
  **all = (struct ranks_text){xmalloc(n + 1), n};
  if (n)
    memcpy((*all)->bytes, bytes, n);
  (*all)->bytes[n] = '\0';
  for (uint32_t i = 1; i < ranks_count(ranks); i++)
    failed |= receive_from_rank(ranks, i, &(*all)[i], error);
  return failed;
}

void ranks_text_free(struct ranks_text *text) {
  free(text->bytes);
  *text = (struct ranks_text){0};
}

void ranks_free_texts(const struct ranks *ranks, struct ranks_text *all) {
  for (uint32_t i = 0; all && i < ranks_count(ranks); i++)
    free(all[i].bytes);
  free(all);
}

// The first sentence, with the number of its rank; empty: there is none.
static char *first_sentence(const struct ranks *ranks,
                            const struct ranks_text *all) {
  for (uint32_t i = 0; i < ranks->n; i++)
    if (all[i].n)
      return i ? xasprintf("rank %u: %s", i, all[i].bytes)
               : xstrdup(all[i].bytes);
  return xstrdup("");
}

int ranks_agree(struct ranks *ranks, int failed, struct error *error) {
  const struct error mine = failed ? *error : (struct error){0};
  struct ranks_text *all, told = {0};
  if (!ranks)
    return failed;
  int gone = ranks_gather(ranks, mine.text, strlen(mine.text), &all, error);
  if (all) { // rank 0
    told.bytes = gone ? xstrdup(error->text) : first_sentence(ranks, all);
    told.n = strlen(told.bytes);
  }
  ranks_free_texts(ranks, all);
  struct error why = *error;
  if (ranks_broadcast(ranks, &told, &why) && !gone)
    *error = why, gone = -1;
  if (told.n && !gone)
    gone = error_set(error, "%s", told.bytes);
  free(told.bytes);
  error->usage = mine.usage;
  if (failed && !ranks->number)
    *error = mine;
  return gone || failed ? -1 : 0;
}

static uint64_t number_in(const struct ranks_text *text) {
  uint64_t number = 0;
  if (text->n == sizeof number)
    memcpy(&number, text->bytes, sizeof number);
  return number;
}

int ranks_exscan(struct ranks *ranks, uint64_t mine, uint64_t *before,
                 uint64_t *all, struct error *error) {
  struct ranks_text *numbers, sums = {0};
  *before = 0;
  *all = mine;
  if (!ranks)
    return 0;
  int failed = ranks_gather(ranks, &mine, sizeof mine, &numbers, error);
  if (numbers) { // rank 0
    uint64_t *sum = xcalloc(ranks->n + (size_t)1, sizeof *sum);
    for (uint32_t i = 0; i < ranks->n; i++)
      sum[i + 1] = sum[i] + number_in(&numbers[i]);
    sums =
        (struct ranks_text){(char *)sum, (ranks->n + (size_t)1) * sizeof *sum};
  }
  ranks_free_texts(ranks, numbers);
  failed = failed || ranks_broadcast(ranks, &sums, error) ? -1 : 0;
  if (!failed && sums.n == (ranks->n + (size_t)1) * sizeof *before) {
    memcpy(before, sums.bytes + ranks->number * sizeof *before, sizeof *before);
    memcpy(all, sums.bytes + ranks->n * sizeof *all, sizeof *all);
  }
  free(sums.bytes);
  return failed;
}
