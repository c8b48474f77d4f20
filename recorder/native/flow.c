// SPDX-License-Identifier: GPL-3.0-or-later
// Merges the sessions of a file by the ends of their transactions
// (recorder/native/flow.h).
#include "config.h"

#include "recorder/native/flow.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/outcome.h"
#include "recorder/native/native.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// One session: its chunk at hand, as arrays, and where it stands in it.
struct cursor {
  uint32_t place, end; // of scan.ordered: the next chunk, and the last
  uint32_t at, ntxns;  // transactions of the chunk: gone by, and all
  uint32_t op;         // of the chunk: gone by
  uint64_t number;     // of the chunk's first transaction
  uint64_t write;      // writes of the session: gone by
  uint64_t moment;     // of the transaction before
  uint32_t txn_room, op_room;
  uint8_t *outcome, *level, *kind;
  uint64_t *begin, *finish, *key, *saw;
  uint32_t *nops;
};

struct flow {
  struct loading loading;
  struct history history; // nothing but the number of sessions and `about`
  struct error *error;
  struct flow_facts facts;
  struct cursor *sessions;
  struct cursor fetched; // of flow_fetch
  uint32_t fetched_place;
  uint64_t *seen; // scratch: two columns
  size_t seen_room;
  // A heap of the sessions that have more, by the moment of their next one.
  struct waiting {
    uint64_t moment;
    uint32_t session;
  } * heap;
  uint32_t nheap;
  bool started;
};

// --- One chunk.

static void reserve_cursor(struct cursor *c, uint32_t ntxns, uint32_t nops) {
  if (ntxns > c->txn_room) {
    c->txn_room = ntxns;
    c->outcome = xrealloc(c->outcome, ntxns, 1);
    c->level = xrealloc(c->level, ntxns, 1);
    c->begin = xrealloc(c->begin, ntxns, sizeof *c->begin);
    c->finish = xrealloc(c->finish, ntxns, sizeof *c->finish);
    c->nops = xrealloc(c->nops, ntxns, sizeof *c->nops);
  }
  if (nops > c->op_room) {
    c->op_room = nops;
    c->kind = xrealloc(c->kind, nops, 1);
    c->key = xrealloc(c->key, nops, sizeof *c->key);
    c->saw = xrealloc(c->saw, nops, sizeof *c->saw);
  }
}

static int flow_codes(const struct decoding *d, enum column_id id, uint8_t end,
                      uint8_t *codes) {
  const struct packed_column *column;
  const uint32_t n = d->place->header.ntxns;
  if (native_column(d, id, n, &column))
    return -1;
  column_unpack8(column, codes);
  for (uint32_t i = 0; i < n; i++)
    if (codes[i] >= end)
      return native_refuse_chunk(d, "has unknown codes");
  return 0;
}

static int flow_times(const struct decoding *d, struct cursor *c) {
  const struct packed_column *gap, *duration;
  const uint32_t n = d->place->header.ntxns;
  uint64_t now = d->place->header.origin;
  if (native_column(d, COLUMN_GAP, n, &gap) ||
      native_column(d, COLUMN_DURATION, n, &duration))
    return -1;
  column_unpack(gap, 0, n, c->begin);
  column_unpack(duration, 0, n, c->finish);
  for (uint32_t t = 0; t < n; t++) {
    c->begin[t] = now += c->begin[t];
    c->finish[t] = now += c->finish[t];
  }
  return 0;
}

static int flow_counts(const struct decoding *d, struct cursor *c) {
  const struct packed_column *nops;
  const struct chunk_header *h = &d->place->header;
  uint64_t sum = 0;
  if (native_column(d, COLUMN_NOPS, h->ntxns, &nops))
    return -1;
  column_unpack32(nops, 0, h->ntxns, c->nops);
  for (uint32_t t = 0; t < h->ntxns; t++)
    sum += c->nops[t];
  return sum == h->nops
             ? 0
             : native_refuse_chunk(d, "has operations of no transaction");
}

// Puts each value that was seen beside its operation.
static int flow_values(const struct decoding *d, struct flow *flow,
                       struct cursor *c, uint32_t nreads) {
  const struct packed_column *session, *sequence;
  if (!nreads)
    return 0;
  if (native_column(d, COLUMN_SEEN_SESSION, nreads, &session) ||
      native_column(d, COLUMN_SEEN_SEQUENCE, nreads, &sequence))
    return -1;
  if (flow->seen_room < 2 * (size_t)nreads) {
    flow->seen_room = 2 * (size_t)nreads;
    flow->seen = xrealloc(flow->seen, flow->seen_room, sizeof *flow->seen);
  }
  uint64_t *high = flow->seen, *low = flow->seen + nreads;
  column_unpack(session, 0, nreads, high);
  column_unpack(sequence, 0, nreads, low);
  for (uint32_t op = 0, read = 0; op < d->place->header.nops; op++) {
    if (c->kind[op] != OP_READ && c->kind[op] != OP_CAS)
      continue;
    c->saw[op] = (high[read] << VALUE_SEQUENCE_BITS) + low[read];
    read++;
  }
  return 0;
}

static int flow_operations(const struct decoding *d, struct flow *flow,
                           struct cursor *c) {
  const struct packed_column *kind, *key;
  const struct chunk_header *h = &d->place->header;
  uint32_t writes = 0, reads = 0;
  if (native_column(d, COLUMN_KIND, h->nops, &kind) ||
      native_column(d, COLUMN_KEY, h->nops, &key))
    return -1;
  column_unpack8(kind, c->kind);
  column_unpack(key, 0, h->nops, c->key);
  for (uint32_t op = 0; op < h->nops; op++) {
    const uint8_t k = c->kind[op];
    if (k >= OP_KIND_COUNT || !(OP_ALL_KINDS >> k & 1))
      return native_refuse_chunk(d, "has operations of an unknown kind");
    writes += op_writes(k);
    reads += op_reads(k) && !op_is_list(k);
  }
  if (writes != h->nwrites)
    return native_refuse_chunk(d, "has other operations than it claims");
  return flow_values(d, flow, c, reads);
}

static int load_place(struct flow *flow, struct cursor *c, uint32_t place) {
  struct chunk_place *p = flow->loading.scan.ordered[place];
  struct decoding d = {.l = &flow->loading, .place = p};
  if (native_is_stopped(&flow->loading) || native_columns(&d))
    return -1;
  reserve_cursor(c, p->header.ntxns, p->header.nops);
  c->at = c->op = 0;
  c->ntxns = p->header.ntxns;
  c->number = p->header.first_txn;
  c->write = p->header.first_write;
  return flow_codes(&d, COLUMN_OUTCOME, OUTCOME_COUNT, c->outcome) ||
                 flow_codes(&d, COLUMN_LEVEL, ISOLATION_COUNT, c->level) ||
                 flow_times(&d, c) || flow_counts(&d, c) ||
                 flow_operations(&d, flow, c)
             ? -1
             : 0;
}

// --- One transaction.

static uint64_t later_of(uint64_t a, uint64_t b) {
  return b != TIME_UNKNOWN && b > a ? b : a;
}

static uint64_t moment_of_next(const struct cursor *c) {
  uint64_t moment = c->moment;
  if (c->outcome[c->at] == OUTCOME_ABORTED)
    return moment;
  moment = later_of(moment, c->begin[c->at]);
  return c->outcome[c->at] == OUTCOME_OK ? later_of(moment, c->finish[c->at])
                                         : moment;
}

// Takes the next transaction of the chunk at hand.
static void take_next(struct cursor *c, uint32_t session,
                      struct flow_txn *txn) {
  assert(c->at < c->ntxns);
  c->moment = moment_of_next(c);
  const uint32_t t = c->at++;
  *txn = (struct flow_txn){.session = session,
                           .number = c->number + t,
                           .outcome = c->outcome[t],
                           .level = c->level[t],
                           .begin = c->begin[t],
                           .end = c->finish[t],
                           .moment = c->moment,
                           .first_write = c->write,
                           .nops = c->nops[t],
                           .kind = c->kind + c->op,
                           .key = c->key + c->op,
                           .saw = c->saw + c->op};
  c->op += txn->nops;
  for (uint32_t op = 0; op < txn->nops; op++)
    c->write += op_writes(txn->kind[op]);
}

// Has the session another transaction?  Loads its next chunk if need be.  -1
// with a sentence.
static int has_next(struct flow *flow, struct cursor *c) {
  while (c->at == c->ntxns && c->place < c->end)
    if (load_place(flow, c, c->place++))
      return -1;
  return c->at < c->ntxns;
}

// --- The merge.

static bool waits_longer(const struct waiting *a, const struct waiting *b) {
  return a->moment != b->moment ? a->moment < b->moment
                                : a->session < b->session;
}

static void sift_down(struct flow *flow, uint32_t i) {
  const struct waiting moved = flow->heap[i];
  for (;;) {
    uint32_t child = 2 * i + 1;
    if (child >= flow->nheap)
      break;
    if (child + 1 < flow->nheap &&
        waits_longer(&flow->heap[child + 1], &flow->heap[child]))
      child++;
    if (!waits_longer(&flow->heap[child], &moved))
      break;
    flow->heap[i] = flow->heap[child];
    i = child;
  }
  flow->heap[i] = moved;
}

static int start_flow(struct flow *flow) {
  const struct native_scan *scan = &flow->loading.scan;
  flow->nheap = 0;
  for (uint32_t s = 0; s < flow->facts.nsessions; s++) {
    struct cursor *c = &flow->sessions[s];
    c->place = scan->sessions[s].first_place;
    c->end = c->place + scan->sessions[s].nplaces;
    c->at = c->ntxns = 0;
    c->moment = c->write = 0;
    const int more = has_next(flow, c);
    if (more < 0)
      return -1;
    if (more)
      flow->heap[flow->nheap++] = (struct waiting){moment_of_next(c), s};
  }
  for (uint32_t i = flow->nheap / 2; i-- > 0;)
    sift_down(flow, i);
  flow->started = true;
  return 0;
}

// After a transaction was taken: its session's next one goes to
// its place of the heap.
static int go_on(struct flow *flow) {
  struct cursor *c = &flow->sessions[flow->heap[0].session];
  const int more = has_next(flow, c);
  if (more < 0)
    return -1;
  if (more)
    flow->heap[0].moment = moment_of_next(c);
  else
    flow->heap[0] = flow->heap[--flow->nheap];
  if (flow->nheap)
    sift_down(flow, 0);
  return 0;
}

int flow_next(struct flow *flow, struct flow_txn *txn, struct error *error) {
  flow->loading.error = error;
  if (flow->started ? flow->nheap && go_on(flow) : start_flow(flow))
    return -1;
  if (!flow->nheap)
    return 0;
  const uint32_t session = flow->heap[0].session;
  take_next(&flow->sessions[session], session, txn);
  return 1;
}

void flow_rewind(struct flow *flow) { flow->started = false; }

bool flow_has_passed(const struct flow *flow, uint64_t value) {
  const uint32_t session = value_session(value);
  return session >= flow->facts.nsessions || value == VALUE_INITIAL ||
         value_sequence(value) < flow->sessions[session].write;
}

// --- One transaction of any place.

// The chunk of the session that has this write, or UINT32_MAX.
static uint32_t place_of_write(const struct flow *flow, uint32_t session,
                               uint64_t write) {
  const struct file_session *s = &flow->loading.scan.sessions[session];
  uint32_t low = s->first_place, high = low + s->nplaces;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const struct chunk_header *h = &flow->loading.scan.ordered[middle]->header;
    if (write < h->first_write)
      high = middle;
    else if (write >= h->first_write + h->nwrites)
      low = middle + 1;
    else
      return middle;
  }
  return UINT32_MAX;
}

int flow_fetch(struct flow *flow, uint64_t value, struct flow_txn *txn,
               struct error *error) {
  const uint32_t session = value_session(value);
  struct cursor *c = &flow->fetched;
  flow->loading.error = error;
  if (value == VALUE_INITIAL || session >= flow->facts.nsessions)
    return 0;
  const uint32_t place = place_of_write(flow, session, value_sequence(value));
  if (place == UINT32_MAX)
    return 0;
  if (load_place(flow, c, place))
    return -1;
  c->moment = 0;
  do
    take_next(c, session, txn);
  while (c->write <= value_sequence(value));
  return 1;
}

// --- The file.

static int refuse_unfit(const struct flow *flow) {
  const struct native_scan *scan = &flow->loading.scan;
  const char *path = flow->loading.file.path;
  bool whole = scan->closed && !scan->damages && !scan->behind;
  for (uint32_t s = 0; s < flow->facts.nsessions; s++)
    whole &= scan->sessions[s].ntxns == scan->sessions[s].total_txns;
  if (scan->has_rows)
    return error_set(flow->error,
                     "%s: statements on rows are not checked as a stream",
                     path);
  return whole ? 0
               : error_set(flow->error,
                           "%s: is not whole, and only a whole file is checked "
                           "as a stream",
                           path);
}

static int scan_flow(struct flow *flow) {
  struct loading *l = &flow->loading;
  if (native_find_chunks(l))
    return -1;
  flow->facts.nsessions = flow->history.nsessions;
  flow->facts.about = flow->history.about;
  for (uint32_t i = 0; i < l->scan.nplaces; i++) {
    flow->facts.ntxns += l->scan.places[i].header.ntxns;
    flow->facts.nops += l->scan.places[i].header.nops;
    flow->facts.nlists += l->scan.places[i].header.nlists;
  }
  flow->sessions = xcalloc(flow->facts.nsessions, sizeof *flow->sessions);
  flow->heap = xcalloc((size_t)flow->facts.nsessions + 1, sizeof *flow->heap);
  return refuse_unfit(flow);
}

struct flow *flow_open(const char *path, const volatile bool *stop,
                       struct error *error) {
  struct stat st = {0};
  struct flow *flow = xcalloc(1, sizeof *flow);
  flow->error = error;
  flow->loading = (struct loading){.file = {.path = path, .skips = true},
                                   .history = &flow->history,
                                   .error = error,
                                   .stop = stop};
  flow->loading.file.fd = file_open(path, &st, error);
  flow->loading.file.bytes = (size_t)st.st_size;
  if (flow->loading.file.fd >= 0 && !scan_flow(flow))
    return flow;
  flow_close(flow);
  return NULL;
}

const struct flow_facts *flow_facts(const struct flow *flow) {
  return &flow->facts;
}

static void free_cursor(struct cursor *c) {
  FREE_EACH(c->outcome, c->level, c->kind, c->begin, c->finish, c->key, c->saw,
            c->nops);
}

void flow_close(struct flow *flow) {
  for (uint32_t s = 0; flow->sessions && s < flow->facts.nsessions; s++)
    free_cursor(&flow->sessions[s]);
  free_cursor(&flow->fetched);
  native_loading_fini(&flow->loading);
  if (flow->loading.file.fd >= 0)
    close(flow->loading.file.fd);
  history_free(&flow->history);
  FREE_EACH(flow->sessions, flow->seen, flow->heap, flow);
}
