// SPDX-License-Identifier: GPL-3.0-or-later
// isostress server: throw-away servers from the command line.
#include "config.h"

#include "cli/commands.h"

#include "cli/servers/servers.h"

enum status server_command(const struct arguments *arguments) {
  struct error error;
  server_exec(arguments->words, arguments->nwords, &error);
  return complain(STATUS_TROUBLE, &error);
}
