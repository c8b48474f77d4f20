// SPDX-License-Identifier: GPL-3.0-or-later
// A report as JSON for programs; the schema is report/SCHEMA.md, and every
// change of meaning counts its version up.
#include "config.h"

#include "base/json.h"
#include "report/report.h"
#include "report/story.h"

#include <stdio.h>

#define SCHEMA "isostress-report/1"

static void put_histogram(struct json *json, const char *name,
                          const struct histogram *histogram) {
  static const struct {
    const char *name;
    double share;
  } percentiles[] = {{"p50_ns", 0.5},
                     {"p90_ns", 0.9},
                     {"p95_ns", 0.95},
                     {"p99_ns", 0.99},
                     {"p999_ns", 0.999}};
  json_put_object(json, name);
  json_put_unsigned(json, "count", histogram->count);
  json_put_unsigned(json, "min_ns", histogram->min);
  json_put_real(json, "mean_ns", histogram_mean(histogram));
  for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
    json_put_unsigned(json, percentiles[i].name,
                      histogram_percentile(histogram, percentiles[i].share));
  json_put_unsigned(json, "max_ns", histogram->max);
  json_close(json, '}');
}

static void put_shapes(struct json *json, const struct run_figures *figures) {
  json_put_array(json, "shapes");
  for (uint32_t i = 0; i < figures->nshapes; i++) {
    const struct shape_figures *shape = &figures->shapes[i];
    json_put_object(json, NULL);
    json_put_string(json, "name", shape->name);
    json_put_unsigned(json, "begun", shape->begun);
    json_put_unsigned(json, "committed", shape->committed);
    json_put_unsigned(json, "aborted", shape->aborted);
    json_put_unsigned(json, "unknown", shape->unknown);
    put_histogram(json, "latency", &shape->latency);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_codes(struct json *json, const struct run_figures *figures) {
  json_put_array(json, "causes");
  for (uint32_t i = 0; i < figures->ncodes; i++) {
    const struct code_count *code = &figures->codes[i];
    json_put_object(json, NULL);
    json_put_string(json, "cause", cause_name(code->cause));
    json_put_string(json, "code", code->code);
    json_put_string(json, "text", code->text);
    json_put_unsigned(json, "count", code->count);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_seconds(struct json *json, const struct run_figures *figures) {
  json_put_array(json, "seconds");
  for (uint32_t i = 0; i < figures->nseconds; i++) {
    json_put_object(json, NULL);
    json_put_unsigned(json, "committed", figures->seconds[i].committed);
    json_put_unsigned(json, "aborted", figures->seconds[i].aborted);
    json_put_unsigned(json, "unknown", figures->seconds[i].unknown);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_settings(struct json *json, const struct report *report) {
  json_put_object(json, "settings");
  for (const struct report_setting *s = report->settings; s && s->name; s++)
    json_put_string(json, s->name, s->value);
  json_close(json, '}');
}

static void put_run(struct json *json, const struct report *report) {
  static const char *const ends[] = {[RUN_DONE] = "done",
                                     [RUN_STOPPED] = "stopped",
                                     [RUN_RECORDING_FAILED] =
                                         "recording failed",
                                     [RUN_DATABASE_LOST] = "database lost"};
  const struct run_figures *f = report->figures;
  json_put_object(json, "run");
  json_put_string(json, "target", report->target);
  json_put_string(json, "server", f->server);
  json_put_string(json, "workload", report->workload);
  json_put_string(json, "level", report->level);
  json_put_string(json, "claimed", isolation_name(report->claimed));
  json_put_unsigned(json, "clients", report->clients);
  json_put_string(json, "end", ends[f->end]);
  json_put_unsigned(json, "started_ns", f->started_wall);
  json_put_unsigned(json, "elapsed_ns", f->elapsed);
  json_put_unsigned(json, "measured_ns", f->measured);
  json_put_unsigned(json, "transactions", f->transactions);
  json_put_unsigned(json, "begun", f->begun);
  json_put_unsigned(json, "committed", f->committed);
  json_put_unsigned(json, "aborted", f->aborted);
  json_put_unsigned(json, "unknown", f->unknown);
  json_put_unsigned(json, "given_up", f->given_up);
  json_put_unsigned(json, "operations", f->operations);
  json_put_string(json, "latency_from", report->rated ? "intended" : "actual");
  put_codes(json, f);
  put_shapes(json, f);
  put_seconds(json, f);
  put_settings(json, report);
  json_close(json, '}');
}

static void put_history(struct json *json, const struct report *report) {
  const struct history *history = report->history;
  const struct verdict_counts *counts = &report->verdict->counts;
  json_put_object(json, "history");
  json_put_string(json, "path", report->history_path);
  json_put_bool(json, "complete", history->complete);
  json_put_string(json, "salvage", report->salvage);
  json_put_unsigned(json, "sessions", history->nsessions);
  json_put_unsigned(json, "committed", counts->committed);
  json_put_unsigned(json, "aborted", counts->aborted);
  json_put_unsigned(json, "unknown", counts->unknown);
  json_put_unsigned(json, "unknown_seen", counts->unknown_seen);
  json_put_unsigned(json, "left_out", counts->lost);
  json_put_unsigned(json, "operations", counts->operations);
  json_put_unsigned(json, "keys", history->nkeys);
  json_close(json, '}');
}

static void put_operation(struct json *json, const struct history *history,
                          const char *name, uint32_t op) {
  char sentence[STORY_SENTENCE], txn[32], key[24];
  if (op >= history->nops) {
    json_put_null(json, name);
    return;
  }
  story_operation(history, op, sentence);
  uint32_t t = history_txn(history, op);
  json_put_object(json, name);
  json_put_string(json, "transaction", story_txn(history, t, txn));
  json_put_unsigned(json, "position", op - history->txn_first[t]);
  json_put_string(json, "kind", op_kind_name(history->kind[op]));
  json_put_string(json, "key", history_key(history, history->key[op], key));
  json_put_string(json, "sentence", sentence);
  json_close(json, '}');
}

static void put_cycle(struct json *json, const struct report *report) {
  static const char *const kinds[] = {[EDGE_SO] = "SO",
                                      [EDGE_RT] = "RT",
                                      [EDGE_WR] = "WR",
                                      [EDGE_WW] = "WW",
                                      [EDGE_RW] = "RW"};
  const struct history *history = report->history;
  char sentence[STORY_SENTENCE], name[32];
  json_put_array(json, "cycle");
  for (uint32_t i = 0; i < report->verdict->nedges; i++) {
    const struct edge *edge = &report->verdict->edges[i];
    story_edge(history, edge, sentence);
    json_put_object(json, NULL);
    json_put_string(json, "kind", kinds[edge->kind]);
    json_put_string(json, "from", story_txn(history, edge->from, name));
    json_put_string(json, "to", story_txn(history, edge->to, name));
    put_operation(json, history, "from_operation", edge->from_op);
    put_operation(json, history, "to_operation", edge->to_op);
    json_put_string(json, "sentence", sentence);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_part(struct json *json, const struct report *report) {
  json_put_array(json, "part");
  for (uint32_t i = 0; i < report->verdict->npart; i++)
    put_operation(json, report->history, NULL, report->verdict->part[i]);
  json_close(json, ']');
}

static void put_counterexample(struct json *json, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  const struct anomaly_info *info = anomaly_info(verdict->anomaly);
  char sentence[STORY_SENTENCE] =
      "No commit order of the part keeps the level.";
  json_put_object(json, "counterexample");
  json_put_string(json, "anomaly", info->name);
  json_put_string(json, "also", info->also);
  json_put_string(json, "meaning", info->sentence);
  json_put_string(json, "weakest_level_broken", isolation_name(info->weakest));
  if (verdict->nedges) {
    put_cycle(json, report);
    story_contradiction(report->history, verdict, sentence);
  } else if (verdict->npart) {
    put_part(json, report);
  } else {
    put_operation(json, report->history, "read", verdict->op);
    put_operation(json, report->history, "other", verdict->other_op);
    story_read(report->history, verdict, sentence);
  }
  json_put_string(json, "sentence", sentence);
  json_close(json, '}');
}

static void put_verdict(struct json *json, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  json_put_object(json, "verdict");
  json_put_string(json, "verdict", report_verdict_word(verdict));
  json_put_string(json, "level", isolation_name(verdict->level));
  json_put_string(json, "title", isolation_title(verdict->level));
  json_put_real(json, "seconds", report->check_seconds);
  if (verdict->kind == VERDICT_PASS)
    json_put_unsigned(json, "commit_order", verdict->norder);
  if (verdict->kind == VERDICT_UNDECIDED)
    json_put_string(json, "why", verdict->why);
  if (verdict->kind == VERDICT_VIOLATION)
    put_counterexample(json, report);
  json_close(json, '}');
}

void report_json(FILE *out, const struct report *report) {
  struct json json;
  json_begin(&json, out);
  json_put_object(&json, NULL);
  json_put_string(&json, "schema", SCHEMA);
  json_put_string(&json, "program", "isostress " PACKAGE_VERSION);
  json_put_string(&json, "command", report->command);
  json_put_string(&json, "directory", report->directory);
  json_put_string(&json, "trouble", report->trouble);
  if (report->figures)
    put_run(&json, report);
  if (report->verdict) {
    put_history(&json, report);
    put_verdict(&json, report);
  }
  json_close(&json, '}');
  json_end(&json);
}
