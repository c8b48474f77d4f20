// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as JSON, written and read again (report/tale/example.h).
#include "config.h"

#include "report/tale/example.h"

#include "report/tale/example_rows.h"

#include "report/words/keys.h"

#include <assert.h>
#include <string.h>

// --- Writing.

static void put_json_of_time(struct json *json, const char *name, uint64_t ns) {
  if (ns == TIME_UNKNOWN)
    json_put_null(json, name);
  else
    json_put_unsigned(json, name, ns);
}

static const struct example_txn *json_txn_of(const struct example *e,
                                             uint32_t op) {
  const struct example_txn *txn = e->txns;
  assert(op < e->nops);
  while (op >= txn->end_op)
    txn++;
  return txn;
}

static void put_json_of_operation(struct json *json, const char *name,
                                  const struct example *e, uint32_t op) {
  if (op == EXAMPLE_NONE) {
    json_put_null(json, name);
    return;
  }
  const struct example_op *o = &e->ops[op];
  json_put_object(json, name);
  json_put_string(json, KEY(transaction), json_txn_of(e, op)->id);
  json_put_unsigned(json, KEY(position), o->position);
  json_put_string(json, KEY(kind), o->kind);
  json_put_string(json, KEY(key), o->key);
  json_put_string(json, KEY(sentence), o->sentence);
  json_close(json, '}');
}

static void put_full_operation(struct json *json, const struct example_op *o) {
  json_put_object(json, NULL);
  json_put_unsigned(json, KEY(position), o->position);
  json_put_string(json, KEY(kind), o->kind);
  json_put_string(json, KEY(key), o->key);
  json_put_string(json, KEY(label), o->label);
  json_put_string(json, KEY(sentence), o->sentence);
  json_put_string(json, KEY(raw), o->raw);
  put_json_of_time(json, KEY(begin_ns), o->begin);
  put_json_of_time(json, KEY(end_ns), o->end);
  json_put_bool(json, KEY(matters), o->matters);
  if (o->place)
    json_put_string(json, KEY(place), o->place);
  if (o->condition)
    json_put_string(json, KEY(condition), o->condition);
  json_close(json, '}');
}

static void put_transactions(struct json *json, const struct example *e) {
  json_put_array(json, KEY(transactions));
  for (uint32_t i = 0; i < e->ntxns; i++) {
    const struct example_txn *txn = &e->txns[i];
    json_put_object(json, NULL);
    json_put_string(json, KEY(name), txn->id);
    json_put_string(json, KEY(short), txn->name);
    json_put_unsigned(json, KEY(session), txn->session);
    json_put_unsigned(json, KEY(number), txn->number);
    json_put_string(json, KEY(outcome), txn->outcome);
    json_put_string(json, KEY(endpoint), txn->endpoint);
    json_put_string(json, KEY(level), txn->level);
    put_json_of_time(json, KEY(begin_ns), txn->begin);
    put_json_of_time(json, KEY(end_ns), txn->end);
    json_put_unsigned(json, KEY(left_out), txn->nleft_out);
    json_put_array(json, KEY(operations));
    for (uint32_t op = txn->first_op; op < txn->end_op; op++)
      put_full_operation(json, &e->ops[op]);
    json_close(json, ']');
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_edges(struct json *json, const char *name,
                      const struct example *e, uint32_t first, uint32_t end) {
  json_put_array(json, name);
  for (uint32_t i = first; i < end; i++) {
    const struct example_edge *edge = &e->edges[i];
    assert(edge->from < e->ntxns && edge->to < e->ntxns);
    json_put_object(json, NULL);
    json_put_string(json, KEY(kind), edge->kind);
    json_put_string(json, KEY(from), e->txns[edge->from].id);
    json_put_string(json, KEY(to), e->txns[edge->to].id);
    json_put_string(json, KEY(key), edge->key);
    json_put_bool(json, KEY(inferred), edge->inferred);
    if (edge->number)
      json_put_unsigned(json, KEY(number), edge->number);
    else
      json_put_null(json, KEY(number));
    put_json_of_operation(json, KEY(from_operation), e, edge->from_op);
    put_json_of_operation(json, KEY(to_operation), e, edge->to_op);
    json_put_string(json, KEY(sentence), edge->sentence);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_json_of_story(struct json *json, const struct example *e) {
  json_put_array(json, KEY(story));
  for (uint32_t i = 0; i < e->nstory; i++) {
    json_put_object(json, NULL);
    put_json_of_time(json, KEY(time_ns), e->story[i].time);
    json_put_string(json, KEY(sentence), e->story[i].sentence);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_json_of_reasons(struct json *json, const struct example *e) {
  json_put_array(json, KEY(reasons));
  for (uint32_t i = 0; i < e->nreasons; i++) {
    json_put_object(json, NULL);
    json_put_unsigned(json, KEY(number), e->reasons[i].number);
    json_put_string(json, KEY(sentence), e->reasons[i].sentence);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_json_of_statements(struct json *json, const struct example *e) {
  if (!e->nstatements)
    return;
  json_put_array(json, KEY(statements));
  for (uint32_t i = 0; i < e->nstatements; i++)
    json_put_string(json, NULL, e->statements[i]);
  json_close(json, ']');
}

void example_put_json(struct json *json, const char *name,
                      const struct example *e) {
  json_put_object(json, name);
  json_put_string(json, KEY(anomaly), e->anomaly);
  json_put_string(json, KEY(also), e->also);
  json_put_string(json, KEY(meaning), e->meaning);
  json_put_string(json, KEY(weakest_level_broken), isolation_name(e->weakest));
  json_put_string(json, KEY(minimal_for), isolation_name(e->minimal));
  json_put_string(json, KEY(level), isolation_name(e->level));
  put_transactions(json, e);
  if (e->ncycle)
    put_edges(json, KEY(cycle), e, 0, e->ncycle);
  if (e->read != EXAMPLE_NONE) {
    put_json_of_operation(json, KEY(read), e, e->read);
    put_json_of_operation(json, KEY(other), e, e->other);
  }
  put_edges(json, KEY(context), e, e->ncycle, e->nedges);
  put_json_of_reasons(json, e);
  put_json_of_story(json, e);
  put_json_of_statements(json, e);
  json_put_string(json, KEY(sentence), e->contradiction);
  json_close(json, '}');
}

// --- Reading.

struct example_reading {
  struct example *e;
  struct error *error;
  bool failed;
};

static uint32_t refuse_example(struct example_reading *r, const char *what) {
  if (!r->failed)
    error_set(r->error, "its counterexample lacks %s", what);
  r->failed = true;
  return EXAMPLE_NONE;
}

static const char *text(struct example_reading *r, const struct json_value *v,
                        const char *name) {
  const char *found = json_text(v, name, NULL);
  if (!found)
    refuse_example(r, name);
  return arena_strdup(&r->e->arena, found ? found : "");
}

static uint32_t read_example_number(const struct json_value *v,
                                    const char *name) {
  const uint64_t found = json_whole(v, name, 0);
  return found < UINT32_MAX ? (uint32_t)found : UINT32_MAX;
}

static enum isolation level(struct example_reading *r,
                            const struct json_value *v, const char *name) {
  enum isolation level = ISOLATION_NONE;
  const char *found = json_text(v, name, NULL);
  if (!found || !isolation_parse(found, &level))
    refuse_example(r, name);
  return level;
}

static void read_json_op(struct example_reading *r,
                         const struct json_value *v) {
  const char *condition = json_text(v, KEY(condition), NULL);
  const char *place = json_text(v, KEY(place), NULL);
  r->e->ops[r->e->nops++] = (struct example_op){
      .position = read_example_number(v, KEY(position)),
      .begin = json_whole(v, KEY(begin_ns), TIME_UNKNOWN),
      .end = json_whole(v, KEY(end_ns), TIME_UNKNOWN),
      .kind = text(r, v, KEY(kind)),
      .key = text(r, v, KEY(key)),
      .label = text(r, v, KEY(label)),
      .sentence = text(r, v, KEY(sentence)),
      .raw = text(r, v, json_member(v, KEY(raw)) ? KEY(raw) : KEY(sentence)),
      .matters = json_is_true(v, KEY(matters)),
      .place = place ? arena_strdup(&r->e->arena, place) : NULL,
      .condition = condition ? arena_strdup(&r->e->arena, condition) : NULL,
  };
}

static void read_json_txn(struct example_reading *r,
                          const struct json_value *v) {
  struct example *e = r->e;
  struct example_txn *txn = &e->txns[e->ntxns++];
  const char *endpoint = json_text(v, KEY(endpoint), NULL);
  const char *held_to = json_text(v, KEY(level), NULL);
  *txn = (struct example_txn){
      .name = text(r, v, json_member(v, KEY(short)) ? KEY(short) : KEY(name)),
      .id = text(r, v, KEY(name)),
      .session = read_example_number(v, KEY(session)),
      .number = read_example_number(v, KEY(number)),
      .outcome = text(r, v, KEY(outcome)),
      .endpoint = endpoint ? arena_strdup(&e->arena, endpoint) : NULL,
      .level = held_to ? arena_strdup(&e->arena, held_to) : NULL,
      .begin = json_whole(v, KEY(begin_ns), TIME_UNKNOWN),
      .end = json_whole(v, KEY(end_ns), TIME_UNKNOWN),
      .first_op = e->nops,
      .nleft_out = read_example_number(v, KEY(left_out)),
  };
  e->timed &= txn->begin != TIME_UNKNOWN;
  for (const struct json_value *o = json_first(v, KEY(operations)); o;
       o = o->next)
    read_json_op(r, o);
  txn->end_op = e->nops;
}

static void read_txns(struct example_reading *r, const struct json_value *v) {
  struct example *e = r->e;
  uint32_t nops = 0;
  for (const struct json_value *t = json_first(v, KEY(transactions)); t;
       t = t->next)
    nops += json_count(t, KEY(operations));
  const uint32_t ntxns = json_count(v, KEY(transactions));
  e->txns = arena_take(&e->arena, (ntxns + 1) * sizeof *e->txns);
  e->ops = arena_take(&e->arena, (nops + 1) * sizeof *e->ops);
  e->timed = ntxns > 0;
  for (const struct json_value *t = json_first(v, KEY(transactions)); t;
       t = t->next)
    read_json_txn(r, t);
  if (!ntxns)
    refuse_example(r, KEY(transactions));
}

static uint32_t find_txn_by_id(struct example_reading *r, const char *name) {
  for (uint32_t i = 0; i < r->e->ntxns; i++)
    if (!strcmp(r->e->txns[i].id, name))
      return i;
  return refuse_example(r, "a transaction that it names");
}

// The operation that another part of the document points to.
static uint32_t find_op(struct example_reading *r, const struct json_value *v,
                        const char *name) {
  const struct json_value *o = json_member(v, name);
  if (!o || o->type != JSON_OBJECT)
    return EXAMPLE_NONE;
  const uint32_t t = find_txn_by_id(r, json_text(o, KEY(transaction), ""));
  if (t == EXAMPLE_NONE)
    return t;
  const struct example_txn *txn = &r->e->txns[t];
  for (uint32_t op = txn->first_op; op < txn->end_op; op++)
    if (r->e->ops[op].position == read_example_number(o, KEY(position)))
      return op;
  return refuse_example(r, "an operation that it names");
}

static void read_edges(struct example_reading *r, const struct json_value *v,
                       const char *name, bool on_cycle) {
  struct example *e = r->e;
  for (const struct json_value *d = json_first(v, name); d; d = d->next) {
    e->edges[e->nedges++] = (struct example_edge){
        .kind = text(r, d, KEY(kind)),
        .from = find_txn_by_id(r, json_text(d, KEY(from), "")),
        .to = find_txn_by_id(r, json_text(d, KEY(to), "")),
        .from_op = find_op(r, d, KEY(from_operation)),
        .to_op = find_op(r, d, KEY(to_operation)),
        .key = json_text(d, KEY(key), NULL) ? text(r, d, KEY(key)) : NULL,
        .inferred = json_is_true(d, KEY(inferred)),
        .on_cycle = on_cycle,
        .number = read_example_number(d, KEY(number)),
        .sentence = text(r, d, KEY(sentence)),
    };
    e->ncycle += on_cycle;
  }
}

static void read_reasons(struct example_reading *r,
                         const struct json_value *v) {
  struct example *e = r->e;
  e->reasons = arena_take(&e->arena, (json_count(v, KEY(reasons)) + 1) *
                                         sizeof *e->reasons);
  for (const struct json_value *d = json_first(v, KEY(reasons)); d; d = d->next)
    e->reasons[e->nreasons++] = (struct example_reason){
        read_example_number(d, KEY(number)), text(r, d, KEY(sentence))};
}

static void read_statements(struct example_reading *r,
                            const struct json_value *v) {
  struct example *e = r->e;
  e->statements = arena_take(&e->arena, (json_count(v, KEY(statements)) + 1) *
                                            sizeof *e->statements);
  for (const struct json_value *d = json_first(v, KEY(statements)); d;
       d = d->next)
    if (d->type == JSON_STRING)
      e->statements[e->nstatements++] = arena_strdup(&e->arena, d->text);
}

int example_of_document(struct example *e, const struct json_value *v,
                        struct error *error) {
  *e = (struct example){0};
  struct example_reading r = {.e = e, .error = error};
  e->anomaly = text(&r, v, KEY(anomaly));
  e->also = text(&r, v, KEY(also));
  e->meaning = text(&r, v, KEY(meaning));
  e->weakest = level(&r, v, KEY(weakest_level_broken));
  e->level = level(&r, v, KEY(level));
  e->minimal = json_text(v, KEY(minimal_for), NULL)
                   ? level(&r, v, KEY(minimal_for))
                   : e->weakest;
  read_txns(&r, v);
  const uint32_t nedges =
      json_count(v, KEY(cycle)) + json_count(v, KEY(context));
  e->edges = arena_take(&e->arena, (nedges + 1) * sizeof *e->edges);
  read_edges(&r, v, KEY(cycle), true);
  read_edges(&r, v, KEY(context), false);
  read_reasons(&r, v);
  read_statements(&r, v);
  e->read = find_op(&r, v, KEY(read));
  e->other = find_op(&r, v, KEY(other));
  e->contradiction = text(&r, v, KEY(sentence));
  if (r.failed)
    return -1;
  example_find_faults(e);
  example_tell(e);
  return 0;
}
