// SPDX-License-Identifier: GPL-3.0-or-later
// The fate of acknowledged writes (report/durable.h).
#include "config.h"

#include "report/durable.h"

#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// Indexed by enum loss.
static const char *const loss_words[] = {[LOSS_NONE] = "pass",
                                         [LOSS_AGAINST_PROMISE] = "violation",
                                         [LOSS_ALLOWED] = "allowed",
                                         [LOSS_UNSETTLED] = "undecided",
                                         [LOSS_UNACKNOWLEDGED] = "undecided"};
static const char *const promise_names[] = {
    [KEEPS_UNKNOWN] = "unknown", [KEEPS_COMMITS] = "yes", [KEEPS_NOT] = "no"};

static bool durable_is_known(const struct report *report) {
  return report->durable && report->durable->is.kind != VERDICT_UNDECIDED;
}

// "the settings promise that no such write is lost (...)".
static void put_durable_promise(FILE *out, const struct report *report) {
  const char *why = report->figures ? report->figures->keeps_words : "";
  static const char *const words[] = {
      [KEEPS_UNKNOWN] = "nothing is known of settings that allow it",
      [KEEPS_COMMITS] = "the settings promise that none is",
      [KEEPS_NOT] = "the settings allow it"};
  fputs(words[report->figures ? report->figures->keeps : KEEPS_UNKNOWN], out);
  if (*why)
    fprintf(out, ": %s", why);
}

static void put_lost(FILE *out, const struct durability *d) {
  char lost[QUANTITY_GROUPED], all[QUANTITY_GROUPED];
  fprintf(out, "%s of %s acknowledged writes %s lost, ",
          quantity_grouped(d->lost, lost),
          quantity_grouped(d->acknowledged, all), d->lost == 1 ? "is" : "are");
  if (d->transactions == 1)
    fprintf(out, "of a transaction that was acknowledged after %.3f s",
            quantity_seconds(d->first));
  else
    fprintf(out,
            "of %" PRIu32 " transactions that were acknowledged from %.3f s to "
            "%.3f s",
            d->transactions, quantity_seconds(d->first),
            quantity_seconds(d->last));
}

bool durable_broken(const struct report *report, char *text, size_t bytes) {
  if (!report->durable || report->durable->loss != LOSS_AGAINST_PROMISE)
    return false;
  text[bytes - 1] = '\0'; // of words that fill it
  FILE *out = fmemopen(text, bytes - 1, "w");
  if (!out)
    return false;
  put_lost(out, &report->durable->is);
  fputs("; ", out);
  put_durable_promise(out, report);
  fclose(out);
  return true;
}

static void put_shown_loss(FILE *out, const struct history *h, uint32_t op) {
  char key[24], value[24];
  const uint32_t txn = history_txn(h, op), session = history_session(h, txn);
  fprintf(
      out, "    %.6f s: session %" PRIu32 ", transaction %" PRIu32 ": %s of %s",
      quantity_seconds(h->end[txn]), session, txn - h->session_first[session],
      op_kind_name(h->kind[op]), history_key(h, h->key[op], key));
  if (!op_is_row(h->kind[op]))
    fprintf(out, ", value %s",
            history_value(h, history_write_value(h, session, op), value));
  fputs(".\n", out);
}

void durable_put_details(FILE *out, const struct report *report) {
  const struct durability *d = &report->durable->is;
  fputs("  This is LostWrites: no final read shows these writes, or anything "
        "that may have replaced them.  They were acknowledged after\n",
        out);
  for (uint32_t i = 0; i < d->nshown; i++)
    put_shown_loss(out, report->history, d->shown[i]);
  if (d->lost > d->nshown)
    fprintf(out, "    and %" PRIu64 " more.\n", d->lost - d->nshown);
}

static void put_loss(FILE *out, const struct report *report) {
  const enum loss loss = report->durable->loss;
  fputs(loss == LOSS_AGAINST_PROMISE ? "\nVIOLATION of durability: "
                                     : "durability  ",
        out);
  put_lost(out, &report->durable->is);
  if (loss == LOSS_UNSETTLED) {
    fputs("; or the host that was read at the end was late: "
          "--endpoints=primary reads at the one that takes writes.\n",
          out);
    return;
  }
  if (loss == LOSS_UNACKNOWLEDGED) {
    fprintf(out,
            "; or of these transactions some were not acknowledged: "
            "--resolve-unknown found out that %" PRIu64 " had committed.\n",
            report->figures->resolved_committed);
    return;
  }
  fputs("; ", out);
  put_durable_promise(out, report);
  fputs(".\n", out);
  if (report->figures && report->figures->resolved_committed)
    fprintf(out,
            "  Up to %" PRIu64 " of these transactions may not have been "
            "acknowledged: --resolve-unknown found out that they had "
            "committed.\n",
            report->figures->resolved_committed);
  durable_put_details(out, report);
}

void durable_put_text(FILE *out, const struct report *report) {
  char all[QUANTITY_GROUPED], there[QUANTITY_GROUPED];
  if (!durable_is_known(report))
    return;
  const struct durability *d = &report->durable->is;
  if (d->lost) {
    put_loss(out, report);
    return;
  }
  fprintf(out, "durability  none of %s acknowledged writes is lost: %s are ",
          quantity_grouped(d->acknowledged, all),
          quantity_grouped(d->surviving, there));
  fputs("there", out);
  if (d->overwritten)
    fprintf(out, ", %" PRIu64 " may have been overwritten", d->overwritten);
  if (d->unread)
    fprintf(out, ", %" PRIu64 " were not looked for", d->unread);
  if (d->unknown)
    fprintf(out, "; %" PRIu64 " of %" PRIu64 " unknown ones took effect",
            d->took_effect, d->unknown);
  fputs("\n", out);
}

static void put_json_loss(struct json *json, const struct history *h,
                          uint32_t op) {
  char key[24], value[24];
  const uint32_t txn = history_txn(h, op), session = history_session(h, txn);
  json_put_object(json, NULL);
  json_put_unsigned(json, KEY(session), session);
  json_put_unsigned(json, KEY(transaction), txn - h->session_first[session]);
  json_put_unsigned(json, KEY(begin_ns), h->begin[txn]);
  json_put_unsigned(json, KEY(end_ns), h->end[txn]);
  json_put_string(json, KEY(kind), op_kind_name(h->kind[op]));
  json_put_string(json, KEY(key), history_key(h, h->key[op], key));
  if (!op_is_row(h->kind[op]))
    json_put_string(
        json, KEY(value),
        history_value(h, history_write_value(h, session, op), value));
  json_close(json, '}');
}

void durable_put_json(struct json *json, const struct report *report) {
  if (!durable_is_known(report))
    return;
  const struct durability *d = &report->durable->is;
  const struct run_figures *f = report->figures;
  json_put_object(json, KEY(durability));
  json_put_string(json, KEY(verdict), loss_words[report->durable->loss]);
  json_put_string(json, KEY(promised),
                  promise_names[f ? f->keeps : KEEPS_UNKNOWN]);
  if (f && *f->keeps_words)
    json_put_string(json, KEY(why), f->keeps_words);
  json_put_unsigned(json, KEY(acknowledged), d->acknowledged);
  json_put_unsigned(json, KEY(surviving), d->surviving);
  json_put_unsigned(json, KEY(overwritten), d->overwritten);
  json_put_unsigned(json, KEY(lost), d->lost);
  json_put_unsigned(json, KEY(unread), d->unread);
  json_put_unsigned(json, KEY(unknown), d->unknown);
  json_put_unsigned(json, KEY(took_effect), d->took_effect);
  json_put_unsigned(json, KEY(final_reads), d->final_reads);
  if (d->lost) {
    char sentence[400] = "";
    FILE *out = fmemopen(sentence, sizeof sentence - 1, "w");
    if (out) {
      put_lost(out, d);
      fclose(out);
      json_put_string(json, KEY(sentence), sentence);
    }
    json_put_array(json, KEY(shown));
    for (uint32_t i = 0; i < d->nshown; i++)
      put_json_loss(json, report->history, d->shown[i]);
    json_close(json, ']');
  }
  json_close(json, '}');
}
