// SPDX-License-Identifier: GPL-3.0-or-later
// Tells chances (report/prospect.h).
#include "config.h"

#include "report/prospect.h"

#include "base/anomaly_names.h"
#include "base/memory.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULE_OF_THREE = 3 };

static enum anomaly prospect_anomaly_of(const struct chance_kind *kind) {
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
  const enum anomaly anomaly = prospect_anomaly_of(kind);
  if (kind->lists && !report->history->lists)
    return false;
  if (kind->rows && !report->history->rows)
    return false;
  // By items alone, a row that did not come back says nothing.
  if (kind->rows && verdict->question.by_items && anomaly != ANOMALY_EXTRA_ROW)
    return false;
  if (chance_needs_times(kind->of) && !report->chances->timed)
    return false;
  if ((anomaly == ANOMALY_SESSION_GUARANTEE_VIOLATION ||
       anomaly == ANOMALY_LOST_WRITE) &&
      !verdict->question.session_order)
    return false;
  if (anomaly == ANOMALY_STALE_READ && verdict->question.real_time)
    return report->chances->timed;
  return anomaly_weakest(anomaly) <= verdict->question.level;
}

uint32_t prospects_of(const struct report *report, struct prospect *room) {
  uint32_t n = 0;
  if (!report->chances || report->verdict->kind != VERDICT_PASS)
    return 0;
  const struct chances *c = report->chances;
  for (uint32_t i = 0; i < CHANCE_KINDS; i++) {
    assert(c->low[i] <= c->high[i]);
    if (is_asked(report, chance_kind(i)))
      room[n++] = (struct prospect){
          chance_kind(i), c->low[i], c->high[i],
          c->low[i] / RULE_OF_THREE > 1 ? c->low[i] / RULE_OF_THREE : 0};
  }
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

uint32_t prospect_place(const char *anomaly) {
  static const char *const order[PROSPECTS_FIRST] = {
      "LostUpdate",         "WriteSkew",   "PhantomWriteSkew", "FracturedRead",
      "NonRepeatableReads", "AbortedRead", "IntermediateRead", "PhantomRead"};
  uint32_t place = 0;
  while (place < PROSPECTS_FIRST && strcmp(order[place], anomaly) != 0)
    place++;
  return place;
}

// The unit as it stands behind the count: "pair" behind 1.
static const char *unit_of_count(const char *unit, uint64_t count) {
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

void prospect_put_count(FILE *out, uint64_t low, uint64_t high,
                        const char *unit) {
  char one[QUANTITY_GROUPED], other[QUANTITY_GROUPED];
  quantity_grouped(low, one);
  if (low == high)
    fputs(one, out);
  else if (high < UINT64_MAX)
    fprintf(out, "between %s and %s", one, quantity_grouped(high, other));
  else if (low)
    fprintf(out, "at least %s", one);
  else
    fputs("not known", out);
  if (unit && (low || high < UINT64_MAX))
    fprintf(out, " %s", unit_of_count(unit, high < UINT64_MAX ? high : low));
}

const char *prospect_want(uint64_t low, uint64_t high) {
  return low ? "too few to say" : high ? "none in the sample" : "no chance";
}

static void put_prospect_row(FILE *out, const struct prospect *p) {
  char one_in[QUANTITY_GROUPED], *count;
  size_t bytes;
  FILE *words = text_stream(&count, &bytes);
  prospect_put_count(words, p->low, p->high, prospect_unit(p->kind));
  fclose(words);
  fprintf(out, "    %-27s %-30s ", anomaly_plain(p->kind->anomaly), count);
  if (p->one_in)
    fprintf(out, "1 in %s\n", quantity_grouped(p->one_in, one_in));
  else
    fprintf(out, "%s\n", prospect_want(p->low, p->high));
  free(count);
}

static void put_crowd(FILE *out, const struct chances *chances) {
  if (chances->crowded)
    fputs("    Some transactions overlapped with more than 256 others: chances "
          "that take three of them\n    were counted in part.\n",
          out);
}

static void put_notes(FILE *out, const struct report *report) {
  const struct chances *chances = report->chances;
  if (!chances->timed)
    fputs("    The history has no times, so that nobody knows which "
          "transactions overlapped: chances that\n    take two or three "
          "transactions were not counted.\n",
          out);
  else if (chances->left_out)
    fputs("    Some transactions that overlapped have more than 64 keys in "
          "common: chances of the others\n    were not counted.\n",
          out);
  else if (chances->sampled < report->history->ntxns)
    fprintf(out,
            "    There are too many pairs and triples to look at all: these "
            "were counted in a sample of\n    %" PRIu32
            " transactions, and the interval holds the number of all with 95 "
            "%% certainty.\n",
            chances->sampled);
  put_crowd(out, chances);
}

static bool were_stopped(const struct report *report) {
  return report->verdict->kind == VERDICT_PASS && !report->chances &&
         !report->streamed;
}

void prospects_put_text(FILE *out, const struct report *report) {
  struct prospect prospects[CHANCE_KINDS];
  const uint32_t n = prospects_of(report, prospects);
  if (were_stopped(report))
    fputs("  How much this history could have shown was not counted: the time "
          "was over.\n",
          out);
  if (report->streamed && report->verdict->kind == VERDICT_PASS)
    fputs("  How much this history could have shown is not counted of a "
          "stream.\n",
          out);
  if (!n)
    return;
  fprintf(out,
          "  How much this history could have shown:\n"
          "    %-27s %-30s %s\n",
          "anomaly", "chances", "seen (95 %), if it strikes in");
  for (uint32_t i = 0; i < n; i++)
    put_prospect_row(out, &prospects[i]);
  put_notes(out, report);
}

static void put_json_row(struct json *json, const struct prospect *p) {
  json_put_object(json, NULL);
  json_put_string(json, KEY(anomaly), p->kind->anomaly);
  json_put_string(json, KEY(of), prospect_unit(p->kind));
  json_put_string(json, KEY(chance), p->kind->what);
  json_put_unsigned(json, KEY(count), p->low);
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
  json_put_bool(json, KEY(keys_left_out), report->chances->left_out);
  json_put_bool(json, KEY(triples_left_out), report->chances->crowded);
  json_put_array(json, KEY(anomalies));
  for (uint32_t i = 0; i < n; i++)
    put_json_row(json, &prospects[i]);
  json_close(json, ']');
  json_close(json, '}');
}
