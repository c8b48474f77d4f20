// SPDX-License-Identifier: GPL-3.0-or-later
// Reads whatever it is given as a program to explore: nothing may crash or
// hang, what is refused is refused with a sentence, and of what is accepted the
// first histories are explored.
//
// fuzz-sources: base/*.c sql/*.c recorder/*.c recorder/builder/*.c
// fuzz-sources: checker/*.c checker/*/*.c
// fuzz-sources: explore/*.c
// fuzz-libs: -lzstd -lz -lxxhash -lgsl -lgslcblas -lm
// fuzz-seeds: configs/programs
#include "config.h"

#include "explore/repair.h"
#include "explore/story.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static bool some(void *context, const struct partial *history) {
  unsigned *left = context;
  struct tale tale;
  tale_tell(&tale, history, history->levels);
  tale_free(&tale);
  return (*left)-- > 1;
}

static void explore_some(struct program *program) {
  static const enum level levels[] = {LEVEL_RC, LEVEL_RC_STATEMENT, LEVEL_SI,
                                      LEVEL_SER};
  program->max_ops = 12;
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    unsigned left = 20;
    struct explore_result result;
    struct error error;
    const struct explore_options options = {
        .level = levels[i], .leaf = some, .context = &left};
    if (explore(program, &options, &result, &error) && !error.text[0])
      abort();
    if (result.blocked)
      abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  struct program program;
  struct error error = {0};
  char *text = calloc(1, bytes + 1);
  if (bytes)
    memcpy(text, data, bytes);
  if (!program_parse("fuzz", text, (struct program_choice){0}, &program,
                     &error)) {
    if (program.ntxns <= 8 && program.ncode < 400)
      explore_some(&program);
  } else if (!error.text[0]) {
    abort();
  }
  program_free(&program);
  free(text);
  return 0;
}
