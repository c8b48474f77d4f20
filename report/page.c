// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run or check (report/page.h): its head, and how to see it
// again.
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void page_verdict_words(FILE *out, const struct stored *s) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const char *word = json_text(verdict, KEY(verdict), "");
  const char *title = json_text(verdict, KEY(title), "?");
  if (!strcmp(word, "pass"))
    fprintf(out, "PASS: %s was kept", title);
  else if (!strcmp(word, "violation"))
    fprintf(out, "VIOLATION: %s was broken by %s", title,
            s->nexamples ? s->examples[0].anomaly : "?");
  else if (verdict)
    fprintf(out, "UNDECIDED: whether %s was kept", title);
  else
    fputs("NOT CHECKED", out);
  const struct json_value *run = json_member(s->document, KEY(run));
  const char *in_effect = json_text(run, KEY(level_in_effect), NULL);
  if (in_effect)
    fprintf(out, ", but the level in effect was \"%s\", not \"%s\"", in_effect,
            json_text(run, KEY(level_asked), "?"));
}

static char *verdict_words(const struct stored *s) {
  char *words;
  size_t bytes;
  FILE *out = text_stream(&words, &bytes);
  page_verdict_words(out, s);
  fclose(out);
  return words;
}

static void put_header(FILE *out, const struct stored *s, const char *words) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const struct json_value *run = json_member(s->document, KEY(run));
  fputs("<header>\n<p class=\"soft\">isostress report</p>\n", out);
  const char *heading = page_put_facts(out, s) ? "p" : "h1";
  fprintf(out, "<%s class=\"", heading);
  put_markup(out, json_text(verdict, KEY(verdict), "none"));
  fputs("\">", out);
  put_markup(out, words);
  fprintf(out, "</%s>\n", heading);
  const char *server = json_text(run, KEY(server), "");
  if (run) {
    fputs("<p>", out);
    put_markup(out, *server ? server : json_text(run, KEY(target), ""));
    fputs(", workload ", out);
    put_markup(out, json_text(run, KEY(workload), "?"));
    fputs(", level ", out);
    put_markup(out, json_text(run, KEY(level), "?"));
    fputs("</p>\n", out);
  }
  fputs("</header>\n", out);
}

static void put_examples(FILE *out, const struct stored *s) {
  if (!s->nexamples)
    return;
  fputs("<section class=\"case\" id=\"counterexamples\" "
        "aria-label=\"Counterexamples\">\n",
        out);
  for (uint32_t i = 0; i < s->nexamples && i < STORED_MAX_PICTURES; i++)
    page_put_example(out, &s->examples[i], i + 1);
  if (s->nexamples > STORED_MAX_PICTURES)
    fprintf(out, "<p>%" PRIu32 " more are in <code>report.txt</code>.</p>\n",
            s->nexamples - STORED_MAX_PICTURES);
  fputs("</section>\n", out);
}

static void put_answer_options(FILE *out, const struct json_value *verdict) {
  fputs(" --level=", out);
  put_markup(out, json_text(verdict, KEY(level), "?"));
  if (json_member(verdict, KEY(session_order)) &&
      !json_is_true(verdict, KEY(session_order)))
    fputs(" --no-session-order", out);
  if (json_is_true(verdict, KEY(real_time)))
    fputs(" --real-time", out);
}

// A command, with a button that copies it.
static void start_command(FILE *out) {
  fputs("<div class=\"cmd\"><code>", out);
}

static void end_command(FILE *out) {
  fputs("</code><button class=\"copy\" type=\"button\" hidden>Copy</button>"
        "</div>\n",
        out);
}

static void put_again(FILE *out, const struct stored *s) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const char *directory = json_text(s->document, KEY(directory), NULL);
  const char *history =
      json_text(json_member(s->document, KEY(history)), KEY(path), NULL);
  page_section(out, "again", "See it again");
  if (directory) {
    fputs("<p>The same run, with the same seed (the job file has no "
          "password):</p>\n",
          out);
    start_command(out);
    fputs("isostress run ", out);
    put_markup(out, directory);
    fputs("/job.ini", out);
    end_command(out);
  }
  if (directory && s->nexamples) {
    fputs("<p>The counterexample, performed again on a live database "
          "(TARGET), or written as commands for terminals "
          "(<code>--save-commands=FILE</code>):</p>\n",
          out);
    start_command(out);
    fputs("isostress replay", out);
    put_answer_options(out, verdict);
    fputc(' ', out);
    put_markup(out, directory);
    fputs(" TARGET", out);
    end_command(out);
  }
  if (history) {
    fputs("<p>The same verdict, from what was recorded:</p>\n", out);
    start_command(out);
    fputs("isostress check", out);
    put_answer_options(out, verdict);
    fputc(' ', out);
    put_markup(out, history);
    end_command(out);
  }
  fputs("</section>\n", out);
}

void page_put_report(FILE *out, const struct stored *stored) {
  const struct json_value *run = json_member(stored->document, KEY(run));
  char *words = verdict_words(stored);
  page_open(out, words);
  put_header(out, stored, words);
  fputs("<main>\n", out);
  page_put_verdict(out, stored);
  put_examples(out, stored);
  if (run)
    page_put_figures(out, run);
  put_again(out, stored);
  page_close(out, json_text(stored->document, KEY(program), "isostress"));
  free(words);
}
