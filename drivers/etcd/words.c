// SPDX-License-Identifier: GPL-3.0-or-later
// The words about etcd (drivers/words.h), and what is typed at a terminal that
// has etcdctl.
#include "config.h"

#include "drivers/words.h"

#include <stddef.h>

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
    .host_option = " --endpoints=",
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
