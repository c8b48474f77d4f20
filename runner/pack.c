// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps sessions together (runner/pack.h).  Each writes its own mark and reads
// those of the others once it may have got too far ahead, which is seldom.
#include "config.h"

#include "runner/pack.h"

#include "base/memory.h"
#include "workload/twins.h"

#include <stdalign.h>
#include <stdlib.h>

#define PAUSE (NS_PER_SECOND / 20000)

enum { CACHE_LINE = 64 };

struct pack_mark {
  alignas(CACHE_LINE) uint64_t nplans;
  uint64_t arrived; // at its plan of this number, from 1
};

void pack_init(struct pack *pack, const struct workload *workload,
               const struct workload_options *options, struct fleet *fleet) {
  *pack = (struct pack){.nsessions = options->nsessions,
                        .fleet = fleet,
                        .options = options,
                        .twins = options->twins > 0};
  if (!workload->lead && !pack->twins)
    return;
  const size_t bytes = pack->nsessions * sizeof *pack->marks;
  pack->lead = workload->lead ? workload->lead(options) : 0;
  pack->marks = aligned_alloc(CACHE_LINE, bytes);
  if (!pack->marks)
    out_of_memory(bytes);
  for (uint32_t i = 0; i < pack->nsessions; i++)
    pack->marks[i] = (struct pack_mark){UINT64_MAX, UINT64_MAX};
}

void pack_here(const struct pack *pack, uint32_t session) {
  if (pack->marks)
    pack->marks[session] = (struct pack_mark){0};
}

void pack_fini(struct pack *pack) { free(pack->marks); }

void pack_note(const struct pack *pack, uint32_t session, uint64_t nplans) {
  if (pack->marks)
    __atomic_store_n(&pack->marks[session].nplans, nplans, __ATOMIC_RELAXED);
}

void pack_leave(const struct pack *pack, uint32_t session) {
  pack_note(pack, session, UINT64_MAX);
  if (pack->marks)
    __atomic_store_n(&pack->marks[session].arrived, UINT64_MAX,
                     __ATOMIC_RELAXED);
}

uint64_t pack_wait_for_twin(const struct pack *pack, struct pack_view *view,
                            uint32_t session, uint64_t nplans, uint64_t now) {
  if (!pack->twins || !twins_seed(pack->options, session, nplans))
    return 0;
  __atomic_store_n(&pack->marks[session].arrived, nplans + 1, __ATOMIC_RELAXED);
  const uint64_t twin =
      __atomic_load_n(&pack->marks[session ^ 1].arrived, __ATOMIC_RELAXED);
  if (!view->waits)
    view->waits = now;
  if (twin <= nplans && now - view->waits < PACK_PATIENCE)
    return now + PAUSE;
  view->waits = 0;
  return 0;
}

uint64_t pack_slowest(const struct pack *pack) {
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; pack->marks && i < pack->nsessions; i++) {
    const uint64_t nplans =
        __atomic_load_n(&pack->marks[i].nplans, __ATOMIC_RELAXED);
    least = nplans < least ? nplans : least;
  }
  return least;
}

static bool is_ahead(const struct pack *pack, const struct pack_view *view,
                     uint64_t nplans) {
  return nplans > view->slowest && nplans - view->slowest >= pack->lead;
}

static uint64_t slowest_session(const struct pack *pack) {
  const uint64_t here = pack_slowest(pack), there = fleet_slowest(pack->fleet);
  return here < there ? here : there;
}

uint64_t pack_wait(const struct pack *pack, struct pack_view *view,
                   uint64_t nplans, uint64_t now) {
  if (!pack->lead || !is_ahead(pack, view, nplans))
    return 0;
  view->slowest = slowest_session(pack);
  if (is_ahead(pack, view, nplans)) {
    if (!view->since)
      view->since = now;
    if (now - view->since < PACK_PATIENCE)
      return now + PAUSE;
    view->slowest = nplans; // look again when it is further ahead
  }
  view->since = 0;
  return 0;
}
