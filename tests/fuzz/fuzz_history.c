// SPDX-License-Identifier: GPL-3.0-or-later
// Reads whatever it is given as a history, in the format that FUZZ_FORMAT names
// or in any (empty), and does with it what the program would: nothing may
// crash, hang or ask for much memory, and what is accepted has to be sound.
// Checksums are not looked at (recorder/native/chunk.c), for no fuzzer could
// guess them.
//
// fuzz-sources: base/*.c sql/*.c recorder/*.c recorder/*/*.c
// fuzz-libs: -lzstd -lz -lxxhash -lgsl -lgslcblas -lm
// fuzz-seeds: tests/histories
#include "config.h"

#include "recorder/statistics.h"
#include "tests/kit/made_history.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

// Is every value on its own what it is among all?
static bool values_agree(const struct history *h) {
  struct history spelt = *h;
  bool agree = true;
  history_spell_values(&spelt);
  for (uint32_t op = 0; op < h->nops; op++)
    agree &= history_op_value(h, op) == spelt.value[op];
  for (uint32_t list = 0; list < h->nlists; list++)
    for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++)
      agree &= history_element_value(h, i) == spelt.element_value[i];
  if (!h->value) {
    free(spelt.value);
    free(spelt.element_value);
  }
  return agree;
}

static void use(struct history *h) {
  uint32_t nlost;
  struct history_statistics statistics;
  if (!history_is_sound(h) || !values_agree(h))
    abort();
  free(history_counted(h, &nlost));
  history_statistics(h, &statistics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  const char *format = getenv("FUZZ_FORMAT");
  char path[64];
  int fd = memfd_create("history", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct history h;
  struct error error;
  const struct read_options options = {
      .format = format && *format ? format : NULL,
      .initial = bytes % 3 ? INITIAL_BY_FORMAT : INITIAL_FIRST_READ,
      .duplicates = bytes % 2 ? DUPLICATES_ALLOW : DUPLICATES_REFUSE};
  if (history_read_with(path, &options, &h, &error) == 0)
    use(&h);
  else if (!error.text[0])
    abort();
  history_free(&h);
  close(fd);
  return 0;
}
