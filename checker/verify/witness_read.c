// SPDX-License-Identifier: GPL-3.0-or-later
// Reads witnesses (checker/verify/witness.h), whoever wrote them: no number is
// believed, and every id is one of the history, or means none, before the
// verifiers see it.
#include "config.h"

#include "checker/verify/witness.h"

#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/verify.h"
#include "checker/verify/witness_format.h"
#include "checker/verify/witness_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// A fuzzer could never guess a checksum, so it is let through.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define ANY_CHECKSUM 1
#else
#define ANY_CHECKSUM 0
#endif

struct parsing {
  const unsigned char *at, *end;
  const struct history *h;
  bool bad; // something was wrong: all that is read from then on is 0
};

// --- Numbers.

static uint32_t fail(struct parsing *p) {
  p->bad = true;
  p->at = p->end;
  return 0;
}

static uint32_t take_byte(struct parsing *p) {
  return p->at < p->end ? *p->at++ : fail(p);
}

static uint32_t take_number(struct parsing *p) {
  uint64_t number = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const uint32_t byte = take_byte(p);
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return number <= UINT32_MAX ? (uint32_t)number : fail(p);
  }
  return fail(p);
}

static uint32_t take_below(struct parsing *p, uint32_t limit) {
  const uint32_t number = take_number(p);
  return number < limit ? number : fail(p);
}

// How many of something follow, each of which takes a byte or more: so what is
// allocated for them is in proportion to the file.
static uint32_t take_count(struct parsing *p) {
  const uint32_t count = take_number(p);
  return count <= (size_t)(p->end - p->at) ? count : fail(p);
}

// One below the limit, or one that means none.
static uint32_t take_id(struct parsing *p, uint32_t limit) {
  const uint32_t id = take_number(p) - WITNESS_ID_SHIFT;
  return id < limit || id > HISTORY_MAX ? id : fail(p);
}

static uint64_t load_long(const unsigned char *bytes) {
  uint64_t number = 0;
  for (int i = 8; i-- > 0;)
    number = number << 8 | bytes[i];
  return number;
}

// --- The proof.

static void take_order(struct parsing *p, struct verdict *v) {
  const struct history *h = p->h;
  uint32_t *next = xmalloc(h->nsessions * sizeof *next);
  memcpy(next, h->session_first, h->nsessions * sizeof *next);
  v->norder = take_count(p);
  v->order = xcalloc(v->norder, sizeof *v->order);
  if (take_byte(p))
    v->snapshot = xcalloc(v->norder, sizeof *v->snapshot);
  for (uint32_t i = 0; i < v->norder && !p->bad; i++) {
    const uint32_t session = take_below(p, h->nsessions);
    if (p->bad)
      break;
    const uint32_t t = next[session] + take_number(p);
    v->order[i] = t < h->ntxns ? t : fail(p);
    next[session] = t + 1;
    if (v->snapshot)
      v->snapshot[i] = i - take_below(p, i + 1);
  }
  free(next);
}

static void take_part(struct parsing *p, struct verdict *v) {
  v->npart = take_count(p);
  v->part = xcalloc(v->npart, sizeof *v->part);
  for (uint32_t i = 0, next = 0; i < v->npart && !p->bad; i++) {
    const uint32_t ahead = take_number(p);
    v->part[i] =
        next < p->h->nops && ahead < p->h->nops - next ? next + ahead : fail(p);
    next = v->part[i] + 1;
  }
}

static void take_cycle(struct parsing *p, struct verdict *v) {
  v->nedges = take_count(p);
  v->edges = xcalloc(v->nedges, sizeof *v->edges);
  for (uint32_t i = 0; i < v->nedges && !p->bad; i++) {
    struct edge *edge = &v->edges[i];
    edge->kind = (uint8_t)take_byte(p);
    edge->from = take_below(p, p->h->ntxns);
    edge->to = take_below(p, p->h->ntxns);
    edge->from_op = take_id(p, p->h->nops);
    edge->to_op = take_id(p, p->h->nops);
  }
}

static void take_path(struct parsing *p, uint32_t s, struct argument *a,
                      uint32_t *room) {
  for (uint32_t n = take_count(p); n-- > 0 && !p->bad;) {
    ARRAY_RESERVE(a->path, a->npath, *room);
    a->path[a->npath++] = take_below(p, s);
  }
}

static void take_argument(struct parsing *p, struct argument *a) {
  uint32_t room = 0;
  a->nsteps = take_count(p);
  a->steps = xcalloc(a->nsteps, sizeof *a->steps);
  for (uint32_t s = 0; s < a->nsteps && !p->bad; s++) {
    struct inference *step = &a->steps[s];
    step->why = (uint8_t)take_byte(p);
    step->kind = (uint8_t)take_byte(p);
    step->from = take_id(p, 2 * (p->h->ntxns + a->nclaims));
    step->to = take_id(p, 2 * (p->h->ntxns + a->nclaims));
    step->from_op = take_id(p, p->h->nops);
    step->to_op = take_id(p, p->h->nops);
    step->read = take_id(p, p->h->nops);
    step->lemma = take_id(p, a->nsteps + a->nclaims);
    step->first = a->npath;
    take_path(p, s, a, &room);
    step->end = a->npath;
  }
}

static void take_violation(struct parsing *p, struct verdict *v) {
  v->broken = (enum isolation)take_below(p, ISOLATION_COUNT);
  v->anomaly = (enum anomaly)take_below(p, ANOMALY_COUNT);
  take_part(p, v);
  v->op = take_id(p, p->h->nops);
  v->other_op = take_id(p, p->h->nops);
  take_cycle(p, v);
  take_argument(p, &v->argument);
}

// Ascending places; whether they are reads the verifier sees.
static void take_assumed_reads(struct parsing *p, struct verdict *v) {
  const uint32_t nplaces = p->h->nops + p->h->nelements;
  v->nassumed_reads = take_count(p);
  v->assumed_reads = xcalloc(v->nassumed_reads, sizeof *v->assumed_reads);
  for (uint32_t i = 0, next = 0; i < v->nassumed_reads && !p->bad; i++) {
    const uint32_t ahead = take_number(p);
    const bool fits = next < nplaces && ahead < nplaces - next;
    v->assumed_reads[i].place = fits ? next + ahead : fail(p);
    next = v->assumed_reads[i].place + 1;
    v->assumed_reads[i].writer = take_id(p, p->h->nops);
  }
}

static void take_ways(struct parsing *p, struct argument *ways) {
  ways->nclaims = take_count(p);
  ways->claims = xcalloc(ways->nclaims, sizeof *ways->claims);
  for (uint32_t c = 0; c < ways->nclaims && !p->bad; c++) {
    ways->claims[c].place = take_below(p, p->h->nops);
    ways->claims[c].writer = take_id(p, p->h->nops);
  }
  take_argument(p, ways);
}

static void take_verdict(struct parsing *p, bool assumed_reads,
                         struct verdict *v) {
  if (assumed_reads)
    take_assumed_reads(p, v);
  if (v->kind == VERDICT_PASS)
    take_order(p, v);
  else
    take_violation(p, v);
}

// --- The proof about rows.

// A version of the key: an operation that wrote it, or the first one.
static uint32_t take_version(struct parsing *p, uint32_t key) {
  const struct history *h = p->h;
  const uint32_t version = take_below(p, h->nops + h->nkeys);
  const bool is = version < h->nops
                      ? h->key[version] == key && op_writes(h->kind[version])
                      : version == h->nops + key;
  return p->bad || is ? version : fail(p);
}

// In the order of statements and keys, as the verifier wants it.
static void take_found(struct parsing *p, struct verdict *v) {
  v->nfound = take_count(p);
  v->found_unseen = xcalloc(v->nfound, sizeof *v->found_unseen);
  for (uint32_t i = 0; i < v->nfound && !p->bad; i++) {
    struct found_unseen *found = &v->found_unseen[i];
    found->statement = take_below(p, p->h->rows->nstatements);
    found->key = take_below(p, p->h->nkeys);
    if (p->bad)
      break;
    found->version = take_version(p, found->key);
    if (i && (found[-1].statement > found->statement ||
              (found[-1].statement == found->statement &&
               found[-1].key >= found->key)))
      fail(p);
  }
}

static void take_ids(struct parsing *p, uint32_t limit, struct ids *ids) {
  for (uint32_t n = take_count(p); n-- > 0 && !p->bad;) {
    const uint32_t id = take_below(p, limit);
    if (!p->bad)
      ids_add(ids, id);
  }
}

static void take_verdict_of_rows(struct parsing *p, struct verdict *v,
                                 struct rows_claim *claim) {
  if (v->kind == VERDICT_PASS) {
    take_order(p, v);
    take_found(p, v);
    return;
  }
  claim->by = (enum rows_refutation)take_byte(p);
  if (claim->by >= ROWS_REFUTATIONS)
    fail(p);
  else if (claim->by == ROWS_REGISTERS)
    take_violation(p, v);
  else {
    v->broken = v->minimal = (enum isolation)take_below(p, ISOLATION_COUNT);
    v->anomaly = (enum anomaly)take_below(p, ANOMALY_COUNT);
  }
  if (claim->by == ROWS_PART) {
    take_ids(p, p->h->nkeys, &claim->keys);
    take_ids(p, p->h->rows->nstatements, &claim->statements);
  }
}

static int take_proof(const struct witness *w, const struct history *h,
                      struct verdict *v, struct rows_claim *claim,
                      struct error *error) {
  struct parsing p = {
      .at = w->payload, .end = w->payload + w->payload_bytes, .h = h};
  if (h->rows)
    take_verdict_of_rows(&p, v, claim);
  else
    take_verdict(&p, w->duplicates, v);
  if (w->duplicates && v->kind == VERDICT_VIOLATION)
    take_ways(&p, &v->ways);
  if (p.bad)
    return error_set(error, "the proof names something that is not in the "
                            "history, or it breaks off");
  return p.at == p.end
             ? 0
             : error_set(error, "the file goes on after the end of the proof");
}

// --- The question.

// Levels that each transaction was run at stand for what the history says, not
// for what the file says.
static int settle(const struct witness *w, const struct history *h,
                  struct check_options *options, struct error *error) {
  *options = w->question;
  if (!options->recorded)
    return 0;
  const struct check_options settled = settled_options(h, options);
  return settled.recorded && settled.level == options->level
             ? 0
             : error_set(error,
                         "the history was not recorded at several "
                         "levels, of which %s is the strongest",
                         isolation_name(options->level));
}

static void describe(const struct check_options *options,
                     enum verdict_kind kind, struct verdict *v) {
  *v = verdict_open(options);
  v->kind = kind;
  v->rc_sees_session = options->rc_sees_session;
  v->by_items = options->by_items;
  v->plain_reads = options->plain_reads;
}

static enum verified verify(const struct history *h,
                            const struct check_options *options,
                            const struct rows_claim *claim, struct verdict *v,
                            struct error *error) {
  if (h->rows) {
    struct history registers = rows_registers(h, options->plain_reads);
    free(settled_count(&registers, &v->counts));
    rows_as_registers_free(&registers);
    return verify_witness_of_rows(h, options, claim, v, error);
  }
  if (h->again) {
    free(settled_count(h, &v->counts));
    return verify_ambiguous(h, options, v, error);
  }
  struct history seen = *h; // its arrays are still the caller's
  uint8_t *kind = settled_kinds(h, options);
  if (kind)
    seen.kind = kind;
  uint8_t *counted = settled_count(&seen, &v->counts);
  const enum verified result = v->kind == VERDICT_PASS
                                   ? verify_pass(h, counted, options, v, error)
                                   : verify_violation(h, options, v, error);
  free(counted);
  free(kind);
  return result;
}

// --- Public.

static int read_question(struct witness *w, const unsigned char *head,
                         struct error *error) {
  const unsigned flags = head[WITNESS_AT_FLAGS];
  const unsigned known = WITNESS_RECORDED | WITNESS_SESSION_ORDER |
                         WITNESS_REAL_TIME | WITNESS_DUPLICATES;
  const unsigned rows = head[WITNESS_AT_ROWS];
  const unsigned known_of_rows =
      WITNESS_RC_SEES_SESSION | WITNESS_BY_ITEMS | WITNESS_PLAIN_READS;
  if (head[WITNESS_AT_KIND] > VERDICT_VIOLATION || flags & ~known ||
      !(flags & WITNESS_DUPLICATES) !=
          (head[WITNESS_AT_VERSION] != WITNESS_VERSION_OF_DUPLICATES) ||
      rows & ~known_of_rows || head[WITNESS_AT_LEVEL] <= ISOLATION_NONE ||
      head[WITNESS_AT_LEVEL] >= ISOLATION_COUNT)
    return error_set(
        error,
        "the witness answers a question that this isostress does not know");
  w->kind = (enum verdict_kind)head[WITNESS_AT_KIND];
  w->question =
      (struct check_options){.level = (enum isolation)head[WITNESS_AT_LEVEL],
                             .recorded = flags & WITNESS_RECORDED,
                             .session_order = flags & WITNESS_SESSION_ORDER,
                             .real_time = flags & WITNESS_REAL_TIME,
                             .rc_sees_session = rows & WITNESS_RC_SEES_SESSION,
                             .by_items = rows & WITNESS_BY_ITEMS,
                             .plain_reads = rows & WITNESS_PLAIN_READS};
  w->of_rows = head[WITNESS_AT_VERSION] == WITNESS_VERSION_OF_ROWS;
  w->duplicates = head[WITNESS_AT_VERSION] == WITNESS_VERSION_OF_DUPLICATES;
  w->reading.initial = head[WITNESS_AT_INITIAL];
  w->reading.model = head[WITNESS_AT_MODEL];
  w->history_hash = load_long(head + WITNESS_AT_HASH);
  return 0;
}

int witness_open(struct witness *witness, const unsigned char *bytes,
                 size_t count, struct error *error) {
  *witness = (struct witness){0};
  if (count < WITNESS_MAGIC_BYTES ||
      memcmp(bytes, WITNESS_MAGIC, WITNESS_MAGIC_BYTES))
    return error_set(error,
                     "this is no witness: write one with `isostress check "
                     "--witness=FILE HISTORY`");
  if (count < WITNESS_HEADER_BYTES + WITNESS_CHECKSUM_BYTES)
    return error_set(error, "the witness was cut off");
  if (bytes[WITNESS_AT_VERSION] < WITNESS_VERSION ||
      bytes[WITNESS_AT_VERSION] > WITNESS_VERSION_OF_DUPLICATES)
    return error_set(
        error,
        "the witness has version %u, and this isostress reads versions %u to "
        "%u",
        bytes[WITNESS_AT_VERSION], WITNESS_VERSION,
        WITNESS_VERSION_OF_DUPLICATES);
  const size_t end = count - WITNESS_CHECKSUM_BYTES;
  if (!ANY_CHECKSUM && load_long(bytes + end) != XXH3_64bits(bytes, end))
    return error_set(
        error, "the witness was cut off or changed: its checksum is wrong");
  witness->payload = bytes + WITNESS_HEADER_BYTES;
  witness->payload_bytes = end - WITNESS_HEADER_BYTES;
  return read_question(witness, bytes, error);
}

int witness_verify(const struct witness *witness, const struct history *history,
                   struct verdict *verdict, struct error *error) {
  struct check_options options;
  describe(&witness->question, witness->kind, verdict);
  if (!ANY_CHECKSUM && witness_hash(history) != witness->history_hash)
    return error_set(error,
                     "the witness is about another history, or about this one "
                     "read with other options (--format, --init, --model, "
                     "--duplicate-values)");
  if (witness->of_rows != (history->rows != NULL))
    return error_set(error,
                     "the witness is %sabout SQL statements, and the history "
                     "has %s",
                     witness->of_rows ? "" : "not ",
                     history->rows ? "some" : "none");
  if (witness->duplicates != (history->again && !history->rows))
    return error_set(error,
                     "the witness %s several writers of one value, and "
                     "the history %s",
                     witness->duplicates ? "knows of" : "knows nothing of",
                     history->again ? "has some" : "has none");
  if (history->ntxns > HISTORY_MAX / 2)
    return error_set(error, "the history is too large to be checked");
  struct rows_claim claim = {0};
  int result = settle(witness, history, &options, error);
  result =
      result ? result : take_proof(witness, history, verdict, &claim, error);
  assert(!options.stop); // a witness is verified to the end
  if (!result && verify(history, &options, &claim, verdict, error) != VERIFIED)
    result = -1;
  FREE_EACH(claim.keys.items, claim.statements.items);
  return result;
}
