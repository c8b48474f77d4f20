// SPDX-License-Identifier: GPL-3.0-or-later
// Witnesses: the first byte chooses a history, the others are held against it.
// Whatever they are, they are refused with a sentence, or prove what a check
// says.  Checksum and hash are not looked at (checker/witness_read.c).
//
// fuzz-sources: base/*.c checker/*.c recorder/history.c tests/agreement/tiny.c
// fuzz-libs: -lzstd -lxxhash -lgsl -lgslcblas -lm
// fuzz-seeds: tests/fuzz/witness
#include "config.h"

#include "tests/unit/witnesses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static struct tiny tiny;
  static struct tiny_history room;
  bool right;
  if (!bytes)
    return 0;
  tiny_parse(witnessed[data[0] % WITNESSED].text, &tiny);
  witness_proves(data + 1, bytes - 1, tiny_history(&tiny, &room), &right);
  if (!right)
    abort();
  return 0;
}
