// SPDX-License-Identifier: GPL-3.0-or-later
// Failovers as a table, as a page and as JSON (cli/failover/failover.h).
#include "config.h"

#include "cli/failover/failover.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdlib.h>

// "In 9 of 20 failovers acknowledged writes were lost"
static void put_failover_sentence(FILE *out, const struct failover_sum *sum) {
  if (sum->promoted)
    fprintf(out,
            "In %" PRIu32 " of %" PRIu32 " failovers acknowledged writes were "
            "lost",
            sum->lossy, sum->promoted);
  else
    fputs("No other host took over: nothing is known", out);
}

// The share with its interval, how many, and for how long none was taken: a
// line each.
static void put_failover_figures(FILE *out, const struct failover_sum *sum) {
  if (!sum->promoted)
    return;
  fprintf(out, "That is %.0f %% (95 %% interval %.0f %% to %.0f %%)",
          100.0 * sum->lossy / sum->promoted, 100 * sum->low, 100 * sum->high);
  if (sum->lost)
    fprintf(out, "; %" PRIu64 " write%s in all, at most %" PRIu64 " in a run",
            sum->lost, sum->lost == 1 ? "" : "s", sum->most);
  fprintf(out,
          ".\nNo write was acknowledged for %.1f s in the middle run, and for "
          "%.1f s in the worst.\n",
          quantity_seconds(sum->silence), quantity_seconds(sum->longest));
}

static void put_failover_promise(FILE *out, const struct failover *failover) {
  static const char *const words[] = {
      [KEEPS_UNKNOWN] = "Nothing is known of settings that allow losses",
      [KEEPS_COMMITS] =
          "The settings promise that no acknowledged write is lost",
      [KEEPS_NOT] = "The settings allow that acknowledged writes are lost",
      [KEEPS_UNSEEN] = "Nothing is known of what reads show"};
  fputs(words[failover->keeps], out);
  if (*failover->keeps_words)
    fprintf(out, ": %s", failover->keeps_words);
}

void failover_put_text(FILE *out, const struct failover *failover) {
  struct failover_sum sum;
  failover_add_up(failover, &sum);
  fprintf(out, "%4s %-8s %-11s %12s %8s %8s %10s %s\n", "run", "workload",
          "taken over", "acknowledged", "lost", "unknown", "no writes",
          "level");
  for (uint32_t i = 0; i < failover->count; i++) {
    const struct failover_run *run = &failover->runs[i];
    fprintf(out,
            "%4" PRIu32 " %-8s %-11s %12" PRIu64 " %8" PRIu64 " %8" PRIu64
            " %8.1f s %s\n",
            i + 1, run->workload, run->promoted ? "yes" : "no",
            run->acknowledged, run->lost, run->unknown,
            quantity_seconds(run->silence), run->broken ? "broken" : "kept");
  }
  fprintf(out, "\n%s, %s\n", failover->kind, failover->server);
  put_failover_sentence(out, &sum);
  fputs(".\n", out);
  put_failover_figures(out, &sum);
  put_failover_promise(out, failover);
  fputs(".\n", out);
}

static void put_failover_row(FILE *out, uint32_t number,
                             const struct failover_run *run) {
  fprintf(out, "<tr><th scope=\"row\">%" PRIu32 "</th>", number);
  page_cell(out, "", run->workload);
  page_cell(out, "", run->promoted ? "yes" : "no");
  page_number(out, run->acknowledged);
  page_number(out, run->lost);
  page_number(out, run->unknown);
  page_duration(out, (double)run->silence);
  page_cell(out, "", run->broken ? "broken" : "kept");
  fputs("</tr>\n", out);
}

static char *sentence_of(void (*put)(FILE *out, const void *about),
                         const void *about) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  put(out, about);
  fclose(out);
  return text;
}

static void put_sum(FILE *out, const void *about) {
  put_failover_sentence(out, about);
}
static void put_figures(FILE *out, const void *about) {
  put_failover_figures(out, about);
}
static void put_promise(FILE *out, const void *about) {
  put_failover_promise(out, about);
}

void failover_put_page(FILE *out, const struct failover *failover) {
  struct failover_sum sum;
  failover_add_up(failover, &sum);
  char *sentence = sentence_of(put_sum, &sum);
  char *figures = sentence_of(put_figures, &sum);
  char *promise = sentence_of(put_promise, failover);
  page_open(out, "Failovers under load");
  page_bar(out, NULL, failover->kind, "");
  fputs("<main>\n", out);
  page_tag(out,
           !sum.promoted         ? "open"
           : sum.against_promise ? "bad"
           : sum.lossy           ? "warn"
                                 : "good",
           !sum.promoted ? "Nothing known"
           : sum.lossy   ? "Lost writes"
                         : "No write lost");
  fputs("<h1>", out);
  put_markup(out, sentence);
  fputs(".</h1>\n<p class=\"lede\">", out);
  put_markup(out, figures);
  put_markup(out, promise);
  fputs(".</p>\n<p>", out);
  put_markup(out, failover->server);
  fputs("</p>\n", out);
  page_section(out, "runs", "The runs");
  page_table(out, "Each run kills the first node under load",
             "run|workload|taken over|#acknowledged|#lost|#unknown|#no writes "
             "for|level");
  for (uint32_t i = 0; i < failover->count; i++)
    put_failover_row(out, i + 1, &failover->runs[i]);
  page_end_table(out);
  fputs("</section>\n", out);
  page_close(out, PACKAGE_STRING);
  free(sentence);
  free(figures);
  free(promise);
}

static void put_json_run(struct json *json, const struct failover_run *run) {
  json_put_object(json, NULL);
  json_put_string(json, "workload", run->workload);
  json_put_bool(json, "taken_over", run->promoted);
  json_put_unsigned(json, "acknowledged", run->acknowledged);
  json_put_unsigned(json, "lost", run->lost);
  json_put_unsigned(json, "lost_transactions", run->transactions);
  json_put_unsigned(json, "unknown", run->unknown);
  json_put_unsigned(json, "took_effect", run->took_effect);
  json_put_unsigned(json, "no_writes_ns", run->silence);
  json_put_bool(json, "level_broken", run->broken);
  json_put_string(json, "directory", run->directory);
  json_close(json, '}');
}

void failover_put_json(FILE *out, const struct failover *failover) {
  struct failover_sum sum;
  struct json json;
  failover_add_up(failover, &sum);
  json_begin(&json, out);
  json_put_object(&json, NULL);
  json_put_string(&json, "kind", failover->kind);
  json_put_string(&json, "server", failover->server);
  json_put_bool(&json, "loss_allowed", failover->keeps == KEEPS_NOT);
  json_put_string(&json, "settings", failover->keeps_words);
  json_put_unsigned(&json, "taken_over", sum.promoted);
  json_put_unsigned(&json, "with_losses", sum.lossy);
  json_put_real(&json, "share_low", sum.low);
  json_put_real(&json, "share_high", sum.high);
  json_put_unsigned(&json, "no_writes_ns", sum.silence);
  json_put_array(&json, "runs");
  for (uint32_t i = 0; i < failover->count; i++)
    put_json_run(&json, &failover->runs[i]);
  json_close(&json, ']');
  json_close(&json, '}');
  json_end(&json);
}
