// SPDX-License-Identifier: GPL-3.0-or-later
// Seals witnesses, opens them, and holds them against a history
// (checker/witness/witness.h).
#include "config.h"

#include "checker/witness/witness.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/verify.h"
#include "checker/witness/witness_proof.h"

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

#define MAGIC "isoproof"

enum {
  VERSION_PLAIN = 1,
  VERSION_OF_ROWS = 2,       // of histories with SQL statements
  VERSION_OF_DUPLICATES = 3, // whose values were written twice
  VERSION_OF_PLACES = 4,     // as 2, and statements have places
  VERSION_LAST = VERSION_OF_PLACES,
};

enum {
  FLAG_RECORDED = 1,
  FLAG_DUPLICATES = 8 // what reads are taken to have seen is told
};

// The byte of the header that has the value of the term.
static int place_of_term(const struct question_term *term) {
  return term->of_rows ? WITNESS_AT_ROWS : WITNESS_AT_FLAGS;
}

// --- Writing.

// The rows of the part, which are in the order of the history there and here.
static void put_claimed_keys(const struct history *h,
                             const struct history *part, struct ids *keys) {
  for (uint32_t key = 0; key < h->nkeys; key++)
    for (uint32_t k = 0; k < part->nkeys; k++)
      if (h->rows->key_table[key] != ROWS_NONE &&
          h->rows->key_table[key] == part->rows->key_table[k] &&
          h->rows->key_id[key] == part->rows->key_id[k])
        ids_add(keys, key);
}

// `keys` are to be freed.
static struct rows_claim claim_of(const struct history *h,
                                  const struct verdict *v) {
  struct rows_claim claim = {.by = v->argument.nsteps && v->rows_part
                                       ? ROWS_ARGUED
                                   : v->rows_part ? ROWS_PART
                                   : v->tried     ? ROWS_ALL
                                                  : ROWS_REGISTERS};
  if (!v->rows_part)
    return claim;
  put_claimed_keys(h, v->rows_part, &claim.keys);
  claim.statements = (struct ids){.items = v->rows_statements,
                                  .count = v->rows_part->rows->nstatements};
  return claim;
}

static void put_long(struct witness_bytes *out, uint64_t number) {
  unsigned char bytes[sizeof number];
  store64(bytes, number);
  witness_put(out, bytes, sizeof bytes);
}

static void put_witness_head(struct witness_bytes *out, const struct history *h,
                             const struct witness_reading *reading,
                             const struct verdict *v) {
  const bool duplicates = h->again && !h->rows;
  unsigned char head[WITNESS_AT_HASH] = MAGIC;
  head[WITNESS_AT_VERSION] = v->place     ? VERSION_OF_PLACES
                             : h->rows    ? VERSION_OF_ROWS
                             : duplicates ? VERSION_OF_DUPLICATES
                                          : VERSION_PLAIN;
  head[WITNESS_AT_KIND] = (unsigned char)v->kind;
  head[WITNESS_AT_LEVEL] = (unsigned char)v->question.level;
  head[WITNESS_AT_FLAGS] =
      (unsigned char)((v->question.recorded ? FLAG_RECORDED : 0) |
                      (duplicates ? FLAG_DUPLICATES : 0));
  head[WITNESS_AT_INITIAL] = reading->initial;
  head[WITNESS_AT_MODEL] = reading->model;
  for (int i = 0; i < QUESTION_TERMS; i++)
    if (question_value(&v->question, &question_terms[i]))
      head[place_of_term(&question_terms[i])] |= question_terms[i].bit;
  witness_put(out, head, sizeof head);
  put_long(out, witness_hash(h));
}

void witness_write(const struct history *history,
                   const struct witness_reading *reading,
                   const struct verdict *verdict, struct witness_bytes *out) {
  const size_t start = out->count;
  struct witness_passing proof = {
      .history = history, .has_places = verdict->place != NULL, .out = out};
  struct rows_claim claim = claim_of(history, verdict);
  struct verdict same = *verdict; // and its arrays get what they have
  assert(verdict->kind != VERDICT_UNDECIDED);
  put_witness_head(out, history, reading, verdict);
  witness_pass_proof(&proof, &same, &claim);
  put_long(out, XXH3_64bits(out->bytes + start, out->count - start));
  free(claim.keys.items);
}

// --- Reading.

static int take_proof(const struct witness *w, const struct history *h,
                      struct verdict *v, struct rows_claim *claim,
                      struct error *error) {
  struct witness_passing p = {.history = h,
                              .has_places = w->has_places,
                              .at = w->payload,
                              .end = w->payload + w->payload_bytes};
  witness_pass_proof(&p, v, claim);
  if (p.bad)
    return error_set(error, "the proof names something that is not in the "
                            "history, or it breaks off");
  return p.at == p.end
             ? 0
             : error_set(error, "the file goes on after the end of the proof");
}

// Levels that each transaction was run at stand for what the history says, not
// for what the file says.
static int settle_witnessed(const struct witness *w, const struct history *h,
                            struct check_options *options,
                            struct error *error) {
  *options = (struct check_options){.question = w->question};
  if (!options->question.recorded)
    return 0;
  const struct check_options settled = settled_options(h, options);
  return settled.question.recorded &&
                 settled.question.level == options->question.level
             ? 0
             : error_set(error,
                         "the history was not recorded at several "
                         "levels, of which %s is the strongest",
                         isolation_name(options->question.level));
}

static enum verified verify_witnessed(const struct history *h,
                                      const struct check_options *options,
                                      const struct rows_claim *claim,
                                      struct verdict *v, struct error *error) {
  if (h->rows) {
    struct history registers = rows_registers(h, options->question.plain_reads);
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

static int read_witnessed_question(struct witness *w, const unsigned char *head,
                                   struct error *error) {
  w->has_places = head[WITNESS_AT_VERSION] == VERSION_OF_PLACES;
  w->of_rows = w->has_places || head[WITNESS_AT_VERSION] == VERSION_OF_ROWS;
  w->duplicates = head[WITNESS_AT_VERSION] == VERSION_OF_DUPLICATES;
  unsigned char known[WITNESS_AT_HASH] = {0};
  known[WITNESS_AT_FLAGS] =
      (unsigned char)(FLAG_RECORDED | (w->duplicates ? FLAG_DUPLICATES : 0));
  for (int i = 0; i < QUESTION_TERMS; i++) {
    const struct question_term *term = &question_terms[i];
    known[place_of_term(term)] |= term->bit;
    question_set(&w->question, term, head[place_of_term(term)] & term->bit);
  }
  if (head[WITNESS_AT_KIND] > VERDICT_VIOLATION ||
      head[WITNESS_AT_FLAGS] & ~known[WITNESS_AT_FLAGS] ||
      head[WITNESS_AT_ROWS] & ~known[WITNESS_AT_ROWS] ||
      (w->duplicates && !(head[WITNESS_AT_FLAGS] & FLAG_DUPLICATES)) ||
      head[WITNESS_AT_LEVEL] <= ISOLATION_NONE ||
      head[WITNESS_AT_LEVEL] >= ISOLATION_COUNT)
    return error_set(
        error,
        "the witness answers a question that this isostress does not know");
  w->kind = (enum verdict_kind)head[WITNESS_AT_KIND];
  w->question.level = (enum isolation)head[WITNESS_AT_LEVEL];
  w->question.recorded = head[WITNESS_AT_FLAGS] & FLAG_RECORDED;
  w->reading.initial = head[WITNESS_AT_INITIAL];
  w->reading.model = head[WITNESS_AT_MODEL];
  w->history_hash = load64(head + WITNESS_AT_HASH);
  return 0;
}

int witness_open(struct witness *witness, const unsigned char *bytes,
                 size_t count, struct error *error) {
  *witness = (struct witness){0};
  if (count < WITNESS_AT_VERSION || memcmp(bytes, MAGIC, WITNESS_AT_VERSION))
    return error_set(error,
                     "this is no witness: write one with `isostress check "
                     "--witness=FILE HISTORY`");
  if (count < WITNESS_HEADER_BYTES + WITNESS_CHECKSUM_BYTES)
    return error_set(error, "the witness was cut off");
  if (bytes[WITNESS_AT_VERSION] < VERSION_PLAIN ||
      bytes[WITNESS_AT_VERSION] > VERSION_LAST)
    return error_set(
        error,
        "the witness has version %u, and this isostress reads versions %u to "
        "%u",
        bytes[WITNESS_AT_VERSION], VERSION_PLAIN, VERSION_LAST);
  const size_t end = count - WITNESS_CHECKSUM_BYTES;
  if (!ANY_CHECKSUM && load64(bytes + end) != XXH3_64bits(bytes, end))
    return error_set(
        error, "the witness was cut off or changed: its checksum is wrong");
  witness->payload = bytes + WITNESS_HEADER_BYTES;
  witness->payload_bytes = end - WITNESS_HEADER_BYTES;
  return read_witnessed_question(witness, bytes, error);
}

int witness_verify(const struct witness *witness, const struct history *history,
                   struct verdict *verdict, struct error *error) {
  struct check_options options;
  *verdict = verdict_open(&witness->question);
  verdict->kind = witness->kind;
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
  int result = settle_witnessed(witness, history, &options, error);
  result =
      result ? result : take_proof(witness, history, verdict, &claim, error);
  assert(!options.stop); // a witness is verified to the end
  if (!result &&
      verify_witnessed(history, &options, &claim, verdict, error) != VERIFIED)
    result = -1;
  FREE_EACH(claim.keys.items, claim.statements.items);
  return result;
}
