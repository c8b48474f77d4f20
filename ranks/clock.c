// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds of clocks (ranks/clock.h).
#include "config.h"

#include "ranks/clock.h"

#include "base/clock.h"
#include "ranks/parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { QUESTIONS = 32 };

struct clock_bound clock_bound_of(uint64_t asked, uint64_t rank0s,
                                  uint64_t answered) {
  const int64_t drift = clock_drift(answered - asked);
  return (struct clock_bound){.at = answered,
                              .low = (int64_t)(rank0s - answered) - drift,
                              .high = (int64_t)(rank0s - asked) + drift};
}

struct clock_bound clock_bound_join(const struct clock_bound *earlier,
                                    const struct clock_bound *later) {
  const int64_t drift = clock_drift(later->at - earlier->at);
  struct clock_bound both = *later;
  if (earlier->exact)
    return *earlier;
  if (earlier->low - drift > both.low)
    both.low = earlier->low - drift;
  if (earlier->high + drift < both.high)
    both.high = earlier->high + drift;
  return both.low <= both.high ? both : *later;
}

static void read_boot(char *text, size_t room) {
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  text[0] = '\0';
  if (!file)
    return;
  if (!fgets(text, (int)room, file))
    text[0] = '\0';
  fclose(file);
  text[strcspn(text, "\n")] = '\0';
}

// Kernels without namespaces of time have one clock.
void clock_machine(char text[MACHINE_ROOM]) {
  char boot[64], space[48];
  const ssize_t n = readlink("/proc/self/ns/time", space, sizeof space - 1);
  space[n > 0 ? n : 0] = '\0';
  read_boot(boot, sizeof boot);
  text[0] = '\0';
  if (boot[0])
    snprintf(text, MACHINE_ROOM, "%s-%s", boot, space);
}

static int answer(struct ranks *ranks, uint32_t rank, struct error *error) {
  for (int i = 0; i < QUESTIONS; i++) {
    struct wire_message message;
    int failed = wire_receive(ranks->sockets[rank], ranks->stop, &message);
    wire_message_free(&message);
    const uint64_t now = clock_now();
    failed =
        failed || wire_send(ranks->sockets[rank], WIRE_PONG, &now, sizeof now);
    if (failed)
      return ranks_tell_loss(error, rank);
  }
  return 0;
}

static int ask(struct ranks *ranks, struct clock_bound *bound,
               struct error *error) {
  for (int i = 0; i < QUESTIONS; i++) {
    struct wire_message message;
    uint64_t rank0s = 0;
    const uint64_t asked = clock_now();
    if (wire_send(ranks->sockets[0], WIRE_PING, NULL, 0) ||
        wire_receive(ranks->sockets[0], ranks->stop, &message))
      return ranks_tell_loss(error, 0);
    if (message.n == sizeof rank0s)
      memcpy(&rank0s, message.bytes, sizeof rank0s);
    wire_message_free(&message);
    const struct clock_bound one = clock_bound_of(asked, rank0s, clock_now());
    *bound = i ? clock_bound_join(bound, &one) : one;
  }
  return 0;
}

int clock_ask(struct ranks *ranks, struct clock_bound *bound,
              struct error *error) {
  char mine[MACHINE_ROOM], leads[MACHINE_ROOM] = "";
  struct ranks_text text = {mine, sizeof mine};
  int failed = 0;
  clock_machine(mine);
  *bound = (struct clock_bound){.exact = true};
  if (!ranks)
    return 0;
  if (ranks_broadcast(ranks, &text, error))
    return -1;
  if (!ranks->number) {
    for (uint32_t i = 1; i < ranks->n && !failed; i++)
      failed = answer(ranks, i, error);
    return failed;
  }
  if (text.n == sizeof leads)
    memcpy(leads, text.bytes, sizeof leads);
  ranks_text_free(&text);
  if (ask(ranks, bound, error))
    return -1;
  if (mine[0] && !strcmp(mine, leads))
    *bound = (struct clock_bound){.exact = true};
  return 0;
}
