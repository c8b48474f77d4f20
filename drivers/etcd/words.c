// SPDX-License-Identifier: GPL-3.0-or-later
// The words about etcd (drivers/words.h), and what is typed at a terminal that
// has etcdctl.
#include "config.h"

#include "drivers/words.h"

#include "drivers/authority.h"
#include "drivers/drivers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- How etcdctl comes to a host

// As a word of a shell.
static void put_etcdctl_word(FILE *out, const char *text) {
  putc('\'', out);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", out);
    else
      putc(*text, out);
  putc('\'', out);
}

// The files of the target; is there one that says that TLS is on?
static bool put_files(FILE *out, const char *target, struct arena *arena) {
  static const char *const files[] = {"cacert", "cert", "key"};
  bool on = target_option(arena, target, "capath") != NULL;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *file = target_option(arena, target, files[i]);
    if (!file)
      continue;
    fprintf(out, " --%s=", files[i]);
    put_etcdctl_word(out, file);
    on |= strcmp(files[i], "key") != 0;
  }
  return on;
}

// The password is asked for, or in a variable of the terminal.  (etcdctl
// refuses its own variable ETCDCTL_PASSWORD beside the option.)
static void put_user(FILE *out, const char *target) {
  struct authority authority;
  struct error error;
  char *place = xasprintf("%.*s", (int)strcspn(strchr(target, ':') + 1, "?"),
                          strchr(target, ':') + 1);
  if (!authority_read(&authority, place, "127.0.0.1", 2379, &error)) {
    if (authority.user) {
      fputs(" --user=", out);
      put_etcdctl_word(out, authority.user);
      fputs(" --password=\"$PASSWORD\"", out);
    }
    arena_free(&authority.arena);
  }
  free(place);
}

static void put_etcd_host(FILE *out, const char *target, const char *host) {
  struct arena arena = {0};
  const char *tls = target_option(&arena, target, "tls");
  char *files;
  size_t bytes;
  FILE *words = text_stream(&files, &bytes);
  const bool on = put_files(words, target, &arena);
  fclose(words);
  const bool secure = tls ? strcasecmp(tls, "off") != 0 : on;
  fprintf(out, " --endpoints=%s%s", secure ? "https://" : "", host);
  if (secure)
    fputs(files, out);
  if (tls && !strcasecmp(tls, "unverified"))
    fputs(" --insecure-skip-tls-verify", out);
  put_user(out, target);
  free(files);
  arena_free(&arena);
}

// ---- What is typed

// The terminal keeps the answer to a read whose key is to be compared: its
// revision is needed at the commit.
static const struct shell_commands etcdctl = {
    .comment = "#",
    .comments_apart = true,
    .preload = "etcdctl%h put " SHELL_SCHEMA "/%k 0",
    .last_key = "etcdctl%h get " SHELL_SCHEMA "/%k --print-value-only",
    .drop_key = "etcdctl%h del " SHELL_SCHEMA "/%k",
    .read = "etcdctl%h get " SHELL_SCHEMA "/%k --print-value-only%o",
    .write = "put " SHELL_SCHEMA "/%k %v",
    .cas = "put " SHELL_SCHEMA "/%k %v",
    .commit = "\n\nEND",
    .queue = "etcdctl%h txn <<END",
    .compared_read =
        "read%k=$(etcdctl%h get " SHELL_SCHEMA "/%k -w fields%o)\n"
        "echo \"$read%k\" | sed -n 's/^\"Value\" : \"\\(.*\\)\"/\\1/p'",
    .compare = "mod(\"" SHELL_SCHEMA "/%k\") = \"$(echo \"$read%k\" | "
               "sed -n 's/^\"ModRevision\" : //p')\"",
    .compare_cas = "value(\"" SHELL_SCHEMA "/%k\") = \"%e\"",
    .put_host = put_etcd_host,
    .default_port = 2379,
    .weak_level = "stale",
    .weak_option = " --consistency=s",
};

static const struct level_words etcd_levels[] = {
    {"stale", "a server answers reads from what it knows: "
              "\f--consistency=s\f"},
    {"strict", "linearizable reads, which are the default"},
    {0},
};

const struct driver_words etcd_words = {
    .driver = "etcd",
    .scheme = "etcd",
    .name = "etcd",
    .manual = ETCD_MANUAL,
    .has_keys = true,
    .levels = etcd_levels,
    .shell = "etcdctl",
    .commands = &etcdctl,
};
