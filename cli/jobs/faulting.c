// SPDX-License-Identifier: GPL-3.0-or-later
// A run's server and faults (cli/jobs/faulting.h).
#include "config.h"

#include "cli/jobs/faulting.h"

#include "base/memory.h"
#include "drivers/drivers.h"

#include <stdlib.h>
#include <string.h>

// Drivers wait longer for an answer than faults last.
#define PATIENCE_UNDER_FAULTS "timeout=3s"

static bool order_hands(void *context, uint32_t id, const char *action,
                        uint32_t node) {
  return server_order(context, id, action, node);
}

static int ask_hands(void *context, uint64_t when, struct hand_answer *answer) {
  struct server_answer from;
  const int got = server_next_answer(context, when, &from);
  if (got > 0) {
    *answer = (struct hand_answer){.id = from.id, .done = from.done};
    snprintf(answer->words, sizeof answer->words, "%s", from.words);
  }
  return got;
}

// "KIND NAME=VALUE...": the kind, and the rest.
static void take_server_words(struct faulting *f, const char *text) {
  const size_t n = strcspn(text, " ");
  f->kind = xasprintf("%.*s", (int)n, text);
  f->words = xstrdup(text + n + strspn(text + n, " "));
}

static int read_schedule(struct faulting *f, const struct settings *settings,
                         struct error *error) {
  const struct fault_scene scene = {
      .server = f->kind,
      .nnodes = f->facts.nnodes,
      .actions = f->facts.actions,
      .duration = settings->time,
      .seed = setting_is_given(settings, "nemesis-seed")
                  ? settings->nemesis_seed
                  : settings->seed,
  };
  const struct nemesis nemesis = {
      .actions = settings->nemesis,
      .every = settings->nemesis_every,
      .hold = settings->nemesis_hold,
      .nodes = settings->nemesis_nodes,
  };
  if (settings->nemesis)
    return schedule_draw(&f->schedule, &nemesis, &scene, error)
               ? error_prefix(error, "nemesis")
               : 0;
  return schedule_read(&f->schedule, settings->faults, &scene, error)
             ? error_prefix(error, "faults")
             : 0;
}

static int refuse_combination(const struct settings *settings,
                              struct error *error) {
  const char *which = settings->faults ? "faults" : "nemesis";
  if (settings->faults && settings->nemesis)
    return error_set_usage(error, "faults says what happens and nemesis draws "
                                  "it: give one of them");
  if ((settings->faults || settings->nemesis) && !settings->server)
    return error_set_usage(error,
                           "%s acts on the nodes of a throw-away server: name "
                           "one, or a kind, by server",
                           which);
  if ((settings->faults || settings->nemesis) && settings->threads == 1)
    return error_set_usage(error,
                           "a run of one thread has a clock of its own, by "
                           "which no fault can be due: leave threads=1 away");
  return 0;
}

int faulting_read(struct faulting *f, const struct settings *settings,
                  struct error *error) {
  event_log_init(&f->log);
  if (refuse_combination(settings, error))
    return -1;
  if (!settings->server)
    return 0;
  take_server_words(f, settings->server);
  if (server_facts(f->kind, &f->facts, error))
    return error_prefix(error, "server");
  return settings->faults || settings->nemesis
             ? read_schedule(f, settings, error)
             : 0;
}

int faulting_begin(struct faulting *f, struct settings *settings,
                   struct error *error) {
  if (!f->kind)
    return 0;
  if (server_begin(&f->server, f->kind, f->words, error))
    return -1;
  f->hands = (struct hands){&f->server, order_hands, ask_hands};
  if (settings->target)
    return 0;
  const bool all = f->facts.all_nodes || settings->endpoints != ROUTING_PIN;
  f->target = all ? server_hosts(&f->server) : xstrdup(f->server.uris[0]);
  settings->target = f->target;
  return 0;
}

static bool has_option(const struct driver *driver, const char *name) {
  const struct driver_option *o = driver->options;
  while (o && o->name && strcmp(o->name, name) != 0)
    o++;
  return o && o->name;
}

const char *faulting_timeout(const struct faulting *f,
                             const struct driver *driver, const char *target) {
  const char *options = strchr(target, '?');
  return faulting_has_faults(f) && has_option(driver, "timeout") &&
                 !(options && strstr(options, "timeout="))
             ? PATIENCE_UNDER_FAULTS
             : NULL;
}

void faulting_start(struct faulting *f) {
  if (faulting_has_faults(f))
    f->actor = actor_start(&f->schedule, &f->hands, &f->log, f->facts.nnodes);
}

void faulting_settle(struct faulting *f, uint64_t settle) {
  if (f->actor)
    actor_settle(f->actor, settle);
  f->actor = NULL;
}

void faulting_end(struct faulting *f) {
  faulting_settle(f, 0);
  server_end(&f->server);
}

void faulting_free(struct faulting *f) {
  faulting_end(f);
  schedule_free(&f->schedule);
  event_log_fini(&f->log);
  FREE_EACH(f->kind, f->words, f->target);
}

bool faulting_has_faults(const struct faulting *f) {
  return f->schedule.nfaults > 0;
}
