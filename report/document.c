// SPDX-License-Identifier: GPL-3.0-or-later
// A report as JSON for programs; the schema is report/SCHEMA.md, and every
// change of meaning counts its version up.
#include "config.h"

#include "base/json.h"
#include "recorder/told.h"
#include "report/auto_level.h"
#include "report/durable.h"
#include "report/events_json.h"
#include "report/excerpt.h"
#include "report/explored.h"
#include "report/model.h"
#include "report/prospect.h"
#include "report/question_members.h"
#include "report/rank_lines.h"
#include "report/report.h"
#include "report/shortfall.h"
#include "report/tale/example.h"
#include "report/warning.h"
#include "report/words/keys.h"
#include "report/words/title.h"

#include <stdio.h>
#include <string.h>

#define SCHEMA "isostress-report/1"

static void put_document_histogram(struct json *json, const char *name,
                                   const struct histogram *histogram) {
  static const struct {
    const char *name;
    double share;
  } percentiles[] = {{KEY(p50_ns), 0.5},
                     {KEY(p90_ns), 0.9},
                     {KEY(p95_ns), 0.95},
                     {KEY(p99_ns), 0.99},
                     {KEY(p999_ns), 0.999}};
  json_put_object(json, name);
  json_put_unsigned(json, KEY(count), histogram->count);
  json_put_unsigned(json, KEY(min_ns), histogram->min);
  json_put_real(json, KEY(mean_ns), histogram_mean(histogram));
  for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
    json_put_unsigned(json, percentiles[i].name,
                      histogram_percentile(histogram, percentiles[i].share));
  json_put_unsigned(json, KEY(max_ns), histogram->max);
  json_close(json, '}');
}

static void put_shapes(struct json *json, const struct run_figures *figures) {
  json_put_array(json, KEY(shapes));
  for (uint32_t i = 0; i < figures->nshapes; i++) {
    const struct shape_figures *shape = &figures->shapes[i];
    json_put_object(json, NULL);
    json_put_string(json, KEY(name), shape->name);
    json_put_unsigned(json, KEY(begun), shape->begun);
    json_put_unsigned(json, KEY(committed), shape->committed);
    json_put_unsigned(json, KEY(aborted), shape->aborted);
    json_put_unsigned(json, KEY(unknown), shape->unknown);
    put_document_histogram(json, KEY(latency), &shape->latency);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_aborters(struct json *json, const struct run_figures *f) {
  const uint64_t client = f->by_cause[CAUSE_CLIENT];
  const uint64_t connection = f->by_cause[CAUSE_CONNECTION];
  json_put_object(json, KEY(aborted_by));
  json_put_unsigned(json, KEY(database), f->aborted - client - connection);
  json_put_unsigned(json, KEY(client), client);
  json_put_unsigned(json, KEY(lost_connection), connection);
  json_close(json, '}');
}

static void put_document_codes(struct json *json,
                               const struct run_figures *figures) {
  json_put_array(json, KEY(causes));
  for (uint32_t i = 0; i < figures->ncodes; i++) {
    const struct code_count *code = &figures->codes[i];
    json_put_object(json, NULL);
    json_put_string(json, KEY(cause), cause_name(code->cause));
    json_put_string(json, KEY(code), code->code);
    json_put_string(json, KEY(text), code->text);
    json_put_unsigned(json, KEY(count), code->count);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_document_places(struct json *json,
                                const struct run_figures *figures) {
  if (!figures->nplaces)
    return;
  json_put_array(json, KEY(places));
  for (uint32_t i = 0; i < figures->nplaces; i++) {
    const struct place_count *place = &figures->places[i];
    json_put_object(json, NULL);
    json_put_string(json, KEY(place), place->place);
    json_put_string(json, KEY(statement), place->statement);
    json_put_string(json, KEY(cause), cause_name(place->cause));
    json_put_string(json, KEY(code), place->code);
    json_put_string(json, KEY(text), place->text);
    json_put_unsigned(json, KEY(count), place->count);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_document_seconds(struct json *json,
                                 const struct run_figures *figures) {
  json_put_array(json, KEY(seconds));
  for (uint32_t i = 0; i < figures->nseconds; i++) {
    json_put_object(json, NULL);
    json_put_unsigned(json, KEY(committed), figures->seconds[i].committed);
    json_put_unsigned(json, KEY(aborted), figures->seconds[i].aborted);
    json_put_unsigned(json, KEY(unknown), figures->seconds[i].unknown);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_endpoint(struct json *json,
                         const struct endpoint_figures *endpoint) {
  json_put_object(json, NULL);
  json_put_string(json, KEY(name), endpoint->name);
  json_put_unsigned(json, KEY(begun), endpoint->begun);
  json_put_unsigned(json, KEY(committed), endpoint->committed);
  json_put_unsigned(json, KEY(aborted), endpoint->aborted);
  json_put_unsigned(json, KEY(unknown), endpoint->unknown);
  json_put_array(json, KEY(sessions));
  for (uint32_t i = 0; i < endpoint->nsessions; i++) {
    json_put_object(json, NULL);
    json_put_unsigned(json, KEY(session), endpoint->sessions[i].session);
    json_put_unsigned(json, KEY(begun), endpoint->sessions[i].begun);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_close(json, '}');
}

// The clocks' line is the last one.
static void put_document_ranks(struct json *json,
                               const struct history *history) {
  char *line;
  if (!history || !history->parts)
    return;
  json_put_array(json, KEY(ranks));
  for (uint32_t i = 0; (line = rank_line(history, i)); i++) {
    json_put_string(json, NULL, line);
    free(line);
  }
  if ((line = rank_clocks_line(history)))
    json_put_string(json, NULL, line);
  free(line);
  json_close(json, ']');
}

static void put_document_endpoints(struct json *json,
                                   const struct report *report) {
  const struct run_figures *figures = report->figures;
  if (figures->nendpoints)
    json_put_string(json, KEY(routing), routing_name(report->routing));
  else
    json_put_null(json, KEY(routing));
  json_put_array(json, KEY(endpoints));
  for (uint32_t i = 0; i < figures->nendpoints; i++)
    put_endpoint(json, &figures->endpoints[i]);
  json_close(json, ']');
}

static void put_document_series(struct json *json,
                                const struct run_figures *figures) {
  const struct series *series = &figures->series;
  json_put_object(json, KEY(series));
  json_put_unsigned(json, KEY(interval_ns), series->interval);
  json_put_array(json, KEY(intervals));
  for (uint32_t i = 0; i < series->count; i++) {
    const struct series_interval *interval = &series->intervals[i];
    json_put_object(json, NULL);
    json_put_unsigned(json, KEY(committed), interval->committed);
    json_put_unsigned(json, KEY(aborted), interval->aborted);
    json_put_unsigned(json, KEY(unknown), interval->unknown);
    json_put_unsigned(json, KEY(p50_ns), series_percentile(interval, 0.5));
    json_put_unsigned(json, KEY(p95_ns), series_percentile(interval, 0.95));
    json_put_unsigned(json, KEY(p99_ns), series_percentile(interval, 0.99));
    json_put_unsigned(json, KEY(max_ns), interval->longest);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_close(json, '}');
}

static void put_document_sessions(struct json *json,
                                  const struct run_figures *figures) {
  json_put_array(json, KEY(sessions));
  for (uint32_t i = 0; i < figures->nsessions; i++) {
    const struct session_figures *session = &figures->sessions[i];
    json_put_object(json, NULL);
    json_put_unsigned(json, KEY(committed), session->committed);
    json_put_unsigned(json, KEY(aborted), session->aborted);
    json_put_unsigned(json, KEY(unknown), session->unknown);
    json_put_unsigned(json, KEY(p50_ns), session->p50);
    json_put_unsigned(json, KEY(p99_ns), session->p99);
    json_put_unsigned(json, KEY(max_ns), session->longest);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_settings(struct json *json, const struct report *report) {
  json_put_object(json, KEY(settings));
  for (const struct report_setting *s = report->settings; s && s->name; s++)
    json_put_string(json, s->name, s->value);
  json_close(json, '}');
}

static void put_defaults(struct json *json, const struct report *report) {
  json_put_object(json, KEY(defaults));
  for (const struct report_setting *s = report->settings; s && s->name; s++)
    if (s->usual && strcmp(s->usual, s->value) != 0)
      json_put_string(json, s->name, s->usual);
  json_close(json, '}');
}

static void put_moment(struct json *json, const char *name,
                       const struct moment *moment) {
  json_put_object(json, name);
  json_put_unsigned(json, KEY(time_ns), moment->time);
  json_put_unsigned(json, KEY(committed), moment->committed);
  json_close(json, '}');
}

static void put_document_notice(struct json *json,
                                const struct notice_figures *notice) {
  if (notice->happened.time)
    put_moment(json, KEY(happened), &notice->happened);
  if (notice->seen)
    put_moment(json, KEY(noticed), &notice->noticed);
  json_put_unsigned(json, KEY(held_back_ns), notice->held_back);
  json_put_unsigned(json, KEY(undecided_parts), notice->undecided);
}

static void put_document_invariant(struct json *json,
                                   const struct report *report) {
  const struct invariant *invariant = report->invariant;
  const struct invariant_figures *f = &report->figures->invariant;
  json_put_object(json, KEY(invariant));
  json_put_string(json, KEY(select), invariant_text(invariant));
  json_put_signed(json, KEY(equals), invariant_equals(invariant));
  json_put_unsigned(json, KEY(checked), f->checked);
  json_put_unsigned(json, KEY(broken), f->broken);
  if (f->broken && f->first.is_whole)
    json_put_signed(json, KEY(first), f->first.is);
  else if (f->broken && !f->first.none)
    json_put_string(json, KEY(first), f->first.words);
  if (f->broken)
    json_put_unsigned(json, KEY(time_ns), f->first_at);
  json_close(json, '}');
}

static void put_document_requirements(struct json *json,
                                      const struct report *report) {
  json_put_array(json, KEY(requirements));
  for (uint32_t i = 0; i < report->nrequirements; i++) {
    json_put_object(json, NULL);
    json_put_string(json, KEY(required), report->requirements[i].text);
    json_put_string(json, KEY(measured), report->requirements[i].is);
    json_put_bool(json, KEY(met), report->requirements[i].met);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_shortfall(struct json *json, const struct report *report) {
  struct shortfall shortfall;
  if (!shortfall_of(report, &shortfall))
    return;
  json_put_object(json, KEY(shortfall));
  json_put_string(json, KEY(kind), shortfall.name);
  json_put_string(json, KEY(sentence), shortfall.sentence);
  json_close(json, '}');
}

static void put_document_run(struct json *json, const struct report *report) {
  static const char *const ends[] = {[RUN_DONE] = "done",
                                     [RUN_STOPPED] = "stopped",
                                     [RUN_RECORDING_FAILED] =
                                         "recording failed",
                                     [RUN_DATABASE_LOST] = "database lost",
                                     [RUN_DRIVER_BROKEN] = "driver broken"};
  const struct run_figures *f = report->figures;
  json_put_object(json, KEY(run));
  json_put_string(json, KEY(target), report->target);
  json_put_string(json, KEY(server), f->server);
  json_put_string(json, KEY(workload), report->workload);
  json_put_string(json, KEY(level), report->level);
  json_put_string(json, KEY(claimed), isolation_name(report->claimed));
  if (*f->level_in_effect) {
    json_put_string(json, KEY(level_asked), f->level_asked);
    json_put_string(json, KEY(level_in_effect), f->level_in_effect);
  }
  json_put_unsigned(json, KEY(clients), report->clients);
  json_put_string(json, KEY(end), ends[f->end]);
  put_shortfall(json, report);
  if (report->notice)
    put_document_notice(json, report->notice);
  if (report->nrequirements)
    put_document_requirements(json, report);
  if (report->faulted)
    events_put_json(json, report);
  if (report->invariant)
    put_document_invariant(json, report);
  if (report->model)
    model_put_json(json, report->model);
  durable_put_json(json, report);
  json_put_unsigned(json, KEY(started_ns), f->started_wall);
  json_put_unsigned(json, KEY(planned_ns), f->planned);
  json_put_unsigned(json, KEY(elapsed_ns), f->elapsed);
  json_put_unsigned(json, KEY(measured_ns), f->measured);
  json_put_unsigned(json, KEY(transactions), f->transactions);
  json_put_unsigned(json, KEY(begun), f->begun);
  json_put_unsigned(json, KEY(committed), f->committed);
  json_put_unsigned(json, KEY(aborted), f->aborted);
  json_put_unsigned(json, KEY(refused), run_refused(f));
  json_put_unsigned(json, KEY(unknown), f->unknown);
  json_put_unsigned(json, KEY(resolved_committed), f->resolved_committed);
  json_put_unsigned(json, KEY(resolved_aborted), f->resolved_aborted);
  json_put_unsigned(json, KEY(given_up), f->given_up);
  json_put_unsigned(json, KEY(retries), f->retries);
  json_put_unsigned(json, KEY(attempt_ns), f->attempt_time);
  json_put_unsigned(json, KEY(wasted_ns), f->wasted_time);
  put_aborters(json, f);
  json_put_unsigned(json, KEY(operations), f->operations);
  json_put_string(json, KEY(latency_from),
                  report->rated ? "intended" : "actual");
  put_document_endpoints(json, report);
  put_document_ranks(json, report->history);
  put_document_codes(json, f);
  put_document_places(json, f);
  put_shapes(json, f);
  put_document_seconds(json, f);
  put_document_series(json, f);
  put_document_sessions(json, f);
  if (report->history)
    excerpt_put_json(json, report);
  put_settings(json, report);
  put_defaults(json, report);
  json_close(json, '}');
}

static void put_document_history(struct json *json,
                                 const struct report *report) {
  const struct history *history = report->history;
  const struct verdict_counts *counts = &report->verdict->counts;
  json_put_object(json, KEY(history));
  json_put_string(json, KEY(path), report->history_path);
  json_put_bool(json, KEY(complete), history->complete);
  json_put_string(json, KEY(salvage), report->salvage);
  json_put_unsigned(json, KEY(sessions), history->nsessions);
  json_put_unsigned(json, KEY(committed), counts->committed);
  json_put_unsigned(json, KEY(aborted), counts->aborted);
  json_put_unsigned(json, KEY(unknown), counts->unknown);
  json_put_unsigned(json, KEY(unknown_seen), counts->unknown_seen);
  json_put_unsigned(json, KEY(left_out), counts->lost);
  json_put_unsigned(json, KEY(operations), counts->operations);
  json_put_unsigned(json, KEY(keys), history_count_keys(history));
  json_close(json, '}');
}

static void put_document_violation(struct json *json,
                                   const struct report *report,
                                   const char *name, uint32_t i) {
  struct example example;
  example_of_verdict(&example, report->history,
                     report_violation(report->verdict, i), report->raw_values);
  example_put_json(json, name, &example);
  example_free(&example);
}

static void put_violations(struct json *json, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  char suspicion[SUSPICION_ROOM];
  put_document_violation(json, report, KEY(counterexample), 0);
  if (report->figures)
    json_put_string(json, KEY(promise), report_promise(report));
  if (report_promise_among(report))
    json_put_string(json, KEY(promise_among), report_promise_among(report));
  json_put_object(json, KEY(found));
  for (int a = 0; a < ANOMALY_COUNT; a++)
    if (verdict->found[a])
      json_put_unsigned(json, anomaly_info((enum anomaly)a)->name,
                        verdict->found[a]);
  json_close(json, '}');
  json_put_bool(json, KEY(found_more), verdict->found_more);
  json_put_string(json, KEY(suspicion), report_suspicion(report, suspicion));
  json_put_array(json, KEY(others));
  for (uint32_t i = 1; i <= verdict->nothers; i++)
    put_document_violation(json, report, NULL, i);
  json_close(json, ']');
}

static void put_document_verdict(struct json *json, const struct report *report,
                                 const char *name) {
  const struct verdict *verdict = report->verdict;
  json_put_object(json, name);
  json_put_string(json, KEY(verdict), report_verdict_word(verdict));
  char title[TITLE_ROOM];
  json_put_string(json, KEY(level), question_level_word(&verdict->question));
  json_put_string(json, KEY(title), title_of(verdict, title));
  question_put_members(json, &verdict->question);
  json_put_real(json, KEY(seconds), report->check_seconds);
  if (verdict->kind == VERDICT_PASS)
    json_put_unsigned(json, KEY(commit_order), verdict->norder);
  if (verdict->tried) {
    json_put_unsigned(json, KEY(cases), verdict->ncases_refuted);
    if (verdict->argument.nsteps)
      json_put_unsigned(json, KEY(argument_steps), verdict->argument.nsteps);
    json_put_bool(json, KEY(one_program),
                  verdict->kind == VERDICT_PASS || verdict->one_program);
  }
  if (report_insert_reads(verdict))
    json_put_bool(json, KEY(insert_reads), true);
  if (verdict->kind == VERDICT_UNDECIDED)
    json_put_string(json, KEY(why), verdict->why);
  if (verdict->kind == VERDICT_UNDECIDED && verdict->anomaly != ANOMALY_NONE)
    json_put_string(json, KEY(suspected), anomaly_info(verdict->anomaly)->name);
  if (verdict->nassumed_reads) {
    json_put_unsigned(json, KEY(duplicate_reads), verdict->nassumed_reads);
    json_put_unsigned(json, KEY(other_ways_steps), verdict->ways.nsteps);
  }
  if (verdict->kind == VERDICT_VIOLATION)
    put_violations(json, report);
  json_close(json, '}');
}

static void put_document_beyond(struct json *json,
                                const struct report *report) {
  struct report beyond = *report;
  beyond.verdict = report->beyond;
  put_document_verdict(json, &beyond, KEY(beyond));
}

static void put_document_warnings(struct json *json,
                                  const struct report *report) {
  struct arena arena = {0};
  const char *const *warnings = warnings_of(report, &arena);
  json_put_array(json, KEY(warnings));
  for (uint32_t i = 0; warnings[i]; i++)
    json_put_string(json, NULL, warnings[i]);
  json_close(json, ']');
  arena_free(&arena);
}

static void put_document_commands(struct json *json,
                                  const struct report *report) {
  json_put_array(json, KEY(by_hand));
  for (uint32_t i = 0; i < report->ncommands; i++) {
    const struct report_command *command = &report->commands[i];
    json_put_object(json, NULL);
    json_put_string(json, KEY(session), command->session);
    json_put_string(json, KEY(text), command->text);
    json_put_string(json, KEY(place), command->place);
    json_put_string(json, KEY(returned), command->returned);
    json_close(json, '}');
  }
  json_close(json, ']');
}

void report_json(FILE *out, const struct report *report) {
  struct json json;
  json_begin(&json, out);
  json_put_object(&json, NULL);
  json_put_string(&json, KEY(schema), SCHEMA);
  json_put_string(&json, KEY(program), "isostress " PACKAGE_VERSION);
  json_put_string(&json, KEY(command), report->command);
  json_put_string(&json, KEY(directory), report->directory);
  json_put_string(&json, KEY(trouble), report->trouble);
  if (report->figures)
    put_document_run(&json, report);
  else if (report->nevents)
    events_put_json(&json, report);
  if (report->verdict) {
    put_document_history(&json, report);
    put_document_verdict(&json, report, KEY(verdict));
    put_document_warnings(&json, report);
    prospects_put_json(&json, report);
  }
  if (report->auto_level)
    auto_level_put_json(&json, report);
  if (report->own_scripts)
    own_scripts_put_json(&json, report->own_scripts);
  if (report->beyond)
    put_document_beyond(&json, report);
  if (report->ncommands)
    put_document_commands(&json, report);
  if (report->explored)
    explored_put_json(&json, report->explored);
  json_close(&json, '}');
  json_end(&json);
}
