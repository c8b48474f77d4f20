#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts PostgreSQL for postgresql_rows.c.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_start postgresql
PG_URI=${server_uri[0]} PG_ADMIN=${server_admin[0]} live_program postgresql_rows libpq-dev
