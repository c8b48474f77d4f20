// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run or check (report/page.h): its frame, the verdict, and how
// to see it again.
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/keys.h"
#include "report/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Graphviz writes black; the page's colour wins over that.
static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#16181d;--soft:#4d5561;"
    "--line:#c9cfd8;--bar:#eef2f7;--bad:#a1121f;--good:#116329;"
    "--open:#7a4b00}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14161a;--ink:#e8eaee;"
    "--soft:#aab2bf;--line:#3b424d;--bar:#232831;--bad:#ff9c9c;--good:#7fd99a;"
    "--open:#f2c46d}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:72rem;background:var(--page);"
    "color:var(--ink);font:1rem/1.5 system-ui,sans-serif;"
    "overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0 .6rem}\n"
    "h2{font-size:1.25rem;margin:2rem 0 .6rem;"
    "border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1.1rem;margin:1.4rem 0 .4rem}"
    "h4{font-size:1rem;margin:1rem 0 .2rem}\n"
    "a{color:inherit}p{margin:.4rem 0}.soft{color:var(--soft)}\n"
    ".violation{color:var(--bad)}.pass{color:var(--good)}"
    ".undecided,.none{color:var(--open)}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;margin:.5rem "
    "0;list-style:none}\n"
    ".wide{overflow-x:auto;margin:.5rem 0}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;color:var(--soft);padding:.2rem 0}\n"
    "th,td{padding:.25rem .7rem .25rem 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line)}\n"
    "th,td.n{white-space:nowrap}td.n,th.n{text-align:right}"
    "th{overflow-wrap:break-word}"
    "td{overflow-wrap:break-word;min-width:4rem}caption{min-width:17rem}"
    // Names of runs are paths.
    "#comparison thead th{white-space:normal;overflow-wrap:anywhere;"
    "min-width:9rem}\n"
    "@media(max-width:40rem){th[scope=row]{white-space:normal}"
    "td{overflow-wrap:anywhere;min-width:7rem}td.n{min-width:4rem}"
    "caption{max-width:calc(100vw - 2rem)}"
    // Runs side by side stand below each other, by number.
    "#comparison :is(table,thead,tbody,tr,th,td){display:block;min-width:0}"
    "#comparison thead td{display:none}#comparison tr{counter-reset:run;"
    "border-bottom:1px solid var(--line)}#comparison :is(th,td){border:0}"
    "#comparison :is(thead th,td)::before{counter-increment:run;"
    "content:counter(run) \". \";color:var(--soft)}}\n"
    "@media(min-width:60rem){.wide svg{max-width:max(100%,var(--least));"
    "height:auto}}\n"
    ".plots{display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr))}\n"
    ".plots figure{max-width:36rem}figure{margin:1rem "
    "0}figcaption{color:var(--soft)}\n"
    ".plot{width:100%;height:auto;display:block}\n"
    ".graph-picture text{fill:currentColor}"
    ".graph-picture [stroke=black]{stroke:currentColor}"
    ".graph-picture [fill=black]{fill:currentColor}\n"
    "code,pre,.story,.why{font-family:ui-monospace,monospace;font-size:.92rem}"
    "pre{overflow-x:auto;padding:.6rem;background:var(--bar)}\n"
    ".story,.why{padding-left:1.6rem}.story{list-style:none;padding:0}\n"
    ".story time{color:var(--soft)}\n"
    "article{border-top:1px solid var(--line);padding-top:.2rem}\n"
    "@media print{:root{--page:#fff;--ink:#000;--soft:#333;--line:#999;"
    "--bar:#fff;--bad:#000;--good:#000;--open:#000}nav{display:none}"
    "html{font-size:10pt}body{max-width:none;padding:0}"
    ".wide{overflow:visible}pre{white-space:pre-wrap}"
    ".wide svg{max-width:100%;max-height:23cm;height:auto}"
    "th{white-space:normal}td{overflow-wrap:anywhere;min-width:7rem}"
    "td.n{min-width:0}"
    ".plots{grid-template-columns:1fr 1fr}"
    "h2,h3,h4,caption{break-after:avoid}figure,tr{break-inside:avoid}"
    "tbody tr:first-child{break-before:avoid}}\n";

void page_open(FILE *out, const char *title) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n"
        // Should markup ever get in, a browser still loads and runs nothing.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'\">\n<title>",
        out);
  put_markup(out, title);
  fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

void page_close(FILE *out, const char *program) {
  fputs("</main>\n<footer>\n<p class=\"soft\">Written by ", out);
  put_markup(out, program);
  fputs(".</p>\n</footer>\n</body>\n</html>\n", out);
}

void page_section(FILE *out, const char *id, const char *heading) {
  fprintf(out,
          "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n<h2 "
          "id=\"%s-heading\">%s</h2>\n",
          id, id, id, heading);
}

void page_table(FILE *out, const char *caption) {
  fprintf(out,
          "<div class=\"wide\" role=\"region\" tabindex=\"0\" "
          "aria-label=\"%s\">\n<table>\n<caption>%s</caption>\n",
          caption, caption);
}

void page_end_table(FILE *out) { fputs("</table>\n</div>\n", out); }

void page_row(FILE *out, const char *heading, const char *text) {
  if (!text || !*text)
    return;
  fprintf(out, "<tr><th scope=\"row\">%s</th><td>", heading);
  put_markup(out, text);
  fputs("</td></tr>\n", out);
}

void page_duration(FILE *out, double ns) {
  const struct quantity q = quantity_duration(ns);
  fputs("<td class=\"n\">", out);
  if (ns > 0)
    fprintf(out, "%s&nbsp;%s", q.number,
            strcmp(q.unit, "us") ? q.unit : "\xc2\xb5s");
  fputs("</td>", out);
}

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
  FILE *out = open_memstream(&words, &bytes);
  if (!out)
    out_of_memory(1);
  page_verdict_words(out, s);
  fclose(out);
  return words;
}

static void put_found(FILE *out, const struct json_value *verdict) {
  const struct json_value *found = json_member(verdict, KEY(found));
  if (!found || !found->first)
    return;
  page_table(out, "Anomalies in this history");
  fputs("<thead><tr><th scope=\"col\">anomaly</th><th scope=\"col\" "
        "class=\"n\">found</th></tr></thead>\n<tbody>\n",
        out);
  for (const struct json_value *f = found->first; f; f = f->next) {
    fputs("<tr><th scope=\"row\">", out);
    put_markup(out, f->name);
    fprintf(out, "</th><td class=\"n\">%" PRIu64 "</td></tr>\n",
            json_whole(found, f->name, 0));
  }
  fputs("</tbody>\n", out);
  page_end_table(out);
  if (json_is_true(verdict, KEY(found_more)))
    fputs("<p>The search was cut short: there may be more.</p>\n", out);
}

static void put_suspicion(FILE *out, const struct json_value *verdict) {
  const char *suspicion = json_text(verdict, KEY(suspicion), NULL);
  if (!suspicion)
    return;
  fputs("<p><strong>", out);
  put_markup(out, suspicion);
  fputs("</strong></p>\n", out);
}

static void put_proof(FILE *out, const struct json_value *verdict,
                      double seconds) {
  const char *word = json_text(verdict, KEY(verdict), "");
  if (!strcmp(word, "pass"))
    fprintf(out,
            "<p>Proof: a commit order of %" PRIu64
            " transactions, replayed by separate code",
            json_whole(verdict, KEY(commit_order), 0));
  else if (!strcmp(word, "violation"))
    fputs("<p>Proof: the counterexample below, which separate code derived "
          "again from the history",
          out);
  else {
    fputs("<p>Why: ", out);
    put_markup(out, json_text(verdict, KEY(why), "it was not said"));
  }
  fprintf(out, " (%.2f s).</p>\n", seconds);
}

// Tells of values that were written to a key more than once.
static void put_duplicates(FILE *out, const struct json_value *verdict) {
  const uint64_t reads = json_whole(verdict, KEY(duplicate_reads), 0);
  if (!reads)
    return;
  if (!strcmp(json_text(verdict, KEY(verdict), ""), "pass"))
    fprintf(out,
            "<p>The proof says which write each of %" PRIu64
            " reads of values that were written more than once saw.</p>\n",
            reads);
  else
    fprintf(out,
            "<p>Values were written more than once. The counterexample holds "
            "for one way to take %" PRIu64 " reads of such values; every other "
            "way is refuted as well, by %" PRIu64
            " further cases or by what the transactions and the times say "
            "themselves.</p>\n",
            reads, json_whole(verdict, KEY(further_cases), 0));
}

// A level above the claimed one, which is not broken.
static void put_beyond(FILE *out, const struct stored *s) {
  const struct json_value *beyond = json_member(s->document, KEY(beyond));
  if (!beyond || !s->nexamples)
    return;
  fputs("<p>Beyond that, ", out);
  put_markup(out, json_text(beyond, KEY(title), "?"));
  fputs(" was broken by ", out);
  put_markup(out, s->examples[0].anomaly);
  fputs("; the counterexample below is of that.</p>\n", out);
}

static void put_warnings(FILE *out, const struct json_value *document) {
  const struct json_value *w = json_first(document, KEY(warnings));
  for (; w; w = w->next) {
    fputs("<p><strong>Warning: ", out);
    put_markup(out, w->text ? w->text : "");
    fputs("</strong></p>\n", out);
  }
}

static void put_history(FILE *out, const struct json_value *history) {
  fprintf(out,
          "<p>%" PRIu64 " committed, %" PRIu64 " aborted and %" PRIu64
          " unknown transactions in %" PRIu64 " sessions on %" PRIu64
          " keys; %" PRIu64 " operations count.",
          json_whole(history, KEY(committed), 0),
          json_whole(history, KEY(aborted), 0),
          json_whole(history, KEY(unknown), 0),
          json_whole(history, KEY(sessions), 0),
          json_whole(history, KEY(keys), 0),
          json_whole(history, KEY(operations), 0));
  const char *salvage = json_text(history, KEY(salvage), NULL);
  if (salvage) {
    fputs(" Part of the history is lost: ", out);
    put_markup(out, salvage);
  }
  fputs("</p>\n", out);
}

static void put_header(FILE *out, const struct stored *s, const char *words) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const struct json_value *run = json_member(s->document, KEY(run));
  fputs("<header>\n<p class=\"soft\">isostress report</p>\n<h1 class=\"", out);
  put_markup(out, json_text(verdict, KEY(verdict), "none"));
  fputs("\">", out);
  put_markup(out, words);
  fputs("</h1>\n", out);
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

static void put_navigation(FILE *out, const struct stored *s) {
  static const struct {
    const char *id, *name;
    bool of_run, of_examples;
  } sections[] = {{"verdict", "Verdict", false, false},
                  {"counterexamples", "Counterexamples", false, true},
                  {"run", "What was run", true, false},
                  {"outcomes", "Outcomes", true, false},
                  {"time", "Over time", true, false},
                  {"latency", "Latency", true, false},
                  {"sessions", "Sessions", true, false},
                  {"settings", "Settings", true, false},
                  {"again", "See it again", false, false}};
  const bool is_run = json_member(s->document, KEY(run)) != NULL;
  fputs("<nav aria-label=\"Sections\">\n<ul>\n", out);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if ((is_run || !sections[i].of_run) &&
        (s->nexamples || !sections[i].of_examples))
      fprintf(out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id,
              sections[i].name);
  fputs("</ul>\n</nav>\n", out);
}

static void put_verdict(FILE *out, const struct stored *s) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const char *trouble = json_text(s->document, KEY(trouble), NULL);
  page_section(out, "verdict", "Verdict");
  if (trouble) {
    fputs("<p><strong>Trouble: ", out);
    put_markup(out, trouble);
    fputs("</strong></p>\n", out);
  }
  if (verdict) {
    put_history(out, json_member(s->document, KEY(history)));
    put_proof(out, verdict, json_real(verdict, KEY(seconds), 0));
    put_duplicates(out, verdict);
    put_warnings(out, s->document);
    page_put_chances(out, s->document);
    page_put_auto_level(out, s->document);
    put_beyond(out, s);
    put_suspicion(out, stored_broken(s));
    put_found(out, stored_broken(s));
  } else if (!strcmp(json_text(json_member(s->document, KEY(run)), KEY(claimed),
                               ""),
                     "none")) {
    fputs("<p>Nothing was checked: the level that was asked for promises "
          "nothing that could be. Ask for one with "
          "<code>--check=LEVEL</code>.</p>\n",
          out);
  } else {
    fputs("<p>No history was checked.</p>\n", out);
  }
  fputs("</section>\n", out);
}

static void put_examples(FILE *out, const struct stored *s,
                         const char *directory) {
  if (!s->nexamples)
    return;
  page_section(out, "counterexamples", "Counterexamples");
  fputs("<p>A transaction is named <em>session:number</em>, both counted from "
        "0. In the pictures, what is printed bold matters; a solid arrow is "
        "what a client saw, a dashed one follows from the order of versions, "
        "and its number is that of the sentence that says why. "
        "WR: read what the other wrote. RW: read what the other replaced. WW: "
        "wrote what the other replaced. SO: earlier in the same session. RT: "
        "had ended before the other began.</p>\n",
        out);
  for (uint32_t i = 0; i < s->nexamples; i++)
    page_put_example(out, &s->examples[i], i + 1, directory);
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

static void put_command(FILE *out, const char *what, const char *command,
                        const char *directory, const char *rest) {
  fprintf(out, "<p>%s</p>\n<pre><code>isostress %s ", what, command);
  put_markup(out, directory);
  fprintf(out, "%s</code></pre>\n", rest);
}

static void put_again(FILE *out, const struct stored *s) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const char *directory = json_text(s->document, KEY(directory), NULL);
  const char *history =
      json_text(json_member(s->document, KEY(history)), KEY(path), NULL);
  page_section(out, "again", "See it again");
  if (directory)
    put_command(out,
                "The same run, with the same seed (the job file has no "
                "password):",
                "run", directory, "/job.ini");
  if (directory && s->nexamples) {
    fputs("<p>The counterexample, performed again on a live database "
          "(TARGET), or written as commands for terminals "
          "(<code>--save-commands=FILE</code>):</p>\n"
          "<pre><code>isostress replay",
          out);
    put_answer_options(out, verdict);
    fputc(' ', out);
    put_markup(out, directory);
    fputs(" TARGET</code></pre>\n", out);
  }
  if (history) {
    fputs("<p>The same verdict, from what was recorded:</p>\n"
          "<pre><code>isostress check",
          out);
    put_answer_options(out, verdict);
    fputc(' ', out);
    put_markup(out, history);
    fputs("</code></pre>\n", out);
  }
  fputs("</section>\n", out);
}

void page_put_report(FILE *out, const struct stored *stored,
                     const char *directory) {
  const struct json_value *run = json_member(stored->document, KEY(run));
  char *words = verdict_words(stored);
  page_open(out, words);
  put_header(out, stored, words);
  put_navigation(out, stored);
  fputs("<main>\n", out);
  put_verdict(out, stored);
  put_examples(out, stored, directory);
  if (run)
    page_put_figures(out, run);
  put_again(out, stored);
  page_close(out, json_text(stored->document, KEY(program), "isostress"));
  free(words);
}
