// SPDX-License-Identifier: GPL-3.0-or-later
// Tells chances (report/prospect.h).
#include "config.h"

#include "report/prospect.h"

#include "report/keys.h"
#include "report/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RULE_OF_THREE = 3, NUMBER = 32 };

static enum anomaly anomaly_of(const struct chance_kind *kind) {
  int a = 0;
  while (a < ANOMALY_COUNT &&
         strcmp(anomaly_info((enum anomaly)a)->name, kind->anomaly))
    a++;
  return (enum anomaly)a;
}

// Was it asked for, and can this history have it?
static bool is_asked(const struct report *report,
                     const struct chance_kind *kind) {
  const struct verdict *verdict = report->verdict;
  const enum anomaly anomaly = anomaly_of(kind);
  if (kind->lists && !report->history->lists)
    return false;
  if (kind->rows && !report->history->rows)
    return false;
  // By items alone, a row that did not come back says nothing.
  if (kind->rows && verdict->by_items && anomaly != ANOMALY_EXTRA_ROW)
    return false;
  if (chance_needs_times(kind->of) && !report->chances->timed)
    return false;
  if ((anomaly == ANOMALY_SESSION_GUARANTEE_VIOLATION ||
       anomaly == ANOMALY_LOST_WRITE) &&
      !verdict->session_order)
    return false;
  if (anomaly == ANOMALY_STALE_READ && verdict->real_time)
    return report->chances->timed;
  return anomaly_weakest(anomaly) <= verdict->level;
}

uint32_t prospects_of(const struct report *report, struct prospect *room) {
  uint32_t n = 0;
  if (!report->chances || report->verdict->kind != VERDICT_PASS)
    return 0;
  const struct chances *c = report->chances;
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    if (is_asked(report, chance_kind(i)))
      room[n++] = (struct prospect){chance_kind(i), c->count[i], c->low[i],
                                    c->high[i], c->low[i] / RULE_OF_THREE};
  return n;
}

const char *prospect_unit(const struct chance_kind *kind) {
  static const char *const units[] = {[CHANCE_READ] = "reads",
                                      [CHANCE_ROW] = "rows",
                                      [CHANCE_ONE] = "transactions",
                                      [CHANCE_PAIR] = "pairs",
                                      [CHANCE_TRIPLE] = "triples"};
  return units[kind->of];
}

const char *prospect_counted(const char *unit, uint64_t count) {
  static const char *const words[][2] = {{"reads", "read"},
                                         {"rows", "row"},
                                         {"transactions", "transaction"},
                                         {"pairs", "pair"},
                                         {"triples", "triple"}};
  for (size_t i = 0; i < sizeof words / sizeof *words && count == 1; i++)
    if (!strcmp(words[i][0], unit))
      return words[i][1];
  return unit;
}

const char *prospect_want(uint64_t chances, bool all) {
  return chances ? "too few to say" : all ? "no chance" : "none in the sample";
}

static void put_row(FILE *out, const struct prospect *p) {
  char number[NUMBER];
  const bool least = p->high == UINT64_MAX && p->chances;
  snprintf(number, sizeof number, "%s%" PRIu64, least ? ">=" : "", p->chances);
  fprintf(out, "    %-25s %12s %-12s ", p->kind->anomaly, number,
          prospect_counted(prospect_unit(p->kind), p->chances));
  if (p->one_in)
    fprintf(out, "1 in %" PRIu64, p->one_in);
  else
    fputs(prospect_want(p->chances, p->high == p->low), out);
  if (p->low != p->high && p->high != UINT64_MAX)
    fprintf(out, " (%" PRIu64 " to %" PRIu64 ")", p->low, p->high);
  fputc('\n', out);
}

static void put_notes(FILE *out, const struct chances *chances) {
  if (!chances->timed)
    fputs("    The history has no times, so that nobody knows which "
          "transactions overlapped: chances that\n    take two or three "
          "transactions were not counted.\n",
          out);
  else if (!chances->all)
    fprintf(out,
            "    Pairs and triples are estimates, from a sample of "
            "%" PRIu32 " transactions, with two standard\n    errors in "
            "brackets; with >= there were too few for an estimate, and these "
            "were seen in\n    the sample.\n",
            chances->sampled);
}

static bool were_stopped(const struct report *report) {
  return report->verdict->kind == VERDICT_PASS && !report->chances;
}

void prospects_put_text(FILE *out, const struct report *report) {
  struct prospect prospects[CHANCE_KINDS];
  const uint32_t n = prospects_of(report, prospects);
  if (were_stopped(report))
    fputs("  How much this history could have shown was not counted: the time "
          "was over.\n",
          out);
  if (!n)
    return;
  fprintf(out,
          "  How much this history could have shown:\n"
          "    %-25s %12s %-12s %s\n",
          "anomaly", "chances", "", "seen (95 %), if it strikes in");
  for (uint32_t i = 0; i < n; i++)
    put_row(out, &prospects[i]);
  put_notes(out, report->chances);
}

static void put_json_row(struct json *json, const struct prospect *p) {
  json_put_object(json, NULL);
  json_put_string(json, KEY(anomaly), p->kind->anomaly);
  json_put_string(json, KEY(of), prospect_unit(p->kind));
  json_put_string(json, KEY(chance), p->kind->what);
  json_put_unsigned(json, KEY(count), p->chances);
  json_put_unsigned(json, KEY(low), p->low);
  if (p->high == UINT64_MAX)
    json_put_null(json, KEY(high));
  else
    json_put_unsigned(json, KEY(high), p->high);
  if (p->one_in)
    json_put_unsigned(json, KEY(seen_if_one_in), p->one_in);
  else
    json_put_null(json, KEY(seen_if_one_in));
  json_close(json, '}');
}

void prospects_put_json(struct json *json, const struct report *report) {
  struct prospect prospects[CHANCE_KINDS];
  const uint32_t n = prospects_of(report, prospects);
  if (were_stopped(report))
    json_put_null(json, KEY(chances));
  if (!n)
    return;
  json_put_object(json, KEY(chances));
  json_put_bool(json, KEY(timed), report->chances->timed);
  json_put_bool(json, KEY(all), report->chances->all);
  json_put_unsigned(json, KEY(sampled), report->chances->sampled);
  json_put_array(json, KEY(anomalies));
  for (uint32_t i = 0; i < n; i++)
    put_json_row(json, &prospects[i]);
  json_close(json, ']');
  json_close(json, '}');
}

bool prospects_missing(const struct report *report, char *names, size_t bytes) {
  struct prospect prospects[CHANCE_KINDS];
  const uint32_t n = prospects_of(report, prospects);
  size_t used = 0;
  *names = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!prospects[i].chances && used < bytes)
      used += (size_t)snprintf(names + used, bytes - used, "%s%s",
                               used ? ", " : "", prospects[i].kind->anomaly);
  return used > 0;
}
