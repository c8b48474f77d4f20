// SPDX-License-Identifier: GPL-3.0-or-later
// Witnesses: the first byte chooses a history, the others are held against it.
// Whatever they are, they are refused with a sentence, or prove what a check
// says.  Checksum and hash are not looked at (checker/verify/witness_read.c).
// Or the bytes are all that chance decides when a history and a proof of
// something about it are made up, which is then sealed as a right one is.
//
// fuzz-sources: base/*.c checker/*.c checker/*/*.c recorder/*.c
// fuzz-sources: recorder/build/*.c
// fuzz-sources: tests/agreement/forge.c
// fuzz-sources: tests/agreement/generate.c tests/agreement/machine.c
// fuzz-sources: tests/agreement/tiny.c
// fuzz-libs: -lzstd -lxxhash -lgsl -lgslcblas -lm
// fuzz-seeds: tests/fuzz/witness
#include "config.h"

#include "tests/agreement/forge.h"
#include "tests/agreement/generate.h"
#include "tests/fuzz/chance.h"
#include "tests/unit/checker/witnesses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { MAX_TXNS = 6 };

static void prove_forged(const uint8_t *data, size_t bytes) {
  static struct tiny tiny;
  static struct tiny_history room;
  const struct witness_reading reading = {0, 0};
  struct bytes left = {data, data + bytes, 0};
  bool right;
  const enum family family = take(&left) % FAMILY_COUNT;
  const struct check_options question = {
      .level = (enum isolation)(1 + take(&left) % ISOLATION_SSER),
      .session_order = take(&left) % 4 > 0,
      .real_time = take(&left) % 4 == 0};
  gsl_rng *random = chance_of(&left);
  generate(random, family, MAX_TXNS, &tiny);
  const struct history *h = tiny_history(&tiny, &room);
  struct verdict verdict = forge(random, h, &question);
  struct witness_bytes w = {0};
  witness_write(h, &reading, &verdict, &w);
  witness_proves(w.bytes, w.count, h, &right);
  if (!right)
    abort();
  free(w.bytes);
  verdict_free(&verdict);
  gsl_rng_free(random);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static struct tiny tiny;
  static struct tiny_history room;
  bool right;
  if (!bytes)
    return 0;
  const unsigned chosen = data[0] % (WITNESSED + 1);
  if (chosen == WITNESSED) {
    prove_forged(data + 1, bytes - 1);
    return 0;
  }
  tiny_parse(witnessed[chosen].text, &tiny);
  witness_proves(data + 1, bytes - 1, tiny_history(&tiny, &room), &right);
  if (!right)
    abort();
  return 0;
}
