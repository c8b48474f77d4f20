// SPDX-License-Identifier: GPL-3.0-or-later
// Planning that the workloads have in common (workload/planner.h).
#include "config.h"

#include "workload/planner.h"

#include "base/memory.h"
#include "base/random.h"
#include "workload/twins.h"

#include <stdlib.h>

bool shares_are_set(const struct workload *workload,
                    const struct workload_options *options) {
  for (uint32_t i = 0; i < workload_shapes(workload); i++)
    if (options->shape_share[i] > 0)
      return true;
  return false;
}

void planner_init(struct planner *planner, const struct workload *workload,
                  const struct workload_options *options, uint32_t session) {
  double shares[WORKLOAD_MAX_SHAPES];
  uint32_t nshapes = workload_shapes(workload);
  bool set = shares_are_set(workload, options);
  for (uint32_t i = 0; i < nshapes; i++)
    shares[i] = set ? options->shape_share[i] : workload->shapes[i].share;
  planner->options = *options;
  planner->session = session;
  if (options->read_ratio == 0)
    planner->options.read_ratio = 0.5;
  planner->random = random_stream(options->seed, session, RANDOM_PLAN);
  if (twins_has(options, session))
    planner->own = gsl_rng_clone(planner->random);
  planner->keys = keys_open(options, planner->random);
  planner->shapes = gsl_ran_discrete_preproc(nshapes, shares);
  if (!planner->shapes)
    out_of_memory(sizeof shares);
}

void planner_fini(struct planner *planner) {
  gsl_ran_discrete_free(planner->shapes);
  keys_close(planner->keys);
  gsl_rng_free(planner->random);
  gsl_rng_free(planner->own);
}

void planner_turn(struct planner *planner) {
  const uint64_t seed =
      twins_seed(&planner->options, planner->session, planner->nplans++);
  if (planner->is_twins)
    gsl_rng_memcpy(planner->random, planner->own);
  planner->is_twins = seed;
  if (!seed)
    return;
  gsl_rng_memcpy(planner->own, planner->random);
  gsl_rng_set(planner->random, (unsigned long)seed);
}

void planner_close(void *state) {
  planner_fini(state);
  free(state);
}
