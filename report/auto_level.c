// SPDX-License-Identifier: GPL-3.0-or-later
// All levels of a history at once: what became of each, and why.
#include "config.h"

#include "report/auto_level.h"
#include "report/report.h"
#include "report/words/keys.h"
#include "report/words/title.h"

#include <inttypes.h>
#include <stdio.h>

static void put_reason_of_level(FILE *out, const struct auto_level *card,
                                enum isolation level) {
  const struct verdict *verdict = auto_level_at(card, level);
  const bool itself = card->score[level].by == level;
  switch (verdict->kind) {
  case VERDICT_PASS:
    if (itself)
      fprintf(out, "%" PRIu32 " in %s", verdict->norder,
              verdict->snapshot ? "an order with snapshots" : "one order");
    else
      fprintf(out, "since %s is", isolation_name(verdict->question.level));
    break;
  case VERDICT_VIOLATION:
    fputs(anomaly_info(verdict->anomaly)->name, out);
    if (!itself)
      fprintf(out, " (breaks %s)", isolation_name(verdict->question.level));
    break;
  case VERDICT_UNDECIDED:
    fputs(verdict->why, out);
    break;
  }
}

// Is a level above the strongest one that is kept still open?
static bool is_open_above(const struct auto_level *card) {
  for (enum isolation level = card->strongest + 1; level <= ISOLATION_SSER;
       level++)
    if (card->score[level].kind == VERDICT_UNDECIDED)
      return true;
  return false;
}

void auto_level_put_text(FILE *out, const struct report *report) {
  static const char *const words[] = {[VERDICT_PASS] = "kept",
                                      [VERDICT_VIOLATION] = "broken",
                                      [VERDICT_UNDECIDED] = "undecided"};
  const struct auto_level *card = report->auto_level;
  char title[TITLE_ROOM];
  fputc('\n', out);
  if (card->strongest == ISOLATION_NONE)
    fputs("ALL LEVELS: no level is known to be kept.\n", out);
  else
    fprintf(out, "ALL LEVELS: the strongest level %skept is %s.\n",
            is_open_above(card) ? "known to be " : "",
            title_of(auto_level_at(card, card->strongest), title));
  for (enum isolation level = ISOLATION_SSER; level > ISOLATION_NONE; level--) {
    fprintf(out, "  %-4s %-22s  %-9s  ", isolation_name(level),
            isolation_title(level), words[card->score[level].kind]);
    put_reason_of_level(out, card, level);
    fputs(level == report->claimed ? "  <- what was claimed\n" : "\n", out);
  }
  fputc('\n', out);
}

void auto_level_put_json(struct json *json, const struct report *report) {
  const struct auto_level *card = report->auto_level;
  json_put_object(json, KEY(all_levels));
  json_put_string(json, KEY(strongest), isolation_name(card->strongest));
  json_put_string(json, KEY(claimed), isolation_name(report->claimed));
  json_put_array(json, KEY(levels));
  for (enum isolation level = ISOLATION_SSER; level > ISOLATION_NONE; level--) {
    const struct verdict *verdict = auto_level_at(card, level);
    json_put_object(json, NULL);
    json_put_string(json, KEY(level), isolation_name(level));
    json_put_string(json, KEY(title), isolation_title(level));
    json_put_string(json, KEY(verdict), report_verdict_word(verdict));
    json_put_string(json, KEY(by), isolation_name(verdict->question.level));
    json_put_string(json, KEY(anomaly),
                    verdict->kind == VERDICT_VIOLATION
                        ? anomaly_info(verdict->anomaly)->name
                        : NULL);
    json_put_string(json, KEY(why),
                    verdict->kind == VERDICT_UNDECIDED ? verdict->why : NULL);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_close(json, '}');
}
