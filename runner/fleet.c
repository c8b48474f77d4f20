// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of a run at what they do together (runner/fleet.h).
#include "config.h"

#include "runner/fleet.h"

#include "base/clock.h"
#include "base/memory.h"
#include "recorder/native/chunk.h"
#include "recorder/record/part_note.h"
#include "recorder/record/recording.h"
#include "runner/session.h"
#include "runner/tally_text.h"

#include <stdlib.h>
#include <string.h>

// Time for the last rank to hear of it.
#define UNTIL_START (NS_PER_SECOND / 20)

static void note_loss(struct fleet *fleet, const struct error *error) {
  if (!fleet->lost.text[0])
    fleet->lost = *error;
}

int fleet_agree(struct fleet *fleet, int failed, struct error *error) {
  return fleet ? ranks_agree(fleet->ranks, failed, error) : failed;
}

int fleet_check(const struct run_options *options, struct error *error) {
  const struct driver *driver = options->target->driver;
  if (!options->fleet)
    return 0;
  if (options->own)
    return error_set(error, "scripts that run as they are take one process, "
                            "not several ranks");
  if (options->threads == 1)
    return error_set(error,
                     "threads=1 has a clock of its own, which counts "
                     "steps: several ranks need those of their machines");
  if (!driver->follow)
    return error_set(error,
                     "the %s driver cannot tell that another process has set "
                     "the database up, so that one rank alone can run it",
                     driver->name);
  return 0;
}

// ---- Before

int fleet_set_clock(struct fleet *fleet, uint64_t *begin, struct error *error) {
  uint64_t zero = clock_now();
  struct ranks_text text = {(char *)&zero, sizeof zero};
  if (!fleet)
    return 0;
  if (clock_ask(fleet->ranks, &fleet->bound, error) ||
      ranks_broadcast(fleet->ranks, &text, error))
    return -1;
  if (!fleet_leads(fleet)) {
    if (text.n == sizeof zero)
      memcpy(&zero, text.bytes, sizeof zero);
    ranks_text_free(&text);
  }
  fleet->zero = zero;
  fleet->began = fleet->bound.exact ? zero : clock_now();
  *begin = fleet->began;
  return 0;
}

static void note_bound(void *context, const struct clock_bound *bound) {
  struct fleet *fleet = context;
  const int64_t ahead = (int64_t)(fleet->began - fleet->zero);
  char *text = part_note_bound((int64_t)(bound->at - fleet->began),
                               ahead + bound->low, ahead + bound->high);
  if (fleet->recording)
    recording_note(fleet->recording, CHUNK_CLOCK, text);
  free(text);
}

void fleet_note_part(struct fleet *fleet, struct recording *recording) {
  if (!fleet)
    return;
  fleet->recording = recording;
  char *head = part_note_head(fleet->run, ranks_number(fleet->ranks),
                              ranks_count(fleet->ranks), fleet->host,
                              fleet->bound.exact);
  recording_note(recording, CHUNK_CLOCK, head);
  free(head);
  if (!fleet->bound.exact)
    note_bound(fleet, &fleet->bound);
}

void fleet_await_start(struct fleet *fleet) {
  uint64_t start = clock_now() + UNTIL_START;
  struct ranks_text text = {(char *)&start, sizeof start};
  struct error error;
  if (!fleet)
    return;
  ranks_allow_losses(fleet->ranks);
  const struct clock_bound *bound = &fleet->bound;
  if (ranks_broadcast(fleet->ranks, &text, &error)) {
    note_loss(fleet, &error);
    return;
  }
  if (!fleet_leads(fleet)) {
    if (text.n == sizeof start)
      memcpy(&start, text.bytes, sizeof start);
    ranks_text_free(&text);
    start -= (uint64_t)(bound->low + (bound->high - bound->low) / 2);
  }
  clock_sleep_until(start);
}

// ---- While it lasts

void fleet_begin(struct fleet *fleet,
                 void (*count)(void *context, struct beat_counts *counts),
                 bool (*stops)(void *context), void *context) {
  const struct beat_options options = {.ranks = fleet->ranks,
                                       .bound = fleet->bound,
                                       .goes_on = fleet->goes_on,
                                       .count = count,
                                       .stops = stops,
                                       .context = context,
                                       .bounded = note_bound,
                                       .bounded_context = fleet};
  fleet->beat = beat_start(&options);
}

const volatile sig_atomic_t *fleet_flag(const struct fleet *fleet) {
  return fleet && fleet->beat ? beat_flag(fleet->beat) : NULL;
}

void fleet_add_progress(const struct fleet *fleet,
                        struct run_progress *progress) {
  if (!fleet)
    return;
  const struct beat_counts others = beat_others(fleet->beat);
  progress->committed += others.committed;
  progress->aborted += others.aborted;
  progress->unknown += others.unknown;
  progress->refused += others.refused;
}

uint64_t fleet_slowest(const struct fleet *fleet) {
  return fleet && fleet->beat ? beat_others(fleet->beat).slowest : UINT64_MAX;
}

void fleet_end(struct fleet *fleet) {
  struct error error;
  if (!fleet)
    return;
  beat_end(fleet->beat, &error);
  fleet->beat = NULL;
  if (error.text[0])
    note_loss(fleet, &error);
}

// ---- After

void fleet_gather(struct fleet *fleet, const uint64_t *mine, uint64_t *all) {
  struct ranks_text *texts;
  struct error error = {0};
  if (!fleet)
    return;
  if (ranks_gather(fleet->ranks, mine, fleet->nsessions * sizeof *mine, &texts,
                   &error))
    note_loss(fleet, &error);
  uint64_t first[2] = {fleet->first_session, fleet->nsessions};
  struct ranks_text *places;
  if (ranks_gather(fleet->ranks, first, sizeof first, &places, &error))
    note_loss(fleet, &error);
  for (uint32_t i = 0; texts && places && i < ranks_count(fleet->ranks); i++) {
    if (!texts[i].bytes || !places[i].bytes || places[i].n != sizeof first)
      continue;
    memcpy(first, places[i].bytes, sizeof first);
    if (texts[i].n == first[1] * sizeof *all)
      memcpy(all + first[0], texts[i].bytes, texts[i].n);
  }
  ranks_free_texts(fleet->ranks, texts);
  ranks_free_texts(fleet->ranks, places);
}

static void write_share(FILE *file, const struct fleet_share *share,
                        const struct session *sessions) {
  fwrite(share, sizeof *share, 1, file);
  for (uint32_t i = 0; i < share->nsessions; i++) {
    const struct route *route = &sessions[i].route;
    fwrite(&route->session, sizeof route->session, 1, file);
    fwrite(route->count, sizeof route->count, 1, file);
    tally_write(file, &sessions[i].tally);
  }
}

// The worst end is that of all: they are in this order.
static void add_share(struct fleet_share *sum, const struct fleet_share *one) {
  if (one->end > sum->end) {
    sum->end = one->end;
    memcpy(sum->sentence, one->sentence, sizeof sum->sentence);
  }
  if (one->elapsed > sum->elapsed)
    sum->elapsed = one->elapsed;
  sum->measured += one->measured;
  sum->nsessions += one->nsessions;
}

static void merge_text(const struct ranks_text *text, struct fleet_share *sum,
                       struct run_figures *figures) {
  struct tally_reader reader = {text->bytes, text->bytes + text->n};
  struct fleet_share share;
  if (tally_take(&reader, &share, sizeof share))
    return;
  for (uint32_t i = 0; i < share.nsessions; i++) {
    struct route route = {0};
    struct tally tally;
    if (tally_take(&reader, &route.session, sizeof route.session) ||
        tally_take(&reader, route.count, sizeof route.count) ||
        tally_read(&reader, figures, &tally))
      return;
    tally_merge(figures, &tally);
    route_merge(figures, &route);
    tally_fini(&tally);
  }
  add_share(sum, &share);
}

void fleet_merge(struct fleet *fleet, struct fleet_share *share,
                 const struct session *sessions, struct run_figures *figures) {
  struct ranks_text *all;
  struct error error = {0};
  char *text;
  size_t bytes;
  if (!fleet)
    return;
  FILE *file = text_stream(&text, &bytes);
  if (!fleet_leads(fleet))
    write_share(file, share, sessions);
  fclose(file);
  if (ranks_gather(fleet->ranks, text, bytes, &all, &error))
    note_loss(fleet, &error);
  free(text);
  for (uint32_t i = 1; all && i < ranks_count(fleet->ranks); i++) {
    if (all[i].bytes)
      merge_text(&all[i], share, figures);
    else if (!fleet->lost.text[0])
      note_loss(fleet, &error);
  }
  ranks_free_texts(fleet->ranks, all);
}
