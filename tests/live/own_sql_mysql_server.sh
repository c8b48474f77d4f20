#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Transactions of users as they are on a server of MySQL's own, as
# tests/live/own_sql_mysql.sh on MariaDB.  Part of make check-long, which gets the
# server.
KIND=mysql exec bash "$(dirname "${BASH_SOURCE[0]}")/own_sql_mysql.sh"
