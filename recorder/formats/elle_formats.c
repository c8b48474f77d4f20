// SPDX-License-Identifier: GPL-3.0-or-later
// The formats of Jepsen, Elle and Knossos, and what they are recognised by.
#include "config.h"

#include "recorder/formats/calls.h"
#include "recorder/formats/elle.h"

#include <ctype.h>
#include <string.h>

// The first map's content, behind the brackets and tags before it; NULL if
// there is none.
static const char *first_map(const char *p) {
  while (isspace((unsigned char)*p) || *p == ',' || *p == '[' || *p == '(' ||
         *p == ';' || *p == '#')
    p += *p == ';' ? strcspn(p, "\n") : *p == '#' ? strcspn(p, "{ ") : 1;
  return *p == '{' ? p + 1 : NULL;
}

static bool recognise_edn(const char *p) {
  const char *map = first_map(p);
  if (!map)
    return text_empty_depth(p, '(') == 1;
  return map[strspn(map, " \t\r\n,")] == ':' &&
         (text_has_member(map, 0, ":type") ||
          text_has_member(map, 0, ":process"));
}

static bool recognise_knossos(const char *p) {
  return recognise_edn(p) && (strstr(p, ":f :read") || strstr(p, ":f :write") ||
                              strstr(p, ":f :cas"));
}

static bool recognise_closed_predicate(const char *p) {
  return recognise_edn(p) && first_map(p) &&
         (strstr(p, "[:rp ") || strstr(p, "[:insert ") ||
          strstr(p, "[:delete "));
}

static bool recognise_json(const char *p) {
  const char *map = first_map(p);
  if (!map)
    return text_empty_depth(p, '[') == 1;
  return map[strspn(map, " \t\r\n")] == '"' &&
         text_has_member(map, 0, "type") &&
         (text_has_member(map, 0, "value") ||
          text_has_member(map, 0, "process"));
}

enum {
  FEATURES = FEATURE_LISTS | FEATURE_ABORTED | FEATURE_DUPLICATES |
             FEATURE_UNKNOWN | FEATURE_TIMES | FEATURE_NAMES | FEATURE_VALUES
};

const struct history_format format_edn = {
    .name = "edn",
    .summary = "Jepsen and Elle: EDN, lists, registers or sets",
    .example =
        "{:type :ok, :f :txn, :process 0, :value [[:append :x 1]]}\n"
        "{:type :ok, :f :txn, :process 1, :value [[:r :x [1]] [:append :x 2]]}",
    .initial = INITIAL_IMPLICIT,
    .says = FEATURES | FEATURE_SETS,
    .files = "J*.log", // Viper's
    .recognise_text = recognise_edn,
    .parse = elle_parse_edn,
    .extension = "edn",
    .write = elle_write_edn,
};

const struct history_format format_knossos = {
    .name = "knossos",
    .summary = "registers as Knossos has them: EDN, an operation each",
    .example = "{:process 0, :type :invoke, :f :write, :value 1}\n"
               "{:process 0, :type :ok, :f :write, :value 1}\n"
               "{:process 1, :type :invoke, :f :read, :value nil}\n"
               "{:process 1, :type :ok, :f :read, :value 1}",
    .initial = INITIAL_IMPLICIT,
    .says = (FEATURES & ~FEATURE_LISTS) | FEATURE_CAS,
    .recognise_text = recognise_knossos,
    .parse = elle_parse_edn,
    .single = true,
    .extension = "knossos",
    .write = calls_write_knossos,
};

const struct history_format format_elle_json = {
    .name = "elle-json",
    .summary = "the same as JSON (elle-cli)",
    .example = "[{\"type\":\"ok\",\"f\":\"txn\",\"process\":0,\"value\":[["
               "\"append\",\"x\",1]]},\n"
               " {\"type\":\"ok\",\"f\":\"txn\",\"process\":1,\"value\":[["
               "\"r\",\"x\",[1]]]}]",
    .initial = INITIAL_IMPLICIT,
    .says = FEATURES,
    .recognise_text = recognise_json,
    .parse = elle_parse_json,
    .extension = "json",
    .write = elle_write_json,
};

const struct history_format format_closed_predicate = {
    .name = "closed-predicate",
    .summary = "Elle's predicates: EDN, rows of a table",
    .example = "{:type :ok, :process 0, :f :init, :value {1 0, 2 1}}\n"
               "{:type :ok, :process 0, :f :txn, :value [[:rp [:= 1] {2 1}] "
               "[:w 1 2]]}\n"
               "{:type :ok, :process 1, :f :txn, :value [[:r 1 2]]}",
    .initial = INITIAL_IMPLICIT,
    .recognise_text = recognise_closed_predicate,
    .parse = closed_predicate_parse,
};
