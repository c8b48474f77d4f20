#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts PostgreSQL with a standby for postgresql_outcomes.c.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql-standby
live_start postgresql-standby
PG_URI=${server_uri[0]} PG_ADMIN=${server_admin[0]} PG_STANDBY_URI=${server_uri[1]} \
  live_program postgresql_outcomes libpq-dev
