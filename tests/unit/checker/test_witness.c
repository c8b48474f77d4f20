// SPDX-License-Identifier: GPL-3.0-or-later
// Witnesses: what is written proves the verdict, and what was cut off or
// changed is refused or still proves what a check says.
#include "config.h"

#include "tests/unit/checker/witnesses.h"

#include "base/random.h"
#include "tests/kit/forge.h"
#include "tests/kit/generate.h"
#include "tests/tap.h"

#include <xxhash.h>

enum { HEADER_BYTES = 24, CHECKSUM_BYTES = 8, KIND_AT = 9, HASH_AT = 16 };

struct subject {
  struct tiny tiny;
  struct tiny_history room;
  const struct history *h;
  struct verdict verdict;
  struct witness_bytes w;
};

static bool ask(struct subject *s, const struct check_options *options) {
  const struct witness_reading reading = {0, 0};
  struct error error = {0};
  s->h = tiny_history(&s->tiny, &s->room);
  s->w = (struct witness_bytes){0};
  CHECK_INT(check(s->h, options, &s->verdict, &error), 0);
  if (s->verdict.kind == VERDICT_UNDECIDED)
    return false;
  witness_write(s->h, &reading, &s->verdict, &s->w);
  return true;
}

static void open_subject(struct subject *s, int i) {
  const struct check_options question = witnessed_question(i);
  tiny_parse(witnessed[i].text, &s->tiny);
  if (!CHECK(ask(s, &question)))
    printf("# %s is undecided\n", witnessed[i].text);
}

static void close_subject(struct subject *s) {
  verdict_free(&s->verdict);
  free(s->w.bytes);
}

// As if whoever changed it had wanted to deceive.
static void seal(unsigned char *bytes, size_t count) {
  const uint64_t sum = XXH3_64bits(bytes, count - CHECKSUM_BYTES);
  for (int i = 0; i < CHECKSUM_BYTES; i++)
    bytes[count - CHECKSUM_BYTES + (size_t)i] = (unsigned char)(sum >> 8 * i);
}

static void proves_what_was_found(void) {
  for (int i = 0; i < WITNESSED; i++) {
    struct subject s;
    struct witness w;
    struct verdict proved = {0};
    struct error error = {0};
    open_subject(&s, i);
    CHECK_INT(witness_open(&w, s.w.bytes, s.w.count, &error), 0);
    CHECK_INT(witness_verify(&w, s.h, &proved, &error), 0);
    if (!CHECK(error.text[0] == '\0'))
      printf("# %s: %s\n", witnessed[i].text, error.text);
    CHECK_INT(proved.kind, s.verdict.kind);
    CHECK_INT(proved.question.level, s.verdict.question.level);
    CHECK_INT(proved.question.recorded, s.verdict.question.recorded);
    CHECK_INT(proved.question.session_order, s.verdict.question.session_order);
    CHECK_INT(proved.question.real_time, s.verdict.question.real_time);
    CHECK_INT(proved.norder, s.verdict.norder);
    CHECK_INT(proved.npart, s.verdict.npart);
    CHECK_INT(proved.nedges, s.verdict.nedges);
    CHECK_INT(proved.argument.nsteps, s.verdict.argument.nsteps);
    CHECK(!memcmp(&proved.counts, &s.verdict.counts, sizeof proved.counts));
    verdict_free(&proved);
    close_subject(&s);
  }
}

static void there_are_proofs_of_every_kind(void) {
  int orders = 0, snapshots = 0, cycles = 0, reads = 0, arguments = 0;
  for (int i = 0; i < WITNESSED; i++) {
    struct subject s;
    open_subject(&s, i);
    const struct verdict *v = &s.verdict;
    orders += v->kind == VERDICT_PASS && !v->snapshot;
    snapshots += v->kind == VERDICT_PASS && v->snapshot;
    cycles += v->nedges > 0;
    reads += v->kind == VERDICT_VIOLATION && v->op != UINT32_MAX;
    arguments += verdict_by_argument(v);
    close_subject(&s);
  }
  CHECK(orders >= 2 && snapshots >= 2 && cycles >= 2 && reads >= 2);
  CHECK(arguments >= 2);
}

static void belongs_to_one_history(void) {
  for (int i = 0; i < WITNESSED; i++)
    for (int j = 0; j < WITNESSED; j++) {
      struct subject s, other;
      bool right;
      open_subject(&s, i);
      open_subject(&other, j);
      CHECK_INT(witness_proves(s.w.bytes, s.w.count, other.h, &right), i == j);
      close_subject(&s);
      close_subject(&other);
    }
}

static void is_refused_when_cut_off(void) {
  for (int i = 0; i < WITNESSED; i++) {
    struct subject s;
    bool right;
    open_subject(&s, i);
    for (size_t n = 0; n < s.w.count; n++) {
      unsigned char *cut = memcpy(malloc(n + 1), s.w.bytes, n);
      CHECK(!witness_proves(cut, n, s.h, &right));
      CHECK(right);
      if (n >= HEADER_BYTES + CHECKSUM_BYTES) {
        seal(cut, n);
        CHECK(!witness_proves(cut, n, s.h, &right));
      }
      free(cut);
    }
    close_subject(&s);
  }
}

static void is_refused_when_changed(void) {
  for (int i = 0; i < WITNESSED; i++) {
    struct subject s;
    bool right;
    open_subject(&s, i);
    for (size_t at = 0; at < s.w.count; at++) {
      s.w.bytes[at] ^= 1;
      CHECK(!witness_proves(s.w.bytes, s.w.count, s.h, &right));
      s.w.bytes[at] ^= 1;
    }
    close_subject(&s);
  }
}

// Every byte to every value.
static void proves_nothing_wrong(void) {
  for (int i = 0; i < WITNESSED; i++) {
    struct subject s;
    bool right;
    open_subject(&s, i);
    for (size_t at = 0; at < s.w.count - CHECKSUM_BYTES; at++) {
      const unsigned char was = s.w.bytes[at];
      for (unsigned byte = 0; byte < 256; byte++) {
        s.w.bytes[at] = (unsigned char)byte;
        seal(s.w.bytes, s.w.count);
        const bool proves = witness_proves(s.w.bytes, s.w.count, s.h, &right);
        const bool fixed =
            at < KIND_AT + 1 || (at >= HASH_AT && at < HEADER_BYTES);
        if (!CHECK(right) || !CHECK(!(proves && fixed && byte != was)))
          printf("# %s: byte %zu as %u\n", witnessed[i].text, at, byte);
      }
      s.w.bytes[at] = was;
    }
    close_subject(&s);
  }
}

static void made_up_ones_prove_nothing_wrong(void) {
  gsl_rng *random = random_stream(2, 0, RANDOM_TEST);
  const struct witness_reading reading = {0, 0};
  for (int i = 0; i < 2000; i++) {
    struct subject s;
    const struct check_options question = {
        .question = {.level =
                         (enum isolation)(1 + gsl_rng_uniform_int(random, 7)),
                     .session_order = gsl_rng_uniform_int(random, 4) > 0,
                     .real_time = gsl_rng_uniform_int(random, 4) == 0}};
    generate(random, (enum family)(i % FAMILY_COUNT), 6, &s.tiny);
    s.h = tiny_history(&s.tiny, &s.room);
    for (int forgeries = 0; forgeries < 200; forgeries++) {
      bool right;
      s.verdict = forge(random, s.h, &question);
      s.w = (struct witness_bytes){0};
      witness_write(s.h, &reading, &s.verdict, &s.w);
      witness_proves(s.w.bytes, s.w.count, s.h, &right);
      CHECK(right);
      close_subject(&s);
    }
  }
  gsl_rng_free(random);
}

static void change_some(gsl_rng *random, struct witness_bytes *w) {
  for (unsigned long n = 1 + gsl_rng_uniform_int(random, 3); n > 0; n--) {
    const size_t at = gsl_rng_uniform_int(random, w->count - CHECKSUM_BYTES);
    if (at < HASH_AT || at >= HEADER_BYTES)
      w->bytes[at] = (unsigned char)(gsl_rng_uniform_int(random, 2)
                                         ? w->bytes[at] + 1u
                                         : gsl_rng_uniform_int(random, 32));
  }
}

static void random_changes_prove_nothing_wrong(void) {
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  for (int i = 0; i < 1500; i++) {
    struct subject s;
    bool right;
    const struct check_options question = {
        .question = {.level =
                         (enum isolation)(1 + gsl_rng_uniform_int(random, 7)),
                     .session_order = gsl_rng_uniform_int(random, 4) > 0,
                     .real_time = gsl_rng_uniform_int(random, 4) == 0}};
    generate(random, (enum family)(i % FAMILY_COUNT), 6, &s.tiny);
    if (ask(&s, &question)) {
      CHECK(witness_proves(s.w.bytes, s.w.count, s.h, &right) && right);
      for (int changes = 0; changes < 30; changes++) {
        change_some(random, &s.w);
        seal(s.w.bytes, s.w.count);
        witness_proves(s.w.bytes, s.w.count, s.h, &right);
        CHECK(right);
      }
    }
    close_subject(&s);
  }
  gsl_rng_free(random);
}

int main(void) {
  return TAP_RUN(
      {"a proof proves what was found", proves_what_was_found},
      {"there are proofs of every kind", there_are_proofs_of_every_kind},
      {"a proof belongs to one history", belongs_to_one_history},
      {"a proof that is cut off is refused", is_refused_when_cut_off},
      {"a proof that is changed is refused", is_refused_when_changed},
      {"no proof proves anything wrong", proves_nothing_wrong},
      {"random changes prove nothing wrong",
       random_changes_prove_nothing_wrong},
      {"made-up proofs prove nothing wrong", made_up_ones_prove_nothing_wrong});
}
